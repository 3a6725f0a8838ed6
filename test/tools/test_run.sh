#!/bin/bash
# Tests of `allfold run`: test_run.sh PATH_OF_ALLFOLD
#
# The command is copied into a bin/lib tree with a tiny library in place of the one that it preloads,
# which prints a line when it is loaded. Nothing outside of a temporary directory is written.
# What the real library does is tested by test_stub.sh.
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

# --- the tree, the preloaded library, the programs ------------------------------------------------
mkdir -p "$T/tree/bin" "$T/tree/lib/allfold" "$T/bare/bin" "$T/bare/lib/allfold" "$T/p"
cp "$1" "$T/tree/bin/allfold" && cp "$1" "$T/bare/bin/allfold" || exit 2
A=$T/tree/bin/allfold B=$T/bare/bin/allfold L=$T/tree/lib/allfold P=$T/p
ours=$L/liballfold-preload.so
tiny_library() { # FILE WORD
    printf '#include <unistd.h>\n__attribute__((constructor)) static void f(void)\n{\n    const long done = write(1, "%s\\n", %d);\n    (void)done;\n}\n' \
        "$2" $((${#2} + 1)) >"$T/tiny.c"
    gcc -shared -fPIC -o "$1" "$T/tiny.c" || exit 2
}
tiny_library "$ours" PRELOADED
tiny_library "$P/libother.so" OTHER

cat >"$T/show.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
int main(int argc, char **argv)
{
    const char *names[] = {"LD_PRELOAD", "ALLFOLD_REPORT", "ALLFOLD_REPORT_COMPARE", "ALLFOLD_COMPARE_BITS",
                           "ALLFOLD_REPORT_SITES", "ALLFOLD_TRACE", "ALLFOLD_VERBOSE", "ALLFOLD_WATCH",
                           "ALLFOLD_MPI", "ALLFOLD_REPRODUCIBLE", "ALLFOLD_CHECK", "ALLFOLD_TIMEOUT",
                           "ALLFOLD_NONBLOCKING", "ALLFOLD_ALLREDUCE", "ALLFOLD_ALGORITHM", "ALLFOLD_TABLE", "ALLFOLD_ONE_COPY"};
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
    return getenv("STATUS") ? atoi(getenv("STATUS")) : 0;
}
C
show=$P/show
gcc -o "$show" "$T/show.c" || exit 2

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
refuses "unknown option" 2 "--bogus" -- "$A" run --bogus "$show"
refuses "report to no file" 2 "file name" -- "$A" run --report= "$show"
refuses "trace to no file" 2 "file name" -- "$A" run --trace= "$show"
refuses "report to a file called 1" 2 "./1" -- "$A" run --report=1 "$show"
refuses "watch in a relative directory" 2 "a path from /" -- "$A" run --watch=here "$show"
refuses "the file of an MPI library that does not exist" 2 "--mpi lam: No such file" -- "$A" run --mpi lam "$show"
refuses "the preloaded library is missing" 2 "$T/bare/lib/allfold/liballfold-preload.so" install -- "$B" run "$show"

# --- programs that cannot be run ------------------------------------------------------------------
refuses "no such file" 127 "$P/nothing" "not found" -- "$A" run "$P/nothing"
refuses "no such command" 127 "no_such_cmd" "PATH" -- "$A" run no_such_cmd
refuses "empty name" 127 "''" -- "$A" run ""
refuses "directory" 126 "$P" "irectory" -- "$A" run "$P"
cp "$show" "$P/not_executable" && chmod 644 "$P/not_executable"
refuses "not executable" 126 "$P/not_executable" -- "$A" run "$P/not_executable"
refuses "not executable, on PATH" 126 "not_executable" -- env PATH="$P:$PATH" "$A" run not_executable
if gcc -static -o "$P/static" "$T/show.c" 2>"$T/err"; then
    refuses "static" 2 "$P/static" static -- "$A" run "$P/static"
    refuses "static, even with --mpi" 2 static -- "$A" run --mpi openmpi "$P/static"
    gcc -static-pie -o "$P/static_pie" "$T/show.c"
    refuses "static and relocatable" 2 static -- "$A" run "$P/static_pie"
else
    skip "static" "gcc -static does not work here"
fi
printf '#!/no/such/interpreter\n' >"$P/orphan" && chmod 755 "$P/orphan"
refuses "script without interpreter" 127 "$P/orphan" -- "$A" run "$P/orphan"
mkdir "$P/launch" && cp "$show" "$P/launch/mpirun.some" && cp "$show" "$P/launch/srundown"
refuses "launcher behind allfold" 2 "mpirun -n 4 allfold run" -- "$A" run "$P/launch/mpirun.some"
gives "a name that only begins like a launcher's" PRELOADED -- "$A" run "$P/launch/srundown"
forge() { # FILE OFFSET BYTE
    cp "$show" "$1" && printf "\\x$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
forge "$P/bits32" 4 01
refuses "32-bit program" 2 "$P/bits32" "another kind of machine" -- "$A" run "$P/bits32"
forge "$P/machine" 18 f3
refuses "other machine" 2 "$P/machine" "another kind of machine" -- "$A" run "$P/machine"
sed 's,/lib64/ld-linux,/lib64/xx-linux,' "$show" >"$P/no_loader" && chmod 755 "$P/no_loader"
[ "$(uname -m)" != x86_64 ] ||
    refuses "loader does not exist" 127 "$P/no_loader" -- "$A" run "$P/no_loader"

# --- hostile files: no preloaded library in this tree, so none of them is ever started ------------
hostile() { # NAME FILE: refused with a message, and nothing crashes or hangs
    run timeout 10 "$B" run "$2"
    [[ $status -eq 2 && -z $out && $err == "allfold run: "* ]] && return
    bad "$1" "status $status"
    return 1
}
size=$(stat -c %s "$show") fine=1
for length in {1..140} 200 400 600 800 {1000..4000..500} $(seq 4096 512 "$size"); do
    [ "$length" -lt "$size" ] || continue
    head -c "$length" "$show" >"$P/cut" && chmod 755 "$P/cut"
    hostile "truncated to $length bytes" "$P/cut" || { fine=0; break; }
done
[ $fine -eq 1 ] && ok "truncated at many lengths"
RANDOM=42 fine=1
for i in {1..250}; do
    cp "$show" "$P/changed"
    for _ in 1 2 3; do
        printf "\\x$(printf %x $((RANDOM % 256)))" |
            dd of="$P/changed" bs=1 seek=$((16 + RANDOM % 900)) conv=notrunc status=none
    done
    hostile "changed bytes, number $i" "$P/changed" || { fine=0; break; }
done
[ $fine -eq 1 ] && ok "changed bytes in the headers"
for field in "32 e_phoff" "40 e_shoff" "54 e_phentsize" "56 e_phnum"; do
    cp "$show" "$P/changed"
    printf '\xff\xff' | dd of="$P/changed" bs=1 seek=${field% *} conv=notrunc status=none
    [ "${field% *}" -gt 50 ] ||
        printf '\xff\xff\xff\xff\xff\xff\xff\xff' |
        dd of="$P/changed" bs=1 seek=${field% *} conv=notrunc status=none
    hostile "largest ${field#* }" "$P/changed" && ok "largest ${field#* }"
done

# --- programs that can ----------------------------------------------------------------------------
gives "a program" PRELOADED "LD_PRELOAD=[$ours]" "ALLFOLD_REPORT=[unset]" "ALLFOLD_REPORT_COMPARE=[unset]" \
    "ALLFOLD_VERBOSE=[unset]" "ALLFOLD_MPI=[unset]" -- "$A" run "$show"
run env STATUS=7 "$A" run "$show"
expect "the exit status is the program's" [ "$status" = 7 ]
gives "arguments verbatim" "argv[0]=[$show]" "argv[1]=[--report=x]" "argv[2]=[a b  c]" "argv[3]=[]" \
    "argv[4]=[--]" "argv[5]=[-v]" 'argv[6]=[$HOME *]' "ALLFOLD_REPORT=[unset]" "!argv[7]=[]" -- \
    "$A" run "$show" --report=x "a b  c" "" -- -v '$HOME *'
gives "options end at --" "argv[0]=[$show]" PRELOADED -- "$A" run -v -- "$show"
gives "found on PATH, argv[0] as typed" "argv[0]=[show]" PRELOADED -- \
    env PATH="/no/such:$P/launch:$P:$PATH" "$A" run show
gives "a command without MPI" PRELOADED here -- "$A" run echo here
printf '#! /bin/sh -e\nexec "$@"\n' >"$P/script" && chmod 755 "$P/script"
gives "a script and what it starts" PRELOADED "argv[0]=[$show]" -- "$A" run "$P/script" "$show"
printf '#!/usr/bin/env -S X=1 sh -e\necho "X=$X"\n' >"$P/env_script" && chmod 755 "$P/env_script"
gives "a script through env" PRELOADED X=1 -- "$A" run "$P/env_script"
if [ "$(id -u)" -eq 0 ] && have setpriv; then
    cp "$show" "$P/unreadable" && chmod 711 "$P/unreadable"
    gives "a program that may be run, but not read" PRELOADED -- \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$A" run "$P/unreadable"
else
    skip "a program that may not be read" "needs root and setpriv to become another user"
fi
rm -f "$T/runs"
gives "started" children=none -- env RUNS="$T/runs" "$A" run "$show"
expect "once" [ "$(wc -l <"$T/runs")" = 1 ]
before=$("$show" | grep ^files=) after=$("$A" run "$show" | grep ^files=)
expect "no file is left open: $before, $after" [ "$before" = "$after" ]
bash -c 'exec "$@" >&-' - env RUNS="$T/closed" "$A" run "$show" 2>"$T/err"
expect "stdout may be closed" [ -s "$T/closed" ]

# --- sanitizers: their runtime comes first -----------------------------------------------------------
for sanitizer in address thread; do
    if gcc -fsanitize=$sanitizer -o "$P/watched" "$T/show.c" 2>"$T/err" && "$P/watched" >/dev/null 2>&1; then
        runtime=$(ldd "$P/watched" | sed -nE 's/^[[:space:]]*(lib(a|t)san\.so\.[0-9]+) =>.*/\1/p')
        expect "gcc links a runtime of -fsanitize=$sanitizer: $runtime" [ -n "$runtime" ]
        gives "a program of -fsanitize=$sanitizer" PRELOADED "LD_PRELOAD=[$runtime:$ours]" -- env -u ASAN_OPTIONS "$A" run "$P/watched"
        gives "with another library" PRELOADED "LD_PRELOAD=[$runtime:$ours:$P/libother.so]" -- \
            env -u ASAN_OPTIONS LD_PRELOAD="$P/libother.so" "$A" run "$P/watched"
        gives "with a runtime that is preloaded already" PRELOADED "LD_PRELOAD=[$runtime:$ours]" -- \
            env -u ASAN_OPTIONS LD_PRELOAD="$runtime" "$A" run "$P/watched"
    else
        skip "a program of -fsanitize=$sanitizer" "gcc builds none that runs here: $(head -n 1 "$T/err")"
    fi
done

if have ldd; then
    expect "allfold run links the C library alone" [ -z "$(ldd "$A" | grep -E 'lib(m|pthread|jansson|hwloc)\.')" ]
fi

# --- options are variables --------------------------------------------------------------------------
sets() { # OPTION... -- LINE...: what the program sees in its variables
    split "$@"
    gives "${words[*]}" "${command[@]}" -- "$A" run "${words[@]}" "$show"
}
sets --report -- "ALLFOLD_REPORT=[1]" "ALLFOLD_REPORT_COMPARE=[unset]"
sets "--report=a b.csv" -- "ALLFOLD_REPORT=[a b.csv]"
sets --report=a,compare -- "ALLFOLD_REPORT=[a,compare]"
sets --report=sites -- "ALLFOLD_REPORT=[sites]"
sets --compare -- "ALLFOLD_REPORT=[unset]" "ALLFOLD_REPORT_COMPARE=[1]" # options of earlier versions
sets --allreduce=ring -- "ALLFOLD_ALLREDUCE=[ring]"
sets --check -- "ALLFOLD_CHECK=[1]"
sets "--trace=a b" -- "ALLFOLD_TRACE=[a b]" "ALLFOLD_REPORT=[unset]"
sets --verbose -- "ALLFOLD_VERBOSE=[1]" "ALLFOLD_REPORT=[unset]"
sets --watch -- "ALLFOLD_WATCH=[1]"
sets --watch=/tmp -- "ALLFOLD_WATCH=[/tmp]"
sets --reproducible -- "ALLFOLD_REPRODUCIBLE=[canonical]"
sets --reproducible=exact:warn -- "ALLFOLD_REPRODUCIBLE=[exact:warn]"
sets --timeout=check -- "ALLFOLD_TIMEOUT=[check]"
sets --timeout=30s,abort -- "ALLFOLD_TIMEOUT=[30s,abort]"
sets --nonblocking -- "ALLFOLD_NONBLOCKING=[1]"
sets --algorithm=allreduce=ring -- "ALLFOLD_ALGORITHM=[allreduce=ring]"
sets "--table=a b" -- "ALLFOLD_TABLE=[a b]"
"$A" help run >"$T/help"
"$1" info --json >"$T/info" 2>/dev/null
options=$(python3 -c 'import json, sys
print(*(v["name"][8:].lower().replace("_", "-") for v in json.load(open(sys.argv[1]))["variables"]))' "$T/info")
expect "there are fifteen settings: $options" [ "$(wc -w <<<"$options")" = 15 ]
for option in $options; do
    expect "each setting has an option: $option" grep -qE -- "--$option(=|\[)" "$T/help"
done
# a variable that promises something and is misspelled
refuses "a misspelled promise" 2 "ALLFOLD_REPRODUCIBLE=canonicl: expected off, canonical, canonical:warn, exact or exact:warn" \
    "nothing runs" -- env ALLFOLD_REPRODUCIBLE=canonicl "$A" run "$show"
refuses "a misspelled promise of an option" 2 "ALLFOLD_TIMEOUT=soon: expected a duration" -- "$A" run --timeout=soon "$show"
refuses "a promise with a misspelled name" 2 "ALLFOLD_REPRODUCIBEL is not a variable of Allfold: expected ALLFOLD_REPRODUCIBLE" -- \
    env ALLFOLD_REPRODUCIBEL=canonical "$A" run "$show"
gives "another misspelled variable is the library's affair" PRELOADED -- env ALLFOLD_TEST=window=3 "$A" run "$show"
gives "an option corrects the variable" PRELOADED "ALLFOLD_REPRODUCIBLE=[exact]" -- \
    env ALLFOLD_REPRODUCIBLE=canonicl "$A" run --reproducible=exact "$show"
# errors once a job
for variable in OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK SLURM_PROCID; do
    run env $variable=1 ALLFOLD_TIMEOUT=check=yes "$A" run "$show"
    expect "only the first rank speaks: $variable" [ "$status" = 2 -a -z "$err" -a -z "$out" ]
    run env $variable=1 "$A" run --bogus "$show"
    expect "also of wrong usage: $variable" [ "$status" = 2 -a -z "$err" -a -z "$out" ]
done
run env OMPI_COMM_WORLD_RANK=0 ALLFOLD_TIMEOUT=check=yes "$A" run "$show"
expect "the first one does" [ "$status" = 2 -a -n "$err" ]
run env OMPI_COMM_WORLD_RANK=4 OMPI_COMM_WORLD_LOCAL_RANK=0 "$A" run "$P/nothing"
expect "a file may be missing on one node: its first rank speaks" [ "$status" = 127 -a -n "$err" ]
run env OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_LOCAL_RANK=1 "$A" run "$P/nothing"
expect "and only that" [ "$status" = 127 -a -z "$err" ]
for mpi in openmpi mpich smpi; do # of earlier versions
    sets --mpi $mpi -- "ALLFOLD_MPI=[unset]" "LD_PRELOAD=[$ours]"
done
ln -s libother.so "$P/libmpi.so"
sets --mpi "$P/libmpi.so" -- "ALLFOLD_MPI=[$P/libother.so]" "!OTHER"
gives "--compare keeps a report file" "ALLFOLD_REPORT=[f.json]" "ALLFOLD_REPORT_COMPARE=[1]" -- \
    env ALLFOLD_REPORT=f.json "$A" run --compare "$show"

# --- ALLFOLD=off -------------------------------------------------------------------------------------
gives "off: the program runs as it is" "!PRELOADED" "LD_PRELOAD=[unset]" "ALLFOLD_REPORT=[unset]" -- \
    env -u LD_PRELOAD ALLFOLD=off "$A" run --report --one-copy "$show"
gives "off: no promise is checked" "!PRELOADED" -- env ALLFOLD=off ALLFOLD_REPRODUCIBLE=canonicl "$A" run "$show"
refuses "off: a program that is not there" 127 "/no/such/program" -- env ALLFOLD=off "$A" run /no/such/program
gives "another word is not off" PRELOADED -- env ALLFOLD=of "$A" run "$show"

# --- LD_PRELOAD and where the command is installed ------------------------------------------------
theirs=$P/libother.so
gives "LD_PRELOAD kept" OTHER PRELOADED "LD_PRELOAD=[$ours:$theirs]" -- \
    env LD_PRELOAD="$theirs" "$A" run "$show"
gives "LD_PRELOAD with blanks kept" "LD_PRELOAD=[$ours:$theirs $theirs]" -- \
    env LD_PRELOAD="$theirs $theirs" "$A" run "$show"
gives "not preloaded twice" "LD_PRELOAD=[$theirs:$ours]" PRELOADED -- \
    env LD_PRELOAD="$theirs:$ours" "$A" run "$show"
gives "a longer path in LD_PRELOAD is another" "LD_PRELOAD=[$ours:/x$ours]" PRELOADED -- \
    env LD_PRELOAD="/x$ours" "$A" run "$show"
gives "empty LD_PRELOAD" "LD_PRELOAD=[$ours]" PRELOADED -- env LD_PRELOAD= "$A" run "$show"
mkdir "$T/links" && ln -s "$A" "$T/links/allfold"
gives "called through a symbolic link" PRELOADED "LD_PRELOAD=[$ours]" -- "$T/links/allfold" run "$show"
cp -r "$T/tree" "$T/with blank" && cp -r "$T/tree" "$T/with:colon"
refuses "install path with a blank" 2 "$T/with blank" "blank" -- "$T/with blank/bin/allfold" run "$show"
refuses "install path with a colon" 2 "$T/with:colon" "colon" -- "$T/with:colon/bin/allfold" run "$show"
mkdir "$P/a b:c" && cp "$show" "$P/a b:c/"
gives "a program's path may have both" PRELOADED "argv[0]=[$P/a b:c/show]" -- "$A" run "$P/a b:c/show"

# --- real launchers -------------------------------------------------------------------------------
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
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
count() { # NAME TEXT TIMES: how often it is on stdout; launchers may join the lines of ranks
    [ "$status" -eq 0 ] && [ "$(grep -oF -- "$2" "$T/out" | wc -l)" -eq "$3" ] && ok "$1" ||
        bad "$1" "status $status, '$2' $(grep -oF -- "$2" "$T/out" | wc -l) times, expected $3"
}
for mpi in openmpi mpich; do
    if ! have mpirun.$mpi || ! mpicc.$mpi -o "$P/ranks_$mpi" "$T/ranks.c" 2>"$T/err"; then
        skip "mpirun.$mpi" "it or its compiler wrapper is not installed"
        continue
    fi
    flags=()
    [ $mpi = openmpi ] && flags=(--oversubscribe)
    run mpirun.$mpi "${flags[@]}" -n 2 "$A" run "$P/ranks_$mpi"
    count "mpirun.$mpi makes one job of it" "size=2" 2
    count "mpirun.$mpi preloads in each rank" PRELOADED 2
done
if have smpicc && have smpirun; then
    smpicc -o "$P/ranks_smpi" "$T/ranks.c" || exit 2
    printf 'h0\nh1\n' >"$T/hosts"
    printf '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1"><cluster id="c" prefix="h" suffix="" radical="0-1" speed="1Gf" bw="125MBps" lat="50us"/></platform>\n' >"$T/platform.xml"
    run smpirun -np 2 -platform "$T/platform.xml" -hostfile "$T/hosts" -wrapper "$A run" "$P/ranks_smpi"
    count "smpirun simulates its ranks" "size=2" 2
    expect "smpirun preloads" grep -qF PRELOADED "$T/out"
else
    skip "SMPI" "smpicc or smpirun is not installed"
fi

finish
