#!/usr/bin/env bash
# tests/faults.sh BUILD [KILLS [TORN]]: what goes wrong outside the program: kills, full disks, limits, files that go away.
#
# Each must end clearly, lose nothing that was written, and leave no debris.  A flexible run with events, a stop and friction, and one that
# is repeated for its shape functions, are killed at random times and resumed, KILLS (10) times together, and killed in the middle of
# TORN (2 KILLS) of their writes each; their tables must be those of undisturbed runs, to the last byte.
set -euo pipefail
build=$(cd "$1" && pwd)
limber=$build/limber
kills=${2:-10} torn=${3:-$((2 * ${2:-10}))}
passed=0 failed=0
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
cd "$scratch"
export LIMBER_CACHE=$scratch/cache OPENBLAS_NUM_THREADS=1

complain() {
    failed=$((failed + 1))
    echo "$1"
    sed 's/^/    err| /' err 2>/dev/null | head -5 || true
}
good() { passed=$((passed + 1)); }
# expect CODE COMMAND...: its exit code; output in out and err
expect() {
    local code=$1 status=0
    shift
    "$@" >out 2>err </dev/null || status=$?
    if [ $status = "$code" ]; then good; else complain "exit code $status, expected $code: $*"; fi
}
says() { if grep -qF -- "$1" err; then good; else complain "no '$1' in the message"; fi; }
# only NAMES...: nothing else is in the folder
only() {
    local have want
    have=$(find . -type f ! -path './cache/*' ! -name out ! -name err ! -name '*.yaml' ! -name '*.csv' | sed 's|^\./||' | sort | tr '\n' ' ')
    want=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
    if [ $# = 0 ]; then want=; fi
    if [ "$have" = "$want" ]; then good; else complain "files: $have, expected: $want"; fi
}
same() { if cmp -s "$1" "$2"; then good; else complain "$1 and $2 differ"; fi; }

# ---- models --------------------------------------------------------------------------------------

cat >arm.yaml <<'END'
limber: 1
gravity: [0, -9.81, 0]
bodies:
  rod: {type: beam, length: 0.5, section: {circle: 8 mm}, material: steel, elements: 4, shapes: [{eigen: 2}], damping: {beta: 1e-4}}
  bob: {mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [0.5, 0, 0]}
joints:
  pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1], friction: {coefficient: 0.2, radius: 10 mm}, limits: {min: -0.1, stiffness: 200}}
  end: {type: fixed, between: [rod.end, bob]}
forces: {push: {type: force, on: bob, value: [0, 2, 0]}}
events: {off: {at: 0.1, off: [push]}}
sensors: {tip: {type: position, of: rod.end}}
analyses: [{type: dynamics, until: 0.4, every: 0.001, max_step: 2e-5}]
END
cat >rod.yaml <<'END'
limber: 1
part: {type: beam, length: 0.5, section: {circle: 8 mm}, material: steel, elements: 4}
END
sed -e 's/shapes: \[{eigen: 2}\]/shapes: auto/' -e 's/sensors: {/&root: {type: section, of: rod.start}, /' -e 's/until: 0.4/until: 0.15/' \
    arm.yaml >auto.yaml
expect 0 "$limber" check arm.yaml

# ---- kill -9 -------------------------------------------------------------------------------------

RANDOM=4711
# killed MODEL: at random times of its run, and resumed
killed() {
    local model=$1 start=$EPOCHREALTIME seconds process struck=0
    expect 0 "$limber" run -q "$model.yaml" -o whole.h5
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
    expect 0 "$limber" export whole.h5 -o whole.csv
    while [ $struck -lt $(((kills + 1) / 2)) ]; do
        rm -f "$model.h5" "$model.h5.first"
        for _ in 1 2 3; do # killed up to twice, then to its end
            "$limber" run -q "$model.yaml" -o "$model.h5" --resume >out 2>err &
            process=$!
            sleep "$(awk -v s="$seconds" -v r=$RANDOM 'BEGIN { print 1.2 * s * r / 32768 }')"
            if kill -KILL $process 2>/dev/null; then struck=$((struck + 1)); fi
            wait $process 2>/dev/null || true
            if [ -e "$model.h5" ]; then timeout 20 "$limber" info "$model.h5" >out 2>err || complain "a killed file is not readable"; fi
        done
        expect 0 "$limber" run -q "$model.yaml" -o "$model.h5" --resume
        expect 0 "$limber" export "$model.h5" -o "$model.csv"
        same "$model.csv" whole.csv
        if compgen -G "$model.h5.*.part" >/dev/null; then complain "what was killed before it had its name is left"; fi
    done
    rm -f "$model.h5"
    only whole.h5
}
killed auto
killed arm

# ---- torn writes ---------------------------------------------------------------------------------

# torn MODEL: killed in the middle of a write or between two of them, at TORN writes of all, evenly spread
torn() {
    local model=$1 writes step
    rm -f whole.h5
    LMB_TORN=0 LD_PRELOAD=$build/limber_torn.so "$limber" run -q "$model.yaml" -o whole.h5 2>err
    writes=$(awk '/ bytes read$/ { print $1 }' err)
    if [ "${writes:-0}" -gt 100 ]; then good; else complain "only ${writes:-no} writes were seen"; fi
    expect 0 "$limber" export whole.h5 -o whole.csv
    step=$(((writes + torn - 1) / torn))
    for write in $(seq 1 $step "${writes:-0}"); do
        rm -f "$model.h5" "$model.h5.first"
        LMB_TORN=$write LD_PRELOAD=$build/limber_torn.so "$limber" run -q "$model.yaml" -o "$model.h5" >out 2>err &
        wait $! 2>/dev/null || true
        if [ -e "$model.h5" ]; then expect 0 "$limber" info "$model.h5"; fi
        expect 0 "$limber" run -q "$model.yaml" -o "$model.h5" --resume
        expect 0 "$limber" export "$model.h5" -o "$model.csv"
        same "$model.csv" whole.csv
    done
    rm -f "$model.h5"
    only whole.h5
}
torn auto
torn arm

# ---- signals -------------------------------------------------------------------------------------

sed 's/until: 0.4/until: 40/' arm.yaml >long.yaml
for signal in INT TERM HUP; do
    # bash starts what is in the background with SIGINT ignored
    (trap - INT; exec "$limber" run -q long.yaml -o long.h5) >out 2>err &
    process=$!
    for _ in $(seq 200); do
        if [ -e long.h5 ]; then break; fi
        sleep 0.05
    done
    if [ $signal = INT ]; then # two runs into one file; a reader meanwhile
        expect 3 "$limber" run -q long.yaml -o long.h5
        says "being written by another run"
        expect 0 "$limber" info long.h5
    fi
    kill -$signal $process
    status=0
    wait $process || status=$?
    if [ $status = 3 ]; then good; else complain "SIG$signal: exit code $status, expected 3"; fi
    expect 0 "$limber" info long.h5
    if grep -q stopped out; then good; else complain "SIG$signal: not stopped"; fi
    rm -f long.h5
done
only whole.h5

# ---- files that go away or change ----------------------------------------------------------------

"$limber" run -q long.yaml -o gone.h5 >out 2>err &
process=$!
for _ in $(seq 200); do
    if [ -e gone.h5 ]; then break; fi
    sleep 0.05
done
rm -f gone.h5
status=0
for _ in $(seq 100); do # it notices by itself, long before its end
    if ! kill -0 $process 2>/dev/null; then break; fi
    sleep 0.1
done
kill -KILL $process 2>/dev/null || true
wait $process || status=$?
if [ $status = 3 ]; then good; else complain "output removed: exit code $status, expected 3"; fi
says "was removed or replaced"
only whole.h5
expect 0 "$limber" reduce -q rod.yaml -o rod.h5
cat >reduced.yaml <<'END'
limber: 1
bodies: {rod: {type: reduced, file: rod.h5, spin: [0, 0, 9]}}
sensors: {tip: {type: position, of: rod.end}}
analyses: [{type: dynamics, until: 0.02}]
END
expect 0 "$limber" run -q reduced.yaml -o reduced.h5
expect 0 "$limber" run -q reduced.yaml -o reduced.h5 --resume
sed -i 's/8 mm/9 mm/' rod.yaml
expect 0 "$limber" reduce -q rod.yaml -o rod.h5
expect 2 "$limber" run -q reduced.yaml -o reduced.h5 --resume
says "has changed"
rm rod.h5 reduced.h5

# ---- limits --------------------------------------------------------------------------------------

for blocks in 0 8; do
    # messages go through pipes: files would be too large themselves
    for command in "run -q arm.yaml -o small.h5" "reduce -q rod.yaml -o small.h5 --no-cache" "export whole.h5 -o small.csv" \
        "export whole.h5 -o small.glb"; do
        status=0
        text=$( (ulimit -f $blocks; exec "$limber" $command) 2>&1 </dev/null) || status=$?
        if [ $status = 3 ] && [ -n "$text" ]; then good; else complain "file-size limit $blocks: exit code $status: $command: $text"; fi
    done
    only whole.h5
    if [ -e small.csv ]; then complain "half a CSV file"; else good; fi
done
if [ "$(id -u)" != 0 ]; then # nothing is read-only for root
    mkdir closed
    chmod 500 closed
    expect 3 "$limber" run -q arm.yaml -o closed/arm.h5
    expect 3 "$limber" export whole.h5 -o closed/arm.csv
    chmod 700 closed
    rmdir closed
fi
status=0
"$limber" schema >&- 2>err || status=$?
if [ $status = 3 ]; then good; else complain "closed standard output: exit code $status, expected 3"; fi
status=0
"$limber" export whole.h5 >&- 2>err || status=$?
if [ $status = 3 ]; then good; else complain "closed standard output: exit code $status, expected 3"; fi
if [ -e /dev/full ]; then
    status=0
    "$limber" export whole.h5 >/dev/full 2>err || status=$?
    if [ $status = 3 ]; then good; else complain "full disk: exit code $status, expected 3"; fi
fi

# a full disk: a small one of its own, where that is allowed
mkdir disk
if mount -t tmpfs -o size=300k tmpfs disk 2>/dev/null; then
    trap 'umount "$scratch/disk" 2>/dev/null || true; rm -rf "$scratch"' EXIT
    for command in "run -q arm.yaml -o disk/a.h5" "export whole.h5 -o disk/a.csv" "export whole.h5 -o disk/a.glb" "plot whole.h5 tip -o disk/a.svg"; do
        dd if=/dev/zero of=disk/fill bs=1k count=280 2>/dev/null || true
        expect 3 "$limber" $command
        if [ "$(find disk -type f ! -name a.h5 | tr '\n' ' ')" = "disk/fill " ]; then good; else complain "debris: $(ls disk)"; fi
        rm -f disk/*
    done
    umount disk
fi
rmdir disk
only whole.h5

echo "$passed passed, $failed failed"
[ $failed = 0 ]
