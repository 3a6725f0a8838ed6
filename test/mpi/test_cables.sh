#!/bin/bash
# Ranks on hosts that are linked directly, as ALLFOLD_NETWORK says: disjoint_trees serves their calls, users see
# the cables, and where they are not known rank 0 says why. Each rank has a host name of its own.
# Usage: test_cables.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
# shellcheck source=test/mpi/hosts.sh
. "$(dirname "$0")/hosts.sh"
can_name cables
name_hosts
# if OTHERS is set, that is the network of rank 0
echo '[ "$rank" != 0 ] || [ -z "${OTHERS:-}" ] || export ALLFOLD_NETWORK=$OTHERS' >"$scratch/on_host"
allfold=$build/bin/allfold

# holds CONDITION: of what `allfold info --json` printed of the job
holds() { python3 -c "import json, sys; job = json.load(open('$scratch/out'))['job']; sys.exit(not ($1))"; }
printed() { grep -qE "$1" "$scratch/out"; }
unknown='where the job is in its network is not known: '

six="n0 n1 n2 n3 n4 n5"
ends='[[0, 1], [0, 2], [0, 4], [1, 3], [1, 5], [2, 3], [2, 4], [3, 5], [4, 5]]'
echo "torus 3x2 n[0-5]" >"$scratch/torus"
export ALLFOLD_NETWORK=$scratch/torus
on "$six" "$allfold" info --json
expect "a torus has nine cables and a tree" holds "job['cables'] == 9 and job['cable_trees'] == 1"
expect "they link neighbors" holds "job['cable_ends'] == $ends and job['no_cables'] is None"
expect "nothing is said of switches" holds "job['switches'] == [] and job['no_switches'] is None"
expect "and nothing is complained of" [ -z "$err" ]
cp "$scratch/out" "$scratch/job.json"
on "$six" "$allfold" info
expect "people see the cables" printed '^  nodes are linked directly by 9 cables; spanning trees that share none: 1$'

# the graph's text says the same
cat >"$scratch/links" <<'END_OF_LINKS'
host n[0-5]
link n[0-3] n[2-5]: bandwidth=1GB/s, latency=1us
link n[4-5] n[0-1]: bandwidth=1GB/s, latency=1us
link n0,n2,n4 n1,n3,n5: bandwidth=1GB/s, latency=1us
END_OF_LINKS
ALLFOLD_NETWORK=$scratch/links on "$six" "$allfold" info --json
expect "links say the same as the torus" holds "job['cables'] == 9 and job['cable_ends'] == $ends"
(cat "$scratch/links"; echo "n[0-5] leaf0 spine0") >"$scratch/both"
ALLFOLD_NETWORK=$scratch/both on "$six" "$allfold" info --json
expect "cables and switches" holds "job['cables'] == 9 and job['switches'] == [1, 1]"

# ranks in another order than their hosts; hosts with several ranks
on "n3 n1 n0 n5 n2 n4" "$allfold" info --json
expect "cables go by hosts" holds "job['cable_ends'] == [[0, 1], [0, 3], [0, 4], [1, 2], [1, 3], [2, 4], [2, 5], [3, 5], [4, 5]]"
echo "torus 3 n[0-2]" >"$scratch/ring"
ALLFOLD_NETWORK=$scratch/ring on "n0 n0 n1 n1 n2 n2" "$allfold" info --json
expect "cables of nodes of two ranks" holds "job['nodes'] == 3 and job['cable_ends'] == [[0, 1], [0, 2], [1, 2]]"
cp "$scratch/out" "$scratch/two_each.json"
on "n0 n3" "$allfold" info
expect "hosts of which none is linked to another" printed '^  cables: not known: no two nodes of the job are linked directly$'
on "n0 n1 n4 n3" "$allfold" info --json
expect "some hosts of a torus" holds "job['cable_ends'] == [[0, 1], [0, 2], [1, 3]] and job['cable_trees'] == 1"
echo "torus 2x4 n[0-7]" >"$scratch/long"
ALLFOLD_NETWORK=$scratch/long on "n0 n1 n2 n7 n5 n6 n4 n3" "$allfold" info --json
expect "a torus of two rings has a tree, and 12 cables" holds "job['cables'] == 12 and job['cable_trees'] == 1"
echo "torus 4x4 n[0-15]" >"$scratch/apart"
ALLFOLD_NETWORK=$scratch/apart on "n0 n1 n10 n11" "$allfold" info
expect "parts that are not linked" printed '^  nodes are linked directly by 2 cables, which do not connect all of them$'

# all algorithms, and what serves calls
all() {
    on "$1" "$allfold" run "$build/bin/mpi_algorithms_$mpi" --cases 3 --others 2 --large 3001 --nodes "${@:2}"
    check "all algorithms on $1" "$status"
}
all "$six" 6x1 --torus 3x2
expect "among them disjoint_trees" grep -q '^passed allreduce.disjoint_trees' "$scratch/out"
on "$six" "$allfold" run "$build/bin/mpi_communicators_$mpi"
check "communicators of such ranks" "$status"
reductions=$build/bin/mpi_reductions_$mpi
trees=disjoint_trees
# trees NETWORK HOSTS SAID [ALLREDUCE REDUCE BCAST]: sums and broadcasts over disjoint trees, or by others
trees() {
    local sum=${4:-$trees} reduce=${5:-$trees} bcast=${6:-$trees} line
    ALLFOLD_NETWORK=$1 on "$2" env ALLFOLD_ALGORITHM="allreduce=$sum,reduce=$reduce,bcast=$bcast" \
        ALLFOLD_VERBOSE=1 "$allfold" run "$reductions" --match '^(Allreduce|Reduce|Bcast) sum'
    check "sums over trees on $2" "$status"
    expect "$2: it says what it knows" said "nodes are linked directly by $3"
    for line in "allreduce of 40001 x 8 .*: $sum" "reduce of 40001 x 8 .*: $reduce" "bcast of 320008 x 1 .*: $bcast"; do
        expect "$2: $line" grep -q "$line (forced)" "$scratch/err"
    done
}
trees "$scratch/torus" "$six" "9 cables; spanning trees that share none: 1"
echo "torus 3x3 n[0-8]" >"$scratch/square"
trees "$scratch/square" "n8 n1 n2 n3 n4 n5 n6 n7 n0" "18 cables; spanning trees that share none: 2"
# several ranks on a host: compositions send over trees between hosts, in the order of these or not
inside=("multilane(lanes=$trees)" "smp(leaders=$trees)" "smp(leaders=$trees)")
trees "$scratch/ring" "n0 n0 n1 n1 n2 n2" "3 cables; spanning trees that share none: 1" "${inside[@]}"
trees "$scratch/torus" "n5 n2 n0 n5 n2 n4 n0 n3" "6 cables; spanning trees that share none: 1" "${inside[@]}"
ALLFOLD_NETWORK=$scratch/ring on "n0 n0 n1 n1 n2 n2" env ALLFOLD_ALGORITHM=allreduce=$trees "$allfold" run "$reductions" --match '^Allreduce sum'
expect "alone they are refused there" said "allreduce.disjoint_trees is forced, but it needs one rank on each node"
ALLFOLD_NETWORK=off on "$six" env ALLFOLD_ALGORITHM=allreduce=$trees "$allfold" run "$reductions" --match '^Allreduce sum'
expect "without cables they are refused" said "allreduce.disjoint_trees is forced, but it needs"

# where cables are not known
on "n0 n1 x" "$allfold" info --json
expect "a host that is not there" holds "job['cables'] == 0 and job['no_cables'] == 'rank 2 was told no host that its own is linked to'"
expect "a host that is not there: it is said" said "${unknown}rank 2 was told no host that its own is linked to"
on "x y" "$allfold" info --json
expect "no host is there" said "$unknown$scratch/torus: no line has host 'x' of rank 0"
echo "torus 3x3 n[0-5]" >"$scratch/wrong"
ALLFOLD_NETWORK=$scratch/wrong on "$six" "$allfold" info --json
expect "a wrong torus" said "line 1: 'torus 3x3 n[0-5]': expected up to 8 sizes, and as many hosts as they make"
OTHERS=$scratch/ring on "n0 n0 n1" "$allfold" info --json
expect "ranks of a node with different settings" \
    holds "job['no_cables'] == 'ranks 0 and 1 are of one node, but were told different hosts that it is linked to'"
echo "torus 3 n4,n1,n0" >"$scratch/other"
OTHERS=$scratch/other on "n4 n0 n1" "$allfold" info --json
expect "a cable that one of its ends alone names is none" holds "job['cable_ends'] == [[0, 1], [1, 2]]"
ALLFOLD_NETWORK=$scratch/torus,nodes=3x1 on "n0 n0 n1" "$allfold" info --json
expect "nodes on one host" holds "job['no_cables'] == 'ranks 0 and 1 are of different nodes, but on hosts of one name'"
(cat "$scratch/ring"; echo "n[0-3] leaf0") >"$scratch/both"
ALLFOLD_NETWORK=$scratch/both on "n0 n1 n3" "$allfold" info --json
expect "switches are known without cables" holds "job['switches'] == [1] and job['no_cables'] is not None and job['cables'] == 0"
expect "which is nothing to complain of" [ -z "$err" ]

# explain takes the cables from info
run "$allfold" explain --algorithm all --job "$scratch/job.json" --bytes 1M --collective allreduce
expect "explain knows disjoint_trees" printed 'disjoint_trees'
ALLFOLD_ALGORITHM="allreduce=${inside[0]}" run "$allfold" explain --job "$scratch/two_each.json" --bytes 1M --collective allreduce
expect "and compositions that send over cables" printed '^chosen: multilane\(lanes=disjoint_trees\)'
finish
