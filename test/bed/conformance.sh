#!/bin/bash
# Compiles the conformance programs of test/mpi with the mpicc that comes first in PATH and runs them under
# `allfold run` with the mpiexec beside it. Each run must pass all of its checks, and Allfold must have served
# calls in it, which its report shows. A run that fails with and without Allfold is repeated with each collective
# forced; if it passes then, it counts, with a note, and otherwise it is left out, with a line.
#
#     test/bed/conformance.sh ALLFOLD [--nodes] [--one-copy] [--long] [--scale PERCENT] [--compiler MPICC] [NAME...]
#
# ALLFOLD is the installed or built command. --nodes: four ranks, two on each of two emulated nodes (scripts/nodes).
# --one-copy: `allfold run --one-copy`. --compiler: compiles with it instead of mpicc, for programs of the standard
# ABI. --long: more numbers of ranks, and a soak of a minute. --scale: a sample of the cases. NAMEs choose programs.
# One line a run, and at the end 'N passed, N failed' with the checks of all runs in sum. Fails if one run does.
set -u
here=$(dirname "$(readlink -f "$0")")
source=$(dirname "$(dirname "$here")")
allfold=$(readlink -f "$1")
shift
on_nodes='' long='' compiler=mpicc scale=100 chosen=() under=("$allfold" run)
while [ $# -gt 0 ]; do
    case $1 in
    --nodes) on_nodes=1 ;;
    --long) long=1 ;;
    --one-copy) under+=(--one-copy) ;;
    --scale) scale=$2 && shift ;;
    --compiler) compiler=$2 && shift ;;
    *) chosen+=("$1") ;;
    esac
    shift
done
[ ${#chosen[@]} -gt 0 ] || chosen=(reductions types communicators errors same_bits repeated nonblocking soak)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset "${!ALLFOLD_@}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1
passed=0 failed=0 left_out=0

# What the MPI library says of itself; the first line.
cat >"$scratch/version.c" <<'C'
#include <mpi.h>
#include <stdio.h>
int main(void)
{
    static char text[16384];
    int length;
    MPI_Get_library_version(text, &length);
    printf("%.60s\n", text);
    return 0;
}
C
# The linker must not take the libraries of another MPI for those that a library of this one needs.
compile=(env -u LD_LIBRARY_PATH "$compiler")
"${compile[@]}" -o "$scratch/version" "$scratch/version.c" || exit 1
version=$("$scratch/version" | head -n 1)
options=()
[[ $version != *"Open MPI"* ]] || options=(--oversubscribe)

compile+=(-std=gnu11 -O1 -g -D_GNU_SOURCE -I"$source/src" -I"$source/include" -I"$source/test/mpi" -w)
for part in check calls comm_set device device_level_zero invoke kinds; do
    "${compile[@]}" -c -o "$scratch/$part.o" "$source/test/mpi/$part.c" || exit 1
done

# shellcheck source=test/bed/served.sh
. "$here/served.sh"

# Forces Allfold on every call that it can serve, to avoid faults of the MPI library's own collectives.
forced=(ALLFOLD_ALGORITHM=reduce_scatter_block=flat,reduce_scatter=flat,allgather=ring,allgatherv=circulant,barrier=dissemination,scan=simultaneous_trees,exscan=doubling_123 ALLFOLD_NONBLOCKING=1)

# Does the program pass without Allfold? Some MPI libraries fail some checks by themselves.
passes_natively() { # RANKS PROGRAM [ARGUMENTS]
    timeout 200 "${launch[@]}" "$scratch/$2" "${@:3}" >/dev/null 2>&1
}

# attempt RANKS PROGRAM [ARGUMENTS]: runs it under Allfold; true if all checks pass and calls were served
attempt() {
    rm -f "$report"
    output=$(ALLFOLD_REPORT=$report timeout 300 "${launch[@]}" "${under[@]}" "$scratch/$2" "${@:3}" "${allfold_only[@]}" 2>&1)
    status=$?
    counts=$(grep -oE '[0-9]+ passed, [0-9]+ failed' <<<"$output" | tail -n 1)
    [ $status = 0 ] && [[ $counts =~ ^[1-9][0-9]*\ passed,\ 0\ failed$ ]] && was_served "$report"
}

count_passed() { # NAME NOTE
    passed=$((passed + ${counts%% *}))
    echo "passed: $1: $counts$2"
}

run() { # RANKS PROGRAM [ARGUMENTS]
    local output counts status where="$2, $1 ranks${on_nodes:+ on 2 nodes}" report=$scratch/report.csv
    launch=(mpiexec "${options[@]}" -n "$1")
    [ -z "$on_nodes" ] || launch=("$source/scripts/nodes" 2x2 "${launch[@]}")
    if attempt "$@"; then
        count_passed "$where" ""
    elif passes_natively "$@"; then
        failed=$((failed + 1))
        was_served "$report" || counts+=" (Allfold served no call)"
        echo "FAILED: $where: status $status, ${counts:-no counts}"
        tail -n 12 <<<"$output" | sed 's/^/    /'
    elif launch=(env "${forced[@]}" "${launch[@]}") && attempt "$@"; then
        count_passed "$where" " (each collective forced, because the MPI library fails by itself)"
    else
        left_out=$((left_out + 1))
        echo "left out: $where: the MPI library fails by itself, too (with Allfold: ${counts:-status $status})"
    fi
}

echo "$version${on_nodes:+, on 2 x 2 nodes}"
for program in "${chosen[@]}"; do
    file=$source/test/mpi/test_$program.c more=()
    [ -f "$file" ] || file=$source/test/mpi/$program.c
    [ "$program" != soak ] || more=("$source/tools/launcher.c" "$source/src/util/number.c" -I"$source/tools")
    if ! "${compile[@]}" "${more[@]}" -o "$scratch/$program" "$file" "$scratch"/*.o -lm -ldl -lpthread; then
        failed=$((failed + 1))
        echo "FAILED: $program does not compile"
        continue
    fi
    if [ -n "$on_nodes" ]; then ranks=4; elif [ -n "$long" ]; then ranks="2 3 5 8"; else ranks="2 3"; fi
    arguments=(--scale "$scale") allfold_only=()
    # spawn does not have --scale, and repeated has few cases
    [[ $program != spawn && $program != repeated ]] || arguments=()
    [ "$program" != one_copy ] || allfold_only=(--shared 1)
    [ "$program" != soak ] || arguments=(--growth 12288 --seconds "$([ -n "$long" ] && echo 60 || echo 3)")
    for count in $ranks; do
        [ "$program" != nonblocking ] || export ALLFOLD_NONBLOCKING=1
        [ "$program" != spawn ] || export I_MPI_SPAWN=on # without it Intel MPI crashes
        run "$count" "$program" "${arguments[@]}"
        unset ALLFOLD_NONBLOCKING I_MPI_SPAWN
    done
done
echo "$version${on_nodes:+, on 2 x 2 nodes}: $left_out left out: $passed passed, $failed failed"
[ $failed = 0 ]
