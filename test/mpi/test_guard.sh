#!/bin/bash
# The guard under real mpirun: what it replaces, what it only reports, and what later runs learn of it.
# A tuned table names a bad algorithm, whose many messages take many times as long as any other.
# Usage: test_guard.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
prefix=("$source/scripts/launch" "$mpi") # so `run` begins with the number of ranks
app=("$build/bin/allfold" run "$build/bin/mpi_guarded_$mpi")
T=$scratch
unset "${!ALLFOLD_@}"

row='{"nodes": 1, "ppn": 2, "from_bytes": 1024, "algorithm": "chain(segment=64)", "collective":'
printf '{"allfold_table": 1, "rows": [%s "allreduce"}, %s "bcast"}]}\n' "$row" "$row" >"$T/bad"
export ALLFOLD_TABLE=tuned=$T/bad ALLFOLD_REPORT=$T/report.json
# Presets look at a thousandth of the time; this looks at once. The program makes 40 calls on each
# communicator of its own, which are too few to be looked at.
at_once=guard_first=64,guard_share=1000000
learn= cache=

# guard MODE ARGUMENTS...: a run in that mode
guard() {
    rm -f "$T/report.json"
    ALLFOLD_GUARD=$1$learn ALLFOLD_TEST=$at_once$cache run 2 "${app[@]}" "${@:2}"
}

# finds EXPRESSION MODE ARGUMENTS...: some run reports that. The guard concludes a loss when several looks
# show it. On a busy machine, disturbances may hide the loss for all of a short run.
finds() {
    for _ in {1..20}; do
        guard "${@:2}"
        [ "$status" = 0 ] || return 1
        reports "$1" >"$T/expected" && return 0
    done
    cat "$T/expected"
    return 1
}

# reports EXPRESSION: what holds of the report's `guard`, its `found`, and the `chosen` of its rows
reports() {
    python3 -c "
import json, sys
report = json.load(open('$T/report.json'))
guard, chosen = report['guard'], {row['chosen'] for row in report['rows']}
found = [f for f in guard['found'] if f['algorithm'] == 'chain(segment=64)']
sys.exit(not ($1))" || { cat "$T/report.json"; return 1; }
}

switched="found and found[0]['outcome'] == 'switched' and 'guard' in chosen"
expect "sums of integers are switched" finds "$switched" switch long 8192 600
expect "by what was better" reports "found[0]['factor'] > 1.1 and found[0]['chosen'] == 'tuned'"
expect "broadcasts are, too" finds "$switched" switch bcast 8192 600
# ranks differ in what is in place, and each call makes its schedule anew
cache=,cache=0
expect "all ranks switch alike without a cache" finds "$switched" switch long 8192 600
cache=
export ALLFOLD_TIMEOUT=100s,check
expect "watched and checked calls are switched" finds "$switched" switch long 8192 600
unset ALLFOLD_TIMEOUT
expect "those of private lanes, too" finds "$switched" switch long 8192 600 multiple
export ALLFOLD_TRANSPORT=shared_memory=off
expect "and those through messages" finds "$switched" switch long 8192 300
unset ALLFOLD_TRANSPORT

learn=,learn=$T/learned
expect "sums of doubles are reported" finds \
    "found and found[0]['outcome'] == 'kept: results could round otherwise' and found[0]['bytes'] == 65536" \
    switch double 8192 600
expect "and stay what they are" reports "'guard' not in chosen"
expect "what was found is kept" python3 -c "
import json
table = json.load(open('$T/learned'))
rows = [r for r in table['rows'] if r['from_bytes'] == 65536]
assert len(rows) == 1 and rows[0]['to_bytes'] == 65537 and rows[0]['exact'] is False, table
assert rows[0]['algorithm'] != 'chain(segment=64)' and rows[0]['us'] > 0, table"
out=$(ALLFOLD_GUARD=learn=$T/learned "$build/bin/allfold" explain --nodes 1 --ppn 2 --bytes 64K)
expect "explain knows it" grep -qF "by the learned table, row 1 of $T/learned" <<<"$out"

cp "$T/learned" "$T/before"
guard switch double 8192 100
check "a later run" "$status"
expect "takes it from its first call" reports "'learned' in chosen and chosen <= {'learned', 'built-in'}"
expect "and keeps the file" cmp -s "$T/learned" "$T/before"
ALLFOLD_TABLE=$T/bad,tuned=$T/bad guard switch double 8192 100
expect "a user's table goes before it" reports "'table' in chosen and 'learned' not in chosen"
learn=

expect "any switches doubles" finds "$switched" any double 8192 600
expect "report switches nothing" finds \
    "found and found[0]['outcome'] == 'kept: ALLFOLD_GUARD=report' and 'guard' not in chosen" \
    report long 8192 600
guard off long 8192 200
expect "off looks at nothing" reports "guard['looks'] == 0 and guard['state'] == 'off' and not found"
export ALLFOLD_TABLE=$T/bad,tuned=$T/bad
expect "a user's table is only reported" finds \
    "found and found[0]['outcome'] == 'kept: ALLFOLD_TABLE names it' and 'guard' not in chosen" \
    any long 8192 600
export ALLFOLD_TABLE=tuned=$T/bad
ALLFOLD_ALGORITHM='allreduce=chain(segment=64)' guard any long 8192 200
expect "a user's rule is left alone" reports "not found and 'guard' not in chosen"

# says_switched: the report for eyes has a line of it
says_switched() {
    for _ in {1..20}; do
        ALLFOLD_GUARD=switch ALLFOLD_TEST=$at_once ALLFOLD_REPORT=1 run 2 "${app[@]}" long 8192 600
        grep -qE '^allreduce +2 +64K  .* is [0-9.]+ times as fast as chain\(segment=64\) \(tuned\): switched$' \
            "$T/err" && return 0
    done
    return 1
}
expect "the report for eyes says it" says_switched

# --- the file ---------------------------------------------------------------------------------------
# of an MPI that is not known, so it fits to all
printf '{"allfold_table": 1, "rows": [{"collective": "reduce", "nodes": 3, "ppn": 2, "algorithm": "linear"}]}\n' \
    >"$T/shared"
learned() {
    python3 -c "
import json
rows = json.load(open('$T/shared'))['rows']
assert {r['from_bytes'] for r in rows if r['collective'] == 'allreduce'} >= {65536, 65544, 65552}, rows
assert any(r['collective'] == 'reduce' and r['nodes'] == 3 for r in rows), rows"
}
# learns COUNT: a job that looks for its loss, and keeps what it found
learns() {
    ALLFOLD_GUARD=report,learn=$T/shared ALLFOLD_TEST=$at_once ALLFOLD_REPORT=0 \
        "${prefix[@]}" 2 "${app[@]}" long "$1" 600 2>>"$T/err"
}
# Each job alone until it has found its loss, as jobs on the same cores disturb the looks; then all at a time.
learn_at_once() {
    local count
    for count in 8192 8193 8194; do
        for _ in {1..20}; do
            learns "$count"
            grep -q "$((count * 8))" "$T/shared" && break
        done
    done
    for _ in 1 2 3; do
        for count in 8192 8193 8194; do
            learns "$count" &
        done
        wait
    done
    learned 2>"$T/err"
}
expect "jobs at a time lose nothing of each other" learn_at_once
expect "and leave nothing beside it" [ "$(find "$T" -name 'shared*' | wc -l)" = 1 ]

echo "no table" >"$T/broken"
learn=,learn=$T/broken
expect "with a broken file the job runs" finds "found" report long 8192 600
expect "which is named" said "ALLFOLD_GUARD=learn: $T/broken: line 1"
expect "and stays as it was" [ "$(cat "$T/broken")" = "no table" ]
expect "what is lost is said" said "what the guard found is not kept"
learn=,learn=$T/nowhere/file
expect "without its folder, too" finds "found" report long 8192 600
expect "a file that cannot be written is named" said "ALLFOLD_GUARD=learn: $T/nowhere/file"

finish
