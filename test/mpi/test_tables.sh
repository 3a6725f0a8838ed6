#!/bin/bash
# Tables under real mpirun: what goes before what, and ranks with other files, without one, or with a
# broken one.
# Usage: test_tables.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
prefix=("$source/scripts/launch" "$mpi") # so `run` begins with the number of ranks
app=("$build/bin/allfold" run "$build/bin/mpi_reductions_$mpi" --match)
T=$scratch
unset "${!ALLFOLD_@}"
export ALLFOLD_VERBOSE=1

times() { [ "$(grep -cF -- "$1" "$T/err")" = "$2" ]; }

# table FILE ROW...: each row without what all have in common
table() {
    local file=$1 rows
    shift
    rows=$(printf '{"nodes": 1, "ppn": 3, %s},\n' "$@")
    printf '{"allfold_table": 1, "rows": [%s]}\n' "${rows%,}" >"$file"
}

table "$T/table" '"collective": "allreduce", "to_bytes": 100, "algorithm": "chain(segment=8K)"' \
    '"collective": "allreduce", "from_bytes": 100, "algorithm": "ring"' \
    '"collective": "reduce", "algorithm": "native"' \
    '"collective": "allgather", "algorithm": "ring"'
table "$T/other" '"collective": "allreduce", "algorithm": "linear"'
# no long native reductions: MPICH 4.0.2 crashes in them in place (test_mpich_in_place_crash.c)
sums='^(Allreduce sum int64.*count (3|1000)|Reduce sum int64.*count 3),'

ALLFOLD_TABLE=$T/table run 3 "${app[@]}" "$sums"
expect "with a table" [ "$status" = 0 ]
expect "a row is taken" said "allreduce of 3 x 8 bytes on 3 ranks: chain(segment=8K) (table, row 1)"
expect "by its bytes" said "allreduce of 1000 x 8 bytes on 3 ranks: ring (table, row 2)"
expect "native is a choice" said "reduce of 3 x 8 bytes on 3 ranks: native (table, row 3)"

ALLFOLD_TABLE=$T/table ALLFOLD_VERBOSE=0 run 3 "$build/bin/allfold" run --report="$T/report.csv" \
    "$build/bin/mpi_reductions_$mpi" \
    --match '^(Allreduce (sum int64|user affine).*count 1000,|Reduce sum int64.*count 3,|Allgather sum)'
expect "the report has the sources" python3 -c "
import csv
rows = {(r['collective'], r['algorithm'], r['chosen']) for r in csv.DictReader(open('$T/report.csv'))}
assert ('allreduce', 'ring', 'table') in rows and ('reduce', 'native', 'table') in rows, rows
assert ('allgather', 'ring', 'table') in rows, rows
assert any(c == 'allreduce' and a != 'ring' and why == 'built-in, row passed over'
           for c, a, why in rows), rows"

ALLFOLD_TABLE=$T/table run 3 "${app[@]}" '^Allreduce user affine.*count 1000,'
expect "an operation that does not commute" [ "$status" = 0 ]
expect "a row that cannot be obeyed is passed over" \
    said "row 2 of the table names ring, which needs a commutative operation: passed over"

ALLFOLD_TABLE=$T/table ALLFOLD_ALGORITHM=allreduce=recursive_doubling run 3 "${app[@]}" "$sums"
expect "a rule goes before a table" \
    said "allreduce of 3 x 8 bytes on 3 ranks: recursive_doubling (forced)"

ALLFOLD_TABLE=$T/table run 2 "${app[@]}" "$sums"
expect "on other ranks the built-in table chooses" grep -q 'allreduce of 3 x 8 .* on 2 ranks: .* (built-in)' "$T/err"

# MPICH 4.0.2 crashes in its own long reductions in place (test_mpich_in_place_crash.c)
printf '{"allfold_table": 1, "rows": [{"nodes": 1, "ppn": 2, "collective": "reduce", "algorithm": "native"}]}' \
    >"$T/native"
ALLFOLD_TABLE=$T/native run 2 "$build/bin/allfold" run "$build/bin/mpi_mpich_in_place_crash_$mpi"
expect "native in place does not end the program" [ "$status" = 0 ]
expect "and it was native" said "reduce of 1000 x 8 bytes on 2 ranks: native (table, row 1)"
ALLFOLD_TABLE=$T/native ALLFOLD_VERBOSE=0 run 2 "$build/bin/allfold" run "$build/bin/mpi_repeated_$mpi"
expect "nor where calls are like the last one" [ "$status" = 0 ]

# --- the tuned table ------------------------------------------------------------------------------
mkdir -p "$XDG_DATA_HOME/allfold"
cp "$T/other" "$XDG_DATA_HOME/allfold/tuned-$mpi.json"
run 3 "${app[@]}" "$sums"
expect "the tuned table is found" said "allreduce of 3 x 8 bytes on 3 ranks: linear (tuned, row 1)"
ALLFOLD_TABLE=$T/table run 3 "${app[@]}" "$sums"
expect "the user's goes before it" \
    said "allreduce of 3 x 8 bytes on 3 ranks: chain(segment=8K) (table, row 1)"
ALLFOLD_TABLE=tuned=off run 3 "${app[@]}" "$sums"
expect "it can be left out" [ "$status" = 0 -a "${err/tuned/}" = "$err" ]
rm "$XDG_DATA_HOME/allfold/tuned-$mpi.json"
ALLFOLD_TABLE=tuned=$T/nowhere run 3 "${app[@]}" "$sums"
expect "one that is named must be there" \
    times "tuned table: $T/nowhere: cannot be opened (No such file or directory)" 1
expect "and is no more than missed" [ "$status" = 0 ]

# --- broken ---------------------------------------------------------------------------------------
head -c 200 "$T/table" >"$T/broken"
ALLFOLD_TABLE=$T/broken run 3 "${app[@]}" "$sums"
expect "with a broken table the job runs" [ "$status" = 0 ]
expect "it is said once" times "ALLFOLD_TABLE: $T/broken: line " 1
expect "and that it is left out" said "the table is left out"
expect "the built-in table chooses" grep -q 'allreduce of 3 x 8 .* (built-in)' "$T/err"

# --- ranks that differ ----------------------------------------------------------------------------
# differ FIRST OTHERS WANTED: rank 0 with that table, the others with theirs ("": none)
differ() {
    run 1 env ALLFOLD_TABLE="$1" "${app[@]}" "$sums" : -n 2 env ALLFOLD_TABLE="$2" "${app[@]}" "$sums"
    [ "$status" = 0 ] && times "the ranks have different tables; those of rank 0 are taken" 1 &&
        grep -qE "allreduce of 3 x 8 bytes on 3 ranks: $3" "$T/err"
}
expect "a rank's own file" differ "$T/table" "$T/other" 'chain\(segment=8K\) \(table, row 1\)'
expect "a rank without the file" differ "$T/table" "" 'chain\(segment=8K\) \(table, row 1\)'
expect "rank 0 without it" differ "" "$T/table" '[^ ]+ \(built-in\)'
expect "a rank with a broken one" differ "$T/other" "$T/broken" 'linear \(table, row 1\)'

# --- programs get jansson only where there is a table -----------------------------------------------
LD_DEBUG=files run 2 "${app[@]}" '^Allreduce sum int64.*count 3,'
expect "no module without a table" times "calling init: $build/lib/allfold/liballfold-table.so" 0
expect "what is loaded can be seen" said "calling init: $build/lib/allfold/liballfold-$mpi.so"
LD_DEBUG=files ALLFOLD_TABLE=$T/table run 2 "${app[@]}" '^Allreduce sum int64.*count 3,'
expect "the module with one" said "calling init: $build/lib/allfold/liballfold-table.so"

finish
