# shellcheck shell=bash
# tools/try.sh: for checks to source: a folder $scratch, removed at exit; try WHAT COMMAND..., which counts and shows the output of what
# fails; finish, which prints the sum and ends the script.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
try() {
    local what=$1
    shift
    if "$@" >"$scratch/log" 2>&1; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "$what:"
    sed 's/^/    /' "$scratch/log" | tail -n 20
}
finish() {
    echo "$passed passed, $failed failed"
    exit $((failed != 0))
}
