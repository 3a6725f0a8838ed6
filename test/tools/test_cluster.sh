#!/bin/bash
# bench/cluster: what two emulated nodes show is sane, and however a run ends, nothing of it is left.
# Usage: test_cluster.sh BUILD_DIRECTORY SOURCE_DIRECTORY MPI...
# shellcheck disable=SC2016 # those are awk's
set -u
build=$1 source=$2 mpi=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$scratch" || exit 1

# cluster ARGUMENTS...: leaves status and out; at most a minute
cluster() {
    timeout --kill-after=5 60 "$source/bench/cluster" --nodes 2 --mpi "$mpi" --build "$build" \
        --time-limit 50 "$@" >out 2>&1 </dev/null
    status=$?
}

small_run() { cluster --sizes 256K:256K --seconds 0.2 --ours model --forced "" "$@"; }

# Processes that have the scratch directory among their words, but for this script's children that
# look for them. Then the networks and interfaces that can be seen from here.
ours() { grep -lzF "$scratch/marker" /proc/[0-9]*/cmdline 2>/dev/null; }
seen() { ip netns list && ip -o link | cut -d ' ' -f 2; }
nothing_left() {
    local turn
    for turn in {1..50}; do
        [ -n "$(ours)" ] || { seen | cmp -s - seen_before && return 0; }
        sleep 0.1
    done
    echo "left after $turn tenths of a second: $(ours) $(seen | diff seen_before -)"
    return 1
}

# --- what can be refused needs no nodes -----------------------------------------------------------
cluster --nodes x
expect "a wrong number is refused" test "$status" = 2
expect "and named" grep -q -- '--nodes x' out
cluster --collective gather
expect "a wrong collective is refused" test "$status" = 2
cluster --node 3
expect "an unknown option is refused" grep -q -- "'--node' is no option" out
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    # the tree may be closed to others, so not by its name
    setpriv --reuid=65534 --regid=65534 --clear-groups bash <"$source/bench/cluster" >out 2>&1
    status=$?
    expect "without root it is not tried" test "$status" = 77
    expect "and the reason is given" grep -q 'needs root' out
fi

# --- a small run ----------------------------------------------------------------------------------
ip netns list >/dev/null 2>&1 && seen >seen_before
plot=()
command -v gnuplot >/dev/null && plot=(--plot figures.svg)
small_run --csv figures.csv --json figures.json "${plot[@]}"
if [ "$status" = 77 ]; then
    skip_all "$(grep -E '^(bench/cluster|nodes):' out)"
fi
expect "a small run works" test "$status" = 0
expect "two nodes are seen" grep -q 'sees: 2x1, with 2 host names' out
expect "one line for each contender" test "$(grep -c '"allreduce"' figures.csv)" = 2
expect "with times" awk -F, 'NR > 1 && !($13 > 10 && $13 < 1e7) { exit 1 }' figures.csv
# 200 Mbit/s are 25 bytes a microsecond; the vector goes each way once
expect "that the links allow" awk -F, 'NR > 1 && $13 < 0.9 * 262144 / 25 { exit 1 }' figures.csv
expect "every byte is counted" \
    awk -F, 'NR > 1 && !($22 > 99 && $22 < 130) { exit 1 }' figures.csv
if command -v python3 >/dev/null; then
    expect "the JSON is read" python3 -c \
        'import json; assert [o["contender"] for o in json.load(open("figures.json"))] == ["native", "model"]'
fi
[ ${#plot[@]} = 0 ] || expect "a plot is drawn" grep -q '</svg>' figures.svg
expect "nothing is left of it" nothing_left
cluster --nodes 3 -- "$build/bin/bench_native_{mpi}" --sizes 8:8 --seconds 0.1 --expect 2x1
expect "other nodes than expected are an error" test "$status" != 0
expect "that says so" grep -q 'expected 2x1' out

# --- nodes below two switches with thin links between them ------------------------------------------
cluster --nodes 4 --switches 2 --mbit 200 --uplink 40 -- "$build/bin/allfold" calibrate \
    --bytes 8:1K:x4 --budget 5 --groups groups
expect "the calibration succeeds" test "$status" = 0
expect "it finds the groups" grep -q '^# groups: 2 of 4 nodes; ' out
expect "it finds the thin links" awk '/^# groups: under load/ { thin = $8 > 2 * $13 } END { exit !thin }' out
printf 'rank 0-1 group0\nrank 2-3 group1\n' >right
expect "it writes what ALLFOLD_NETWORK takes" cmp -s groups right
# on one core, as ranks that share one of two cores are farther from each other than from the others
cores=$(taskset -cp $$ | sed 's/.*: //')
taskset -cp "${cores%%[,-]*}" $$ >/dev/null
cluster --nodes 4 -- "$build/bin/allfold" calibrate --bytes 8:1K:x4 --budget 5
taskset -cp "$cores" $$ >/dev/null
expect "where all links are alike there are no groups" grep -q '^# groups: none; all of 4 nodes' out
cluster --switches 3
expect "more switches than nodes are refused" test "$status" = 2

# --- ends of all kinds ----------------------------------------------------------------------------
ended_by() { # SIGNAL STATUS
    : >out
    env --default-signal=INT "$source/bench/cluster" --nodes 2 --mpi "$mpi" --build "$build" \
        --time-limit 50 -- sh -c 'echo going; sleep 1000; :' "$scratch/marker" >out 2>&1 </dev/null &
    local cluster=$! turn
    for turn in {1..200}; do
        [ "$(grep -c going out)" = 2 ] && break
        sleep 0.1
    done
    expect "it goes, $turn tenths of a second after the start" test "$(grep -c going out)" = 2
    expect "its processes can be seen" test "$(ours | wc -l)" -gt 3
    kill -"$1" "$cluster"
    wait "$cluster" 2>/dev/null
    expect "SIG$1 ends it with status $2" test $? = "$2"
    expect "SIG$1 leaves nothing" nothing_left
}

ended_by INT 130
ended_by TERM 143
ended_by KILL 137
cluster --time-limit 4 -- sh -c 'sleep 1000; :' "$scratch/marker"
expect "the time limit ends it" test "$status" = 124
expect "the time limit leaves nothing" nothing_left
small_run
expect "the next run works" test "$status" = 0
expect "the next run leaves nothing" nothing_left

finish
