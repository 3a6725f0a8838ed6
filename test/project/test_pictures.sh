#!/bin/bash
# docs/algorithms.md and its pictures are what scripts/pictures makes of the algorithms as they are, and
# docs/gain.svg is what scripts/gain makes of its figures.
# Usage: test_pictures.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
made=$scratch/made
expect "the pictures can be made" "$source/scripts/pictures" "$build" "$made"
{
    diff -r --exclude=rooms.svg "$made/pictures" "$source/docs/pictures" >/dev/null &&
        diff "$made/algorithms.md" "$source/docs/algorithms.md"
} >"$scratch/out" 2>&1
check "docs/ shows the algorithms as they are; else run \`make docs\` and commit" $?
bright=$(cd "$source" && find docs -name '*.svg' -exec grep -L 'prefers-color-scheme' {} +)
expect "every picture has a dark mode: ${bright:-all}" [ -z "$bright" ]
refuses "a plot without pictures is refused" 2 "Usage: scripts/plot" -- "$source/scripts/plot" -- -
"$source/scripts/gain" "$build" --keep --csv "$source/docs/gain.csv" --output "$scratch/gain.svg" >"$scratch/out" 2>&1 &&
    diff "$scratch/gain.svg" "$source/docs/gain.svg" >>"$scratch/out"
check "docs/gain.svg shows what docs/gain.csv holds; else run \`make docs\` and commit" $?
finish
