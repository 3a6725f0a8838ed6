#!/bin/bash
# Runs mpi4py's own tests of collectives, from its source distribution, under `allfold run` on two ranks.
# Usage: test/bed/mpi4py.sh NAME ALLFOLD FOLDER   NAME is an MPI of scripts/other-mpi; FOLDER keeps the tests
set -u
source=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
name=$1 allfold=$2 place=$3/mpi4py
if [ ! -d "$place/test" ]; then
    rm -rf "$place" && mkdir -p "$place" || exit 1
    # shellcheck disable=SC2016 # the inner shell's
    "$source/scripts/other-mpi" "$name" bash -c 'python3 -m pip install -q setuptools wheel &&
        python3 -m pip download -q --no-deps --no-binary :all: --no-build-isolation -d "$0" mpi4py==4.1.2' "$place" &&
        tar -xzf "$place"/mpi4py-*.tar.gz --strip-components=1 -C "$place"
    if [ ! -d "$place/test" ]; then
        echo "mpi4py's source distribution could not be downloaded"
        exit 77
    fi
fi
# the module of the environment, not the sources beside the tests
rm -rf "$place/src"
exec "$source/scripts/other-mpi" "$name" mpiexec -n 2 "$allfold" run python3 "$place/test/runtests.py" -i cco_buf -i cco_vec \
    -i cco_nb_buf -i cco_pr_buf -i cco_obj
