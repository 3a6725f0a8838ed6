#!/bin/bash
# Layers: includes lead only downwards, and mpi.h is for src/mpi and src/programs alone.
# Usage: test_includes.sh SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$1" || exit 1

# layer: what it may include besides itself
declare -A below=(
    [util]=""
    [schedule]="util"
    [kernels]="util"
    [transport]="util execute"
    [execute]="util schedule kernels transport"
    [algorithms]="util schedule"
    [model]="util schedule execute transport algorithms"
    [select]="util schedule algorithms"
    [export]="util schedule algorithms select"
    [measure]="util schedule algorithms kernels select model"
    [mpi]="util schedule execute transport algorithms kernels select measure"
    [programs]="util schedule execute algorithms kernels select measure mpi"
)

for directory in src/*/; do
    layer=$(basename "$directory")
    if [ -z "${below[$layer]+known}" ]; then
        bad "src/$layer is no layer that this test knows"
        continue
    fi
    while IFS=: read -r file line include; do
        [ -n "$file" ] || continue
        target=${include%%/*}
        case " $layer ${below[$layer]} " in
        *" $target "*) ok "$file:$line" ;;
        *) bad "$file:$line: src/$layer includes $include, which is not below it" ;;
        esac
    done < <(grep -nE '^#include "[a-z_]+/' -r "$directory" |
        sed -E 's/^([^:]*):([0-9]+):#include "([^"]*)".*/\1:\2:\3/')
done

while IFS= read -r file; do
    case $file in
    src/mpi/* | src/programs/* | include/* | "") ;;
    *) bad "$file includes mpi.h, which only src/mpi and src/programs may" ;;
    esac
done < <(grep -lE '#include *[<"](mpi|allfold)\.h' -r src tools include)

expect "the includes are found" [ "$passed" -gt 20 ]
finish
