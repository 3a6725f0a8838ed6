#!/bin/bash
# Programs of MPIs that are not installed, by stand-ins. They show which MPI is recognized, that
# none gets a library that is not for it, and that an MPI with MPICH's ABI under another name is
# served.
# Usage: test_other_mpis.sh BUILD_DIRECTORY SOURCE_DIRECTORY MPI...
set -u
build=$1 source=$2
mpis=" ${*:3} "
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=60
unset LD_PRELOAD "${!ALLFOLD_@}"
here=$source/test/tools
allfold=$build/bin/allfold
T=$scratch

# stand_in NAME HANDLE VERSION [OPTIONS...]: the library NAME and a program of it, $T/NAME/program
stand_in() {
    mkdir -p "$T/$1"
    gcc -shared -fPIC "-DHANDLE=$2" "-DVERSION=\"$3\"" "-Wl,-soname,$1" -o "$T/$1/$1" "$here/stand_in.c" "${@:4}" &&
        gcc "-DHANDLE=$2" -o "$T/$1/program" "$here/stand_in_program.c" "$T/$1/$1" \
            -Wl,-rpath,"$T/$1" -Wl,--allow-shlib-undefined || exit 1
}

# --- MPIs without a build: nothing is preloaded -----------------------------------------------------
stand_in libmpi_abi.so.0 pointer 'MPICH Version: 5.0.1'
stand_in libmpi_abi.so.1 pointer 'Open MPI v6.0.0'
stand_in libmpi_ibm.so.3 pointer 'Open MPI v4.1.1rc2, package: IBM Spectrum MPI'
stand_in libmpi.so.20 pointer 'Open MPI v2.1.6'
stand_in libmpi_mt.so int 'HPE MPT 2.23'
stand_in libmpitrampoline.so.5 pointer 'MPItrampoline'
gcc -shared -fPIC -Wl,-soname,libopen-pal.so.13 -o "$T/libopen-pal.so.13" -x c /dev/null || exit 1
stand_in libmpi.so.12 pointer 'Open MPI v1.10.7' -Wl,--no-as-needed "$T/libopen-pal.so.13" -Wl,-rpath,"$T"
for one in "libmpi_abi.so.0=the MPI standard's own ABI" "libmpi_abi.so.1=the MPI standard's own ABI" \
    "libmpi_ibm.so.3=IBM Spectrum MPI" "libmpi.so.20=does not know" "libmpi_mt.so=HPE MPT" \
    "libmpitrampoline.so.5=MPItrampoline" "libmpi.so.12=Open MPI 1.10"; do
    library=${one%%=*}
    refuses "$library has no build" 2 "${one#*=}" "$library" "there is one for:" -DALLFOLD_MPICC= -- \
        "$allfold" run "$T/$library/program"
    [ "${mpis/ openmpi /}" = "$mpis" ] ||
        refuses "$library, another MPI named" 2 "--mpi openmpi" "$library" -- \
            "$allfold" run --mpi openmpi "$T/$library/program"
done

# --- a build made with such an MPI serves it ----------------------------------------------------------
mkdir -p "$T/tree/bin" "$T/tree/lib/allfold"
cp "$allfold" "$T/tree/bin/allfold"
printf '#include <unistd.h>\nint MPI_Finalize(void);\nvoid *uses = (void *)MPI_Finalize;\n__attribute__((constructor)) static void f(void)\n{\n    (void)!write(1, "PRELOADED\\n", 10);\n}\n' >"$T/tiny.c"
gcc -shared -fPIC -o "$T/tree/lib/allfold/liballfold-mpich.so" "$T/tiny.c" "$T/libmpi_abi.so.1/libmpi_abi.so.1" || exit 1
gives "a build made with libmpi_abi.so.1 serves it" PRELOADED finalized -- \
    "$T/tree/bin/allfold" run "$T/libmpi_abi.so.1/program"
gives "and --mpi list shows that" \
    "  mpich    built with the MPI standard's own ABI (libmpi_abi.so.1)" \
    "$T/libmpi_abi.so.1/program is linked to libmpi_abi.so.1, which is the library of the MPI standard's own ABI." \
    "It is served by $T/tree/lib/allfold/liballfold-mpich.so." -- \
    "$T/tree/bin/allfold" run --mpi list "$T/libmpi_abi.so.1/program"
refuses "libmpi_abi.so.0 is another" 2 "libmpi_abi.so.0" "mpich (libmpi_abi.so.1)" -- \
    "$T/tree/bin/allfold" run "$T/libmpi_abi.so.0/program"

# --- what there is ------------------------------------------------------------------------------------
run "$allfold" run --mpi list
expect "--mpi list alone is right" [ "$status" = 0 ]
for mpi in $mpis; do
    grep -qE "^  $mpi +built with .*\((libmpi|libmpich)\.so\.[0-9]+\)" "$T/out"
    check "--mpi list names the build for $mpi" $?
done
refuses "--mpi list of a program without MPI" 2 "no MPI" -- bash -c '"$@" >/dev/null' - \
    "$allfold" run --mpi list /bin/true
run "$allfold" run --mpi list "$T/libmpi_abi.so.0/program"
expect "--mpi list says what has no build" [ "$status" = 2 ]
expect "and what was found" grep -q "is linked to libmpi_abi.so.0, which is the library of the MPI standard's own ABI" "$T/out"

# --- MPICH's ABI under other names ------------------------------------------------------------------
if [[ $mpis == *" mpich "* ]] && [ -e "$build/lib/allfold/liballfold-mpich-abi.so" ]; then
    for library in libmpi.so.12 libmpi_gnu_91.so.12 libmpi_cray.so.12; do
        rm -rf "${T:?}/$library"
        stand_in "$library" int 'Some MPI 7'
        run "$allfold" run "$T/$library/program"
        expect "$library of an unknown version: right" [ "$status" = 0 ]
        expect "$library of an unknown version: the call passes through untouched" \
            [ "$(sort -u "$T/out" | wc -l)" = 2 ]
        expect "$library of an unknown version: that is said once" \
            [ "$(grep -c "uses .*$library (Some MPI 7), and liballfold-mpich-abi.so is not for this MPI" "$T/err")" = 1 ]
    done
    # the real library under the name that Intel MPI, MVAPICH and Cray MPICH have in common
    real=$(ldd "$build/lib/allfold/liballfold-mpich.so" | sed -n 's/^\tlibmpich.so.12 => \(.*\) (0x.*/\1/p')
    include=$(mpicc.mpich -compile_info 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I//p')
    if [ -n "$real" ] && [ -n "$include" ]; then
        mkdir -p "$T/renamed"
        python3 -c 'import sys
data = open(sys.argv[1], "rb").read()
assert data.count(b"libmpich.so.12\0") == 1
open(sys.argv[2], "wb").write(data.replace(b"libmpich.so.12\0", b"libmpi.so.12\0\0\0"))' "$real" "$T/renamed/libmpi.so.12" || exit 1
        cat >"$T/sum.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    char line[4096];
    int rank, size, one = 1, sum = 0, libraries = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps) != NULL)
        libraries += strstr(line, "r-xp") != NULL && strstr(line, "/libmpi") != NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s, %d MPI libraries, child %d\n", sum == size ? "right" : "wrong", libraries, system("true"));
    return MPI_Finalize();
}
C
        gcc -I"$include" -o "$T/renamed/sum" "$T/sum.c" "$T/renamed/libmpi.so.12" -Wl,-rpath,"$T/renamed" || exit 1
        wanted="right, 1 MPI libraries, child 0"
        for ranks in 1 2 3; do
            gives "libmpi.so.12 is served, $ranks ranks" "$wanted" -- \
                env ALLFOLD_ALLREDUCE=recursive_doubling "$source/scripts/launch" mpich "$ranks" \
                "$allfold" run --report="$T/report.csv" "$T/renamed/sum"
            [ "$ranks" = 1 ] || grep -qE ",allreduce,$ranks,.*recursive_doubling.*forced" "$T/report.csv"
            check "and the report says so, $ranks ranks" $?
        done
        gives "all of it bound at the start, in children without MPI too" "$wanted" -- \
            "$source/scripts/launch" mpich 2 env LD_BIND_NOW=1 "$allfold" run "$T/renamed/sum"
        gives "behind a shell, our own MPI makes way for the program's" "$wanted" -- \
            "$source/scripts/launch" mpich 2 "$allfold" run --mpi mpich --report="$T/report.csv" \
            bash -c 'true; "$0"' "$T/renamed/sum"
        expect "and the program is served" grep -q ",allreduce,2,4," "$T/report.csv"
    else
        skip "MPICH under another name" "its library or headers were not found"
    fi
else
    skip "MPICH's ABI under other names" "there is no build for it"
fi

# --- the wrong MPI named, and a shell between -----------------------------------------------------------
if [[ $mpis == *" openmpi "* && $mpis == *" mpich "* ]]; then
    for pair in "openmpi mpich" "mpich openmpi"; do
        read -r named used <<<"$pair"
        "mpicc.$used" -o "$T/sum_$used" "$T/sum.c" || exit 1
        gives "--mpi $named and a shell before a program of $used: it runs without Allfold" \
            "right, 1 MPI libraries, child 0" -- \
            "$source/scripts/launch" "$used" 2 "$allfold" run --mpi "$named" bash -c 'true; "$0"' "$T/sum_$used"
        expect "and that is said once" [ "$(grep -c "allfold: sum_$used uses .*starts again without" "$T/err")" = 1 ]
        gives "LD_PRELOAD of $named by hand" "right, 1 MPI libraries, child 0" -- \
            env LD_PRELOAD="$build/lib/allfold/liballfold-$named.so" "$T/sum_$used"
        gives "the right MPI named, and a shell" "right, 1 MPI libraries, child 0" -- \
            "$source/scripts/launch" "$used" 2 "$allfold" run --mpi "$used" --report="$T/report.csv" \
            bash -c 'true; "$0"' "$T/sum_$used"
        expect "is served" grep -q ",allreduce,2,4," "$T/report.csv"
    done
else
    skip "the wrong MPI" "there are not two"
fi

# --- programs that load their MPI themselves ------------------------------------------------------------
if [ -e "$build/lib/allfold/liballfold-own-handle.so" ]; then
    for mpi in $mpis; do
        library=$(ldd "$build/lib/allfold/liballfold-$mpi.so" | sed -n 's/^\tlibmpi\(ch\)\?\.so\.[0-9]* => \(.*\) (0x.*/\2/p')
        if ! type -P "mpicc.$mpi" >/dev/null || [ -z "$library" ]; then
            skip "programs that load $mpi" "its compiler wrapper or library was not found"
            continue
        fi
        # of MPI's headers alone: no library is linked
        gcc $("mpicc.$mpi" "$([ "$mpi" = openmpi ] && echo --showme:compile || echo -show)" | tr ' ' '\n' | grep '^-I') \
            -o "$T/late_$mpi" "$here/late_program.c" -Wl,--unresolved-symbols=ignore-all || exit 1
        for scoped in "" MPI_Init "MPI_Init MPI_Finalize" MPI_Allreduce; do
            rm -f "$T/report.csv"
            run "$source/scripts/launch" "$mpi" 2 "$allfold" run --mpi "$mpi" --report="$T/report.csv" \
                "$T/late_$mpi" "$library" $scoped
            expect "$mpi, by dlsym, of the program's scope: '$scoped'" [ "$status $out" = "0 right" ]
            expect "and it is served" grep -qE ",allreduce,2,4,[0-9]+,10," "$T/report.csv"
        done
        gives "$mpi by dlsym beside a malloc of ours" right -- "$source/scripts/launch" "$mpi" 1 \
            "$allfold" run --mpi "$mpi" --one-copy "$T/late_$mpi" "$library"
    done
    # With the wrong MPI named, a program keeps the functions of the MPI that it loads.
    for pair in "openmpi mpich" "mpich openmpi"; do
        read -r named used <<<"$pair"
        [ -x "$T/late_$used" ] && [[ $mpis == *" $named "* ]] || continue
        library=$(ldd "$build/lib/allfold/liballfold-$used.so" | sed -n 's/^\tlibmpi\(ch\)\?\.so\.[0-9]* => \(.*\) (0x.*/\2/p')
        gives "$used loaded, but $named was named: right" right -- \
            "$source/scripts/launch" "$used" 2 "$allfold" run --mpi "$named" "$T/late_$used" "$library"
        expect "and said once" [ "$(grep -c "has loaded .*$(basename "$library").*name the program's own" "$T/err")" = 1 ]
    done
    # RTLD_NEXT means the library after its caller: these two call each other's inner function
    for name in outer inner; do
        printf '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\nint level(void)\n{\n    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "level");\n    return next == NULL ? 1 : 1 + 2 * next();\n}\n' |
            gcc -shared -fPIC -o "$T/$name.so" -x c - || exit 1
    done
    printf '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\nint level(void);\nint main(void)\n{\n    printf("%%d %%d\\n", level(), dlsym(RTLD_DEFAULT, "level") == (void *)level && dlsym(RTLD_DEFAULT, "no_such") == NULL && dlerror() != NULL);\n    return 0;\n}\n' |
        gcc -o "$T/levels" -x c - -x none -Wl,--no-as-needed "$T/outer.so" "$T/inner.so" || exit 1
    gives "RTLD_NEXT and RTLD_DEFAULT are the caller's" "3 1" -- \
        env LD_PRELOAD="$build/lib/allfold/liballfold-own-handle.so" "$T/levels"
    if [[ $mpis == *" openmpi "* ]] && type -P python3 >/dev/null; then
        cat >"$T/own.py" <<'PY'
import ctypes
mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
address = lambda name: ctypes.addressof(ctypes.c_char.in_dll(mpi, name))
world, kind, op = (ctypes.c_void_p(address("ompi_mpi_" + n)) for n in ("comm_world", "int", "op_sum"))
mpi.MPI_Init(None, None)
size, one, total = ctypes.c_int(), ctypes.c_int(1), ctypes.c_int()
mpi.MPI_Comm_size(world, ctypes.byref(size))
for i in range(10):
    mpi.MPI_Allreduce(ctypes.byref(one), ctypes.byref(total), 1, kind, op, world)
rank = ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
if rank.value == 0:
    print("right" if total.value == size.value else "wrong")
mpi.MPI_Finalize()
PY
        rm -f "$T/report.csv"
        run "$source/scripts/launch" openmpi 2 "$allfold" run --mpi openmpi --report="$T/report.csv" python3 "$T/own.py"
        expect "ctypes is right" [ "$status $out" = "0 right" ]
        expect "and served" grep -qE ",allreduce,2,4,[0-9]+,10," "$T/report.csv"
    else
        skip "ctypes" "no python3 or no Open MPI"
    fi
else
    skip "programs that load their MPI themselves" "there is no library for them in builds with sanitizers"
fi

finish
