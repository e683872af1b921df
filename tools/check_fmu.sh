#!/usr/bin/env bash
# tools/check_fmu.sh [BUILD]: FMUs of both versions and kinds, against what `limber run` finds: with a master of our own (tests/fmi), in a
# root that contains only glibc, under valgrind; FMUs in models (`fmus`); modelDescription.xml against the schemas of FMI in $LIMBER_REFERENCE/fmi.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/try.sh
build=$(cd "${1:-build}" && pwd)
limber=$build/limber master=$build/limber-fmi
export LIMBER_CACHE=$scratch/cache OPENBLAS_NUM_THREADS=1

if [ ! -e "$build/limber_fmu.so" ]; then
    echo "limber_fmu.so was not built: some static libraries are missing"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

# ---- FMUs and results ----------------------------------------------------------------------------

# fmu NAME VERSION [OPTIONS]: exports $scratch/NAME.yaml and unpacks it into $scratch/NAMEVERSION
fmu() {
    local name=$1 version=$2 folder=$scratch/$1$2
    shift 2
    try "$name: FMI $version" "$limber" fmu -q "$scratch/$name.yaml" -o "$folder.fmu" --fmi "$version" "$@"
    try "$name: unpacked" python3 -m zipfile -e "$folder.fmu" "$folder"
    if [ -n "${LIMBER_REFERENCE:-}" ] && command -v xmllint >/dev/null; then
        try "$name: valid in FMI $version" xmllint --noout --schema \
            "$LIMBER_REFERENCE/fmi/fmi$version/fmi${version}ModelDescription.xsd" "$folder/modelDescription.xml"
    fi
}
# results NAME [SENSORS]: $scratch/NAME.csv
results() {
    local name=$1
    shift
    try "$name: run" "$limber" run -q "$scratch/$name.yaml" -o "$scratch/$name.h5"
    try "$name: export" "$limber" export "$scratch/$name.h5" "$@" -o "$scratch/$name.csv"
}
# ask NAME VERSION CHECK [TOLERANCE]
ask() { try "$1, FMI $2: $3" "$master" "$scratch/$1$2" "$3" "$scratch/$1.csv" "${4:-0}"; }

# output times that are exact in binary, so that the sums of steps are, too
sed 's/every: 0.005/every: 0.0078125/; s/until: 1.6/until: 1.5/' examples/elastic_slider_crank.yaml >"$scratch/crank.yaml"
sed 's/until: 1.6, every: 0.005, step: 4e-4, damping: 0.9/until: 0.03, every: 0.002, integrator: radau, tolerance: 1e-9/' \
    examples/elastic_slider_crank.yaml >"$scratch/start.yaml"
accurate='s/{type: dynamics\(.*\)}/{type: dynamics\1, integrator: radau, tolerance: 1e-9}/'
sed "$accurate; s/until: 3/until: 1/; s/every: 0.01/every: 0.0078125/" examples/robot_arm.yaml >"$scratch/robot.yaml"
sed "s/every: 0.01}/every: 0.01, formalism: elimination, integrator: alpha, tolerance: 1e-8}/; s/until: 3/until: 1/" \
    examples/robot_arm.yaml >"$scratch/tree.yaml"
sed "$accurate; s/until: 2.5/until: 1.5/" examples/cut_rope.yaml >"$scratch/rope.yaml" # events, stops
cp tests/fmi/joint.yaml "$scratch"

results crank
results start
results robot
results tree
results joint
results rope --sensor weight --sensor plate --sensor speed # the rope's force jumps at an output time

for version in 2 3; do
    fmu crank $version
    ask crank $version steps 1e-9 # OpenBLAS, which reduces the beams, sums in an order that follows where memory lies
    ask crank $version kept
    ask crank $version threads
    ask crank $version wrong
    fmu joint $version
    ask joint $version steps 3e-5 # steps end at communication points, unlike those of the run, whose tolerance is 1e-5
    ask joint $version exchange 3e-5
    ask joint $version kept
    ask joint $version exchange_kept
    ask joint $version inputs
    ask joint $version wrong
    fmu robot $version
    ask robot $version steps 0 # to the last bit
    ask robot $version exchange 1e-5
done
ask joint 3 early
for name in start tree rope; do fmu $name 3; done
ask tree 3 steps 1e-12 # 0.01 is not exact in binary, and a sum of them a little more or less than the output time
ask start 3 exchange 1e-5
ask tree 3 exchange 1e-5
ask rope 3 exchange 1e-5
states() { grep -c ' derivative=' "$scratch/$1/modelDescription.xml"; }
try "an open tree of eliminated joints has minimal coordinates" test "$(states tree3)" -lt "$(($(states robot3) / 2))"

# ---- parameters that change ------------------------------------------------------------------------

cp tests/fmi/tuned.yaml "$scratch/tuned.yaml"
# the same jump of the stiffness, by springs that an event switches on
sed 's/^sensors:/  more: {type: rotational_spring, between: [cart, rod.start], axis: [0, 0, 1], stiffness: 50, damping: 0.5, active: false}\n  most: {type: rotational_spring, between: [cart, bob], axis: [0, 0, 1], stiffness: 10, active: false}\nevents: {stiff: {at: 0.25, on: [more, most]}}\n&/' \
    "$scratch/tuned.yaml" >"$scratch/jump.yaml"
results jump
cp "$scratch/jump.csv" "$scratch/tuned.csv"
variability() { grep -q "name=\"$2\".* variability=\"$3\"" "$scratch/tuned$1/modelDescription.xml"; }
for version in 2 3; do
    fmu tuned $version
    ask tuned $version tune 1e-6 # steps end elsewhere; the tolerance is 1e-9
    ask tuned $version exchange_tune 1e-5
    ask tuned $version tune_kept
    for name in k lag g twice; do try "tuned, FMI $version: $name is tunable" variability $version $name tunable; done
    for name in reach swing elements; do try "tuned, FMI $version: $name is fixed" variability $version $name fixed; done
done

# ---- parts and tables go along ---------------------------------------------------------------------

mkdir "$scratch/files"
printf 'time, push\n0, 0\n0.01, 2\n0.02, -1\n0.03, 0\n' >"$scratch/files/push.csv"
# a bar of four bricks
awk 'BEGIN {
    print "*NODE"
    for (i = 0; i < 5; i++) for (k = 0; k < 4; k++) printf "%d, %g, %g, %g\n", 4*i + k + 1, i*0.05, (k == 1 || k == 2)*0.01, (k > 1)*0.01
    print "*ELEMENT, TYPE=C3D8I, ELSET=bar"
    for (i = 0; i < 4; i++) printf "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", i + 1, 4*i + 1, 4*i + 2, 4*i + 3, 4*i + 4, 4*i + 5, 4*i + 6, 4*i + 7, 4*i + 8
    print "*NSET, NSET=left\n1, 2, 3, 4\n*NSET, NSET=right\n17, 18, 19, 20"
}' >"$scratch/files/bar.inp"
"$limber" reduce -q examples/parts/rod.yaml -o "$scratch/files/rod.h5"
cat >"$scratch/parts.yaml" <<'EOF'
limber: 1
parameters: {E: 2e11}
inputs: {push: {file: files/push.csv}}
bodies:
  rod: {type: reduced, file: files/rod.h5}
  bar: {type: mesh, file: files/bar.inp, unit: m, at: [0, 1, 0], material: {E: E, nu: 0.3, density: 7800}, interfaces: {left: {set: left}, right: {set: right}}}
joints:
  pin: {type: revolute, between: [ground, bar.left], axis: [0, 0, 1]}
forces:
  push: {type: force, on: bar.right, value: [0, push, 0]}
sensors:
  tip: {type: position, of: bar.right}
analyses:
  - {type: dynamics, until: 0.03125, every: 0.0078125}
EOF
results parts
fmu parts 3 --kind cs
rm -rf "$scratch/files" "$scratch/cache"
ask parts 3 steps 1e-9
ask parts 3 outdated
try "only co-simulation" sh -c "! grep -q '<ModelExchange' '$scratch/parts3/modelDescription.xml'"

# ---- bad input -------------------------------------------------------------------------------------

# refused TEXT ARGUMENTS...
refused() {
    local text=$1
    shift
    ! "$limber" fmu "$@" 2>"$scratch/said" && grep -qF "$text" "$scratch/said"
}
grep -v 'type: dynamics' "$scratch/joint.yaml" | sed 's/^analyses:/analyses: [{type: statics}]/' >"$scratch/still.yaml"
try "version" refused "expected 2 or 3" "$scratch/joint.yaml" --fmi 1
try "kind" refused "expected cs" "$scratch/joint.yaml" --kind x
try "no dynamics" refused "no analysis of type dynamics" "$scratch/still.yaml" -o "$scratch/still.fmu"
try "parameter" refused "no parameter 'Z'" "$scratch/joint.yaml" --set Z=1 -o "$scratch/still.fmu"
try "ending" refused "ends in .fmu" "$scratch/joint.yaml" -o "$scratch/still.zip"
try "nothing is left" sh -c "! ls '$scratch' | grep -q still.fmu"
try "--set" "$limber" fmu -q "$scratch/joint.yaml" --set J=0.5 -o "$scratch/set.fmu"
try "--set: the default" sh -c "python3 -m zipfile -e '$scratch/set.fmu' '$scratch/set' && grep -q 'name=\"J\".*start=\"0.5\"' '$scratch/set/modelDescription.xml'"

# ---- import ----------------------------------------------------------------------------------------

# a controller with a lag as an FMU, and the same inside the model that it drives
cat >"$scratch/pd.yaml" <<'EOF'
limber: 1
parameters: {k: 40, d: 4}
inputs: {angle: 0, speed: 0}
bodies:
  housing: {mass: 1, inertia: 1}
joints:
  screw: {type: fixed, between: [ground, housing]}
signals:
  torque: {type: expression, value: k*(0.5*(1 - exp(-3*t)) - angle) - d*speed}
  drive: {type: lag, time: 0.05, input: torque}
outputs: [torque, drive]
analyses:
  - {type: dynamics, until: 2, every: 0.01, tolerance: 1e-8}
EOF
cat >"$scratch/plant.yaml" <<'EOF'
limber: 1
fmus:
  controller: {file: pd3.fmu, step: 8 ms, inputs: {angle: axle.angle, speed: axle.angle_rate}, outputs: drive, parameters: {k: 30}}
bodies:
  rotor: {mass: 1, inertia: [1, 1, 0.8]}
joints:
  axle: {type: revolute, between: [ground, rotor], axis: [0, 0, 1]}
forces:
  motor: {type: torque, on: rotor, axis: [0, 0, 1], value: controller.drive}
sensors:
  angle: {type: coordinate, of: axle}
analyses:
  - {type: dynamics, until: 1.6, every: 0.016, tolerance: 1e-9}
EOF
sed -e '/^fmus/,+1d; s/controller\.drive/drive/; s/^bodies:/parameters: {k: 30, d: 4}\nsignals:\n&/' "$scratch/plant.yaml" |
    awk -v pd="$scratch/pd.yaml" '{ print } /^signals:/ { while ((getline line <pd) > 0) if (line ~ /type: (expression|lag)/) {
        sub(/ angle/, " axle.angle", line); sub(/speed/, "axle.angle_rate", line); print line } }' >"$scratch/whole.yaml"
fmu pd 2 --kind cs
fmu pd 3 --kind cs
results whole --sensor angle
mkdir "$scratch/tmp"
# coupled VERSION STEP: the largest difference of angles from those of the whole
coupled() {
    sed "s/pd3/pd$1/; s/8 ms/$2/" "$scratch/plant.yaml" >"$scratch/coupled.yaml"
    TMPDIR=$scratch/tmp "$limber" run -q "$scratch/coupled.yaml" --allow-fmu -o "$scratch/coupled.h5" &&
        "$limber" export "$scratch/coupled.h5" --sensor angle -o "$scratch/coupled.csv" &&
        awk -F, 'FNR == 1 { next } NR == FNR { a[FNR] = $2; n = FNR; next }
            { e = $2 - a[FNR]; if (e < 0) e = -e; if (e > most) most = e; m = FNR } END { print (n == m && n > 90 ? most : "rows") }' \
            "$scratch/whole.csv" "$scratch/coupled.csv"
}
# halved A B C: errors that fall with the step
halved() { awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { exit !(a < 0.01 && a > 1.8*b && a < 2.2*b && b > 1.9*c && b < 2.1*c) }'; }
quartered() { awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { exit !(a < 0.001 && a > 3.4*b && a < 4.6*b && b > 3.4*c && b < 4.6*c) }'; }
for version in 2 3; do
    errors=("$(coupled $version '8 ms')" "$(coupled $version '4 ms')" "$(coupled $version '2 ms')")
    try "import, FMI $version: first order in the step (${errors[*]})" halved "${errors[@]}"
done

for version in 2 3; do # values that go on with their slopes
    errors=("$(coupled $version '8 ms, coupling: linear')" "$(coupled $version '4 ms, coupling: linear')" "$(coupled $version '2 ms, coupling: linear')")
    try "import, FMI $version: second order with slopes (${errors[*]})" quartered "${errors[@]}"
done

# a run that is killed goes on with the state of its FMU
sed 's/8 ms/0.1 ms, coupling: linear/; s/until: 1.6/until: 4/; s/tolerance: 1e-9/step: 1e-4/' "$scratch/plant.yaml" >"$scratch/long.yaml"
killed() {
    TMPDIR=$scratch/tmp "$limber" run -q "$scratch/long.yaml" --allow-fmu -o "$scratch/once.h5"
    TMPDIR=$scratch/tmp "$limber" run -q "$scratch/long.yaml" --allow-fmu -o "$scratch/killed.h5" &
    local run=$!
    for _ in $(seq 600); do # until its first checkpoint
        if [ -s "$scratch/killed.h5" ]; then break; fi
        sleep 0.02
    done
    sleep 0.3
    kill -9 $run 2>/dev/null || true
    wait $run 2>/dev/null || true
    rm -rf "$scratch/tmp"/*
    TMPDIR=$scratch/tmp "$limber" run -q "$scratch/long.yaml" --allow-fmu --resume -o "$scratch/killed.h5" &&
        cmp <("$limber" export "$scratch/once.h5") <("$limber" export "$scratch/killed.h5")
}
try "import: a killed run is resumed to the last bit" killed

# denied TEXT [ARGUMENTS...]: $scratch/wrong.yaml does not run, and leaves nothing
denied() {
    local text=$1
    shift
    ! TMPDIR=$scratch/tmp "$limber" run -q "$scratch/wrong.yaml" "$@" -o "$scratch/wrong.h5" 2>"$scratch/said" || return 1
    cat "$scratch/said"
    grep -qF -- "$text" "$scratch/said" && test -z "$(ls "$scratch/tmp")" && test ! -e "$scratch/wrong.h5"
}
# wrong EDIT TEXT: the same with an edited model
wrong() {
    sed "$1" "$scratch/plant.yaml" >"$scratch/wrong.yaml"
    try "import: $2" denied "$2" --allow-fmu
}
cp "$scratch/plant.yaml" "$scratch/wrong.yaml"
try "import: without permission" denied "wrong.yaml:3:22: error: FMU 'controller' ("
try "import: the remedy" denied "--allow-fmu"
wrong 's/outputs: drive/outputs: driv/; s/controller.drive/controller.driv/' "no variable 'driv'; did you mean 'drive'?"
wrong 's/speed: axle/spee: axle/' "no variable 'spee'; did you mean 'speed'?"
wrong 's/speed: axle/drive: axle/' "is not an input but has causality output"
wrong 's/{k: 30}/{K: 30}/' "no variable 'K'"
wrong 's/controller.drive/controller.torque/' "controller.torque"
wrong 's/pd3/missing/' "missing.fmu"
wrong 's/axis: \[0, 0, 1\]}/axis: [0, 0, 1], motion: controller.drive}/; /^forces/,+1d' "drives a prescribed motion"
wrong 's/type: dynamics/type: kinematics/; s/, tolerance: 1e-9//' "none of type kinematics"
head -c 3000 "$scratch/pd3.fmu" >"$scratch/broken.fmu"
wrong 's/pd3/broken/' "broken.fmu"
# repack FOLDER NAME
repack() {
    rm -f "$scratch/$2.fmu"
    (cd "$1" && python3 -m zipfile -c "$scratch/$2.fmu" ./*)
}
cp -r "$scratch/pd3" "$scratch/other"
mv "$scratch/other/binaries/$(uname -m)-linux" "$scratch/other/binaries/riscv64-linux"
repack "$scratch/other" elsewhere
wrong 's/pd3/elsewhere/' "it has riscv64-linux; export it for $(uname -m)-linux"
sed -i 's/<ModelVariables>/<!DOCTYPE x>&/' "$scratch/other/modelDescription.xml"
repack "$scratch/other" doctype
wrong 's/pd3/doctype/' "modelDescription.xml: a document type"
sed 's/<CoSimulation[^>]*>//' "$scratch/pd2/modelDescription.xml" >"$scratch/other/modelDescription.xml"
repack "$scratch/other" exchange
wrong 's/pd3/exchange/' "not made for co-simulation"
rm "$scratch/other/modelDescription.xml"
repack "$scratch/other" nothing
wrong 's/pd3/nothing/' "contains no modelDescription.xml"
mkdir -p "$scratch/text/binaries/$(uname -m)-linux"
cp "$scratch/pd3/modelDescription.xml" "$scratch/text"
echo "no library" >"$scratch/text/binaries/$(uname -m)-linux/limber_fmu.so"
repack "$scratch/text" text
wrong 's/pd3/text/' "cannot load"
# the controller stops: its message ends the run, whose results so far are kept
sed 's/^analyses:/events: {tired: {when: angle - 0.2, stop: true}}\n&/' "$scratch/pd.yaml" >"$scratch/tired.yaml"
"$limber" fmu -q "$scratch/tired.yaml" -o "$scratch/tired.fmu"
sed 's/pd3/tired/' "$scratch/plant.yaml" >"$scratch/ends.yaml"
ends() {
    ! TMPDIR=$scratch/tmp "$limber" run -q "$scratch/ends.yaml" --allow-fmu -o "$scratch/ends.h5" 2>"$scratch/said" || return 1
    cat "$scratch/said"
    grep -qF "FMU 'controller' ended the simulation at t = " "$scratch/said" && test -z "$(ls "$scratch/tmp")" && test -s "$scratch/ends.h5"
}
try "import: an FMU that ends" ends

# ---- without limber and its libraries --------------------------------------------------------------

root=$scratch/root
mkdir -p "$root/proc"
cp -r "$scratch/crank3" "$scratch/crank.csv" "$master" "$root/"
loader=$(readelf -l "$master" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
cp -L --parents "$loader" "$root/"
for name in libc.so.6 libm.so.6; do
    cp -L --parents "$(ldd "$build/limber_fmu.so" | awk -v name=$name '$1 == name { print $3 }')" "$root/"
done
spaces=(--mount)
if [ "$(id -u)" != 0 ]; then spaces+=(--map-root-user); fi
if unshare "${spaces[@]}" true 2>/dev/null; then
    # shellcheck disable=SC2016
    try "only glibc" env -i PATH="$PATH:/usr/sbin" unshare "${spaces[@]}" sh -c 'exec chroot "$0" "$@"' "$root" \
        /limber-fmi /crank3 steps /crank.csv 1e-9
fi
try "needs only libc and libm" sh -c "! readelf -d '$build/limber_fmu.so' | grep NEEDED | grep -vE 'lib[cm]\\.so|ld-linux'"
try "shows only FMI" sh -c "! nm -D --defined-only '$build/limber_fmu.so' | grep -v ' T fmi[23]'"

if command -v valgrind >/dev/null; then
    for check in kept exchange; do
        try "valgrind: $check" env OPENBLAS_CORETYPE=Haswell valgrind -q --error-exitcode=9 --leak-check=full \
            --errors-for-leak-kinds=definite "$master" "$scratch/joint3" $check "$scratch/joint.csv" 3e-5
    done
fi

finish
