#!/usr/bin/env bash
# tools/check_counts.sh [--update] [BUILD]: instructions of limber's own functions in short runs of tests/counts/*.yaml, counted by
# callgrind: at most 1.05 times those of tests/counts/counts.txt, at least 0.8 (--update writes them; a commit that does says why), and in
# proportion to the number of bodies.  Libraries do not count: their functions depend on the processor.  Counts depend on the compiler, so
# with another one only the proportion is checked, without valgrind nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
update=no
if [ "${1:-}" = --update ]; then update=yes; shift; fi
build=$(cd "${1:-build}" && pwd)
recorded=tests/counts/counts.txt
most=1.05 least=0.8 steepest=1.025

if ! command -v valgrind >/dev/null; then
    echo "valgrind is not installed: no instructions are counted"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
export OPENBLAS_NUM_THREADS=1 LIMBER_CACHE=$temp/cache

# the compiler and the instructions that clones of functions are chosen by
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")
kind=$(if "$compiler" -dM -E - </dev/null | grep -q __clang__; then echo clang; else echo gcc; fi)
have="$kind $("$compiler" -dumpfullversion -dumpversion) $(uname -m) $(grep -qw avx2 /proc/cpuinfo && echo avx2 || echo plain)"

# own OUT: the sum over all lines of files that are in src/, whatever folder a compiler cache says they were in; the line after calls= is the cost of what was called
own() {
    awk -v list="$(echo src/*/*.[ch])" '
        BEGIN { count = split(list, files, " "); for (i = 1; i <= count; i++) known[files[i]] = 1 }
        /^c?f[lie]=/ { id = $1; sub(/^c?f[lie]=/, "", id)
                       if (NF > 1) name[id] = substr($0, index($0, ") ") + 2)
                       if (!/^c/) ours = match(name[id], /src\/[a-z]+\/[^\/]+$/) && substr(name[id], RSTART) in known
                       next }
        /^calls=/ { getline; next }
        /^[0-9+*-]/ { if (ours) sum += $2 }
        END { printf "%.0f\n", sum }' "$1"
}
# count MODEL OPTIONS...
count() {
    local model=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file="$temp/out" "$build/limber" run "tests/counts/$model.yaml" --quiet "$@" \
        -o "$temp/r.h5" >"$temp/log" 2>&1 || { cat "$temp/log" >&2; return 1; }
    own "$temp/out"
}
at_most() { awk -v x="$1" -v y="$2" 'BEGIN { exit !(x <= y) }'; }

passed=0 failed=0 skipped=0 lines=()
check() { # TEXT X MOST
    if at_most "$2" "$3"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; fi
}

# ---- against recorded counts ---------------------------------------------------------------------

if [ $update = no ] && ! grep -qx "# $have" $recorded; then
    echo "counts were recorded with $(sed -n '1s/^# //p' $recorded), this is $have: not compared"
    skipped=1
else
    for model in slider_crank chain plane rope tree; do
        n=$(count $model)
        lines+=("$model $n")
        if [ $update = yes ]; then continue; fi
        was=$(awk -v m=$model '$1 == m { print $2 }' $recorded)
        ratio=$(awk -v a="$n" -v b="$was" 'BEGIN { printf "%.4f", a / b }')
        echo "$model: $n instructions, $ratio times the recorded $was"
        check "$model takes $ratio times the recorded instructions, $most is allowed; tools/check_counts.sh --update if there is a reason" "$ratio" $most
        check "$model takes only $ratio times the recorded instructions: record them by tools/check_counts.sh --update, if they are all counted" $least "$ratio"
    done
fi
if [ $update = yes ]; then
    printf '# %s\n' "$have" >$recorded
    printf '%s\n' "${lines[@]}" >>$recorded
fi

# ---- in proportion -------------------------------------------------------------------------------

few=$(count star --set n=100) many=$(count star --set n=400)
ratio=$(awk -v a="$few" -v b="$many" 'BEGIN { printf "%.3f", b / (4 * a) }')
echo "star: $ratio times as many instructions a body with 800 bodies as with 200"
check "instructions a body grow by $ratio from 200 to 800 bodies; something looks at all of them for each" "$ratio" $steepest
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
