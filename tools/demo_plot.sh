#!/usr/bin/env bash
# tools/demo_plot.sh IN.csv OUT.png [TITLE]: plots a CSV file of `limber export` over time, one panel per unit,
# at most four panels of eight curves.  Exit code 1 if gnuplot is missing.
set -euo pipefail
csv=$1 png=$2 title=${3:-$1}

if ! command -v gnuplot >/dev/null; then exit 1; fi

# header "t [s],pin.angle [rad],...": one line per unit: unit, then column and name of each curve
panels=$(head -n 1 "$csv" | awk -F, '{
    for (i = 2; i <= NF; i++) {
        name = $i; unit = "-"; gsub(/["\047\\]/, "", name)
        if (match(name, / \[[^]]*\]$/)) { unit = substr(name, RSTART + 2, RLENGTH - 3); name = substr(name, 1, RSTART - 1) }
        if (!(unit in count)) units[++n] = unit
        if (++count[unit] <= 8) curves[unit] = curves[unit] "\t" i "\t" name
    }
    for (k = 1; k <= n && k <= 4; k++) print units[k] curves[units[k]]
}')
count=$(grep -c . <<<"$panels")

{
    echo "set terminal pngcairo noenhanced size 1000,$((80 + 240 * count)) font 'sans,11' linewidth 1.5"
    echo "set output '$png'"
    echo "set datafile separator ','"
    echo "set multiplot layout $count,1 title '$title'"
    echo "set lmargin 10; set rmargin 26" # the panels line up
    echo "set grid linecolor '#dddddd' linewidth 0.5; set border 3; set tics nomirror; set key outside right top"
    awk -F '\t' -v csv="$csv" -v count="$count" '{
        if (NR == count) print "set xlabel \"t [s]\""
        print "set ylabel \"[" $1 "]\""
        line = "plot"
        for (i = 2; i < NF; i += 2)
            line = line (i > 2 ? "," : "") sprintf(" \"%s\" every ::1 using 1:%d with lines title \"%s\"", csv, $i, $(i + 1))
        print line
    }' <<<"$panels"
} | gnuplot
