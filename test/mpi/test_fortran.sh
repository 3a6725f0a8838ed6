#!/bin/bash
# Fortran programs are served: with mpif.h and the modules mpi and mpi_f08, results are right and the
# report counts their calls.
# Usage: test_fortran.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
logs=(out err report.csv)

launch() {
    rm -f "$scratch/report.csv"
    ALLFOLD_ALGORITHM=allreduce=recursive_doubling,reduce=binomial_tree,bcast=binomial_tree,reduce_scatter_block=pairwise_exchange,allgather=ring,barrier=dissemination,reduce_scatter=circulant,allgatherv=circulant,scan=simultaneous_trees,exscan=doubling_123 \
        "$source/scripts/launch" "$mpi" "$1" "${@:3}" "$scratch/$2" >"$scratch/out" 2>"$scratch/err"
    status=$?
}

# served_all: four calls of each collective, all by the algorithm that was forced
served_all() {
    python3 -c "
import csv
calls = {}
for row in csv.DictReader(open('$scratch/report.csv')):
    assert row['chosen'] == 'forced', row
    calls[row['collective']] = calls.get(row['collective'], 0) + int(row['calls'])
assert calls == dict.fromkeys(['allreduce', 'reduce', 'bcast', 'reduce_scatter_block', 'allgather',
                               'barrier', 'reduce_scatter', 'allgatherv', 'scan', 'exscan'], 4), calls" >>"$scratch/out" 2>&1
}

if ! command -v "mpifort.$mpi" >/dev/null || ! "mpifort.$mpi" --version >/dev/null 2>&1; then
    skip_all "Fortran with $mpi (no compiler: mpifort.$mpi does not run)"
fi

# Intel MPI has no module mpi_f08 for gfortran
bindings=(MPIF_H MPI MPI_F08)
printf 'program p\nuse mpi_f08\nend program\n' >"$scratch/f08.f90"
if ! "mpifort.$mpi" -o "$scratch/f08" "$scratch/f08.f90" >"$scratch/out" 2>&1; then
    skip "the module mpi_f08" "this MPI has none for this compiler"
    bindings=(MPIF_H MPI)
fi

for binding in "${bindings[@]}"; do
    "mpifort.$mpi" -O1 -w -fallow-argument-mismatch "-DUSE_$binding" -J "$scratch" \
        "$source/test/mpi/fortran.F90" -o "$scratch/$binding" >"$scratch/out" 2>&1
    expect "$binding: a program builds" [ $? = 0 ]
    [ -x "$scratch/$binding" ] || continue
    launch 2 "$binding"
    expect "$binding: it is right without Allfold" [ "$status $(cat "$scratch/out")" = "0 right" ]
    for ranks in 2 3; do
        launch "$ranks" "$binding" "$build/bin/allfold" run --report="$scratch/report.csv"
        expect "$binding: it is right on $ranks ranks" [ "$status $(cat "$scratch/out")" = "0 right" ]
        expect "$binding: it is served on $ranks ranks" served_all
    done
    export ALLFOLD_VERBOSE=1
    launch 2 "$binding" "$build/bin/allfold" run
    unset ALLFOLD_VERBOSE
    expect "$binding: hints come through" [ "$(cat "$scratch/out" "$scratch/err" | grep -c 'allfold_sparse is ignored')" = 2 ]
done

# served_nonblocking: all of six rounds, of each collective so many; all barriers are nonblocking
served_nonblocking() {
    python3 -c "
import csv
calls = {}
for row in csv.DictReader(open('$scratch/report.csv')):
    if row['chosen'] == 'forced':
        calls[row['collective']] = calls.get(row['collective'], 0) + int(row['calls'])
assert calls == {'allreduce': 108, 'reduce': 18, 'bcast': 24, 'reduce_scatter_block': 18, 'allgather': 18,
                 'reduce_scatter': 18, 'allgatherv': 18, 'barrier': 60, 'scan': 18, 'exscan': 18}, calls" >>"$scratch/out" 2>&1
}

more=(-O1 -w -fallow-argument-mismatch)
# Open MPI 4 has persistent collectives as extensions
extensions=$(printf '#include <mpi.h>\n#include <mpi-ext.h>\n' | "mpicc.$mpi" -E -P -x c - 2>"$scratch/err")
[[ $extensions != *MPIX_Allreduce_init* ]] || more+=(-DEXTENSIONS)
# Intel MPI's Fortran takes MPI_IN_PLACE of MPI_Iexscan for a buffer
"mpifort.$mpi" "${more[@]}" -DUSE_MPIF_H -J "$scratch" "$source/test/mpi/fortran_types.F90" -o "$scratch/natively" \
    >"$scratch/out" 2>&1
launch 2 natively
if grep -q '^WRONG: Iexscan' "$scratch/out"; then
    skip "MPI_Iexscan in place" "this MPI library fails by itself"
    more+=(-DWITHOUT_IEXSCAN_IN_PLACE)
fi

# more types and calls, which are served or left to the MPI library
for binding in "${bindings[@]}"; do
    "mpifort.$mpi" "${more[@]}" "-DUSE_$binding" -J "$scratch" \
        "$source/test/mpi/fortran_types.F90" -o "$scratch/types_$binding" >"$scratch/out" 2>&1
    expect "$binding: a program with more types builds" [ $? = 0 ]
    launch 2 "types_$binding" "$build/bin/allfold" run --report="$scratch/report.csv"
    expect "$binding: more types are right" [ "$status $(cat "$scratch/out")" = "0 right" ]
    export ALLFOLD_NONBLOCKING=1
    for ranks in 2 3; do
        launch "$ranks" "types_$binding" "$build/bin/allfold" run --report="$scratch/report.csv"
        expect "$binding: nonblocking calls are right" [ "$status $(cat "$scratch/out")" = "0 right" ]
        expect "$binding: nonblocking calls are served" served_nonblocking
    done
    unset ALLFOLD_NONBLOCKING
done

# Sized types: right where native is right, and where it is wrong (MPI_REAL16); the report names an
# algorithm for each call.
# By the header of this MPI library and of that for which Allfold was built
has_type() {
    local wrapper
    for wrapper in "mpicc.$mpi" "$(sed -n "s/^ALLFOLD_MPICC_$mpi:.*=//p" "$build/CMakeCache.txt")"; do
        ! printf '#include <mpi.h>\n%s\n' "$1" | "$wrapper" -E -P -x c - | tail -1 | grep -qx "$1" || return 1
    done
}
sized=(-w -O1 -fallow-argument-mismatch) calls=19
if has_type MPI_REAL16; then sized+=(-DHAVE_REAL16) calls=$((calls + 3)); else
    skip "MPI_REAL16" "this MPI library has no such type"
fi
if has_type MPI_LOGICAL8; then sized+=(-DHAVE_LOGICAL8) calls=$((calls + 4)); else
    skip "MPI_LOGICAL8" "this MPI library has no such type"
fi

# served_sized: so many calls, all by an algorithm of ours
served_sized() {
    python3 -c "
import csv
rows = list(csv.DictReader(open('$scratch/report.csv')))
assert all(row['algorithm'] in ('recursive_doubling', 'binomial_tree') for row in rows), rows
assert sum(int(row['calls']) for row in rows) == $calls, rows" >>"$scratch/out" 2>&1
}

for binding in "${bindings[@]}"; do
    "mpifort.$mpi" "${sized[@]}" "-DUSE_$binding" -J "$scratch" \
        "$source/test/mpi/fortran_sized.F90" -o "$scratch/sized_$binding" >"$scratch/out" 2>&1
    expect "$binding: a program of sized types builds" [ $? = 0 ]
    for ranks in 2 3; do
        launch "$ranks" "sized_$binding" "$build/bin/allfold" run --report="$scratch/report.csv"
        expect "$binding: sized types are right on $ranks ranks" [ "$status $(cat "$scratch/out")" = "0 right" ]
        expect "$binding: sized types are served on $ranks ranks" served_sized
    done
done

# the example prints the same without and under Allfold, and what is exact; it is a program of mpi_f08
[[ " ${bindings[*]} " == *" MPI_F08 "* ]] || finish
"mpifort.$mpi" -O2 -J "$scratch" "$source/examples/power/power.f90" -o "$scratch/power" >"$scratch/out" 2>&1
expect "the example builds" [ $? = 0 ]
for ranks in 1 3; do
    launch "$ranks" power
    native=$(cat "$scratch/out")
    [[ $native =~ ^largest\ eigenvalue\ ([0-9.]+),\ exactly\ ([0-9.]+) ]]
    expect "the example is right on $ranks ranks" [ "$status ${BASH_REMATCH[1]:-}" = "0 ${BASH_REMATCH[2]:-}" ]
    launch "$ranks" power "$build/bin/allfold" run --report="$scratch/report.csv"
    expect "the example prints the same on $ranks ranks" [ "$status $(cat "$scratch/out")" = "0 $native" ]
done
expect "the example's sums are served" grep -qE ',allreduce,3,16,16,1501,.*forced' "$scratch/report.csv"

finish
