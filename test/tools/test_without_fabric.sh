#!/bin/bash
# A build without libfabric's headers is whole: a program that asks for the fabric runs over MPI.
# Usage: test_without_fabric.sh MPI SOURCE_DIRECTORY
set -u
mpi=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cmake -S "$source" -B "$scratch/build" -DALLFOLD_FABRIC=OFF -DCMAKE_BUILD_TYPE=Release >"$scratch/said" 2>&1
expect "it configures" [ $? = 0 ]
cmake --build "$scratch/build" --parallel 2 --target allfold "allfold-$mpi" "allfold-info-$mpi" \
    "mpi_reductions_$mpi" >"$scratch/said" 2>&1
expect "it builds: $(tail -n 1 "$scratch/said")" [ $? = 0 ]
expect "it knows no libfabric" [ "$(grep -c 'fi_getinfo' "$scratch/build/src/liballfold_fabric.a")" = 0 ]
expect "programs run" "$(dirname "$0")/test_fabric.sh" "$mpi" "$scratch/build" "$source"
finish
