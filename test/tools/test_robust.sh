#!/bin/bash
# bench/robust on few networks: what it says agrees with the lines it writes, and the preset choice
# is within the bound in the mean.
# Usage: test_robust.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
export LC_ALL=C
build=$(cd "$1" && pwd) robust=$2/bench/robust
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
type -P python3 >/dev/null || skip_all "python3 is not installed"
cd "$scratch" || exit 2

# figure LINE COLUMN: a number that is said there
figure() {
    sed -nE "s/^$1 +//p" out | awk -v column="$2" '{ print $column }'
}

# agrees PART TRUTH: mean and worst regret of the part are those of its lines
agrees() {
    local said
    said="$(figure "$1: choice \/ best" 2) $(figure "$1: choice \/ best" 4)"
    expect "$1: mean and worst are of its cases ($said)" python3 -c '
import csv, math, sys
regrets = [float(line["us"]) / float(line["best_us"]) for line in csv.DictReader(open("cases.csv"))
           if line["held"] == sys.argv[1]]
mean = math.exp(sum(map(math.log, regrets)) / len(regrets))
assert sys.argv[2] == f"{mean:.3f} {max(regrets):.3f}", (mean, max(regrets))
assert 1 <= mean <= 1.25' "$2" "$said"
}

run "$robust" --build "$build" --quick --csv cases.csv --cache times
agrees "tuned on" False
agrees "held out" True
cp out first
run "$robust" --build "$build" --quick --cache times
expect "kept times give the same" cmp -s out first
run "$robust" --build "$scratch"
expect "a directory without a build is named" grep -qF "no bin/allfold in $scratch" err
finish
