#!/usr/bin/env bash
# tools/test.sh [--all]: builds and runs all tests and closes with the sum `N passed, N failed`.
#
#   build        Release: unit tests, cases, examples, README, install, the viewer page in Chromium
#   build/asan   address and undefined-behaviour sanitizers: unit tests, small cases, bad files
#   build/fuzz   clang, libFuzzer: a fixed number of runs from a fixed seed
#   build/clang  (--all) the second compiler; also all cases and examples under sanitizers, and longer fuzzing
#
# Suites run two at a time (JOBS); each prints one line when it ends, and its output if it failed.
# A case is small, and runs under the sanitizers each time, if `small` is in the name of its file or test.
set -euo pipefail
cd "$(dirname "$0")/.."

all=no
if [ "${1:-}" = --all ]; then all=yes; fi
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
fuzz_runs=20000
if [ $all = yes ]; then fuzz_runs=2000000; fi

export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:exitcode=99
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export OPENBLAS_NUM_THREADS=1

trap 'kill $(jobs -rp) 2>/dev/null; exit 130' INT TERM

logs=build/test
rm -rf $logs
mkdir -p $logs

# ---- suites --------------------------------------------------------------------------------------

# run_suite NAME COMMAND...: counts go to $logs/NAME.count
run_suite() {
    local name=$1 start=$EPOCHREALTIME status=0 line passed failed skipped seconds
    shift
    "$@" >"$logs/$name.log" 2>&1 </dev/null || status=$?
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$logs/$name.log" | tail -n 1 || true)
    if [ -z "$line" ]; then # a command that does not count is one test
        line="$((status == 0)) passed, $((status != 0)) failed"
    fi
    read -r passed failed skipped < <(awk '{ print $1, $3, $5 + 0 }' <<<"$line")
    if [ $status != 0 ] && [ "$failed" = 0 ]; then failed=1; fi # crashed, leaked, or ran nothing
    echo "$passed $failed" >"$logs/$name.count"
    # one write, so that suites that end together do not mix their output
    {
        printf '%-16s %6d passed %4d failed %4d skipped %8s s\n' "$name" "$passed" "$failed" "$skipped" "$seconds"
        if [ "$failed" != 0 ]; then
            echo "---- $name: exit code $status, end of $logs/$name.log:"
            tail -n 80 "$logs/$name.log"
            echo "----"
        fi
    } >"$logs/$name.line"
    cat "$logs/$name.line"
}

# suite NAME COMMAND...: in the background, as soon as there is a free core
suite() {
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    run_suite "$@" &
}

# make_build FOLDER OPTIONS...: configures and builds; a failure is final
make_build() {
    local folder=$1 start=$SECONDS
    shift
    if ! { { [ -f "$folder/build.ninja" ] || cmake -S . -B "$folder" -G Ninja --log-level=WARNING -DLMB_WERROR=ON "$@"; } &&
        cmake --build "$folder" -j "$jobs" -- --quiet; } >$logs/build.log 2>&1; then
        tail -n 60 $logs/build.log
        echo "$folder does not build"
        echo "0 passed, 1 failed"
        exit 1
    fi
    printf '%-16s built in %d s\n' "$folder" $((SECONDS - start))
}

have() { compgen -G "$1" >/dev/null; }

# ---- build and run -------------------------------------------------------------------------------

make_build build -DCMAKE_BUILD_TYPE=Release
page=-DLMB_VIEWER_PAGE=$PWD/build/viewer/page.c # one page for all builds
make_build build/asan -DCMAKE_BUILD_TYPE=Debug "-DLMB_SANITIZE=address;undefined" "$page"
if have 'tests/fuzz/fuzz_*.c'; then
    make_build build/fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DLMB_FUZZ=ON "-DLMB_SANITIZE=address;undefined" "$page"
fi
if [ $all = yes ]; then make_build build/clang -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release "$page"; fi

# long ones first
if have 'viewer/src/*.ts'; then suite viewer tools/check_viewer.sh build; fi
if have 'tests/cases/*.c'; then
    suite cases build/limber-cases
    if [ $all = yes ]; then
        suite cases-asan build/asan/limber-cases
    elif grep -qE '^TEST\(.*small' tests/cases/*.c || have 'tests/cases/*small*.c'; then
        suite cases-asan build/asan/limber-cases small
    fi
fi
suite unit-asan build/asan/limber-unit
suite unit build/limber-unit
if have 'tests/fuzz/fuzz_*.c'; then suite fuzz tools/check_fuzz.sh build/fuzz "$fuzz_runs"; fi
if have 'src/cli/*.c'; then
    suite bad tools/check_bad.sh build/asan
    suite schema tools/check_schema.py build
    suite cli tools/check_cli.sh build
    suite examples tools/check_examples.sh build
    suite readme tools/check_readme.sh build
fi
suite install tools/check_install.sh build
suite layers tools/check_layers.sh
suite format tools/check_format.sh
suite words tools/check_words.sh
if [ $all = yes ]; then
    suite unit-clang build/clang/limber-unit
    if have 'tests/cases/*.c'; then suite cases-clang build/clang/limber-cases; fi
    if have 'src/cli/*.c'; then
        suite bad-clang tools/check_bad.sh build/clang
        suite cli-asan tools/check_cli.sh build/asan
        suite examples-asan tools/check_examples.sh build/asan
    fi
fi
wait

# ---- sum -----------------------------------------------------------------------------------------

read -r passed failed < <(cat $logs/*.count | awk '{ p += $1; f += $2 } END { print p, f }')
echo "$((SECONDS)) s in all"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
