#!/bin/bash
# bench/papers: quick rows of each paper are found as the pages say, the pages are those of what was found, and wrong
# names are refused.
# Usage: test_papers.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=120
command -v gnuplot >/dev/null || skip_all "gnuplot is not installed"
papers() { run env PYTHONDONTWRITEBYTECODE=1 python3 "$source/bench/papers" "$build" "$@" --into "$scratch/papers"; }

cp -r "$source/docs/papers" "$scratch/papers"
papers --keep
check "pages are written from what was found" "$status"
expect "they are the pages of the tree" diff -r "$source/docs/papers" "$scratch/papers"

while read -r paper figure; do
    papers "$paper" "$figure"
    check "$paper $figure is repeated" "$status"
done <<'ROWS'
rabenseifner 1
rabenseifner T_red
bienz 4
bienz 6
bienz algorithm_1
hofmann 1_right
end 4
end 7
ROWS
expect "what is found is what the pages say" diff <(cd "$source/docs/papers" && cat ./*.json) <(cd "$scratch/papers" && cat ./*.json)
papers bienz 99
expect "a figure that there is not is refused" [ "$status" = 2 ]
expect "with the names of the others" grep -q "'99' is no row of bienz; expected one of: 1, 2, 3" <<<"$err"
papers nothing
expect "a paper that there is not is refused" [ "$status" = 2 ]
finish
