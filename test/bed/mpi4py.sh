#!/bin/bash
# Runs mpi4py's own tests of collectives, from its source distribution, under `allfold run` on two ranks of the
# mpiexec and python3 that come first in PATH, those of scripts/other-mpi. The last line is 'N passed, N failed'.
# Usage: test/bed/mpi4py.sh ALLFOLD FOLDER      FOLDER keeps the tests
set -u
# shellcheck source=test/bed/served.sh
. "$(dirname "$(readlink -f "$0")")/served.sh"
allfold=$(readlink -f "$1")
mkdir -p "$2" && place=$(readlink -f "$2")/mpi4py
if [ ! -d "$place/test" ]; then
    rm -rf "$place" && mkdir -p "$place" || exit 1
    python3 -m pip install -q setuptools wheel &&
        python3 -m pip download -q --no-deps --no-binary :all: --no-build-isolation -d "$place" mpi4py==4.1.2 &&
        tar -xzf "$place"/mpi4py-*.tar.gz --strip-components=1 -C "$place"
    if [ ! -d "$place/test" ]; then
        echo "mpi4py's source distribution could not be downloaded"
        exit 77
    fi
fi
# the module of the environment, not the sources beside the tests
rm -rf "$place/src"
# Where the MPI library has no persistent collectives, mpi4py disables their tests if it lacks Barrier_init. Allfold
# has that one and others, but not all that are tested.
persistent=(-i cco_pr_buf)
if ! mpiexec -n 1 python3 -c 'from mpi4py import MPI; MPI.COMM_SELF.Barrier_init().Free()' >"$place/log" 2>&1; then
    persistent=()
    echo "left out: cco_pr_buf: the MPI library has no persistent collectives"
fi
# "Ran 526 tests in 7 s", and of a rank whose tests fail "FAILED (failures=2, errors=1, skipped=9)"
rm -f "$place/report.csv"
# a hang is a failure, not a slow machine
timeout --signal=KILL 350 mpiexec -n 2 "$allfold" run --report="$place/report.csv" python3 "$place/test/runtests.py" -i cco_buf -i cco_vec \
    -i cco_nb_buf -i cco_obj "${persistent[@]}" 2>&1 | tee "$place/log"
status=${PIPESTATUS[0]}
failed=$(sed -nE 's/^FAILED \((failures|errors)=([0-9]+).*/\2/p' "$place/log" | tail -n 1)
[ "$status" = 0 ] || [ -n "$failed" ] || failed=1
ran=$(sed -nE 's/^Ran ([0-9]+) tests.*/\1/p' "$place/log" | tail -n 1)
if ! was_served "$place/report.csv"; then
    echo "Allfold served no call"
    failed=$((${failed:-0} + 1)) status=1
fi
echo "$((${ran:-0} - ${failed:-0})) passed, ${failed:-0} failed"
exit "$status"
