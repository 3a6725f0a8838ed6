#!/bin/sh
# Writes ENTRY(NAME, INDEX) for each function of MPI and of allfold.h that one of the builds defines,
# sorted by name. A program may declare those of allfold.h as weak symbols, and then has them under
# `allfold run` alone. The builds' allfold_set_next is for the stub itself.
# Usage: names.sh NM OUTPUT BUILD...
set -eu
nm=$1 output=$2
shift 2
"$nm" --dynamic --defined-only "$@" | sed 's/@@.*//' | awk '$NF ~ /^(MPI|mpi|allfold_)/ && $NF != "allfold_set_next" { print $NF }' |
    LC_ALL=C sort -u | awk '{ printf "ENTRY(%s, %d)\n", $1, NR - 1 }' >"$output.new"
mv "$output.new" "$output"
