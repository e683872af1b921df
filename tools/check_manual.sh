#!/usr/bin/env bash
# tools/check_manual.sh PREFIX: checks the manual page and the completion of an installed limber: both know every option of every
# command, and bash (zsh and fish, if installed) completes commands, options and files.
set -euo pipefail
prefix=$(cd "$1" && pwd)
PATH=$prefix/bin:$PATH
man=$prefix/share/man/man1/limber.1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir folder
touch a.yaml 'b c.json' d.h5 e.csv f.log
passed=0 failed=0
check() { # WHAT GOT WANTED
    if [ "$2" = "$3" ]; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    printf '%s:\n  got      %s\n  expected %s\n' "$1" "$2" "$3"
}
lines() { sort | tr '\n' ' '; }

# ---- bash ----------------------------------------------------------------------------------------

# shellcheck disable=SC1091
source "$prefix/share/bash-completion/completions/limber"
complete_bash() { # WORDS...: what bash offers, a line each
    COMP_WORDS=(limber "$@") COMP_CWORD=$#
    _limber
    if [ ${#COMPREPLY[@]} -gt 0 ]; then printf '%s\n' "${COMPREPLY[@]}"; fi
}
check "bash: commands" "$(complete_bash re | lines)" "reduce reference "
check "bash: models" "$(complete_bash run '' | lines)" "a.yaml b c.json folder "
check "bash: results" "$(complete_bash plot '' | lines)" "d.h5 folder "
check "bash: any file" "$(complete_bash validate '' | lines)" "a.yaml b c.json d.h5 e.csv f.log folder "
check "bash: output" "$(complete_bash export d.h5 -o '' | lines)" "e.csv folder "
check "bash: value" "$(complete_bash run a.yaml --set '' | lines)" ""
check "bash: options" "$(complete_bash run a.yaml --re | lines)" "--resume "
check "bash: no such command" "$(complete_bash rnu '' | lines)" ""

# ---- every option --------------------------------------------------------------------------------

plain=$(MANWIDTH=1000 man -l "$man" 2>/dev/null | sed 's/^ *//' || true)
for command in $(limber --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p' | grep -v '^limber$'); do
    options=$(limber "$command" --help | grep -oE '^  (-., )?--[a-z-]+' | tr -d ' ')
    check "$command: options of bash" "$(complete_bash "$command" - | grep -v '^-h$' | lines)" \
        "$(tr ',' '\n' <<<"$options" | grep -v '^-h$' | lines)"
    if [ -z "$plain" ]; then continue; fi # no man
    section=$(awk -v c="limber $command" 'index($0, "limber ") == 1 { on = $0 == c || index($0, c " ") == 1 } on' <<<"$plain")
    check "$command: options of the manual page" "$(grep -oE '^(-., )?--[a-z-]+( |$)' <<<"$section" | tr -d ' ' | lines)" \
        "$(lines <<<"$options")"
done

# ---- other programs, if installed ----------------------------------------------------------------

if command -v groff >/dev/null; then check "groff: warnings" "$(groff -man -ww -z "$man" 2>&1)" ""; fi
if command -v zsh >/dev/null; then
    check "zsh: syntax" "$(zsh -n "$prefix/share/zsh/site-functions/_limber" 2>&1)" ""
fi
if command -v fish >/dev/null; then
    complete_fish() {
        fish --no-config -c "source '$prefix/share/fish/vendor_completions.d/limber.fish'; complete -C '$1'" | cut -f 1 | lines
    }
    check "fish: commands" "$(complete_fish 'limber re')" "reduce reference "
    check "fish: models" "$(complete_fish 'limber run ')" "a.yaml b c.json folder/ "
    check "fish: any file" "$(complete_fish 'limber validate ')" "a.yaml b c.json d.h5 e.csv f.log folder/ "
    check "fish: options" "$(complete_fish 'limber run a.yaml --re')" "--resume "
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
