#!/bin/bash
# `allfold top` shows a program while it runs: the late rank, and how it ended. It removes stale pages
# and refuses broken ones.
# Usage: test_top.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
pages=$scratch/pages
mkdir "$pages"
top=("$build/bin/allfold" top --directory "$pages")
logs=(out err program)

# watched RANKS ARGUMENTS...: the program runs under a watch, in the background
watched() {
    timeout --kill-after=10 60 "$source/scripts/launch" "$mpi" "$1" "$build/bin/allfold" run \
        --watch="$pages" "$build/bin/mpi_waiting_$mpi" "${@:2}" >"$scratch/program" 2>&1 </dev/null &
    launched=$!
}

# appears EXPRESSION: before long, it holds of the first program in the JSON
appears() {
    local tries
    for ((tries = 0; tries < 150; tries++)); do
        run "${top[@]}" --once --json
        shows "$1" && return
        sleep 0.1
    done
    return 1
}

# shows EXPRESSION: it holds of the JSON
shows() {
    python3 - "$scratch/out" "$1" <<'PYTHON' 2>/dev/null
import json, sys
said = json.load(open(sys.argv[1]))
program = said['programs'][0] if said['programs'] else None
sys.exit(not eval(sys.argv[2]))
PYTHON
}

# table_shows PATTERN: before long, a line of the table is like that; keeps the JSON from before
table_shows() {
    local tries
    cp "$scratch/out" "$scratch/json"
    for ((tries = 0; tries < 50; tries++)); do
        run "${top[@]}" --once
        grep -qE "$1" "$scratch/out" && return
        sleep 0.1
    done
    return 1
}

# ranks_of FILE: the processes of all ranks in such JSON
ranks_of() {
    python3 -c "
import json
print(*(rank['process'] for program in json.load(open('$1'))['programs'] for rank in program['ranks']), sep='\n')"
}

type -P python3 >/dev/null || skip_all "python3 is not installed"
refuses "without a program it says what is missing" 1 "there is no page of a running program in $pages" \
    "allfold run --watch" -- "${top[@]}"
refuses "without a directory too" 1 "/nowhere: No such file" -- "$build/bin/allfold" top -d /nowhere
refuses "a process is a number" 2 "expected" -- "${top[@]}" x

watched 3 2 10000 800 allreduce
expect "the late rank is named" appears "program['late'] and program['late'][0]['rank'] == 2 and \
    program['late'][0]['recent_last'] > 0.8 * program['rows'][0]['recent_calls'] > 0"
expect "by how much it is late" shows "0.008 < program['late'][0]['recent_behind_seconds'] / program['late'][0]['recent_last'] < 0.3"
expect "the others wait, and it hardly does" appears "all(rank['recent_waiting_seconds'] > \
    2 * program['ranks'][2]['recent_waiting_seconds'] for rank in program['ranks'][:2])"
expect "the row is there" shows "len(program['rows']) == 1 and program['rows'][0]['collective'] == 'allreduce' and \
    program['rows'][0]['most_bytes'] == 8"
expect "figures are new each second" shows "0.9 < program['interval_seconds'] < 10 and program['age_seconds'] < 10"
expect "pages are the user's alone" [ "$(stat -c %a "$pages"/* | sort -u)" = 600 ]
run "${top[@]}"
expect "for eyes, once in a pipe" grep -qE '^Rank 2 came last in [0-9]+ of [0-9]+ calls, [0-9.]+ ms behind' "$scratch/out"
expect "with the row" grep -qE '^allreduce +3 +8 ' "$scratch/out"
expect "and the ranks" grep -qE '^ +2 +[0-9]+ +[0-9]+ ' "$scratch/out"
pid=$(sed -nE 's/.*process ([0-9]+) on.*/\1/p' "$scratch/out")
gives "by its process" "!none" -- "${top[@]}" "$pid"
refuses "another process is no program's" 1 "there is no page of process 1 " -- "${top[@]}" 1
# on a terminal it goes on until the program ends
python3 - "${top[@]}" >"$scratch/terminal" 2>"$scratch/err" <<'PYTHON'
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
PYTHON
check "on a terminal it ends with the program" $?
expect "and says so" grep -q '^mpi_waiting.* has ended, after [0-9]* s' "$scratch/terminal"
expect "it was drawn anew" [ "$(grep -c 'came last in' "$scratch/terminal")" -gt 1 ]
wait "$launched"
check "the program ends well" $?
expect "no page is left" [ -z "$(ls "$pages")" ]

# short calls: one of some is noted and stands for the others; a call that waits has its time all the same
watched 2 1 20 10000000 allreduce
expect "of short calls the late rank is named" appears "program['ranks'][0]['calls_begun_and_ended'] > 20000 and \
    program['interval_seconds'] < 2 and program['late'][0]['rank'] == 1 and \
    program['late'][0]['recent_last'] > 0.8 * program['rows'][0]['recent_calls'] > 0"
expect "their rate is that of all" appears "0.7 < program['rows'][0]['recent_calls'] / program['interval_seconds'] / \
    (program['ranks'][0]['calls_begun_and_ended'] / program['run_seconds']) < 1.4"
mapfile -t pids < <(ranks_of "$scratch/out")
kill -STOP "${pids[1]}"
expect "the time of a call that waits" appears "60 > program['ranks'][0]['in_call_seconds'] > 0.5"
kill -KILL "${pids[@]}"
wait "$launched" 2>/dev/null
run "${top[@]}" # removes the pages

# a collective that is passed through
watched 2 1 700000 1000 alltoall 2
expect "a rank waits in one that Allfold passes through" appears \
    "[rank['in_call'] for rank in program['ranks']] == ['alltoall', None]"
expect "the table names it" table_shows '^ +0 .* in alltoall for [0-9.]+ ms$'
mapfile -t pids < <(ranks_of "$scratch/json")
kill -KILL "${pids[@]}"
wait "$launched" 2>/dev/null
run "${top[@]}" # removes the pages

# few calls: the ranks exchange after fewer than usual; and a rank that does not come is seen
watched 2 1 700000 1000 some
expect "of few calls there are figures, too" appears "program['late'] and program['late'][0]['rank'] == 1 and \
    program['ranks'][0]['calls'] > 1 and program['interval_seconds'] < 5"
expect "it is seen who waits now" appears "[rank['in_call_seconds'] is None for rank in program['ranks']] == [False, True]"
first=$launched
watched 2 1 1000 1000000 allreduce
appears "len(said['programs']) == 2" || bad "two programs are seen"
run "${top[@]}"
expect "of two it makes a list" grep -q '^Choose one: allfold top PROCESS' "$scratch/out"

# files that are no pages
name=$pages/allfold-watch-$(id -u)-1-1
head -c 50000 /dev/zero | tr '\0' x >"$name"
chmod 600 "$name"
run "${top[@]}" --json
expect "a foreign file is no error" [ "$status" = 0 ]
expect "it is named" grep -qx "allfold top: skipped $name: it is no page of Allfold; remove the file" "$scratch/err"
expect "and the programs are there all the same" shows "len(said['programs']) == 2"
expect "it is not removed" [ -e "$name" ]
cp "$name" "$name-2"
run "${top[@]}" --json
expect "two have one message" grep -qE '^allfold top: skipped .*; 1 more file was skipped, too$' "$scratch/err"
expect "which is the only one" [ "$(wc -l <"$scratch/err")" = 1 ]
rm "$name" "$name-2"

# killed ones
mapfile -t pids < <(ranks_of "$scratch/out")
expect "there are four processes" [ "${#pids[@]}" = 4 ]
kill -KILL "${pids[@]}"
wait "$first" "$launched" 2>/dev/null
expect "killed programs leave their pages" [ "$(find "$pages" -type f | wc -l)" = 4 ]
refuses "the next one removes them" 1 "removed 4 pages of processes that ended without MPI_Finalize" \
    "there is no page of a running program" -- "${top[@]}"
expect "all of them" [ -z "$(ls "$pages")" ]

ALLFOLD_WATCH=/nowhere run timeout 60 "$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" run \
    "$build/bin/mpi_waiting_$mpi" none 0 10 allreduce
check "without the directory the program goes on" "$status"
expect "and says so once" [ "$(grep -c "there is no page for .allfold top. in /nowhere (No such" "$scratch/err")" = 1 ]

finish
