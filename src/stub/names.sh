#!/bin/sh
# Writes ENTRY(NAME, INDEX) for each function of MPI that one of the builds defines, sorted by name.
# Allfold's own functions (include/allfold.h) are in the builds themselves, for programs that are
# linked with one.
# Usage: names.sh NM OUTPUT BUILD...
set -eu
nm=$1 output=$2
shift 2
"$nm" --dynamic --defined-only "$@" | awk '$NF ~ /^(MPI|mpi)/ { print $NF }' | LC_ALL=C sort -u |
    awk '{ printf "ENTRY(%s, %d)\n", $1, NR - 1 }' >"$output.new"
mv "$output.new" "$output"
