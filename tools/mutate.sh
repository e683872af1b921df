#!/usr/bin/env bash
# tools/mutate.sh [NAME...]: do the tests detect errors?  Each tests/mutants/NAME.patch introduces one into a copy of the
# tree (build/mutants) and names the tests that must fail because of it:
#
#   broken: what is wrong
#   suite: unit TEXT... | cases TEXT... | cli | bad TEXT... | viewer TEXT
#
# TEXT selects tests by name, as in the suites themselves.  Without the error these tests must pass.  A mutant fails if its
# patch does not apply, if the program does not build, or if the tests still pass.  With NAME only the mutants whose names
# contain it run.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
copy=$root/build/mutants
build=$copy/build
log=$copy.log
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
export OPENBLAS_NUM_THREADS=1 CCACHE_BASEDIR=${CCACHE_BASEDIR:-$copy} CCACHE_NOHASHDIR=1
export GIT_CEILING_DIRECTORIES=$root/build # git apply takes the copy for a plain folder
unset LIMBER_TEST

mutants=()
for patch in tests/mutants/*.patch; do
    name=$(basename "$patch" .patch)
    if [ $# = 0 ]; then mutants+=("$name"); fi
    for wanted in "$@"; do
        if [[ $name == *$wanted* ]]; then mutants+=("$name") && break; fi
    done
done
if [ ${#mutants[@]} = 0 ]; then echo "no mutant has such a name; tests/mutants lists them" && exit 2; fi

header() { sed -n "s/^$2: *//p;/^diff /q" "tests/mutants/$1.patch" | head -n 1; }

# ---- the copy ------------------------------------------------------------------------------------

# tracked and new files, only those that differ: what was built before stays
sync_copy() {
    local file
    mkdir -p "$copy"
    git ls-files -z --cached --others --exclude-standard | sort -zu >"$copy.list"
    while IFS= read -r -d '' file; do
        if [ -f "$file" ] && ! cmp -s "$file" "$copy/$file"; then
            mkdir -p "$copy/$(dirname "$file")"
            cp "$file" "$copy/$file"
        fi
    done <"$copy.list"
    (cd "$copy" && find . -path ./build -prune -o -type f -printf '%P\0') | sort -zu |
        comm -z -13 "$copy.list" - | (cd "$copy" && xargs -0r rm -f)
}

# packages of the viewer that are already here
share_packages() {
    local folder
    for folder in viewer viewer-test; do
        if [ -f "build/$folder/installed.json" ] && [ ! -d "$build/$folder/node_modules" ]; then
            mkdir -p "$build/$folder"
            cp -al "build/$folder/node_modules" "build/$folder/"*.json "$build/$folder/"
        fi
    done
}

configure() {
    local launcher=()
    if command -v ccache >/dev/null; then launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache); fi
    [ -f "$build/build.ninja" ] ||
        cmake -S "$copy" -B "$build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release "${launcher[@]}"
}

# make_targets SUITE...
make_targets() {
    local suite targets=()
    for suite in "$@"; do
        case $suite in
        unit | cases) targets+=("limber-$suite") ;;
        bad) targets+=(limber-refused) ;;
        viewer) targets+=(limber limber-synthetic) ;;
        *) targets+=(limber) ;;
        esac
    done
    cmake --build "$build" -j "$jobs" --target "${targets[@]}" -- --quiet
}

# ---- suites --------------------------------------------------------------------------------------

# run_suite SUITE TEXT...: its exit code
run_suite() {
    local suite=$1
    shift
    case $suite in
    unit | cases) timeout 300 "$build/limber-$suite" "$@" ;;
    viewer) timeout 300 "$copy/tools/check_viewer.sh" "$build" "$*" ;;
    cli) timeout 300 "$copy/tools/check_cli.sh" "$build" ;;
    bad) timeout 300 "$build/limber-refused" "$@" ;;
    *) echo "no such suite: $suite" && return 0 ;;
    esac
}

# the tests that failed, from the output of a suite; empty if all passed or none ran
failures() {
    local status=$1 failed
    failed=$(sed -nE 's/^[0-9]+ passed, ([0-9]+) failed.*/\1/p' "$log" | tail -n 1)
    if [ "$status" = 124 ]; then echo "timeout"; fi
    if [ "$status" -ge 128 ]; then echo "crash"; fi
    if [ "$status" != 0 ] && [ "${failed:-0}" != 0 ]; then
        sed -nE 's/^FAILED .*: //p' "$log" | grep . || echo "$failed checks"
    fi
}

# the tests of all mutants pass without them
baseline() {
    local lines line words
    mapfile -t lines < <(for name in "${mutants[@]}"; do header "$name" suite; done | sort -u)
    mapfile -t words < <(printf '%s\n' "${lines[@]}" | cut -d' ' -f1 | sort -u)
    make_targets "${words[@]}" >"$log" 2>&1 || { tail -n 30 "$log" && return 1; }
    for line in "${lines[@]}"; do
        read -r -a words <<<"$line"
        run_suite "${words[@]}" >"$log" 2>&1 </dev/null ||
            { tail -n 30 "$log" && echo "'$line' fails without a mutant" && return 1; }
    done
}

# ---- mutants -------------------------------------------------------------------------------------

passed=0 failed=0
report() { # NAME SECONDS WHAT
    printf '%-32s | %-60s | %6s\n' "$1" "$3" "$2"
}

plant() {
    local name=$1 words status=0 noticed start=$SECONDS trouble=
    read -r -a words <<<"$(header "$name" suite)"
    if ! (cd "$copy" && git apply -C0 "$root/tests/mutants/$name.patch") >"$log" 2>&1; then
        trouble="FAILED: the patch does not apply"
    else
        if ! make_targets "${words[0]}" >"$log" 2>&1; then
            trouble="FAILED: does not build"
        else
            run_suite "${words[@]}" >"$log" 2>&1 </dev/null || status=$?
            noticed=$(failures $status | paste -sd, | sed 's/,/, /g')
            if [ -z "$noticed" ]; then trouble="FAILED: not detected by ${words[*]}"; fi
        fi
        (cd "$copy" && git apply -R -C0 "$root/tests/mutants/$name.patch")
    fi
    if [ -z "$trouble" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    report "$name" $((SECONDS - start)) "${trouble:-${words[0]}: $noticed}"
}

sync_copy
share_packages
configure >"$log" 2>&1 || { tail -n 30 "$log" && echo "0 passed, 1 failed" && exit 1; }
baseline || { echo "0 passed, 1 failed" && exit 1; }
echo "built, and the tests pass without mutants, after $SECONDS s"
report mutant seconds "detected by"
for name in "${mutants[@]}"; do plant "$name"; done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
