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
    expect "$(basename "$archive") defines without prefix: $strangers" [ -z "$strangers" ]
done

public=$(sed -nE 's/^.*\b(allfold_[a-z_]+)\(.*/\1/p' "$source"/include/{allfold,allfold_accumulator,allfold_gaspi}.h | sort -u)
[ "$(echo "$public" | wc -l)" -ge 4 ]
check "the headers declare functions" $?
# the names of MPI's functions that each build replaces; it may replace more, those of Fortran for instance, or
# MPI_Session_init where mpi.h is of MPI 4
interposed=$(sed -nE 's/^ALLFOLD_PUBLIC int (MPI_[A-Za-z_]+)\(.*/\1/p' "$source"/src/mpi/interpose/interpose{,_requests}.c |
    grep -vx MPI_Session_init
    sed -nE 's/^PASSED\((\w+), (\w+), .*/MPI_\2 MPI_I\1 MPI_\2_c MPI_I\1_c/p; h
        s/^SERVED\((\w+), (\w+), .*/MPI_\2_c MPI_I\1_c MPI_\2_init_c/p; g
        s/^SERVED\w*\((\w+), (\w+), .*/MPI_\2 MPI_I\1 MPI_\2_init/p' "$source/src/mpi/collectives.def" | tr ' ' '\n')
expect "functions of MPI are replaced" [ "$(echo "$interposed" | wc -l)" -ge 130 ]
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
all=
for library in "$build"/lib/allfold/*.so; do
    name=${library##*/}
    case ${name#liballfold-} in table.so | one-copy.so | preload.so | allfold-*) continue ;; esac
    unversioned=$(nm --dynamic --defined-only --extern-only "$library" | awk '$NF ~ /^allfold_/ && $NF !~ /@@ALLFOLD_[0-9.]+$/ { print $NF }')
    expect "$name shows functions without a version (src/mpi/exported.map): $unversioned" [ -z "$unversioned" ]
    shown=$(nm --dynamic --defined-only --extern-only "$library" | awk '$2 != "A" { sub(/@@.*/, ""); print $NF }' |
        grep -vE '^(__asan|__ubsan|__gcov|__odr|_init|_fini)' | sort -u)
    fortran=
    case $name in liballfold-abi.so) fortran=allfold_accumulator_allreduce_f ;; esac # it has C alone
    missing=$(comm -23 <(printf '%s\n' allfold_set_next "$public" "$interposed" | grep -vx "$fortran" | sort -u) \
        <(echo "$shown"))
    expect "$name lacks: $missing" [ -z "$missing" ]
    strangers=$(comm -13 <(printf '%s\n' allfold_set_next "$public" | sort -u) <(echo "$shown") |
        grep -vE '^(MPIX?|mpix?)_[A-Za-z0-9_]+$')
    expect "$name shows other symbols than it should: $strangers" [ -z "$strangers" ]
    all+=$(echo "$shown" | grep -iE '^mpi')$'\n'
done

# what is preloaded has all of these names: a call by another one would bypass it
shown=$(nm --dynamic --defined-only --extern-only "$build/lib/allfold/liballfold-preload.so" | awk '{ print $NF }' |
    grep -vE '^(__gcov|_init|_fini)' | sort -u)
difference=$(diff <(printf '%s\n' dlsym "$public" "$all" | grep . | sort -u) <(echo "$shown"))
expect "liballfold-preload.so shows other symbols than it should: $difference" [ -z "$difference" ]

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
