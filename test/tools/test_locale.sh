#!/bin/bash
# A locale with a decimal comma. The units and the command read and write numbers with a period all
# the same. So does the library that is preloaded into programs that take the locale.
# Usage: test_locale.sh BUILD_DIRECTORY SOURCE_DIRECTORY LIBRARY_THAT_TAKES_THE_LOCALE MPI...
set -u
unset LD_PRELOAD LC_ALL "${!ALLFOLD_@}" "${!OMPI_COMM_WORLD_@}" "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}"
build=$1 source=$2 taker=$3
shift 3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
T=$scratch

type -P localedef >/dev/null || skip_all "localedef is not installed"
mkdir "$T/locales"
localedef --no-archive -i de_DE -f UTF-8 "$T/locales/de_DE.UTF-8" >"$T/out" 2>"$T/err" ||
    skip_all "localedef cannot make de_DE.UTF-8: $(tail -n 1 "$T/err")"
comma=(env "LOCPATH=$T/locales" LC_ALL=de_DE.UTF-8 "LD_PRELOAD=$taker" ALLFOLD_TEST_POINT=,)

for unit in numbers durations network calibration fit plan settings rules report; do
    run "${comma[@]}" "$build/bin/test_$unit"
    expect "test_$unit passes" [ "$status" = 0 ]
    [ "$unit" != numbers ] || expect "the comma is there" [ "$(grep -c 'SKIPPED' <<<"$out$err")" = 0 ]
done

allfold=("${comma[@]}" "$build/bin/allfold")
cat >"$T/table.json" <<'END'
{"allfold_table": 1, "rows": [{"collective": "allreduce", "nodes": 1, "ppn": 2, "algorithm": "ring",
  "us": 12.5, "native_us": 20.25}]}
END
run "${allfold[@]}" explain --nodes 1 --ppn 2 --bytes 1K --table "$T/table.json" --json
python "explain's JSON" "
row = json.loads(text)['row']
assert row['us'] == 12.5 and row['native_us'] == 20.25"
run "${allfold[@]}" simulate --nodes 2 --ppn 2 --bytes 1K --json
python "simulate's JSON" "json.loads(text)"

for mpi in "$@"; do
    launch=("$source/scripts/launch" "$mpi" 2)
    times=(--budget 0.5 --repetitions 5.. --bytes 8)
    run "${launch[@]}" "${allfold[@]}" bench "${times[@]}" --algorithm native \
        --csv="$T/bench.csv" --json="$T/bench.json"
    expect "$mpi: bench succeeds" [ "$status" = 0 ]
    cp "$T/bench.csv" "$T/out"
    python "$mpi: bench's CSV" "
row, = csv.DictReader(text.splitlines())
assert float(row['time_s']) == 0.5 and float(row['median_us']) > 0"
    cp "$T/bench.json" "$T/out"
    python "$mpi: bench's JSON" "
told = json.loads(text)
assert told['setting']['time_s'] == 0.5 and told['points'][0]['median_us'] > 0"

    program=("$build/bin/mpi_reductions_$mpi" --match '^Allreduce sum int64.*count 3,')
    for format in csv json; do
        run "${launch[@]}" env ALLFOLD_TIMEOUT=99.5s ALLFOLD_TABLE="$T/table.json" ALLFOLD_VERBOSE=1 \
            "${allfold[@]}" run --report="$T/report.$format" "${program[@]}"
        expect "$mpi: a program that takes the locale succeeds" [ "$status" = 0 ]
        expect "$mpi: its time limit is read" [ "$(grep -c TIMEOUT <<<"$err")" = 0 ]
        expect "$mpi: its table is read" said "ring (table, row 1)"
        cp "$T/report.$format" "$T/out"
        python "$mpi: its report as $format" "
if '$format' == 'csv':
    for row in csv.DictReader(text.splitlines()):
        assert None not in row and float(row['seconds']) > 0, row
else:
    json.loads(text)"
    done
done

finish
