#!/bin/bash
# bench_regret: the regret of the built-in table's look-up, on a few problems of few ranks.
# Usage: test_regret.sh SOURCE_DIRECTORY BENCH_REGRET
set -u
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: $0 SOURCE_DIRECTORY BENCH_REGRET" >&2; exit 2; }
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
[ -x "$2" ] || skip_all "the benchmarks are not built"
T=$scratch

run "$2" --points 10 --ranks 16 --bytes 65536 --csv "$T/a.csv" "$1/tables"
expect "it succeeds" [ "$status" = 0 ]
cat "$T/out"
expect "there is a sum of all" grep -qE '^all +10 +[-0-9.]+ % +[-0-9.]+ % +[-0-9.]+ %  ' "$T/out"
run "$2" --points 10 --ranks 16 --bytes 65536 --jobs 1 --csv "$T/b.csv" "$1/tables"
expect "the same seed has the same problems" [ "$(sort "$T/a.csv")" = "$(sort "$T/b.csv")" ]
run "$2" --points 10 --ranks 16 --bytes 65536 --seed 2 --csv "$T/c.csv" "$1/tables"
expect "another one has others" [ "$(sort "$T/a.csv")" != "$(sort "$T/c.csv")" ]

# holds CODE: of the CSV's rows
holds() {
    python3 - "$T/a.csv" "$1/src/select/built_in_rows.inc" <<END
import csv, re, statistics, sys
rows = list(csv.DictReader(open(sys.argv[1])))
shapes = {tuple(map(int, found)) for found in re.findall(r'ROW\(\w+,\w+,\w+,\d,(\d+),(\d+),', open(sys.argv[2]).read())}
$2
END
}
expect "shapes are none of the table's" holds "$1" "
assert len(rows) == 10 and len(shapes) > 20
assert not {(int(row['nodes']), int(row['ppn'])) for row in rows} & shapes"
expect "what was found itself has no regret but for a simpler name" holds "$1" "
same = [float(row['regret']) for row in rows if row['chosen'] == row['found']]
assert same and all(0.99 < regret < 1.031 for regret in same), same"
# beyond this the table, or its look-up, has become much worse
expect "the median is small" holds "$1" "
assert statistics.median(float(row['regret']) for row in rows) < 1.1"
refuses "no folder" 2 "nowhere/fat_tree.txt" -- "$2" "$T/nowhere"
refuses "no points" 64 "expected a number from 1 to" -- "$2" --points 0 "$1/tables"
finish
