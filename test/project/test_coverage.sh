#!/bin/bash
# Prints which share of src/ the tests reach, after they have run on a build that counts. Fails
# below a share that there is no reason to fall under.
# Usage: test_coverage.sh SOURCE_DIRECTORY BUILD_DIRECTORY LEAST_PERCENT
set -u
source=$1 build=$2 least=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
command -v gcovr >/dev/null || skip_all "gcovr is not installed"
cd "$source" || exit 1
gcovr --root "$source" --filter 'src/' --gcov-ignore-parse-errors --object-directory "$build" --print-summary "$build" 2>/dev/null |
    sed -E 's/^-+$//; /^$/d' | tee "$build/coverage.txt"
lines=$(sed -nE 's/^lines: ([0-9]+).*/\1/p' "$build/coverage.txt")
expect "lines: ${lines:-no} percent are at least $least" [ "${lines:-0}" -ge "$least" ]
finish
