#!/bin/bash
# The rooms of src/, lab/ and tools/: scripts/rooms finds no include that leads up and no circle. And
# it can fail: in a copy with one fault of each kind it names the fault.
# Usage: test_includes.sh SOURCE_DIRECTORY
set -u
source=$1
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"

run "$source/scripts/rooms" check
expect "scripts/rooms check finds no fault" [ "$status" = 0 ]

mkdir "$scratch/copy" && cp -r "$source/src" "$source/lab" "$source/tools" "$source/scripts" "$scratch/copy"
check "the sources are copied" $?

# finds FAULT FILE LINE [FILE LINE]: with these lines in the copy's new files, scripts/rooms names the fault
finds() {
    local fault=$1 files=()
    shift
    while [ $# -gt 0 ]; do
        printf '%s\n' "$2" >"$scratch/copy/$1"
        files+=("$scratch/copy/$1")
        shift 2
    done
    run "$scratch/copy/scripts/rooms" check
    rm "${files[@]}"
    { [ "$status" = 1 ] && grep -qE -- "$fault" "$scratch/out"; }
    check "scripts/rooms finds: $fault" $?
}

finds '^src/util/up\.h:1: includes src/schedule/verbs\.h' src/util/up.h '#include "schedule/verbs.h"'
finds '^circle of includes: src/util/circle_a, src/util/circle_b$' \
    src/util/circle_a.h '#include "util/circle_b.h"' src/util/circle_b.h '#include "util/circle_a.h"'
finds '^circle of calls: src/util/circle_a, src/util/circle_b$' \
    src/util/circle_a.c $'void allfold_circle_a(void)\n{\n    allfold_circle_b();\n}' \
    src/util/circle_b.c $'void allfold_circle_b(void)\n{\n    allfold_circle_a();\n}'
finds '^src/util/mpi_inside\.c: includes mpi\.h' src/util/mpi_inside.c '#include <mpi.h>'
mkdir "$scratch/copy/src/attic"
finds '^src/attic/lost\.h: no room named attic' src/attic/lost.h '#include "util/hash.h"'
finish
