#!/bin/bash
# make install: the command finds its libraries beside itself, pkg-config's words build a program
# against allfold.h, and the installed command runs an unmodified one.
# Usage: test_install.sh BUILD_DIRECTORY SOURCE_DIRECTORY MPI...
set -u
build=$1 source=$2
shift 2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
logs=(log)
installed=$scratch/installed

cmake --install "$build" --prefix "$installed" >"$scratch/log" 2>&1
check "cmake --install" $?
"$installed/bin/allfold" info >"$scratch/log" 2>&1 && grep -qF "$installed/lib/allfold/" "$scratch/log"
check "the installed allfold finds its libraries" $?
[ -s "$installed/share/man/man1/allfold.1" ]
check "the manual page is installed" $?

cat >"$scratch/api.c" <<'END'
#include <allfold.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, p, wrong = 0;
    long mine, sum = 0, most = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    mine = rank + 1;
    wrong |= allfold_allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= sum != (long)p * (p + 1) / 2;
    wrong |= allfold_reduce(&mine, &most, 1, MPI_LONG, MPI_MAX, p - 1, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= allfold_bcast(&most, 1, MPI_LONG, p - 1, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= most != p;
    long blocks[64], block = 0;
    wrong |= allfold_allgather(&mine, 1, MPI_LONG, blocks, 1, MPI_LONG, MPI_COMM_WORLD) != MPI_SUCCESS;
    for (int i = 0; i < p; i++)
        wrong |= blocks[i] != i + 1;
    wrong |= allfold_comm_set(MPI_COMM_WORLD, "ALLFOLD_REDUCE_SCATTER_BLOCK", "flat") != MPI_SUCCESS;
    wrong |= allfold_reduce_scatter_block(blocks, &block, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= block != (long)p * (rank + 1);
    wrong |= allfold_barrier(MPI_COMM_WORLD) != MPI_SUCCESS;
    if (rank == 0)
        printf("version %s, %s\n", allfold_version(), wrong ? "wrong" : "right");
    MPI_Finalize();
    return wrong;
}
END

for mpi in "$@"; do
    export PKG_CONFIG_PATH=$installed/lib/pkgconfig
    # shellcheck disable=SC2046
    "mpicc.$mpi" "$scratch/api.c" $(pkg-config --cflags --libs "allfold-$mpi") \
        -o "$scratch/api_$mpi" >"$scratch/log" 2>&1
    check "a program builds against allfold.h ($mpi)" $?
    ALLFOLD_REPORT=1 "$source/scripts/launch" "$mpi" 3 "$scratch/api_$mpi" >"$scratch/log" 2>&1 &&
        grep -q ', right$' "$scratch/log" && grep -qE '^reduce +3 ' "$scratch/log" &&
        grep -qE '^reduce_scatter_block +3 +24 .* flat +forced' "$scratch/log"
    check "a program that calls allfold.h computes right ($mpi)" $?
    "$source/scripts/launch" "$mpi" 3 "$installed/bin/allfold" run --report \
        "$build/bin/example_fem_$mpi" --steps 3 >"$scratch/log" 2>&1 &&
        grep -q 'result: passed' "$scratch/log" && grep -qE '^reduce +3 ' "$scratch/log"
    check "the installed command runs an unmodified program ($mpi)" $?
    "$source/scripts/launch" "$mpi" 3 "$installed/bin/allfold" info >"$scratch/log" 2>&1 &&
        grep -q '^Ranks: 3 on 1 node, 3 on each$' "$scratch/log"
    check "the installed command sees where ranks live ($mpi)" $?
    "$source/scripts/launch" "$mpi" 2 "$installed/bin/allfold" bench --sizes 8 --time 0.1 \
        >"$scratch/log" 2>&1 && grep -qE '^ +8 . native ' "$scratch/log"
    check "the installed command measures ($mpi)" $?
    readelf -d "$installed/lib/allfold/liballfold-$mpi.so" >"$scratch/log" 2>&1 &&
        ! grep -q 'NEEDED.*hwloc' "$scratch/log"
    check "the library brings no hwloc into programs ($mpi)" $?
done

finish
