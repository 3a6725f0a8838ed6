#!/bin/bash
# What the ALLFOLD_ variables do under real mpirun: forced algorithms and their errors, complaints,
# disagreement between ranks, verbose, reports.
# Usage: test_settings.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
prefix=("$source/scripts/launch" "$mpi") # so `run` begins with the number of ranks
allfold=$build/bin/allfold
reductions=$build/bin/mpi_reductions_$mpi
cg=$build/bin/example_cg_$mpi

times() { [ "$(grep -cF -- "$1" "$scratch/err")" = "$2" ]; }

commuting='Allreduce sum'

ALLFOLD_ALGORITHM=allreduce=ring run 3 "$allfold" run "$reductions" --match 'Allreduce user affine.*count 3,'
expect "an unmet need fails the call" [ "$status" != 0 ]
expect "an unmet need is named" \
    said "allreduce.ring is forced, but it needs a commutative operation"

ALLFOLD_ALGORITHM=allreduce=rong run 3 "$allfold" run "$reductions" --match "$commuting"
expect "a wrong name fails the call" [ "$status" != 0 ]
expect "a wrong name is named with what was meant" \
    said "ALLFOLD_ALGORITHM: allreduce: unknown algorithm for allreduce: 'rong'; did you mean 'ring'?"

ALLFOLD_ALGORITHM=reduce=rong run 3 "$allfold" run "$reductions" --match "$commuting"
expect "a wrong name for another collective does no harm" [ "$status" = 0 ]

ALLFOLD_ALLREDUSE=ring run 3 "$allfold" run "$reductions" --match "$commuting"
expect "an unknown variable does no harm" [ "$status" = 0 ]
expect "an unknown variable is complained of once" \
    times "ALLFOLD_ALLREDUSE is not a variable of Allfold" 1

# a variable that promises something
for wrong in ALLFOLD_REPRODUCIBLE=canonicl ALLFOLD_REPRODUCIBEL=canonical ALLFOLD_TIMEOUT=check=yes ALLFOLD_TIMEOUT=30sec; do
    run 3 env "$wrong" "$allfold" run "$reductions" --match "$commuting"
    expect "$wrong: allfold run does not start the program" [ "$status" != 0 -a ! -s "$scratch/out" ]
    expect "$wrong: it says so once a job" [ "$(grep -cE "^allfold run: ${wrong%%=*}[= ].*nothing runs" "$scratch/err")" = 1 ]
    # preloaded by hand, the library lets MPI_Init fail; Open MPI 4.1's mpirun may then lose what its ranks say
    for _ in 1 2 3; do
        run 3 env "$wrong" LD_PRELOAD="$build/lib/allfold/liballfold-$mpi.so" "$reductions" --match "$commuting"
        grep -q ORTE_ERROR_LOG "$scratch/err" || break
    done
    expect "$wrong: MPI_Init fails" [ "$status" != 0 ]
    expect "$wrong: with the reason" grep -q "allfold: ${wrong%%=*}[= ].*nothing runs" "$scratch/out" "$scratch/err"
done
cat >"$scratch/init.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, first = -1, x = 1, y = 0;
    PMPI_Init(&argc, &argv); /* past the library */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    first = MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Error_string(first, text, &length);
    printf("%d\n", first != MPI_SUCCESS && strstr(text, "expected off, canonical") != NULL);
    return PMPI_Finalize();
}
END
if "mpicc.$mpi" "$scratch/init.c" -o "$scratch/init" 2>"$scratch/err"; then
    ALLFOLD_REPRODUCIBLE=canonicl run 2 env LD_PRELOAD="$build/lib/allfold/liballfold-$mpi.so" "$scratch/init"
    expect "a call after another's MPI_Init is an error with that text" [ "$(sort -u "$scratch/out")" = 1 ]
fi
run 3 "$allfold" run --bogus "$reductions"
expect "wrong usage is said once a job" [ "$status" != 0 -a "$(grep -c "unrecognized option" "$scratch/err")" = 1 ]
run 3 "$allfold" run ./nowhere
expect "a program that is not found is said once a node" times "'./nowhere' is not found" 1

ALLFOLD_TEST=window=3 run 3 "$allfold" run "$reductions" --match "$commuting"
expect "a bad value is complained of once" times "ALLFOLD_TEST=window=3 is not a power of two" 1

ALLFOLD_VERBOSE=1 ALLFOLD_ALGORITHM='allreduce=0-1K:recursive_doubling;1K-:ring(segment=2K)' \
    run 3 "$allfold" run "$reductions" --match "$commuting int64.*count (3|1000),"
expect "verbose shows the first rule" \
    said "allreduce of 3 x 8 bytes on 3 ranks: recursive_doubling (forced)"
expect "verbose shows the second rule" \
    said "allreduce of 1000 x 8 bytes on 3 ranks: ring(segment=2K) (forced)"

nonblocking=$build/bin/mpi_nonblocking_$mpi
run 1 true : -n 2 true
if [ "$status" = 0 ]; then
    run 1 env ALLFOLD_ALGORITHM=allreduce=ring "$allfold" run "$reductions" --match "$commuting" \
        : -n 2 "$allfold" run "$reductions" --match "$commuting"
    expect "ranks with different variables agree" [ "$status" = 0 ]
    expect "ranks with different variables are named" \
        said "the settings (ALLFOLD_ variables) differ between the ranks; those of rank 0 are taken"

    run 1 env ALLFOLD_NONBLOCKING=1 "$allfold" run "$nonblocking" --match Waitall --timeout 60 \
        : -n 2 "$allfold" run "$nonblocking" --match Waitall --timeout 60
    expect "ranks of which one alone wants nonblocking calls agree" [ "$status" = 0 ]

    for only in ALLFOLD_TRACE="$scratch/trace" ALLFOLD_TRACE=1 ALLFOLD_REPORT=true; do
        run 1 env "$only" "$allfold" run "$reductions" --match "$commuting" \
            : -n 2 "$allfold" run "$reductions" --match "$commuting"
        expect "ranks of which one alone has $only agree" [ "$status" = 0 ]
    done
    expect "and its trace is written" [ -s "$scratch/trace" ]
else # mpirun of Debian 13's Open MPI 5.0.7 ends in a segmentation fault
    skip "ranks with different variables" "this launcher cannot start two programs"
fi

# switched off
stub=$build/lib/allfold/liballfold-preload.so
ALLFOLD=off ALLFOLD_VERBOSE=1 run 3 "$allfold" run --report "$reductions" --match "$commuting"
expect "off: the program runs" [ "$status" = 0 ]
expect "off: nothing is said" [ "$(grep -ci allfold "$scratch/err")" = 0 ]
for value in off on; do
    ALLFOLD=$value ALLFOLD_REPORT=1 run 3 env LD_PRELOAD="$stub" LD_DEBUG=files "$reductions" --match "$commuting"
    expect "preloaded by hand, $value: the program runs" [ "$status" = 0 ]
    loaded=$(grep -c "calling init: .*liballfold-$mpi\.so" "$scratch/err")
    expect "the library is loaded $loaded times" [ "$loaded" = "$([ "$value" = off ] && echo 0 || echo 3)" ]
done
ALLFOLD=off ALLFOLD_REPORT=1 ALLFOLD_REPRODUCIBLE=canonicl run 3 env LD_PRELOAD="$stub" "$reductions" --match "$commuting"
expect "preloaded by hand, off: nothing is said" [ "$(grep -ci allfold "$scratch/err")" = 0 ]
ALLFOLD=0 ALLFOLD_REPORT=1 run 3 "$allfold" run "$reductions" --match "$commuting"
expect "0 is off, too" [ "$status $(grep -ci allfold "$scratch/err")" = "0 0" ]
ALLFOLD=of run 3 "$allfold" run "$reductions" --match "$commuting"
expect "another word is no error" [ "$status" = 0 ]
expect "but it is said, once" times "ALLFOLD=of is not off or on; on is taken" 1

# names of version 0.2
ALLFOLD_ALLREDUCE=ring ALLFOLD_VERBOSE=1 run 3 "$allfold" run "$reductions" --match "$commuting"
expect "an old name works" said "on 3 ranks: ring (forced)"
expect "and one line has the new one" \
    times "set ALLFOLD_ALGORITHM=allreduce=ring instead of ALLFOLD_ALLREDUCE" 1

alloc_mem=$build/bin/mpi_alloc_mem_$mpi
run 2 "$allfold" run "$alloc_mem" --shared 1 --match places
expect "memory of MPI_Alloc_mem is shared" [ "$status" = 0 ]
run 2 bash -c "ulimit -v 100000000; '$allfold' run '$alloc_mem' --shared 0 --match 'places|Allreduce, 70001'"
expect "but not where addresses are limited" [ "$status" = 0 ]

ALLFOLD_ALGORITHM=allreduce=native run 3 "$allfold" run --report "$cg" --poisson 6
expect "native can be forced" [ "$status" = 0 ]
expect "the report shows native" grep -qE '^allreduce .* native +forced' "$scratch/err"

if command -v taskset >/dev/null; then
    core=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
    run 3 taskset -c "$core" "$allfold" run --report "$cg" --poisson 6
    expect "ranks that share a core are served" grep -qE '^allreduce +3 .* [^ ]+ +built-in' "$scratch/err"
fi

run 3 "$allfold" run --report=compare "$cg" --poisson 12
expect "the report has its head" grep -qE "^Allfold [0-9.]+ report: .* p = 3, 1 x 3" "$scratch/err"
expect "the report has the choice" grep -qE '^allreduce +3 .* [^ ]+ +built-in' "$scratch/err"
expect "the report compares" grep -qE '^allreduce.*built-in +[0-9.]+ +[0-9.]+ +[0-9.]+ \([0-9]+\)' \
    "$scratch/err"
expect "nothing of the report is on stdout" [ "$(grep -c Allfold "$scratch/out")" = 0 ]

run 3 "$allfold" run --report="$scratch/report.json" "$cg" --poisson 6
expect "the JSON report is JSON" python3 -c "
import json, sys
report = json.load(open('$scratch/report.json'))
assert report['world'] == 3 and report['nodes'] == 1 and report['rows'], report
assert {row['collective'] for row in report['rows']} == {'allreduce', 'bcast', 'alltoall'}, report"

run 3 "$allfold" run --report="$scratch/report.csv" "$cg" --poisson 6
expect "the CSV report is CSV" python3 -c "
import csv
rows = list(csv.DictReader(open('$scratch/report.csv')))
assert rows and all(None not in row and None not in row.values() for row in rows), rows
assert sum(int(row['calls']) for row in rows) > 10, rows"

run 3 "$allfold" run --report=/nowhere/at/all.csv "$cg" --poisson 6
expect "a report that cannot be written fails nothing" [ "$status" = 0 ]
expect "a report that cannot be written is shown" \
    said "the report cannot be written to /nowhere/at/all.csv (No such file or directory)"

# collectives of blocks, and barriers
ALLFOLD_ALGORITHM=reduce_scatter_block=flat,allgather=ring,barrier=dissemination \
    run 3 "$allfold" run --report="$scratch/blocks.csv",compare \
    "$reductions" --match '^(Reduce_scatter_block sum|Allgather sum|Barrier)'
expect "blocks and barriers are served" [ "$status" = 0 ]
expect "the report has the whole vector's bytes" python3 -c "
import csv
rows = list(csv.DictReader(open('$scratch/blocks.csv')))
least = {c: min(int(r['least_bytes']) for r in rows if r['collective'] == c and r['algorithm'] == a
                and int(r['least_bytes']) > 0)
         for c, a in [('reduce_scatter_block', 'flat'), ('allgather', 'ring'),
                      ('barrier', 'dissemination')]}
assert least == {'reduce_scatter_block': 24, 'allgather': 24, 'barrier': 1}, rows
assert any(int(r['samples']) > 0 and float(r['native_us']) > 0 for r in rows
           if r['collective'] == 'barrier'), rows"
run 3 "$allfold" run --report="$scratch/blocks.csv" \
    "$reductions" --match '^(Reduce_scatter_block sum|Allgather sum|Barrier)'
expect "blocks and barriers are served by default" python3 -c "
import csv
rows = list(csv.DictReader(open('$scratch/blocks.csv')))
assert {r['collective'] for r in rows if r['algorithm'] != 'native' and r['chosen'] == 'built-in'} == {
    'reduce_scatter_block', 'allgather', 'barrier'}, rows
assert not any(r['algorithm'] == 'native' and r['chosen'] == 'built-in' for r in rows), rows"
ALLFOLD_ALGORITHM=reduce_scatter_block=native,allgather=native,barrier=native \
    run 3 "$allfold" run --report="$scratch/blocks.csv" \
    "$reductions" --match '^(Reduce_scatter_block sum|Allgather sum|Barrier)'
expect "rules leave blocks and barriers to MPI" python3 -c "
import csv
rows = list(csv.DictReader(open('$scratch/blocks.csv')))
assert {(r['collective'], r['algorithm'], r['chosen']) for r in rows} == {
    (c, 'native', 'forced') for c in ['reduce_scatter_block', 'allgather', 'barrier']}, rows"

# allfold_comm_set forces what it says: the report names each algorithm that there is
ALLFOLD_NETWORK=nodes=2x2 run 4 "$allfold" run --report="$scratch/all.csv" "$build/bin/mpi_algorithms_$mpi" \
    --large 500 --nodes 2x2
expect "all algorithms pass" [ "$status" = 0 ]
expect "all algorithms are named" [ "$(grep -c '^passed [a-z_]*[.][a-z_0-9]*$' "$scratch/out")" = \
    "$("$allfold" list --csv | tail -n +2 | wc -l)" ]
"$allfold" list --csv >"$scratch/list.csv"
# some need to know which nodes are below which switch
ALLFOLD_NETWORK=$source/test/mpi/switches,nodes=4x1 run 4 "$allfold" run --report="$scratch/below.csv" \
    "$build/bin/mpi_algorithms_$mpi" --cases 4 --nodes 4x1 --switches 2x2:cyclic
expect "all algorithms pass below switches" [ "$status" = 0 ]
# and some that hosts are linked directly: each rank is on a host with a name of its own
echo "torus 2x2 n[0-3]" >"$scratch/torus"
if unshare --uts true 2>"$scratch/err"; then
    # shellcheck disable=SC2016 # for the ranks' shells
    ALLFOLD_NETWORK=$scratch/torus run 4 unshare --uts \
        sh -c 'hostname "n${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$PMIX_RANK}}" && exec "$@"' sh \
        "$allfold" run --report="$scratch/linked.csv" "$build/bin/mpi_algorithms_$mpi" --cases 4 --nodes 4x1 --torus 2x2
    expect "all algorithms pass on linked hosts" [ "$status" = 0 ]
    names="'all', 'below', 'linked'"
else
    skip "algorithms of linked hosts" "no names of their own: $(cat "$scratch/err")"
    names="'all', 'below'"
    grep -v disjoint_trees "$scratch/list.csv" >"$scratch/shorter.csv" && mv "$scratch/shorter.csv" "$scratch/list.csv"
fi
expect "all algorithms were run" python3 -c "
import csv
ran = {(r['collective'], r['algorithm'].split('(')[0])
       for name in [$names] for r in csv.DictReader(open(f'$scratch/{name}.csv'))
       if r['chosen'] == 'forced'}
listed = {(r['collective'], r['algorithm']) for r in csv.DictReader(open('$scratch/list.csv'))}
assert ran == listed, listed ^ ran"

# another tool in the chain: it sees what is passed on, and is not hidden
cat >"$scratch/tool.c" <<'END'
#include <mpi.h>
#include <stdio.h>

static int calls;

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    calls++;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "the tool saw %d calls\n", calls);
    return PMPI_Finalize();
}
END
"mpicc.$mpi" -shared -fPIC "$scratch/tool.c" -o "$scratch/tool.so"
ALLFOLD_ALGORITHM=allreduce=native LD_PRELOAD="$scratch/tool.so" \
    run 2 "$allfold" run "$cg" --poisson 6 # ours comes first, then the tool
expect "a tool after us sees what we pass on" grep -qE 'the tool saw [1-9][0-9]+ calls' \
    "$scratch/err"
LD_PRELOAD="$scratch/tool.so" run 2 "$allfold" run "$cg" --poisson 6
expect "a tool after us does not see what we serve" said "the tool saw 0 calls"

# before MPI_Init the MPI library itself is to complain
cat >"$scratch/early.c" <<'END'
#include <mpi.h>

int main(void)
{
    int one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return 0;
}
END
"mpicc.$mpi" "$scratch/early.c" -o "$scratch/early"
run 1 "$allfold" run "$scratch/early"
expect "a call before MPI_Init fails as it does natively" [ "$status" != 0 ]
expect "a call before MPI_Init is explained by the MPI library" \
    grep -qiE 'before (MPI_INIT|initializing)' "$scratch/err"

if [ "$mpi" = openmpi ] && /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
    run 3 "$allfold" run --report /usr/bin/python3 -c "
from mpi4py import MPI
import array
comm = MPI.COMM_WORLD
mine = array.array('d', [comm.rank + 1.0] * 100)
total = array.array('d', [0.0] * 100)
comm.Allreduce(mine, total)
assert all(x == 6.0 for x in total), total
assert comm.allreduce(comm.rank) == 3"
    expect "mpi4py computes" [ "$status" = 0 ]
    expect "mpi4py computes with ours" grep -qE '^allreduce +3 +800 .* built-in' \
        "$scratch/err"
else
    skip mpi4py "it is built for Open MPI, this is $mpi; or it is not installed"
fi

finish
