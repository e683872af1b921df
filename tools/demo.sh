#!/usr/bin/env bash
# tools/demo.sh: two mechanisms from model file to numbers, curves, page and picture, in build/demo: an elastic slider-crank, and an
# engine whose connecting rod is a CAD part.  What cannot be made for want of a program is named with its reason.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/demo limber=build/limber
mkdir -p $out

# show NAME HASH: runs examples/NAME.yaml; prints its page and picture, or why there is none
show() {
    local name=$1 hash=$2 page picture=
    if ! page=$($limber view "$out/$name.h5" -o "$out/$name.html" --no-open 2>&1); then
        echo "no page (${page#*error: })"
        return
    fi
    tools/picture.sh "$out/$name.html" "$out/$name.png" 1200x720 "$hash" 2>"$out/picture.log" || picture=$?
    case $picture in
    '') echo "$out/$name.html, picture $out/$name.png" ;;
    1) echo "$out/$name.html (no picture: Chromium is not installed)" ;;
    *) echo "$out/$name.html (no picture: Chromium did not finish, see $out/picture.log)" ;;
    esac
}

$limber run -q examples/elastic_slider_crank.yaml -o $out/elastic_slider_crank.h5
$limber export $out/elastic_slider_crank.h5 -o $out/elastic_slider_crank.csv >/dev/null
curves="no curves: gnuplot is not installed"
if command -v gnuplot >/dev/null; then
    $limber plot $out/elastic_slider_crank.h5 slider.x mid.y -o $out/elastic_slider_crank.svg >/dev/null
    curves="curves $out/elastic_slider_crank.svg"
fi
echo "slider-crank  $(show elastic_slider_crank 't=0.85&theme=light&color=stress&exaggerate=5')"
echo "              numbers $out/elastic_slider_crank.csv, $curves"
if command -v gmsh >/dev/null; then
    $limber run -q examples/connecting_rod.yaml -o $out/connecting_rod.h5
    echo "CAD part      $(show connecting_rod 't=0.0213&theme=light&color=stress&exaggerate=100&hide=traces')"
else
    echo "CAD part      left out: gmsh, which meshes it, is not installed"
fi
echo "next          open a page in a browser; try $limber run examples/pendulum.yaml; read docs/guide/first-model.md"
