#!/usr/bin/env bash
# Benchmarks: rows against other programs with their history by commit, seconds and ratios from limber-bench, instruction counts by
# callgrind (repeatable on one machine).
#
# build/bench_history.txt: commit, date, name, value (ms; ratios end in _by_PEER); `tools/bench.sh race` makes and compares these alone.
set -euo pipefail
cd "$(dirname "$0")/.."
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# ---- rows by commit ------------------------------------------------------------------------------

history=build/bench_history.txt
commit=$(git describe --always --dirty --exclude='*' 2>/dev/null || echo unknown)
build/limber-bench race "$temp/lines"
touch $history
# the last entry of another commit
before=$(awk -v c="$commit" '$1 != c { last = $1 } END { print last }' $history)
if [ -n "$before" ]; then
    printf '%-36s %12s %12s %8s\n' "against $before" before now ratio
    awk -v c="$before" 'FNR == NR { if ($1 == c) was[$3] = $4; next }
        $1 in was { printf "%-36s %12.4g %12.4g %8.2f\n", $1, was[$1], $2, $2 / was[$1] }' $history "$temp/lines"
    echo
fi
awk -v c="$commit" -v d="$(date -u +%Y-%m-%dT%H:%M)" '{ print c, d, $1, $2 }' "$temp/lines" >>$history
if [ "${1:-}" = race ]; then exit 0; fi

# ---- the rest ------------------------------------------------------------------------------------

for what in chain ancf superelement models flexible rotor fe; do build/limber-bench $what; done
if ! command -v valgrind >/dev/null; then
    echo "valgrind is not installed: skipping instruction counts"
    exit 0
fi
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
