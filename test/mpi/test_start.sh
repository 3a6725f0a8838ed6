#!/bin/bash
# Each call of MPI or the system that the library makes in MPI_Init fails in turn. It fails on all
# ranks, on the first and on the last one. The program then runs, at worst natively, and nothing
# waits.
# Usage: test_start.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY LAYER PROGRAM [linked]
# With `linked` the program is linked with the library, and has sanitizers.
set -u
mpi=$1 build=$2 source=$3 layer=$4 program=("$5")
[ "${6:-}" = linked ] || program=("$build/bin/allfold" run "$5")
# the layer comes before the sanitizers' own library
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
unset "${!ALLFOLD_@}"
limit_s=60 ranks=2
points=44 # as many as points_layer.c has; what is past the last is armed nowhere
fired=0

# fails POINT N RANK: call N of this kind fails on the rank, or on all (-1); whether there is such a call
fails() {
    run "$source/scripts/launch" "$mpi" "$ranks" env "POINTS_AT_START=$1 $2 $3" "LD_PRELOAD=$layer" "${program[@]}"
    expect "point $1, call $2, on $3" [ "$status" = 0 ]
    [[ $out =~ fired:\ [1-9] ]] && fired=$((fired + 1))
}

# A call that no rank makes is not looked for on one of them.
for ((point = 0; point < points; point++)); do
    fails $point 1 -1 || continue
    for ((n = 2; n < 30; n++)); do fails $point $n -1 || break; done
    for on in 0 $((ranks - 1)); do
        for ((n = 1; n < 30; n++)); do fails $point $n "$on" || break; done
    done
done
expect "something failed" [ "$fired" -gt 20 ]
echo "$fired faults"
finish
