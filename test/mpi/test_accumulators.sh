#!/bin/bash
# Exact sums give the same bytes on any number of ranks, by any algorithm: from C, Fortran and Python.
# Usage: test_accumulators.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
logs=(out)

# launch RANKS WORDS...
launch() {
    "$source/scripts/launch" "$mpi" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
}

# the_same NAME WORDS...: on all numbers of ranks, also with other algorithms
the_same() {
    local name=$1 first="" ranks algorithm
    shift
    for ranks in 1 2 3 5 8; do
        launch "$ranks" "$@"
        expect "$name runs on $ranks ranks" [ "$status" = 0 ]
        [ -n "$first" ] || first=$(cat "$scratch/out")
        expect "$name prints the same on $ranks ranks" [ "$(cat "$scratch/out")" = "$first" ]
    done
    for algorithm in ring halving_doubling pipelined_tree native; do
        export ALLFOLD_ALGORITHM=allreduce=$algorithm
        launch 3 "$@"
        expect "$name prints the same by $algorithm" [ "$(cat "$scratch/out")" = "$first" ]
    done
    unset ALLFOLD_ALGORITHM
    expect "$name prints something" [ -n "$first" ]
}

example=$build/bin/example_same_residuals_$mpi
the_same "the example" "$example" 24 40
plain=$(for ranks in 1 2 3 5 8; do
    launch "$ranks" "$example" --plain 24 40
    md5sum <"$scratch/out"
done | sort -u | wc -l)
expect "ordinary sums differ with the number of ranks" [ "$plain" -gt 1 ]

if "mpifort.$mpi" --version >/dev/null 2>&1; then
    "mpifort.$mpi" -O1 -J "$scratch" "$source/include/allfold_accumulators.f90" "$source/test/mpi/accumulators.f90" \
        "$build/lib/allfold/liballfold-$mpi.so" -Wl,-rpath,"$build/lib/allfold" -o "$scratch/fortran" \
        >"$scratch/out" 2>&1
    expect "a Fortran program builds" [ $? = 0 ]
    the_same "Fortran" "$scratch/fortran"
    launch 3 "$scratch/fortran"
    expect "Fortran's sum is 1e-300" grep -q '^01A56E1FC2F8F359 ' "$scratch/out"
    # what the head of the module says of its use
    {
        echo "program usage"
        grep -E '^!     use' "$source/include/allfold_accumulators.f90" | tail -n 1 | sed 's/^!//'
        grep -E '^!     use, intrinsic' "$source/include/allfold_accumulators.f90" | sed 's/^!//'
        printf '%s\n' "use mpi" "implicit none" "integer :: ierror, comm, rank" "double precision :: x(3) = [1d300, 0.5d0, -1d300], s"
        grep -E '^!     type' "$source/include/allfold_accumulators.f90" | sed 's/^!//'
        printf '%s\n' "call MPI_Init(ierror)" "comm = MPI_COMM_WORLD" "call MPI_Comm_rank(comm, rank, ierror)"
        grep -E '^!     (call|ierror|s =)' "$source/include/allfold_accumulators.f90" | sed 's/^!//'
        printf '%s\n' "print '(F0.2)', s" "call MPI_Finalize(ierror)" "end program"
    } >"$scratch/usage.f90"
    "mpifort.$mpi" -J "$scratch" "$source/include/allfold_accumulators.f90" "$scratch/usage.f90" \
        "$build/lib/allfold/liballfold-$mpi.so" -Wl,-rpath,"$build/lib/allfold" -o "$scratch/usage" >"$scratch/out" 2>&1
    expect "the module's usage compiles as it stands there" [ $? = 0 ]
    launch 2 "$scratch/usage"
    expect "and two ranks' sum is right" grep -qx '1.00' "$scratch/out"
else
    skip "Fortran" "no compiler: mpifort.$mpi does not run"
fi

if [ "$mpi" = openmpi ] && /usr/bin/python3 -c 'from mpi4py import MPI' 2>/dev/null; then
    python_sum() { the_same Python "$build/bin/allfold" run bash -c \
        "/usr/bin/python3 '$source/examples/python/exact_sum.py' 5000 | grep -v ordinary; exit \${PIPESTATUS[0]}"; }
    python_sum
    launch 2 "$build/bin/allfold" run /usr/bin/python3 "$source/examples/python/exact_sum.py" 5000
    expect "Python's sum is that of math.fsum" [ "$(sed -n 's/^exact //p' "$scratch/out")" = "$(/usr/bin/python3 -c '
import math
print(math.fsum(math.sin(i) * 10 ** (i % 30) for i in range(5000)).hex())')" ]
else
    skip "Python" "mpi4py is not installed for $mpi"
fi

finish
