#!/bin/bash
# Ranks whose hosts are named in another order than theirs: all is right, renumbered and bucket follow
# the hosts, and users see it. Each rank has a host name of its own.
# Usage: test_hosts.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
# shellcheck source=test/mpi/hosts.sh
. "$(dirname "$0")/hosts.sh"
can_name hosts
name_hosts

allfold=$build/bin/allfold
in_order() { grep -q "\"hosts_in_order\": $1" "$scratch/out"; }
on "n10 n9 n2 n1" "$allfold" info --json
expect "the ranks are on four hosts" grep -q '"nodes": 4' "$scratch/out"
expect "whose order is another one" in_order false
on "n10 n9 n2 n1" "$allfold" info
expect "which people see" grep -q '^  ranks are not in the order of their hosts' "$scratch/out"
on "n1 n2 n9 n10" "$allfold" info --json
expect "hosts in order" in_order true
on "n10 small1 n9" "$allfold" info --json
expect "names that do not compare" in_order true
ALLFOLD_NETWORK=off on "n10 n9" "$allfold" info --json
expect "nothing is to be known" in_order true

# all PLACEMENT HOSTS: the test of all algorithms
all() {
    on "$2" "$allfold" run "$build/bin/mpi_algorithms_$mpi" --cases 3 --others 2 --large 3001 --nodes "$1"
    check "all algorithms on $2" "$status"
}
all 3x1 "n3 n1 n2"
all 2x2 "b2c1 b2c1 b1c2 b1c2"
all 3x2:cyclic "n7 n5 n6 n7 n5 n6"
on "n3 n1 n2 n0" "$allfold" run "$build/bin/mpi_communicators_$mpi"
check "communicators of such ranks" "$status"
finish
