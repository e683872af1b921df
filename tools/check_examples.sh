#!/usr/bin/env bash
# tools/check_examples.sh [BUILD]: `limber check` and `limber run` on every examples/*.yaml, `limber modes` and `limber reduce` on the parts of
# examples/parts, and every example program,
# in a scratch folder; and that docs/guide/examples.md shows each model with a picture of at most 60 kB.  Files that are only parts of other models belong in a subfolder of examples/.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
root=$PWD

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r examples "$scratch/"
export LIMBER_CACHE=$scratch/cache
cd "$scratch"

passed=0 failed=0
# try WHAT COMMAND...: within two minutes, exit code 0
try() {
    local what=$1 status=0
    shift
    timeout 120 "$@" >log 2>&1 || status=$?
    if [ $status = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$what: exit code $status$([ $status = 124 ] && echo ' (took more than 120 s)')"
        sed 's/^/    /' log | tail -n 40
    fi
    [ $status = 0 ]
}

shopt -s nullglob
for model in examples/*.yaml; do
    if grep -q '\.geo' "$model" && ! command -v gmsh >/dev/null; then continue; fi
    name=$(basename "$model" .yaml)
    picture=docs/images/example_$name.webp
    try "$model in docs/guide/examples.md" grep -q "images/example_$name.webp.*examples/$name.yaml" "$root/docs/guide/examples.md" || true
    try "$picture (tools/pictures.sh makes it)" test "$(stat -c %s "$root/$picture" 2>/dev/null || echo 99999)" -le 61440 || true
    try "limber check $model" "$build/limber" check "$model" || continue
    try "limber run $model" "$build/limber" run "$model" -o "$name.h5" || continue
    if grep -q "examples/$name.yaml" "$root/tools/demo.sh"; then # what newcomers see first alarms nobody
        cp log said
        try "limber run $model without a warning" awk '/warning|may be off/ { print; found = 1 } END { exit found }' said || true
    fi
    try "limber info $name.h5" "$build/limber" info "$name.h5" || true
done
for part in examples/parts/*.yaml; do
    if ! grep -q '^part:' "$part"; then continue; fi
    if grep -q '\.geo' "$part" && ! command -v gmsh >/dev/null; then continue; fi
    name=part_$(basename "$part" .yaml)
    try "limber modes $part" "$build/limber" modes "$part" || continue
    try "limber reduce $part" "$build/limber" reduce --quiet --no-cache "$part" -o "$name.h5" || continue
    try "limber info $name.h5" "$build/limber" info "$name.h5" || true
done
for source in examples/*.c; do
    name=$(basename "$source" .c)
    try "example-$name" "$build/example-$name" || true
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
