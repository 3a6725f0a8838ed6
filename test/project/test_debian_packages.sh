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
[ "$(id -u)" = 0 ] || skip_all "chroot is root's"
for command in debootstrap dpkg-buildpackage dh; do
    command -v "$command" >/dev/null || skip_all "$command is not installed"
done
bare=$scratch/bare
# what is mounted in it goes first, whatever happens
trap 'umount "$bare/proc" "$bare/dev" 2>/dev/null; rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 1' INT TERM

"$source/scripts/debian-packages" "$scratch/packages" >"$scratch/log" 2>&1
check "the packages are built" $?
debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$bare" \
    >"$scratch/log" 2>&1 || skip_all "debootstrap failed: $(tail -n 1 "$scratch/log")"
mkdir "$bare/packages"
rm -f "$scratch"/packages/*-dbgsym_*.deb
cp "$scratch"/packages/*.deb "$bare/packages"
mount --bind /dev "$bare/dev" && mount -t proc proc "$bare/proc"
check "the bare root has /dev and /proc" $?

inside() { chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@" >"$scratch/log" 2>&1; }
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
