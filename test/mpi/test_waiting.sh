#!/bin/bash
# The report says who waited for whom, and is right: a program is late by known times.
# Usage: test_waiting.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
report=$scratch/report.json

# late RANKS ARGUMENTS...: the program runs under a report, with its `parts`
parts=
late() {
    rm -f "$report"
    launched "$1" "$build/bin/allfold" run --report="$report$parts" "$build/bin/mpi_waiting_$mpi" "${@:2}"
}

# holds EXPRESSION: it holds of the report, with what the program itself saw, in seconds. The
# function `right` compares a report's figure of so many calls.
holds() {
    true_of "$report" "$1" <<'END'
from waited import right, saw
report = json.load(open(path))
mine, everyone, took = saw(text)
rows, ranks = report['rows'], report.get('latest_ranks')
every, advice = report.get('all_ranks'), {piece['kind'] for piece in report.get('advice', [])}
waited = sum(row['waiting_seconds'] for row in rows)
late, worst = report.get('late'), report.get('worst_calls')
def late_for(rank): # seconds, by the map
    return late['bin_seconds'] * sum(late['rows'][rank]['shares'])
def last_of(those): # in how many calls one of those ranks was last
    return sum(rank['last'] for rank in ranks if rank['rank'] in those)
shown = json.dumps(report, indent=1) + text
END
}

for ranks in 2 4; do
    late "$ranks" 1 3000 200 allreduce
    expect "$ranks ranks: it ends well" [ "$status" = 0 ]
    expect "$ranks ranks: the late one is named" \
        holds "ranks[0]['rank'] == 1 and ranks[0]['is_above_chance'] and ranks[0]['last'] > 150"
    expect "$ranks ranks: what rank 0 waited is right" holds "right(waited, mine, 200)"
    expect "$ranks ranks: and what all did" holds "right(every['waiting_seconds'], everyone, 200 * $ranks)"
    expect "$ranks ranks: no call is left out" \
        holds "every['calls'] == every['split_calls'] == 200 * $ranks and 'balance' in advice"
    expect "$ranks ranks: rows have means over the ranks" holds "all(row['ranks'] == $ranks for row in rows) and \
        abs(sum(row['mean_waiting_seconds'] for row in rows) * $ranks - every['waiting_seconds']) < 1e-6"
    expect "$ranks ranks: it is said where the report is" grep -q "^allfold: the report is in $report\$" "$scratch/err"
    expect "$ranks ranks: the map has a row for each" holds \
        "late['by'] == 'rank' and [row['first'] for row in late['rows']] == list(range($ranks))"
    expect "$ranks ranks: it says how long the late one was behind" \
        holds "late_for(1) > 0.95 * ranks[0]['behind_seconds'] and late_for(1) > 2 * late_for(0)"
    expect "$ranks ranks: the worst calls are those that it was late for" holds "len(worst) == 100 and \
        [call['last_rank'] for call in worst].count(1) > 50 and worst[0]['p'] == $ranks"
    expect "$ranks ranks: and the worst is the first" \
        holds "[call['waiting_seconds'] for call in worst] == sorted((call['waiting_seconds'] for call in worst))[::-1]"
done
late 2 0 3000 200 allreduce
expect "where rank 0 is late it is named" holds "ranks[0]['rank'] == 0"
expect "and that the others wait is said" \
    holds "right(every['waiting_seconds'], everyone, 400) and everyone > 0.4 and 'balance' in advice"
late 3 turns 3000 150 allreduce
expect "ranks in turn: waiting is right" holds "right(every['waiting_seconds'], everyone, 450)"
expect "and all are named" holds "{rank['rank'] for rank in ranks} == {0, 1, 2}"
late 2 turns 3000 200 allreduce
expect "two ranks in turn: neither is blamed" \
    holds "not any(rank['is_above_chance'] for rank in ranks) and \
        'and rank 0 is' not in shown and 'and rank 1 is' not in shown"
LAUNCH_ONE_CORE=1 late 2 none 0 3000 allreduce
expect "ranks on one core: the advice says so first, and blames none" holds "every['ranks_sharing_cores'] == 2 and \
    report['advice'][0]['kind'] == 'cores' and 'balance' not in advice and every['involuntary_switches'] > 0"
expect "ranks of one machine read one clock" holds "every['clock_error_seconds'] == 0"
LAUNCH_ONE_CORE=1 late 2 1 3000 200 allreduce
expect "on one core, a rank that is late is blamed all the same" \
    holds "ranks[0]['rank'] == 1 and ranks[0]['is_above_chance'] and report['advice'][0]['kind'] == 'cores'"
late 2 1 3000 200 bcast
expect "a root is waited for" holds "right(waited, mine, 200) and ranks[0]['rank'] == 1 and mine > 0.4"
expect "no other rank is late" holds "late_for(0) == 0 and right(late_for(1), mine, 200)"
late 2 0 3000 200 bcast
expect "a root waits for no rank" holds "waited < 0.1 * took and everyone < 0.1 * took"
expect "nor does it keep others waiting" holds "right(every['waiting_seconds'], everyone, 400)"
late 2 1 3000 200 reduce
expect "a root of a reduce waits" holds "right(waited, mine, 200) and mine > 0.4"
late 2 1 3000 200 barrier
expect "a barrier waits" holds "right(waited, mine, 200) and mine > 0.4"
ALLFOLD_ALGORITHM=allreduce=native late 2 1 3000 200 allreduce
expect "native calls are split" holds "right(waited, mine, 200) and rows[0]['algorithm'] == 'native'"
late 2 1 1000 400 some
expect "on two communicators no call is lost" holds "sum(row['calls'] for row in rows) == 400"
expect "on either calls are split" holds "every['calls'] == 800 and every['split_calls'] > 600"
ALLFOLD_NETWORK=nodes=2x2 late 4 node:2 3000 150 allreduce
expect "a late node: waiting is right" holds "right(every['waiting_seconds'], everyone, 600)"
expect "its ranks are named" holds "{rank['rank'] for rank in ranks[:2]} == {2, 3}"
ALLFOLD_NETWORK=nodes=4x2 late 8 node:2 5000 100 allreduce
expect "one of four nodes is late: waiting is right" holds "right(every['waiting_seconds'], everyone, 800)"
expect "and its ranks are named" holds "ranks[0]['rank'] in (6, 7) and last_of((6, 7)) > 60"
parts=,compare late 2 1 3000 100 allreduce
expect "compared calls are split" holds "right(waited, mine, 200) and rows[0]['samples'] > 5"
ALLFOLD_TIMEOUT=60s,check late 2 1 3000 100 allreduce
expect "and those that are checked and watched" holds "right(every['waiting_seconds'], everyone, 200)"
ALLFOLD_TRANSPORT=shared_memory=off late 2 1 3000 100 allreduce
expect "and those by messages" holds "right(every['waiting_seconds'], everyone, 200)"
late 2 none 0 2000 allreduce
expect "if no rank is late, no waiting is reported" holds "right(every['waiting_seconds'], everyone, 4000)"
late 1 none 0 10 allreduce
expect "one rank alone has a report" holds "rows[0]['calls'] == 10 and every is None"

# clocks that are far apart and drift
export LD_PRELOAD=$build/bin/libmpi_drifting_clock.so
for ppm in 0 100; do
    DRIFT_PPM=$ppm late 3 2 4000 400 allreduce
    expect "clocks that drift by $ppm ppm: the late one is named" \
        holds "ranks[0]['rank'] == 2 and 0 < every['clock_error_seconds'] < 0.01"
    expect "clocks that drift by $ppm ppm: and in the map" holds "late_for(2) > 2 * late_for(1)"
    expect "clocks that drift by $ppm ppm: waiting is right" \
        holds "right(every['waiting_seconds'], everyone, 1200)"
done
unset LD_PRELOAD

# for eyes
launched 2 "$build/bin/allfold" run --report "$build/bin/mpi_waiting_$mpi" 1 3000 200 allreduce
expect "the report says it in words" \
    grep -qE '^Of [0-9.]+ s in collectives a rank waited [0-9.]+ s .* \(means over 2 ranks\)\.$' "$scratch/err"
expect "the run comes first" grep -qE \
    '^The program ran for [0-9.]+ s and spent [0-9.]+ % of that \([0-9.]+ s\) in collectives; what Allfold saved is not known' \
    "$scratch/err"
expect "and names the rank" grep -qE '^Rank 1 \(.*\) arrived last in [0-9]+ % of its calls' "$scratch/err"
expect "and shows when it was late" grep -qE '^rank 1 \(.*\) +\|.*[*#].*\|$' "$scratch/err"
expect "and the worst calls" [ "$(grep -cE '^ +[0-9.]+ allreduce +2 +8 +[01] ' "$scratch/err")" = 10 ]
expect "and says what would help" grep -q '^\* Balance the work: ' "$scratch/err"

launched 2 "$build/bin/allfold" run --report=/nowhere/report.json "$build/bin/mpi_waiting_$mpi" none 0 10 allreduce
expect "a path that cannot be written is said at the start" \
    grep -q 'written to /nowhere/report.json (No such file or directory); it will be on stderr' "$scratch/err"
expect "and the report is shown" grep -q '^allreduce  *2 ' "$scratch/err"

# a program that is killed leaves what was gathered
rm -f "$report"
timeout --kill-after=10 100 "$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" run --report="$report" \
    "$build/bin/mpi_waiting_$mpi" 1 1000 1000000 allreduce >"$scratch/out" 2>"$scratch/err" </dev/null &
launched=$!
for ((tries = 0; tries < 300; tries++)); do
    [ -s "$report" ] && break
    sleep 0.1
done
kill -TERM "$launched"
wait "$launched"
expect "a killed program's report is incomplete" holds "report['incomplete'] and rows[0]['calls'] > 0"
expect "and has who was late" holds "ranks[0]['rank'] == 1 and report['rank_0']['split_calls'] > 0"
expect "and when" holds "late_for(1) > 0.5 * ranks[0]['behind_seconds'] and late_for(1) > 2 * late_for(0)"
expect "and the worst calls" holds "[call['last_rank'] for call in worst].count(1) > len(worst) / 2 > 10"

# nodes with host names, networks and memory of their own
rm -f "$report"
timeout --kill-after=10 100 "$source/bench/cluster" --nodes 4 --ranks-per-node 2 --mpi "$mpi" --build "$build" \
    --time-limit 90 -- "$build/bin/allfold" run --report="$report$parts" "$build/bin/mpi_waiting_$mpi" \
    node:2 10000 100 allreduce >"$scratch/out" 2>"$scratch/err" </dev/null
status=$?
if [ "$status" = 77 ]; then
    skip "a late node of emulated ones" "$(grep -hE '^(bench/cluster|nodes):' "$scratch/out" "$scratch/err")"
else
    expect "emulated nodes: it ends well" [ "$status" = 0 ]
    expect "emulated nodes: there are four" holds "report['nodes'] == 4 and len(late['rows']) == 8"
    expect "emulated nodes: the late one is named" \
        holds "ranks[0]['node'] == 'node4' and last_of((6, 7)) > 60"
    expect "emulated nodes: waiting is right" \
        holds "right(every['waiting_seconds'], everyone, 800) and everyone > 3"
fi

finish
