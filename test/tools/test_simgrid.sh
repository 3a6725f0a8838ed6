#!/bin/bash
# bench/simgrid: Allfold's MPI side in SimGrid's SMPI gives right sums on every network, with one rank
# a host and with several, wherever the ranks are. Runs are resumed, and the pages say what is lost.
# Usage: test_simgrid.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=240
scripts=$source/bench/simgrid

if [ ! -e "$build/bin/simgrid_allreduce" ]; then
    skip_all "smpicc is not installed (scripts/install-dependencies simgrid)"
fi

# simulate ARGUMENTS...: a run whose results are checked; leaves its rows in $scratch/simgrid.csv
simulate() { run "$scripts/run" "$build" "$scratch" --check --sizes "8 96 24576 262144" "$@"; }

# rows PLATFORM P PPN PLACEMENT SELECTOR: how many there are, of those with a time
rows() { grep -cE "^$1,$2,$3,$4,$5,[0-9]+,([^\",]+|\"[^\"]+\"),([^\",]+|\"[^\"]+\"),[0-9.]*[1-9][0-9.]*$" "$scratch/simgrid.csv"; }

# --- networks and placements ---

simulate --platforms "fat_tree_2 dragonfly torus_2d" --ranks "8 13" --selectors "ompi mvapich2"
check "three networks, one rank a host" "$status"
for platform in fat_tree_2 dragonfly torus_2d; do
    for p in 8 13; do
        expect "$platform, p = $p, all five choices" [ "$(rows $platform $p 1 block allfold)" = 20 ]
        expect "$platform, p = $p, selectors" \
            [ "$(rows $platform $p 1 block ompi)$(rows $platform $p 1 block mvapich2)" = 44 ]
    done
done
expect "no complaints" [ -z "$err" ]
expect "settings are told" grep -q '^# .*smpi/simulate-computation:no' "$scratch/simgrid.csv"

simulate --platforms "fat_tree_1 fat_tree_4 dragonfly_3 torus_3d" --ranks 6 --ppn 2 --selectors "" --ours default \
    --placements "block cyclic random"
check "the other networks, each placement" "$status"
for platform in fat_tree_1 fat_tree_4 dragonfly_3 torus_3d; do
    for placement in block cyclic random; do
        expect "$platform, $placement" [ "$(rows $platform 6 2 $placement allfold)" = 4 ]
    done
done

# smp serves only where ranks know on which nodes they are.
simulate --platforms torus_2d --ranks 16 --ppn 4 --placements "block cyclic random" --selectors "" --ours smp
for placement in block cyclic random; do
    expect "nodes are seen, $placement" \
        [ "$(grep -c "^torus_2d,16,4,$placement,allfold,[0-9]*,smp,smp" "$scratch/simgrid.csv")" = 4 ]
done

simulate --platforms dragonfly --ranks 13 --ppn 3 --selectors "mvapich2 impi" --ours "default candidates each"
check "all algorithms, several ranks a host" "$status"
expect "those for nodes, too" grep -q ',multilane,multilane,' "$scratch/simgrid.csv"
expect "candidates" grep -q ',candidate,' "$scratch/simgrid.csv"
expect "two levels" [ "$(rows dragonfly 13 3 block mvapich2)" = 4 ]
# some of SMPI's selectors take algorithms that end the program: each size has a row nevertheless
expect "a row for each size" [ "$(grep -c '^dragonfly,13,3,block,impi,' "$scratch/simgrid.csv")" = 4 ]

# --- resuming: what is there stays, what is missing is simulated ---

sed 's/^\(torus_2d,13,1,block,ompi,8,.*,\)[0-9.]*$/\1123456/; /^torus_2d,13,1,block,ompi,96,/d' \
    "$scratch/simgrid.csv" >"$scratch/shorter" && mv "$scratch/shorter" "$scratch/simgrid.csv"
simulate --platforms torus_2d --ranks 13 --selectors ompi --ours default
expect "kept" grep -q '^torus_2d,13,1,block,ompi,8,native,native,123456$' "$scratch/simgrid.csv"
expect "made anew" [ "$(rows torus_2d 13 1 block ompi)" = 4 ]
run "$scripts/run" "$build" "$scratch" --platforms torus_3d --ranks "2 3" --sizes 8 --selectors "ompi" --minutes 0
check "out of time" "$([ "$status" = 3 ] && echo 0 || echo 1)"
expect "says what is left" grep -q 'simulations are left' <<<"$err"

# what is chosen as before, whoever chose it, keeps its time; another choice is simulated

sed 's/^\(torus_2d,13,1,block,allfold,8,.*,\)[0-9.]*$/\1123456/; s/^\(torus_2d,13,1,block,allfold,96,default,\).*/\1other,1/' \
    "$scratch/simgrid.csv" >"$scratch/renewed" && mv "$scratch/renewed" "$scratch/simgrid.csv"
run "$scripts/run" "$build" "$scratch" --renew --platforms torus_2d --ranks 13 --sizes "8 96" --selectors "" \
    --ours default
check "renewed" "$status"
expect "the same choice" grep -q '^torus_2d,13,1,block,allfold,8,default,.*,123456.0*$' "$scratch/simgrid.csv"
expect "another choice" [ "$(grep '^torus_2d,13,1,block,allfold,96,default,' "$scratch/simgrid.csv" | grep -vc ',other,')" = 1 ]

# --- pages ---

mkdir "$scratch/pages"
cat >"$scratch/pages/made_up.csv" <<'END'
# a comment
platform,p,ppn,placement,selector,bytes,contender,algorithm,microseconds
torus_2d,16,8,block,allfold,8,card,ring,10
torus_2d,16,8,block,allfold,8,calibrated,smp,5
torus_2d,16,8,block,allfold,8,candidate,bruck,4
torus_2d,16,8,block,ompi,8,native,native,8
torus_2d,16,8,block,impi,8,native,it says so,
torus_3d,16,8,block,allfold,8,card,ring,10
torus_3d,16,8,block,allfold,8,calibrated,ring,10
torus_3d,16,8,block,ompi,8,native,native,9.8
END
if command -v gnuplot >"$scratch/null"; then
    run "$scripts/show" "$scratch/pages"
    check "show" "$status"
    for mean in 'as shipped | 1 | 0.80 | 0.80 | 1' 'calibrated | 1 | 1.60 | 1.60 | 0'; do
        expect "a mean" grep -qF "| torus_2d | 8 | $mean |" "$scratch/pages/ratios.md"
    done
    expect "a loss, and whose fault it is" grep -q \
        '^| torus_2d | 16 | 8 | block | 8 | as shipped | ring | 0.80 | 10.00 | ompi 8.00 | the choice | bruck, 4.00 us |$' \
        "$scratch/pages/losses.md"
    expect "no other loss" [ "$(grep -c '^| torus' "$scratch/pages/losses.md")" = 1 ]
    expect "who ends the program" grep -q '^| impi, p = 16, 8 a host | torus_2d |$' "$scratch/pages/ratios.md"
fi

refuses "an option that there is not" 2 --wide -- "$scripts/run" "$build" "$scratch" --wide
run "$scripts/run" "$build" "$scratch" --part nowhere
expect "a part that there is not" [ "$status" = 1 ]
cd "$source" || exit
gives "the parts" "torus_2d-16" -- scripts/simgrid "$build" list
run scripts/simgrid "$build" nowhere "$scratch/pages"
expect "make simgrid PART=nowhere" [ "$status" = 1 ]
finish
