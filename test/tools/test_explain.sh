#!/bin/bash
# Tests of `allfold explain`, and of docs/table.schema.json: test_explain.sh PATH_OF_ALLFOLD SOURCE
set -u
export LC_ALL=C
unset "${!ALLFOLD_@}"

[ $# -eq 2 ] && [ -x "$1" ] || { echo "usage: $0 PATH_OF_ALLFOLD SOURCE_DIRECTORY" >&2; exit 2; }
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=100
source=$2
prefix=("$1" explain) # so `run` begins with the options
T=$scratch

cat >"$T/table.json" <<'END'
{"allfold_table": 1, "created": "2026-11-21T20:15:00Z",
 "machine": {"host": "h", "processor": "c", "mpi": "Open MPI 4.1.4", "allfold": "0.1.0"},
 "rows": [
  {"collective": "allreduce", "nodes": 4, "ppn": 8, "placement": "block", "to_bytes": 4096,
   "algorithm": "chain(segment=8K)", "us": 12.5, "native_us": 20},
  {"collective": "allreduce", "nodes": 4, "ppn": 8, "from_bytes": 4096, "algorithm": "ring"},
  {"collective": "reduce", "nodes": 4, "ppn": 8, "algorithm": "native", "samples": 3}]}
END

run --nodes 1 --ppn 8 -b 8 --cores 8
expect "a core for each rank" [ "$status" = 0 -a "${out/more than cores/}" = "$out" ]
enough=$out
run --nodes 1 --ppn 8 -b 8
expect "which is the preset" [ "$out" = "$enough" ]
run --nodes 1 --ppn 8 -b 8 --cores 2
expect "ranks that share cores" grep -qx "allreduce of 8 bytes on 1 node of 8 (8 ranks, block, more than cores), sum of .*" "$T/out"
expect "have rows of their own" grep -q "network node_crowded" "$T/out"
run --nodes 1 --ppn 8 -b 8 --cores 2 --json
expect "as JSON" grep -q '"shares_cores": *true' "$T/out"
run --nodes 1 --ppn 2 -b 256K
expect "copies are the preset" [ "${out/one copy/}" = "$out" ]
ALLFOLD_ONE_COPY=1 run --nodes 1 --ppn 2 -b 256K --cores 2
expect "vectors read in place" grep -qx "allreduce of 256K bytes on 1 node of 2 (2 ranks, block, one copy), sum of .*" "$T/out"
expect "have rows of their own" grep -q "network node_near" "$T/out"
ALLFOLD_ONE_COPY=1 run --nodes 1 --ppn 2 -b 256K --cores 2 --json
expect "as JSON, too" grep -q '"one_copy": *true' "$T/out"
ALLFOLD_ONE_COPY=1 run --nodes 1 --ppn 8 -b 8 --cores 2
expect "not where ranks share cores" [ "${out/one copy/}" = "$out" ]
run --cores 0
expect "no cores" [ "$status" = 2 ]

run -N 1 -k 32 -b 64K
expect "on one node the row" grep -qE "^chosen: [a-z_0-9]+(\(.*\))?, by the built-in table, row of 1 x 32 from [0-9]+ bytes on, network node_copies$" "$T/out"
expect "how many algorithms there are" [ "$(tail -n 1 "$T/out" | grep -cxE '\([0-9]+ algorithms; --algorithm all lists them\)')" = 1 ]
run --algorithm all -N 1 -k 32 -b 64K
expect "with --algorithm all they are listed" [ "$(grep -c -- '--algorithm all' "$T/out")" = 0 ]
expect "no errors" [ "$status" = 0 -a -z "$err" ]
expect "the question" grep -qx "allreduce of 64K bytes on 1 node of 32 (32 ranks, block), sum of double: commutes, not exact" "$T/out"
expect "the chosen one" [ "$(grep -cE ' +chosen \(built-in\)$' "$T/out")" = 1 ]
expect "the others" [ "$(grep -cE ' +can serve$' "$T/out")" -ge 10 ]
expect "bits" grep -qE '^dissemination .* needs an exact operation, as its ranks bracket differently$' "$T/out"
run -N 16 -k 8 -b 64K
expect "between nodes the row" grep -qE "^chosen: [a-z_0-9]+(\(.*\))?, by the built-in table, row of 16 x 8 from [0-9]+ bytes on, network untold$" "$T/out"
expect "its time, and the next one's" grep -qE '^simulated at [0-9]+[KM]?: [0-9.]+ us; next is .* with [0-9.]+ us \([0-9]\.[0-9]+ times as long\)$' "$T/out"
expect "and no list" [ "$(wc -l <"$T/out")" = 4 ]
export ALLFOLD_ALGORITHM='allreduce=smp(leaders=ring())'
run -N 16 -k 8 -b 64K
unset ALLFOLD_ALGORITHM
expect "empty parentheses name no parameter" grep -q '^chosen: smp(leaders=ring), by the rule' "$T/out"
run -N 16 -k 8 -b 64K --json
python "as JSON" '
e = json.loads(text)
row = e["built_in"]
assert e["source"] == "built-in" and e["algorithm"] == row["algorithm"], e
assert (row["nodes"], row["ppn"], row["network"]) == (16, 8, "untold") and row["from_bytes"] <= 65536, row
assert 0 < row["us"] and row["runner_up"] != row["algorithm"], row'
run -N 17 -k 7 -b 64K
expect "between shapes that of the nearest" grep -q "by the built-in table, row of 12 x 8 from" "$T/out"
run --algorithm all -b 64K --operation noncommutative
expect "a need" grep -qE '^ring +needs a commutative operation$' "$T/out"
run --algorithm all -b 64K --type int32
expect "exact" grep -q 'sum of int32: commutes, exact' "$T/out"
expect "bits do not matter there" [ "$(grep -c 'bracket differently' "$T/out")" = 0 ]

run -b 8 --algorithm all --table "$T/table.json"
expect "a row" grep -qxF "chosen: chain(segment=8K), by the user's table, row 1 of $T/table.json; measured: 12.5 us, native 20 us" "$T/out"
expect "its line" grep -qE '^chain\(segment=8K\) .* chosen \(table\)$' "$T/out"
run -b 64K --table "$T/table.json" --operation noncommutative
expect "a row that is passed over" grep -qxF "passed over: row 2, ring, needs a commutative operation" "$T/out"
run -b 8 --table "$T/table.json" --placement cyclic
expect "another placement" grep -q "by the built-in table" "$T/out"
run -b 8 --table "$T/table.json" -k 7
expect "other ranks" grep -q "by the built-in table" "$T/out"
run -c reduce -b 8 --table "$T/table.json"
expect "native" grep -q "^chosen: native, by the user's table, row 3 of" "$T/out"
run -c barrier
expect "a barrier" grep -q "^chosen: .* by the built-in table" "$T/out"
ALLFOLD_TABLE=$T/table.json ALLFOLD_ALGORITHM='allreduce=0-1K:linear' run -b 8
expect "a rule" grep -qx "chosen: linear, by the rule allreduce=0-1K:linear" "$T/out"
mkdir -p "$XDG_DATA_HOME/allfold"
cp "$T/table.json" "$XDG_DATA_HOME/allfold/tuned-mpich.json"
run -b 8 --mpi mpich
expect "the tuned table" grep -q "by the tuned table, row 1 of $XDG_DATA_HOME/allfold/tuned-mpich.json" "$T/out"

run -b 8 --table "$T/table.json" --json
python "JSON" '
e = json.loads(text)
assert e["source"] == "table" and e["algorithm"] == "chain(segment=8K)" and e["p"] == 32, e
assert e["row"] == {"number": 1, "us": 12.5, "native_us": 20}, e
names = [a["algorithm"] for a in e["algorithms"]]
assert names[0] == e["algorithm"] and len(set(names)) == len(names) > 20 and "native" in names
assert all(a["reason"] and "expected_us" not in a for a in e["algorithms"])'

ALLFOLD_ALGORITHM=allreduce=ring refuses "a call that would fail" 1 "allreduce.ring is forced, but it needs a" -- \
    --operation noncommutative
head -c 100 "$T/table.json" >"$T/broken"
# --- the canonical tree -----------------------------------------------------------------------------
ALLFOLD_REPRODUCIBLE=canonical gives "the tree is asked for" \
    "allreduce of 1M bytes on 1 node of 6 (6 ranks, block), sum of double: commutes, not exact, by the canonical tree" \
    "chosen: recursive_splitting(radix=8), by the built-in table, row of 1 x 6 from 131072 bytes on, network node_copies" -- -N 1 -k 6 -b 1M
ALLFOLD_REPRODUCIBLE=canonical run --algorithm all -N 1 -k 6 -b 1M
expect "algorithms with brackets of their own are not" \
    grep -qE "^ring +needs brackets of its own, where ALLFOLD_REPRODUCIBLE asks for those of the canonical tree$" "$T/out"
ALLFOLD_REPRODUCIBLE=canonical gives "integers need no tree" "allreduce of 1M bytes on 1 node of 6 (6 ranks, block), sum of int32: commutes, exact" -- -N 1 -k 6 -b 1M --type int32
ALLFOLD_REPRODUCIBLE=exact run -N 1 -k 6 -b 1M
expect "exact sums are other calls" grep -q "makes calls over integers of sums" "$T/err"
ALLFOLD_REPRODUCIBLE=canonical ALLFOLD_ALGORITHM=allreduce=ring refuses "a forced algorithm with brackets of its own" 1 \
    "allreduce.ring is forced, but it needs brackets of its own" -- -N 1 -k 6 -b 1M
ALLFOLD_REPRODUCIBLE=canonical:warn ALLFOLD_ALGORITHM=allreduce=ring gives "it is taken with a warning" \
    "chosen: ring, by the rule allreduce=ring" -- -N 1 -k 6 -b 1M

refuses "a broken table" 2 "allfold explain: $T/broken: line " -- --table "$T/broken"
refuses "a type" 2 "--type: 'dubble'; expected a type" -- --type dubble
refuses "an operation" 2 "--operation: 'band'; expected an operation that MPI allows" -- --operation band
refuses "half an element" 2 "--bytes 12 is no multiple of 8" -- -b 12
refuses "a placement" 2 "--placement: 'irregular'; expected block, cyclic or random" -- --placement irregular
refuses "a collective" 2 "'alltoall' is no collective" -- -c alltoall

# --- on a described network -----------------------------------------------------------------------
printf 'name = tapered\nnetwork: latency=1us, overhead=0\ntopology = fat-tree 2:1 2\nlinks: bandwidth=1GB/s\n' >"$T/tapered"
ALLFOLD_ALGORITHM=allreduce=recursive_doubling run -N 4 -k 1 -b 2K -n "$T/tapered"
expect "it is simulated" [ "$status" = 0 -a -z "$err" ]
expect "the network in the question" grep -q '^allreduce of 2K bytes on 4 nodes of 1 (4 ranks, block), network tapered, sum of double' "$T/out"
expect "what the choice takes" grep -qE '^simulated: recursive_doubling takes 8\.144 us, .* the best of [0-9]+; the choice loses [0-9]+ %$' "$T/out"
# a message on a leaf, 1 us and 2048 bytes; then one between the leaves, which two hosts' share
tr -s ' ' <"$T/out" >"$T/words"
expect "a level: messages, bytes, rounds, time" grep -q '^card 4 8K 1 3\.048 ' "$T/words"
expect "the level above" grep -q '^tier 1-2 4 8K 1 5\.096 ' "$T/words"
expect "links" grep -q '^tier 1-2 4 16K 4K ' "$T/words"
expect "all of them" grep -qE '^recursive_doubling 8\.144 1\.[0-9]+ 2\.654 [0-9.]+ 2 chosen$' "$T/words"
for what in "-b 64K -k 4" "-b 8 -k 4 -l random" "-b 64K -k 4 -l cyclic -c reduce" "-b 256K -k 2 -c allgather" "-k 3 -c barrier" \
    "-b 1M -k 1 --operation noncommutative" "-b 64K -k 4 -c bcast"; do
    read -ra words <<<"$what"
    for network in cluster "torus 4x2"; do
        run -N 8 "${words[@]}" -n "$network" --json
        python "the critical path is the whole time: $what, $network" '
e = json.loads(text)
runs = e["simulated"]["runs"]
timed = [r for r in runs if "microseconds" in r]
assert [r["microseconds"] for r in timed] == sorted(r["microseconds"] for r in timed) and timed[0]["ratio"] == 1
chosen = [r for r in runs if r["chosen"]]
assert len(chosen) == (0 if e["algorithm"] == "native" else 1), chosen
pair = [r for r in timed if "levels" in r]
assert 1 <= len(pair) <= 2 and runs[0] in pair
for r in pair:
    path = sum(l["path_us"] for l in r["levels"]) + r["path_work_us"]
    assert abs(path - r["microseconds"]) < 1e-3, (path, r)
    assert all((l["path_us"] > 0) <= (l["path_messages"] > 0) <= (l["messages"] > 0) for l in r["levels"])
if chosen:
    assert abs(e["simulated"]["loss"] - (chosen[0]["ratio"] - 1)) < 1e-9'
    done
done
run -N 8 -k 4 -b 64K -n "torus 4x2" --csv
python "CSV: the same" '
rows = list(csv.DictReader(text.splitlines()))
assert sum(r["chosen"] == "1" for r in rows) == 1 and rows[0]["ratio"] == "1.000000"
assert sum(r["levels"] != "" for r in rows) == 2 and all(r["links"].startswith("ring x=") or r["reason"] for r in rows), rows[0]
levels = dict(l.split("=") for l in rows[0]["levels"].split(";"))
assert set(levels) == {"socket", "node", "ring x", "ring y", "work"}, levels'
ALLFOLD_ALGORITHM=bcast=native run -N 4 -k 1 -c bcast -b 1M -n "switch 4"
expect "native cannot be simulated" grep -q '^simulated: native is chosen, which cannot be simulated; of ours, .* is the best$' "$T/out"
refuses "no network" 2 "allfold explain: 'nowhere' is no file that can be read" -- -n nowhere
refuses "too few hosts" 1 "8 nodes are more than the network's 4 hosts" -- -N 8 -n "switch 4"
refuses "CSV of no network" 2 "--csv is for --network" -- --csv

# --- of a job ---------------------------------------------------------------------------------------
cat >"$T/job.json" <<'END'
{"job": {"switches": [2, 1], "ranks": [
  {"rank": 0, "node": 0, "host": "b.org"}, {"rank": 1, "node": 1, "host": "a"}, {"rank": 2, "node": 0, "host": "b.org"},
  {"rank": 3, "node": 1, "host": "a"}, {"rank": 4, "node": 2, "host": "c"}]}}
END
cat >"$T/named" <<'END'
name = named
network: latency=1us, overhead=0
host a b c d
link a leaf0: bandwidth=1GB/s, class=card
link b leaf0: bandwidth=1GB/s, class=card
link c leaf1: bandwidth=1GB/s, class=card
link d leaf1: bandwidth=1GB/s, class=card
link leaf0 leaf1: bandwidth=1GB/s, class=uplink
END
run --job "$T/job.json"
expect "a job's ranks" grep -q '^allreduce of 8 bytes on 3 nodes of 2 (5 ranks, irregular, 2 switches), sum' "$T/out"
ALLFOLD_ALGORITHM=allreduce=linear run --job "$T/job.json" -b 1K -n "$T/named" --json
python "its hosts, by name" '
e = json.loads(text)
levels = {l["level"]: l["messages"] for r in e["simulated"]["runs"] if r["chosen"] for l in r["levels"]}
assert e["p"] == 5 and levels["card"] == 4 and levels["uplink"] == 2, levels'
# its switches are groups of nodes, with uplinks where these are known
cat >"$T/below.json" <<'END'
{"job": {"switches": [2], "uplinks": [0.01], "ranks": [
  {"rank": 0, "node": 0, "host": "a", "switches": ["leaf0"]}, {"rank": 1, "node": 1, "host": "b", "switches": ["leaf1"]},
  {"rank": 2, "node": 2, "host": "c", "switches": ["leaf0"]}, {"rank": 3, "node": 3, "host": "d", "switches": ["leaf1"]}]}}
END
run --job "$T/below.json" -b 64K --json
python "a job's switches are groups" '
e = json.loads(text)
assert e["algorithm"].startswith("renumbered") and e["built_in"]["network"] == "fat_tree", e["algorithm"]
assert not any("groups of nodes" in a["reason"] for a in e["algorithms"])'
sed 's/\[0.01\],/[0.02], "pair_uplinks": [0.01],/' "$T/below.json" >"$T/thin.json"
run --job "$T/thin.json" -b 64K
expect "its uplinks to one other switch count" grep -q ', network \(dragonfly\|untold\)$' "$T/out"
# hosts are in the order of their numbers, and what follows them is preferred
cat >"$T/hosts.json" <<'END'
{"job": {"ranks": [
  {"rank": 0, "node": 0, "host": "n10"}, {"rank": 1, "node": 1, "host": "n9"}, {"rank": 2, "node": 2, "host": "n2"},
  {"rank": 3, "node": 3, "host": "n1"}]}}
END
run --job "$T/hosts.json" -b 8
expect "hosts in another order than their ranks" grep -q '^chosen: renumbered(.*), by the built-in table' "$T/out"
sed 's/n9/m9/' "$T/hosts.json" >"$T/named_otherwise.json"
run --job "$T/named_otherwise.json" -b 8
expect "hosts whose names do not compare" grep -q '^chosen: recursive_' "$T/out"
sed 's/{"job": {/{"job": {"hosts_in_order": true, /' "$T/hosts.json" >"$T/not_looked_at.json"
run --job "$T/not_looked_at.json" -b 8
expect "hosts whose names the job did not look at" grep -q '^chosen: recursive_' "$T/out"
run -c allgather -N 2 -k 3
expect "without --bytes a block has an element" grep -q '^allgather of 48 bytes on 2 nodes' "$T/out"
run -c bcast -t float
expect "and a vector, too" grep -q '^bcast of 4 bytes' "$T/out"
refuses "an MPI that there is not" 2 "--mpi: expected openmpi, mpich or abi" -- -m foo
ALLFOLD_ALGORITHM='allreduce=0-4K:ring;1K-64K:recursive_doubling;native' run -b 8
expect "rules that overlap" grep -qx 'allfold explain: rules 1 and 2 overlap; the first one holds there' "$T/err"
ALLFOLD_ALGORITHM='allreduce=0-4K:ring;4K-64K:recursive_doubling;native' run -b 8
expect "and others" [ -z "$err" ]
# between nodes of one machine messages are work, as over slow cards
run --nodes 2 --ppn 4 -b 32 --cores 2
expect "nodes of one machine" grep -q ', network ethernet$' "$T/out"
expect "are named" grep -q '(8 ranks, block, one machine with 2 cores), sum' "$T/out"
run --nodes 4 --ppn 4 -b 32 --cores 2 --json
python "nodes that share cores" 'e = json.loads(text); assert e["shares_cores"], e'
run --nodes 4 --ppn 4 -b 32 --cores 16 --json
python "others" 'e = json.loads(text); assert not e["shares_cores"], e'
# the rate of a card says of which class the network is
rounds() { run --nodes 8 --ppn 8 -b 8K "$@"; }
rounds
expect "of cards nothing is known" [ "${out/cards of/}" = "$out" ]
ALLFOLD_NETWORK=card=100Gbit/s rounds
expect "the rate of a card" grep -q '^allreduce of 8K bytes on 8 nodes of 8 (64 ranks, block, cards of 100 Gbit/s), sum' "$T/out"
expect "of a fast network" grep -q ', network untold$' "$T/out"
ALLFOLD_NETWORK=card=10Gbit/s rounds
expect "of a slow one" grep -q ', network ethernet$' "$T/out"
ALLFOLD_NETWORK=card=off rounds
expect "unless it is off" grep -q ', network untold$' "$T/out"
ALLFOLD_NETWORK=card=100Gbit/s run --nodes 1 --ppn 8 -b 8K
expect "one node has no use for it" [ "${out/cards of/}" = "$out" ]
sed 's/{"job": {/{"job": {"card_mbit": 100000, /' "$T/hosts.json" >"$T/card.json"
run --job "$T/card.json" -b 8 --json
python "a job knows its card" 'e = json.loads(text); assert e["card_mbit"] == 100000, e'
run --algorithm all --nodes 1 --ppn 16 -b 8K --sockets 2
expect "sockets" grep -q "1 node of 16 (16 ranks, block, 2 sockets a node)" "$T/out"
expect "between which nothing is chosen" grep -q "row of 1 x 16 from" "$T/out"
run --nodes 4 --ppn 16 -b 8K --network cluster --json
expect "the sockets of a network" grep -q '"sockets": *2' "$T/out"
refuses "sockets beside a trace" 2 "expected no --job, --nodes, --ppn, --sockets" -- --trace "$T/none" --sockets 2
refuses "cores beside a trace" 2 "expected no --job, --nodes, --ppn, --sockets, --cores" -- --trace "$T/none" --cores 2
refuses "a placement of no sockets" 2 "maybe with :cyclic for the sockets" -- --placement block:block
sed 's/"switches": \[2\], "uplinks": \[0.01\],/"shared_cores": 2,/' "$T/below.json" >"$T/machine.json"
run --job "$T/machine.json" -b 8 --json
python "a job knows its machine" '
e = json.loads(text)
assert e["shares_cores"] is True, e'
run --job "$T/job.json" --json
python "no switches, no groups" '
assert any("groups of nodes" in a["reason"] for a in json.loads(text)["algorithms"])'
sed -i 's/"c"/"z"/' "$T/job.json"
refuses "some of the names" 2 "network named has host 'b.org', but not 'z'; expected all hosts of the job or none" -- \
    --job "$T/job.json" -n "$T/named"
run --job "$T/job.json" -n "switch 3"
expect "none of the names" [ "$status" = 0 ]
refuses "no job" 2 "expected what \`mpirun ... allfold info --json\` says" -- --job "$T/table.json"
refuses "no file" 2 "/nowhere" "expected what \`mpirun ... allfold info --json\` says" -- --job /nowhere
refuses "a job and nodes" 2 "--job says where the ranks are" -- --job "$T/job.json" --ppn 4

# --- the schema says the same as the reader -------------------------------------------------------
if ! /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
    skip schema "python3-jsonschema is not installed"
    finish
fi
fits() {
    /usr/bin/python3 -c '
import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' "$1" \
        "$source/docs/table.schema.json" 2>"$T/why"
}
expect "the schema takes a table" fits "$T/table.json"
python3 -c "
import re
text = open('$source/docs/tables.md').read()
open('$T/page.json', 'w').write(re.search(r'^    (\{\"allfold_table\".*?\]\})\$', text, re.M | re.S).group(1))"
expect "the page's table fits the schema" fits "$T/page.json"
run --table "$T/page.json"
expect "and the reader" [ "$status" = 0 ]
while IFS=$'\t' read -r what code; do
    python3 -c "
import json
t = json.load(open('$T/table.json'))
$code
json.dump(t, open('$T/changed', 'w'))"
    run --table "$T/changed"
    if [ "$status" = 2 ] && ! fits "$T/changed"; then ok "$what"; else bad "$what" "taken by one"; fi
done <<'END'
a version	t['allfold_table'] = 2
a member	t['rows'][0]['root'] = 1
the model of older versions	t['model'] = 7
a member of the machine	t['machine']['cpu'] = 'x'
a missing one	del t['rows'][0]['ppn']
no rows	del t['rows']
a text	t['rows'][0]['nodes'] = '4'
a fraction	t['rows'][0]['nodes'] = 4.5
a negative number	t['rows'][0]['us'] = -1
no nodes	t['rows'][0]['nodes'] = 0
a placement	t['rows'][0]['placement'] = 'blocked'
a collective	t['rows'][0]['collective'] = 'alltoall'
an algorithm	t['rows'][0]['algorithm'] = ''
a truth	t['rows'][0]['exact'] = 1
a long text	t['machine']['host'] = 'h' * 256
samples	t['rows'][2]['samples'] = 2 ** 32
END

finish
