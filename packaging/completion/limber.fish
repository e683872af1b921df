# fish completion of limber: the program says what can follow (limber --complete)
function __limber_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc) "$typed"
    set -l files (complete -C "__fish_command_without_completions $typed")
    for line in ($words[1] --complete $words[2..] 2>/dev/null)
        switch $line
            case :files
                printf '%s\n' $files
            case ':files *'
                set -l endings (string replace ':files ' '' -- $line | string replace -a ' ' '|')
                string match -er -- "\.(?:$endings)\$|/\$" $files
            case '*'
                echo $line
        end
    end
end
complete -c limber -f -a '(__limber_complete)'
