#!/usr/bin/env bash
# tools/check_cli.sh [BUILD]: every command of the program: exit codes, messages, files it leaves, studies, Ctrl-C, resume.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
limber=$build/limber
commit=$([ ! -e .git ] || git rev-parse --short HEAD) # "": not a checkout

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset LIMBER_REFERENCE LIMBER_VALIDATION
passed=0 failed=0

# ---- small tools ---------------------------------------------------------------------------------

complain() { # WHAT
    failed=$((failed + 1))
    echo "$1"
    sed 's/^/    out| /' out | head -n 15
    sed 's/^/    err| /' err | head -n 15
}
# expect CODE COMMAND...: its exit code; output in files out and err
expect() {
    local want=$1 status=0
    shift
    timeout 120 "$@" >out 2>err </dev/null || status=$?
    if [ $status = "$want" ] && ! grep -qE 'Sanitizer|runtime error:|Assertion' err; then
        passed=$((passed + 1))
    else
        complain "$*: exit code $status, expected $want"
    fi
}
# says FILE TEXT: FILE (out, err or another) contains the text
says() { if grep -qF -- "$2" "$1"; then passed=$((passed + 1)); else complain "no '$2' in $1"; fi; }
# files NAMES...: exactly these files are in the folder, beside models and logs
files() {
    local have want
    have=$(find . -type f ! -name '*.yaml' ! -name out ! -name err ! -name '*.csv' | sed 's|^\./||' | sort | tr '\n' ' ')
    want=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
    if [ $# = 0 ]; then want=; fi
    if [ "$have" = "$want" ]; then passed=$((passed + 1)); else complain "files: $have, expected: $want"; fi
    find . -name '*.h5' -delete
}
same() { if cmp -s "$1" "$2"; then passed=$((passed + 1)); else complain "$1 and $2 differ"; fi; }

# ---- models --------------------------------------------------------------------------------------

cat >arm.yaml <<'END'
limber: 1
parameters: {L: 0.4, m: 2}
gravity: [0, -9.81, 0]
bodies:
  arm: {mass: m, inertia: [0.01, 0.2, 0.2], at: [L/2, 0, 0], markers: {root: [-L/2, 0, 0], tip: [L/2, 0, 0]}}
joints:
  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}
sensors:
  tip: {type: position, of: arm.tip}
analyses:
  - {type: dynamics, until: 0.5}
END
# many small steps: some seconds
sed 's/until: 0.5/until: 30, step: 1e-5, every: 0.03/' arm.yaml >long.yaml
sed 's/mass: m/mas: m/' arm.yaml >bad.yaml
# cannot go on after 0.2 s
sed 's/^sensors:/forces: {wind: {type: force, on: arm.tip, value: ["sqrt(0.2 - t)", 0, 0]}}\nsensors:/' arm.yaml >fails.yaml
cat >fall.yaml <<'END'
limber: 1
gravity: [0, -10, 0]
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
sensors: {a: {type: position, of: a}}
analyses: [{type: dynamics, until: 1, every: 0.1}]
validation:
  - {quantity: height, sensor: a.y, reference: -5, tolerance: 1e-9, source: Galilei}
  - {quantity: history, sensor: a.y, file: fall.txt, tolerance: 1e-9}
END

# ---- help and versions ---------------------------------------------------------------------------

expect 0 "$limber" --help
for command in check run view plot export stress life loads info schema reference validate reduce modes; do
    says out "$command"
done
for command in check run view plot export stress life loads info schema reference validate reduce modes; do
    expect 0 "$limber" $command --help
    says out "usage: limber $command"
    expect 2 "$limber" $command --nonsense
    says err "error: limber $command has no option '--nonsense'"
done
expect 0 "$limber" --version
says out HDF5
says out CHOLMOD
says out GPL
if [ -n "$commit" ]; then says out "commit $commit"; fi
expect 2 "$limber"
expect 2 "$limber" chekc
says err "did you mean 'check'?"
expect 2 "$limber" run arm.yaml --quite
says err "did you mean '--quiet'?"
expect 2 "$limber" run
expect 2 "$limber" run arm.yaml bad.yaml
expect 2 "$limber" run arm.yaml -o
files

# ---- check, run, export, info --------------------------------------------------------------------

expect 0 "$limber" check arm.yaml
says out "1 degree of freedom: 1 coordinates, 0 constraints"
says out "dynamics until 0.5 s"
expect 2 "$limber" check bad.yaml
says err "bad.yaml:5:"
says err "did you mean 'mass'?"
expect 2 "$limber" check nothing.yaml
expect 0 "$limber" check arm.yaml --set L=0.5
expect 2 "$limber" check arm.yaml --set L=0.5,0.6
expect 2 "$limber" run bad.yaml
files
{ cat arm.yaml; echo "fmus: {c: {file: none.fmu, step: 1, outputs: u}}"; } >foreign.yaml
expect 2 "$limber" run foreign.yaml --allow-fmu # fails before the first row
same out /dev/null
files
expect 0 "$limber" run arm.yaml
says out "01_dynamics done"
says out "energy drift"
says out "wrote arm.h5"
expect 0 "$limber" info arm.h5
says out "energy drift"
says out "201 rows, t = 0 to 0.5 s"
expect 0 "$limber" export arm.h5 -o arm.csv --sensor tip.x
says arm.csv "t [s],tip.x [m]"
expect 0 "$limber" export arm.h5 --sensor 'pin.*' --analysis 01_dynamics
says out "t [s],pin.fx [N],pin.fy [N]"
expect 0 "$limber" export arm.h5 --sensor tip.x --sensor tip.y
says out "t [s],tip.x [m],tip.y [m]"
expect 2 "$limber" export arm.h5 --sensor tpi.x
expect 2 "$limber" export arm.h5 --analysis 2
expect 2 "$limber" export arm.yaml
expect 3 "$limber" export arm.h5 -o nowhere/arm.csv
expect 3 "$limber" info nothing.h5
if "$limber" view arm.h5 -o probe.html --no-open >out 2>err; then # built with its page
    rm probe.html
    expect 0 "$limber" view arm.h5 --no-open
    says out "wrote arm.html"
    says arm.html "<title>arm.h5</title>"
    expect 0 "$limber" view arm.h5 --no-open -o sub.html --frames 20
    expect 2 "$limber" view arm.h5 --no-open --frames 1
    expect 2 "$limber" view arm.yaml --no-open
    expect 3 "$limber" view nothing.h5 --no-open
    expect 3 "$limber" view arm.h5 --no-open -o nowhere/arm.html
    rm arm.html sub.html
    expect 0 "$limber" run -q arm.yaml --set L=0.5 -o long.h5
    expect 0 "$limber" view arm.h5 long.h5 --no-open -o both.html
    says out "wrote both.html"
    says both.html "<title>arm.h5</title>"
    expect 2 "$limber" view arm.h5 long.h5 --no-open -o long.h5
    expect 3 "$limber" view arm.h5 nothing.h5 --no-open -o none.html
    expect 2 "$limber" view arm.h5 arm.yaml --no-open -o none.html
    if [ -e none.html ]; then complain "a page of files that cannot be read"; else passed=$((passed + 1)); fi
    rm both.html long.h5
else
    says err "built without the viewer"
fi
if command -v gnuplot >/dev/null; then
    for end in svg png pdf; do
        expect 0 "$limber" plot arm.h5 tip.x 'pin.f?' balance -o arm.$end
        if [ -s arm.$end ]; then passed=$((passed + 1)); else complain "arm.$end is empty"; fi
    done
    says arm.svg "tip.x"
    rm arm.svg arm.png arm.pdf
    if [ -e "$build/limber_torn.so" ]; then # the table is read once, however many curves there are
        for curves in tip.x 'tip.x tip.y tip.z'; do
            LMB_TORN=0 LD_PRELOAD=$build/limber_torn.so expect 0 "$limber" plot arm.h5 $curves
            sed -n 's/.* \([0-9]*\) bytes read$/\1/p' err >>read
        done
        if awk '{ v[NR] = $1 } END { exit !(v[1] > 1000 && v[2] < 1.05 * v[1]) }' read; then passed=$((passed + 1)); else complain "$(cat read)"; fi
        rm arm.svg read
    fi
    expect 0 "$limber" run -q arm.yaml --set L=0.5 -o long.h5
    expect 0 "$limber" plot arm.h5 long.h5 tip
    says out "wrote arm.svg"
    says arm.svg "tip.y, L = 0.5"
    says arm.svg "arm.yaml, 2 runs"
    says arm.svg "[m]"
    sed 's/mass: m/mass: 3/' arm.yaml >heavy.yaml # another model, not another value: files are named
    expect 0 "$limber" run -q heavy.yaml --set L=0.6
    expect 0 "$limber" plot arm.h5 heavy.h5 tip
    says arm.svg "tip.y, heavy"
    rm heavy.yaml heavy.h5
    expect 0 "$limber" plot arm.h5 tip.y --against tip.x
    says arm.svg "tip.x [m]"
    expect 0 "$limber" plot arm.h5 --shape arm --plane xz --frames 3
    says arm.svg "z [m]"
    expect 2 "$limber" plot arm.h5 --shape arm --frames none
    rm arm.svg long.h5
    expect 3 "$limber" plot arm.h5 -o nowhere/arm.svg
fi
expect 2 "$limber" plot arm.h5 tpi
expect 2 "$limber" plot tip.x
expect 2 "$limber" plot arm.h5 tip.y --against tpi.x
expect 2 "$limber" plot arm.h5 --functions arm
expect 2 "$limber" plot arm.h5 tip -o arm.xyz
expect 3 env PATH=/nowhere "$limber" plot arm.h5 tip
says err gnuplot-nox
expect 0 "$limber" run --quiet arm.yaml -o other.h5
if [ ! -s out ] && [ ! -s err ]; then passed=$((passed + 1)); else complain "--quiet printed something"; fi
files arm.h5 other.h5
mkdir -p sub
expect 0 "$limber" run sub/../arm.yaml -o sub/x.h5
files sub/x.h5
expect 3 "$limber" run arm.yaml -o nowhere/arm.h5
expect 2 "$limber" run arm.yaml --set K=1
expect 2 "$limber" run arm.yaml --set L
expect 2 "$limber" run arm.yaml --set L=1 --set L=2
expect 2 "$limber" run arm.yaml --set 'L=1,'
files
if [ -e /dev/full ]; then
    status=0
    "$limber" schema >/dev/full 2>err || status=$?
    if [ $status = 3 ]; then passed=$((passed + 1)); else complain "a full disk: exit code $status"; fi
fi
expect 0 "$limber" schema
cp out schema.csv
if command -v python3 >/dev/null; then expect 0 python3 -m json.tool schema.csv; fi
expect 0 "$limber" reference
says out "## bodies"

# what was computed stays, with the reason
expect 1 "$limber" run fails.yaml
says err "fails.yaml: error:"
expect 0 "$limber" info fails.h5
says out "01_dynamics: failed"
files fails.h5

# ---- what must not be written over ---------------------------------------------------------------

cp arm.yaml kept.csv
expect 2 "$limber" run arm.yaml -o arm.yaml
says err "is not a results file"
expect 0 "$limber" run -q arm.yaml -o arm.h5
expect 2 "$limber" export arm.h5 -o arm.h5
says err "is an input of this command"
for end in pvd glb; do
    cp arm.h5 "in.$end"
    expect 2 "$limber" export "in.$end" -o "in.$end"
    same arm.h5 "in.$end"
    rm "in.$end"
done
expect 2 "$limber" view arm.h5 --no-open -o arm.h5
ln -s arm.yaml link.svg
if command -v gnuplot >/dev/null; then
    expect 3 "$limber" plot arm.h5 tip -o link.svg
    says err "symbolic link"
    mkdir home
    printf 'set xrange [0:0.1]\n' >home/.gnuplot
    expect 0 "$limber" plot arm.h5 tip -o arm.svg
    expect 0 env HOME="$scratch/home" "$limber" plot arm.h5 tip -o other.svg
    same arm.svg other.svg
    rm -r home arm.svg other.svg
fi
expect 3 "$limber" run arm.yaml -o link.svg
says err "symbolic link"
rm link.svg
same arm.yaml kept.csv
for command in "run arm.yaml" "export arm.h5" "view arm.h5 --no-open"; do
    expect 3 "$limber" $command -o /dev/null
    says err "it is a device"
done
if [ -c /dev/null ]; then passed=$((passed + 1)); else complain "/dev/null is gone"; fi
ln -s arm.yaml arm.csv.part # a name that could be guessed
expect 0 "$limber" export arm.h5 -o arm.csv
same arm.yaml kept.csv
rm arm.csv.part arm.csv kept.csv
files arm.h5

# ---- studies -------------------------------------------------------------------------------------

expect 0 "$limber" run arm.yaml --set L=0.3,0.4 --set m=1,2
says out "arm_L=0.4_m=1.h5"
expect 0 "$limber" export arm_L=0.4_m=2.h5 -o study.csv
expect 0 "$limber" run -q arm.yaml -o plain.h5
expect 0 "$limber" export plain.h5 -o plain.csv
same study.csv plain.csv
files arm_L=0.3_m=1.h5 arm_L=0.3_m=2.h5 arm_L=0.4_m=1.h5 arm_L=0.4_m=2.h5 plain.h5
expect 2 "$limber" run arm.yaml --set m=1,-1,3 -o 'sub/s.h5' # one is bad, the others run
says out "invalid input"
says err "sub/s_m=-1.h5: arm.yaml:5:"
files 'sub/s_m=1.h5' 'sub/s_m=3.h5'
expect 0 "$limber" run arm.yaml --quiet --set 'L=1/2,max(0.1,0.2)'
files 'arm_L=1_2.h5' 'arm_L=max_0.1_0.2_.h5'

# ---- threads -------------------------------------------------------------------------------------
expect 2 "$limber" run arm.yaml --threads 0
says err "--threads 0: expected an integer from 1 to 256"
expect 0 "$limber" run arm.yaml -q --threads 1 -o one.h5
expect 0 "$limber" run arm.yaml -q --threads 3 -o three.h5
expect 0 "$limber" export one.h5 -o one.csv
expect 0 "$limber" export three.h5 -o three.csv
expect 0 cmp one.csv three.csv
rm one.h5 one.csv three.h5 three.csv
expect 2 "$limber" check arm.yaml --threads x
says err "--threads x: expected an integer from 1 to 256"
expect 0 "$limber" check arm.yaml --threads 2

# ---- Ctrl-C, kill -9, resume ---------------------------------------------------------------------

expect 0 "$limber" run -q long.yaml -o whole.h5
expect 0 "$limber" export whole.h5 -o whole.csv
for signal in INT KILL; do
    rm -f long.h5 # what the run before has left could be taken for that of this one
    env -u OPENBLAS_NUM_THREADS "$limber" run -q long.yaml -o long.h5 >out 2>err &
    process=$!
    for _ in $(seq 200); do # readable meanwhile
        if "$limber" info long.h5 2>/dev/null | grep -q ' rows, t = '; then break; fi
        sleep 0.05
    done
    expect 0 "$limber" info long.h5
    says out "being written"
    threads=$(find /proc/$process/task -mindepth 1 -maxdepth 1 2>/dev/null | wc -l) # a shared OpenBLAS has begun more
    if [ "$threads" -le 1 ] || ldd "$limber" | grep -q openblas; then passed=$((passed + 1)); else complain "$threads threads, expected 1"; fi
    kill -$signal $process || true
    status=0
    wait $process 2>/dev/null || status=$?
    if [ $signal = INT ] && [ $status != 3 ]; then complain "Ctrl-C: exit code $status, expected 3"; else passed=$((passed + 1)); fi
    expect 0 "$limber" info long.h5
    says out "$([ $signal = INT ] && echo stopped || echo killed)"
    expect 2 "$limber" run -q long.yaml -o long.h5 --resume --set L=0.41
    says err "parameter L is 0.4"
    expect 0 "$limber" run long.yaml -o long.h5 --resume
    says out "01_dynamics done"
    expect 0 "$limber" export long.h5 -o long.csv
    same long.csv whole.csv
    expect 0 "$limber" run long.yaml -o long.h5 --resume # nothing left to do
    expect 0 "$limber" export long.h5 -o long.csv
    same long.csv whole.csv
done
files long.h5 whole.h5

# progress on a terminal
if command -v script >/dev/null; then
    script -qec "'$limber' run long.yaml" /dev/null >out 2>err </dev/null || complain "no run in a terminal"
    says out "x real time"
    says out "left"
    files long.h5
fi

# ---- stress, life, loads -------------------------------------------------------------------------

export LIMBER_CACHE=$scratch/cache
mkdir stress && cd stress
cat >bar.inp <<'END'
*NODE
1,0,-5,-5
2,0,5,-5
3,0,5,5
4,0,-5,5
5,50,-5,-5
6,50,5,-5
7,50,5,5
8,50,-5,5
*ELEMENT, TYPE=C3D8I, ELSET=ALL
1,1,5,6,2,4,8,7,3
*NSET, NSET=LEFT
1,2,3,4
*NSET, NSET=RIGHT
5,6,7,8
END
cat >bar.yaml <<'END'
limber: 1
parameters: {F: 200}
bodies:
  bar: {type: mesh, file: bar.inp, unit: mm, material: steel, interfaces: {a: LEFT, b: {set: RIGHT, tie: average}}, shapes: {craig_bampton: 1}, damping: {ratio: 0.1}}
joints: {clamp: {type: fixed, between: [ground, bar.a]}}
forces: {f: {type: force, on: bar.b, value: ["F*sin(200*t)", 0, 0]}}
analyses: [{type: dynamics, until: 0.1, every: 1 ms}]
END
expect 0 "$limber" run bar.yaml
expect 0 "$limber" stress bar.h5 -n 1
says out "  1  bar   node "
expect 2 "$limber" life bar.h5
says err "no S-N line: give the stress amplitude (R = -1) at its knee in MPa"
expect 0 "$limber" life bar.h5 --strength 1 --slope 4 --slope-below inf
says out "S-N line: 1 MPa at 1e+06 cycles, slope 4, no damage below; mean stress: Smith, Watson, Topper"
says out "  1  bar   node "
expect 0 "$limber" life bar.h5 --strength 1 --tensile 500 --mean none -n 1
says out "mean stress: no effect"
expect 2 "$limber" life bar.h5 --strength 1 --mean goodman
says err "--tensile 600"
expect 2 "$limber" life bar.h5 --strength 1 --mean gerber
expect 2 "$limber" life bar.h5 --strength -1
expect 2 "$limber" life bar.h5 --strength 1 --slope-below 3
says err "slope below the knee"
expect 0 "$limber" life bar.h5 --strength 1 -o worn.pvd --frames 2
says worn_0001.vtu 'Name="damage"'
expect 2 "$limber" life bar.h5 --strength 1 -o worn.xyz
says err "supported: CSV (.csv, .txt), ParaView (.pvd, .vtu), page (.html)"
expect 2 "$limber" loads bar.yaml bar.h5 -o case.inp
says err "--body is missing"
expect 2 "$limber" loads bar.yaml bar.h5 --body bar -o case.inp --time now
expect 2 "$limber" loads bar.yaml bar.h5 --body bar -o case.inp --time 1
says err "which go from 0 to 0.1 s"
expect 2 "$limber" loads bar.yaml bar.h5 --body bar -o case.inp --set F=100
says err "parameter F is 200 in the file, but F is 100 now; run the model again, or use --set as in that run"
expect 0 "$limber" loads bar.yaml bar.h5 --body bar -o case.inp --time 0.02 --hot-spots 1
says out "step 2: t = 0.02 s"
says out "wrote case.inp"
says case.inp "*ELEMENT, TYPE=C3D8I, ELSET=P1"
files bar.h5 bar.inp case.inp worn.pvd worn_0000.vtu worn_0001.vtu
cd .. && rm -r stress cache

# ---- parts ---------------------------------------------------------------------------------------

cat >rod.yaml <<'END'
limber: 1
parameters: {L: 0.3}
part: {type: beam, length: L, section: {circle: 6 mm}, material: steel}
END
expect 0 "$limber" modes rod.yaml
says out "free:"
expect 0 "$limber" modes rod.yaml --clamp start -n 3 -o modes.csv
if [ "$(awk '/^ *[0-9]+  / { print $1 }' out | paste -sd" ")" = "1 2 3" ]; then passed=$((passed + 1)); else complain "numbers of modes"; fi
says modes.csv "mode,frequency [Hz],x,y,z,rx,ry,rz"
says out "48.2"
if [ "$(cut -d, -f1 modes.csv | tail -n +2 | paste -sd' ')" = "1 2 3" ]; then passed=$((passed + 1)); else complain "modes of modes.csv"; fi
expect 0 "$limber" modes rod.yaml --max-frequency 2000 --free
expect 2 "$limber" modes rod.yaml --clamp strat
says err "did you mean 'start'?"
expect 2 "$limber" modes rod.yaml --free --clamp start
expect 2 "$limber" modes rod.yaml --count many
expect 2 "$limber" modes arm.yaml
says err "this file is a model, not a part"
expect 2 "$limber" check rod.yaml
says err "limber reduce"
expect 2 "$limber" reduce
expect 2 "$limber" reduce rod.yaml rod.yaml
files
expect 2 "$limber" reduce rod.yaml -o rod.yaml
says err "is not a body file"
expect 3 "$limber" reduce rod.yaml -o /dev/null
expect 2 "$limber" modes rod.yaml -o rod.yaml
expect 0 "$limber" reduce rod.yaml
says out "reduced in"
says out "wrote rod.h5"
expect 0 "$limber" info rod.h5
says out "flexible body rod"
says out "static compliance represented at end"
expect 0 "$limber" reduce rod.yaml -o again.h5
says out "read from the cache"
same rod.h5 again.h5
expect 0 "$limber" reduce rod.yaml -o again.h5 --no-cache
says out "reduced in"
same rod.h5 again.h5
expect 0 "$limber" reduce rod.yaml -o again.h5 --set L=0.4
says out "interface  end at [0.4, 0, 0] m"
for entry in cache/*.h5; do printf x >>"$entry"; done
expect 0 "$limber" reduce rod.yaml -o again.h5
says out "reduced in"
same rod.h5 again.h5
expect 0 "$limber" reduce --clear-cache
says out "removed 2 reduced parts from the cache"
rm -rf cache
export LIMBER_CACHE=/dev/null/nowhere # a cache that cannot be is no trouble
expect 0 "$limber" reduce --quiet rod.yaml -o again.h5
if [ ! -s out ] && [ ! -s err ]; then passed=$((passed + 1)); else complain "--quiet printed something"; fi
# of three modes the third is one of two of equal frequency
expect 0 "$limber" reduce rod.yaml -o again.h5 --modes 3 --frame tangent -i a=set:start -i b=at:0.3,0,0
says out "elastic    10 coordinates"
expect 0 "$limber" reduce rod.yaml -o again.h5 --shape guyan --shape eigen:2 --shape '{force: end.y}'
expect 2 "$limber" reduce rod.yaml -o x.h5 --shape eigne:2
expect 2 "$limber" reduce rod.yaml -o x.h5 --shape guyan --modes 3
expect 2 "$limber" reduce rod.yaml -o x.h5 --interface a
expect 2 "$limber" reduce rod.yaml -o x.h5 --interface a=at:1,2
expect 2 "$limber" reduce rod.yaml -o x.h5 --material stele
says err "did you mean 'steel'?"
expect 2 "$limber" reduce rod.yaml -o x.h5 --set M=1
expect 3 "$limber" reduce rod.yaml -o nowhere/x.h5
printf 'x' | dd of=again.h5 bs=1 seek=3000 conv=notrunc 2>/dev/null
expect 2 "$limber" info again.h5
says err "is damaged"
files rod.h5 again.h5
cat >bar.inp <<'END'
*NODE
1,0,0,0
2,0,10,0
3,0,10,10
4,0,0,10
5,20,0,0
6,20,10,0
7,20,10,10
8,20,0,10
*ELEMENT, TYPE=C3D8, ELSET=ALL
1,1,5,6,2,4,8,7,3
*NSET, NSET=left
1,2,3,4
*NSET, NSET=right
5,6,7,8
END
expect 2 "$limber" modes bar.inp
says err "part needs 'unit'"
expect 2 "$limber" modes bar.inp --unit mm
says err "no material"
expect 0 "$limber" modes bar.inp --unit mm --material steel -i a=left --clamp a -n 2
says out "8 nodes, 1 elements"
expect 0 "$limber" reduce bar.inp --unit mm --material '{E: 70e9, nu: 0.3, density: 2700}' -i a=set:left -i b=set:right,average --modes 2
says out "rigidly tied to 4 nodes"
says out "average of 4 nodes"
expect 2 "$limber" reduce bar.inp --unit mm --material steel -i a=set:lefd
says err "did you mean 'left'?"
# a material of the file: completed, replaced, never without effect; the same mesh as Nastran deck
sed 's/^\*NSET, NSET=left/*MATERIAL, NAME=ALLOY\n*ELASTIC\n70e3, 0.33\n*SOLID SECTION, ELSET=ALL, MATERIAL=ALLOY\n&/' bar.inp >own.inp
expect 2 "$limber" modes own.inp --unit mm
says err "own.inp:12: error: material 'ALLOY' has no density"
expect 0 "$limber" modes own.inp --unit mm --material '{density: 2700}' -i a=left --clamp a -n 2
grep '^ *[12] ' out >own.txt
sed 's/^70e3, 0.33/&\n*DENSITY\n2.7e-9/' own.inp >whole.inp
expect 2 "$limber" modes whole.inp --unit mm --material steel
says err "'material' would have no effect: whole.inp has a material for every element ('ALLOY')"
expect 0 "$limber" modes whole.inp --unit mm --material '{name: steel, override: true}' -i a=left --clamp a -n 2
says out "E = 2.1e+11 Pa"
cat >bar.bdf <<'END'
BEGIN BULK
GRID,1,,0.,0.,0.
GRID,2,,0.,10.,0.
GRID,3,,0.,10.,10.
GRID,4,,0.,0.,10.
GRID,5,,20.,0.,0.
GRID,6,,20.,10.,0.
GRID,7,,20.,10.,10.
GRID,8,,20.,0.,10.
CHEXA,1,1,1,5,6,2,4,8
+,7,3
PSOLID,1,1
MAT1,1,7.+4,,.33,2.7-9
$ SET NAME=left
SET1,1,1,THRU,4
FORCE,1,5,,1.,1.,0.,0.
ENDDATA
END
expect 0 "$limber" modes bar.bdf --unit mm -i a=left --clamp a -n 2
says out "bar.bdf:16: FORCE not read"
grep '^ *[12] ' out >same.txt
expect 0 cmp own.txt same.txt
sed -i 's/^FORCE.*/MPC,1,5,1,1./' bar.bdf
expect 2 "$limber" modes bar.bdf --unit mm
says err "bar.bdf:16: error: this constraint resists a rigid-body motion (along x)"
rm own.inp whole.inp bar.bdf own.txt same.txt
# a mesh in a model: reduced once, then from the cache; a bad one leaves nothing
cat >meshed.yaml <<'END'
limber: 1
bodies: {bar: {type: mesh, file: bar.inp, unit: mm, material: steel, interfaces: {a: left, b: right}, spin: [0, 0, 9]}}
sensors: {tip: {type: position, of: bar.b}}
analyses: [{type: dynamics, until: 0.01}]
END
export LIMBER_CACHE=$scratch/cache
expect 0 "$limber" check meshed.yaml
says out "tip.x [m]"
expect 0 "$limber" run meshed.yaml
expect 0 "$limber" info meshed.h5
expect 0 "$limber" reduce --clear-cache
says out "removed 1 reduced part from the cache"
files bar.h5 bar.inp meshed.h5
sed -i 's/a: left/a: lefd/' meshed.yaml
expect 2 "$limber" run meshed.yaml
says err "meshed.yaml:2:"
says err "did you mean 'left'?"
sed -i 's/a: lefd/a: left/' meshed.yaml
sed -i 's/^3,0,10,10$/3,0,10,x/' bar.inp
expect 2 "$limber" run meshed.yaml
says err "bar.inp:4"
files bar.inp
rm meshed.yaml
rmdir cache
rm bar.inp
if command -v gmsh >/dev/null; then
    printf 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 40, 10, 10};\nPhysical Volume("all") = {1};\n' >box.geo
    expect 0 "$limber" modes box.geo --unit mm --size 10mm --material steel -n 2
    # a script is a program: what it starts or reads elsewhere is refused by name, unless it is trusted
    printf 'SystemCall "touch started";\n' >>box.geo
    cat >boxed.yaml <<'END'
limber: 1
bodies: {bar: {type: mesh, file: box.geo, unit: mm, element_size: 10 mm, material: steel, interfaces: {a: {at: [0, 0, 0], radius: 20 mm}}}}
sensors: {a: {type: position, of: bar.a}}
analyses: [{type: dynamics, until: 0.001}]
validation: [{quantity: rest, sensor: a.x, reference: 0, tolerance: 1e-9}]
END
    for command in "modes box.geo --unit mm --size 10mm --material steel" "check boxed.yaml" "run boxed.yaml" "validate boxed.yaml" \
        "reduce box.geo --unit mm --size 10mm --material steel"; do
        expect 2 "$limber" $command
        says err "SystemCall"
        says err "box.geo:4:1: error:"
        says err "--trust"
        if [ -e started ]; then complain "$command ran the script"; else passed=$((passed + 1)); fi
    done
    for command in check validate; do
        expect 0 "$limber" $command boxed.yaml --trust
        if [ -e started ]; then passed=$((passed + 1)); else complain "$command --trust did not run the script"; fi
        rm -f started
    done
    rm -f boxed.yaml
    # CAD files keep their kind, whatever gmsh would take their names for
    printf 'SystemCall "touch started";\n' >evil.sTeP
    expect 2 "$limber" modes evil.sTeP --unit mm --size 10mm --material steel
    if [ -e started ]; then complain "a STEP file was run as a script"; else passed=$((passed + 1)); fi
    says err "evil.gmsh.log"
    rm -f evil.sTeP evil.gmsh.log
    # nor the options that lie beside a file
    printf 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 40, 10, 10};\n' >box.geo
    printf 'SystemCall "touch started";\n' >box.geo.opt
    expect 2 "$limber" modes box.geo --unit mm --size 10mm --material steel
    says err "box.geo.opt"
    if command -v gmsh >/dev/null; then gmsh box.geo -0 -v 0 -o box.brep >/dev/null 2>&1; fi
    rm -f started
    mv box.geo.opt box.brep.opt
    expect 0 "$limber" modes box.brep --unit mm --size 10mm --material steel -n 2
    if [ -e started ]; then complain "options beside a CAD file were run"; else passed=$((passed + 1)); fi
    rm -f started box.brep box.brep.opt
    # what a script reads is part of the part: a changed file is meshed again; start-up files change nothing
    gmsh -0 -v 0 -o part.brep - >/dev/null 2>&1 </dev/null || true
    printf 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 40, 10, 10};\n' >one.geo
    gmsh one.geo -0 -v 0 -o part.brep >/dev/null 2>&1
    printf 'SetFactory("OpenCASCADE");\nv() = ShapeFromFile("part.brep");\n' >box.geo
    options="--unit mm --size 10mm --material steel"
    expect 0 "$limber" reduce box.geo $options -o bar.h5
    says out "mass       0.0314 kg"
    expect 0 "$limber" reduce box.geo $options -o bar.h5
    says out "read from the cache"
    sed -i 's/40, 10, 10/20, 10, 10/' one.geo
    gmsh one.geo -0 -v 0 -o part.brep >/dev/null 2>&1
    expect 0 "$limber" reduce box.geo $options -o bar.h5
    says out "mass       0.0157 kg"
    mkdir home
    printf 'Mesh.MeshSizeFactor = 0.3;\n' >home/.gmshrc
    cp home/.gmshrc home/.gmsh-options
    expect 0 env HOME="$scratch/home" "$limber" reduce box.geo $options -o other.h5 --no-cache
    same bar.h5 other.h5
    rm -r home
    if [ "$(stat -c %a cache)" = 700 ]; then passed=$((passed + 1)); else complain "others may look into the cache"; fi
    chmod 777 cache # others may write there: not used
    expect 0 "$limber" reduce box.geo $options -o bar.h5
    says out "reduced in"
    rm -rf cache box.geo one.geo part.brep
    files bar.h5 other.h5
    # several solids: one of them, all, or a model of them; a name that needs quotes
    cat >two.geo <<'END'
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 40, 20, 10};
Cylinder(2) = {10, 10, -5, 0, 0, 20, 4};
BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; }
END
    part="it's a \"lever\" \$(x).step"
    gmsh two.geo -0 -v 0 -o two.step >/dev/null 2>&1
    mv two.step "$part"
    expect 2 "$limber" modes "$part" --size 8mm --material steel
    says err "has 2 solids; choose one with \`solid: solid_1\`"
    expect 2 "$limber" modes "$part" --size 8mm --material steel --solid lever
    says err "no solid 'lever'; it has: 1 solid_1, 2 solid_2"
    expect 0 "$limber" modes "$part" --size 8mm --material steel --solid solid_1 -n 1 --interface bore=face:7
    says out "interface bore at [0.01, 0.01, 0.005] m"
    expect 2 "$limber" modes "$part" --size 8mm --material steel --solid 1 --unit in
    says err "says that 1 is 0.001 m, the part that it is 0.0254 m"
    expect 2 "$limber" modes "$part" --size 8mm --material steel --solid 1 --interface 'a={cylinder: {axis: [0, 0, 1], radius: 5 mm}}'
    says err "interface 'a' has no faces"
    says err "face 7, a cylinder of radius 0.004 m about [0, 0, 1] through [0.01, 0.01,"
    expect 0 "$limber" faces "$part"
    says out "solid 2  solid_2: 3 faces"
    expect 0 "$limber" faces "$part" --csv
    says out "7,cylinder,solid_1,"
    expect 0 "$limber" faces "$part" -o faces.json
    says faces.json '"kind": "cylinder", "solid": "solid_1"'
    expect 2 "$limber" faces "$part" -o faces.xyz
    says err "supported: a page (.html), .csv, .json"
    expect 2 "$limber" faces two.geo
    says err "part needs 'unit'"
    rm -f faces.json
    expect 0 "$limber" import "$part" -o two.yaml --size '8 mm'
    says two.yaml "#  solid_1_solid_2: {type: revolute, between: [solid_1.solid_2, solid_2.solid_1], axis: [0, 0, 1]}"
    sed -i 's/^#joints/joints/; s/^#  /  /; s/^#analyses/analyses/' two.yaml
    expect 0 "$limber" run two.yaml -o two.h5
    says out "01_modes done"
    expect 2 "$limber" import arm.yaml
    says err "'arm.yaml' is not a robot, a CAD file or a body"
    rm -rf two.geo two.yaml "$part" cache
    files two.h5
fi
export LIMBER_CACHE=$scratch/cache

# ---- validate ------------------------------------------------------------------------------------

expect 0 "$limber" validate fall.yaml
says out "skipped"
says out "1 passed, 0 failed, 1 skipped"
printf 'time,y\n0,0\n0.5,-1.25\n1,-5\n' >fall.csv
mkdir references
cp fall.csv references/fall.txt
expect 0 env LIMBER_REFERENCE=references "$limber" validate fall.yaml
says out "2 passed, 0 failed, 0 skipped"
expect 0 env LIMBER_REFERENCE=references "$limber" validate --markdown fall.yaml
says out "| fall | height | -5 | -5 |"
says out "Galilei |"
rm -r references
mkdir cases
sed 's/reference: -5/reference: -6/' fall.yaml >cases/wrong.yaml
cp fall.yaml cases/right.yaml
expect 1 "$limber" validate cases
says out "2 skipped"
says out "failed"
expect 0 "$limber" validate cases --case right
expect 0 env LIMBER_VALIDATION=cases "$limber" validate --case right
expect 2 "$limber" validate cases --case rihgt
says err "did you mean 'right'?"
expect 2 "$limber" validate nowhere.yaml
cat >cases/rod.yaml <<END
limber: 1
part: {type: beam, length: 1, section: {circle: 20 mm}, material: steel}
validation:
  - {quantity: mass, inertia: mass, reference: 7850 * pi * 0.01^2, tolerance: 1e-9, relative: on, source: a cylinder}
  - {frequency: 1, held: {start: all}, reference: 14.46, tolerance: 1e-3, relative: on}
END
expect 0 "$limber" validate --markdown cases/rod.yaml
says out "2 passed, 0 failed, 0 skipped"
says out "a cylinder |"
sed 's/type: beam.*/type: mesh, file: $LIMBER_REFERENCE\/rod.inp, unit: m}/' cases/rod.yaml >cases/missing.yaml
expect 0 "$limber" validate cases/missing.yaml
says out "0 passed, 0 failed, 2 skipped"
expect 2 env -u LIMBER_REFERENCE "$limber" modes cases/missing.yaml
says err "LIMBER_REFERENCE"
rm cases/rod.yaml cases/missing.yaml
files

echo "$passed passed, $failed failed"
[ $failed = 0 ]
