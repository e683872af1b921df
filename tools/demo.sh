#!/usr/bin/env bash
# tools/demo.sh: the main job: a four-bar from a model file to numbers and a picture, in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/demo
mkdir -p $out
echo "running examples/four_bar.yaml"
build/limber run examples/four_bar.yaml -o $out/four_bar.h5
build/limber export $out/four_bar.h5 -o $out/four_bar.csv
picture="no picture: gnuplot is not installed (Debian: gnuplot-nox)"
if tools/demo_plot.sh $out/four_bar.csv $out/four_bar.png "crank-rocker four-bar with motor"; then picture=$out/four_bar.png; fi

echo
echo "model    examples/four_bar.yaml"
echo "results  $out/four_bar.h5"
echo "numbers  $out/four_bar.csv"
echo "picture  $picture"
