#!/bin/bash
# Layers: includes lead only downwards, and mpi.h is for src/mpi alone.
# Usage: test_includes.sh SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$1" || exit 1

# layer: what it may include besides itself
declare -A below=(
    [schedule]=""
    [kernels]=""
    [execute]="schedule kernels"
    [algorithms]="schedule"
    [model]="schedule execute algorithms"
    [select]="schedule algorithms"
    [export]="schedule algorithms select"
    [measure]="schedule algorithms kernels select model"
    [mpi]="schedule execute algorithms kernels select measure"
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
    src/mpi/* | include/* | "") ;;
    *) bad "$file includes mpi.h, which only src/mpi may" ;;
    esac
done < <(grep -lE '#include *[<"](mpi|allfold)\.h' -r src tools include)

expect "the includes are found" [ "$passed" -gt 20 ]
finish
