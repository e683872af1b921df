# bash completion of limber: the program says what can follow (limber --complete)
_limber() {
    local word=${COMP_WORDS[COMP_CWORD]} line ending
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files* ]]; then
            compopt -o filenames 2>/dev/null
            if [[ $line == :files ]]; then mapfile -t COMPREPLY < <(compgen -f -- "$word"); continue; fi
            mapfile -t COMPREPLY < <(
                compgen -d -- "$word"
                for ending in ${line#:files}; do compgen -f -X "!*.$ending" -- "$word"; done
            )
        elif [[ $line == "$word"* ]]; then
            COMPREPLY+=("${line%%$'\t'*}")
        fi
    done < <("${COMP_WORDS[0]}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _limber limber
