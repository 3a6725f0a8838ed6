#!/bin/bash
# The support matrix of docs/install.md and README.md is what scripts/support-matrix makes of test/bed/results.csv.
# Usage: test_support_matrix.sh SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$1" || exit 1

gives "the pages agree with the results; else run make docs and commit" -- scripts/support-matrix --check

copy=$scratch/copy
mkdir -p "$copy/test/bed" "$copy/docs" && cp -r scripts README.md "$copy" && cp test/bed/results.csv "$copy/test/bed" &&
    cp docs/install.md "$copy/docs"
gives "they agree in a copy" -- "$copy/scripts/support-matrix" --check
printf '%s\n' 'MPICH 9.0,wheel,nodes,1234,5,2,2026-01-01' 'MPICH 9.0,wheel,spawn,0,0,2,2026-01-01' >>"$copy/test/bed/results.csv"
refuses "a new result makes both stale" 1 "README.md differs from test/bed/results.csv" -- "$copy/scripts/support-matrix" --check
expect "the table in docs/install.md, too" grep -q '^docs/install.md differs' "$scratch/err"
gives "it is written" -- "$copy/scripts/support-matrix"
expect "with what passed, failed and was left out" \
    grep -qxF '| MPICH 9.0 | wheel | – | – | **1,234, 5 failed** (2) | – | – | – | – | fails natively | – | 2026-01-01 |' "$copy/docs/install.md"
gives "and then they agree" -- "$copy/scripts/support-matrix" --check
echo 'MPICH 9.0,wheel,ndoes,1,0,0,2026-01-01' >>"$copy/test/bed/results.csv"
refuses "an unknown part is refused" 1 "unknown part 'ndoes'" -- "$copy/scripts/support-matrix"

finish
