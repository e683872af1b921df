#!/usr/bin/env bash
# tools/slurm_one_machine.sh start FOLDER | stop FOLDER: a Slurm of one node on loopback, for tests, as root and without systemd.
# Its parts are those of Debian (slurm-wlm, munge); all that it writes is in FOLDER.  Then: export SLURM_CONF=FOLDER/slurm.conf
# Ports: SLURM_TEST_PORT and the next one (default 17817).
set -euo pipefail
action=${1:?start or stop} folder=${2:?a folder} port=${SLURM_TEST_PORT:-17817}

if [ "$action" = stop ]; then
    for name in slurmd slurmctld munged; do
        if [ ! -f "$folder/$name.pid" ]; then continue; fi
        process=$(cat "$folder/$name.pid")
        kill "$process" 2>/dev/null || true
        for _ in $(seq 50); do if kill -0 "$process" 2>/dev/null; then sleep 0.1; else break; fi; done
    done
    exit 0
fi

mkdir -p "$folder"/{state,spool}
folder=$(cd "$folder" && pwd)
chmod 755 "$folder"
node=$(hostname -s)
head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 400 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --seed-file="$folder/seed" \
    --log-file="$folder/munged.log" --pid-file="$folder/munged.pid"
cat >"$folder/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0,defer_batch=0
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
slurmctld -f "$folder/slurm.conf"
for _ in $(seq 50); do if [ -f "$folder/slurmctld.pid" ]; then break; fi; sleep 0.1; done
slurmd -f "$folder/slurm.conf"
for _ in $(seq 150); do
    if SLURM_CONF=$folder/slurm.conf sinfo -h -o %T 2>/dev/null | grep -qE 'idle|mixed|alloc'; then exit 0; fi
    sleep 0.2
done
echo "Slurm did not start; see $folder/*.log" >&2
exit 1
