#!/bin/bash
# Faults of a provider in a job: they end as docs/faults.md says. No sum is wrong, and no rank hangs.
# Usage: test_fabric_faults.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY STAND_IN_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
export LD_LIBRARY_PATH=$4${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export ALLFOLD_TRANSPORT=fabric,shared_memory=off ALLFOLD_NONBLOCKING=1 ALLFOLD_VERBOSE=1
export OMPI_MCA_mca_base_component_show_load_errors=0 # Open MPI's components want all of libfabric
sums=240

# faulty RANKS PROVIDER FAULT: the sums of each rank
faulty() {
    STAND_IN_FABRIC=$3 ALLFOLD_TRANSPORT=fabric,shared_memory=off,provider=$2 timeout --kill-after=10 60 "$source/scripts/launch" "$mpi" "$1" \
        "$build/bin/allfold" run "$build/bin/mpi_fabric_faults_$mpi" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    right=$(grep -c "^rank [0-9]*: $sums right, 0 wrong, 0 errors$" "$scratch/out")
    wrong=$(grep -c '^rank [0-9]*: [0-9]* right, [1-9][0-9]* wrong' "$scratch/out")
    troubled=$(grep -c '^rank [0-9]*: [0-9]* right, 0 wrong, [1-9][0-9]* errors' "$scratch/out")
}

# all_right NAME RANKS PROVIDER FAULT: each sum of each rank
all_right() {
    faulty "${@:2}"
    expect "$1: the job ends" [ "$status" = 0 ]
    expect "$1: all sums are right" [ "$right" = "$2" ]
}

# errors NAME RANKS PROVIDER FAULT: on two ranks at least, and no wrong sum
errors() {
    faulty "${@:2}"
    expect "$1: the job ends by itself" [ "$status" = 0 ]
    expect "$1: no sum is wrong" [ "$wrong" = 0 ]
    expect "$1: two ranks get errors, or more" [ "$troubled" -ge 2 ]
}

# each_fault RANKS PROVIDER
each_fault() {
    all_right "no fault" "$1" "$2" none:0:0
    all_right "no memory is registered" "$1" "$2" register:1:0
    expect "that is said" grep -q 'MPI carries the messages' "$scratch/err"
    all_right "no long message is registered" "$1" "$2" register:1:$(($1 + 3))
    errors "no slots are registered" "$1" "$2" register:1:1
    errors "writes fail" "$1" "$2" write:1:50
    errors "the first write fails" "$1" "$2" write:0:0
    errors "writes end with errors" "$1" "$2" error:1:50
    errors "completions are lost" "$1" "$2" lost:1:50
    errors "keys are wrong" "$1" "$2" key:1:50
    errors "the first key is wrong" "$1" "$2" key:1:0
    faulty "$1" "$2" dies:1:50
    expect "a rank dies: the job ends by itself" [ "$status" != 124 ]
    expect "a rank dies: it has failed" [ "$status" != 0 ]
}

each_fault 2 net
each_fault 4 'tcp;ofi_rxm'
finish
