#!/bin/bash
# Names: every non-static symbol begins with allfold_. The preloadable libraries show only the
# public functions and the MPI functions that they replace. And instructions: kernels round after
# each operation, also those for machines that this one is not.
# Usage: test_symbols.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"

for archive in "$build"/src/*.a; do
    strangers=$(nm --defined-only --extern-only "$archive" 2>/dev/null |
        awk 'NF == 3 && $3 !~ /^allfold_/ && $3 !~ /^__(asan|ubsan|gcov|odr)/ { print $3 }' | sort -u)
    expect "${archive##*/} defines without prefix: $strangers" [ -z "$strangers" ]
done

public=$(sed -nE 's/^.*\b(allfold_[a-z_]+)\(.*/\1/p' "$source"/include/{allfold,allfold_accumulator,allfold_gaspi}.h | sort -u)
[ "$(echo "$public" | wc -l)" -ge 4 ]
check "the headers declare functions" $?
interposed=$(sed -nE 's/^ALLFOLD_PUBLIC int (MPI_[A-Za-z_]+)\(.*/\1/p' \
    "$source/src/mpi/interpose/interpose.c" | sort -u)
# aliases MACRO FILE...: the functions that a macro gives their Fortran names
aliases() { sed -nE "s/^$1\\(([a-z_]+), .*/\\1/p" "${@:2}"; }
# spellings PREFIX: Open MPI's Fortran names of the functions on stdin
spellings() {
    while read -r name; do
        lower=$1_$name
        printf '%s\n' "$lower" "${lower}_" "${lower}__" "${lower^^}" "${lower}_f08_"
    done
}
fortran=$source/src/mpi/interpose/interpose_fortran
fortran_openmpi=$(aliases 'ALLFOLD_[A-Z_]*ALIASES' "$fortran"_{openmpi,requests}.c | spellings mpi
    aliases ALLFOLD_PERSISTENT_ALIASES "$fortran"_{openmpi,requests}.c | spellings mpix)
described=$(sed -nE 's/^DESCRIBED_[A-Z]+\(([a-z_]+), .*/\1/p' "$fortran"_collectives.h)
expect "there are collectives with buffers as descriptors" [ "$(echo "$described" | wc -l)" = 28 ]
fortran_openmpi+=$(printf '\n'; printf 'mpi_%s_f08ts_\n' $described send ssend recv sendrecv free_mem
    printf 'mpi_%s_c_f08ts_\n' $described)
fortran_mpich=$(aliases 'ALLFOLD_[A-Z_]*ALIASES' "$fortran"_requests.c | sed 's/.*/mpi_&_f08_/'
    sed -nE 's/^ALLFOLD_PUBLIC void (mpi_[a-z0-9_]+)\(.*/\1/p' "$fortran"_mpich.c)
fortran_abi=
# nonblocking and persistent collectives, and what completes requests, for C alone; and large counts
interposed_c=$(sed -nE 's/^ALLFOLD_PUBLIC int (MPI_[A-Za-z_]+)\(.*/\1/p' \
    "$source"/src/mpi/interpose/interpose_{nonblocking,requests,large}.c)
persistent=$(echo "$interposed_c" | sed -n 's/^MPI_\(.*_init\)$/MPIX_\1/p')
expect "there are persistent collectives and those with large counts" \
    [ "$(echo "$persistent" | wc -l) $(echo "$interposed_c" | grep -c '_c$')" = "10 28" ]
shown=$(nm --dynamic --defined-only --extern-only "$build/lib/allfold/liballfold-table.so" |
    awk '{ print $NF }' | grep -vE '^(_init|_fini)' | sort | tr '\n' ' ')
expect "the module for tables shows what reads and writes them, not $shown" \
    [ "$shown" = "allfold_table_parse allfold_table_write " ]
if [ -e "$build/lib/allfold/liballfold-one-copy.so" ]; then
    taken=$(sed -nE 's/^VISIBLE .*[ *](allfold_one_copy_1|[a-z_]+)( =|\().*/\1/p' "$source/src/heap/one_copy.c" | sort)
    expect "one_copy.c takes the place of malloc and free" [ "$(echo "$taken" | grep -cxE 'malloc|free')" = 2 ]
    shown=$(nm --dynamic --defined-only --extern-only "$build/lib/allfold/liballfold-one-copy.so" |
        awk '{ print $NF }' | grep -vE '^(__gcov|_init|_fini)' | sort)
    difference=$(diff <(echo "$taken") <(echo "$shown"))
    check "liballfold-one-copy.so shows other symbols than it should: $difference" $?
fi
if [ -e "$build/lib/allfold/liballfold-own-handle.so" ]; then
    shown=$(nm --dynamic --defined-only --extern-only "$build/lib/allfold/liballfold-own-handle.so" |
        awk '{ print $NF }' | grep -vE '^(__gcov|_init|_fini)')
    expect "the library for handles of programs shows dlsym alone, not $shown" [ "$shown" = dlsym ]
fi
for library in "$build"/lib/allfold/*.so; do
    case ${library##*/liballfold-} in table.so | one-copy.so | own-handle.so | preload.so) continue ;; esac
    mpi=${library##*/liballfold-}
    mpi=${mpi%.so} mpi=${mpi%-abi}
    names=fortran_$mpi
    expected=$(printf '%s\n' "$public" "$interposed" allfold_set_next "$interposed_c" "$persistent" "${!names}" | grep . | sort -u)
    shown=$(nm --dynamic --defined-only --extern-only "$library" | awk '{ print $NF }' |
        grep -vE '^(__asan|__ubsan|__gcov|__odr|_init|_fini)' | sort -u)
    difference=$(diff <(echo "$expected") <(echo "$shown"))
    check "${library##*/} shows other symbols than it should: $difference" $?
done

core=$(cat "$source"/include/{allfold_core,allfold_accumulator}.h | grep -v '^static' | grep -oE '^[a-z].*\ballfold_[a-z_]+\(' |
    sed -E 's/.*\b(allfold_[a-z_]+)\(/\1/' | sort -u)
expect "the header of the core declares functions" [ "$(echo "$core" | wc -l)" -ge 20 ]
shown=$(nm --dynamic --defined-only --extern-only "$build/lib/liballfold-core.so" | awk '{ print $NF }' |
    grep -vE '^(__asan|__ubsan|__gcov|__odr|_init|_fini)' | sort -u)
difference=$(diff <(echo "$core") <(echo "$shown"))
check "liballfold-core.so shows other symbols than it should: $difference" $?
readelf -d "$build/lib/liballfold-core.so" >"$scratch/dynamic"
expect "the core has a soname" grep -qE 'SONAME.*\[liballfold-core\.so\.[0-9]+\.[0-9]+\]' "$scratch/dynamic"
expect "the core needs no MPI" [ "$(grep -cE 'NEEDED.*\[(libm|libc)\.so' "$scratch/dynamic")" = \
    "$(grep -c NEEDED "$scratch/dynamic")" ]

kernels=("$build"/src/kernels/CMakeFiles/allfold_kernels_*.dir/*variant.c.o)
expect "there are kernels for two instruction sets" [ "${#kernels[@]}" -ge 2 ]
fused=$(objdump -d "${kernels[@]}" |
    grep -oE '\b(vfn?m(add|sub)(add|sub)?[0-9]+[ps][sd]|fn?m(add|sub)|fml[as])\b' | sort | uniq -c)
expect "kernels multiply and add at once: $fused" [ -z "$fused" ]

finish
