#!/usr/bin/env bash
# tools/pictures.sh [BUILD]: the pictures of the docs, docs/images/: runs the examples, makes their pages, has Chromium draw
# them.  To be run when the viewer or an example changed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
work=build/pictures # a plain name: the page shows the command
mkdir -p $work
trap 'rm -rf $work' EXIT

# picture EXAMPLE NAME SIZE HASH
picture() {
    "$build/limber" run -q "examples/$1.yaml" -o "$work/$1.h5"
    "$build/limber" view "$work/$1.h5" -o "$work/$1.html" --no-open >/dev/null
    tools/picture.sh "$work/$1.html" "docs/images/$2" "$3" "$4"
    echo "docs/images/$2  $(wc -c <"docs/images/$2") bytes"
}
picture elastic_slider_crank viewer.webp 1200x720 't=0.85&theme=light&color=displacement&exaggerate=5'

while read -r example time theme; do
    picture "$example" "example_$example.png" 480x320 "t=$time&theme=$theme&ui=scene"
done <<'END'
four_bar 0.62 light
four_legs 1.2 light
governor 4.5 light
quarter_car 0.55 light
robot_arm 1.2 light
slider_crank 0.016 light
END
