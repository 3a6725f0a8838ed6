#!/bin/bash
# Prints which share of src/ the tests reach, after they have run on a build that counts; fails
# below a share that there is no reason to fall under.
# Usage: test_coverage.sh SOURCE_DIRECTORY BUILD_DIRECTORY LEAST_PERCENT
set -u
source=$1 build=$2 least=$3
if ! command -v gcovr >/dev/null; then
    echo "skipped: gcovr is not installed"
    exit 77
fi
cd "$source" || exit 1
gcovr --root "$source" --filter 'src/' --gcov-ignore-parse-errors --object-directory "$build" --print-summary "$build" 2>/dev/null |
    sed -E 's/^-+$//; /^$/d' | tee "$build/coverage.txt"
lines=$(sed -nE 's/^lines: ([0-9]+).*/\1/p' "$build/coverage.txt")
if [ "${lines:-0}" -lt "$least" ]; then
    echo "lines: ${lines:-none} percent is less than $least"
    echo "0 passed, 1 failed"
    exit 1
fi
echo "1 passed, 0 failed"
