#!/usr/bin/env bash
# tools/pictures.sh [BUILD] [NAME ...]: the pictures of the docs, docs/images/: runs the examples, makes their pages, has Chromium
# draw them; NAME: only these examples (`tutorials`: the pictures of the tutorials).  To be run when the viewer or an example changed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
shift || true
wanted=" $* "
work=build/pictures # a plain name: the page shows the command
mkdir -p $work
trap 'rm -rf $work' EXIT

# picture EXAMPLE FILE SIZE HASH
picture() {
    if [ "$wanted" != "  " ] && [[ $wanted != *" $1 "* ]]; then return; fi
    "$build/limber" run -q "examples/$1.yaml" -o "$work/$1.h5"
    "$build/limber" view "$work/$1.h5" -o "$work/$1.html" --no-open >/dev/null
    tools/picture.sh "$work/$1.html" "docs/images/$2" "$3" "$4"
    echo "docs/images/$2  $(wc -c <"docs/images/$2") bytes"
}
picture elastic_slider_crank viewer.webp 1200x720 't=0.85&theme=light&color=stress&exaggerate=5'
if [ "$wanted" = "  " ] || [[ $wanted = *" connecting_rod "* ]]; then # the moving picture of the README: two turns
    "$build/limber" run -q examples/connecting_rod.yaml -o $work/connecting_rod.h5
    "$build/limber" view $work/connecting_rod.h5 -o $work/connecting_rod.html --no-open >/dev/null
    PACKAGES=$build/viewer-test node tools/moving_picture.mjs $work/connecting_rod.html docs/images/moving.webp 640x400 0 0.04 40 \
        'theme=light&color=stress&exaggerate=100&hide=traces&ui=scene'
fi
picture rotor_whirl modes.webp 1200x720 'mode=2&t=0.35&theme=light'

# the pictures of the tutorials, from the models on their pages
block() { # PAGE NAME: a yaml block of a page of the guide
    awk -v fence='```yaml '"$2" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' "docs/guide/$1" >"$work/$2"
}
tutorial() { # PAGE MODEL: runs it and makes its page
    block "$1" "$2.yaml"
    "$build/limber" run -q "$work/$2.yaml" -o "$work/$2.h5"
    "$build/limber" view "$work/$2.h5" -o "$work/$2.html" --no-open >/dev/null
}
if [ "$wanted" = "  " ] || [[ $wanted = *" tutorials "* ]]; then
    tutorial first-model.md pendulum
    "$build/limber" plot "$work/pendulum.h5" angle tip -t Pendulum -o docs/images/first_pendulum.svg
    tutorial first-model.md fourbar
    tools/picture.sh "$work/fourbar.html" docs/images/first_fourbar.webp 900x560 't=0.5&theme=light'
    gmsh examples/parts/lug.geo -0 -o "$work/lug.step" -v 1 >/dev/null
    block flexible-tutorial.md lug.yaml
    tutorial flexible-tutorial.md shaker
    "$build/limber" plot "$work/shaker.h5" peak.mises shaft.tz -t "Shaken lug" -o docs/images/tutorial_stress.svg
    tools/picture.sh "$work/shaker.html" docs/images/tutorial_page.webp 900x560 't=0.178&theme=light&color=stress&exaggerate=20'
fi

# several runs and a study of the four-bar, as in viewer.md
if [ "$wanted" = "  " ] || [[ $wanted = *" studies "* ]]; then
    "$build/limber" run -q examples/four_bar.yaml --set 'speed=pi,2*pi,3*pi' -o $work/speeds.h5
    "$build/limber" view $work/speeds_speed=*.h5 -o $work/speeds.html --no-open >/dev/null
    tools/picture.sh $work/speeds.html docs/images/runs.webp 1200x720 'run=1&ghost=3&t=0.4&theme=light'
    "$build/limber" study examples/four_bar.yaml --vary speed=1:20:12log --vary crank=80mm,100mm,120mm \
        --measure 'load = max(abs(D.fx))' -o $work/loads.h5 --quiet
    "$build/limber" plot $work/loads.h5 -t 'four_bar.yaml, largest force in the rocker joint' -o docs/images/study_plot.svg
    "$build/limber" view $work/loads.h5 -o $work/loads.html --no-open >/dev/null
    tools/picture.sh $work/loads.html docs/images/study.webp 1200x720 'theme=light&member=20'
fi

# the notebook, executed (Debian: python3-nbconvert python3-ipykernel python3-matplotlib python3-pandas)
if [ "$wanted" = "  " ] || [[ $wanted = *" notebook "* ]]; then
    PYTHONPATH=$PWD/python LIMBER_LIBRARY=$build/liblimber.so /usr/bin/python3 -m nbconvert --execute --to html \
        --output-dir $work examples/notebook.ipynb >/dev/null 2>&1
    tools/picture.sh $work/notebook.html docs/images/notebook.webp 900x1500
fi

# how each example is shown: time, and what else the page may be told
while read -r example hash; do
    if [ -n "$example" ]; then picture "$example" "example_$example.webp" 480x320 "$hash&theme=light&ui=scene"; fi
done <<'END'
ancf_double_pendulum t=0.42
blade t=0.52&exaggerate=3
cantilever_large_load 
chain t=0.78
crane t=3.9
connecting_rod t=0.0213&color=stress&exaggerate=100&hide=traces
cut_rope t=0.62
double_pendulum t=1.3&hide=traces
elastic_slider_crank t=0.85&color=stress&exaggerate=5
flexible_pendulum t=0.35
four_bar t=0.62
four_legs t=1.2
gear_train t=1
governor t=4.5
gyroscope t=0.7
linkage t=0.0318&color=stress&exaggerate=30&hide=traces,joints
lug_crank t=0.013&color=stress
pendulum t=0.6
quarter_car t=0.55
robot_arm t=1.2
rotating_beam_spring analysis=1
rotor_whirl mode=3&t=0.1
screw_jack t=2
slider_crank t=0.016
slider_crank_2d t=0.03
slider_crank_3d t=0.03
slider_crank_substructured analysis=2&t=8
spin_up t=8
spinning_beam_spherical analysis=2&t=15.05
trolley t=2.6
urdf_arm t=0.7
units_mm t=0.4
END
