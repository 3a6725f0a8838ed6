#!/bin/bash
# `allfold verify --proofs`: what is on file is not proven again, and everything else is.
# Usage: test_verify.sh PATH_OF_ALLFOLD SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
allfold=$1 source=$2
file=$scratch/proofs
verify() { run "$allfold" verify -p 1..6 --algorithm "$@" --proofs "$file"; }

# ends NOW KNOWN: how many sweeps were proven now, and how many were known
ends() { [ "$status" = 0 ] && grep -qxF "$1 proven now, $2 known from $file" "$scratch/out"; }

: >"$file"
verify ring
expect "with an empty file all are proven" ends 4 0
expect "and nothing is written" [ ! -s "$file" ]
verify ring --output "$file"
expect "proofs are written" [ "$(wc -l <"$file")" = 4 ]
cp "$file" "$scratch/before"
verify allreduce.ring
expect "what is on file is known" ends 0 1
expect "and has no runs" grep -qE '^allreduce\.ring +[1-9][0-9]* +0 .* known$' "$scratch/out"
verify allreduce.ring --seed 2
expect "another seed is another sweep" ends 1 0
verify allreduce.ring --samples 2
expect "samples are another sweep" ends 1 0
verify allreduce.ring --reproducible
expect "the canonical tree alone is another sweep" ends 1 0
run "$allfold" verify -p 1..5 --algorithm allreduce.ring --proofs "$file"
expect "other ranks are another sweep" ends 1 0
verify bcast.flat --output "$file"
expect "another algorithm is added" ends 1 0
expect "and the others are kept" [ "$(grep -cxFf "$scratch/before" "$file")" = 4 ]

# a file that says something else
sed -i 's/^[0-9a-f]*\(.* p=1\)/0123456789abcdef\1/' "$file"
verify ring
expect "with another digest it is proven" ends 4 0
verify allreduce.ring --output "$file"
expect "and written" ends 1 0
verify allreduce.ring
expect "instead of the other" ends 0 1
expect "of which nothing is left" [ "$(grep -c 'allreduce.ring' "$file")" = 1 ]
cut -c 1-20 "$scratch/before" >"$file"
verify ring
expect "cut lines are no proofs" ends 4 0
printf 'no proof\n\n%s\n' "$(grep allreduce "$scratch/before")" >"$file"
verify allreduce.ring
expect "and other lines do no harm" ends 0 1

# a value that is not tried by itself
tried() { sed -nE 's/^allreduce\.circulant +([0-9]+) .*/\1/p' "$scratch/out"; }
run "$allfold" verify -p 1..9 -a allreduce.circulant
all=$(tried)
run "$allfold" verify -p 1..9 -a allreduce.circulant -P radix=7
expect "a parameter is proven" [ "$status" = 0 ]
expect "alone" [ "$(tried)" -gt 0 -a "$(tried)" -lt "$all" ]
refuses "a parameter of no algorithm" 2 "--parameter: expected --algorithm" -- "$allfold" verify -P radix=7
refuses "a parameter that it does not have" 2 "'levels' is not one of: radix" -- \
    "$allfold" verify -a allreduce.circulant -P levels=2
refuses "no file to update" 2 "--output: expected --proofs FILE" -- "$allfold" verify -p 2 --output "$file"
refuses "a file that is not there" 2 "--proofs $scratch/none: No such file" -- \
    "$allfold" verify -p 2 --proofs "$scratch/none"

# as the tests call it
export PROVE=
run "$source/scripts/prove" "$allfold" bcast.flat -p 1..8
expect "the tests read the file of the tree" grep -qF " known from $(realpath "$source")/test/proofs.txt" "$scratch/out"
PROVE=all run "$source/scripts/prove" "$allfold" bcast.flat -p 1..8
expect "unless all is to be proven" [ "$status" = 0 ]
expect "which runs" grep -qE '^bcast\.flat +[1-9][0-9]* +[1-9]' "$scratch/out"
PROVE=some refuses "another value is refused" 2 "PROVE=some: expected all or update" -- "$source/scripts/prove" "$allfold" bcast.flat
finish
