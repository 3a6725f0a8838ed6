#!/bin/bash
# Runs a reduction program under Slurm's srun, without a launcher of the MPI library, with each of Slurm's ways to
# introduce the ranks to each other: PMI-2, PMIx and none, with 2 to 4 ranks.
#
#     test/bed/srun.sh ALLFOLD [NAME...]
#
# NAMEs are MPIs of `scripts/other-mpi list`; default: those of Debian. Slurm's daemons are started for this run, for a
# cluster of one node, with all their files in a scratch folder, and end with it.
# A run under `allfold run` must print what the run without Allfold prints, and its report must show that Allfold
# served the call, or, if srun and the MPI library do not find each other and each process is a job of its own,
# that it was native. A run in which rank 0 alone has Allfold must end with the right result too. What fails without
# Allfold is left out with its reason. Ends with 'N passed, N failed', where each run under Allfold counts.
# Needs root and slurmctld, slurmd, slurm-client and munge; ends with 77 and the reason without them. Intel MPI needs
# libpmi2-0 as well.
set -u
here=$(dirname "$(readlink -f "$0")")
source=$(dirname "$(dirname "$here")")
allfold=$(readlink -f "$1")
shift
[ $# -gt 0 ] || set -- openmpi-4.1.4 mpich-4.0.2
unset "${!ALLFOLD_@}" "${!SLURM_@}"
passed=0 failed=0 left_out=0

refuse() { # REASON
    echo "srun.sh: $1" >&2
    exit 77
}

PATH=$PATH:/usr/sbin
for command in munged slurmctld slurmd srun; do
    command -v $command >/dev/null || refuse "$command is missing; on Debian: apt-get install slurmctld slurmd slurm-client munge"
done
[ "$(id -u)" = 0 ] || refuse "needs root, as slurmd does"

# The daemons and all that they start are in a namespace of processes, and end with it.
if [ -z "${SRUN_SCRATCH:-}" ]; then
    SRUN_SCRATCH=$(mktemp -d)
    export SRUN_SCRATCH
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --mount-proc "$here/srun.sh" "$allfold" "$@" &
    # unshare itself ignores these signals
    trap 'kill -KILL $!' TERM INT HUP
    wait $!
    status=$?
    rm -rf "$SRUN_SCRATCH"
    exit $status
fi
scratch=$SRUN_SCRATCH
# shellcheck source=test/bed/served.sh
. "$here/served.sh"

daemon() { # NAME COMMAND...
    "${@:2}" >"$scratch/$1.out" 2>&1 </dev/null &
}

# More processors than the machine has, so that each rank gets one.
start_slurm() {
    local host port=$((20000 + RANDOM % 10000))
    host=$(hostname -s)
    mkdir "$scratch/state" "$scratch/spool"
    chmod 755 "$scratch"
    head -c 1024 /dev/urandom >"$scratch/key"
    chmod 400 "$scratch/key"
    cat >"$scratch/slurm.conf" <<CONF
ClusterName=bed
SlurmctldHost=$host(127.0.0.1)
NodeName=$host NodeAddr=127.0.0.1 CPUs=16
PartitionName=all Nodes=ALL Default=YES MaxTime=10
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
CONF
    export SLURM_CONF=$scratch/slurm.conf
    daemon munged munged --force --foreground --socket="$scratch/munge.socket" --key-file="$scratch/key" \
        --pid-file="$scratch/munged.pid" --log-file="$scratch/munged.log" --seed-file="$scratch/munged.seed"
    daemon slurmctld slurmctld -D
    daemon slurmd slurmd -D
    for _ in {1..60}; do
        ! timeout 10 srun -n 1 true >"$scratch/err" 2>&1 || return 0
        sleep 1
    done
    tail -n 5 "$scratch"/*.out "$scratch/err" >&2
    refuse "Slurm's daemons do not start a process within a minute"
}

cat >"$scratch/reduce.c" <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, in[1000], out[1000], wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 1000; i++) in[i] = rank + i;
    MPI_Allreduce(in, out, 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 1000; i++) wrong += out[i] != size * i + size * (size - 1) / 2;
    printf("rank %d of %d: %d wrong\n", rank, size, wrong);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong != 0;
}
C

# srun_under MPI OUTPUT PMI RANKS COMMAND...: Intel MPI needs Slurm's own library for PMI-2
srun_under() {
    local library=()
    [ "$3" != pmi2 ] || library=(/usr/lib/*/libpmi2.so.0)
    timeout 100 "$source/scripts/other-mpi" "$1" env ${library[0]:+I_MPI_PMI_LIBRARY="${library[0]}"} \
        srun --quiet --kill-on-bad-exit --mpi="$3" -n "$4" "${@:5}" >"$2" 2>"$scratch/err" </dev/null
}

# The program's lines. MPICH's UCX warns on stdout of the message that a rank without Allfold never received.
lines() { # FILE
    grep '^rank ' "$scratch/$1" | sort
}

# judge WHAT SERVED: the last run's status and output
judge() {
    local problem=''
    if [ "$status" != 0 ]; then
        problem="ends with status $status"
    elif ! cmp -s <(lines native) <(lines out); then
        problem="prints another result"
    elif [ "$2" = yes ] && ! was_served "$scratch/report.csv"; then
        problem="Allfold served no call"
    elif [ "$2" = no ] && was_served "$scratch/report.csv"; then
        problem="Allfold served a call"
    fi
    if [ -z "$problem" ]; then
        passed=$((passed + 1))
        echo "passed: $1"
    else
        failed=$((failed + 1))
        echo "FAILED: $1: $problem"
        tail -n 10 "$scratch/out" "$scratch/err" | sed 's/^/    /'
    fi
}

compare() { # MPI PMI RANKS
    local what="$1, --mpi=$2, $3 ranks" served=yes how="served" status
    if ! srun_under "$1" "$scratch/native" "$2" "$3" "$scratch/reduce"; then
        left_out=$((left_out + 1))
        echo "left out: $what: it fails without Allfold: $(grep -m 1 -iE 'error|not built|abort|fail' "$scratch/err")"
        return
    fi
    if grep -q 'of 1:' "$scratch/native"; then served=no how="native, because each process is a job of its own"; fi
    rm -f "$scratch/report.csv"
    srun_under "$1" "$scratch/out" "$2" "$3" "$allfold" run --report="$scratch/report.csv" "$scratch/reduce"
    status=$?
    judge "$what: $how" $served
    [ $served = yes ] || return
    rm -f "$scratch/report.csv"
    printf '%s\n' "0 $allfold run --report=$scratch/report.csv $scratch/reduce" "1-$(($3 - 1)) $scratch/reduce" >"$scratch/programs"
    srun_under "$1" "$scratch/out" "$2" "$3" --multi-prog "$scratch/programs"
    status=$?
    what+=", with Allfold on rank 0 alone"
    if [ $status != 0 ] && grep -q 'unmatched message' "$scratch/err" && cmp -s <(lines native) <(lines out); then
        left_out=$((left_out + 1))
        echo "left out: $what: the result is right, but MPICH takes the unmatched message for an error"
        return
    fi
    judge "$what: native" no
}

start_slurm
for mpi; do
    if ! "$source/scripts/other-mpi" "$mpi" mpicc -o "$scratch/reduce" "$scratch/reduce.c" >"$scratch/err" 2>&1; then
        left_out=$((left_out + 1))
        echo "left out: $mpi: $(tail -n 1 "$scratch/err")"
        continue
    fi
    for pmi in pmi2 pmix none; do
        for ranks in 2 3 4; do compare "$mpi" "$pmi" "$ranks"; done
    done
done
echo "srun: $left_out left out"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
