#!/bin/bash
# Exact sums are correctly rounded: random cases against Python's math.fsum and fractions.
# Usage: test_accumulator.sh BUILD_DIRECTORY SOURCE_DIRECTORY CASES
set -u
build=$1 source=$2 cases=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"

run python3 "$source/test/tools/accumulator.py" "$build/lib/liballfold-core.so" "$cases"
expect "$cases cases are right: $err" [ "$status" = 0 ]
expect "the cases ran" [ "$out" = "$cases cases of sums, sums of floats and dot products: all correctly rounded" ]

finish
