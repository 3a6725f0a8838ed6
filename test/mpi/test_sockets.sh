#!/bin/bash
# Ranks find the sockets that they are on: two cores get last-level caches of their own, as files mounted over
# the kernel's, and ranks 2 and 3 run on the second one.
# Usage: test_sockets.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cores=/sys/devices/system/cpu
export OMPI_MCA_hwloc_base_binding_policy=none ALLFOLD_VERBOSE=1

mapfile -t mine < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep="\n")')
[ "${#mine[@]}" -ge 2 ] || skip_all "sockets (one core alone)"
mounts=true
for core in "${mine[0]}" "${mine[1]}"; do
    for cache in "$cores/cpu$core"/cache/index[0-9]/shared_cpu_list; do
        last=$cache
    done
    [ -r "$last" ] || skip_all "sockets (the kernel says nothing of caches)"
    echo "$core" >"$scratch/cache$core"
    mounts+=" && mount --bind $scratch/cache$core $last"
done
unshare -m bash -c "$mounts" 2>"$scratch/err" || skip_all "sockets (no mounts: $(cat "$scratch/err"))"

cat >"$scratch/bound" <<END
#!/bin/bash
# Two ranks on each of two cores; with UNBOUND=r that one on both.
r=\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-\$PMIX_RANK}}
at=\$((r / 2 % 2 == 0 ? ${mine[0]} : ${mine[1]}))
[ "\$r" != "\${UNBOUND:-}" ] || at=${mine[0]},${mine[1]}
exec taskset -c "\$at" "\$@"
END
chmod +x "$scratch/bound"
ln -s "$build/bin/libyield_when_idle.so" "$scratch/" # where scripts/launch looks for it

# bound RANKS ARGUMENTS...: the test of all algorithms, bound so, with the caches of above
bound() {
    run unshare -m bash -c "$mounts && exec $source/scripts/launch $mpi $1 $scratch/bound \
        $build/bin/allfold run $build/bin/mpi_algorithms_$mpi --cases 3 --others 2 --large 3001 ${*:2}"
}

bound 4 --nodes 1x2x2
expect "four ranks on two sockets: all is as where these are written" [ "$status" = 0 ]
expect "and they say so" said "the ranks of a node are on up to 2 sockets"
UNBOUND=2 bound 4
expect "a rank that may run on both: all is as on one node" [ "$status" = 0 ]
expect "and no line is about sockets" [ "${err/sockets, each/}" = "$err" ]
bound 2
expect "ranks of one socket do not either" [ "$status" = 0 -a "${err/sockets, each/}" = "$err" ]

finish
