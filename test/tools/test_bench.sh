#!/bin/bash
# `allfold bench`: what it measures, in all its forms, wrong results and wrong input.
# Usage: test_bench.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY WRONG_LAYER [short]
set -u
export LC_ALL=C
unset LD_PRELOAD "${!ALLFOLD_@}" "${!OMPI_COMM_WORLD_@}" "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}"
mpi=$1 build=$2 source=$3 wrong_layer=$4
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
allfold=$build/bin/allfold
logs+=(python)

# bench RANKS OPTIONS...: into out, err and $status. It is short, as nothing here depends on the
# times. It uses barriers, as nobody is punctual where others use the machine.
options=(--budget 0.02 --warmup 2 --repetitions 6.. --start barrier)
bench() {
    run "$source/scripts/launch" "$mpi" "$1" "$allfold" bench "${options[@]}" "${@:2}"
}

printed() { grep -qE -- "$1" "$scratch/out"; }
printed_times() { [ "$(grep -cE -- "$2" "$scratch/out")" = "$1" ]; }
silent() { [ ! -s "$scratch/out" ]; }
# of our own: mpirun has words of its own for a status that is not 0
said_once() { [ "$(grep -cF -- "$1" "$scratch/err")" = 1 ]; }

# holds FILE EXPRESSION: of the CSV's `rows`, or of the JSON, of which `setting` and `points` are all
holds() {
    python3 - "$1" "$2" >"$scratch/python" 2>&1 <<'END'
import csv, json, sys
if sys.argv[1].endswith('.json'):
    data = json.load(open(sys.argv[1]))
    setting, points = data['setting'], data['points']
    import statistics
else:
    rows = list(csv.DictReader(open(sys.argv[1])))
if not eval(sys.argv[2]):
    sys.exit('does not hold: ' + sys.argv[2])
END
}

# python_holds CODE: of `text`, what was printed
python_holds() {
    python3 -c "import json, sys; text = open(sys.argv[1]).read()
$1" "$scratch/out" >"$scratch/python" 2>&1
}

# the table
bench 2 --algorithm native,ring,all --bytes 8,4K
expect "it succeeds" [ "$status" = 0 ]
expect "the MPI library is named" printed_times 1 '^MPI library: /.*/libmpi[^/]*\.so'
expect "the heading comes once" printed_times 1 '^Allfold .* bench: allreduce, .*p = 2, 1 x 2'
expect "the table has the library's own" printed '^ +8 .* native +[0-9.]+ .* 1\.00$'
expect "the table has ours" printed '^ +4096 .* ring +[0-9.]+ '
expect "all are there at each size" \
    printed_times 2 '^ +[0-9]+ [* ] halving_doubling '
expect "what cannot serve says why" printed_times 2 'smp +it needs ranks on several nodes'
expect "one is the fastest at each size" printed_times 2 '^ +[0-9]+ \* '
expect "there is no progress unless stderr is a terminal" [ ! -s "$scratch/err" ]

# all forms at once
bench 2 --algorithm 'native,ring,allfold,chain(segment=1K)' --bytes 8:8K:x10 --type float,int --repetitions 20 \
    --operation sum,max --csv="$scratch/a.csv" --json="$scratch/a.json" \
    --plot "$scratch/a.svg"
expect "files are written" [ "$status" = 0 ]
expect "the table is there besides" printed '^allreduce of int32, max$'
expect "the CSV has all" holds "$scratch/a.csv" "len(rows) == 4 * 4 * 4 and \
len({(r['type'], r['operation'], r['bytes'], r['algorithm']) for r in rows}) == 64"
expect "the CSV has the sizes" holds "$scratch/a.csv" \
    "[r['bytes'] for r in rows[:16:4]] == ['8', '80', '800', '8000']"
expect "the CSV has parameters" holds "$scratch/a.csv" \
    "sum(r['algorithm'] == 'chain(segment=1K)' for r in rows) == 16"
expect "the CSV has what was measured on" holds "$scratch/a.csv" \
    "all(r['p'] == '2' and r['nodes'] == '1' and r['ranks_per_node'] == '2' and r['mpi'] and \
r['host'] and r['version'] and r['date'][:2] == '20' and r['processor'] for r in rows)"
expect "the CSV's figures are in order" holds "$scratch/a.csv" \
    "all(0 < float(r['least_us']) <= float(r['from_us']) <= float(r['median_us']) <= \
float(r['to_us']) <= float(r['most_us']) for r in rows)"
expect "no call is left out" holds "$scratch/a.csv" "all(r['repetitions'] == '20' for r in rows)"
expect "the ratio is the medians'" holds "$scratch/a.csv" "all(abs(float(r['to_native']) * \
float(n['median_us']) / float(r['median_us']) - 1) < 1e-6 for r in rows for n in rows if \
n['algorithm'] == 'native' and all(n[k] == r[k] for k in ('type', 'operation', 'bytes')))"
expect "the JSON has the setting" holds "$scratch/a.json" \
    "setting['p'] == 2 and setting['least_repetitions'] == 20 and setting['time_s'] == 0.02 and \
setting['collective'] == 'allreduce' and setting['start'] in ('window', 'barrier')"
expect "the JSON has all samples" holds "$scratch/a.json" \
    "all(len(p['samples_us']) == p['repetitions'] for p in points) and len(points) == 64"
expect "the median is that of the samples" holds "$scratch/a.json" \
    "all(abs(statistics.median(p['samples_us']) / p['median_us'] - 1) < 1e-4 for p in points)"
expect "the deviation is that of the samples" holds "$scratch/a.json" \
    "all(abs(statistics.stdev(p['samples_us']) - p['deviation_us']) <= 1e-3 * p['deviation_us'] + \
1e-4 for p in points)"
expect "nothing is left out of the mean" holds "$scratch/a.json" \
    "all(abs(statistics.mean(p['samples_us']) / p['mean_us'] - 1) < 1e-4 for p in points)"
bench 2 --algorithm 'native,ring,allfold,chain(segment=1K)' --bytes 8:8K:x10 --type float,int --repetitions 20 \
    --operation sum,max --format osu
cp "$scratch/out" "$scratch/a.osu"
expect "OSU's tables are there" \
    [ "$(grep -cE '^# Size +Avg Latency\(us\) +Min Latency\(us\) +Max Latency\(us\) +Iterations$' \
        "$scratch/a.osu")" = 16 ]
# as OSU's own parsers do: lines that begin with a number, the second column
expect "OSU's columns are where they belong" \
    [ "$(awk '/^[0-9]/ && NF == 5 && $3 <= $2 && $2 <= $4' "$scratch/a.osu" | wc -l)" = 64 ]
if command -v gnuplot >/dev/null; then
    expect "the picture has the curves" [ "$(grep -c '<path' "$scratch/a.svg")" -gt 32 ]
    expect "the picture has a dark mode" grep -q 'prefers-color-scheme:dark' "$scratch/a.svg"
    expect "the picture names them" grep -qF 'chain(segment=1K)' "$scratch/a.svg"
else
    skip "pictures" "gnuplot is not installed"
fi

# to stdout, one form instead of the table
bench 2 --bytes 8 --csv
expect "CSV goes to stdout" [ "$status" = 0 ]
cp "$scratch/out" "$scratch/b.csv"
expect "and nothing besides" holds "$scratch/b.csv" \
    "[r['algorithm'] for r in rows] == ['allfold', 'native']"
bench 2 --bytes 8 --json
cp "$scratch/out" "$scratch/b.json"
expect "JSON goes to stdout" holds "$scratch/b.json" "len(points) == 2"
bench 2 --bytes 8 --format osu
expect "OSU's table goes to stdout" printed '^8 +[0-9]+\.[0-9][0-9] '

# guidelines: an allreduce that is forced to send each element by itself takes longer than its parts
export ALLFOLD_ALGORITHM='allreduce=chain(segment=8)'
bench 2 --guidelines --bytes 8,12,64K --csv="$scratch/g.csv" --json="$scratch/g.json"
unset ALLFOLD_ALGORITHM
expect "guidelines are measured" [ "$status" = 0 ]
expect "what is broken is printed" printed '^allfold +allreduce <= [a-z_+ ]+ +65536 +[0-9.]+ +[0-9.]+ +[0-9.]+$'
expect "the table ends with a count" printed '^[0-9]+ of [0-9]+ guidelines are broken: '
expect "the CSV has it, too" holds "$scratch/g.csv" \
    "'1' in [r['broken'] for r in rows if r['algorithm'] == 'allfold' and r['bytes'] == '65536' and \
r['guideline'].startswith('allreduce <= ')]" # another process may widen the interval of one of them
expect "sizes are whole blocks of all ranks, each once" holds "$scratch/g.csv" \
    "{r['bytes'] for r in rows} == {'0', '16', '65536'}"
expect "native is compared, too" holds "$scratch/g.csv" \
    "{r['guideline'] for r in rows if r['algorithm'] == 'native'} == {r['guideline'] for r in rows} and \
len({r['guideline'] for r in rows}) == 10 + 2 * 9 and len(rows) == 2 * (9 * 2 + 1 + 2 * 9)"
expect "times are ratios" holds "$scratch/g.csv" \
    "all(abs(float(r['median_us']) / float(r['others_us']) / float(r['times']) - 1) < 1e-6 for r in rows)"
expect "broken is beyond the interval" holds "$scratch/g.csv" \
    "all(r['broken'] == '0' or float(r['from_us']) > float(r['others_to_us']) for r in rows)"
bench 2 --guidelines --algorithm native --bytes 8 --json
expect "JSON has the setting and all" python_holds "
d = json.loads(text)
assert d['setting']['collective'] == 'guidelines' and len(d['guidelines']) == 10
assert all(g['algorithm'] == 'native' for g in d['guidelines'])"
for wrong in "--algorithm ring" "--type int,double" "--start loop" "--buffers in_place" "--format osu"; do
    read -ra words <<<"$wrong"
    bench 2 --guidelines "${words[@]}"
    expect "guidelines are refused with $wrong" said_once --guidelines
done
[ "${5-}" != short ] || finish

# all collectives, roots, ways to start, clocks, caches, skew
for collective in allreduce reduce bcast reduce_scatter_block allgather barrier; do
    bench 3 --collective $collective --algorithm all,native --bytes 0,8,4096 --csv="$scratch/c.csv"
    expect "$collective: it succeeds" [ "$status" = 0 ]
    expect "$collective: some are measured, the library's own too" holds "$scratch/c.csv" \
        "sum(r['outcome'] == 'measured' for r in rows) >= 2 and all(r['outcome'] == 'measured' for r in \
rows if r['algorithm'] == 'native')"
done
bench 3 --collective reduce --root 0,2 --algorithm binomial_tree,native --bytes 800 --type int8 \
    --operation prod --csv="$scratch/d.csv"
expect "roots are measured" holds "$scratch/d.csv" \
    "[r['root'] for r in rows] == ['0', '0', '2', '2'] and rows[0]['operation'] == 'prod'"
for start in auto window barrier; do
    bench 2 --start $start --budget 1 --repetitions ..20 --buffers cold:64K --skew 50 --bytes 64 --csv="$scratch/e.csv"
    expect "$start: cold and skewed" holds "$scratch/e.csv" \
        "all('$start' in (r['start'], 'auto') and r['skew_us'] == '50' and r['cold_bytes'] == '65536' and \
r['outcome'] == 'measured' for r in rows)"
done
for keeps in "" "--buffers kept"; do
    bench 2 $keeps --repetitions ..20 --bytes 64 --csv="$scratch/w.csv"
    expect "inputs${keeps:+, $keeps}" holds "$scratch/w.csv" \
        "all(r['inputs'] == ('kept' if '$keeps' else 'rewritten') and r['outcome'] == 'measured' for r in rows)"
done
for collective in allreduce reduce reduce_scatter_block reduce_scatter allgather allgatherv scan exscan; do
    bench 3 --buffers in_place --collective $collective --algorithm allfold,native --repetitions ..20 --bytes 64,40000 --csv="$scratch/i.csv"
    expect "$collective in place" holds "$scratch/i.csv" \
        "len(rows) == 4 and all(r['inputs'] == 'in place' and r['outcome'] == 'measured' for r in rows)"
done
bench 2 --buffers mpi --bytes 8,100000 --csv="$scratch/m.csv"
expect "memory of MPI_Alloc_mem is told" printed 'memory of MPI_Alloc_mem'
expect "and measured" holds "$scratch/m.csv" "all(r['memory'] == 'mpi' and r['outcome'] == 'measured' for r in rows)"
# each rank counts from another second, which the messages must find out
bench 4 --start measured --skew 20 --bytes 8,16 --csv="$scratch/f.csv"
expect "clocks are compared" holds "$scratch/f.csv" "all(r['clocks'] == '4' for r in rows)"
expect "clocks are right, but for slices of busy processors" holds "$scratch/f.csv" \
    "all(0 < float(r['clock_error_us']) < 1e5 for r in rows)"
expect "the table says how right" printed '^Clocks: 4, compared by messages; off by up to [0-9.]+ us'
bench 2 --progress --bytes 8,16
expect "progress can be asked for" said "allreduce of double, sum, "

# what was asked for is what runs
ALLFOLD_VERBOSE=1 bench 2 --algorithm 'native,chain(segment=1K)' --bytes 4K
expect "ours is forced" said "allreduce of 512 x 8 bytes on 2 ranks: chain(segment=1K) (forced)"
expect "the MPI library's own is not ours" said_once "512 x 8 bytes"
# the floor: all ranks copy
for collective in allreduce reduce bcast reduce_scatter_block allgather; do
    bench 3 --collective $collective --algorithm copy,native --bytes 8,256K --csv="$scratch/copy.csv"
    expect "$collective: the copy stands beside" holds "$scratch/copy.csv" \
        "all(r['outcome'] == 'measured' and abs(float(r['to_copy']) * float(c['median_us']) / \
float(r['median_us']) - 1) < 1e-6 for r in rows for c in rows if c['algorithm'] == 'copy' and \
c['bytes'] == r['bytes'])"
done
bench 2 --algorithm copy,native --bytes 256K
expect "the table has a column of it" printed '^ +262144 [* ] native +.* 1\.00 +[0-9]+\.[0-9][0-9]$'
expect "a copy is never the fastest" printed '^ +262144   copy +.* 1\.00$'
bench 2 --algorithm native --bytes 8 --json="$scratch/copy.json"
expect "without it there is no such column" printed '^ +8 \* native +.* +[0-9]+ +1\.00$'
expect "nor a ratio" holds "$scratch/copy.json" "points[0]['to_copy'] == 0"
# ranks up to 20 ms late, of which the time from the last one's arrival has nothing, but the
# others' own times have
for start in window barrier; do
    bench 2 --start $start --budget 1 --repetitions ..10 --skew 20000 --algorithm allfold --bytes 8 --csv="$scratch/s.csv"
    expect "$start: skew is waited for" holds "$scratch/s.csv" "float(rows[0]['ranks_mean_us']) > 500"
    # as the ranks of a busy machine may wait milliseconds for a processor within the call
    if holds "$scratch/s.csv" "float(rows[0]['median_us']) > 2000"; then
        skip "$start: skew is not counted" "a call takes more than 2 ms, as the machine has other work"
        continue
    fi
    expect "$start: but not counted" holds "$scratch/s.csv" \
        "float(rows[0]['median_us']) < float(rows[0]['ranks_mean_us'])"
done

# a map of several files
bench 3 --algorithm native,ring --bytes 8,80 --csv="$scratch/p3.csv"
if command -v gnuplot >/dev/null; then
    run "$allfold" bench "$scratch/p3.csv" "$scratch/b.csv" --plot "$scratch/map.svg"
    expect "a map needs no launcher" [ "$status" = 0 ]
    expect "the map is drawn" grep -q '<svg' "$scratch/map.svg"
else
    skip "a map" "gnuplot is not installed"
fi
run "$allfold" bench "$0" --plot "$scratch/map.svg"
expect "other files are no map" [ "$status" = 1 ]
expect "which is said" said "expected a CSV file of allfold bench"

# wrong results, by a layer below the library: at the first call, and in a later one
for from in 1 9; do
    WRONG_COUNT=77 WRONG_FROM=$from LD_PRELOAD=$wrong_layer \
        bench 2 --algorithm native,ring --bytes 608,616 --warmup 5 --csv="$scratch/w.csv"
    expect "wrong from call $from: it fails" [ "$status" = 1 ]
    expect "wrong from call $from: it is said, once" said_once \
        "allfold bench: allreduce.native gives wrong results for 616 bytes: rank 1, element 76: "
    expect "wrong from call $from: the table says it" printed '^ +616 .*native +WRONG: rank 1, '
    expect "wrong from call $from: the rest is measured" holds "$scratch/w.csv" \
        "[r['outcome'] for r in rows] == ['measured', 'measured', 'wrong', 'measured']"
done

# A measured call follows one of its own algorithm, so two algorithms in turn make more calls than
# are measured: of native's the 650th is wrong, where 500 and at most 50 more are asked for.
for others in "" ,ring; do
    WRONG_COUNT=77 WRONG_FROM=650 LD_PRELOAD=$wrong_layer \
        bench 2 --algorithm native$others --bytes 616 --repetitions 500 --csv="$scratch/w.csv"
    expect "calls of native$others in turn" holds "$scratch/w.csv" \
        "rows[0]['outcome'] == ('wrong' if '$others' else 'measured')"
done

# A sample in a loop is of several calls: the 200th is wrong, where 50 samples are asked for. On a
# machine with other work a call may take milliseconds, and a sample is one call then.
for start in barrier loop; do
    for _ in 1 2 3 4 5; do
        WRONG_COUNT=77 WRONG_FROM=200 LD_PRELOAD=$wrong_layer \
            bench 2 --start $start --algorithm native --bytes 616 --repetitions 50 --csv="$scratch/w.csv"
        [ "$start$status" = loop0 ] || break
    done
    if [ "$start$status" = loop0 ] && holds "$scratch/w.csv" "float(rows[0]['median_us']) > 2000"; then
        skip "calls of a sample, loop" "a call takes more than 2 ms, as the machine has other work"
        continue
    fi
    expect "calls of a sample, $start" holds "$scratch/w.csv" \
        "rows[0]['start'] == '$start' and rows[0]['outcome'] == ('wrong' if '$start' == 'loop' else 'measured')"
done

# a result that is left as it was, from the third call on
WRONG_COUNT=77 WRONG_FROM=3 WRONG_LEAVES=1 LD_PRELOAD=$wrong_layer \
    bench 2 --algorithm native,ring --bytes 616
expect "a result of an earlier call is not taken for right" [ "$status" = 1 ]
expect "which is said" said "gives wrong results for 616 bytes: rank 1, element 0: "
# long results are wiped only where inputs are kept or where most results are alike, as of products
for form in "" "--buffers kept" "--operation prod"; do
    # shellcheck disable=SC2086
    WRONG_COUNT=1000 WRONG_FROM=3 WRONG_LEAVES=1 LD_PRELOAD=$wrong_layer \
        bench 2 $form --algorithm native,ring --bytes 8000 --csv="$scratch/w.csv"
    expect "nor one of 8000 bytes${form:+, $form}" [ "$status" = 1 ]
    expect "which is said${form:+, $form}" said "gives wrong results for 8000 bytes: rank 1, element "
    expect "all others are right${form:+, $form}" holds "$scratch/w.csv" \
        "[r['outcome'] for r in rows] == ['wrong', 'measured']"
    # shellcheck disable=SC2086
    bench 2 $form --algorithm native,ring,copy --bytes 8000
    expect "a copy leaves no wrong result${form:+, $form}" [ "$status" = 0 ]
done

# algorithms that cannot serve: a failure where they were named
bench 2 --algorithm smp,native --bytes 8
expect "a named one that cannot serve fails it" [ "$status" = 1 ]
expect "and it is said why" \
    said "allfold bench: allreduce.smp cannot serve 8 bytes: it needs ranks on several nodes"
ALLFOLD_NETWORK=nodes=2x2 bench 4 --algorithm smp,native --bytes 8
expect "it serves on several nodes" [ "$status" = 0 ]
expect "of which there are two" printed 'p = 4, 2 x 2 \(nodes'

# wrong input
# refused MESSAGE OPTIONS...
refused() {
    local message=$1
    shift
    run "$source/scripts/launch" "$mpi" 3 "${linger[@]}" "$allfold" bench "${options[@]}" "$@"
    expect "refused: $*" [ "$status" = 2 ]
    expect "refused, nothing printed: $*" silent
    expect "refused, said once: $*" said_once "$message"
}
refused "--collective bcast: expected one that MPI has in place" --buffers in_place --collective bcast
refused "--start loop: expected another start with --buffers in_place" --buffers in_place --start loop
refused "--collective alltoall: expected one of: allreduce" --collective alltoall
refused "unknown algorithm for allreduce: 'nonsense'" --algorithm nonsense
refused "is no list of sizes" --bytes 8:4
refused "MPI does not allow bxor of double" --operation bxor
refused "--root: there are not so many ranks" --collective bcast --root 3
refused "No such file or directory" --csv="$scratch/none/a.csv"
refused "--plot $scratch/none/a.svg: No such file" --plot "$scratch/none/a.svg"
refused "--repetitions 5..2: expected the fewest first, as in 2..5" --repetitions 5..2
refused "--plot a.jpg: expected a name that ends in .svg or .png" --plot a.jpg
refused "CSV files are for --plot" a.csv
refused "expected openmpi, mpich, abi or the file of an MPI library" --mpi nothing
refused "unrecognized option" --colour red
bench 1
expect "one rank is refused" [ "$status" = 2 ]
expect "which is said" said "one rank alone has nothing to measure"
run "$allfold" bench
expect "without a launcher it is refused" [ "$status" = 2 ]
expect "and says how to start it" said "mpirun -n 4 allfold bench"
for library in /nowhere/libmpi.so "$wrong_layer"; do
    run "$source/scripts/launch" "$mpi" 3 "${linger[@]}" "$allfold" bench --mpi "$library"
    expect "$library is no MPI library" [ "$status" = 1 ]
    expect "and is named once" said_once "allfold bench: $library"
done
"$allfold" --help >"$scratch/out"
expect "the command's help lists it" printed '^ +bench +'

finish
