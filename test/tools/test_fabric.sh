#!/bin/bash
# The fabric carries messages where it is asked to, and MPI does where it cannot be opened.
# Usage: test_fabric.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
export ALLFOLD_VERBOSE=1 ALLFOLD_TRANSPORT=shared_memory=off
export ALLFOLD_ALGORITHM=reduce_scatter_block=flat,reduce_scatter=flat,allgather=ring # ours

# sums RANKS [VARIABLE=VALUE...]: some of the conformance program's reductions
sums() {
    env "${@:2}" timeout --kill-after=10 60 "$source/scripts/launch" "$mpi" "$1" "$build/bin/allfold" run \
        "$build/bin/mpi_reductions_$mpi" --scale 3 \
        >"$scratch/out" 2>&1 </dev/null
    status=$?
}

has() { grep -q "$1" "$build/CMakeCache.txt"; }
if ! has '^LIBFABRIC_INCLUDE_DIRECTORY:PATH=/' || ! has '^ALLFOLD_FABRIC:BOOL=ON$'; then
    sums 2 ALLFOLD_TRANSPORT='fabric,shared_memory=off'
    expect "without headers the program runs" [ "$status" = 0 ]
    expect "and it is said" grep -q 'MPI carries the messages: this build had no headers' "$scratch/out"
    finish
fi
sums 3 ALLFOLD_TRANSPORT='fabric,shared_memory=off'
expect "the program runs" [ "$status" = 0 ]
expect "the fabric is said" grep -q 'the fabric carries messages between ranks' "$scratch/out"
expect "it carried short messages and long ones, to two peers" \
    grep -Eq 'rank 0 wrote [1-9][0-9]* slots and [1-9][0-9]* long .* for 2 peers' "$scratch/out"
sums 2 ALLFOLD_TRANSPORT='fabric,provider=no_such_provider,shared_memory=off'
expect "without a provider the program runs" [ "$status" = 0 ]
expect "and one rank says why" \
    [ "$(grep -c 'MPI carries the messages: libfabric has no provider no_such_provider' "$scratch/out")" = 1 ]
sums 2
expect "it is not opened unless a setting asks for it" [ "$(grep -c fabric "$scratch/out")" = 0 ]
sums 2 ALLFOLD_TRANSPORT='provider=tcp;ofi_rxm,shared_memory=off'
expect "auto with a provider runs" [ "$status" = 0 ]
expect "a trial finds which is faster" \
    grep -Eq 'trial found (it|tcp;ofi_rxm not faster:) [0-9.]+ times .* in the mean, [0-9.]+ at least' "$scratch/out"
sums 2 ALLFOLD_TRANSPORT='provider=no_such_provider,shared_memory=off'
expect "auto with a provider that is not there runs" [ "$status" = 0 ]
expect "and that is no warning" grep -q 'MPI carries the messages: libfabric has no provider' "$scratch/out"
sums 2 ALLFOLD_TRANSPORT='mpi,provider=tcp;ofi_rxm,shared_memory=off'
expect "with mpi it is not tried" [ "$(grep -c 'fabric' "$scratch/out")" = 0 ]
sums 2 ALLFOLD_TRANSPORT='fabric,shared_memory=off' ALLFOLD_REPORT=1
expect "the report says it" grep -q 'messages by the fabric' "$scratch/out"
ALLFOLD_TRANSPORT=fabric,shared_memory=off "$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" info >"$scratch/out" 2>&1 </dev/null
expect "so does allfold info" grep -q 'messages beyond shared memory: the fabric, .*libfabric [12]' "$scratch/out"
finish
