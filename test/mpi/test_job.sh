#!/bin/bash
# Jobs in which not all processes run Allfold: nothing waits for those that do not, and the report
# says why their collectives are native.
# Usage: test_job.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
unset "${!ALLFOLD_@}"
limit_s=100 # a rank that waits for one without Allfold waits for ever
launch() { run "$source/scripts/launch" "$mpi" "$@"; }
shows() { [[ $out == *"$1"* ]]; }
under=("$build/bin/allfold" run)
spawn=$build/bin/mpi_spawn_$mpi sums=$build/bin/mpi_sums_$mpi
reported() { grep -q "$1" "$scratch/report.csv"; }

# whichever ranks run without Allfold, all others find that out; each case takes ten seconds, as long as
# a silent rank is waited for
for missing in "" 0 "1 2" ordinary "ordinary 1 2"; do
    launch 5 "$build/bin/mpi_presence_$mpi" $missing
    expect "5 ranks, of which these run without Allfold: '$missing'" shows "5 passed, 0 failed"
done

launch 2 "$spawn"
if shows " 0 failed"; then
    for ranks in 1 2 3; do
        launch "$ranks" "${under[@]}" --report="$scratch/report.csv" "$spawn"
        expect "$ranks ranks under Allfold spawn, merge and reduce" shows " 0 failed"
    done
    expect "the merged communicator is native, and the report says why" \
        reported "another MPI_COMM_WORLD"
    expect "and MPI_COMM_WORLD is ours" reported "recursive\|flat"
else
    skip "processes that are spawned" "this MPI cannot spawn here, without Allfold either"
fi

launch 2 "${under[@]}" -v "$sums" allreduce 8 8000
expect "with -v the start says where its time goes" \
    eval '[[ "$out$err" =~ start,\ microseconds:\ .*presence\ [0-9]+,.*\ node\ memory\ [0-9]+ ]]'

# a communicator with a lane of its own is not worth one for a single short call
# (what is forced are those in which the MPI libraries write past their memory)
ours=(env ALLFOLD_ALGORITHM=reduce_scatter_block=flat,reduce_scatter=flat,allgather=ring,allgatherv=circulant,barrier=dissemination)
threads=("$source/scripts/launch" "$mpi" 2 "${under[@]}" --report="$scratch/report.csv"
    "$build/bin/mpi_threads_$mpi" --threads 2)
run "${ours[@]}" "${threads[@]}"
expect "threads have right results" shows " 0 failed"
expect "a first short call on a communicator is native, the report says" \
    reported "first call, which is short"
expect "and later ones are ours" reported "recursive\|flat"
run "${ours[@]}" ALLFOLD_NONBLOCKING=1 "${threads[@]}"
expect "none is where nonblocking calls wait for the lane" eval '! reported "which is short"'

sessions=$build/bin/mpi_sessions_$mpi
launch 2 "${under[@]}" --report "$sessions" : -n 1 "$sessions"
if shows "no sessions"; then
    skip "sessions" "$out"
else
    expect "a program with sessions alone is native, whatever ranks run Allfold" shows " 0 failed"
    expect "and says so" said "uses MPI's sessions"
fi

launch 1 "${under[@]}" --report="$scratch/report.csv" "$sums" allreduce 8 8000 : -n 1 "$sums" allreduce 8 8000
expect "a job of two programs ends, of which one runs Allfold" [ "$status" = 0 ]
expect "and says that all is native, and why" said "does not run this build of Allfold"
expect "and so does its report" reported "does not run this build of Allfold"
launch 1 "$sums" allreduce 8 8000 : -n 2 "${under[@]}" "$sums" allreduce 8 8000
expect "the other way round, too" [ "$status" = 0 ]
launch 1 "${under[@]}" --report="$scratch/report.csv" "$sums" allreduce 8 8000 : -n 1 "${under[@]}" "$sums" allreduce 8 8000
expect "a job of two programs that both run Allfold ends" [ "$status" = 0 ]
expect "and is served" reported recursive

finish
