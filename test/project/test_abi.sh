#!/bin/bash
# The binary interface of the stable headers: as stored in test/abi/allfold.abi, and scripts/abi sees changes.
# Usage: test_abi.sh SOURCE_DIRECTORY
set -u
source=$1
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"

for tool in abidw abidiff mpicc.openmpi; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool was not found (scripts/install-dependencies check)"
        exit 77
    fi
done
said=$("$source/scripts/abi" check 2>&1)
check "the interface is not as stored: $said" $?

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/test"
cp -r "$source/include" "$source/scripts" "$copy"
cp -r "$source/test/abi" "$copy/test"
sed -i 's/int allfold_start(struct allfold_plan \*plan);/int allfold_start(struct allfold_plan *plan, int more);/' "$copy/include/allfold.h"
said=$("$copy/scripts/abi" check 2>&1)
expect "one more argument of a function is not seen: $said" [ $? -ne 0 ]
expect "what happens to programs is not said: $said" grep -q "would fail" <<<"$said"
cp "$source/include/allfold.h" "$copy/include"
sed -i 's/^int allfold_start(/int allfold_start_later(struct allfold_plan *plan);\n&/' "$copy/include/allfold.h"
said=$("$copy/scripts/abi" check 2>&1)
expect "a new function is not seen: $said" grep -q "functions were added" <<<"$said"
finish
