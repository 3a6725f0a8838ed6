#!/bin/bash
# `allfold info`: the machine, and under mpirun where the ranks live, as a table and as JSON.
# Usage: test_info.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
export LC_ALL=C
unset LD_PRELOAD "${!ALLFOLD_@}" "${!OMPI_COMM_WORLD_@}" "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}"
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
allfold=$build/bin/allfold
logs+=(python)

# mpirun RANKS COMMAND...: run, under the MPI
mpirun() { run "$source/scripts/launch" "$mpi" "$@"; }

printed() { grep -qE -- "$1" "$scratch/out"; }
silent() { [ ! -s "$scratch/out" ] && [ ! -s "$scratch/err" ]; }

# holds EXPRESSION: of the JSON in out, of which `info` is all, `job` and `ranks` are parts
holds() {
    python3 - "$scratch/out" "$1" >"$scratch/python" 2>&1 <<'END'
import glob, json, os, socket, sys
info = json.load(open(sys.argv[1]))
job = info['job']
ranks = job and job['ranks']
def of_all(name):
    return [rank[name] for rank in ranks]
if not eval(sys.argv[2]):
    sys.exit('does not hold: ' + sys.argv[2])
END
}

# without a launcher
run "$allfold" info
expect "info succeeds" [ "$status" = 0 ]
expect "the machine is shown" printed '^Machine: [0-9]+ packages?, .* [0-9]+ cores?, [0-9]+ hardware threads?$'
expect "the builds are listed" printed "^  .*/lib/allfold/liballfold-$mpi\.so$"
expect "with the MPI libraries that they serve" printed '^    for .*MPI.* \(libmpi\.so\.[0-9]+'
expect "there are no ranks without a launcher" [ "$(grep -c '^Ranks' "$scratch/out")" = 0 ]
expect "it says what one copy reads" printed '^One copy: (any memory, by XPMEM|large blocks of malloc \(no XPMEM: .*\))$'
run "$allfold" info --json
expect "and so does the JSON" holds "info['xpmem'] in (True, False)"
expect "the JSON has the builds" \
    holds "'$mpi' in [b['name'] for b in info['builds']] and all(b['serves'] and b['path'] for b in info['builds'])"
expect "the JSON has no job without a launcher" holds "job is None and info['job_error'] is None"
expect "the JSON has the threads" \
    holds "info['machine']['threads'] >= len(os.sched_getaffinity(0)) > 0"
expect "the JSON has the cores" holds "info['machine']['cores'] <= info['machine']['threads']"
expect "the JSON has fifteen settings" \
    holds "[v['name'] for v in info['variables']][::14] == ['ALLFOLD_ALGORITHM', 'ALLFOLD_VERBOSE']"
expect "and their parts" holds "any(v['name'] == 'ALLFOLD_NETWORK' and v['value'] is None and \
    [p['name'] for p in v['parts']] == ['card', 'nodes'] for v in info['variables'])"
kib=$(cat /sys/devices/system/cpu/cpu0/cache/index0/size 2>/dev/null)
if [[ $kib =~ ^[0-9]+K$ ]] && [ "$(cat /sys/devices/system/cpu/cpu0/cache/index0/level)" = 1 ]; then
    expect "the JSON has the first cache" \
        holds "any(c['level'] == 1 and c['bytes'] == ${kib%K} * 1024 for c in info['machine']['caches'])"
else
    skip "sizes of caches" "/sys does not have them"
fi
ALLFOLD_TEST='window=3"\' run "$allfold" info --json
expect "the JSON has complaints, whatever is in them" \
    holds "len(info['complaints']) == 1 and 'ALLFOLD_TEST=window=3\"\\\\' in info['complaints'][0]"
ALLFOLD_TRANSPORT=fabric,shared_memory=on ALLFOLD_VERBOSE=0 run "$allfold" info
expect "what differs from its default is marked" printed '^\* ALLFOLD_TRANSPORT +fabric; auto$'
expect "and nothing else is" [ "$(grep -cE '^ *\* ' "$scratch/out")" = 1 ]
run "$allfold" info nothing
expect "a word too many is wrong usage" [ "$status" = 2 ]
run "$allfold" info --mpi nothing
expect "an unknown MPI is wrong usage" [ "$status" = 2 ]

cores=$(getconf _NPROCESSORS_ONLN)
# placed PLACEMENT NODES... : the nodes of 4 ranks, and which of them have somebody to share with
placed() {
    local placement=$1 nodes=${*:2}
    ALLFOLD_NETWORK=nodes=$placement mpirun 4 "$allfold" info --json
    expect "$placement: info succeeds" [ "$status" = 0 ]
    expect "$placement: the nodes" holds "of_all('node') == [${nodes// /, }]"
    expect "$placement: their number" holds "job['nodes'] == len(set(of_all('node')))"
    expect "$placement: it is named" holds "job['placement'] == ('$placement' or None)"
    expect "$placement: the hosts" holds "len(set(of_all('host'))) == 1 and ranks[0]['host']"
    expect "$placement: the numbers of the ranks" holds "of_all('rank') == [0, 1, 2, 3]"
    expect "$placement: cores of one machine" \
        holds "job['shared_cores'] == ($cores if $cores < 4 and job['nodes'] > 1 else 0)"
    expect "$placement: who shares memory" \
        holds "all(r['shares_memory'] == (of_all('node').count(r['node']) > 1) for r in ranks)"
    expect "$placement: why not" \
        holds "all((r['why_not'] is None) == r['shares_memory'] for r in ranks)"
    expect "$placement: nodes of one machine send through no card" holds "job['card_mbit'] == 0"
}
ALLFOLD_NETWORK=nodes=2x2,card=100Gbit/s mpirun 4 "$allfold" info --json
expect "a card that is set counts" holds "job['card_mbit'] == 100000"
cp "$scratch/out" "$scratch/card.json"
run "$allfold" explain --job "$scratch/card.json"
expect "explain knows it of a job" printed '^allreduce .* on 2 nodes of 2 \(4 ranks, block, one machine with .*, cards of 100 Gbit/s\)'
ALLFOLD_NETWORK=nodes=2x2,card=2.5Gbit/s mpirun 4 "$allfold" info
expect "and the table says so" printed '^  the network cards of the nodes carry 2.5 Gbit/s$'
placed '' 0 0 0 0
placed 4x1 0 1 2 3
placed 2x2 0 0 1 1
placed 2x2:cyclic 0 1 0 1
placed 3,1 0 0 0 1

expect "no sockets are known" holds "of_all('socket') == [None] * 4"
ALLFOLD_NETWORK=nodes=1x2x2 mpirun 4 "$allfold" info --json
expect "sockets: those of the ranks" holds "of_all('socket') == [0, 0, 1, 1] and of_all('node') == [0] * 4"
cp "$scratch/out" "$scratch/sockets.json"
run "$allfold" explain --job "$scratch/sockets.json"
expect "explain knows them of a job" printed '^allreduce .* on 1 node of 4 \(4 ranks, block, 2 sockets a node\)'
ALLFOLD_NETWORK=nodes=1x2x2 mpirun 4 "$allfold" info
expect "and the table says so" printed '^  ranks of a node are on up to 2 sockets, '

ALLFOLD_NETWORK=nodes=2x2:cyclic mpirun 4 "$allfold" info
expect "the table comes once" [ "$(grep -c '^Ranks: 4 on 2 nodes, 2 on each$' "$scratch/out")" = 1 ]
expect "the rest comes once" [ "$(grep -c '^CPU features' "$scratch/out")" = 1 ]
expect "the table has a line for node 0" printed '^ +0 .* 0,2 .* yes$'
expect "the table has a line for node 1" printed '^ +1 .* 1,3 .* yes$'
ALLFOLD_NETWORK=nodes=3,1 mpirun 4 "$allfold" info
expect "the table has ranks of unlike nodes" printed '^Ranks: 4 on 2 nodes, 1 to 3 on each$'
expect "the table joins ranks" printed '^ +0 .* 0-2 .* yes$'
expect "the table says who shares nothing" printed '^ +1 .* 3 .* no: one rank alone on its node$'

ALLFOLD_NETWORK=nodes=2x2x5 mpirun 4 "$allfold" info --json
expect "nor do its sockets" holds "job['nodes'] == 1 and of_all('socket') == [None] * 4"
ALLFOLD_NETWORK=nodes=5x5 mpirun 4 "$allfold" info --json
expect "a placement of others does not hold" holds "job['nodes'] == 1 and job['placement'] is None"
expect "a placement of others is complained of" said "the real nodes are taken"
ALLFOLD_TRANSPORT=shared_memory=off mpirun 2 "$allfold" info --json
expect "shared memory can be off" holds "of_all('why_not') == ['ALLFOLD_TRANSPORT=shared_memory=off'] * 2"
ALLFOLD_REPORT=1 mpirun 2 "$allfold" info --json
expect "there is no report" [ "$(grep -c 'Allfold.*report' "$scratch/err")" = 0 ]
mpirun 1 "$allfold" info --json
expect "one rank is a job" holds "len(ranks) == 1 and not ranks[0]['shares_memory']"

# where the ranks are in the network
printf 'rank 0-1 leaf0 spine0\nrank 2-3 leaf1 spine0\n' >"$scratch/ranks"
printf '%s leaf7\n' "$(hostname)" >"$scratch/hosts"
printf 'rank 0-1 leaf0\n' >"$scratch/few"
export ALLFOLD_NETWORK=nodes=2x2
ALLFOLD_NETWORK=$scratch/ranks,nodes=2x2 mpirun 4 "$allfold" info --json
expect "switches: how many there are" holds "job['switches'] == [2, 1] and job['no_switches'] is None"
expect "switches: each rank's" holds "of_all('switches') == [['leaf0', 'spine0']] * 2 + [['leaf1', 'spine0']] * 2"
expect "switches: nothing is complained of" [ -z "$err" ]
ALLFOLD_NETWORK=$scratch/ranks,nodes=2x2 mpirun 4 "$allfold" info
expect "switches: the table" printed '^ +1 .* 2-3 .* leaf1 spine0 +yes$'
expect "switches: how many, in words" printed '^  switches: 2 below 1$'
printf 'uplinks 6 12\npair_uplinks 1.5 12\n' >>"$scratch/ranks"
ALLFOLD_NETWORK=$scratch/ranks,nodes=2x2 mpirun 4 "$allfold" info --json
expect "switches: their uplinks" holds "job['uplinks'] == [6, 12] and job['pair_uplinks'] == [1.5, 12]"
ALLFOLD_NETWORK=$scratch/ranks,nodes=2x2 mpirun 4 "$allfold" info
expect "switches: their uplinks, in words" printed '^  switches: 2 below 1; uplinks: 6 12; to one other switch: 1.5 12$'
ALLFOLD_NETWORK=$scratch/hosts,nodes=2x2 mpirun 4 "$allfold" info --json
expect "switches: no uplinks unless given" holds "job['uplinks'] == [] and job['pair_uplinks'] == []"
expect "switches: by the host" holds "job['switches'] == [1] and of_all('switches') == [['leaf7']] * 4"
mpirun 4 "$allfold" info --json
expect "switches: none are known unless given" \
    holds "job['switches'] == [] and job['no_switches'] is None and of_all('switches') == [[]] * 4"

# unknown FILE WHY [NODES]: nothing is known, rank 0 says why, and all goes on
unknown() {
    ALLFOLD_NETWORK=$1,nodes=${3-2x2} mpirun 4 "$allfold" info --json
    expect "$2: it goes on" [ "$status" = 0 ]
    expect "$2: no switches" holds "job['switches'] == [] and '$2' in job['no_switches']"
    expect "$2: it is said once" [ "$(grep -c 'where the job is in its network is not known: ' "$scratch/err")" = 1 ]
}
unknown /nowhere/at/all '/nowhere/at/all cannot be read: No such file or directory'
unknown "$scratch/few" 'rank 2 was told no switch of its host'
unknown "$scratch/ranks" 'ranks 0 and 2 are of one node, but below different switches' 1x4
mpirun 4 bash -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && export ALLFOLD_NETWORK='"$scratch/ranks"',nodes=2x2; exec "$0" "$@"' \
    "$allfold" info --json
expect "switches: one rank alone decides nothing" holds "job['switches'] == []"
expect "switches: and the others hear of it" said "rank 0 was told no switch of its host"

slurm() { SLURM_TOPOLOGY_ADDR=$1 SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node mpirun 4 "$allfold" info --json; }
slurm "s0.s1.$(hostname)"
expect "switches: Slurm's" holds "job['switches'] == [1, 1] and of_all('switches') == [['s1', 's0']] * 4"
ALLFOLD_NETWORK=$scratch/hosts,nodes=2x2 slurm "s0.s1.$(hostname)"
expect "switches: a file goes before Slurm" holds "of_all('switches') == [['leaf7']] * 4"
ALLFOLD_NETWORK=off,nodes=2x2 slurm "s0.s1.$(hostname)"
expect "switches: off" holds "job['switches'] == []"
slurm s0.s1.another
expect "switches: another host's" said "SLURM_TOPOLOGY_ADDR=s0.s1.another (switch.switch.node) says no switch of host"
unset ALLFOLD_NETWORK

# machines that hwloc makes up, with our own binding
export HWLOC_THISSYSTEM=1 HWLOC_SYNTHETIC='pack:2 [numa] l3:2(size=4194304) core:4 l1d:1(size=49152) pu:2'
run "$allfold" info
expect "another machine is shown" \
    printed '^Machine: 2 packages, 2 NUMA nodes, 16 cores, 32 hardware threads$'
expect "another machine's caches are shown" printed '^Caches: L1 16 x 48 KiB, L3 4 x 4 MiB$'

# bound CPUS BINDING MACHINE
bound() {
    HWLOC_SYNTHETIC=$3 mpirun 2 taskset -c "$1" "$allfold" info --json
    expect "CPUs $1 of $3 are '$2'" holds "of_all('binding') == ['$2'] * 2"
}
if taskset -c 0,1 true 2>/dev/null; then
    bound 0 'thread 0' 'pack:1 core:4 pu:2'
    bound 0,1 'core 0' 'pack:1 core:4 pu:2'
    bound 1 'core 1' 'pack:1 core:4 pu:1'
    bound 0,1 'cores 0-1' 'pack:1 core:4 pu:1'
    bound 0,1 'threads 0-1' 'pack:1 core:1 pu:4'
    bound 0,1 'L3 cache 0' 'pack:2 l3:2 core:2 pu:1'
    bound 0,1 'package 0' 'pack:2 core:2 pu:1'
    bound 0,1 'not bound' 'pack:1 core:2 pu:1'
else
    skip "bound ranks" "no CPUs 0 and 1, or no taskset"
fi
unset HWLOC_THISSYSTEM HWLOC_SYNTHETIC

# the MPI library: that beside the launcher, or that of --mpi. A stand-in for a launcher waits for what it
# starts, and has the name of one.
mpirun 2 "$allfold" info --json
library=$(python3 -c 'import json, os, sys; print(os.path.realpath(json.load(open(sys.argv[1]))["job"]["mpi_library"]))' \
    "$scratch/out")
expect "the MPI library is named" [ -f "$library" ]
case $mpi in
openmpi) launcher=prted soname=libmpi.so.40 old=libmpi.so.20 version='Open MPI v2.1.6' other=mpich ;;
mpich) launcher=hydra_pmi_proxy soname=libmpi.so.12 old=libmpi.so.12 version='HPE MPT 2.23' other=openmpi ;;
esac
# tree NAME: $scratch/NAME/bin/$launcher
tree() {
    mkdir -p "$scratch/$1/bin" "$scratch/$1/lib"
    cp "$(type -P timeout)" "$scratch/$1/bin/$launcher"
}
# beside NAME OPTIONS...: info on ranks of that launcher. Open MPI 5 may lose the end of what a rank wrote that
# fails, so each rank writes to a file.
beside() {
    # shellcheck disable=SC2016 # the inner shell expands it
    mpirun 2 bash -c 'exec "$@" >"$0.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"' "$scratch/out" \
        "$scratch/$1/bin/$launcher" 60 "$allfold" info --json "${@:2}"
    mv "$scratch/out.0" "$scratch/out"
    out=$(<"$scratch/out")
}
tree right
ln -s "$library" "$scratch/right/lib/$soname"
beside right
expect "the library beside the launcher is taken" \
    holds "job['mpi_library'] == '$scratch/right/lib/$soname' and len(ranks) == 2"
beside right --mpi "$library"
expect "--mpi names another" holds "job['mpi_library'] == '$library' and len(ranks) == 2"
ALLFOLD_MPI=$library beside right
expect "and so does ALLFOLD_MPI" holds "job['mpi_library'] == '$library' and len(ranks) == 2"
tree none
beside none
expect "without a library the launcher is named" [ "$status" = 1 ]
expect "and what to do" \
    holds "job is None and 'beside the launcher $scratch/none/bin/$launcher;' in info['job_error'] and '--mpi' in info['job_error']"
beside none --mpi "$mpi"
expect "--mpi takes names, too" holds "job['mpi'] and len(ranks) == 2"
tree old
gcc -shared -fPIC -DHANDLE=int "-DVERSION=\"$version\"" "-Wl,-soname,$old" -o "$scratch/old/lib/$old" \
    "$source/test/tools/stand_in.c" || exit 1
beside old
expect "a library without a build is refused" [ "$status" = 1 ]
expect "and both are named" \
    holds "job is None and '$scratch/old/lib/$old needs a build' in info['job_error'] and 'there are builds for: ' in info['job_error'] and '$mpi' in info['job_error'].split('builds for: ')[1]"
beside right --mpi "$scratch/old/lib/$old"
expect "so is that of --mpi" holds "'$scratch/old/lib/$old needs a build' in info['job_error']"
if [ -e "$build/lib/allfold/allfold-info-$other" ]; then
    mpirun 1 "$allfold" info --json --mpi "$other"
    expect "the part is that for the library of --mpi" holds "('Open MPI' in job['mpi']) == ('$other' == 'openmpi')"
else
    skip "the other MPI" "there is no build for it"
fi

# launchers that do not say enough, and a build that is not there
mkdir -p "$scratch/bare/bin" "$scratch/bare/lib/allfold"
cp "$allfold" "$scratch/bare/bin/allfold"
cp "${allfold%bin/allfold}lib/allfold/allfold-commands" "$scratch/bare/lib/allfold/"
mpirun 1 "$scratch/bare/bin/allfold" info
expect "a build that is not there fails it" [ "$status" = 1 ]
expect "a build that is not there is named" \
    printed "^Ranks: not known: the MPI library .* needs a build for $mpi, which is missing; there are builds for: none;"
cp "$build/lib/allfold/liballfold-$mpi.so" "$scratch/bare/lib/allfold/"
mpirun 1 "$scratch/bare/bin/allfold" info
expect "a program that is not there is named" \
    printed "^Ranks: not known: $scratch/bare/lib/allfold/allfold-info-$mpi cannot be run"
if [ -e "$build/lib/allfold/allfold-info-$other" ]; then
    run env PMI_RANK=0 PMI_SIZE=2 SLURM_PROCID=0 "$allfold" info --json
    expect "Slurm needs the MPI's name" holds "job is None and 'builds of Allfold for: openmpi, mpich;' in info['job_error']"
fi
run env PMI_RANK=1 PMI_SIZE=2 SLURM_PROCID=1 "$allfold" info --json
expect "other ranks say nothing" silent

finish
