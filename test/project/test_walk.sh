#!/bin/bash
# DESIGN.md says which functions serve a call: a debugger sees calls pass them in that order.
# Usage: test_walk.sh BUILD_DIRECTORY SOURCE_DIRECTORY MPI...
set -u
build=$1 source=$2
shift 2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
command -v gdb >/dev/null || skip_all "the walk (gdb is not there)"
timeout -k 5 60 gdb -batch -ex run --args true 2>&1 | grep -q "exited normally" ||
    skip_all "the walk (gdb may not trace processes here)"
[[ " $* " == *" mpich "* ]] || skip_all "the walk (it needs MPICH, whose mpirun starts one rank in a debugger)"
expect "the program compiles" mpicc.mpich -g -O1 -o "$scratch/walk" "$source/test/project/walk.c"

walk() { # PAGE
    local run=(-n 1 "$build/bin/allfold" run)
    rm -f "$scratch/answer"
    DESIGN=$1 SOURCE=$source WALK=$scratch/answer ALLFOLD_NONBLOCKING=1 timeout -k 5 120 mpirun.mpich \
        "${run[@]}" gdb -batch -x "$source/test/project/walk.py" "$scratch/walk" : "${run[@]}" "$scratch/walk" \
        >"$scratch/log" 2>&1
    cat "$scratch/answer"
}

agrees() { # PAGE
    walk "$1" >"$scratch/walked" 2>&1
    cat "$scratch/walked"
    [ "$(grep -c ': as the page says$' "$scratch/walked")" = 4 ] && [ "$(wc -l <"$scratch/walked")" = 4 ]
}

expect "four calls pass the functions that DESIGN.md names, in its order" agrees "$source/DESIGN.md"
sed 's/`repeats`, `serve_again`/`serve_again`, `repeats`/' "$source/DESIGN.md" >"$scratch/DESIGN.md"
expect "a page with another order is found out" grep -q '^a repeated MPI_Allreduce: passes' <(walk "$scratch/DESIGN.md")
sed 's/`prepared.c`: `allfold_prepared_read`/`guard.c`: `allfold_prepared_read`/' "$source/DESIGN.md" >"$scratch/DESIGN.md"
expect "and one with another file" grep -q '^a first one: passes' <(walk "$scratch/DESIGN.md")
finish
