#!/bin/bash
# Layers: includes lead only downwards, and mpi.h is for src/mpi alone.
# Usage: test_includes.sh SOURCE_DIRECTORY
set -u
cd "$1" || exit 1
failed=0
passed=0

# layer: what it may include besides itself
declare -A below=(
    [schedule]=""
    [kernels]=""
    [execute]="schedule"
    [algorithms]="schedule"
    [model]="schedule execute algorithms"
    [select]="schedule algorithms"
    [mpi]="schedule execute algorithms kernels select"
)

for directory in src/*/; do
    layer=$(basename "$directory")
    if [ -z "${below[$layer]+known}" ]; then
        echo "FAILED: src/$layer is no layer that this test knows"
        failed=$((failed + 1))
        continue
    fi
    while IFS=: read -r file line include; do
        [ -n "$file" ] || continue
        target=${include%%/*}
        case " $layer ${below[$layer]} " in
        *" $target "*) passed=$((passed + 1)) ;;
        *)
            echo "FAILED: $file:$line: src/$layer includes $include, which is not below it"
            failed=$((failed + 1))
            ;;
        esac
    done < <(grep -nE '^#include "[a-z_]+/' -r "$directory" |
        sed -E 's/^([^:]*):([0-9]+):#include "([^"]*)".*/\1:\2:\3/')
done

while IFS= read -r file; do
    case $file in
    src/mpi/* | include/* | "") ;;
    *)
        echo "FAILED: $file includes mpi.h, which only src/mpi may"
        failed=$((failed + 1))
        ;;
    esac
done < <(grep -lE '#include *[<"](mpi|allfold)\.h' -r src tools include)

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 20 ]
