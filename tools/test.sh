#!/usr/bin/env bash
# tools/test.sh [--all]: builds and runs all tests and closes with the sum `N passed, N failed`.
#
#   build        Release: unit tests, cases, examples, README, install, the viewer page in Chromium
#   build/san    clang with address and undefined-behaviour sanitizers and libFuzzer: unit tests, small cases, bad files, and a
#                fixed number of fuzzing runs from a fixed seed
#   --all        also: the second compiler; all cases, commands and examples under all checks of the sanitizers; threads under
#                ThreadSanitizer (build/tsan); longer fuzzing; mutants; packages; other machines (tools/check_machines.sh)
#
# Builds and suites share the cores (JOBS); each prints one line when it ends, and its output if it failed.  A suite starts
# as soon as its build is there.  A case is small, and runs under the sanitizers each time, if `small` is in the name of its
# file or test.
set -euo pipefail
cd "$(dirname "$0")/.."

all=no
if [ "${1:-}" = --all ]; then all=yes; fi
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
fuzz_runs=140000 fuzz_least=0
if [ $all = yes ]; then fuzz_runs=10200000 fuzz_least=10000000; fi

export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:exitcode=99
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export OPENBLAS_NUM_THREADS=1

trap 'kill $(jobs -rp) 2>/dev/null; exit 130' INT TERM

logs=build/test
rm -rf $logs
mkdir -p $logs
sanitized=(-DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DLMB_FUZZ=ON "-DLMB_SANITIZE=address;undefined"
    "-DLMB_VIEWER_PAGE=$PWD/build/viewer/page.c" -DLMB_SANITIZE_LESS=)
# these three make sanitized code four times as slow; a null pointer also ends in a report of the address sanitizer
if [ $all = no ]; then sanitized+=("-DLMB_SANITIZE_LESS=null;alignment;pointer-overflow"); fi

# ---- suites --------------------------------------------------------------------------------------

# run_suite NAME COMMAND...: counts go to $logs/NAME.count
run_suite() {
    local name=$1 status=0 line passed failed skipped seconds
    shift
    TIMEFORMAT='%1R s, CPU %1U + %1S s'
    seconds=$({ time "$@" >"$logs/$name.log" 2>&1 </dev/null; } 2>&1) || status=$?
    line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$logs/$name.log" | tail -n 1 || true)
    if [ -z "$line" ]; then # a command that does not count is one test
        line="$((status == 0)) passed, $((status != 0)) failed"
    fi
    read -r passed failed skipped < <(awk '{ print $1, $3, $5 + 0 }' <<<"$line")
    if [ $status != 0 ] && [ "$failed" = 0 ]; then failed=1; fi # crashed, leaked, or ran nothing
    echo "$passed $failed" >"$logs/$name.count"
    # one write, so that suites that end together do not mix their output
    {
        printf '%-16s %6d passed %4d failed %4d skipped   %s\n' "$name" "$passed" "$failed" "$skipped" "$seconds"
        if [ "$failed" != 0 ]; then
            echo "---- $name: exit code $status, end of $logs/$name.log:"
            tail -n 80 "$logs/$name.log"
            echo "----"
        fi
    } >"$logs/$name.line"
    cat "$logs/$name.line"
}

# suite NAME COMMAND...: in the background, one more than there are cores, because some wait for a browser or a disk
suite() {
    while [ "$(jobs -rp | wc -l)" -gt "$jobs" ]; do wait -n || true; done
    run_suite "$@" &
}

# make_build FOLDER TARGETS OPTIONS...: configures and builds
make_build() {
    local folder=$1 targets=$2
    shift 2
    # shellcheck disable=SC2086 # a list of targets
    cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DLMB_WERROR=ON "$@" &&
        cmake --build "$folder" -j "$jobs" --target $targets -- --quiet
}
# built NAME: waits for the build of that name; a failure is final
built() {
    while [ ! -s "$logs/$1.count" ]; do wait -n || true; done
    if [ "$(cat "$logs/$1.count")" != "1 0" ]; then wait; echo "0 passed, 1 failed"; exit 1; fi
}
# parts COUNT NAME COMMAND...: a suite in COUNT shares
parts() {
    local count=$1 name=$2 i
    shift 2
    for i in $(seq "$count"); do suite "$name-$i" "$@" "--part=$i/$count"; done
}

fuzzers=$(cd tests/fuzz && for f in fuzz_*.c; do f=${f%.c}; echo "fuzz-${f#fuzz_}"; done)

# ---- build and run -------------------------------------------------------------------------------

suite build make_build build all -DCMAKE_BUILD_TYPE=Release
built build
suite build-san make_build build/san "limber-unit limber-cases limber-refused $fuzzers" "${sanitized[@]}"
suite viewer tools/check_viewer.sh build
parts 2 cases build/limber-cases
suite unit build/limber-unit
if [ -x build/limber-mumps ]; then suite mumps build/limber-mumps; fi
suite blas env OPENBLAS_CORETYPE=Nehalem build/limber-cases rigid_mesh_is_a_rigid_body free_tumbling # once depended on its last bits
suite random build/limber-random --count 24
suite random-known build/limber-random --seeds 75,151,259,570,99,264,345,386,395,446,492,494,538,546,610,642,677,678,739,755,807,858,951,963,1017,1242,1254,1262,1303,1319,1355,1362,1423,1451,1589,1631,1657,1673,1675,1692,1738,1805,1813,1935,1961,1974,2016,2211,2402,2466,3287,30013 # each was wrong once
suite cli tools/check_cli.sh build
suite threads build/limber-threads
suite counts tools/check_counts.sh build
suite fmu tools/check_fmu.sh build
suite study tools/check_study.sh build
suite faults tests/faults.sh build 10
suite python tools/check_python.sh build
suite readme tools/check_readme.sh build
suite examples tools/check_examples.sh build
built build-san
if [ $all = no ]; then # with --all: all of them, below
    parts 4 unit-san env LMB_SAMPLE=1 build/san/limber-unit
    parts 4 cases-san env LMB_SAMPLE=1 build/san/limber-cases small
fi
suite bad build/san/limber-refused
suite fuzz tools/check_fuzz.sh build/san "$fuzz_runs" $fuzz_least
# short ones last, so that no core waits for the other
suite schema tools/check_schema.py build
suite install tools/check_install.sh build
suite layers tools/check_layers.sh
suite format tools/check_format.sh
suite words tools/check_words.sh
suite docs tools/check_docs.sh build
if [ $all = yes ]; then
    suite build-clang make_build build/clang all -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release "-DLMB_VIEWER_PAGE=$PWD/build/viewer/page.c"
    suite build-tsan make_build build/tsan limber-threads -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DLMB_SANITIZE=thread "-DLMB_VIEWER_PAGE=$PWD/build/viewer/page.c"
    suite build-san-all make_build build/san all "${sanitized[@]}"
    built build-clang
    suite unit-clang build/clang/limber-unit
    suite cases-clang build/clang/limber-cases
    suite bad-clang build/clang/limber-refused
    built build-tsan
    suite threads-tsan build/tsan/limber-threads
    built build-san-all
    parts 4 unit-san-all build/san/limber-unit
    parts 4 cases-san-all build/san/limber-cases
    suite memory env LMB_ALL=1 build/san/limber-unit memory_ends # every allocation fails once
    suite hostile env LMB_ALL=1 build/san/limber-unit made_wrong # every object of a results file in every way
    suite faults-1000 tests/faults.sh build 1000 # and all writes
    parts 4 random-2000 build/limber-random --count 2000
    suite cli-san tools/check_cli.sh build/san
    suite examples-san tools/check_examples.sh build/san
    wait
    for check in mutate check_dist check_static check_deb check_image check_machines; do run_suite $check tools/$check.sh; done
fi
wait

# ---- sum -----------------------------------------------------------------------------------------

read -r passed failed < <(cat $logs/*.count | awk '{ p += $1; f += $2 } END { print p, f }')
grep -ah ' inputs$\|^memory ends: ' $logs/fuzz.log $logs/memory.log 2>/dev/null || true # what was tried
echo "$((SECONDS)) s in all"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
