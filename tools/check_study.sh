#!/usr/bin/env bash
# tools/check_study.sh [BUILD]: parameter studies by the program: tables, members alone, kills, crashes, a cluster if Slurm is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
tools=$PWD/tools
limber=$build/limber

scratch=$(mktemp -d)
trap '"$tools/slurm_one_machine.sh" stop "$scratch/slurm" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cd "$scratch"
export LIMBER_CACHE=$scratch/cache
passed=0 failed=0 skipped=0

complain() {
    failed=$((failed + 1))
    echo "$1"
    sed 's/^/    out| /' out | head -n 15
    sed 's/^/    err| /' err | head -n 15
}
expect() { # CODE COMMAND...
    local want=$1 status=0
    shift
    timeout 200 "$@" >out 2>err </dev/null || status=$?
    if [ $status = "$want" ]; then passed=$((passed + 1)); else complain "$*: exit code $status, expected $want"; fi
}
says() { if grep -qF -- "$2" "$1"; then passed=$((passed + 1)); else complain "no '$2' in $1"; fi; }
same() { if cmp -s "$1" "$2"; then passed=$((passed + 1)); else complain "$1 and $2 differ"; fi; }
is() { if [ "$1" = "$2" ]; then passed=$((passed + 1)); else complain "$3: '$1', expected '$2'"; fi; }

cat >arm.yaml <<'END'
limber: 1
parameters: {L: 0.4, k: 100, m: 2, until: 1}
gravity: [0, -9.81, 0]
bodies:
  arm: {mass: m, inertia: [0.01, 0.2, 0.2], at: [L/2, 0, 0], markers: {root: [-L/2, 0, 0], tip: [L/2, 0, 0]}}
joints:
  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1], spring: {stiffness: k, damping: 0.05}}
sensors:
  tip: {type: position, of: arm.tip}
analyses:
  - {type: dynamics, until: until}
  - {type: modes}
study:
  vary: {k: 50:500:5log, L: [0.3, 0.4]}
  measures: {low: min(tip.y), f: frequency(1), load: "max(hypot(pin.fx, pin.fy))", ratio: low/L}
END

# ---- one table, whatever computes it ------------------------------------------------------------------

expect 0 "$limber" study arm.yaml -j 1 -o one.h5
says out "members   10: 10 done"
expect 0 "$limber" study arm.yaml -j 3 -o three.h5
same one.csv three.csv
is "$(wc -l <one.csv)" 11 "rows"
is "$(head -n 1 one.csv)" "member,k,L,low [m],f [Hz],load,ratio,status,message" "header"
expect 0 "$limber" info three.h5
says out "study of limber"
expect 0 "$limber" export three.h5 -o again.csv
same one.csv again.csv
is "$(find one.members -name '*.h5' | wc -l)" 0 "results files that nobody asked to keep"

# a measure is that of the run itself
expect 0 "$limber" run arm.yaml --set k=50 --set L=0.3 -o run.h5
expect 0 "$limber" export run.h5 -a 1 -s tip.y -o run.csv
is "$(tail -n +2 run.csv | awk -F, 'NR == 1 || $2 < low { low = $2; text = $2 } END { print text }')" "$(awk -F, 'NR == 2 { print $4 }' one.csv)" "lowest position"

# members by themselves, in any order, and a range
expect 0 "$limber" study arm.yaml --plan-only -o plan.h5
expect 0 "$limber" run --plan plan.h5 --member 9
expect 0 "$limber" run --plan plan.h5 --member 2-4
expect 0 "$limber" study --collect plan.h5
says out "members   10: 4 done, 6 not run"
says out "missing: 1,5-8,10"
stamp=$(stat -c %Y.%i plan.members/000/000009.json)
expect 0 "$limber" study --plan plan.h5 -j 2
is "$(stat -c %Y.%i plan.members/000/000009.json)" "$stamp" "a member that was done"
same one.csv plan.csv

# other parameters or measures: other members; the same ones are not run again
expect 0 "$limber" study arm.yaml --vary L=0.3,0.4,0.5 --measure "low = min(tip.y)" -o plan.h5
says out "members   15: 15 done"
is "$(head -n 1 plan.csv)" "member,k,L,low [m],f [Hz],load,ratio,status,message" "measures of the model stay"

# results files that are kept
expect 0 "$limber" study arm.yaml --keep all -o kept.h5
is "$(find kept.members -name '*.h5' | wc -l)" 10 "kept results files"
expect 0 "$limber" info kept.members/000/000003.h5

# ---- failures -----------------------------------------------------------------------------------------

# an invalid member hurts no other, keeps its message, and is not tried again
expect 2 "$limber" study arm.yaml --vary m=1,-1,2 --vary k=100 --vary L=0.4 --keep failed -o bad.h5
says out "members   3: 2 done, 1 invalid input"
says out "member 2: "
says bad.csv "arm.yaml:5:"
cp bad.csv first.csv
expect 2 "$limber" study --collect bad.h5
is "$(grep -c "member 2: " out)" 1 "messages after collecting again"
same first.csv bad.csv
expect 0 "$limber" study arm.yaml --sample random:3 --vary k=100:200 --vary L=0.4 -o few.h5

for wrong in "--vary kk=1,2|no parameter 'kk'" "--vary k=1:|a value is missing" "--vary k|expected --vary NAME=VALUE" "--vary k=1 --vary k=2|duplicate --vary k" \
    "--measure p=max(tp.y)|did you mean 'tip.y'" "--measure p=tip.y|take a number of it" "--measure p=mode:frequency(1)|did you mean 'modes'" \
    "--measure p=stress()|no flexible bodies" "--measure p=at(tip.y)|write at(x, time)" "--measure p=frequency(0.5)|integer from 1" \
    "--sample lsh:3|did you mean 'lhs'" "--sample lhs:0|expected lhs:N" "--sensitivity fast|expected sobol" "--seed -1|seed '-1'" "--keep some|keep 'some'" \
    "--jobs 0|--jobs" "--vary k=normal(1,2)|no list of values for a grid" "--sample sobol:4 --sensitivity sobol|leave out --sample" \
    "--collect --slurm p=1|exclude each other" "--plan x.h5|not both"; do
    # shellcheck disable=SC2086 # several words
    status=0; "$limber" study arm.yaml ${wrong%|*} -o wrong.h5 >out 2>err </dev/null || status=$?
    is $status 2 "study ${wrong%|*}"
    says err "${wrong#*|}"
    if [ -e wrong.h5 ] || [ -e wrong.members ]; then complain "study ${wrong%|*} left files"; rm -rf wrong.*; fi
done
expect 2 "$limber" study
expect 2 "$limber" run --plan one.h5
expect 2 "$limber" run --plan one.h5 --member 11
says err "has 10 members"
expect 2 "$limber" run --plan arm.yaml --member 1
expect 2 "$limber" run arm.yaml --member 1
expect 2 "$limber" stress one.h5
says err "is not a limber results file"

expect 2 "$limber" study arm.yaml -o arm.yaml
says err "is not a study"

# a file that changes after the plan is not mixed with what was computed before
printf 'limber: 1\nbodies: {bob: {mass: 1, inertia: 1}}\njoints: {slide: {type: translational, between: [ground, bob], axis: [0, 1, 0]}}\n' >bob.yaml
printf 'limber: 1\nparameters: {g: 9.81}\ngravity: [0, -g, 0]\nassemblies: {a: {file: bob.yaml}}\nsensors: {y: {type: coordinate, of: a.slide}}\nanalyses: [{type: dynamics, until: 0.1}]\n' >fall.yaml
expect 0 "$limber" study fall.yaml --vary g=1,2 --measure "y = end(y)" --plan-only -o fall.h5
expect 0 "$limber" run --plan fall.h5 --member 1
sed -i 's/mass: 1/mass: 2/' bob.yaml
expect 0 "$limber" run --plan fall.h5 --member 2
expect 2 "$limber" study --plan fall.h5
says out "has changed since the study was planned"

# ---- kills --------------------------------------------------------------------------------------------

expect 0 "$limber" study arm.yaml --vary k=50:500:12 --vary until=6 -j 2 -o whole.h5
"$limber" study arm.yaml --vary k=50:500:12 --vary until=6 -j 2 -o killed.h5 >out 2>err </dev/null &
process=$!
for _ in $(seq 400); do if [ "$(find killed.members -name '*.json' 2>/dev/null | wc -l)" -ge 3 ]; then break; fi; sleep 0.02; done
kill -9 $process 2>/dev/null || true
wait $process 2>/dev/null || true
done_before=$(find killed.members -name '*.json' | wc -l)
if [ "$done_before" -lt 3 ] || [ "$done_before" -ge 24 ]; then complain "the kill came too early or too late: $done_before of 24"; fi
sleep 0.3 # its members end with it
expect 0 "$limber" study arm.yaml --vary k=50:500:12 --vary until=6 -j 2 -o killed.h5
same whole.csv killed.csv
is "$(find killed.members -name '.*' -type f | wc -l)" 0 "pieces of files that were being written"

# Ctrl-C keeps what is done, and says so
rm -rf killed.members killed.h5
"$limber" study arm.yaml --vary k=50:500:12 --vary until=6 -j 2 -o killed.h5 >out 2>err </dev/null &
process=$!
for _ in $(seq 400); do if [ "$(find killed.members -name '*.json' 2>/dev/null | wc -l)" -ge 2 ]; then break; fi; sleep 0.02; done
kill -TERM $process
status=0; wait $process || status=$?
is $status 3 "exit code after an interrupt"
says err "the same command goes on with it"
expect 0 "$limber" study --plan killed.h5
same whole.csv killed.csv

# ---- formulas -----------------------------------------------------------------------------------------

cat >ishigami.yaml <<'END'
limber: 1
parameters: {x1: 0, x2: 0, x3: 0, a: 7, b: 0.1}
study:
  vary: {x1: "uniform(-pi, pi)", x2: "uniform(-pi, pi)", x3: "uniform(-pi, pi)"}
  measures: {y: sin(x1) + a*sin(x2)^2 + b*x3^4*sin(x1)}
END
expect 0 "$limber" study ishigami.yaml --sensitivity sobol:16384
says out "sensitivity of y (sobol)"
# S = 0.31391, 0.44241, 0; T = 0.55759, 0.44241, 0.24368 (the test of the library derives them)
is "$(awk '$1 == "x1" { d = $2/0.31391 - 1; e = $5/0.55759 - 1 } $1 == "x2" { f = $2/0.44241 - 1; g = $5/0.44241 - 1 } $1 == "x3" { h = $5/0.24368 - 1 }
    END { ok = 1; split(d " " e " " f " " g " " h, v, " "); for (i in v) if (v[i] > 0.01 || v[i] < -0.01) ok = 0; print ok }' out)" 1 "indices to 1 %"
expect 2 "$limber" run --plan ishigami_study.h5 --member 1
says err "formulas of parameters"

# ---- a cluster ----------------------------------------------------------------------------------------

# a Slurm that runs a job: containers and other roots may lack what it needs
cluster_runs() {
    if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null || [ "$(id -u)" != 0 ]; then return 1; fi
    export SLURM_CONF=$scratch/slurm/slurm.conf
    "$tools/slurm_one_machine.sh" start "$scratch/slurm" >out 2>err && timeout 30 srun -p all -N 1 true >out 2>err
}

if ! cluster_runs; then
    echo "Slurm is not installed, runs no job here, or this is not root: job arrays are not tested (packages of group cluster)"
    skipped=$((skipped + 1))
else
    settle() { for _ in $(seq 900); do if [ -z "$(squeue -h 2>/dev/null)" ]; then break; fi; sleep 0.1; done; }
    study=(study arm.yaml --vary k=50:500:20log --vary L=0.3,0.4 --vary until=20)
    expect 0 "$limber" "${study[@]}" -o local.h5
    expect 0 "$limber" "${study[@]}" --slurm partition=all,time=10 -o "$scratch/cluster.h5"
    says out "40 tasks"
    # one task is cancelled, the program of another is killed
    for _ in $(seq 300); do if pgrep -f -- "--plan $scratch/cluster.h5" >/dev/null; then break; fi; sleep 0.05; done
    victim=$(pgrep -f -- "--plan $scratch/cluster.h5" | head -n 1 || true)
    if [ -n "$victim" ]; then kill -9 "$victim"; fi
    job=$(squeue -h -o %F | sort -u | head -n 1)
    scancel "${job}_39" "${job}_40"
    settle
    expect 0 "$limber" study --collect cluster.h5
    says out "not run"
    says out "missing: "
    expect 0 "$limber" study --plan "$scratch/cluster.h5" --slurm partition=all,time=10
    settle
    expect 0 "$limber" study --collect cluster.h5
    says out "members   40: 40 done"
    same local.csv cluster.csv
    expect 0 "$limber" study --plan "$scratch/cluster.h5" --slurm partition=all
    says out "all members are done"
    expect 3 "$limber" study arm.yaml --slurm partition=none -o nowhere.h5
    says err "sbatch did not take the job"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
