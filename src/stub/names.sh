#!/bin/sh
# Writes ENTRY(NAME, INDEX) for each function that one of the builds defines, sorted by name: those of
# MPI, and Allfold's own (include/allfold.h), which programs look for. The stub itself calls
# allfold_set_next.
# Usage: names.sh NM OUTPUT BUILD...
set -eu
nm=$1 output=$2
shift 2
"$nm" --dynamic --defined-only "$@" | awk '$NF ~ /^(MPI|mpi|allfold_)/ && $NF != "allfold_set_next" { print $NF }' | LC_ALL=C sort -u |
    awk '{ printf "ENTRY(%s, %d)\n", $1, NR - 1 }' >"$output.new"
mv "$output.new" "$output"
