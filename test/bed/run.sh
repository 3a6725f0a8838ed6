#!/bin/bash
# Runs Allfold on the MPI libraries of the test bed (scripts/other-mpi, scripts/other-release) and counts.
#
#     test/bed/run.sh BUILD_DIRECTORY [--limit SECONDS] [--parts "PART..."] [--scale PERCENT] [--record] [NAME...]
#
# A NAME is an MPI of `scripts/other-mpi list`; trixie or forky, which stands for all MPIs of that release of
# Debian, with a build there; or abi-NAME: programs compiled for the standard ABI with MPICH 5's mpicc_abi and run
# with the libmpi_abi of NAME. For the latter BUILD_DIRECTORY must hold a build for that ABI
# (-DALLFOLD_MPICC=.../mpicc_abi). Default: openmpi-5.0.11 mpich-5.0.2 intel-2021.18 trixie.
# A PART gives one result; default: all but build and fortran. --scale: a sample of the cases of conformance.sh.
#
#     build        Allfold compiles without a warning with the MPI's compiler wrapper
#     conformance  programs of conformance.sh on one node
#     nodes        some of them on 2 x 2 emulated nodes
#     nonblocking  nonblocking collectives, with ALLFOLD_NONBLOCKING=1
#     soak         random calls for some seconds
#     one-copy     programs of conformance.sh with `allfold run --one-copy`
#     spawn        MPI_Comm_spawn, and collectives with the spawned processes
#     python       mpi4py's own tests of collectives
#     fortran      test/mpi/test_fortran.sh
#
# A part for which an MPI or a release cannot be installed is skipped with its reason, as is what does not begin
# within --limit (default 1500). Ends with 'N passed, N failed', where each part counts once. --record puts the
# results of the parts that were run into test/bed/results.csv in place of their previous results; the pages that
# show them are made by scripts/support-matrix.
set -u -o pipefail
here=$(dirname "$(readlink -f "$0")")
source=$(dirname "$(dirname "$here")")
cd "$source" || exit 1
build=$(readlink -f "$1")
shift
limit=1500 names=() parts='conformance nodes nonblocking soak one-copy spawn python' record='' scale=100
while [ $# -gt 0 ]; do
    case $1 in
    --limit) limit=$2 && shift ;;
    --parts) parts=$2 && shift ;;
    --scale) scale=$2 && shift ;;
    --record) record=1 ;;
    *) names+=("$1") ;;
    esac
    shift
done
[ ${#names[@]} -gt 0 ] || names=(openmpi-5.0.11 mpich-5.0.2 intel-2021.18 trixie)
logs=$build/bed
mkdir -p "$logs"
passed=0 failed=0 skipped=0

# Puts one result into the file: MPI, SOURCE, PART, PASSED, FAILED, LEFT_OUT
write_row() {
    local file=$here/results.csv row lock
    exec {lock}>"$logs/lock"
    flock "$lock"
    row=$(printf '%s,' "$@")$(date +%F)
    {
        echo mpi,source,part,passed,failed,left_out,date
        { [ ! -e "$file" ] || sed 1d "$file" | grep -vF "$1,$2,$3,"; } | cat - <(echo "$row") | LC_ALL=C sort
    } >"$logs/results.csv"
    mv "$logs/results.csv" "$file"
    exec {lock}>&-
}

# part PART SECONDS COMMAND...: one result of $title; its output goes to a file, the end of it to stdout if it fails.
# True if the part passed.
part() {
    local log="$logs/$title $origin $1.log" status result begin=$SECONDS where="$title ($origin), $1"
    if [ $SECONDS -gt "$limit" ]; then
        echo "skipped: $where: the limit of $limit s is over"
        skipped=$((skipped + 1))
        return 1
    fi
    timeout "$2" "${with[@]}" "${@:3}" >"$log" 2>&1 </dev/null
    status=$?
    result=$(grep -oE '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    [ -n "$result" ] || result="$((status == 0)) passed, $((status != 0)) failed"
    [ $status = 0 ] || [[ $result != *" 0 failed" ]] || result="${result%%,*}, 1 failed"
    case $status in
    0)
        passed=$((passed + 1))
        echo "passed: $where: $result ($((SECONDS - begin)) s)"
        ;;
    77 | 124) # each run of a program has a limit of its own, so nothing hung
        skipped=$((skipped + 1))
        [ $status = 77 ] || echo "it did not end within $2 s on this machine" >>"$log"
        echo "skipped: $where: $(tail -n 1 "$log")"
        return 1
        ;;
    *)
        failed=$((failed + 1))
        echo "FAILED: $where: status $status, $result ($((SECONDS - begin)) s)"
        tail -n 25 "$log" | sed 's/^/    /'
        ;;
    esac
    if [ -n "$record" ]; then
        local numbers
        read -ra numbers <<<"${result//[!0-9]/ }"
        write_row "$title" "$origin" "$1" "${numbers[@]}" "$(grep -cE '^(left out|skipped): ' "$log")"
    fi
    [ $status = 0 ]
}

# What MPI it is, of the kind openmpi, mpich or intel: "Open MPI 5.0.11"
name_it() {
    local version
    version=$("${with[@]}" mpiexec --version 2>"$logs/version.log" | grep -aoE '[0-9]+\.[0-9]+(\.[0-9]+)?(rc[0-9]+)?' | head -n 1)
    case $1 in
    openmpi) title="Open MPI $version" ;;
    mpich) title="MPICH $version" ;;
    intel) title="Intel MPI ${version%.0}" ;;
    esac
    if [ -z "$version" ]; then
        echo "skipped: $*, $origin: $(tail -n 1 "$logs/version.log")"
        skipped=$((skipped + 1))
        return 1
    fi
}

# run_parts KIND ALLFOLD BUILD_COMMAND [ARGUMENTS of conformance.sh]: the chosen parts of the MPI that "${with[@]}" starts
run_parts() {
    local chosen programs conformance=(test/bed/conformance.sh "$2" --scale "$scale" "${@:4}") where
    where=$(dirname "$(dirname "$2")")
    for chosen in $parts; do
        case $chosen in
        build) [ -z "$3" ] || part build 900 bash -c "$3" ;;
        conformance) part "$chosen" 600 "${conformance[@]}" reductions types communicators errors same_bits repeated ;;
        nodes)
            # Intel MPI fails the others between nodes by itself, and takes minutes for it
            programs=(reductions communicators same_bits)
            [[ $1 != intel ]] || programs=(same_bits repeated)
            part "$chosen" 600 "${conformance[@]}" --nodes "${programs[@]}"
            ;;
        nonblocking | soak | spawn) part "$chosen" 300 "${conformance[@]}" --scale 100 "$chosen" ;;
        one-copy) part "$chosen" 300 "${conformance[@]}" --one-copy one_copy same_bits ;;
        python) [ $# -gt 3 ] || part "$chosen" 400 test/bed/mpi4py.sh "$2" "$where/bed" ;;
        fortran) [ $# -gt 3 ] || part "$chosen" 400 test/mpi/test_fortran.sh "${1/intel/mpich}" "$where" . ;;
        *) echo "run.sh: unknown part '$chosen'" >&2 && exit 2 ;;
        esac
    done
}

# Allfold for the compiler wrappers of one MPI alone
build_for() { # WRAPPERS
    local folder="$logs/$name"
    echo "cmake -S . -B '$folder' -DALLFOLD_TESTS=OFF -DALLFOLD_WERROR=ON '-DALLFOLD_MPICC=$1' &&
        cmake --build '$folder' --parallel 2"
}

# The MPIs of a release, and if it has Open MPI's compiler wrapper for the standard ABI, that with each of them.
# Debian testing has the wrapper's data, but no command.
run_release() {
    local kind in_release=("${with[@]}") make wrapper=build/bed/mpicc_abi wrappers='mpicc.openmpi;mpicc.mpich'
    if "${in_release[@]}" sh -c "ls /usr/share/openmpi/mpicc_abi-wrapper-data.txt && mkdir -p build/bed &&
        ln -sf /usr/bin/opal_wrapper $wrapper" >"$logs/version.log" 2>&1; then
        wrappers+=";/allfold/$wrapper"
    fi
    make="scripts/install-dependencies certify && make build BUILD=build CMAKE_OPTIONS='-DALLFOLD_TESTS=OFF \
        -DALLFOLD_WERROR=ON \"-DALLFOLD_MPICC=$wrappers\"' && ls build/lib/allfold/liballfold-"
    if ! "${in_release[@]}" bash -c "$make*" >"$logs/$name.log" 2>&1; then
        echo "FAILED: $name: the build: $(tail -n 1 "$logs/$name.log")"
        failed=$((failed + 1))
        return
    fi
    for kind in openmpi mpich; do
        with=("${in_release[@]}" scripts/other-mpi "$kind-debian")
        name_it $kind && run_parts $kind build/bin/allfold "$make$kind.so"
    done
    [[ $wrappers = *abi ]] || return 0
    for kind in openmpi mpich; do
        with=("${in_release[@]}" scripts/other-mpi "$kind-debian")
        name_it $kind || continue
        # Debian's libmpi_abi.so.1 is Open MPI's
        # shellcheck disable=SC2016 # the inner shell expands it
        [ $kind = openmpi ] || with+=(sh -c 'mkdir -p build/bed/mpich &&
            ln -sf /usr/lib/*/libmpi_abi_mpich.so.1.0.0 build/bed/mpich/libmpi_abi.so.1 &&
            LD_LIBRARY_PATH=$PWD/build/bed/mpich exec "$@"' -)
        title+=" (standard ABI)"
        run_parts $kind build/bin/allfold "${make}abi.so" --compiler /allfold/$wrapper
    done
}

cache=${BED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/allfold}
for name in "${names[@]}"; do
    title=$name origin=wheel
    mpi=${name#abi-}
    kind=${mpi%%-*}
    with=(scripts/other-mpi "$mpi")
    case $name in
    trixie | forky)
        with=(scripts/other-release "$name") origin="Debian 13"
        [ "$name" = trixie ] || origin="Debian testing"
        if ! "${with[@]}" true 2>"$logs/version.log"; then
            echo "skipped: $name: $(tail -n 1 "$logs/version.log")"
            skipped=$((skipped + 1))
            continue
        fi
        run_release
        ;;
    abi-*)
        if ! scripts/other-mpi mpich-5.0.2 true || ! name_it "$kind"; then continue; fi
        title+=" (standard ABI)"
        make=''
        [ "$kind" = intel ] || make=$(build_for "mpicc;mpicc_abi") # Intel MPI has no such wrapper
        run_parts "$kind" "$build/bin/allfold" "$make" \
            --compiler "$cache/mpi/mpich-5.0.2/bin/mpicc_abi"
        ;;
    *)
        [[ $name != openmpi-4.1.4 && $name != mpich-4.0.2 ]] || origin="Debian 12"
        name_it "$kind" && run_parts "$kind" "$build/bin/allfold" "$(build_for mpicc)"
        ;;
    esac
done

echo "test bed: $skipped skipped"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
