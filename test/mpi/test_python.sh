#!/bin/bash
# Python programs are served: mpi4py's calls of buffers and of objects give right results, natively and
# under Allfold, and the report counts them.
# Usage: test_python.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
logs=(out report.csv)
# Debian builds mpi4py for Open MPI
mpi=openmpi

python=
for found in /usr/bin/python3 "$(type -P python3)"; do # Debian's first: another one may be in its way
    [ -z "$python" ] && "$found" -c 'from mpi4py import MPI' 2>/dev/null && python=$found
done
[ -n "$python" ] || skip_all "Python programs (python3-mpi4py is not installed)"
"$python" -c 'from mpi4py import MPI; import sys; sys.exit("Open MPI" not in MPI.Get_library_version())' ||
    skip_all "Python programs (mpi4py is not built for Open MPI)"

program=$source/test/mpi/python.py
launch() {
    "$source/scripts/launch" "$mpi" "$1" "${@:2}" "$python" "$program" 2>&1 |
        grep -v "^allfold: the report is in" >"$scratch/out"
    status=${PIPESTATUS[0]}
}

launch 3
expect "right without Allfold" [ "$status $(cat "$scratch/out")" = "0 right" ]
for ranks in 2 3; do
    export ALLFOLD_ALGORITHM=allreduce=recursive_doubling,bcast=binomial_tree,allgather=ring
    launch "$ranks" "$build/bin/allfold" run --report="$scratch/report.csv"
    expect "right on $ranks ranks" [ "$status $(cat "$scratch/out")" = "0 right" ]
    for collective in allreduce bcast allgather; do
        grep -qE ",$collective,$ranks,.*forced" "$scratch/report.csv"
        check "$collective is served on $ranks ranks" $?
    done
done

program=$source/examples/python/moments.py
for ranks in 1 3; do
    launch "$ranks"
    native=$(cat "$scratch/out")
    expect "the example is right on $ranks ranks" grep -qx 'mean 1000000.000018, deviation 0.707107' "$scratch/out"
    launch "$ranks" "$build/bin/allfold" run --report="$scratch/report.csv"
    expect "the example prints the same on $ranks ranks" [ "$status $(cat "$scratch/out")" = "0 $native" ]
done
expect "the example's extremes are served" grep -qE ',allreduce,3,16,16,1,.*forced' "$scratch/report.csv"

finish
