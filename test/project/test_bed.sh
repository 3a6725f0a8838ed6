#!/bin/bash
# The test bed, as far as it needs no network: what scripts/other-mpi, scripts/other-release and scripts/nodes
# refuse, and that emulated nodes share nothing but files and are found by the launchers.
# Usage: test_bed.sh SOURCE_DIRECTORY MPI...
# shellcheck disable=SC2016 # the nodes' shells expand these
set -u
scripts=$1/scripts mpis=("${@:2}")
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=60
export BED_CACHE=$scratch/cache

# --- other MPIs -------------------------------------------------------------------------------------
gives "the names are listed" openmpi-5.0.11 mpich-5.0.2 intel-2021.18 -- "$scripts/other-mpi" list
refuses "an unknown MPI is refused" 2 "'mpich' is none of: openmpi-4" -- "$scripts/other-mpi" mpich true
refuses "and so is no command" 2 "mpich-5.0.2: expected a command" -- "$scripts/other-mpi" mpich-5.0.2
refuses "an unknown release is refused" 2 "'bookworm' is none of: trixie forky" -- "$scripts/other-release" bookworm true
refuses "and so is no command" 2 "expected a release" -- "$scripts/other-release" trixie

# --- nodes ------------------------------------------------------------------------------------------
refuses "no nodes" 2 "number of nodes 0" -- "$scripts/nodes" 0x2 true
refuses "no ranks on them" 2 "ranks on a node x" -- "$scripts/nodes" 2xx true
refuses "an unknown option" 2 "'--rate' is no option" -- "$scripts/nodes" 2 --rate 3 true
refuses "more switches than nodes" 2 "--switches 3" -- "$scripts/nodes" 2 --switches 3 true
refuses "nothing to run" 2 "expected a command" -- "$scripts/nodes" 2
run "$scripts/nodes" 2 true
[ "$status" != 77 ] || { skip nodes "$err"; finish; }

on_each() { run "$scripts/nodes" 2x2 sh -c 'for node in node1 node2; do "$NODES_AGENT" $node "$1"; done' - "$1"; }
on_each hostname
expect "each node has a name" [ "$out" = $'node1\nnode2' ]
for kind in net uts ipc pid mnt; do
    on_each "readlink /proc/self/ns/$kind"
    expect "each has a namespace for $kind" [ "$(sort -u "$scratch/out" | wc -l)" = 2 ]
done
on_each 'ls /dev/shm "$TMPDIR"; touch /dev/shm/left "$TMPDIR/left"'
expect "memory and temporary files are a node's own" [ "$status $(grep -c left "$scratch/out")" = "0 0" ]
on_each "echo \$(hostname) >>$scratch/seen"
expect "other files are shared" [ "$(<"$scratch/seen")" = $'node1\nnode2' ]
run "$scripts/nodes" 1 sh -c 'exit 7'
expect "the command's status is that of the script" [ "$status" = 7 ]
refuses "the time limit ends it" 124 "ended after 1 seconds" -- "$scripts/nodes" 1 --time-limit 1 sleep 50

for mpi in "${mpis[@]}"; do
    run "$scripts/nodes" 2x2 "mpiexec.$mpi" -n 4 hostname
    expect "$mpi starts two ranks on each" [ "$(sort "$scratch/out" | uniq -c | xargs)" = "2 node1 2 node2" ]
done

finish
