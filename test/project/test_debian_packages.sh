#!/bin/bash
# The Debian packages in a bare Debian: they install with what they depend on, and the README's first
# command runs an MPI program there. Needs root, debootstrap and Debian's packages; some minutes.
# Usage: test_debian_packages.sh BUILD_DIRECTORY SOURCE_DIRECTORY MPI...
set -u
build=$1 source=$2
shift 2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
logs=(log)
# shellcheck source=test/project/bare_debian.sh
. "$(dirname "$0")/bare_debian.sh"
for command in dpkg-buildpackage dh; do
    command -v "$command" >/dev/null || skip_all "$command is not installed"
done

"$source/scripts/debian-packages" "$scratch/packages" >"$scratch/log" 2>&1
check "the packages are built" $?
make_bare
mkdir "$bare/packages"
rm -f "$scratch"/packages/*-dbgsym_*.deb
cp "$scratch"/packages/*.deb "$bare/packages"

inside sh -c 'apt-get update && apt-get install -y --no-install-recommends /packages/*.deb openmpi-bin mpich'
check "they install with what they depend on" $?
for mpi in "$@"; do
    cp "$build/bin/example_cg_$mpi" "$bare/root/app"
    inside "mpirun.$mpi" -n 2 allfold run --report /root/app &&
        grep -qF 'result: passed' "$scratch/log" && grep -qE '^allreduce +2 ' "$scratch/log"
    check "mpirun allfold run ./app ($mpi)" $?
done
inside allfold info && grep -qF /usr/lib/allfold/ "$scratch/log"
check "allfold info" $?
[ -s "$bare/usr/share/man/man1/allfold.1.gz" ] && [ -s "$bare/usr/share/man/man3/allfold.3.gz" ] &&
    [ -s "$bare/usr/share/bash-completion/completions/allfold" ]
check "manual pages and completion" $?
inside dpkg --purge allfold allfold-openmpi allfold-mpich liballfold-dev liballfold-core0.2 &&
    [ -z "$(find "$bare/usr" -name '*allfold*')" ]
check "they leave nothing behind" $?
finish
