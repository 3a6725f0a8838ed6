#!/bin/bash
# No leak of ours after MPI_Finalize, in programs that use many communicators, shapes and the
# report. Only valgrind's records of lost memory that name our library count: the MPI libraries have
# leaks of their own.
# Usage: test_leaks.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
command -v valgrind >/dev/null || skip_all "valgrind is not installed"
logs=(ours out)
# what choices leave to the MPI library is to be ours
export ALLFOLD_ALGORITHM=reduce_scatter_block=flat,reduce_scatter=flat,allgather=ring,allgatherv=circulant,barrier=dissemination

leaks_of() {
    local name=$1
    shift
    ALLFOLD_REPORT=1 "$source/scripts/launch" "$mpi" 2 valgrind --trace-children=yes \
        --trace-children-skip='*mpirun*,*/sh' --leak-check=full --show-leak-kinds=all \
        --log-file="$scratch/$name.%p" "$build/bin/allfold" run "$@" >"$scratch/out" 2>&1
    local status=$?
    # a record ends with an empty line; what MPI or PMIx allocates for us has a function of theirs in it
    cat "$scratch/$name".* | sed -E 's/^==[0-9]+== ?//' >"$scratch/all"
    awk 'BEGIN { RS = ""; ORS = "\n\n" }
        /(lost|still reachable) in loss record/ && /allfold_/ && !/PMPI_|PMIx_/' "$scratch/all" >"$scratch/ours"
    if [ "$status" = 0 ] && [ ! -s "$scratch/ours" ] && grep -q "HEAP SUMMARY" "$scratch/all"; then
        ok "$name"
    else
        bad "$name" "exit status $status"
    fi
}

echo '{"allfold_table": 1, "rows": [{"collective": "allreduce", "nodes": 1, "ppn": 2,
    "algorithm": "chain"}]}' >"$scratch/table.json"
ALLFOLD_TABLE=$scratch/table.json leaks_of table "$build/bin/example_cg_$mpi" --poisson 8
leaks_of communicators "$build/bin/mpi_communicators_$mpi" --cycles 20 --except 'intercommunicator'
leaks_of reductions "$build/bin/mpi_reductions_$mpi" --scale 4
leaks_of comm_set "$build/bin/mpi_comm_set_$mpi"
ALLFOLD_TEST=cache=1K leaks_of small_cache "$build/bin/mpi_reductions_$mpi" --scale 2

finish
