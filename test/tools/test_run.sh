#!/bin/bash
# Tests of `allfold run`: test_run.sh PATH_OF_ALLFOLD
#
# The binary is copied into a bin/lib tree with tiny preload libraries that say so when they are
# loaded. Nothing outside of a temporary directory is written.
set -u
export LC_ALL=C ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
unset LD_PRELOAD "${!ALLFOLD_@}" "${!OMPI_@}" "${!PMI_@}" "${!SLURM_@}"

[ $# -eq 1 ] && [ -x "$1" ] || { echo "usage: $0 PATH_OF_ALLFOLD" >&2; exit 2; }
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=60
T=$scratch
chmod 755 "$T"

have() { type -P "$1" >/dev/null; }

# --- the tree, the preload libraries, the programs ------------------------------------------------
mkdir -p "$T/tree/bin" "$T/tree/lib/allfold" "$T/bare/bin" "$T/bare/lib/allfold" "$T/p/lib"
cp "$1" "$T/tree/bin/allfold" && cp "$1" "$T/bare/bin/allfold" || exit 2
A=$T/tree/bin/allfold L=$T/tree/lib/allfold
tiny_library() { # FILE WORD [OPTIONS...]
    printf '#include <unistd.h>\n__attribute__((constructor)) static void f(void)\n{\n    const long done = write(1, "%s\\n", %d);\n    (void)done;\n}\n' \
        "$2" $((${#2} + 1)) >"$T/tiny.c"
    gcc -shared -fPIC "${@:3}" -o "$1" "$T/tiny.c" || exit 2
}
tiny_library "$L/liballfold-openmpi.so" "PRELOADED openmpi"
tiny_library "$L/liballfold-mpich.so" "PRELOADED mpich"
tiny_library "$T/p/libother.so" OTHER
mkdir "$T/fake"
tiny_library "$T/fake/libmpich.so.12" FAKE -Wl,-soname,libmpich.so.12
tiny_library "$T/fake/libmpi.so.40" FAKE -Wl,-soname,libmpi.so.40
mkdir "$T/beneath"
tiny_library "$T/beneath/libabsent.so" ABSENT
tiny_library "$T/beneath/libmpich.so.12" FAKE -Wl,-soname,libmpich.so.12,--no-as-needed -L"$T/beneath" -labsent
tiny_library "$T/beneath/libmpi.so.40" FAKE -Wl,-soname,libmpi.so.40,--no-as-needed -L"$T/beneath" -labsent
rm "$T/beneath/libabsent.so"

cat >"$T/show.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include USE
int main(int argc, char **argv)
{
    const char *names[] = {"LD_PRELOAD", "ALLFOLD_REPORT", "ALLFOLD_REPORT_COMPARE", "ALLFOLD_COMPARE_BITS",
                           "ALLFOLD_REPORT_SITES", "ALLFOLD_TRACE", "ALLFOLD_VERBOSE"};
    int files = 0;
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children); /* those of allfold, too, whose process this is */
    FILE *runs = getenv("RUNS") ? fopen(getenv("RUNS"), "a") : NULL;
    if (runs)
        fputs("run\n", runs), fclose(runs);
    for (int i = 0; i < argc; i++)
        printf("argv[%d]=[%s]\n", i, argv[i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        printf("%s=[%s]\n", names[i], getenv(names[i]) ? getenv(names[i]) : "unset");
    for (int i = 3; i < 64; i++)
        files += fcntl(i, F_GETFD) >= 0;
    printf("files=%d\nchildren=%s\n", files, children.ru_minflt == 0 ? "none" : "some");
    return CALL;
}
C
printf '#include <mpi.h>\n' >"$T/use_mpi.h"
printf 'int mine(void);\n' >"$T/use_mine.h"
printf '\n' >"$T/use_none.h"
printf '#include <mpi.h>\nint NAME(void)\n{\n    int yes = 0;\n    return MPI_Initialized(&yes) + yes;\n}\n' >"$T/mine.c"
cat >"$T/ranks.c" <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("size=%d\n", size);
    return MPI_Finalize();
}
C
P=$T/p
gcc -DUSE='"use_none.h"' -DCALL=0 -o "$P/plain" "$T/show.c" || exit 2
for mpi in openmpi mpich; do
    have mpicc.$mpi || continue
    mpicc.$mpi -DUSE='"use_mpi.h"' '-DCALL=MPI_Initialized(&files)' -o "$P/show_$mpi" "$T/show.c" &&
        mpicc.$mpi -o "$P/ranks_$mpi" "$T/ranks.c" &&
        mpicc.$mpi -shared -fPIC -DNAME=mine_$mpi -o "$P/lib/libmine_$mpi.so" "$T/mine.c" &&
        gcc -Dmine=mine_$mpi -DUSE='"use_mine.h"' '-DCALL=mine()' -o "$P/deep_$mpi" "$T/show.c" \
            -L"$P/lib" -lmine_$mpi -Wl,--allow-shlib-undefined '-Wl,-rpath,$ORIGIN/lib' &&
        mkdir -p "$T/alone" && cp "$P/deep_$mpi" "$T/alone/" || exit 2
done

# --- the command itself ---------------------------------------------------------------------------
gives "help lists run" -- "$A" --help
[[ $out == *"  run "* ]] && ok "help has a line for run" || bad "help has a line for run" "no"
gives "help run shows the options" -- "$A" help run
[[ $out == *--report*--verbose* ]] && ok "help run names options" || bad "help run names options" "no"
gives "version" -- "$A" --version
[[ $out =~ ^allfold\ [0-9]+\.[0-9]+\.[0-9]+$ ]] && ok "version is one" || bad "version is one" "$out"
refuses "unknown command" 2 "'rnu'" " run" -- "$A" rnu
refuses "unknown command to explain" 2 "'rnu'" " run" -- "$A" help rnu
refuses "a command whose program is not there" 2 "$L/allfold-commands cannot be run" -- "$A" list
refuses "no command" 2 run -- "$A"
refuses "run without a program" 2 "no program" -- "$A" run
refuses "unknown option" 2 "--bogus" -- "$A" run --bogus "$P/plain"
refuses "report to no file" 2 "file name" -- "$A" run --report= "$P/plain"
refuses "trace to no file" 2 "file name" -- "$A" run --trace= "$P/plain"
refuses "report to a file called 1" 2 "./1" -- "$A" run --report=1 "$P/plain"
refuses "unknown MPI" 2 "--mpi lam" openmpi mpich smpi -- "$A" run --mpi lam "$P/plain"
refuses "unknown MPI in ALLFOLD_MPI" 2 "ALLFOLD_MPI=lam" -- env ALLFOLD_MPI=lam "$A" run "$P/plain"

# --- programs that cannot be served ---------------------------------------------------------------
refuses "no such file" 127 "$P/nothing" "not found" -- "$A" run "$P/nothing"
refuses "no such command" 127 "no_such_cmd" "PATH" -- "$A" run no_such_cmd
refuses "empty name" 127 "''" -- "$A" run ""
refuses "directory" 126 "$P" "irectory" -- "$A" run "$P"
cp "$P/plain" "$P/not_executable" && chmod 644 "$P/not_executable"
refuses "not executable" 126 "$P/not_executable" -- "$A" run "$P/not_executable"
refuses "not executable, on PATH" 126 "not_executable" -- env PATH="$P:$PATH" "$A" run not_executable
refuses "linked to no MPI" 2 "$P/plain" "no MPI" --mpi ALLFOLD_MPI -- "$A" run "$P/plain"
if gcc -static -DUSE='"use_none.h"' -DCALL=0 -o "$P/static" "$T/show.c" 2>"$T/err"; then
    refuses "static" 2 "$P/static" static -- "$A" run "$P/static"
    refuses "static, even with --mpi" 2 "static" -- "$A" run --mpi openmpi "$P/static"
    gcc -static-pie -DUSE='"use_none.h"' -DCALL=0 -o "$P/static_pie" "$T/show.c"
    refuses "static and relocatable" 2 static -- "$A" run "$P/static_pie"
else
    skip "static" "gcc -static does not work here"
fi
cp "$P/libother.so" "$P/library_x" && chmod 755 "$P/library_x"
refuses "shared library" 126 "shared library" -- "$A" run "$P/library_x"
printf 'hello\n' >"$P/text" && chmod 755 "$P/text"
refuses "neither ELF nor script" 126 "$P/text" ELF -- "$A" run "$P/text"
: >"$P/empty" && chmod 755 "$P/empty"
refuses "empty file" 126 "$P/empty" empty -- "$A" run "$P/empty"
printf '#! /bin/sh -e\nexec "$@"\n' >"$P/script" && chmod 755 "$P/script"
refuses "script" 2 "$P/script" script /bin/sh --mpi -- "$A" run "$P/script"
printf '#!/usr/bin/env -S X=1 sh -e\nexec "$@"\n' >"$P/env_script" && chmod 755 "$P/env_script"
refuses "script through env" 2 "script" "$(type -P sh)" -- "$A" run "$P/env_script"
printf '#!/no/such/interpreter\n' >"$P/orphan" && chmod 755 "$P/orphan"
refuses "script without interpreter" 2 "/no/such/interpreter" -- "$A" run "$P/orphan"
printf '#!' >"$P/bang" && chmod 755 "$P/bang"
refuses "two bytes of a script" 126 "$P/bang" -- "$A" run "$P/bang"
printf '#!%0300d' 0 >"$P/long_bang" && chmod 755 "$P/long_bang"
refuses "script with an endless first line" 2 script -- "$A" run "$P/long_bang"
mkdir "$P/launch" && cp "$P/plain" "$P/launch/mpirun.some"
refuses "launcher behind allfold" 2 "mpirun -n 4 allfold run" -- "$A" run "$P/launch/mpirun.some"
cp "$P/plain" "$P/launch/srundown"
refuses "a name that only begins like a launcher" 2 "no MPI" -- "$A" run "$P/launch/srundown"
forge() { # FILE OFFSET BYTE
    cp "$P/plain" "$1" && printf "\\x$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
forge "$P/bits32" 4 01
refuses "32-bit program" 126 "$P/bits32" "32-bit" -- "$A" run "$P/bits32"
refuses "32-bit program, even with --mpi" 126 "32-bit" -- "$A" run --mpi mpich "$P/bits32"
forge "$P/machine" 18 f3
refuses "other machine" 126 "$P/machine" 243 -- "$A" run "$P/machine"
forge "$P/object" 16 01
refuses "ELF that is no program" 126 "type 1" -- "$A" run "$P/object"
sed 's,/lib64/ld-linux,/lib64/xx-linux,' "$P/plain" >"$P/no_loader" && chmod 755 "$P/no_loader"
refuses "loader does not exist" 2 "/lib64/xx-linux" -- "$A" run "$P/no_loader"
if [ "$(id -u)" -eq 0 ] && have setpriv; then
    cp "$P/plain" "$P/unreadable" && chmod 711 "$P/unreadable"
    refuses "unreadable" 126 "$P/unreadable" "ermission denied" -- \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$A" run "$P/unreadable"
    gives "unreadable, but with --mpi" "PRELOADED mpich" -- \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$A" run --mpi mpich "$P/unreadable"
else
    skip "unreadable" "needs root and setpriv to become somebody else"
fi

# --- hostile files: no preload library in this tree, so none of them is ever started --------------
B=$T/bare/bin/allfold
hostile() { # NAME FILE: refused with a message, and nothing crashes or hangs
    run timeout 10 "$B" run "$2"
    [[ ($status -eq 2 || $status -eq 126) && -z $out && $err == "allfold run: "* ]] && return
    bad "$1" "status $status"
    return 1
}
size=$(stat -c %s "$P/plain") fine=1
loaded=0 # what is behind the last loaded byte may go
while read -r offset bytes; do
    [ $((offset + bytes)) -le $loaded ] || loaded=$((offset + bytes))
done < <(readelf -lW "$P/plain" | awk '$1 == "LOAD" { print $2, $5 }')
[ $loaded -gt 8192 ] || bad "loaded part of a program" "$loaded bytes"
for length in {1..140} 200 400 600 800 {1000..4000..500} $(seq 4096 512 "$size") $((loaded - 1)); do
    [ "$length" -lt "$size" ] || continue
    head -c "$length" "$P/plain" >"$P/cut" && chmod 755 "$P/cut"
    hostile "truncated to $length bytes" "$P/cut" || { fine=0; break; }
    [[ $length -lt 20 || $length -ge $loaded || $err == *"it ends"* ]] && continue
    bad "truncated to $length bytes" "not recognised"
    fine=0
    break
done
[ $fine -eq 1 ] && ok "truncated at many lengths"
RANDOM=42 fine=1
for i in {1..250}; do
    cp "$P/plain" "$P/changed"
    for _ in 1 2 3; do
        printf "\\x$(printf %x $((RANDOM % 256)))" |
            dd of="$P/changed" bs=1 seek=$((16 + RANDOM % 900)) conv=notrunc status=none
    done
    hostile "changed bytes, number $i" "$P/changed" || { fine=0; break; }
done
[ $fine -eq 1 ] && ok "changed bytes in the headers"
for field in "32 e_phoff" "40 e_shoff" "54 e_phentsize" "56 e_phnum"; do
    cp "$P/plain" "$P/changed"
    printf '\xff\xff' | dd of="$P/changed" bs=1 seek=${field% *} conv=notrunc status=none
    [ "${field% *}" -gt 50 ] ||
        printf '\xff\xff\xff\xff\xff\xff\xff\xff' |
        dd of="$P/changed" bs=1 seek=${field% *} conv=notrunc status=none
    hostile "largest ${field#* }" "$P/changed" && ok "largest ${field#* }"
done

# A library of any bytes: the message may be any, too, but nothing crashes.
fine=1
[ -x "$P/deep_openmpi" ] || fine=2
for i in {1..60}; do
    [ $fine -eq 1 ] || break
    mkdir -p "$T/odd" && cp "$P/lib/libmine_openmpi.so" "$T/odd/"
    for _ in 1 2 3; do
        printf "\\x$(printf %x $((RANDOM % 256)))" | dd of="$T/odd/libmine_openmpi.so" bs=1 \
            seek=$((16 + RANDOM % 900)) conv=notrunc status=none
    done
    run timeout 10 env LD_LIBRARY_PATH="$T/odd" "$B" run "$T/alone/deep_openmpi"
    [ "$status" -eq 2 ] && [[ $err == "allfold run: "* ]] && continue
    bad "changed bytes in a library, number $i" "status $status"
    fine=0
done
[ $fine -eq 1 ] && ok "changed bytes in a library"

# --- programs that can ----------------------------------------------------------------------------
served() { # MPI OTHER: everything that needs only one MPI
    local mpi=$1 other=$2 show=$P/show_$1 before after
    gives "$mpi program" "PRELOADED $mpi" "!PRELOADED $other" "LD_PRELOAD=[$L/liballfold-$mpi.so]" \
        "ALLFOLD_REPORT=[unset]" "ALLFOLD_REPORT_COMPARE=[unset]" "ALLFOLD_VERBOSE=[unset]" -- \
        "$A" run "$show"
    gives "$mpi arguments verbatim" "argv[0]=[$show]" "argv[1]=[--report=x]" "argv[2]=[a b  c]" \
        "argv[3]=[]" "argv[4]=[--]" "argv[5]=[-v]" 'argv[6]=[$HOME *]' "ALLFOLD_REPORT=[unset]" \
        "!argv[7]=[]" -- "$A" run "$show" --report=x "a b  c" "" -- -v '$HOME *'
    gives "$mpi options end at --" "argv[0]=[$show]" "PRELOADED $mpi" -- "$A" run -v -- "$show"
    gives "$mpi found on PATH, argv[0] as typed" "argv[0]=[show_$mpi]" "PRELOADED $mpi" -- \
        env PATH="/no/such:$P/lib:$P:$PATH" "$A" run "show_$mpi"
    gives "$mpi --report" "ALLFOLD_REPORT=[1]" "ALLFOLD_REPORT_COMPARE=[unset]" -- \
        "$A" run --report "$show"
    gives "$mpi --report=FILE" "ALLFOLD_REPORT=[a b.csv]" -- "$A" run "--report=a b.csv" "$show"
    gives "$mpi --compare-bits" "ALLFOLD_REPORT=[1]" "ALLFOLD_COMPARE_BITS=[1]" "ALLFOLD_REPORT_COMPARE=[unset]" -- \
        "$A" run --compare-bits "$show"
    gives "$mpi --sites" "ALLFOLD_REPORT=[1]" "ALLFOLD_REPORT_SITES=[1]" -- "$A" run --sites "$show"
    gives "$mpi --compare" "ALLFOLD_REPORT=[1]" "ALLFOLD_REPORT_COMPARE=[1]" -- \
        "$A" run --compare "$show"
    gives "$mpi --compare keeps a report file" "ALLFOLD_REPORT=[f.json]" \
        "ALLFOLD_REPORT_COMPARE=[1]" -- env ALLFOLD_REPORT=f.json "$A" run --compare "$show"
    gives "$mpi --compare beats ALLFOLD_REPORT=0" "ALLFOLD_REPORT=[1]" -- \
        env ALLFOLD_REPORT=0 "$A" run --compare "$show"
    gives "$mpi --trace=FILE" "ALLFOLD_TRACE=[a b]" "ALLFOLD_REPORT=[unset]" -- "$A" run "--trace=a b" "$show"
    gives "$mpi --verbose" "ALLFOLD_VERBOSE=[1]" "ALLFOLD_REPORT=[unset]" -- \
        "$A" run --verbose "$show"
    rm -f "$T/runs"
    gives "$mpi started" -- env RUNS="$T/runs" "$A" run "$show"
    [ "$(wc -l <"$T/runs")" -eq 1 ] && ok "$mpi looked at without running" ||
        bad "$mpi looked at without running" "$(wc -l <"$T/runs") runs"
    before=$("$show" | grep ^files=) after=$("$A" run "$show" | grep ^files=)
    [ "$before" = "$after" ] && ok "$mpi no file left open" || bad "$mpi no file left open" "$after"
    gives "$mpi looked at without another process" "children=none" -- "$A" run "$show"
    gives "$mpi through an own library" "PRELOADED $mpi" "!PRELOADED $other" "children=none" -- \
        "$A" run "$P/deep_$mpi"
    mkdir -p "$T/links" && ln -sf "$P/deep_$mpi" "$T/links/deep_$mpi"
    gives "$mpi through \$ORIGIN and a symbolic link" "PRELOADED $mpi" -- \
        "$A" run "$T/links/deep_$mpi"
    gives "$mpi found without looking beneath it" "It is served by $L/liballfold-$mpi.so." -- \
        env LD_LIBRARY_PATH="$T/beneath" "$A" run --mpi list "$show"
    refuses "$mpi library missing" 2 "not found: libmine_$mpi.so;" -- "$A" run "$T/alone/deep_$mpi"
    searches "$mpi"
    gives "$mpi library in LD_LIBRARY_PATH" "PRELOADED $mpi" -- \
        env LD_LIBRARY_PATH="$P/lib" "$A" run "$T/alone/deep_$mpi"
    refuses "$mpi program, other MPI named" 2 "--mpi $other" "$show" -- "$A" run --mpi "$other" "$show"
    refuses "$mpi program, other MPI in ALLFOLD_MPI" 2 "ALLFOLD_MPI=$other" -- \
        env ALLFOLD_MPI="$other" "$A" run "$show"
    gives "$mpi --mpi wins over ALLFOLD_MPI" "PRELOADED $mpi" -- \
        env ALLFOLD_MPI="$other" "$A" run --mpi "$mpi" "$show"
    gives "$mpi empty ALLFOLD_MPI" "PRELOADED $mpi" -- env ALLFOLD_MPI= "$A" run "$show"
    gives "$mpi ALLFOLD_MPI for a script" "PRELOADED $mpi" "!PRELOADED $other" -- \
        env ALLFOLD_MPI="$mpi" "$A" run "$P/script" true
    preloads "$mpi" "$show" "$other"
    launchers "$mpi" "$other" "$show"
}

searches() { # MPI: where a library may be, and that the loader is asked where reading is not enough
    local mpi=$1 place=$T/searches_$1
    mkdir -p "$place/lib/glibc-hwcaps" "$place/rpath"
    cp "$P/lib/libmine_$mpi.so" "$place/lib/" && cp "$P/lib/libmine_$mpi.so" "$place/rpath/"
    gcc -Dmine=mine_$mpi -DUSE='"use_mine.h"' '-DCALL=mine()' -o "$place/old" "$T/show.c" \
        -L"$P/lib" -lmine_$mpi -Wl,--allow-shlib-undefined "-Wl,--disable-new-dtags,-rpath,\${ORIGIN}/rpath" || exit 2
    gives "$mpi by DT_RPATH" "PRELOADED $mpi" "children=none" -- "$A" run "$place/old"
    gives "$mpi by LD_LIBRARY_PATH, read" "PRELOADED $mpi" "children=none" -- \
        env LD_LIBRARY_PATH="/no/such;$P/lib" "$A" run "$T/alone/deep_$mpi"
    gives "$mpi where a processor may have libraries of its own" "PRELOADED $mpi" "children=some" -- \
        env LD_LIBRARY_PATH="$place/lib" "$A" run "$T/alone/deep_$mpi"
    gives "$mpi where a search path has words of the loader's" "PRELOADED $mpi" "children=some" -- \
        env LD_LIBRARY_PATH="/no/such/\$LIB:$P/lib" "$A" run "$T/alone/deep_$mpi"
}

preloads() { # MPI SHOW OTHER
    local ours=$L/liballfold-$1.so theirs=$P/libother.so
    local -A fake=([openmpi]=libmpi.so.40 [mpich]=libmpich.so.12)
    gives "$1 LD_PRELOAD kept" OTHER "PRELOADED $1" "LD_PRELOAD=[$ours:$theirs]" -- \
        env LD_PRELOAD="$theirs" "$A" run "$2"
    gives "$1 LD_PRELOAD with blanks kept" "LD_PRELOAD=[$ours:$theirs $theirs]" -- \
        env LD_PRELOAD="$theirs $theirs" "$A" run "$2"
    gives "$1 not preloaded twice" "LD_PRELOAD=[$theirs:$ours]" "PRELOADED $1" -- \
        env LD_PRELOAD="$theirs:$ours" "$A" run "$2"
    gives "$1 longer path in LD_PRELOAD is another" "LD_PRELOAD=[$ours:/x$ours]" "PRELOADED $1" -- \
        env LD_PRELOAD="/x$ours" "$A" run "$2"
    gives "$1 LD_PRELOAD does not hide the MPI" "PRELOADED $1" -- \
        env LD_PRELOAD="$T/fake/${fake[$3]}" "$A" run "$2"
    gives "$1 LD_VERBOSE does not matter" "PRELOADED $1" -- env LD_VERBOSE=1 "$A" run "$2"
    gives "$1 called through a symbolic link" "PRELOADED $1" -- "$T/links/allfold" run "$2"
    refuses "$1 preload library missing" 2 "$T/bare/lib/allfold/liballfold-$1.so" none -- \
        "$B" run "$2"
    refuses "$1 install path with a blank" 2 "$T/with blank" "blank" -- \
        "$T/with blank/bin/allfold" run "$2"
    refuses "$1 install path with a colon" 2 "$T/with:colon" "colon" -- \
        "$T/with:colon/bin/allfold" run "$2"
    gives "$1 SIGCHLD ignored" "PRELOADED $1" -- /usr/bin/python3 -c \
        'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])' \
        "$A" run "$2"
    bash -c 'exec "$@" >&-' - env RUNS="$T/closed_$1" "$A" run "$2" 2>"$T/err"
    [ -s "$T/closed_$1" ] && ok "$1 stdout closed" || bad "$1 stdout closed" "the program did not run"
}

launchers() { # MPI OTHER SHOW
    local -A size=([openmpi]=OMPI_COMM_WORLD_SIZE [mpich]=PMI_SIZE)
    local -A rank=([openmpi]=OMPI_COMM_WORLD_RANK [mpich]=PMI_RANK)
    run env "${size[$2]}=4" "$A" run "$3"
    [[ $status -eq 0 && $err == *warning*alone* && $out == *"PRELOADED $1"* ]] &&
        ok "$1 under the launcher of $2" || bad "$1 under the launcher of $2" "no warning"
    quiet "$1 under its own launcher" env "${size[$1]}=4" "$A" run "$3"
    quiet "$1 under no launcher" "$A" run "$3"
    quiet "$1 warning from one rank only" env "${size[$2]}=4" "${rank[$2]}=2" "$A" run "$3"
    quiet "$1 alone under the launcher of $2" env "${size[$2]}=1" "$A" run "$3"
    [ "$1" = mpich ] || quiet "$1 under Slurm" env PMI_SIZE=4 SLURM_PROCID=0 "$A" run "$3"
}

quiet() { # NAME COMMAND...: works and says nothing of its own
    run "${@:2}"
    [[ $status -eq 0 && $err != *allfold* ]] && ok "$1" || bad "$1" "status $status, or not quiet"
}

mkdir -p "$T/links" && ln -s "$A" "$T/links/allfold"
cp -r "$T/tree" "$T/with blank" && cp -r "$T/tree" "$T/with:colon"
for mpi in openmpi mpich; do
    other=mpich
    [ $mpi = mpich ] && other=openmpi
    if [ -x "$P/show_$mpi" ]; then served $mpi $other; else skip "$mpi programs" "no mpicc.$mpi"; fi
done

if [ -x "$P/show_openmpi" ] && [ -x "$P/show_mpich" ]; then
    gcc -Dmine=mine_openmpi -DUSE='"use_mine.h"' '-DCALL=mine() + mine_mpich()' \
        -Wno-implicit-function-declaration -o "$P/both" "$T/show.c" -L"$P/lib" -lmine_openmpi \
        -lmine_mpich -Wl,--allow-shlib-undefined '-Wl,-rpath,$ORIGIN/lib' || exit 2
    refuses "two MPIs" 2 "$P/both" "Open MPI" "MPICH" libmpi.so.40 libmpich.so.12 -- "$A" run "$P/both"
    cp "$P/libother.so" "$L/liballfold-smpi.so"
    mv "$L/liballfold-mpich.so" "$T/away.so"
    refuses "library of one MPI missing" 2 "$L/liballfold-mpich.so" " openmpi smpi;" -- \
        "$A" run "$P/show_mpich"
    mv "$T/away.so" "$L/liballfold-mpich.so"
fi

# --- real launchers -------------------------------------------------------------------------------
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
count() { # NAME TEXT TIMES: how often it is on stdout; launchers may join the lines of ranks
    [ "$status" -eq 0 ] && [ "$(grep -oF -- "$2" "$T/out" | wc -l)" -eq "$3" ] && ok "$1" ||
        bad "$1" "status $status, '$2' $(grep -oF -- "$2" "$T/out" | wc -l) times, expected $3"
}
for mpi in openmpi mpich; do
    if [ ! -x "$P/ranks_$mpi" ] || ! have mpirun.$mpi; then
        skip "mpirun.$mpi" "not installed"
        continue
    fi
    flags=()
    [ $mpi = openmpi ] && flags=(--oversubscribe)
    run mpirun.$mpi "${flags[@]}" -n 2 "$A" run "$P/ranks_$mpi"
    count "mpirun.$mpi makes one job of it" "size=2" 2
    count "mpirun.$mpi preloads in each rank" "PRELOADED $mpi" 2
done
if [ -x "$P/ranks_openmpi" ] && have mpirun.mpich; then
    run mpirun.mpich -n 2 "${linger[@]}" "$A" run "$P/show_openmpi"
    [ "$(grep -c "allfold run: warning" "$T/err")" -eq 1 ] &&
        ok "mpirun.mpich with an Open MPI program" ||
        bad "mpirun.mpich with an Open MPI program" "not one warning"
fi
if /usr/bin/python3 -c 'import mpi4py' 2>/dev/null && have mpirun.openmpi; then
    refuses "python3 names no MPI" 2 "no MPI" --mpi -- "$A" run /usr/bin/python3 -c pass
    run mpirun.openmpi --oversubscribe -n 2 "$A" run --mpi openmpi /usr/bin/python3 -c \
        'from mpi4py import MPI; print("size=%d" % MPI.COMM_WORLD.size)'
    count "python3 with mpi4py" "size=2" 2
    count "python3 with mpi4py, preloaded" "PRELOADED openmpi" 2
else
    skip "python3 with mpi4py" "no mpi4py for /usr/bin/python3, or no mpirun.openmpi"
fi
if have smpicc && have smpirun; then
    tiny_library "$L/liballfold-smpi.so" "PRELOADED smpi"
    smpicc -o "$P/ranks_smpi" "$T/ranks.c" || exit 2
    printf 'h0\nh1\n' >"$T/hosts"
    printf '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1"><cluster id="c" prefix="h" suffix="" radical="0-1" speed="1Gf" bw="125MBps" lat="50us"/></platform>\n' >"$T/platform.xml"
    run smpirun -np 2 -platform "$T/platform.xml" -hostfile "$T/hosts" -wrapper "$A run" "$P/ranks_smpi"
    count "smpirun simulates its ranks" "size=2" 2
    grep -qxF "PRELOADED smpi" "$T/out" && ok "smpirun preloads" || bad "smpirun preloads" "no"
    refuses "SMPI program without smpirun" 126 "smpirun -wrapper" -- "$A" run "$P/ranks_smpi"
else
    skip "SMPI" "smpicc or smpirun is not installed"
fi

finish
