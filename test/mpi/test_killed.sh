#!/bin/bash
# A rank that is killed in the middle leaves nothing in /dev/shm of ours, and the job ends.
# Usage: test_killed.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY [VARIABLE=VALUE...]
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
[ $# -lt 4 ] || export "${@:4}"

names() { ls /dev/shm /tmp | grep -i allfold | sort; }

names >"$scratch/before"
timeout --kill-after=10 100 "$source/scripts/launch" "$mpi" 3 "$build/bin/allfold" run \
    "$build/bin/mpi_killed_$mpi" "$scratch/going" >"$scratch/out" 2>&1
status=$?
names >"$scratch/after"
expect "it had begun" [ -e "$scratch/going" ]
expect "the job has ended by itself" [ "$status" != 124 ]
expect "the job has failed" [ "$status" != 0 ]
expect "nothing is left" cmp -s "$scratch/before" "$scratch/after"
finish
