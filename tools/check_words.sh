#!/usr/bin/env bash
# tools/check_words.sh [FILE...]: finds the phrases of tools/words.txt in the texts that people read: string literals of
# src/ and viewer/src/, comments and literals of include/ and python/limber/, prose of README.md and docs/ (code blocks and `code`
# excluded).  One test per file; a hit is printed as file:line: phrase -> better.
set -euo pipefail
cd "$(dirname "$0")/.."

files=("$@")
if [ ${#files[@]} = 0 ]; then
    mapfile -t files < <(find src include viewer/src docs python -name '*.[ch]' -o -name '*.ts' -o -name '*.md' -o -path 'python/limber/*.py' | sort)
    files+=(README.md)
fi

passed=0 failed=0
for file in "${files[@]}"; do
    if hits=$(awk -v file="$file" '
        BEGIN {
            FS = "\t"
            prose = file ~ /\.md$/; whole = file ~ /^include\/|\.py$/
            quotes = file ~ /\.ts$/ ? "\047`" : "\""
        }
        # tools/words.txt: good[] is masked, bad[] is looked for
        NR == FNR && /^(#|$)/ { next }
        NR == FNR && /^\+/ { good[++n_good] = substr($0, 2); next }
        NR == FNR { bad[++n_bad] = $1; better[n_bad] = $2; next }

        # the contents of the literals of a line of C or TypeScript
        function literals(line,    out, i, c, quote) {
            out = ""; quote = ""
            for (i = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (quote == "") {
                    if (substr(line, i, 2) == "//" || substr(line, i, 2) == "/*") break
                    if (index(quotes, c)) { quote = c; out = out "|" }
                } else if (c == "\\") { out = out (substr(line, i + 1, 1) == "n" ? "\n" : " "); i++ }
                else if (c == quote) quote = ""
                else out = out c
            }
            return out
        }
        # phrases that end in this text; tail: the end of the text before, which it continues
        function look(tail, text,    all, i, at, from) {
            all = " " tolower(tail text) " "
            for (i = 1; i <= n_good; i++) gsub(good[i], "|", all)
            for (i = 1; i <= n_bad; i++) {
                for (at = 0; match(substr(all, at + 1), bad[i]); at += RSTART + RLENGTH - 1) {
                    from = at + RSTART
                    if (substr(all, from, 1) ~ /[a-z]/ && substr(all, from - 1, 1) ~ /[a-z]/) continue
                    if (length(all) - from - RLENGTH >= length(text)) continue # in the tail
                    printf "%s:%d: %s -> %s\n", file, FNR, substr(all, from, RLENGTH), better[i]
                    hit = 1
                }
            }
        }
        { line = $0 }
        whole { sub(/^[ \t]*\/\/ */, "", line) }
        prose && /^ *```/ { code = !code; tail = ""; next }
        prose && code { next }
        prose { gsub(/`[^`]*`/, "`", line); if (line ~ /^ *$/ || line ~ /^ *[|]/) tail = "" }
        !prose && !whole && /^[ \t]*#[ \t]*include/ { next }
        !prose && !whole { if (line !~ /^[ \t]*"/) tail = ""; line = literals(line); if (tail != "") sub(/^[|]/, "", line) }
        {
            if (line ~ /[a-z.]/) look(tail, line)
            tail = ""
            if (match(line, /[^ ]+ +[^ ]+ +[^ ]+ *$/)) tail = substr(line, RSTART, RLENGTH) (prose || whole ? " " : "")
        }
        END { exit hit }' tools/words.txt "$file"); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$hits"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
