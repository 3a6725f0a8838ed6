#!/bin/bash
# make install needs nothing that only tests need. The command finds its libraries beside itself, and
# pkg-config's words build a program against allfold.h. The installed command runs an unmodified program.
# Usage: test_install.sh BUILD_DIRECTORY SOURCE_DIRECTORY MPI...
set -u
build=$1 source=$2
shift 2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
logs=(log)
installed=$scratch/installed

# `help` prints the targets instead of building them
make -C "$source" build BUILD="$scratch/bare" CMAKE_OPTIONS=-DCMOCKA_LIBRARY=NO TARGETS=help \
    >"$scratch/log" 2>&1
check "the build is configured without cmocka" $?
grep -q 'Tests and benchmarks are left out, because cmocka .*apt-get install libcmocka-dev' "$scratch/log"
check "the build says that tests are left out, and which package they need" $?
grep -qwF allfold_core "$scratch/bare.log"
check "the build has the library" $?
! grep -qE '\b(unit_support|mpi_support_|benches)' "$scratch/bare.log"
check "the build has no tests and no benchmarks" $?

# The MPIs' compiler wrappers may be anywhere, one of each kind.
configure() { # ALLFOLD_MPICC: what CMake says
    cmake -S "$source" -B "$scratch/elsewhere" -DALLFOLD_TESTS=OFF "-DALLFOLD_MPICC=$1" >"$scratch/log" 2>&1
}
mkdir -p "$scratch/mpicc-1/bin"
wrappers=
for mpi in "$@"; do
    type -P "mpicc.$mpi" >/dev/null || continue
    printf '#!/bin/sh\nexec mpicc.%s "$@"\n' "$mpi" >"$scratch/mpicc-1/bin/mpicc-of-$mpi"
    chmod +x "$scratch/mpicc-1/bin/mpicc-of-$mpi"
    wrappers+=${wrappers:+;}$scratch/mpicc-1/bin/mpicc-of-$mpi
done
if [ -n "$wrappers" ]; then
    configure "$wrappers"
    check "the build is configured with wrappers that lie elsewhere" $?
    for mpi in "$@"; do
        expect "and finds $mpi" grep -qF -- "-- MPI: $mpi ($scratch/mpicc-1/bin/mpicc-of-$mpi)" "$scratch/log"
    done
    ! configure "${wrappers%%;*};${wrappers%%;*}" && grep -qF 'are both of the kind' "$scratch/log"
    check "two wrappers of one kind are refused" $?
    ! configure "$scratch/none/mpicc" && grep -qF "$scratch/none/mpicc is not found" "$scratch/log"
    check "a wrapper that is not there is refused" $?
else
    skip "wrappers elsewhere" "no mpicc.MPI is installed"
fi

cmake --install "$build" --prefix "$installed" >"$scratch/log" 2>&1
check "cmake --install" $?
"$installed/bin/allfold" info >"$scratch/log" 2>&1 && grep -qF "$installed/lib/allfold/" "$scratch/log"
check "the installed allfold finds its libraries" $?
# A Debian package has each file: debian/*.install name them as they lie under /usr.
left=$(cd "$installed" && find . ! -type d | sed 's,^\.,usr,' | while read -r file; do
    while read -r pattern; do
        # shellcheck disable=SC2053 # it is a pattern
        [[ $file == $pattern || $file == $pattern/* ]] && continue 2
    done < <(cat "$source"/packaging/debian/*.install)
    echo "$file"
done)
echo "$left" >"$scratch/log"
expect "each installed file is in a Debian package" [ -z "$left" ]
for page in man1/allfold.1 man1/allfold-run.1 man3/allfold.3 man5/allfold-table.5; do
    expect "$page is installed" [ -s "$installed/share/man/$page" ]
done

# words WORD...: what bash would offer for the last of them
words() {
    PATH=$installed/bin:$PATH bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _allfold
        printf "%s\n" "${COMPREPLY[@]}"' "$installed/share/bash-completion/completions/allfold" "$@" \
        >"$scratch/log" 2>&1
}
words allfold ver && grep -qx verify "$scratch/log"
check "completion offers commands" $?
words allfold show two && grep -qx two_tree "$scratch/log"
check "completion offers algorithms" $?
words allfold list --c && grep -qx -- --csv "$scratch/log" && grep -qx -- --collective "$scratch/log"
check "completion offers options" $?
words allfold table export o && grep -qx openmpi "$scratch/log"
check "completion offers the libraries to export to" $?

modulecmd=$(command -v modulecmd)
if [ -n "$modulecmd" ]; then
    MODULEPATH=$installed/share/allfold/modulefiles "$modulecmd" sh load allfold >"$scratch/log" 2>&1 &&
        (eval "$(cat "$scratch/log")" && [ "$ALLFOLD_ROOT" = "$installed" ] &&
            [ "$(command -v allfold)" = "$installed/bin/allfold" ])
    check "the environment module finds the installation" $?
else
    skip "the environment module" "environment-modules is not installed"
fi

# The core: an algorithm outside of the tree, built with what pkg-config says alone.
cp -r "$source/examples/own_algorithm" "$scratch/own"
own() {
    (cd "$scratch/own" && PKG_CONFIG_PATH=$installed/lib/pkgconfig "$@") >"$scratch/log" 2>&1
}
own make
check "examples/own_algorithm builds against the installed core" $?
own ./own_algorithm
check "its algorithm is right and its broken variant is not" $?
for line in '^there_and_back is proven for p = 2..64 by [0-9]+ runs$' '^round 6$' '^    1 -> 0   sends A 0-3$' \
    '^8 KiB on 16 nodes of 2 ranks: [0-9.]+ us$' '^allreduce.there_and_back, p = 3, 1 element:$' \
    "^  Rank 0's result misses the contribution of rank 0 "; do
    grep -qE "$line" "$scratch/log"
    check "it says: $line" $?
done
own readelf -d own_algorithm && grep -qF 'liballfold-core.so.' "$scratch/log"
check "it needs the shared core by its soname" $?
own cc -std=c11 own_algorithm.c -I"$installed/include" "$installed/lib/liballfold-core.a" -lm -o own_static &&
    own ./own_static && own readelf -d own_static && ! grep -qF allfold "$scratch/log"
check "it builds against the static core" $?
if command -v g++ >/dev/null; then
    echo '#include <allfold_core.h>' >"$scratch/own/core.cc"
    own g++ -std=c++11 -DALLFOLD_VERBS -Wall -Wextra -Werror -I"$installed/include" -fsyntax-only core.cc
    check "the header of the core is C++, too" $?
else
    skip "the header of the core in C++" "g++ is not installed"
fi
mkdir "$scratch/by_cmake"
cat >"$scratch/by_cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(own LANGUAGES C)
find_package(allfold 0.2 REQUIRED COMPONENTS core)
add_executable(own ../own/own_algorithm.c)
target_link_libraries(own PRIVATE allfold::core)
END
cmake -S "$scratch/by_cmake" -B "$scratch/by_cmake/build" -DCMAKE_PREFIX_PATH="$installed" >"$scratch/log" 2>&1 &&
    cmake --build "$scratch/by_cmake/build" >>"$scratch/log" 2>&1 &&
    "$scratch/by_cmake/build/own" >>"$scratch/log" 2>&1
check "it builds by find_package's component core" $?

cat >"$scratch/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(allfold 0.2 REQUIRED COMPONENTS ${mpi})
add_executable(user api.c)
target_link_libraries(user PRIVATE allfold::${mpi})
END
cat >"$scratch/api.c" <<'END'
#include <allfold.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, p, wrong = 0;
    long mine, sum = 0, most = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    mine = rank + 1;
    wrong |= allfold_allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= sum != (long)p * (p + 1) / 2;
    wrong |= allfold_reduce(&mine, &most, 1, MPI_LONG, MPI_MAX, p - 1, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= allfold_bcast(&most, 1, MPI_LONG, p - 1, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= most != p;
    long blocks[64], block = 0;
    wrong |= allfold_allgather(&mine, 1, MPI_LONG, blocks, 1, MPI_LONG, MPI_COMM_WORLD) != MPI_SUCCESS;
    for (int i = 0; i < p; i++)
        wrong |= blocks[i] != i + 1;
    wrong |= allfold_comm_set(MPI_COMM_WORLD, "ALLFOLD_ALGORITHM", "reduce_scatter_block=flat") != MPI_SUCCESS;
    wrong |= allfold_reduce_scatter_block(blocks, &block, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= block != (long)p * (rank + 1);
    wrong |= allfold_barrier(MPI_COMM_WORLD) != MPI_SUCCESS;
    if (rank == 0)
        printf("version %s, %s\n", allfold_version(), wrong ? "wrong" : "right");
    MPI_Finalize();
    return wrong;
}
END

# Allfold has all functions that this one calls, so some linkers leave the MPI library out.
cat >"$scratch/init.c" <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    int code = MPI_Init(&argc, &argv);
    return code != MPI_SUCCESS || MPI_Finalize() != MPI_SUCCESS;
}
END

for mpi in "$@"; do
    export PKG_CONFIG_PATH=$installed/lib/pkgconfig
    # shellcheck disable=SC2046
    "mpicc.$mpi" -Wl,--as-needed "$scratch/init.c" $(pkg-config --libs "allfold-$mpi") \
        -o "$scratch/init_$mpi" >"$scratch/log" 2>&1 &&
        "$source/scripts/launch" "$mpi" 2 "$scratch/init_$mpi" >"$scratch/log" 2>&1
    check "a program runs that calls MPI_Init and MPI_Finalize alone ($mpi)" $?
    "mpicc.$mpi" -Wl,--as-needed "$scratch/init.c" -L"$installed/lib/allfold" "-lallfold-$mpi" \
        -Wl,-rpath,"$installed/lib/allfold" -o "$scratch/init_$mpi" >"$scratch/log" 2>&1
    "$source/scripts/launch" "$mpi" 2 "$scratch/init_$mpi" >"$scratch/log" 2>&1
    grep -q '^allfold: .*linked without an MPI library.*--no-as-needed' "$scratch/log"
    check "one that lacks the MPI library says what to link ($mpi)" $?
    # shellcheck disable=SC2046
    "mpicc.$mpi" "$scratch/api.c" $(pkg-config --cflags --libs "allfold-$mpi") \
        -o "$scratch/api_$mpi" >"$scratch/log" 2>&1
    check "a program builds against allfold.h ($mpi)" $?
    ALLFOLD_REPORT=1 "$source/scripts/launch" "$mpi" 3 "$scratch/api_$mpi" >"$scratch/log" 2>&1 &&
        grep -q ', right$' "$scratch/log" && grep -qE '^reduce +3 ' "$scratch/log" &&
        grep -qE '^reduce_scatter_block +3 +24 .* flat +forced' "$scratch/log"
    check "a program that calls allfold.h computes right ($mpi)" $?
    cmake -S "$scratch" -B "$scratch/user_$mpi" -Dmpi="$mpi" -DCMAKE_PREFIX_PATH="$installed" \
        -DCMAKE_C_COMPILER="mpicc.$mpi" >"$scratch/log" 2>&1 &&
        cmake --build "$scratch/user_$mpi" >>"$scratch/log" 2>&1 &&
        "$source/scripts/launch" "$mpi" 3 "$scratch/user_$mpi/user" >>"$scratch/log" 2>&1 &&
        grep -q ', right$' "$scratch/log"
    check "a program builds by find_package, and computes right ($mpi)" $?
    "$source/scripts/launch" "$mpi" 3 "$installed/bin/allfold" run --report \
        "$build/bin/example_fem_$mpi" --steps 3 >"$scratch/log" 2>&1 &&
        grep -q 'result: passed' "$scratch/log" && grep -qE '^reduce +3 ' "$scratch/log"
    check "the installed command runs an unmodified program ($mpi)" $?
    "$source/scripts/launch" "$mpi" 3 "$installed/bin/allfold" info >"$scratch/log" 2>&1 &&
        grep -q '^Ranks: 3 on 1 node, 3 on each$' "$scratch/log"
    check "the installed command sees where ranks live ($mpi)" $?
    "$source/scripts/launch" "$mpi" 2 "$installed/bin/allfold" bench --bytes 8 --budget 0.1 \
        >"$scratch/log" 2>&1 && grep -qE '^ +8 . native ' "$scratch/log"
    check "the installed command measures ($mpi)" $?
    readelf -d "$installed/lib/allfold/liballfold-$mpi.so" >"$scratch/log" 2>&1 &&
        ! grep -qE 'NEEDED.*(hwloc|jansson)' "$scratch/log"
    check "the library brings no hwloc and no jansson into programs ($mpi)" $?
done

finish
