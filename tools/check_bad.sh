#!/usr/bin/env bash
# tools/check_bad.sh [BUILD [NAME...]]: every file of tests/bad/ (or those whose names contain a NAME) must be refused by `check` and by `run` (part_*: by `reduce` and by `modes`): exit code 2, a first
# line `file:line:col: error: ...` that contains what the file expects, within 5 s, no file left behind, no sanitizer
# report.  The expected text is in the first line of the file (`# expect: text`) or in NAME.expect beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
names=("${@:2}")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/out"

passed=0 failed=0
# why COMMAND...: prints what is wrong with the answer to a bad file, nothing if all is well
why() {
    local status=0 first
    timeout 5 "$@" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
    first=$(head -n 1 "$scratch/stderr" | tr -d '\0')
    if [ $status = 124 ]; then echo "took more than 5 s"; fi
    if [ $status != 2 ]; then echo "exit code $status, not 2"; fi
    if ! grep -qE '^[^:]+:[0-9]+:[0-9]+: error: .{20,}' <<<"$first"; then echo "first line is not 'file:line:col: error: ...'"; fi
    if ! grep -qF -- "$expect" <<<"$first"; then echo "first line lacks '$expect'"; fi
    if grep -qE 'Sanitizer|runtime error:|Assertion' "$scratch/stderr"; then echo "a sanitizer or an assertion spoke"; fi
    if [ -n "$(ls -A "$scratch/out")" ]; then echo "left behind: $(ls -A "$scratch/out")"; rm -rf "$scratch/out/"*; fi
}

# wanted FILE
wanted() {
    local name
    if [ ${#names[@]} = 0 ]; then return; fi
    for name in "${names[@]}"; do if [[ $1 == *$name* ]]; then return; fi; done
    return 1
}

for file in tests/bad/*; do
    case $file in *.expect | *.md) continue ;; esac
    if ! wanted "$file"; then continue; fi
    if [ ! -f "$file" ]; then continue; fi # folders hold parts that bad files include
    if [ -f "$file.expect" ]; then
        expect=$(head -n 1 "$file.expect")
    else
        expect=$(head -n 1 "$file" | tr -d '\0' | sed -n 's/^# expect: *//p')
    fi
    if [ -z "$expect" ]; then
        echo "$file: says not what it expects (first line '# expect: text', or $file.expect)"
        failed=$((failed + 1))
        continue
    fi
    commands=("check $file" "run $file -o $scratch/out/x.h5")
    case $file in */part_*) commands=("modes $file" "reduce $file --no-cache -o $scratch/out/x.h5") ;; esac
    for command in "${commands[@]}"; do
        # shellcheck disable=SC2086
        trouble=$(why "$build/limber" $command)
        if [ -z "$trouble" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "limber ${command%% -o*}:"
            sed 's/^/    /' <<<"$trouble"
            sed 's/^/    | /' "$scratch/stderr" | head -n 20
        fi
    done
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
