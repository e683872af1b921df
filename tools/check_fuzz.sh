#!/usr/bin/env bash
# tools/check_fuzz.sh BUILD RUNS [LEAST]: every fuzz target of tests/fuzz/ over its corpus (tests/fuzz/corpus/NAME, or what the
# target makes itself) and then mutations from a fixed seed, about RUNS inputs in all: the faster a target, the more of them; at
# most 15 minutes each.  Prints how many inputs each target had; fewer than LEAST in all are a failure.  Findings are written to
# build/fuzz-findings; the corpus is not changed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 runs=$2 least=${3:-0}

scratch=$(mktemp -d)
files=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")") # in memory if possible
trap 'rm -rf "$scratch" "$files"' EXIT
export TMPDIR=$files
mkdir -p build/fuzz-findings
if [ "$runs" -lt 1000000 ]; then export LMB_SAMPLE=1; fi
# the sanitizer keeps freed memory for a while, 256 MB of it if nothing is said
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=32"

# thousandths of all inputs; those that write and read HDF5 files take a hundred times as long as a parser
share_of() {
    case $1 in
        expr) echo 290 ;; matrix) echo 260 ;; msh) echo 180 ;; yaml) echo 150 ;; inp) echo 60 ;; model) echo 25 ;; part) echo 15 ;; table) echo 22 ;;
        *) echo 2 ;;
    esac
}

passed=0 failed=0 total=0
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    new=$scratch/$name # new inputs go to the first folder
    mkdir "$new"
    folders=("$new")
    if [ -d "tests/fuzz/corpus/$name" ]; then folders+=("tests/fuzz/corpus/$name"); fi
    options=(-runs=$((runs * $(share_of "$name") / 1000)) -seed=1 -timeout=20 -max_total_time=900 -rss_limit_mb=1024 -max_len=8192 -print_final_stats=1
        -artifact_prefix="build/fuzz-findings/$name-")
    if [ -f "tests/fuzz/$name.dict" ]; then options+=(-dict="tests/fuzz/$name.dict"); fi
    if LMB_FUZZ_SEEDS=$new "$build/fuzz-$name" "${options[@]}" "${folders[@]}" >"$scratch/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "fuzz-$name:"
        sed 's/^/    /' "$scratch/log" | tail -n 60
    fi
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/log")
    printf '%-12s %9d inputs\n' "$name" "${inputs:-0}"
    total=$((total + ${inputs:-0}))
done
printf '%-12s %9d inputs\n' "in all" $total
if [ $total -lt "$least" ]; then
    failed=$((failed + 1))
    echo "these are fewer than $least"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
