#!/bin/bash
# `allfold tune`: calibrations that simulate reads, and wrong input.
# Usage: test_tune.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
export LC_ALL=C
unset LD_PRELOAD "${!ALLFOLD_@}" "${!OMPI_COMM_WORLD_@}" "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}"
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
allfold=$build/bin/allfold

# tune RANKS OPTIONS...: short, as nothing here depends on the times
tune() { run "$source/scripts/launch" "$mpi" "$1" "$allfold" tune --budget 0.5 "${@:2}"; }
printed() { grep -qE -- "$1" "$scratch/out"; }

# a node alone
tune 2 --calibrate --sizes 8:16K --network "$scratch/node"
expect "a calibration succeeds" [ "$status" = 0 ]
expect "it says on what" printed '^# Allfold .* calibration: .*, p = 2 on 1 node$'
expect "it has messages of the node" printed '^# node: messages of 0 bytes and more +[0-9]+ +[0-9.]+ +[0-9.]+  latency '
expect "it has what goes one way" printed '^# node: one way '
expect "it has reductions" printed '^# node: a reduction .* a byte; '
expect "it has no network" [ "$(grep -c '^# network' "$scratch/out")" = 0 ]
expect "there is no progress where nobody looks" [ ! -s "$scratch/err" ]
run "$allfold" simulate --nodes 2 --ppn 2 --network "$scratch/node" -b 8 -a ring
expect "simulate reads it" [ "$status" = 0 ]
run "$allfold" simulate --network "$scratch/node" --show-network
cp "$scratch/out" "$scratch/again"
expect "and writes it as it is" cmp -s "$scratch/node" "$scratch/again"
expect "there is nothing half written" [ ! -e "$scratch/node.part" ]

# two nodes, to stdout
ALLFOLD_NODES=2x2 tune 4 --calibrate --sizes 8:16K:x4 --progress
expect "a calibration of nodes succeeds" [ "$status" = 0 ]
expect "it has the network" printed '^# network: messages of 0 bytes and more '
expect "it has several ranks of a node at once" \
    printed '^# network: the model of choices .* a further message'
expect "it says how far it is where that is wanted" grep -q '[0-9] %' "$scratch/err"
grep -v '^#' "$scratch/out" >"$scratch/network"
run "$allfold" simulate --nodes 2 --ppn 2 --network "$scratch/network" -b 8 -a ring
expect "simulate reads what came to stdout" [ "$status" = 0 ]

# one rank a node; nothing in common but the network
ALLFOLD_NODES=2x1 tune 2 --calibrate --sizes 8:1K
expect "nodes of one rank are calibrated" [ "$status" = 0 ]
expect "they have no messages on a node" [ "$(grep -c '^# node: messages' "$scratch/out")" = 0 ]

# wrong input
tune 1 --calibrate
expect "one rank is refused" [ "$status" = 2 ]
expect "and told why" said "one rank alone"
tune 2
expect "nothing to do is refused" [ "$status" = 2 ]
expect "and said once" [ "$(grep -c 'nothing is asked for' "$scratch/err")" = 1 ]
tune 2 --calibrate --sizes 0,8
expect "sizes of 0 are refused" said "is not from 1 to 1G"
tune 2 --calibrate --budget 3d
expect "a time that is none is refused" said "expected a time like"
tune 2 --calibrate --sizes 8 --network "$scratch/none/file"
expect "a file that cannot be written fails" [ "$status" = 1 ]
refuses "without a launcher there is nothing to measure" 2 "mpirun -n 4 allfold tune" -- \
    "$allfold" tune --calibrate
finish
