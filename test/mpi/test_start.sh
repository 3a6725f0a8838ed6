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
for ((point = 0; point < points; point++)); do
    for on in -1 0 $((ranks - 1)); do
        for ((n = 1; n < 30; n++)); do
            run "$source/scripts/launch" "$mpi" "$ranks" env "POINTS_AT_START=$point $n $on" \
                "LD_PRELOAD=$layer" "${program[@]}"
            expect "point $point, call $n, on $on" [ "$status" = 0 ]
            [[ $out =~ fired:\ [1-9] ]] || break
            fired=$((fired + 1))
        done
    done
done
expect "something failed" [ "$fired" -gt 20 ]
echo "$fired faults"
finish
