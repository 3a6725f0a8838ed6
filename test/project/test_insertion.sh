#!/bin/bash
# One file, one line: an algorithm that is inserted in the middle of list.h is listed, drawn, verified,
# simulated and explained. It fails no unit test that knows algorithms, and changes no result of others.
# The copy also has the list in the opposite order, as the order of its lines decides nothing.
# Usage: test_insertion.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
build=$(realpath "$1") source=$(realpath "$2")
copy=$scratch/copy
logs=(out err build.log)

mkdir "$copy"
(cd "$source" && tar -c --exclude='./build*' --exclude=./.git --exclude=./site .) | tar -x -C "$copy"
cat >"$copy/src/algorithms/allreduce_inserted.c" <<'END'
/* Inserted by test/project/test_insertion.sh: each rank adds its vector to what comes from the one
 * below it; the last one sends the result to all others. */
#include "algorithms/algorithm.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    const struct allfold_span below = scratch(s, n);
    if (r == 0) {
        copy(s, out, in);
    } else {
        recv_from(s, r - 1, below);
        reduce(s, out, below, in);
    }
    if (r < p - 1) {
        send_to(s, r + 1, out);
        recv_from(s, p - 1, out);
        return;
    }
    for (int other = 0; other < p - 1; other++)
        send_to(s, other, out);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t others = (size_t)problem->group.size - 1, n = problem->count;
    return (struct allfold_claim){.rounds = 2 * others,
                                  .sent = others * n,
                                  .reduced = others > 0 ? n : 0,
                                  .divisor = 1,
                                  .is_bound = true};
}

const struct allfold_algorithm allfold_allreduce_inserted = {
    .name = "inserted",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "test/project/test_insertion.sh",
    .summary = "up through all ranks, and from the last one to each",
    .use = "never: it shows that an algorithm is one file and one line of the list",
    .consistent = true,
    .build = build,
    .claim = claim,
};
END
list=$copy/src/algorithms/list.h
tac "$source/src/algorithms/list.h" | grep '^ALLFOLD_ALGORITHM' >"$list"
sed -i "$(($(wc -l <"$list") / 2))a ALLFOLD_ALGORITHM(allreduce_inserted)" "$list"

# As the build around is made, with the same cache of compilations where that has one.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
options=(-DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)" -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)")
launcher=$(cached CMAKE_C_COMPILER_LAUNCHER)
export CCACHE_BASEDIR=$scratch CCACHE_NOHASHDIR=1 # so that another run finds what this one compiled
[ -z "$launcher" ] || options+=(-DCMAKE_C_COMPILER_LAUNCHER="$launcher")
# The unit tests that know algorithms; those of claims and mutants take minutes, each of its own, and those
# of transports only move data by algorithms.
mapfile -t tests < <(cd "$copy/test/unit" &&
    grep -lE 'allfold_algorithm|allfold_case' test_*.c | grep -vE 'claims|mutants|fuzz|fabric|shared_memory' | sed 's/\.c$//')
expect "unit tests that know algorithms" [ ${#tests[@]} -ge 15 ]
cmake -S "$copy" -B "$copy/build" -G "$(cached CMAKE_GENERATOR)" "${options[@]}" >"$scratch/build.log" 2>&1 &&
    cmake --build "$copy/build" --parallel 2 --target allfold "${tests[@]}" >>"$scratch/build.log" 2>&1
check "it builds, with one file and one line more" $?
cd "$copy/build" || exit 1
run ctest --parallel 2 --timeout 120 -R "^unit\.($(IFS='|'; echo "${tests[*]}"))$"
check "the unit tests pass" "$status"

new=$copy/build/bin/allfold old=$build/bin/allfold
logs=(out err)
run "$new" verify --algorithm allreduce.inserted -p 1..12
check "verify" "$status"
run "$new" show allreduce.inserted -p 4
check "show" "$status"
run env ALLFOLD_ALGORITHM=allreduce=inserted "$new" explain -c allreduce -N 2 -k 2 -b 64
expect "a rule forces it" grep -q "^chosen: inserted" "$scratch/out"

# same NAME WORDS...: the command says the same as before, but for the inserted algorithm
same() {
    "$old" "${@:2}" | grep -v '^[a-z]*,"*inserted"*[,(]' | sort >"$scratch/out"
    "$new" "${@:2}" | grep -v '^[a-z]*,"*inserted"*[,(]' | sort >"$scratch/err"
    expect "$1 of others is the same" cmp -s "$scratch/out" "$scratch/err"
}
same list list --csv -p 13
run "$new" list --csv
expect "list" [ "$(grep -c '^allreduce,inserted,' "$scratch/out")" = 1 ]
for shape in "1 5" "4 4" "3 1"; do
    read -r nodes ppn <<<"$shape"
    for bytes in 8 32K; do
        for collective in allreduce reduce bcast; do
            "$old" explain -c $collective -N "$nodes" -k "$ppn" -b $bytes | grep -vE '^inserted|algorithms; --algorithm all' >"$scratch/out"
            "$new" explain -c $collective -N "$nodes" -k "$ppn" -b $bytes | grep -vE '^inserted|algorithms; --algorithm all' >"$scratch/err"
            expect "the choice of $collective, $shape, $bytes" cmp -s "$scratch/out" "$scratch/err"
        done
    done
done
finish
