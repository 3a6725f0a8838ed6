# A bare Debian in $scratch/bare, which the tests of `make long` enter. A test sources it behind harness.sh.
# Needs root, debootstrap and Debian's packages.
# shellcheck shell=bash
# shellcheck disable=SC2154 # of harness.sh

bare=$scratch/bare
# what is mounted in it goes first, whatever happens
trap 'umount "$bare/sys" "$bare/proc" "$bare/dev/shm" "$bare/dev" 2>/dev/null; rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 1' INT TERM

# make_bare: makes it
make_bare() {
    [ "$(id -u)" = 0 ] || skip_all "chroot is root's"
    command -v debootstrap >/dev/null || skip_all "debootstrap is not installed"
    debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$bare" \
        >"$scratch/log" 2>&1 || skip_all "debootstrap failed: $(tail -n 1 "$scratch/log")"
    # private: what is mounted in this /dev must not show in the machine's
    mount --bind /dev "$bare/dev" && mount --make-private "$bare/dev" &&
        mount -t tmpfs tmpfs "$bare/dev/shm" && mount -t proc proc "$bare/proc" &&
        mount -t sysfs sysfs "$bare/sys"
    check "the bare root has /dev, /proc and /sys" $?
}

# inside COMMAND...: what it prints goes to $scratch/log
inside() { chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@" >"$scratch/log" 2>&1 </dev/null; }
