#!/bin/bash
# bench/regret, with made-up times of which the truth is known.
# Usage: test_regret.sh SOURCE_DIRECTORY
set -u
export LC_ALL=C
regret=$1/bench/regret
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
type -P python3 >/dev/null || skip_all "python3 is not installed"
cd "$scratch" || exit 2

# times SEED OURS OTHERS FILE: sizes 1 to 60. In truth `allfold` takes OURS, five others OTHERS
# and native 200, each off by up to 10 percent by chance. The model's choice is `e`.
times() {
    awk -v seed="$1" -v ours="$2" -v others="$3" '
        function noise() { seed = (seed * 16807) % 2147483647; return 0.9 + 0.2 * seed / 2147483647 }
        BEGIN {
            print "collective,p,bytes,algorithm,median_us,expected_us,model"
            count = split("allfold native a b c d e", names, " ")
            for (size = 1; size <= 60; size++)
                for (i = 1; i <= count; i++)
                    printf("allreduce,4,%d,%s,%.9g,%g,%d\n", size, names[i],
                           noise() * (i == 1 ? ours : i == 2 ? 200 : others), i == 2 ? 0 : 80,
                           names[i] == "e")
        }' >"$4"
}

# within LINE FROM TO: the median that is said there, in percent
within() {
    local median
    median=$(sed -nE "s/^$1: median (-?[0-9.]+) %.*/\1/p" out)
    expect "$1: $median is from $2 to $3" awk -v x="$median" "BEGIN { exit !(x != \"\" && $2 <= x && x <= $3) }"
}

# all take the same: what one run finds is luck
times 271828 100 100 a.csv
times 1414213562 100 100 b.csv
run "$regret" choice a.csv
within "slower than the best" 4 12
within "slower than native" -52 -48
expect "one file has no fair figure" [ "$(grep -c fair out)" = 0 ]
run "$regret" choice a.csv b.csv
within "slower than the best" 4 12
within "slower than the best, fair" -1 1
run "$regret" model a.csv b.csv
within "the model's choice behind the best of ours" 4 12
within "the model's choice behind the best of ours, fair" -1 1
cp out both
run "$regret" model b.csv a.csv
expect "the order of the files means nothing" [ "$(tail -n 1 out)" = "$(tail -n 1 both)" ]

# what is lost in truth is found
times 271828 130 100 a.csv
times 1414213562 130 100 b.csv
run "$regret" choice a.csv b.csv
within "slower than the best, fair" 27 33
within "slower than native" -38 -32
times 271828 80 100 a.csv
times 1414213562 80 100 b.csv
run "$regret" choice a.csv b.csv
within "slower than the best, fair" 0 0
run "$regret" model a.csv b.csv
within "the model's choice behind the best of ours, fair" 20 30

# the model's choice may be missing in one file, as another one is
sed 's/,1,e,\([^,]*\),80,1/,1,e,\1,80,0/' a.csv >c.csv
run "$regret" model c.csv c.csv
expect "where no choice is known the regret has no bound" grep -qE '^allreduce +4 +1 +model: \? .* inf ' out

# wrong use
sed '/,60,/d' b.csv >c.csv
refuses "files of other sizes are refused" 1 "c.csv: it has not the same sizes as a.csv" 60 -- \
    "$regret" choice a.csv c.csv
refuses "three files are refused" 1 "bench/regret choice BENCH.csv [AGAIN.csv]" -- \
    "$regret" choice a.csv b.csv b.csv
finish
