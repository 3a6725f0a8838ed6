#!/bin/bash
# docs/coverage.md is what scripts/coverage makes of the code, and says what is known to hold.
# Usage: test_coverage_page.sh SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$1" || exit 1
page=docs/coverage.md
logs=(log)

scripts/coverage --check >"$scratch/log" 2>&1
check "$page is what the code says; else run \`make docs\` and commit" $?
expect "MPI_Allreduce is served by default" grep -q '^| MPI_Allreduce | yes | C, Fortran | C, Fortran |' $page
expect "MPI_Barrier is there" grep -q '^| MPI_Barrier |' $page
expect "MPI_INTEGER8 runs in kernels" grep -q '^| `MPI_INTEGER8` | sum, .*kernels of `int64`' $page
expect "MPI_CHAR runs in MPI_Reduce_local" grep -q '^| `MPI_CHAR` | none |  | sum, ' $page

# a collective that is not served any more, and a type that is not listed, make it stale
mkdir -p "$scratch/copy/src/mpi" && cp -r scripts docs include "$scratch/copy" &&
    cp -r src/mpi/collectives.def src/mpi/interpose src/mpi/handles "$scratch/copy/src/mpi" &&
    cp -r src/algorithms "$scratch/copy/src"
expect "it is fresh in a copy" "$scratch/copy/scripts/coverage" --check
sed -i 's/^SERVED(reduce,/PASSED(reduce,/' "$scratch/copy/src/mpi/collectives.def"
"$scratch/copy/scripts/coverage" --check >"$scratch/log" 2>&1
expect "it is stale if MPI_Reduce passes through" [ $? = 1 ]
cp src/mpi/collectives.def "$scratch/copy/src/mpi/"
sed -i '/MPI_INTEGER8,/d' "$scratch/copy/src/mpi/handles/type_list.h"
"$scratch/copy/scripts/coverage" --check >"$scratch/log" 2>&1
expect "it is stale without MPI_INTEGER8" [ $? = 1 ]

finish
