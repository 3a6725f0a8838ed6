#!/bin/bash
# 8 ranks agree, in MPI_Init and on communicators' lanes, while some of them are killed at random
# moments. The launcher ends the job soon, and the job leaves nothing behind.
# Usage: test_killed_agreeing.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY [SEED]
set -u
mpi=$1 build=$2 source=$3 seed=${4:-$RANDOM}
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
unset "${!ALLFOLD_@}"
rounds=12 longest=0 bound_s=30 # as docs/faults.md says

names() { ls /dev/shm /tmp | grep -i allfold | sort; }
# until the ranks of job $1 are gone, $2 seconds at most
await_end() {
    local end=$((SECONDS + $2))
    while pgrep -f "^$build/bin/mpi_agreeing_$mpi $1 " >"$scratch/alive"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

names >"$scratch/before"
for ((round = 0; round < rounds; round++)); do
    number=$((seed * rounds + round))
    ALLFOLD_NONBLOCKING=$((round / 2 % 2)) timeout --kill-after=5 "$((bound_s + 10))" \
        "$source/scripts/launch" "$mpi" 8 "$build/bin/allfold" run \
        "$build/bin/mpi_agreeing_$mpi" "$number" 2000 8 >"$scratch/out" 2>&1 </dev/null &
    launcher=$! begin=$SECONDS
    sleep 2.5 # the last one is killed after 2 s
    expect "seed $number: no rank lives on" await_end "$number" "$bound_s"
    longest=$((SECONDS - begin > longest ? SECONDS - begin : longest))
    for ((i = 0; i < 100; i++)); do
        kill -0 "$launcher" 2>"$scratch/err" || break
        sleep 0.1
    done
    if [ "$i" = 100 ]; then # Open MPI 4.1.4's may go on without ranks
        skip "seed $number: the launcher's end" "no rank is left, but the launcher is"
        kill "$launcher"
    fi
    wait "$launcher"
    expect "seed $number: the job has failed" [ "$?" != 0 ]
done
names >"$scratch/after"
expect "nothing is left" cmp -s "$scratch/before" "$scratch/after"
echo "seed $seed: $rounds jobs, of which the longest took $longest s"
finish
