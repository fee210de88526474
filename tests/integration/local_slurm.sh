#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A Slurm cluster of one node on this machine, for tests: munge, slurmctld and slurmd in FOLDER, on loopback.
#   local_slurm.sh start FOLDER    exit code 77 with a reason on stdout where it cannot be
#   local_slurm.sh stop FOLDER
set -u
folder=$2
export SLURM_CONF=$folder/slurm.conf PATH=$PATH:/usr/sbin:/sbin

cannot() {
  echo "$1"
  exit 77
}

configure() {
  local host port=$((20000 + RANDOM % 20000))
  host=$(hostname -s)
  cat >"$SLURM_CONF" <<END
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge.sock
CredType=cred/munge
SlurmUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=30
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,requeue_delay=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=1:00:00 State=UP PriorityTier=1 GraceTime=60
PartitionName=urgent Nodes=$host MaxTime=1:00:00 State=UP PriorityTier=10 PreemptMode=OFF
END
}

start() {
  local program try
  [[ $EUID == 0 ]] || cannot "a cluster for tests is started as root"
  for program in munged slurmctld slurmd sbatch srun; do
    command -v "$program" >/dev/null || cannot "$program is not installed (Debian packages slurm-wlm and munge)"
  done
  (($(nproc) > 1)) || cannot "two ranks need two cores"
  mkdir -p "$folder"/{state,spool}
  head -c 128 /dev/urandom >"$folder/munge.key"
  chmod 400 "$folder/munge.key"
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.sock" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" --num-threads=1 ||
    cannot "munged does not start: $(tail -n 1 "$folder/munged.log")"
  configure
  slurmctld -c || cannot "slurmctld does not start: $(tail -n 1 "$folder/slurmctld.log")"
  slurmd -c || cannot "slurmd does not start: $(tail -n 1 "$folder/slurmd.log")"
  for try in $(seq 60); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && exit 0
    sleep 0.5
  done
  cannot "the node does not come up: $(tail -n 1 "$folder/slurmd.log")"
}

stop() {
  local name
  scancel --user=root 2>/dev/null
  for name in slurmd slurmctld munged; do
    [[ ! -s $folder/$name.pid ]] || kill "$(<"$folder/$name.pid")" 2>/dev/null
  done
}

"$1"
