#!/bin/bash
# Tests of `allfold simulate`: test_simulate.sh PATH_OF_ALLFOLD
set -u
export LC_ALL=C
unset "${!ALLFOLD_@}"

[ $# -eq 1 ] && [ -x "$1" ] || { echo "usage: $0 PATH_OF_ALLFOLD" >&2; exit 2; }
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=100
prefix=("$1" simulate) # so `run` begins with the options
T=$scratch

# tabulates NAME STATUS LINE... -- OPTIONS...: that status, nothing on stderr, each line on stdout, with
# one blank between its words
tabulates() {
    local line
    split "${@:3}"
    run "${command[@]}"
    [ "$status" = "$2" ] || { bad "$1" "status $status, expected $2"; return; }
    [ -z "$err" ] || { bad "$1" "wrote to stderr"; return; }
    for line in "${words[@]}"; do
        tr -s ' ' <"$T/out" | grep -qxF -- "$line" || { bad "$1" "'$line' is not on stdout"; return; }
    done
    ok "$1"
}

# --- figures that can be computed by hand ---------------------------------------------------------
printf 'name = plain\nnetwork: latency=2us, bandwidth=1GB/s, limit=2GB/s\nnode: latency=1us\n' >"$T/plain"
printf 'network: latency=2\n' >"$T/broken"
tabulates "a table" 0 "allreduce of 8 bytes on 2 nodes of 4 (8 ranks), network plain" \
    "algorithm microseconds ratio over bound rounds bytes of a card messages out" \
    "recursive_doubling 4.016 1.000 1.339 3 32 1" -- \
    -n "$T/plain" -N 2 -k 4 -a recursive_doubling
tabulates "the card's limit" 0 "recursive_doubling 2004.000 1.000 4.012 3 4000000 1" -- \
    -n "$T/plain" -N 2 -k 4 -b 1000000 -a recursive_doubling
tabulates "its parameter" 0 "chain(segment=100) 21.000 1.000 10.500 10 1000 10" -- \
    -n "$T/plain" -c reduce -N 2 -k 1 -t byte -b 1000 -a chain -P segment=100
tabulates "the same in its name" 0 "chain(segment=100) 21.000 1.000 10.500 10 1000 10" -- \
    -n "$T/plain" -c reduce -N 2 -k 1 -t byte -b 1000 -a "reduce.chain(segment=100)"
tabulates "several sizes" 0 "allreduce of 8 bytes on 2 nodes of 1 (2 ranks), network plain" \
    "allreduce of 1K bytes on 2 nodes of 1 (2 ranks), network plain" -- \
    -n "$T/plain" -N 2 -k 1 -b 8,1K -a recursive_doubling
tabulates "a barrier has no bytes" 0 "barrier on 4 nodes of 1 (4 ranks), network plain" \
    "dissemination 4.002 1.000 1.000 2 2 2" -- -n "$T/plain" -N 4 -k 1 -c barrier -a dissemination
refuses "a table" 2 "allfold simulate: $T/broken: line 1" -- -T "$T/broken" --trace "$T/none"
refuses "a table without a trace" 2 "--table is for the calls of --trace; expected a trace beside it" -- -T "$T/broken"
tabulates "one rank" 0 "recursive_doubling 0.001 1.000 - 0 0 0" -- -N 1 -k 1 -a recursive_doubling

# --- formats --------------------------------------------------------------------------------------
run -N 3 -k 5 -b 8,64K --csv
python "CSV: all of them, the fastest first, or why not" '
rows = list(csv.DictReader(text.splitlines()))
assert len(rows) == 2 * len({r["algorithm"].split("(")[0] for r in rows}) >= 40, len(rows)
for size in "8", "65536":
    mine = [r for r in rows if r["bytes"] == size]
    times = [float(r["microseconds"]) for r in mine if not r["reason"]]
    assert times == sorted(times) and len(times) > 15
    assert float(mine[0]["ratio"]) == 1
    assert all(abs(float(r["ratio"]) - t / times[0]) < 1e-5 for r, t in zip(mine, times))
    assert all((r["microseconds"] == "") == (r["reason"] != "") for r in mine)'
cp "$T/out" "$T/csv"
run -N 3 -k 5 -b 8,64K --json
cp "$T/csv" "$T/beside"
python "JSON: the same" '
import os
shown = json.loads(text)
rows = list(csv.DictReader(open(os.path.join(os.path.dirname(sys.argv[1]), "beside"))))
assert (shown["nodes"], shown["ppn"], shown["network"]) == (3, 5, "cluster")
assert len(shown["runs"]) == len(rows)
for run, row in zip(shown["runs"], rows):
    assert run["algorithm"] == row["algorithm"] and str(run["bytes"]) == row["bytes"]
    assert run.get("reason", "") == row["reason"]
    if not row["reason"]:
        assert abs(run["over_bound"] - float(row["over_bound"])) < 1e-5 and run["over_bound"] > 1
        assert abs(run["microseconds"] - float(row["microseconds"])) < 1e-9
        assert run["card_bytes"] == int(row["card_bytes"])'
for collective in reduce bcast reduce_scatter_block allgather barrier; do
    run -c $collective -N 2 -k 2 --csv
    python "$collective" "
rows = list(csv.DictReader(text.splitlines()))
assert rows and all(r['collective'] == '$collective' for r in rows) and not rows[0]['reason']"
done
run -N 2048 -k 16 -n blue_waters -a recursive_doubling -a "smp(node=binomial_tree)" \
    -a "nap(node=recursive_doubling)" --csv
python "NAP is the fastest on 32,768 ranks (Bienz et al. 2019, figure 11)" '
rows = list(csv.DictReader(text.splitlines()))
assert rows[0]["algorithm"].startswith("nap"), rows
assert {r["algorithm"][:3]: r["messages_out"] for r in rows} == {"nap": "3", "smp": "11", "rec": "11"}'

# --- links ----------------------------------------------------------------------------------------
printf 'name = tapered\nnetwork: latency=1us, overhead=0\ntopology = fat-tree 2:1 2\nlinks: bandwidth=1GB/s\n' >"$T/tapered"
# both of a leaf's hosts share its link up in the round between the leaves
tabulates "a tapered tree" 0 "recursive_doubling 8.144 1.000 2.654 2 4096 2" "bytes over links, busiest link card tier 1-2" \
    "recursive_doubling 32K 4K 16K 4K" -- -n "$T/tapered" -N 4 -k 1 -b 2K -a recursive_doubling
run -n "$T/tapered" -N 4 -k 1 -b 2K -a recursive_doubling -a ring --csv
python "CSV: what links carry" '
rows = list(csv.DictReader(text.splitlines()))
assert {r["algorithm"].split("(")[0]: r["links"] for r in rows} == {
    "recursive_doubling": "card=32768/4096;tier 1-2=16384/4096", "ring": "card=24576/3072;tier 1-2=14336/3584"}, rows'
run -n "$T/tapered" -N 4 -k 1 -b 2K -a recursive_doubling --json
python "JSON: what links carry" '
links = json.loads(text)["runs"][0]["links"]
assert links[1] == {"class": "tier 1-2", "links": 4, "bytes": 16384, "busiest": 4096}, links'
for placement in block cyclic random; do
    run -n "torus 4x4" -N 16 -k 2 -b 64K -a ring --placement $placement --csv
    python "$placement" 'print(list(csv.DictReader(text.splitlines()))[0]["links"])'
    cp "$T/out" "$T/$placement"
done
! cmp -s "$T/block" "$T/cyclic" && ! cmp -s "$T/block" "$T/random" && ok "placements differ" ||
    bad "placements differ" "they do not"
# trees between nodes send over one cable each time, wherever the nodes' ranks are
for placement in block cyclic random; do
    run -n "torus 4x4" -N 16 -k 4 -b 64K -a "multilane(lanes=disjoint_trees)" --placement $placement --csv
    python "over cables: $placement" '
rows = list(csv.DictReader(text.splitlines()))
links = [l.split("=")[1].split("/") for l in rows[0]["links"].split(";")]
assert sum(int(every) for every, busiest in links) == 2 * 15 * 65536, links
assert all(int(busiest) == 65536 / 2 for every, busiest in links), links'
done
# on two sockets of a node, in blocks and in turn
for placement in block block:cyclic; do
    run -n cluster -N 4 -k 16 -b 8K -a mixed_radix -a renumbered --placement $placement --csv
    cp "$T/out" "$T/sockets.$placement"
done
python "renumbered ranks follow the sockets" '
import sys
block, turn = ([float(row["microseconds"]) for row in csv.DictReader(open("'"$T"'/sockets." + how))]
               for how in ("block", "block:cyclic"))
assert block[0] == block[1] == turn[0] < 0.95 * turn[1], (block, turn)'
run -n cluster -N 4 -k 8 -b 8K -a smp -a "smp(node=smp)" --csv
expect "three levels are simulated" [ "$(grep -c '"smp' "$T/out")" = 2 ]
refuses "no placement" 2 "--placement: 'nowhere'; expected block, cyclic or random" -- -l nowhere
tabulates "too few hosts" 1 "ring not simulated: 5 nodes are more than the network's 4 hosts" -- \
    -n "switch 4" -N 5 -k 1 -a ring

# --- SimGrid's platforms --------------------------------------------------------------------------
head='<platform version="4.1">'
printf '%s\n<cluster id="a" prefix="h" radical="0-15" suffix="" speed="1Gf" bw="1GBps" lat="1us" topology="%s" topo_parameters="%s"/>\n</platform>' \
    "$head" TORUS 4,4 >"$T/torus.xml"
prefix=("$1" show)
if run -n "$T/torus.xml" && [ "$status" = 0 ]; then
    gives "a platform" "name = a" "topology = torus 4x4" "links ring y: bandwidth=1GB/s, latency=1us" -- -n "$T/torus.xml"
    cat >"$T/routes.xml" <<'END'
<platform version="4.1">
<zone id="z" routing="Floyd">
  <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><router id="r"/>
  <link id="l" bandwidth="10Gbps" latency="100ns"/><link id="m" bandwidth="1GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>
  <route src="a" dst="r"><link_ctn id="l"/></route>
  <route src="r" dst="b"><link_ctn id="l"/><link_ctn id="m" direction="UP"/></route>
</zone>
</platform>
END
    prefix=("$1" simulate)
    # a and b exchange 1000 bytes: l is passed twice each way by both, which share it
    tabulates "a platform of routes" 0 "bytes over links, busiest link link" "recursive_doubling 5.9K 3.9K" -- \
        -n "$T/routes.xml" -N 2 -k 1 -b 1000 -a recursive_doubling
    sed 's/topology="TORUS"/topology="HYPERCUBE"/' "$T/torus.xml" >"$T/wrong.xml"
    refuses "an unknown topology" 2 "wrong.xml: line 2: topology 'HYPERCUBE': expected FLAT, TORUS, FAT_TREE or DRAGONFLY" -- -n "$T/wrong.xml"
    sed 's/1us/1fortnight/' "$T/torus.xml" >"$T/wrong.xml"
    refuses "a wrong time" 2 "line 2: value '1fortnight': expected a time like 200ns" -- -n "$T/wrong.xml"
    sed 's/4,4/4,5/' "$T/torus.xml" >"$T/wrong.xml"
    refuses "other hosts" 2 "line 2: radical '0-15': expected as many hosts as its topology has" -- -n "$T/wrong.xml"
    sed 's/link id="l"/link id="n"/' "$T/routes.xml" >"$T/wrong.xml"
    refuses "a route over no link" 2 "line 5: link_ctn 'l': expected a link from before" -- -n "$T/wrong.xml"
    sed 's/src="a"/src="c"/' "$T/routes.xml" >"$T/wrong.xml"
    refuses "a route of nobody" 2 "line 5: route to 'r': expected two different hosts or routers" -- -n "$T/wrong.xml"
    printf '<platform>\n<cluster' >"$T/wrong.xml"
    refuses "half a file" 2 "wrong.xml: line 2: " -- -n "$T/wrong.xml"
else
    skip "platforms" "$err"
fi

# --- networks -------------------------------------------------------------------------------------
prefix=("$1" show)
for name in blue_waters t3e cluster torus fat-tree dragonfly; do
    run --network $name
    expect "$name: numbers are printed as one writes them" [ "$(grep -cE '[0-9]{9}|[0-9]e[+-]?[0-9]' "$T/out")" = 0 ]
    cp "$T/out" "$T/shown"
    run --network "$T/shown"
    [ "$status" = 0 ] && [ -s "$T/shown" ] && cmp -s "$T/out" "$T/shown" && ok "$name reads back" ||
        bad "$name reads back" "it differs"
done
prefix=("$1" simulate)
machines=$(dirname "$0")/../../tables/machines
for file in "$machines"/*.txt; do
    name=$(basename "$file" .txt)
    run --network "$file" --nodes 4 --ppn 2 --bytes 8
    expect "tables/machines/$name.txt is read" [ "$status" = 0 ]
    expect "and has its file's name" grep -q "network $name\$" "$T/out"
    expect "and docs/machines.md has it" grep -qF "| $name |" "$machines/../../docs/machines.md"
done
refuses "a broken network" 2 "allfold simulate: $T/broken: line 1: latency: '2' is not a time" -- -n "$T/broken"
refuses "no network" 2 "'nowhere' is no file that can be read, nor one of: blue_waters" -- -n nowhere

# --- what is refused ------------------------------------------------------------------------------
refuses "no collective" 2 "'alltoall' is no collective; expected allreduce, " -- -c alltoall
refuses "no algorithm" 2 "there is no algorithm 'allreduce.rin'" -- -a rin
refuses "of another collective" 2 "bcast.flat is no algorithm for allreduce" -- -a bcast.flat
refuses "a parameter of all" 2 "--parameter is for one algorithm" -- -P segment=8
refuses "a wrong parameter" 2 "parameter of ring: 'radix' is not one of: segment" -- -a ring -P radix=2
refuses "no size" 2 "is no list of sizes" -- -b 8,x
tabulates "nothing" 0 "allreduce of 0 bytes on 2 nodes of 1 (2 ranks), network plain" -- \
    -n "$T/plain" -N 2 -k 1 -b 0 -a recursive_doubling
refuses "half an element" 2 "--bytes 12 is no multiple of an element's" -- -b 12
refuses "no nodes" 2 "--nodes 0: expected a number" -- -N 0
refuses "too many ranks" 2 "more than 16777216 ranks" -- -N 16777216 -k 2
refuses "a window" 2 "expected a power of two from 1 to 64" -- -w 3
refuses "a root" 2 "the root is not below" -- -c reduce -r 32
refuses "a word" 2 "'ring' is one word too many" -- ring
tabulates "a need" 1 "nap not simulated: it needs as many ranks on each node, two at least" -- -N 4 -k 1 -a nap
tabulates "memory" 1 "ring not simulated: it takes more than the 1 MiB that it may: about 3 for 256 ranks" -- \
    -N 256 -k 1 -a ring -b 8K --memory 1M

finish
