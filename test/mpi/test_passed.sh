#!/bin/bash
# The rows of collectives that Allfold passes through: calls and bytes are those that the program made.
# Usage: test_passed.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
logs=(out err report.csv)

launch() {
    timeout --kill-after=10 100 "$source/scripts/launch" "$mpi" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
}

# has_rows: each line that the program printed is the sum of the report's rows of that name and mode, and
# there are lines for all twelve collectives in both modes
has_rows() {
    python3 - "$scratch/out" "$scratch/report.csv" <<'END'
import csv, sys
made = {tuple(words[1:3]): (int(words[3]), int(words[4]))
        for words in (line.split() for line in open(sys.argv[1])) if words[:1] == ["passed"]}
rows = [row for row in csv.DictReader(open(sys.argv[2])) if row["chosen"] == "Allfold does not serve this collective"]
found = {}
for row in rows:
    name = row["collective"], row["mode"]
    calls, size = found.get(name, (0, 0))
    found[name] = calls + int(row["calls"]), size + int(row["all_bytes"])
assert len(made) == 24, made
assert found == made, (found, made)
assert all(row["algorithm"] == "native" and float(row["waiting_seconds"]) == float(row["moving_seconds"]) == 0
           for row in rows), rows
assert all(float(row["seconds"]) > 0 for row in rows if int(row["calls"]) > 0), rows
assert all(int(row["least_bytes"]) <= int(row["most_bytes"]) for row in rows), rows
END
}

for ranks in 1 3 4; do
    launch "$ranks" "$build/bin/allfold" run --report="$scratch/report.csv" "$build/bin/mpi_passed_$mpi"
    expect "results are right on $ranks ranks" [ "$status" = 0 ]
    expect "the report has the calls and bytes of $ranks ranks" has_rows
done

launch 2 "$build/bin/allfold" run --report "$build/bin/mpi_passed_$mpi"
expect "the table names a nonblocking one" \
    grep -qE '^ineighbor_alltoallw +2 .* - +- .* native +Allfold does not serve this collective' "$scratch/err"
launch 2 "$build/bin/allfold" run --report="$scratch/report.json" "$build/bin/mpi_passed_$mpi"
expect "JSON has them, too" grep -q '"collective": "neighbor_alltoallw"' "$scratch/report.json"
launch 2 "$build/bin/allfold" run --report="$scratch/report.html" "$build/bin/mpi_passed_$mpi"
expect "and so has the page" grep -q 'ineighbor_alltoallw' "$scratch/report.html"

finish
