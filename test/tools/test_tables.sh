#!/bin/bash
# Tests of `allfold tune --simulate` and of scripts/tables: test_tables.sh PATH_OF_ALLFOLD SOURCE
set -u
export LC_ALL=C
unset "${!ALLFOLD_@}"

[ $# -eq 2 ] && [ -x "$1" ] || { echo "usage: $0 PATH_OF_ALLFOLD SOURCE_DIRECTORY" >&2; exit 2; }
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=100
source=$2
allfold=$1
prefix=("$1" tune --simulate)
T=$scratch

common=(--network cluster --name mine --nodes 4x2,4x1 --collective allreduce,barrier --bytes 8,64K)
run "${common[@]}" --csv "$T/rows.csv" --output "$T/table.json"
expect "it runs in silence" [ "$status" = 0 -a -z "$out$err" ]
cp "$T/rows.csv" "$T/out"
python "every shape and size has a row" '
rows = list(csv.DictReader(text.splitlines()))
assert [(r["collective"], r["nodes"], r["ppn"], r["bytes"]) for r in sorted(rows, key=lambda r: (r["collective"], r["ppn"], int(r["bytes"])))] == [
    ("allreduce", "4", "1", "8"), ("allreduce", "4", "1", "65536"), ("allreduce", "4", "2", "8"), ("allreduce", "4", "2", "65536"),
    ("barrier", "4", "1", "8"), ("barrier", "4", "2", "8")], rows
assert all(r["network"] == "mine" and float(r["us"]) > 0 and 1 <= float(r["regret"]) <= 1.03 for r in rows), rows
assert all(r["runner_up"] != r["algorithm"] and float(r["runner_up_us"]) >= 0.97 * float(r["us"]) for r in rows if r["runner_up"]), rows
assert all(8 < int(r["from_bytes"]) <= 65536 for r in rows if r["bytes"] == "65536"), rows'

# the time of a row is that of the simulator
while IFS=, read -r collective bytes name us; do
    prefix=("$allfold" simulate)
    run --network cluster -N 4 -k 2 -c "$collective" -b "$bytes" -a "$name" --csv
    python "simulate confirms $name of $bytes bytes" "
row = next(csv.DictReader(text.splitlines()))
assert abs(float(row['microseconds']) - $us) < 0.002, row"
done < <(python3 -c '
import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    if r["ppn"] == "2" and r["collective"] == "allreduce":
        print(r["collective"], r["bytes"], r["algorithm"], r["us"], sep=",")' "$T/rows.csv")
prefix=("$allfold" tune --simulate)

# what the file has is not simulated again; what it lacks is
cp "$T/rows.csv" "$T/before.csv"
run "${common[@]}" --csv "$T/rows.csv"
expect "a finished run adds nothing" cmp -s "$T/before.csv" "$T/rows.csv"
grep -v '^allreduce.*,4,1,' "$T/before.csv" >"$T/rows.csv"
run "${common[@]}" --csv "$T/rows.csv" --output "$T/table.json"
expect "an interrupted one goes on" cmp -s <(sort "$T/before.csv") <(sort "$T/rows.csv")

# sizes next to each other with the same algorithm have one row in the table
run --network cluster --name joined --nodes 4x1 --collective bcast --bytes 8,16,32 --csv "$T/joined.csv" \
    --output "$T/joined.json"
cp "$T/joined.json" "$T/out"
cp "$T/joined.csv" "$T/beside"
python "neighbors of one algorithm are one row" '
import os
rows = [r["algorithm"] for r in csv.DictReader(open(os.path.join(os.path.dirname(sys.argv[1]), "beside")))]
joined = [r["algorithm"] for r in json.loads(text)["rows"]]
assert len(rows) == 3 and len(set(rows)) < 3, rows
assert all(a != b for a, b in zip(joined, joined[1:])) and set(joined) == set(rows), joined'

# the table serves as any other
prefix=("$allfold" explain)
run -N 4 -k 2 -b 8 --table "$T/table.json"
expect "explain takes the table" grep -q "^chosen: .* by the user's table, row [0-9]* of $T/table.json; as the table says: " "$T/out"
# measured rows go over simulated ones, and not the other way round
python3 -c '
import json, sys
table = json.load(open(sys.argv[1]))
table["machine"]["mpi"] = "MPICH 4.0"
for row in table["rows"]:
    row["algorithm"] = "linear" if row["collective"] == "allreduce" else row["algorithm"]
json.dump(table, open(sys.argv[2], "w"))' "$T/table.json" "$T/measured.json"
prefix=("$allfold" table merge)
run --output "$T/merged.json" "$T/table.json" "$T/measured.json"
cp "$T/merged.json" "$T/out"
python "measured rows go over simulated ones" '
rows = [r for r in json.loads(text)["rows"] if r["collective"] == "allreduce"]
assert rows and all(r["algorithm"] == "linear" for r in rows), rows'
refuses "not the other way round" 1 "expected tables of one MPI" -- --output "$T/merged.json" "$T/measured.json" "$T/table.json"

prefix=("$allfold" tune --simulate)
refuses "no file" 2 "--csv FILE is needed" -- --nodes 4x2
refuses "a shape" 2 "--nodes: '4'; expected one like 16x8" -- --csv "$T/none" --nodes 4
refuses "a placement" 2 "--nodes: '4x2:odd'" -- --csv "$T/none" --nodes 4x2:odd
refuses "a collective" 2 "--collective: 'sum'" -- --csv "$T/none" --collective sum
refuses "a size" 2 "--bytes: 9; expected multiples of 8" -- --csv "$T/none" --bytes 9
refuses "an operation" 2 "--operation: 'odd'; expected commutative, ordered or canonical" -- --csv "$T/none" --operation odd
refuses "a network" 2 "--network: " -- --csv "$T/none" --network nowhere
expect "and no file is made" [ ! -e "$T/none" ]

run "${common[@]}" --csv "$T/rows.csv" --untold
expect "rows of other settings are not taken" [ "$status" = 1 ]
expect "and that is said" grep -q "were simulated on other networks, with other sizes" "$T/err"
refuses "sizes that do not ascend" 2 "--bytes: 8 after 65536; expected ascending sizes" -- --csv "$T/none" --bytes 64K,8
printf 'my only notes' >"$T/notes"
refuses "a file of something else" 1 "line 1: there is no column 'collective'" -- --csv "$T/notes"
expect "it stays as it is" [ "$(cat "$T/notes")" = "my only notes" ]
refuses "one file for both" 2 "--csv and --output: $T/none; expected two files" -- --csv "$T/none" --output "$T/none"
run --nodes 1x4:cyclic --bytes 8 --name one --csv "$T/one.csv" --output "$T/one.json"
expect "one node has one placement" [ "$status" = 0 ]
refuses "a name that breaks the file" 2 "--name: 'a,b'; expected no comma" -- --csv "$T/none" --name a,b
run --network "switch 2" --name small --nodes 4x1 --bytes 8 --csv "$T/small.csv"
expect "a simulation that fails says why" grep -q "allreduce on 4 x 1: 4 nodes are more than the network's 2 hosts" "$T/err"

# scripts/tables makes the built-in table of such files
mkdir -p "$T/build/tables"
sed 's/,mine,/,untold,/' "$T/before.csv" >"$T/build/tables/untold.csv"
expect "scripts/tables writes rows" "$source/scripts/tables" "$T/build" --write --rows "$T/rows.inc"
expect "in order" [ "$(grep -c '^ROW(ALLREDUCE,COMMUTATIVE,UNTOLD,1,4,[12],' "$T/rows.inc")" -ge 2 ]
cp "$T/rows.inc" "$T/rows_before.inc"
mkdir -p "$T/interrupted/tables"
sed '$d' "$T/build/tables/untold.csv" >"$T/interrupted/tables/untold.csv"
expect "a shape lacks a size" "$source/scripts/tables" "$T/interrupted" --write --rows "$T/rows.inc"
expect "it keeps its rows" cmp -s "$T/rows.inc" "$T/rows_before.inc"
mkdir -p "$T/nothing"
expect "where nothing was simulated" "$source/scripts/tables" "$T/nothing" --write --rows "$T/rows.inc"
expect "the table stays as it is" cmp -s "$T/rows.inc" "$T/rows_before.inc"
mkdir -p "$T/other/tables"
sed 's/,mine,/,fat_tree,/' "$T/before.csv" >"$T/other/tables/fat_tree.csv"
expect "another class is added" "$source/scripts/tables" "$T/other" --write --rows "$T/rows.inc"
for class in UNTOLD FAT_TREE; do
    expect "and $class has its rows" [ "$(grep -c "^ROW(ALLREDUCE,COMMUTATIVE,$class," "$T/rows.inc")" = \
        "$(grep -c '^ROW(ALLREDUCE,COMMUTATIVE,UNTOLD,' "$T/rows_before.inc")" ]
done
run_tables() { "$source/scripts/tables" "$T/other" --write --rows "$T/rows.inc" --collectives "$1" 2>"$T/err"; }
expect "no such collective" eval '! run_tables gather'
expect "it is named" grep -q "'gather' is none of allreduce," "$T/err"
finish
