#!/usr/bin/env bash
# tools/demo_plot.sh IN.csv OUT.png|OUT.svg [TITLE]: plots a CSV file of `limber export` over time, one panel per
# unit, at most four panels of eight curves; curves that are zero throughout are omitted.  Exit code 1 if gnuplot is missing.
set -euo pipefail
csv=$1 picture=$2 title=${3:-$1}

if ! command -v gnuplot >/dev/null; then exit 1; fi

# header "t [s],pin.angle [rad],...": one line per unit: unit, then column and name of each curve
panels=$(awk -F, 'NR == 1 { n0 = NF; for (i = 2; i <= NF; i++) head[i] = $i; next }
{ for (i = 2; i <= NF; i++) if ($i != 0) moves[i] = 1 }
END {
    for (i = 2; i <= n0; i++) {
        if (!(i in moves)) continue
        name = head[i]; unit = "-"; gsub(/["\047\\]/, "", name)
        if (match(name, / \[[^]]*\]$/)) { unit = substr(name, RSTART + 2, RLENGTH - 3); name = substr(name, 1, RSTART - 1) }
        if (!(unit in count)) units[++n] = unit
        if (++count[unit] <= 8) curves[unit] = curves[unit] "\t" i "\t" name
    }
    for (k = 1; k <= n && k <= 4; k++) print units[k] curves[units[k]]
}' "$csv")
count=$(grep -c . <<<"$panels")

{
    case $picture in
    *.svg) echo "set terminal svg noenhanced size 1000,$((80 + 240 * count)) font 'sans,13' linewidth 1.2 background 'white'" ;;
    *) echo "set terminal pngcairo noenhanced size 1000,$((80 + 240 * count)) font 'sans,11' linewidth 1.5" ;;
    esac
    echo "set output '$picture'"
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
