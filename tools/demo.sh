#!/usr/bin/env bash
# tools/demo.sh: the main job: a four-bar from a model file to numbers, curves and a page that shows it, in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/demo
mkdir -p $out
echo "running examples/four_bar.yaml"
build/limber run examples/four_bar.yaml -o $out/four_bar.h5
build/limber export $out/four_bar.h5 -o $out/four_bar.csv
picture="no picture: gnuplot is not installed (Debian: gnuplot-nox)"
if tools/demo_plot.sh $out/four_bar.csv $out/four_bar.png "crank-rocker four-bar with motor"; then picture=$out/four_bar.png; fi
page="no page: npm is not installed (Debian: nodejs npm)" view=
if build/limber view $out/four_bar.h5 -o $out/four_bar.html --no-open >/dev/null 2>&1; then
    page="$out/four_bar.html (open it in a browser)"
    view="no picture of the page: Chromium is not installed (Debian: chromium)"
    if tools/picture.sh $out/four_bar.html $out/four_bar_page.png 1200x720 't=0.62&theme=light'; then view=$out/four_bar_page.png; fi
fi

echo
echo "model    examples/four_bar.yaml"
echo "results  $out/four_bar.h5"
echo "numbers  $out/four_bar.csv"
echo "curves   $picture"
echo "page     $page"
if [ -n "$view" ]; then echo "picture  $view"; fi
