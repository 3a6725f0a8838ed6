#!/bin/bash
# The newcomer's path in a bare Debian, with nothing but the README: install git and make, clone, `make demo`, a
# program of one's own, its report, `make check`. It prints what each step took. Some twenty minutes.
# Usage: test_newcomer.sh SOURCE_DIRECTORY; NEWCOMER_CHECK=0 leaves out `make check`
set -u
source=$1
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
logs=(log)
# shellcheck source=test/project/bare_debian.sh
. "$(dirname "$0")/bare_debian.sh"
make_bare
git clone -q --bare "$source" "$bare/srv/allfold.git"
check "there is a repository to clone" $?

# step NAME LIMIT_S WHO COMMAND...: a command of that user's, in the clone if there is one, with its time
step() {
    local name=$1 limit_s=$2 who=$3 begin=$EPOCHREALTIME seconds
    inside su "$who" -s /bin/sh -c "cd; cd allfold 2>/dev/null; $4"
    check "$name" $?
    seconds=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f", b - a }')
    echo "$name: $seconds s (at most $limit_s)"
    expect "$name takes at most $limit_s s" [ "$seconds" -le "$limit_s" ]
}

inside useradd --create-home dev
check "there is a user" $?
inside chown -R dev /srv/allfold.git
step "apt-get install git make" 300 root 'apt-get update && apt-get install -y --no-install-recommends git make'
step "git clone" 60 dev 'git clone -q /srv/allfold.git'
inside su dev -s /bin/sh -c 'cd ~/allfold && make demo'
expect "make demo asks for packages" [ $? != 0 ]
command=$(sed -n 's/^ *sudo //p' "$scratch/log" | sed 's/&& sudo /\&\& /')
expect "and names the command" [ -n "$command" ]
step "what make demo asks for" 600 root "$command"
step "make demo" 60 dev 'make demo'
cp "$scratch/log" "$scratch/demo"
expect "it shows a gain" grep -qE 'times as fast' "$scratch/demo"
sed 's/^/    /' "$scratch/demo"

cat >"$bare/home/dev/own.c" <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    double mine, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = rank;
    for (int i = 0; i < 1000; i++)
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
END
step "a program of one's own" 120 dev 'cd .. && mpicc own.c -o own &&
    PATH=$HOME/allfold/build-demo/bin:$PATH && mpirun -n 2 allfold run --report ./own'
expect "its report names an algorithm" grep -qE '^allreduce +2 ' "$scratch/log"
if [ "${NEWCOMER_CHECK:-1}" = 0 ]; then
    skip "make check" "NEWCOMER_CHECK=0"
else
    inside su dev -s /bin/sh -c 'cd ~/allfold && make check'
    command=$(sed -n 's/^ *sudo //p' "$scratch/log" | sed 's/&& sudo /\&\& /')
    step "what make check asks for" 600 root "$command"
    step "make check" 900 dev 'make check'
fi
finish
