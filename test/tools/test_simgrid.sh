#!/bin/bash
# bench/simgrid: Allfold's MPI side in SimGrid's SMPI gives right results on every network, with one rank
# a host and with several, wherever the ranks are. Runs are resumed, and the pages say what is lost.
# Usage: test_simgrid.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=240
scripts=$source/bench/simgrid
table=$scratch/simgrid.csv

if [ ! -e "$build/bin/simgrid_collectives" ]; then
    skip_all "smpicc is not installed (scripts/install-dependencies simgrid)"
fi

# simulate ARGUMENTS...: a run whose results are checked; leaves its rows in $table
simulate() { run "$scripts/run" "$build" "$scratch" --sizes "8 96 24576 262144" "$@"; }

# rows COLLECTIVE PLATFORM P PPN PLACEMENT CONTENDER: how many there are, of those with a time
rows() { grep -cE "^$1,$2,$3,$4,$5,[0-9]+,$6,([^\",]*|\"[^\"]+\"),[0-9.]*[1-9][0-9.]*$" "$table"; }

# --- networks and placements ---

simulate --platforms "fat_tree_2 dragonfly torus_2d" --ranks "8 13" --selectors "ompi mvapich2"
check "three networks, one rank a host" "$status"
for platform in fat_tree_2 dragonfly torus_2d; do
    for collective in allreduce reduce bcast allgather reduce_scatter_block; do
        for p in 8 13; do
            for contender in untold ompi mvapich2; do
                expect "$collective, $platform, p = $p, $contender" \
                    [ "$(rows $collective $platform $p 1 block $contender)" = 4 ]
            done
        done
    done
done
expect "no complaints" [ -z "$err" ]
expect "settings are in the file" grep -q '^# .*smpi/simulate-computation:no' "$table"

others="fat_tree_1 fat_tree_3 fat_tree_4 dragonfly_3 dragonfly_5 torus_3d"
simulate --collectives "reduce allgather" --platforms "$others" --ranks 6 --ppn 2 --selectors "" \
    --placements "block cyclic random"
check "the other networks, each placement" "$status"
for platform in $others; do
    for placement in block cyclic random; do
        for collective in reduce allgather; do
            expect "$collective, $platform, $placement" [ "$(rows $collective "$platform" 6 2 $placement untold)" = 4 ]
        done
    done
done

# smp serves only where ranks know on which nodes they are, and disjoint_trees only where they know cables
simulate --collectives allreduce --platforms torus_2d --ranks 16 --ppn 4 --placements "block cyclic random" \
    --selectors "" --ours "smp disjoint_trees"
check "algorithms" "$status"
for placement in block cyclic random; do
    expect "nodes are seen, $placement" [ "$(rows allreduce torus_2d 16 4 $placement smp)" = 4 ]
done
expect "what cannot serve is left out" [ "$(grep -c 'disjoint_trees' "$table")" = 0 ]
simulate --collectives bcast --platforms torus_2d --ranks 4 --selectors "" --ours rnig
expect "an algorithm that there is not" [ "$status" = 1 ]
expect "says so" said rnig

# some of SMPI's selectors take algorithms that end the program or are wrong: each size has a row nevertheless
simulate --collectives allreduce --platforms dragonfly --ranks 13 --ppn 3 --selectors impi --ours ""
expect "a row for each size" [ "$(grep -c '^allreduce,dragonfly,13,3,block,[0-9]*,impi,' "$table")" = 4 ]
run "$scripts/run" "$build" "$scratch" --collectives allgather --platforms torus_2d --ranks 192 --ppn 16 --sizes 8 \
    --selectors mvapich2 --ours ""
expect "a wrong result" grep -q '^allgather,torus_2d,192,16,block,8,mvapich2,wrong result,$' "$table"

# --- a table of the network ---

told() { simulate --collectives bcast --platforms torus_2d --ranks 16 --ppn 4 --selectors "" --ours told "$@"; }
told
check "told" "$status"
expect "told: a time for each size" [ "$(rows bcast torus_2d 16 4 block told)" = 4 ]
sed -i 's/"algorithm": "[^"]*"/"algorithm": "chain"/' "$scratch/tables/torus_2d-4x4-bcast.json"
told --again
expect "the table is kept, and its rows apply" [ "$(grep -c ',told,chain,' "$table")" = 4 ]

# --- resuming: what is there stays, what is missing is simulated ---

of=reduce,torus_2d,13,1,block
resume() { simulate --collectives reduce --platforms torus_2d --ranks 13 --selectors ompi "$@"; }
sed "s/^\($of,8,.*,\)[0-9.]*$/\1123456/; /^$of,96,/d" "$table" >"$scratch/shorter" && mv "$scratch/shorter" "$table"
resume
expect "kept" [ "$(grep -cE "^$of,8,(ompi|untold),.*,123456$" "$table")" = 2 ]
for contender in ompi untold; do
    expect "made anew, $contender" [ "$(rows reduce torus_2d 13 1 block $contender)" = 4 ]
done
resume --again
expect "again: theirs are kept" grep -q "^$of,8,ompi,.*,123456$" "$table"
expect "again: ours are not" [ "$(grep "^$of,8,untold," "$table" | grep -vc ',123456$')" = 1 ]
expect "again: other collectives are kept" [ "$(rows bcast torus_2d 13 1 block untold)" = 4 ]
run "$scripts/run" "$build" "$scratch" --platforms torus_3d --ranks "2 3" --sizes 8 --selectors ompi --minutes 0
expect "out of time" [ "$status" = 3 ]
expect "says what is left" grep -q 'simulations are left' <<<"$err"

# --- pages ---

mkdir "$scratch/pages"
cat >"$scratch/pages/made_up.csv" <<'END'
# a comment
collective,platform,p,ppn,placement,bytes,contender,algorithm,microseconds
bcast,torus_2d,16,8,block,8,untold,chain,10
bcast,torus_2d,16,8,block,8,told,smp,5
bcast,torus_2d,16,8,block,8,ompi,,8
bcast,torus_2d,16,8,block,8,impi,it says so,
bcast,torus_3d,16,8,block,8,untold,chain,10
bcast,torus_3d,16,8,block,8,ompi,,9.8
bcast,torus_3d,16,8,block,8,mpich,,40
END
run "$scripts/show" "$scratch/pages"
check "show" "$status"
while read -r row; do
    expect "the row $row" grep -qxF "$row" "$scratch/pages/ratios.md"
done <<'END'
| bcast | 8 | 2 | 0.89 | 0.80 | 1 |
| bcast | torus_2d | 1 | 0.80 | 0.80 | 1 |
| bcast | held out | 1 | 0.98 | 0.98 | 0 |
| bcast | 1 | 0.80 | 0.80 | 1 | 1 | 1.60 | 1.60 | 0 |
| bcast | mpich | 1 | 4.00 | 4.00 | 0 |
| impi | bcast | 16 | 8 |
END
expect "a loss" grep -qxF \
    "| 0.80 | bcast | torus_2d | 16 | 8 | block | 8 | untold | \`chain\` | 10.00 | ompi | 8.00 |" "$scratch/pages/losses.md"
expect "no other loss" [ "$(grep -c '^| [0-9]' "$scratch/pages/losses.md")" = 1 ]

refuses "an option that there is not" 2 --wide -- "$scripts/run" "$build" "$scratch" --wide
run "$scripts/run" "$build" "$scratch" --part nowhere
expect "a part that there is not" [ "$status" = 1 ]
cd "$source" || exit
gives "the parts" "torus_2d-16" -- scripts/simgrid "$build" list
run scripts/simgrid "$build" nowhere "$scratch/pages"
expect "make simgrid PART=nowhere" [ "$status" = 1 ]
finish
