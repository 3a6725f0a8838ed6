#!/bin/bash
# Runs Allfold on the MPI libraries of the test bed (scripts/other-mpi, scripts/other-release) and counts: the
# conformance programs on one node and on two emulated nodes, and mpi4py's own tests of collectives.
#
#     test/bed/run.sh BUILD_DIRECTORY [--limit SECONDS] [NAME...]
#
# A NAME is an MPI of `scripts/other-mpi list`, trixie or forky (built there anew and run with both MPIs of the
# release); default: openmpi-5.0.11 mpich-5.0.2 intel-2021.18 trixie. A part for which an MPI or a release cannot be
# installed is skipped with its reason, as is what does not begin within --limit (default 1500). Ends with
# 'N passed, N failed', where each part counts once.
# The results are also in BUILD_DIRECTORY/bed/rows, as lines of MPI, part and checks, for the table in docs/other_mpis.md.
set -u -o pipefail
here=$(dirname "$(readlink -f "$0")")
source=$(dirname "$(dirname "$here")")
build=$(readlink -f "$1")
shift
limit=1500 names=()
while [ $# -gt 0 ]; do
    case $1 in
    --limit) limit=$2 && shift ;;
    *) names+=("$1") ;;
    esac
    shift
done
[ ${#names[@]} -gt 0 ] || names=(openmpi-5.0.11 mpich-5.0.2 intel-2021.18 trixie)
allfold=$build/bin/allfold
logs=$build/bed
mkdir -p "$logs"
rows=$logs/rows
: >"$rows"
passed=0 failed=0 skipped=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# part MPI COLUMN SECONDS COMMAND...: one result; its output goes to a file, the end of it to stdout if it fails.
# True if the part passed.
part() {
    local log=$logs/$1.$2.log status result begin=$SECONDS
    if [ $SECONDS -gt "$limit" ]; then
        echo "skipped: $1, $2: the limit of $limit s is over"
        skipped=$((skipped + 1))
        return 1
    fi
    timeout "$3" "${@:4}" >"$log" 2>&1 </dev/null
    status=$?
    result=$(grep -oE '[0-9]+ passed, [0-9]+ failed|^Ran [0-9]+ tests' "$log" | tail -n 1)
    case $status in
    0)
        passed=$((passed + 1))
        echo "passed: $1, $2: $result ($((SECONDS - begin)) s)"
        result=${result% passed, 0 failed} result=${result#Ran } result=${result% tests}
        ;;
    77)
        skipped=$((skipped + 1))
        echo "skipped: $1, $2: $(tail -n 1 "$log")"
        return 1
        ;;
    124) # each run of a program has a limit of its own, so nothing hung
        skipped=$((skipped + 1))
        echo "skipped: $1, $2: it did not end within $3 s on this machine"
        return 1
        ;;
    *)
        failed=$((failed + 1))
        echo "FAILED: $1, $2: status $status, $result ($((SECONDS - begin)) s)"
        tail -n 25 "$log" | sed 's/^/    /'
        result="fails"
        ;;
    esac
    printf '%s\t%s\t%s\n' "$1" "$2" "${result:-yes}" >>"$rows"
    [ $status = 0 ]
}

for name in "${names[@]}"; do
    case $name in
    trixie | forky)
        part $name "make" 600 "$source/scripts/other-release" $name bash -c \
            "scripts/install-dependencies check && make build BUILD=build CMAKE_OPTIONS='-DALLFOLD_TESTS=OFF -DALLFOLD_WERROR=ON'" ||
            continue # there is nothing to run
        for mpi in openmpi mpich; do
            part $name-$mpi "one node" 600 "$source/scripts/other-release" $name \
                test/bed/conformance.sh build/bin/allfold --suffix $mpi
        done
        ;;
    *)
        part "$name" "one node" 600 "$source/scripts/other-mpi" "$name" "$here/conformance.sh" "$allfold"
        # Intel MPI fails the others between nodes by itself, and takes minutes for it
        programs=(reductions communicators same_bits)
        [[ $name != intel* ]] || programs=(same_bits repeated)
        part "$name" "across nodes" 600 "$source/scripts/other-mpi" "$name" "$here/conformance.sh" "$allfold" --nodes \
            "${programs[@]}"
        part "$name" "mpi4py" 400 "$here/mpi4py.sh" "$name" "$allfold" "$logs"
        ;;
    esac
done

echo "test bed: $skipped skipped"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
