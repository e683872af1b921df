#!/usr/bin/env bash
# tools/demo.sh: typical use, in build/demo: runs a four-bar and writes its results and curves, and runs an elastic slider-crank and
# creates its viewer page.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/demo
mkdir -p $out
echo "running examples/four_bar.yaml"
build/limber run examples/four_bar.yaml -o $out/four_bar.h5
build/limber export $out/four_bar.h5 -o $out/four_bar.csv
picture="no picture: gnuplot is not installed (Debian: gnuplot-nox)"
if tools/demo_plot.sh $out/four_bar.csv $out/four_bar.png "crank-rocker four-bar with motor"; then picture=$out/four_bar.png; fi
echo "running examples/elastic_slider_crank.yaml"
build/limber run examples/elastic_slider_crank.yaml -o $out/elastic_slider_crank.h5
page="no page: npm is not installed (Debian: nodejs npm)" view=
if build/limber view $out/elastic_slider_crank.h5 -o $out/elastic_slider_crank.html --no-open >/dev/null 2>&1; then
    page="$out/elastic_slider_crank.html (open it in a browser)"
    view="no picture of the page: Chromium is not installed (Debian: chromium)"
    if
        tools/picture.sh $out/elastic_slider_crank.html $out/elastic_slider_crank.png 1200x720 't=0.85&theme=light&color=displacement&exaggerate=5'
    then view=$out/elastic_slider_crank.png; fi
fi

echo
echo "model    examples/four_bar.yaml"
echo "results  $out/four_bar.h5"
echo "numbers  $out/four_bar.csv"
echo "curves   $picture"
echo "page     $page"
if [ -n "$view" ]; then echo "picture  $view"; fi
