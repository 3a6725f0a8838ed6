#!/bin/bash
# `allfold top` on made pages: which ranks it names that are in no collective.
# Usage: test_top.sh ALLFOLD PAGES
set -u
allfold=$1 pages=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
mkdir "$scratch/pages"

# outside RANKS LIST: of that many ranks, all but rank 0 are outside, and the line ends so
outside() {
    coproc made { exec "$pages" "$scratch/pages" "$1"; }
    local process=$made_PID ready
    read -r ready <&"${made[0]}"
    expect "the pages of $1 ranks are made" [ "$ready" = ready ]
    run "$allfold" top --directory "$scratch/pages"
    expect "of $1 ranks it names those outside" grep -qxE \
        "These figures are 1[0-9] s old\. 1 of $1 ranks here is in a collective, rank 0 in alltoall for [0-9] s; not in one:$2\." "$scratch/out"
    exec {made[1]}>&-
    wait "$process"
    check "the pages of $1 ranks are gone" $?
}

outside 2 ' 1'
outside 16 '( [0-9]+,){14} 15'
outside 17 '( [0-9]+,){15} 16'
outside 18 '( [0-9]+,){15} 16, \.\.\.'

finish
