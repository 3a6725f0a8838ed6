#!/bin/bash
# A rank that is stopped: the others say for whom they wait, and once it goes on the result is right.
# Usage: test_late.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"

# soon CONDITION...: waits until it holds, 30 seconds at most
soon() {
    local tries
    for ((tries = 0; tries < 300; tries++)); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}

# has_stopped: the rank has; then $process is its
has_stopped() {
    process=$(sed -n 's/^stopped: //p' "$scratch/out")
    [ -n "$process" ] && grep -q '^State:.*T' "/proc/$process/status" 2>/dev/null
}

# late NAME TEXT RANKS CALL [NUMBER]: rank RANKS - 1 is stopped before that call until the text is on
# stderr
late() {
    local launched process
    timeout --kill-after=10 100 "$source/scripts/launch" "$mpi" "${@:3:1}" \
        "$build/bin/mpi_late_$mpi" "${@:4}" >"$scratch/out" 2>"$scratch/err" </dev/null &
    launched=$!
    soon has_stopped
    expect "$1: the missing rank is named" soon grep -qE -- "$2" "$scratch/err"
    [ -z "$process" ] || kill -CONT "$process"
    wait "$launched"
    expect "$1: it ends well" [ $? = 0 ]
    expect "$1: the result is right" grep -qx right "$scratch/out"
}

export ALLFOLD_TIMEOUT=300ms
world='MPI_COMM_WORLD \(3 ranks\), call 9 there, has waited [0-9.]* s on rank 0; ranks that'
absent="$world have not come: 2\$"
silent="$world do not answer: 2\$"
late "through memory" "allfold: MPI_Allreduce on $absent" 3 short
late "a long one through memory" "MPI_Allreduce on $absent" 3 long
late "a barrier" "MPI_Barrier on $absent" 3 barrier
ALLFOLD_ALGORITHM=barrier=native late "a native one" "MPI_Barrier on $absent" 3 barrier
late "another communicator" \
    'on reversed \(4 ranks\), call 9 .* rank 1; .* have not come: 0 \(in MPI_COMM_WORLD: 3\)' 4 reversed
late "the first call" 'call 1 there, has waited [0-9.]* s on rank 0; ranks that have not come: 1$' 2 short 0
late "the first call on another communicator" 'the first call on reversed \(4 ranks\) has waited .* on rank' 4 reversed 0
late "a plan" '^missing by the plan: 2$' 3 plan
export ALLFOLD_TRANSPORT=shared_memory=off
late "through MPI" "MPI_Allreduce on $silent" 3 short
late "a plan through MPI" '^missing by the plan: 2$' 3 plan
ALLFOLD_NETWORK=nodes=2,1 ALLFOLD_TRANSPORT=shared_memory=1 late "on another node" "MPI_Allreduce on $silent" 3 short

# the stopped one may outlive the job, as it hears of nothing
ALLFOLD_TIMEOUT=300ms,abort timeout --kill-after=10 100 "$source/scripts/launch" "$mpi" 2 \
    "$build/bin/mpi_late_$mpi" short >"$scratch/out" 2>"$scratch/err" </dev/null &
launched=$!
expect "abort: the missing rank is named" soon grep -q 'ranks that .*: 1$' "$scratch/err"
soon has_stopped
sleep 0.5 # in which the others end
kill -CONT "$process" 2>/dev/null
wait "$launched"
status=$?
! [ "/proc/$process/exe" -ef "$build/bin/mpi_late_$mpi" ] || kill -KILL "$process"
expect "abort: the job has ended by itself" [ "$status" != 124 ]
expect "abort: the job has failed" [ "$status" != 0 ]
finish
