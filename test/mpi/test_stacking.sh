#!/bin/bash
# Another tool in the chain, before the library and after it, and MPI_Pcontrol.
# Usage: test_stacking.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY LAYER
set -u
mpi=$1 build=$2 source=$3 layer=$4
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
ours=$(readlink -f "$build/lib/allfold/liballfold-preload.so")
unset "${!ALLFOLD_@}"
export ALLFOLD_REPORT=$scratch/report.csv ALLFOLD_ALGORITHM=allreduce=recursive_doubling,bcast=binomial_tree

arguments=
# with LIBRARIES [NAME=VALUE...]: runs the program on 3 ranks with these preloaded
with() {
    rm -f "$ALLFOLD_REPORT"
    run "$source/scripts/launch" "$mpi" 3 env LD_PRELOAD="$1" "${@:2}" "$build/bin/mpi_stacked_$mpi" \
        $arguments
    expect "results are right with $1 ${*:2}" [ "$status" = 0 ]
}
layer_saw() { said "layer: $1 reductions, $2 broadcasts"; }
# served ALLREDUCES BCASTS: what the report says that we ran
served() {
    python3 - "$ALLFOLD_REPORT" "$@" <<'END'
import csv, sys
calls = {'recursive_doubling': 0, 'binomial_tree': 0}
for row in csv.DictReader(line for line in open(sys.argv[1]) if not line.startswith('#')):
    if row['algorithm'] in calls:
        calls[row['algorithm']] += int(row['calls'])
sys.exit([str(n) for n in calls.values()] != sys.argv[2:])
END
}

with "$ours"
expect "a level that one rank gives changes nothing of who serves" served 30 3
arguments=0
with "$ours"
expect "rank 0 leaves out of its report what it says" served 20 2
with "$ours" ALLFOLD_REPORT="$ALLFOLD_REPORT,compare"
expect "also where calls are compared" served 20 2
arguments=
with "$layer:$ours"
expect "a tool before us sees all" layer_saw 30 3
expect "and we serve what it hands on" served 30 3
with "$ours:$layer"
expect "a tool after us sees nothing of what we serve" layer_saw 0 0
with "$ours:$layer" ALLFOLD_ALGORITHM=allreduce=recursive_doubling,bcast=native
expect "and what a rule leaves to MPI" layer_saw 0 3
expect "and we serve the rest" served 30 0
arguments=0
with "$layer:$ours" LAYER_CALLS=pmpi
arguments=
expect "a tool that calls PMPI_ sees all" layer_saw 30 3
expect "and that it passes us by is said" said "MPI_Finalize did not come to this library"
with "$ours:$layer" LAYER_CALLS=pmpi ALLFOLD_ALGORITHM=allreduce=recursive_doubling,bcast=native
expect "after us it is none of our business" layer_saw 0 3
expect "and nothing is complained of" [ "$(grep -c "did not come" "$scratch/err")" = 0 ]
expect "and we serve all else" served 30 0

# what native takes beside calls in place is that of calls in place
arguments=in_place
with "$ours:$layer" ALLFOLD_REPORT="$ALLFOLD_REPORT,compare"
expect "compared calls in place are made in place" said "layer: 8 in place"
expect "and no others" layer_saw 8 0
with "$ours:$layer" ALLFOLD_REPORT="$ALLFOLD_REPORT,bits"
expect "the bits of exact sums need no comparison" said "layer: 0 in place"
arguments=

# a program that takes its functions by dlsym
rm -f "$ALLFOLD_REPORT"
run "$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" run "$build/bin/mpi_own_handle_$mpi"
expect "a program with a handle of its own is right" grep -qx right "$scratch/out"
expect "and served" grep -qE ",allreduce,2,4,.*recursive_doubling.*forced" "$ALLFOLD_REPORT"
expect "and nothing is complained of" [ "$(grep -c "did not come\|no call of MPI" "$scratch/err")" = 0 ]

arguments=startall
with "$ours:$layer" ALLFOLD_NONBLOCKING=1
expect "requests that are not ours go on in one call, as the program made it" \
    said "layer: 0 MPI_Start, 2 MPI_Startall of 4 requests"

finish
