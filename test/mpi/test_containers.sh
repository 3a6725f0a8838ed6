#!/bin/bash
# Ranks in containers: each rank gets a user namespace of its own, as Apptainer makes one, so that /proc does not
# lead to the other ranks' files. They share memory by a file in /dev/shm; without that, messages go through MPI.
# Open MPI alone: MPICH of Debian 12 does not start in user namespaces, with or without Allfold.
# Usage: test_containers.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$(realpath "$1") source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
unset "${!ALLFOLD_@}"
unshare -Urm true 2>"$scratch/err" || skip_all "containers (no user namespaces: $(cat "$scratch/err"))"
export ALLFOLD_VERBOSE=1

# in_containers NAME OPTIONS COMMANDS: the program on 3 ranks, each of which first runs these commands in
# new namespaces
in_containers() {
    run "$source/scripts/launch" openmpi 3 unshare "$2" sh -c "$3
        exec $build/bin/allfold run $build/bin/mpi_reductions_openmpi --scale 10"
    expect "$1: results are right" grep -q '^[1-9][0-9]* passed, 0 failed$' "$scratch/out"
}
touch "$scratch/before"
in_containers "user namespaces" -Ur ""
expect "user namespaces: ranks share memory" [ "$(grep -c 'shares no memory' "$scratch/err")" = 0 ]
expect "user namespaces: no file is left" [ -z "$(find /dev/shm -name 'allfold-*' -newer "$scratch/before" 2>/dev/null)" ]
in_containers "each with its own /dev/shm" -Urm "mount -t tmpfs tmpfs /dev/shm"
expect "each with its own /dev/shm: one line says why" \
    [ "$(grep -c 'messages between ranks of a node go through MPI, because .*docs/containers.md' "$scratch/err")" = 1 ]
finish
