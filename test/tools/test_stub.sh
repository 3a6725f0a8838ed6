#!/bin/bash
# The preloaded library (src/stub): it finds the MPI library of a process, opens the build that fits, and
# passes calls through where none does. MPIs that are not installed are replaced by stand-ins.
# Usage: test_stub.sh BUILD_DIRECTORY SOURCE_DIRECTORY MPI...
set -u
build=$1 source=$2
mpis=" ${*:3} "
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=60
unset LD_PRELOAD "${!ALLFOLD_@}"
here=$source/test/tools
allfold=$build/bin/allfold
stub=$(readlink -f "$build/lib/allfold/liballfold-preload.so")
T=$scratch

# stand_in NAME HANDLE VERSION [OPTIONS...]: the library NAME and a program of it, $T/NAME/program
stand_in() {
    mkdir -p "$T/$1"
    gcc -shared -fPIC "-DHANDLE=$2" "-DVERSION=\"$3\"" "-Wl,-soname,$1" -o "$T/$1/$1" "$here/stand_in.c" "${@:4}" &&
        gcc "-DHANDLE=$2" -o "$T/$1/program" "$here/stand_in_program.c" "$T/$1/$1" \
            -Wl,-rpath,"$T/$1" -Wl,--allow-shlib-undefined || exit 1
}

# untouched NAME COMMAND...: the program prints each call twice, before and in it; nothing is served
untouched() {
    run "${@:2}"
    expect "$1: ends well" [ "$status" = 0 ]
    expect "$1: the call passes through untouched" \
        [ "$(grep -vx finalized "$T/out" | sort | uniq -c | awk '$1 != 2' | wc -l) $(wc -l <"$T/out")" = "0 ${lines:-3}" ]
}
# told NAME TEXT: it is the one line on stderr
told() {
    expect "$1: one line says so" [ "$(wc -l <"$T/err")" = 1 ]
    expect "$1: it names $2" said "$2"
}

# --- MPIs without a build: all passes through -------------------------------------------------------
stand_in libmpi_ibm.so.3 pointer 'Open MPI v4.1.1rc2, package: IBM Spectrum MPI'
stand_in libmpi.so.20 pointer 'Open MPI v2.1.6'
stand_in libmpi_mt.so int 'HPE MPT 2.23'
stand_in libmpitrampoline.so.5 pointer 'MPItrampoline'
stand_in libmpi.so.12 int 'Some MPI 7'
for library in libmpi_ibm.so.3 libmpi.so.20 libmpi_mt.so libmpitrampoline.so.5 libmpi.so.12; do
    untouched "$library" "$allfold" run "$T/$library/program"
    told "$library" "$T/$library/$library ("
    expect "$library: of an unknown ABI" said "has an unknown MPI ABI, so Allfold serves no call; expected Open MPI 3"
done
expect "the version is named, too" said "$T/libmpi.so.12/libmpi.so.12 (Some MPI 7)"
stand_in libmpi_abi.so.1 pointer 'MPICH Version: 5.0.1'
if [ ! -e "$build/lib/allfold/liballfold-abi.so" ]; then
    untouched libmpi_abi.so.1 "$allfold" run "$T/libmpi_abi.so.1/program"
    told libmpi_abi.so.1 "needs $build/lib/allfold/liballfold-abi.so, which is not installed"
fi
export OMPI_COMM_WORLD_RANK=1
quiet=yes
gives "only the first rank of a job says so" finalized -- "$allfold" run "$T/libmpi.so.20/program"
quiet=
unset OMPI_COMM_WORLD_RANK

program=$T/libmpi.so.20/program # arguments and first calls are alike for all
untouched "bound at the start" env LD_BIND_NOW=1 "$allfold" run "$program"
lines=5
untouched "arguments on the stack" "$allfold" run "$program" send
lines=3
untouched "arguments in vector registers" "$allfold" run "$program" control
run "$allfold" run "$program" lack
expect "a function that the MPI lacks returns errors" [ "$status $(head -1 "$T/out")" = "0 barrier fails" ]
expect "and one line says so" \
    [ "$(grep -c "^allfold: MPI_Barrier is called, but neither the MPI library $T/libmpi.so.20/libmpi.so.20 nor" "$T/err")" = 1 ]

# --- other tools --------------------------------------------------------------------------------------
# a tool after the stub, which is called by it
cat >"$T/layer.c" <<'C'
#include <stdarg.h>
#include <stdio.h>
int MPI_Pcontrol(const int level, ...)
{
    double last = 0;
    va_list arguments;
    va_start(arguments, level);
    for (int i = 0; i < level; i++)
        last = va_arg(arguments, double);
    va_end(arguments);
    return printf("layer %d %.2f\n", level, last) < 0;
}
C
gcc -shared -fPIC -o "$T/layer.so" "$T/layer.c" || exit 1
gives "a tool after the stub gets the arguments, too" "layer 8 8.75" finalized -- \
    env LD_PRELOAD="$T/layer.so" "$allfold" run "$program" control
# a tool before it, which calls the MPI library
cat >"$T/tool.c" <<'C'
int PMPI_Init(int *argc, char ***argv);
int PMPI_Finalize(void);
int PMPI_Allreduce(const void *, void *, int, void *, void *, void *);
int MPI_Init(int *argc, char ***argv) { return PMPI_Init(argc, argv); }
int MPI_Finalize(void) { return PMPI_Finalize(); }
int MPI_Allreduce(const void *in, void *out, int count, void *type, void *op, void *comm)
{
    return PMPI_Allreduce(in, out, count, type, op, comm);
}
C
gcc -shared -fPIC -o "$T/tool.so" "$T/tool.c" || exit 1
untouched "a tool before the stub that calls PMPI_ functions" env LD_PRELOAD="$T/tool.so:$stub" "$program"
told "a tool before the stub that calls PMPI_ functions" "no call of MPI came to Allfold"

# --- first calls at the same time ---------------------------------------------------------------------
cat >"$T/threads.c" <<'C'
#include <pthread.h>
int MPI_Pcontrol(const int level, ...);
static pthread_barrier_t barrier;
static void *call(void *unused)
{
    pthread_barrier_wait(&barrier);
    MPI_Pcontrol(2, 1.5, 2.5);
    return unused;
}
int main(void)
{
    pthread_t threads[4];
    pthread_barrier_init(&barrier, 0, 4);
    for (int i = 0; i < 4; i++)
        pthread_create(threads + i, 0, call, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
C
gcc -pthread -o "$T/threads" "$T/threads.c" "$T/libmpi.so.20/libmpi.so.20" -Wl,-rpath,"$T/libmpi.so.20" || exit 1
cat >"$T/threads.sh" <<'SH'
for ((i = 0; i < 50; i++)); do "$1" || echo "status $?"; done
SH
run "$allfold" run bash "$T/threads.sh" "$T/threads"
expect "threads call at the same time first: each call arrives" \
    [ "$(sort "$T/out" | uniq -c | sed 's/^ *//')" = "200 pcontrol 2 6.50" ]
expect "threads call at the same time first: one of them looks for the MPI" \
    [ "$(grep -c "unknown MPI ABI" "$T/err") $(wc -l <"$T/err")" = "50 50" ]

# --- processes without MPI ----------------------------------------------------------------------------
run "$allfold" run cat /proc/self/maps
expect "a process without MPI has the stub" grep -q liballfold-preload.so "$T/out"
expect "and no MPI and no build" [ "$(grep -cE 'libmpi|liballfold-(openmpi|mpich|abi)' "$T/out")" = 0 ]
quiet=yes
gives "and prints nothing" -- "$allfold" run true
quiet=
# spent LD_PRELOAD: milliseconds of processor time that 200 starts take
spent() {
    LD_PRELOAD=$1 bash -c 'TIMEFORMAT="%U %S"; time (for ((i = 0; i < 200; i++)); do /bin/true; done)' 2>&1 |
        awk '{ print int(1000 * ($1 + $2)) }'
}
without=1000000 with=1000000
for _ in 1 2 3 4 5 6 7; do
    now=$(spent "") && [ "$now" -ge "$without" ] || without=$now
    now=$(spent "$stub") && [ "$now" -ge "$with" ] || with=$now
done
echo "200 times /bin/true: $without ms of processor time, $with ms with the stub"
expect "the stub costs at most half of the least process" [ $((2 * with)) -le $((3 * without)) ]

# --- dlsym means what it means without the stub -------------------------------------------------------
# RTLD_NEXT means the library after its caller: these two call each other's inner function
for name in outer inner; do
    printf '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\nint level(void)\n{\n    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "level");\n    return next == NULL ? 1 : 1 + 2 * next();\n}\n' |
        gcc -shared -fPIC -o "$T/$name.so" -x c - || exit 1
done
printf '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\nint level(void);\nint main(void)\n{\n    printf("%%d %%d\\n", level(), dlsym(RTLD_DEFAULT, "level") == (void *)level && dlsym(RTLD_DEFAULT, "no_such") == NULL && dlerror() != NULL);\n    return 0;\n}\n' |
    gcc -o "$T/levels" -x c - -x none -Wl,--no-as-needed "$T/outer.so" "$T/inner.so" || exit 1
gives "RTLD_NEXT and RTLD_DEFAULT are the caller's" "3 1" -- env LD_PRELOAD="$stub" "$T/levels"

# --- programs of MPIs with a build --------------------------------------------------------------------
cat >"$T/sum.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    char line[4096];
    int rank, size, one = 1, sum = 0, libraries = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps) != NULL)
        libraries += strstr(line, "r-xp") != NULL && strstr(line, "/libmpi") != NULL;
    if (rank == 0)
        printf("%s, %d MPI libraries, child %d\n", sum == size ? "right" : "wrong", libraries, system("true"));
    return MPI_Finalize();
}
C
wanted="right, 1 MPI libraries, child 0"
# served NAME MPI RANKS COMMAND...: right, and the report has the calls
served() {
    rm -f "$T/report.csv"
    gives "$1: right" "$wanted" -- env ALLFOLD_ALGORITHM=allreduce=recursive_doubling ALLFOLD_REPORT="$T/report.csv" \
        "$source/scripts/launch" "$2" "$3" "${@:4}"
    expect "$1: served" grep -qE ",allreduce,$3,4,.*recursive_doubling.*forced" "$T/report.csv"
}
library_of() { # MPI: the file of its library
    ldd "$T/sum_$1" | sed -n 's/^\tlibmpi\(ch\)\?\.so\.[0-9]* => \(.*\) (0x.*/\2/p'
}
for mpi in $mpis; do
    if ! "mpicc.$mpi" -o "$T/sum_$mpi" "$T/sum.c" 2>"$T/err"; then
        skip "programs of $mpi" "its compiler wrapper is not installed"
        continue
    fi
    served "$mpi" "$mpi" 2 "$allfold" run "$T/sum_$mpi"
    served "$mpi behind a shell" "$mpi" 2 "$allfold" run bash -c 'true; "$0"' "$T/sum_$mpi"
    served "$mpi behind env" "$mpi" 2 "$allfold" run env LD_BIND_NOW=1 "$T/sum_$mpi"
    for named in openmpi mpich; do
        [ "$named" = "$mpi" ] || served "$mpi, another one named" "$mpi" 2 "$allfold" run --mpi $named "$T/sum_$mpi"
    done
    run "$source/scripts/launch" "$mpi" 2 "$allfold" run --mpi /etc/passwd "$T/sum_$mpi"
    expect "$mpi, --mpi with a file that is not loaded: one line says so" \
        [ "$(grep -c -- "--mpi is /etc/passwd, but the program has not loaded an MPI library from there" "$scratch/err")" = 1 ]
done

# The real library under the name that Intel MPI, MVAPICH and Cray MPICH have in common
include=$(mpicc.mpich -compile_info 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I//p')
if [ -x "$T/sum_mpich" ] && [ -n "$include" ]; then
    mkdir -p "$T/renamed"
    python3 -c 'import sys
data = open(sys.argv[1], "rb").read()
assert data.count(b"libmpich.so.12\0") == 1
open(sys.argv[2], "wb").write(data.replace(b"libmpich.so.12\0", b"libmpi.so.12\0\0\0"))' \
        "$(library_of mpich)" "$T/renamed/libmpi.so.12" || exit 1
    gcc -I"$include" -o "$T/renamed/sum" "$T/sum.c" "$T/renamed/libmpi.so.12" -Wl,-rpath,"$T/renamed" || exit 1
    for ranks in 2 3; do
        served "MPICH as libmpi.so.12, $ranks ranks" mpich "$ranks" "$allfold" run "$T/renamed/sum"
    done
    served "MPICH as libmpi.so.12 behind a shell" mpich 2 "$allfold" run bash -c 'true; "$0"' "$T/renamed/sum"
else
    skip "MPICH under another name" "there is no build for it, or its headers were not found"
fi

# --- programs that load their MPI themselves ------------------------------------------------------------
for mpi in $mpis; do
    [ -x "$T/sum_$mpi" ] || continue
    library=$(library_of "$mpi")
    # of MPI's headers alone: no library is linked
    gcc $("mpicc.$mpi" "$([ "$mpi" = openmpi ] && echo --showme:compile || echo -show)" | tr ' ' '\n' | grep '^-I') \
        -o "$T/late_$mpi" "$here/late_program.c" -Wl,--unresolved-symbols=ignore-all || exit 1
    wanted=right
    all_scoped="MPI_Init MPI_Finalize MPI_Allreduce"
    for scoped in "" MPI_Init "MPI_Init MPI_Finalize" MPI_Allreduce "$all_scoped"; do
        served "$mpi by dlsym, of the program's scope: '$scoped'" "$mpi" 2 "$allfold" run "$T/late_$mpi" "$library" $scoped
    done
    # in a file of another name, which only dlsym or --mpi shows
    ln -s "$library" "$T/vendor_$mpi.so"
    served "$mpi by dlsym, after a call of Allfold before it was loaded" "$mpi" 2 env EARLY=1 "$allfold" run \
        "$T/late_$mpi" "$library"
    served "$mpi by dlsym, in a file of another name" "$mpi" 2 "$allfold" run "$T/late_$mpi" "$T/vendor_$mpi.so"
    served "$mpi in a file named by --mpi" "$mpi" 2 "$allfold" run --mpi "$T/vendor_$mpi.so" "$T/late_$mpi" \
        "$T/vendor_$mpi.so" $all_scoped
    [ ! -e "$build/lib/allfold/liballfold-one-copy.so" ] ||
        gives "$mpi by dlsym beside a malloc of ours" right -- "$source/scripts/launch" "$mpi" 1 \
            "$allfold" run --one-copy "$T/late_$mpi" "$library"
done
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
    served ctypes openmpi 2 "$allfold" run python3 "$T/own.py"
    # another MPI library before it in the global scope, to which a build's references would lead
    sed -e 's/ mode=ctypes.RTLD_GLOBAL/ mode=ctypes.RTLD_LOCAL/' \
        -e "2i ctypes.CDLL('$T/libmpi.so.20/libmpi.so.20', mode=ctypes.RTLD_GLOBAL)" "$T/own.py" >"$T/second.py"
    gives "ctypes, after another MPI library" right -- "$source/scripts/launch" openmpi 2 "$allfold" run python3 "$T/second.py"
    expect "it names both libraries" said "loaded $T/libmpi.so.20/libmpi.so.20 (Open MPI v2.1.6) globally before it"
else
    skip "ctypes" "no python3 or no Open MPI"
fi

finish
