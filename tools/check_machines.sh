#!/usr/bin/env bash
# tools/check_machines.sh [ROUND...]: limber on machines unlike this one, each a fresh Debian root (tools/fresh_machine.sh).  Prints a
# line a round, and the end of its log if it failed; logs stay in build/machines.
set -euo pipefail
cd "$(dirname "$0")/.."
logs=build/machines
mkdir -p $logs
passed=0 failed=0 skipped=0 chosen=" $* "
packages=$(awk '$1 ~ /^(build|view|demo)$/ { sub(/=.*/, "", $2); print $2 }' tools/packages.txt | tr '\n' ' ')

# round NAME WANTED OPTIONS...: exit code 0 is expected, or else WANTED must be in the log
round() {
    local name=$1 wanted=$2 status=0 start=$SECONDS good
    shift 2
    if [ "$chosen" != "  " ] && [[ $chosen != *" $name "* ]]; then return; fi
    tools/fresh_machine.sh --log "$logs/$name.log" "$@" >"$logs/$name.out" 2>&1 || status=$?
    if [ $status = 77 ]; then
        skipped=$((skipped + 1)) good=skipped
    elif { [ -n "$wanted" ] && [ $status != 0 ] && grep -qF "$wanted" "$logs/$name.log"; } || { [ -z "$wanted" ] && [ $status = 0 ]; }; then
        passed=$((passed + 1)) good=passed
    else
        failed=$((failed + 1)) good=FAILED
    fi
    printf '%-16s %-8s %5d s\n' "$name" $good $((SECONDS - start))
    if [ $good = FAILED ]; then tail -n 40 "$logs/$name.out"; fi
}

round debian13 '' --suite trixie --keep debian13 --run 'make demo && make test'
round no-sudo 'which only root can install' --user demo
round user '' --user --keep user --with "$packages" demo
round offline '' --offline --keep user --with "$packages" --run 'make demo && grep -q "could not load its packages" build/viewer/page.c'
round no-home '' --no-home --no-shm --keep user --with "$packages" demo
round path '' --place '/srv/über alle Maßen/limber' --keep user --with "$packages" demo
for cpu in SkylakeX Haswell Nehalem; do
    case $cpu in SkylakeX) grep -q avx512f /proc/cpuinfo || continue ;; esac # would stop at an unknown instruction
    round "cpu-$cpu" '' --keep user --with "$packages" --env OPENBLAS_CORETYPE=$cpu --env OPENBLAS_NUM_THREADS=1 \
        --run 'make && build/limber-unit && build/limber-cases'
done
# compilers SUITE NAMES: all of limber without a warning; unit tests by the last of them
compilers() {
    round "compilers-$1" '' --suite "$1" --keep compilers --with "$packages $2" --run "for c in $2; do
        echo \$c && cmake -S . -B build/\$c -G Ninja --log-level=WARNING -DCMAKE_C_COMPILER=\$c -DLMB_WERROR=ON && cmake --build build/\$c -- --quiet || exit 1; done; build/\$c/limber-unit"
}
compilers bookworm 'clang-15 clang-16 clang-19'
compilers trixie 'gcc-12 gcc-13 clang-17 clang-18'

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
