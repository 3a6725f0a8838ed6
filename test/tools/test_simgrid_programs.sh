#!/bin/bash
# bench/simgrid/programs: each skeleton ends, with SMPI's collectives and with ours, and its time in
# collectives is a part of its whole time. Runs are resumed.
# Usage: test_simgrid_programs.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=120
script=$source/bench/simgrid/programs rows=$scratch/programs.csv
programs=(cg cg_small minife lulesh kmeans davidson reduce_bcast training)

if [ ! -e "$build/bin/simgrid_programs" ]; then
    skip_all "smpicc is not installed (scripts/install-dependencies simgrid)"
fi

simulate() { run "$script" "$build" "$rows" --networks torus_2d --ranks 8 --ppn 2 "$@"; }

simulate --whose "mpich allfold" --programs "${programs[*]/%/:2}"
check "all programs" "$status"
for program in "${programs[@]}"; do
    for whose in mpich allfold; do
        expect "$program, $whose" awk -F , -v "start=torus_2d,8,2,$whose,$program,2," '
            index($0, start) == 1 { found += $8 > 0 && $8 <= $7 } END { exit found != 1 }' "$rows"
    done
done

sed -i '/,allfold,cg,/d; s/^\(torus_2d,8,2,allfold,lulesh,2,\).*/\12000,1000/' "$rows"
simulate --whose allfold --programs "cg:1 lulesh:2"
check "resumed" "$status"
expect "kept" grep -qx 'torus_2d,8,2,allfold,lulesh,2,2000,1000' "$rows"
expect "made anew" grep -q '^torus_2d,8,2,allfold,cg,1,' "$rows"
run "$script" --show "$rows"
expect "the page's table" grep -q '^| lulesh | torus_2d |' <<<"$out"

simulate --whose allfold --programs nothing
expect "a program that there is not" [ "$status" = 1 ]
expect "why" grep -q 'usage: simgrid_programs' <<<"$err"
finish
