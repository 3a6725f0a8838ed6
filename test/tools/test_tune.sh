#!/bin/bash
# `allfold tune` and `calibrate`: calibrations that simulate reads, tables that calls obey, and wrong input.
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
calibrate() { run "$source/scripts/launch" "$mpi" "$1" "$allfold" calibrate --budget 0.5 "${@:2}"; }
printed() { grep -qE -- "$1" "$scratch/out"; }

# a node alone
calibrate 2 --budget 3 --bytes 8:16K --output "$scratch/node" --csv "$scratch/trials.csv"
expect "a calibration succeeds" [ "$status" = 0 ]
expect "all trials are in the CSV" grep -qE '^both_ways,node,2,1,16384,[0-9.]+,[0-9.]+,[0-9]+$' "$scratch/trials.csv"
expect "it says on what" printed '^# Allfold .* calibration: .*, p = 2 on 1 node$'
expect "it has messages of the node" printed '^# node: messages of 0 bytes and more +[0-9]+ +[0-9.]+ +[0-9.]+  latency '
expect "it has what goes one way" printed '^# node: one way '
expect "it has reductions" printed '^# node: a reduction .* a byte; '
expect "it has no network" [ "$(grep -c '^# network' "$scratch/out")" = 0 ]
expect "there is no progress unless stderr is a terminal" [ ! -s "$scratch/err" ]
run "$allfold" simulate --nodes 2 --ppn 2 --network "$scratch/node" -b 8 -a ring
expect "simulate reads it" [ "$status" = 0 ]
run "$allfold" show --network "$scratch/node"
cp "$scratch/out" "$scratch/again"
expect "and writes it as it is" cmp -s "$scratch/node" "$scratch/again"
expect "there is nothing half written" [ ! -e "$scratch/node.part" ]

# two nodes, to stdout
ALLFOLD_NETWORK=nodes=2x2 calibrate 4 --bytes 8:16K:x4 --progress --csv "$scratch/two.csv"
expect "a calibration of nodes succeeds" [ "$status" = 0 ]
expect "it has the network" printed '^# network: messages of 0 bytes and more '
expect "it has several ranks of a node at once" grep -q '^both_ways,network,2,1,8,' "$scratch/two.csv"
expect "it says how far it is where that is wanted" grep -q '[0-9] %' "$scratch/err"
grep -v '^#' "$scratch/out" >"$scratch/network"
run "$allfold" simulate --nodes 2 --ppn 2 --network "$scratch/network" -b 8 -a ring
expect "simulate reads what came to stdout" [ "$status" = 0 ]

# one rank a node; nothing in common but the network
ALLFOLD_NETWORK=nodes=2x1 calibrate 2 --bytes 8:1K
expect "nodes of one rank are calibrated" [ "$status" = 0 ]
expect "they have no messages on a node" [ "$(grep -c '^# node: messages' "$scratch/out")" = 0 ]

# one node of two sockets, of two ranks each
ALLFOLD_NETWORK=nodes=1x2x2 calibrate 4 --bytes 8:1K --output "$scratch/sockets"
expect "sockets are calibrated" [ "$status" = 0 ]
expect "they have messages on them" printed '^# socket: messages of 0 bytes and more '
expect "and between them" printed '^# node: messages of 0 bytes and more '
expect "the network has as many" grep -qx 'sockets = 2' "$scratch/sockets"

# holds EXPRESSION: of the table in $scratch/table.json (data, rows), or the lines of its CSV (lines)
holds() {
    python3 - "$scratch" "$1" <<'END'
import csv, json, os, sys
data = json.load(open(sys.argv[1] + '/table.json'))
rows = data['rows']
path = sys.argv[1] + '/all.csv'
lines = list(csv.DictReader(open(path))) if os.path.exists(path) else []
path = sys.argv[1] + '/more.csv'
more = list(csv.DictReader(open(path))) if os.path.exists(path) else []
sys.exit(not eval(sys.argv[2]))
END
}

# tables
tune 2 --collective allreduce --bytes 8,4K --budget 3 --output "$scratch/table.json" --csv "$scratch/all.csv"
expect "two sizes are tuned" [ "$status" = 0 ]
expect "it says what won" printed '^  allreduce +4096 +[0-9.]+ +[0-9.]+ +[0-9]+  [a-z_]+'
expect "nothing is on stderr" [ ! -s "$scratch/err" ]
expect "the table says where it is from" holds "data['allfold_table'] == 1 and data['created'][:2] == '20' \
and data['machine']['mpi'] and data['machine']['host']"
expect "both sizes have a row, from 0 on" holds "sorted(r['from_bytes'] for r in rows)[0] == 0 and \
max(r['to_bytes'] for r in rows) == 5792 and all(r['nodes'] == 1 and r['ppn'] == 2 for r in rows)"
expect "rows have their times" holds "all(0 < r['us'] <= r['native_us'] and r['samples'] > 0 for r in rows)"
expect "native and the choice were measured to the end" holds "\
all(any(l['algorithm'] == 'native' for l in lines if l['bytes'] == b) and \
sum(l['model'] == '1' for l in lines if l['bytes'] == b) == 1 for b in ('8', '4096'))"
expect "nothing is slower than native for certain" holds "\
all(r['algorithm'] == 'native' or r['us'] < r['native_us'] for r in rows)"

# several launches become one table, without a launcher
tune 2 --collective allreduce --bytes 8,4K --budget 3 --output "$scratch/table.json" --csv "$scratch/more.csv"
cp "$scratch/table.json" "$scratch/single.json"
run "$allfold" table pool --output "$scratch/table.json" "$scratch/all.csv" "$scratch/more.csv"
expect "launches are pooled" [ "$status" = 0 ]
expect "it says what won" printed '^  allreduce +4096 +[0-9.]+ +[0-9.]+ +[0-9]+  [a-z_]+'
expect "both sizes have a row of both launches" holds "sorted(r['from_bytes'] for r in rows)[0] == 0 and \
max(r['to_bytes'] for r in rows) == 5792 and all(r['nodes'] == 1 and r['ppn'] == 2 for r in rows) and \
all(r['samples'] == sum(int(l['calls']) for l in lines + more if l['algorithm'] == r['algorithm'] and \
l['bytes'] in ('8', '4096') and r['from_bytes'] <= int(l['bytes']) < r['to_bytes']) for r in rows if len(rows) == 2)"
expect "the machine is that of the launches" holds "data['machine'] == json.load(open(sys.argv[1] + \
'/single.json'))['machine']"

# a following run obeys it, as ALLFOLD_TABLE and as its part tuned; a rule goes before it
row_of() { # BYTES: "NAME SOURCE, row N" of the allreduce's row that holds
    python3 - "$scratch/table.json" "$1" <<'END'
import json, sys
for number, row in enumerate(json.load(open(sys.argv[1]))['rows'], 1):
    if row['collective'] == 'allreduce' and row['from_bytes'] <= int(sys.argv[2]) < row['to_bytes'] \
            and row.get('commutative', True) and not row.get('exact', False):
        print(f"{row['algorithm']} {number}")
END
}
sums=$build/bin/mpi_reductions_$mpi
obeys() { # VARIABLE SOURCE
    local name number
    read -r name number <<<"$(row_of 24)"
    run env "$1=$scratch/table.json" ALLFOLD_VERBOSE=1 "$source/scripts/launch" "$mpi" 2 "$allfold" run \
        --report="$scratch/report.csv" "$sums" --match '^Allreduce sum double.*count (3|1000),'
    expect "a program runs with $1" [ "$status" = 0 ]
    expect "$1: the row for 24 bytes is obeyed" \
        said "allreduce of 3 x 8 bytes on 2 ranks: $name ($2, row $number)"
    expect "$1: sizes beyond those that were tuned are the built-in table's" \
        grep -q 'allreduce of 1000 x 8 bytes on 2 ranks: .* (built-in)' "$scratch/err"
    expect "$1: the report has the source" grep -qE "allreduce.*$2" "$scratch/report.csv"
}
if [ -x "$sums" ]; then
    obeys ALLFOLD_TABLE table
    obeys ALLFOLD_TABLE=tuned tuned
    ALLFOLD_ALGORITHM=allreduce=linear ALLFOLD_TABLE=$scratch/table.json ALLFOLD_VERBOSE=1 run \
        "$source/scripts/launch" "$mpi" 2 "$allfold" run "$sums" --match '^Allreduce sum double.*count 3,'
    expect "a rule goes before it" said "allreduce of 3 x 8 bytes on 2 ranks: linear (forced)"
else
    skip "runs with a tuned table" "$sums is not built"
fi
run "$allfold" explain --nodes 1 --ppn 2 --bytes 24 --table "$scratch/table.json"
read -r name number <<<"$(row_of 24)"
expect "explain names the row" printed "row $number"
expect "and what it has" printed "${name//[()]/.}"

# what is there is not measured again; what is not, is
cp "$scratch/table.json" "$scratch/before.json"
tune 2 --collective allreduce --bytes 8,4K --output "$scratch/table.json" --resume
expect "to resume with nothing left succeeds" [ "$status" = 0 ]
expect "and says so" printed 'nothing is left to be measured'
expect "and changes nothing" cmp -s "$scratch/table.json" "$scratch/before.json"
tune 2 --collective allreduce,barrier --bytes 8,4K --output "$scratch/table.json" --resume
expect "what is missing is measured" [ "$(grep -c '^  ' "$scratch/out")" = 1 ]
expect "and the rest is kept" holds "{r['collective'] for r in rows} == {'allreduce', 'barrier'}"
expect "nothing half written is left" [ "$(find "$scratch" -name 'table.json?*' | wc -l)" = 0 ]

# tables become one
tune 2 --collective bcast --bytes 8 --output "$scratch/bcast.json"
run "$allfold" table merge --output "$scratch/table.json" "$scratch/table.json" "$scratch/bcast.json"
expect "tables are merged" [ "$status" = 0 ]
expect "with all their rows" holds "{r['collective'] for r in rows} == {'allreduce', 'barrier', 'bcast'}"
echo '{"allfold_table": 1, "rows": [' >"$scratch/broken.json"
refuses "a broken table is not merged" 1 "broken.json" -- \
    "$allfold" table merge --output "$scratch/none.json" "$scratch/table.json" "$scratch/broken.json"
expect "and nothing is written" [ ! -e "$scratch/none.json" ]
tune 2 --bytes 8 --resume --output "$scratch/broken.json"
expect "a broken table is not resumed" [ "$status" != 0 ]
expect "and stays" grep -qx '{"allfold_table": 1, "rows": \[' "$scratch/broken.json"

# where ranks share cores, calls follow each other, unless ranks do not wait for all others in them
cores=$(getconf _NPROCESSORS_ONLN)
loops() { printed '^# calls follow each other'; }
tune 2 --collective allreduce --bytes 8 --output "$scratch/loop.json" --start loop
expect "loops can be asked for" loops
if [ "$cores" -le 4 ]; then
    tune $((cores + 1)) --collective allreduce --bytes 8 --output "$scratch/loop.json"
    expect "ranks that share cores call in loops" loops
    tune $((cores + 1)) --collective reduce --bytes 8 --output "$scratch/loop.json"
    expect "but a reduce begins after a barrier" [ "$(grep -c 'follow each other' "$scratch/out")" = 0 ]
else
    skip "loops where ranks share cores" "there are $cores cores"
fi

# wrong input
tune 1
expect "one rank has nothing to choose" [ "$status" = 2 ]
tune 2 --collective gather
expect "what is no collective is refused" said "expected names like"
tune 2 --operation replace
expect "what is no operation is refused" [ "$status" = 2 ]
calibrate 1
expect "one rank is refused" [ "$status" = 2 ]
expect "and told why" said "one rank alone"
calibrate 2 --bytes 0,8
expect "sizes of 0 are refused" said "is not from 1 to 1G"
calibrate 2 --budget 3d
expect "a time that is none is refused" said "expected a time like"
calibrate 2 --bytes 8 --output "$scratch/none/file"
expect "a file that cannot be written is refused before anything is measured" [ "$status" = 2 ]
refuses "without a launcher there is nothing to measure" 2 "mpirun -n 4 allfold tune" -- "$allfold" tune
refuses "nor to calibrate" 2 "mpirun -n 4 allfold calibrate" -- "$allfold" calibrate
refuses "a directory as table" 2 "--output $scratch: Is a directory" -- "$allfold" tune --output "$scratch"
refuses "one file for both" 2 "two files to write are the same" -- \
    "$allfold" tune --csv "$scratch/both" --output "$scratch/both"
refuses "what is a command now" 2 "--calibrate is now a command: allfold calibrate" -- "$allfold" tune --calibrate
refuses "an old name has a hint" 2 "allfold tune: --sizes is now --bytes 8" -- "$allfold" tune --sizes 8
expect "tables are checked" "$allfold" table check "$scratch/table.json" >/dev/null
refuses "a broken one" 1 "broken.json" -- "$allfold" table check "$scratch/broken.json"
finish
