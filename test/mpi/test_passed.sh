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

# has_rows COUNT: the program printed lines of so many names and modes, and the report's rows have the same sums
has_rows() {
    python3 - "$scratch/out" "$scratch/report.csv" "$1" <<'END'
import csv, sys
made = {}
for words in (line.split() for line in open(sys.argv[1])):
    if words[:1] == ["passed"]:
        calls, size = made.get(tuple(words[1:3]), (0, 0))
        made[tuple(words[1:3])] = calls + int(words[3]), size + int(words[4])
rows = [row for row in csv.DictReader(open(sys.argv[2])) if row["chosen"] == "Allfold does not serve this collective"]
found = {}
for row in rows:
    name = row["collective"], row["mode"]
    calls, size = found.get(name, (0, 0))
    found[name] = calls + int(row["calls"]), size + int(row["all_bytes"])
assert len(made) == int(sys.argv[3]), made
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
    expect "the report has the calls and bytes of $ranks ranks" has_rows 24 # twelve collectives, in two modes
done

launch 2 "$build/bin/allfold" run --report "$build/bin/mpi_passed_$mpi"
expect "the table names a nonblocking one" \
    grep -qE '^ineighbor_alltoallw +2 .* - +- .* native +Allfold does not serve this collective' "$scratch/err"
launch 2 "$build/bin/allfold" run --report="$scratch/report.json" "$build/bin/mpi_passed_$mpi"
expect "JSON has them, too" grep -q '"collective": "neighbor_alltoallw"' "$scratch/report.json"
launch 2 "$build/bin/allfold" run --report="$scratch/report.html" "$build/bin/mpi_passed_$mpi"
expect "and so has the page" grep -q 'ineighbor_alltoallw' "$scratch/report.html"

# Open MPI's Fortran functions call PMPI_, so Allfold has some of its own
if ! command -v "mpifort.$mpi" >/dev/null || ! "mpifort.$mpi" --version >/dev/null 2>&1; then
    skip "Fortran with $mpi" "mpifort.$mpi does not run"
    finish
fi
for binding in MPIF_H MPI MPI_F08; do
    "mpifort.$mpi" -O1 -w -fallow-argument-mismatch "-DUSE_$binding" -J "$scratch" \
        "$source/test/mpi/fortran_passed.F90" -o "$scratch/$binding" >"$scratch/out" 2>&1
    expect "$binding: a program builds" [ $? = 0 ]
    for ranks in 1 3; do
        launch "$ranks" "$build/bin/allfold" run "$scratch/$binding"
        expect "$binding: results are right on $ranks ranks" grep -qx right "$scratch/out"
        launch "$ranks" "$build/bin/allfold" run --report="$scratch/report.csv" "$scratch/$binding"
        expect "$binding: they are with a report" grep -qx right "$scratch/out"
        expect "$binding: the report has the calls and bytes of $ranks ranks" has_rows 7
    done
done

finish
