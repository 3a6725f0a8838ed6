#!/bin/bash
# Every algorithm of list.h has a test that holds its paper's formulas against its schedules. A test
# in test/unit/test_claims*.c names it, comments aside, by its collective and its name.
# Usage: test_formulas.sh SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$1" || exit 1

# All of the tests as one line without comments, so that a call may be spread over lines.
tests=$(for file in test/unit/test_claims*.c; do
    gcc -fpreprocessed -dD -E -P "$file"
done | tr -s ' \n' ' ')

while IFS= read -r algorithm; do
    for collective in reduce_scatter_block reduce_scatter allreduce allgatherv allgather reduce bcast barrier exscan scan; do
        [[ $algorithm = "$collective"_* ]] || continue
        name=${algorithm#"$collective"_}
        wanted="ALLFOLD_${collective^^}, \"$name\""
        # two shorter ways to say it
        [ $collective = allreduce ] && short="allreduce(\"$name\"" || short=$wanted
        [ $collective = reduce ] && short="to_root(\"$name\""
        if [[ $tests = *"$wanted"* || $tests = *"$short"* ]]; then
            ok "$algorithm"
        else
            bad "no test/unit/test_claims*.c has $wanted"
        fi
        continue 2
    done
    bad "of which collective is $algorithm?"
done < <(sed -n 's/^ALLFOLD_ALGORITHM(\(.*\))$/\1/p' src/algorithms/list.h)

expect "the algorithms are found" [ $((passed + failed)) -ge 37 ]
finish
