#!/usr/bin/env bash
# tools/check_fuzz.sh BUILD RUNS: every fuzz target of tests/fuzz/ over its corpus (tests/fuzz/corpus/NAME) and then RUNS
# mutations from a fixed seed (at most 15 minutes each).  Findings are written to build/fuzz-findings; the corpus is not changed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 runs=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p build/fuzz-findings

passed=0 failed=0
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    new=$scratch/$name # new inputs go to the first folder
    mkdir "$new"
    folders=("$new")
    if [ -d "tests/fuzz/corpus/$name" ]; then folders+=("tests/fuzz/corpus/$name"); fi
    options=(-runs="$runs" -seed=1 -timeout=20 -max_total_time=900 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=1
        -artifact_prefix="build/fuzz-findings/$name-")
    if [ -f "tests/fuzz/$name.dict" ]; then options+=(-dict="tests/fuzz/$name.dict"); fi
    if "$build/fuzz-$name" "${options[@]}" "${folders[@]}" >"$scratch/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "fuzz-$name:"
        sed 's/^/    /' "$scratch/log" | tail -n 60
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
