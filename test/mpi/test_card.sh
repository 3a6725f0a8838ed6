#!/bin/bash
# Ranks on machines of their own, whose systems say what their network cards carry: the slowest counts,
# and choices go by it. Each machine has a name, a boot's id, and files of cards below /sys of its own.
# Usage: test_card.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
# shellcheck source=test/mpi/hosts.sh
. "$(dirname "$0")/hosts.sh"
boot=/proc/sys/kernel/random/boot_id
unshare --uts --mount mount --bind "$boot" "$boot" 2>"$scratch/err" &&
    [ -d /sys/class/net ] || skip_all "cards (no files of their own: $(cat "$scratch/err"))"

# machine NAME MBIT: what that machine's system says; an MBIT of -1 is a card that says nothing
machine() {
    mkdir -p "$scratch/$1/net/hsn0/device"
    for interface in /sys/class/net/*; do # where MPICH looks for interfaces, which are links there
        ln -s . "$scratch/$1/net/${interface##*/}"
    done
    echo up >"$scratch/$1/net/hsn0/operstate"
    echo "$2" >"$scratch/$1/net/hsn0/speed"
    cat /proc/sys/kernel/random/uuid >"$scratch/$1/boot_id"
}
name_hosts --mount
cat >"$scratch/on_host" <<'END'
files=$(dirname "$0")/$name
mount --bind "$files/net" /sys/class/net && mount --bind "$files/boot_id" /proc/sys/kernel/random/boot_id
END

allfold=$build/bin/allfold
export UCX_TLS=tcp,self # MPICH's
carries() { grep -q "\"card_mbit\": $1[,}]" "$scratch/out"; }
machine fast 200000
machine slower 100000
machine silent -1
machine office 1000
machine managed 100
on "fast slower fast slower" "$allfold" info --json
[ "$status" = 0 ] || skip_all "cards (MPI does not connect such machines: $(head -n 3 "$scratch/err"))"
expect "the ranks are on two nodes" grep -q '"nodes": 2' "$scratch/out"
expect "the slowest card counts" carries 100000
on "fast fast slower" "$allfold" info
expect "people see it" grep -qx '  the network cards of the nodes carry 100 Gbit/s' "$scratch/out"
on "fast silent" "$allfold" info --json
expect "a card of which nothing is known" carries 0
on "fast office" "$allfold" info --json
expect "plain Ethernet" carries 1000
on "fast managed" "$allfold" info --json
expect "a card for management alone" carries 0
on "fast fast" "$allfold" info --json
expect "one node needs no card" carries 0
ALLFOLD_NETWORK=card=off on "fast slower" "$allfold" info --json
expect "cards are not asked for" carries 0
ALLFOLD_NETWORK=card=40Gbit/s on "fast slower" "$allfold" info --json
expect "or another rate is set" carries 40000

# communicators have what the job has
on "fast slower fast slower" "$allfold" run "$build/bin/mpi_communicators_$mpi"
check "communicators of such ranks" "$status"
finish
