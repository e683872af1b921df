#!/usr/bin/env bash
# Benchmarks: seconds and ratios from limber-bench, instruction counts by callgrind (repeatable on one machine).
set -euo pipefail
cd "$(dirname "$0")/.."
build/limber-bench
if ! command -v valgrind >/dev/null; then
    echo "valgrind is not installed: skipping instruction counts"
    exit 0
fi
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
printf '\n%-28s %18s\n' "instructions of limber run" "counted by callgrind"
for model in validation/simple_pendulum validation/bricard examples/four_bar; do
    valgrind --tool=callgrind --callgrind-out-file="$temp/out" build/limber run "$model.yaml" --quiet -o "$temp/r.h5" 2>"$temp/log" || {
        cat "$temp/log"
        exit 1
    }
    printf '%-28s %18s\n' "$(basename "$model")" "$(awk '/refs:/ { gsub(",", "", $NF); print $NF }' "$temp/log")"
done

# what newcomers write; against another build: tools/bench_newcomer.py build/limber OTHER/build/limber
echo
if command -v python3 >/dev/null; then tools/bench_newcomer.py --tolerances 1e-5 build/limber; fi
