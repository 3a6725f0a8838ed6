#!/bin/bash
# Large allocations from memory that the ranks of a node read in place (allfold run --one-copy). What
# programs see of it, what a fork makes of it, and where it stays out of the way and says so.
# Any memory, over a stand-in for libxpmem (allfold run needs no malloc of its own then).
# Usage: test_one_copy.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY OTHER_MALLOC XPMEM
set -u
mpi=$1 build=$2 source=$3 other=$4 xpmem=$5
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
unset "${!ALLFOLD_@}"
limit_s=120
library=$build/lib/allfold/liballfold-one-copy.so
program=$build/bin/mpi_one_copy_$mpi sums=$build/bin/mpi_sums_$mpi
under=("$build/bin/allfold" run --one-copy)
launch() { run "$source/scripts/launch" "$mpi" "$@"; }

# a program without MPI that allocates at random, in threads and after forks
for seed in 1 2 3; do
    run "$build/bin/one_copy" $seed
    expect "seed $seed without the library" [ "$status" = 0 ]
    run env LD_PRELOAD="$library" "$build/bin/one_copy" $seed
    expect "seed $seed with it" [ "$status" = 0 ]
    expect "and large blocks begin at pages" [ "${out%% *}" -gt 2 ]
done
run env LD_PRELOAD="$library" bash -c 'x=$(printf %0100000d 7); echo $(echo "${x: -1}"; (echo "${#x}"))'
expect "a shell and its children" [ "$out" = "7 100000" ]

# other languages, debuggers, and starts of programs, which copy nothing; only a fork does
blocks() { run env LD_PRELOAD="$library" "$build/bin/large_blocks" "$1"; }
blocks where
expect "C++'s new gives shared memory" [ "${out%% *}" = /memfd:allfold ]
blocks debug
expect "a debugger reads and writes it" [ "$out" = "read 1, written 1" ]
for how in spawn system vfork; do
    blocks $how
    expect "$how copies nothing" [ "${out#* }" = pages -a "${out% *}" -lt 1000 ]
done
blocks fork
expect "and a fork copies the block" [ "${out#* }" = pages -a "${out% *}" -ge 16384 ]
cat >"$scratch/fortran.f90" <<'END'
program allocates
    use iso_c_binding
    real(8), allocatable, target :: x(:)
    allocate(x(100000))
    x = 1
    print '(Z0)', transfer(c_loc(x), 0_8)
    flush(6)
    call execute_command_line('grep memfd:allfold /proc/$PPID/maps')
end program
END
holds_address() { local address=$((16#$1)) from to _; while IFS=- read -r from to; do
    to=${to%% *}; ((address >= 16#$from && address < 16#$to)) && return; done; return 1; }
if gfortran -o "$scratch/fortran" "$scratch/fortran.f90" 2>"$scratch/err"; then
    run env LD_PRELOAD="$library" "$scratch/fortran"
    expect "Fortran's allocate gives shared memory" holds_address "${out%%$'\n'*}" <<<"${out#*$'\n'}"
else
    skip "Fortran's allocate" "gfortran is not there"
fi

# where memory is watched, all blocks are the C library's
blocks why
expect "nothing is in the way" [ -z "$out" ]
if type -P valgrind >"$scratch/err"; then
    run env LD_PRELOAD="$library" valgrind -q "$build/bin/large_blocks" why
    expect "valgrind is" [ "$out" = "valgrind watches memory" ]
else
    skip "valgrind" "it is not there"
fi
if cc -fsanitize=address -I"$source/src" -o "$scratch/watched" "$source/test/tools/large_blocks.c" 2>"$scratch/err"; then
    run env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD="$library" "$scratch/watched" why
    expect "a sanitizer is" [ -n "$out" ]
else
    skip "a sanitizer" "it is not there"
fi

launch 3 "${under[@]}" "$program" --shared 1
expect "reductions and forks" [ "$status" = 0 ]
expect "and there is no message" [ -z "$(grep allfold: "$scratch/err")" ]
launch 2 env ALLFOLD_ONE_COPY=1 "$build/bin/allfold" run "$program" --shared 1
expect "the variable does the same" [ "$status" = 0 ]
launch 2 "$build/bin/allfold" run "$program" --shared 0
expect "without either nothing is shared" [ "$status" = 0 ]

# all ranks know alike that vectors are read in place, where each has a core
says_reading() { grep -c "long vectors are read in place, by [a-z]* cores" "$scratch/err"; }
if [ "$(nproc)" -ge 2 ]; then
    ALLFOLD_VERBOSE=1 launch 2 "${under[@]}" "$sums" allreduce 8 80000
    expect "the choice knows of it" [ "$status" = 0 -a "$(says_reading)" = 1 ]
    ALLFOLD_VERBOSE=1 launch 2 bash -c 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK} how=
        [ "$rank" = 0 ] && how=--one-copy; exec "$0" run $how "$@"' "$build/bin/allfold" "$sums" allreduce 8 80000
    expect "not where one rank alone has it" [ "$status" = 0 -a "$(says_reading)" = 0 ]
else
    skip "the choice knows of it" "ranks share one core"
fi
ALLFOLD_VERBOSE=1 launch 2 "$build/bin/allfold" run "$sums" allreduce 8 80000
expect "nor without it" [ "$status" = 0 -a "$(says_reading)" = 0 ]

# the report of a run without it says what it may save
launch 2 "$build/bin/allfold" run --report "$sums" allreduce 400000
expect "a report says what one copy may save" said "One copy: 12 calls copied long vectors"
launch 2 "${under[@]}" --report "$sums" allreduce 400000
expect "and with it there is nothing to say" [ -z "$(grep "One copy:" "$scratch/err")" ]

# where it cannot be
launch 2 env LD_PRELOAD="$other" "${under[@]}" "$program" --shared 0
expect "with another malloc nothing is shared" [ "$status" = 0 ]
expect "and one rank says why" [ "$(grep -c "another malloc than the C library" "$scratch/err")" = 1 ]
launch 2 bash -c "ulimit -v 80000000; exec ${under[*]} $sums allreduce 8 80000"
expect "a limit of addresses" [ "$status" = 0 ]
expect "and one rank says so" [ "$(grep -c "addresses are limited" "$scratch/err")" = 1 ]
launch 2 env ALLFOLD_TRANSPORT=shared_memory=off "${under[@]}" "$sums" allreduce 8 80000
expect "without node memory that is the reason" said "ALLFOLD_TRANSPORT=shared_memory=off"
launch 2 env ALLFOLD_ONE_COPY=1 LD_PRELOAD="$build/lib/allfold/liballfold-preload.so" "$sums" allreduce 8 80000
expect "the variable alone loads nothing, and that is said" said "liballfold-one-copy.so is not loaded"

# limits of memory: malloc returns NULL, or the system ends the process, as without the library
fill() { run bash -c "$1; exec env LD_PRELOAD=$2 $build/bin/limits fill 40"; }
fill "ulimit -v 400000" ""
natively=$out
fill "ulimit -v 400000" "$library"
expect "a limit of addresses is reached by malloc's NULL" [ "$status" = 0 -a "$out" = "$natively" -a "$out" != "40 blocks" ]
echo 2 >"$scratch/strict"
as_strict="mount --bind $scratch/strict /proc/sys/vm/overcommit_memory"
if unshare -m bash -c "$as_strict" 2>"$scratch/err"; then
    run unshare -m bash -c "$as_strict && exec $source/scripts/launch $mpi 2 ${under[*]} $program --shared 0"
    expect "where memory is not overcommitted nothing is shared" [ "$status" = 0 ]
    expect "and one rank says so" [ "$(grep -c "vm.overcommit_memory is 2" "$scratch/err")" = 1 ]
else
    skip "vm.overcommit_memory" "nothing can be mounted over it"
fi
group=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
[ -d $group ] || group=/sys/fs/cgroup limit=memory.max
group=$group/allfold_$$
if mkdir $group 2>"$scratch/err" && echo 200M 2>>"$scratch/err" >$group/$limit; then
    for with in "" "$library"; do
        fill "echo \$\$ >$group/cgroup.procs" "$with"
        expect "a control group ends who writes too much ($with)" [ "$status" = 137 ]
    done
else
    skip "memory control groups" "none can be made"
fi
[ ! -d $group ] || rmdir $group

# a dump of core has the program's blocks, and takes no memory for what was never allocated
case $(cat /proc/sys/kernel/core_pattern) in
*[/\|]*) skip "dumps of core" "the system takes them elsewhere" ;;
*)
    mkdir "$scratch/dump"
    run bash -c "cd $scratch/dump; ulimit -c 1000000 && exec env LD_PRELOAD=$library $build/bin/limits abort"
    expect "a dump of core has a large block" [ "$(cat "$scratch"/dump/core* | grep -ao "it lies in the heap!" | wc -l)" -gt 50000 ]
    expect "and not the whole heap" [ "$(du -sk "$scratch/dump" | cut -f1)" -lt 100000 ]
    rm -r "$scratch/dump"
    ;;
esac

# any memory: static vectors, too, and the C library's malloc
on_xpmem() { launch "$1" env STAND_IN_XPMEM="$2" LD_PRELOAD="$xpmem" "${under[@]}" "${@:3}"; }
attachments() { sed -n 's/^stand-in: attached \([0-9]*\) times.*/\1/p' "$scratch/err" | sort -n | head -1; }
run env LD_PRELOAD="$xpmem" "$build/bin/allfold" info
expect "info says so" grep -q '^One copy: any memory, by XPMEM$' "$scratch/out"
on_xpmem 2 count "$build/bin/mpi_xpmem_$mpi"
expect "any memory is read in place" [ "$status" = 0 -a "$(attachments)" -ge 2 ]
expect "in few attachments, which are kept" [ "$(attachments)" -le 20 ]
expect "and there is no message of it" [ -z "$(grep allfold: "$scratch/err")" ]
on_xpmem 3 few "$build/bin/mpi_xpmem_$mpi"
expect "when attachments are few, old ones go" [ "$status" = 0 -a "$(attachments)" -ge 20 ]
on_xpmem 2 refuse "$build/bin/mpi_xpmem_$mpi"
expect "refused, vectors are copied" [ "$status" = 0 ]
expect "and one rank says so" [ "$(grep -c "cannot attach the memory of another one (XPMEM)" "$scratch/err")" = 1 ]
if [ "$(nproc)" -ge 2 ]; then
    ALLFOLD_VERBOSE=1 on_xpmem 2 count "$sums" allreduce 8 80000
    expect "the choice knows of attachments" [ "$status" = 0 -a "$(says_reading)" = 1 ]
    ALLFOLD_VERBOSE=1 on_xpmem 2 refuse "$sums" allreduce 8 80000
    expect "not where they are refused" [ "$status" = 0 -a "$(says_reading)" = 0 ]
else
    skip "the choice knows of attachments" "ranks share one core"
fi

finish
