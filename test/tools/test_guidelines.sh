#!/bin/bash
# The built-in table keeps performance guidelines, and what does not is found: test_guidelines.sh SOURCE_DIRECTORY ALLFOLD
set -u
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: $0 SOURCE_DIRECTORY ALLFOLD" >&2; exit 2; }
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
guidelines=$1/scripts/guidelines
build=$(dirname "$(dirname "$2")")
T=$scratch
said() { grep -qF -- "$1" "$T/out"; }

run "$guidelines"
expect "no guideline is broken for no known reason" [ "$status" = 0 ]
sed -n '/^guideline/,$p' "$T/out"

# rows COLLECTIVE US BYTES ALGORITHM: a table of one shape, whose allreduce takes 10 us for 1 KiB
rows() {
    echo "ROW($1,COMMUTATIVE,FAT_TREE,1,4,2,$3,$3,$2F,99.000F,1,2) /* $4; */"
}
{
    rows ALLREDUCE 10.000 1024 ring
    rows REDUCE_SCATTER_BLOCK 4.000 1024 circulant
    rows ALLGATHER 5.000 1024 circulant
    rows ALLGATHERV 5.000 1024 circulant
    rows REDUCE 6.000 1024 binomial_tree
    rows BCAST 4.000 1024 binomial_tree
    rows SCAN 5.000 1024 recursive_doubling
    rows EXSCAN 5.000 1024 recursive_doubling
} >"$T/rows"
run "$guidelines" --rows "$T/rows" --all
expect "what is slower than its parts is found" said \
    "ALLREDUCE <= REDUCE_SCATTER_BLOCK + ALLGATHER, commutative, fat_tree, block, 4 x 2, 1024 bytes: 10.0 us, the others 9.000 (1.111 times): ring; known"
sed -i 's/EXSCAN\(.*\)5.000/EXSCAN\13.000/; s/ALLREDUCE\(.*\)10.000/ALLREDUCE\19.100/' "$T/rows"
run "$guidelines" --rows "$T/rows" --all
expect "a scan is no slower than an exscan and a reduction" said \
    "SCAN <= EXSCAN + local, commutative, fat_tree, block, 4 x 2, 1024 bytes: 5.0 us, the others 3.051 (1.639 times): recursive_doubling"
expect "the status says so" [ "$status" = 1 ]
expect "what is within the tolerance is not broken" [ "$(grep -c ' us, the others ' "$T/out")" = 1 ]
rows SCAN 11.000 4096 chain >>"$T/rows"
sed -i '/EXSCAN/d; s/ROW(SCAN\(.*\)5.000/ROW(SCAN\112.000/' "$T/rows"
run "$guidelines" --rows "$T/rows" --csv
expect "more bytes do not take less" said "SCAN of n <= of more,commutative,fat_tree,block,4,2,1024,12.0,11.000,1.091"
rows SCAN 70.000 65536 chain >>"$T/rows"
sed -i 's/12.000F/2.000F/; s/11.000F/2.200F/' "$T/rows"
run "$guidelines" --rows "$T/rows" --csv
expect "nor do parts" said "SCAN of n <= in parts,commutative,fat_tree,block,4,2,65536,70.0,35.200,1.989"

# times of both sides by simulation, whatever the rows say
{
    rows REDUCE 50.000 8192 chain
    rows ALLREDUCE 9.000 8192 recursive_doubling
} >"$T/rows"
simulated() { "$2" simulate -N 4 -k 2 -n "$1/tables/fat_tree.txt" -b 8192 -c "$3" -a "$4" --csv | awk -F, 'NR == 2 { printf "%.3f", $8 }'; }
chain=$(simulated "$@" reduce chain) doubling=$(simulated "$@" allreduce recursive_doubling)
run "$guidelines" --rows "$T/rows" --simulate "$build" --csv --all
expect "times are simulated" said "REDUCE <= ALLREDUCE,commutative,fat_tree,block,4,2,8192,$chain,$doubling,"
: >"$T/rows"
run "$guidelines" --rows "$T/rows"
expect "a file without rows is refused" [ "$status" = 1 ]
finish
