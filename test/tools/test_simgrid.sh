#!/bin/bash
# bench/simgrid: Allfold's MPI side in SimGrid's SMPI gives right sums on both platforms, with one rank
# a host and with several, and the script writes what it says.
# Usage: test_simgrid.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=240

if [ ! -e "$build/bin/simgrid_allreduce" ]; then
    skip_all "smpicc is not installed (scripts/install-dependencies simgrid)"
fi

# simulate ARGUMENTS...: a run whose results are checked; leaves its rows in $scratch/simgrid.csv
simulate() { run "$source/bench/simgrid/run" "$build" "$scratch" --check --sizes "8 96 24576 262144" "$@"; }

# rows PLATFORM P PPN SELECTOR: how many there are, of those with a time
rows() { grep -cE "^$1,$2,$3,$4,[0-9]+,\"[^\"]+\",\"[^\"]+\",[0-9.]*[1-9][0-9.]*$" "$scratch/simgrid.csv"; }

simulate --ranks "8 13" --selectors "ompi mvapich2" --ours model
check "both platforms, one rank a host" "$status"
for platform in fat_tree dragonfly; do
    for p in 8 13; do
        for selector in allfold ompi mvapich2; do
            expect "$platform, p = $p, $selector" [ "$(rows $platform $p 1 $selector)" = 4 ]
        done
    done
done
expect "no complaints" [ -z "$(grep -v ' s$' <<<"$err")" ]
expect "settings are told" grep -q '^# .*smpi/simulate-computation:no' "$scratch/simgrid.csv"

simulate --platforms dragonfly --ranks 13 --ppn 3 --selectors "mvapich2 impi" --ours "model each"
check "all algorithms, several ranks a host" "$status"
expect "those for nodes, too" grep -q '"multilane"' "$scratch/simgrid.csv"
expect "two levels" [ "$(rows dragonfly 13 3 mvapich2)" = 4 ]
# some of SMPI's selectors take algorithms that end the program: each size has a row nevertheless
expect "a row for each size" [ "$(grep -c '^dragonfly,13,3,impi,' "$scratch/simgrid.csv")" = 4 ]

refuses "an option that there is not" 2 --wide -- \
    "$source/bench/simgrid/run" "$build" "$scratch" --wide
finish
