#!/bin/bash
# MPI's functions with large counts (MPI_Allreduce_c and so on): ours serves them, or hands them on.
# Usage: test_big_counts.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
unset "${!ALLFOLD_@}"
export ALLFOLD_REPORT=$scratch/report.csv
export ALLFOLD_ALGORITHM=reduce_scatter_block=bucket,allgather=ring,reduce_scatter=circulant,allgatherv=ring

if [ "$mpi" = openmpi ]; then
    skip "large counts" "Open MPI 4.1 has no functions for them"
    exit 77
fi
run "$source/scripts/launch" "$mpi" 3 "$build/bin/allfold" run "$build/bin/mpi_big_counts_$mpi"
expect "results are right" [ "$status" = 0 ]
expect "and ours" python3 -c "
import csv
rows = list(csv.DictReader(l for l in open('$ALLFOLD_REPORT') if not l.startswith('#')))
ours = {r['collective'] for r in rows if r['algorithm'] != 'native'}
assert ours == {'allreduce', 'reduce', 'reduce_scatter_block', 'reduce_scatter', 'allgather',
                'allgatherv', 'bcast'}, rows"
export ALLFOLD_NONBLOCKING=1
run "$source/scripts/launch" "$mpi" 3 "$build/bin/allfold" run "$build/bin/mpi_big_counts_$mpi"
unset ALLFOLD_NONBLOCKING
expect "nonblocking and persistent results are right" [ "$status" = 0 ]
expect "and all ours: one blocking, one nonblocking and two persistent calls" python3 -c "
import csv
calls = {}
for r in csv.DictReader(l for l in open('$ALLFOLD_REPORT') if not l.startswith('#')):
    calls[r['collective']] = calls.get(r['collective'], 0) + (r['algorithm'] != 'native') * int(r['calls'])
assert calls == dict.fromkeys(['allreduce', 'reduce', 'reduce_scatter_block', 'reduce_scatter', 'allgather',
                               'allgatherv', 'bcast'], 4), calls"
ALLFOLD_ALGORITHM=allreduce=native,reduce=native,bcast=native,allgather=native,reduce_scatter=native,allgatherv=native,reduce_scatter_block=bucket \
    run "$source/scripts/launch" "$mpi" 3 "$build/bin/allfold" run "$build/bin/mpi_big_counts_$mpi"
expect "results are right where they are handed on" [ "$status" = 0 ]

finish
