#!/bin/bash
# The report of calls that do not block, of the phases that a program names, and of first calls.
# Usage: test_reported.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
report=$scratch/report.json

# reported WHAT CALLS DELAY LATE: the program runs on two ranks, or on `ranks` ranks
ranks=2 parts=
reported() {
    rm -f "$report"
    timeout --kill-after=10 100 "$source/scripts/launch" "$mpi" "$ranks" "$build/bin/allfold" run --report="$report$parts" \
        "$build/bin/mpi_reported_$mpi" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
}

# holds EXPRESSION: it holds of the report
holds() {
    python3 - "$report" "$1" <<'END'
import json, re, sys
report = json.load(open(sys.argv[1]))
rows = report["rows"]
def of(mode): # the sums of such rows
    return {name: sum(row[name] for row in rows if row["mode"] == mode)
            for name in ("calls", "seconds", "flight_seconds", "awaited_seconds", "all_bytes")}
def calls_at(collective, site): # in each place whose text begins so
    return sorted(row["calls"] for row in rows
                  if row["collective"] == collective and row["site"].startswith(site))
def calls_in(phase):
    return sum(row["calls"] for row in rows if row["phase"] == phase)
if not eval(sys.argv[2]):
    print(sys.argv[2], rows, file=sys.stderr)
    sys.exit(1)
END
}

export ALLFOLD_NONBLOCKING=1
for mode in nonblocking persistent; do
    reported $mode 100 2000 0
    expect "$mode calls end well" [ "$status" = 0 ]
    expect "$mode calls have a row" holds "of('$mode')['calls'] == 100 and of('$mode')['all_bytes'] == 3200"
    expect "they are in flight while the program computes" holds "of('$mode')['flight_seconds'] > 0.2"
    expect "and it hardly waits" holds "of('$mode')['awaited_seconds'] < 0.5 * of('$mode')['flight_seconds']"
    expect "all ranks' sums say so" holds "report['in_flight']['seconds'] > 0.4"
    reported $mode 100 0 2000
    expect "$mode calls wait for a late rank" holds "of('$mode')['awaited_seconds'] > 0.08"
    expect "and that is time in the library" holds "of('$mode')['seconds'] >= of('$mode')['awaited_seconds']"
    expect "no more than they are in flight" \
        holds "of('$mode')['awaited_seconds'] <= of('$mode')['flight_seconds'] + 1e-6"
done
for ranks in 1 2; do
    reported alone 20 0 0
    expect "calls on communicators of one rank are there ($ranks ranks)" \
        holds "sorted((row['collective'], row['mode'], row['calls']) for row in rows) == [('allreduce', 'blocking', 40), \
            ('allreduce', 'nonblocking', 40), ('barrier', 'blocking', 40)]"
    reported persistent 20 0 0
    expect "persistent calls of $ranks ranks are there" holds "of('persistent')['calls'] == 20"
done
ALLFOLD_VERBOSE=1 reported alternating 20 0 0
expect "calls that alternate between in place and not build one plan of each kind" \
    [ "$(grep -c 'allreduce of 4 x 8 bytes on 2 ranks' "$scratch/err")" = 2 ]
unset ALLFOLD_NONBLOCKING
reported first 3 0 0
expect "first calls of nothing end, however the ranks describe it" [ "$status" = 0 ]
expect "of first calls only the short ones go to the MPI library" \
    holds "[(row['collective'], row['calls'], row['most_bytes']) for row in rows if 'first call' in row['chosen']] == [('allgather', 3, 64)]"
reported nonblocking 20 0 0
expect "calls of the MPI library have a row, too, with their bytes and the time of the start" \
    holds "[(row['calls'], row['least_bytes'], row['all_bytes'], row['chosen']) for row in rows if row['mode'] == 'nonblocking' \
        and row['algorithm'] == 'native' and row['seconds'] > 0] == [(20, 32, 640, 'without ALLFOLD_NONBLOCKING=1')]"
reported persistent 20 0 0
expect "so have starts of a persistent request of the MPI library" \
    holds "[(row['calls'], row['all_bytes'], row['algorithm']) for row in rows if row['mode'] == 'persistent'] == [(20, 640, 'native')]"
reported persistent_all 20 0 0
expect "and of several that are started together" \
    holds "[(row['calls'], row['all_bytes'], row['seconds'] > 0) for row in rows if row['mode'] == 'persistent'] == [(60, 1920, True)]"
reported nonblocking 20 0 0
expect "few of them are no advice" holds "'nonblocking' not in {one['kind'] for one in report.get('advice', [])}"
for mode in nonblocking persistent; do
    reported $mode 200 0 0
    expect "many $mode calls without the setting: the advice names it" holds \
        "[one['text'] for one in report['advice'] if one['kind'] == 'nonblocking'] != []"
done
ALLFOLD_NONBLOCKING=1 ALLFOLD_ALGORITHM=allreduce=native reported nonblocking 200 0 0
expect "with the setting the reason is the true one" \
    holds "{row['chosen'] for row in rows if row['mode'] == 'nonblocking'} == {'forced'} and \
        'nonblocking' not in {one['kind'] for one in report.get('advice', [])}"

reported phases 10 0 0
expect "phases: it ends well" [ "$status" = 0 ]
expect "calls are in their phases" holds "calls_in('assemble') == 40 and calls_in('so lve') == 62"
expect "and in those of MPI_Pcontrol" holds "calls_in('7') == 50"
expect "and in none" holds "calls_in('') == 30"
ALLFOLD_ALGORITHM=allreduce=native reported phases 10 0 0
expect "native calls are in their phases" holds "calls_in('assemble') == 40 and calls_in('7') == 50"
timeout 100 "$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" run --report \
    "$build/bin/mpi_reported_$mpi" phases 10 0 0 >"$scratch/out" 2>"$scratch/err" </dev/null
expect "the table has a line for a phase" grep -qE '^phase so lve  +62 ' "$scratch/err"
expect "and one for what is in none" grep -qE '^phase \(none\)  +30 ' "$scratch/err"
report=$scratch/report.html
reported phases 10 0 0
cp "$report" "$scratch/out"
python "the page is well-formed, small, and has the phases" "
page = minidom.parseString(text)
cells = [''.join(n.data for n in cell.childNodes if n.nodeType == n.TEXT_NODE) for cell in page.getElementsByTagName('td')]
assert {'assemble', 'so lve', '7'} <= set(cells), cells
assert len(text) < 100000 and 'http' not in text"
# where calls are made
report=$scratch/report.json
parts=,sites
for nonblocking in 0 1; do
    ALLFOLD_NONBLOCKING=$nonblocking reported sites 10 0 0
    expect "sites: it ends well" [ "$status" = 0 ]
    expect "sites: each line of a function has its row" \
        holds "calls_at('allreduce', 'call_here ') == [10, 20]"
    expect "sites: functions are distinguished" holds "calls_at('bcast', 'call_there ') == [10]"
    expect "sites: so are calls that do not block ($nonblocking)" \
        holds "calls_at('allreduce', 'call_there ') == [10] and not calls_at('bcast', 'call_here ')"
    expect "sites: the file and the address are there" \
        holds "all(re.search(r'\(mpi_reported_[a-z]+\+0x[0-9a-f]+[,)]', row['site']) for row in rows)"
done
cat >"$scratch/lines.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int in = 1, out;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* line 7 */
    MPI_Finalize();
}
END

# lines PATH ARGUMENTS...: the program is built with these, and says where it calls; PATH for it
lines() {
    rm -f "$report"
    "mpicc.$mpi" "${@:2}" "$scratch/lines.c" -o "$scratch/lines" &&
        timeout 100 "$source/scripts/launch" "$mpi" 2 env PATH="$1" "$build/bin/allfold" run \
            --report="$report,sites" "$scratch/lines" >"$scratch/out" 2>"$scratch/err" </dev/null
}

if command -v addr2line >/dev/null; then
    lines "$PATH" -g
    expect "sites: -g gives lines" holds "calls_at('allreduce', 'main (lines+') == [10] and \
        rows[0]['site'].endswith(', lines.c:7)') and 'no_source_lines' not in report"
else
    skip "sites: lines" "there is no addr2line"
fi
lines "$PATH" -g0
expect "sites: without -g the report says so" holds "calls_at('allreduce', 'main (lines+') == [10] and \
    not re.search(r'lines\.c', rows[0]['site']) and \
    report['no_source_lines'] in ('the program is built without -g', 'addr2line is not installed')"
lines /nowhere -g
expect "sites: without addr2line too" holds "calls_at('allreduce', 'main (lines+') == [10] and \
    report['no_source_lines'] == 'addr2line is not installed'"

parts=
cat >"$scratch/others.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int in = 1, out, rank;
    MPI_Comm others;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &others);
    MPI_Pcontrol(3);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 20 * (rank > 0); i++)
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, others);
    MPI_Comm_free(&others);
    MPI_Finalize();
}
END
"mpicc.$mpi" "$scratch/others.c" -o "$scratch/others"
for where in "--report=$report" --report; do
    timeout 100 "$source/scripts/launch" "$mpi" 3 "$build/bin/allfold" run "$where" \
        "$scratch/others" >"$scratch/out" 2>"$scratch/err" </dev/null
done
expect "calls that rank 0 does not make have a row, with means over the ranks that make them" \
    holds "sorted((row['p'], row['ranks'], row['calls'], row['mean_calls']) for row in rows) == [(2, 2, 0, 20), (3, 3, 10, 10)]"
expect "in the table, too" grep -qE '^allreduce +2 +4 +20 +80 ' "$scratch/err"
expect "and the phase has them, in the mean of all ranks" grep -qE '^phase 3 +23 ' "$scratch/err"
cat >"$scratch/operation.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int calls;
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    calls++;
    for (int i = 0; i < *n; i++)
        ((double *)inout)[i] += ((double *)in)[i];
}
int main(int argc, char **argv)
{
    const int n = 65536;
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
    int rank;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(x, y, n, MPI_DOUBLE, op, MPI_COMM_WORLD);
    if (rank == 0)
        printf("calls: %d\n", calls);
    MPI_Op_free(&op);
    MPI_Finalize();
}
END
"mpicc.$mpi" "$scratch/operation.c" -o "$scratch/operation"
for algorithm in recursive_doubling ring; do
    ALLFOLD_ALGORITHM=allreduce=$algorithm timeout 100 "$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" run \
        --report="$report" "$scratch/operation" >"$scratch/out" 2>"$scratch/err" </dev/null
    calls=$(sed -n 's/^calls: //p' "$scratch/out")
    expect "$algorithm: calls of the program's operation are counted: $calls" \
        holds "[(one['algorithm'], one['calls'], one['operation_calls']) for one in report['operations']] == [('$algorithm', 10, $calls)]"
    cp "$report" "$scratch/$algorithm.json"
done
expect "recursive doubling reduces whole vectors, so a call of a vector has as many pieces; a ring reduces half of it here" python3 -c '
import json, sys
for path, times in zip(sys.argv[1:], (1, 2)):
    one = json.load(open(path))["operations"][0]
    assert abs(one["pieces"] - times * one["operation_calls"] / one["calls"]) < 1e-3 and one["pieces"] > 1, (path, one)' \
    "$scratch/recursive_doubling.json" "$scratch/ring.json"
reported sites 10 0 0
expect "without the setting there is no site" holds "{row['site'] for row in rows} == {''}"
cat >"$scratch/sites.f90" <<'END'
subroutine solve(n)
  use mpi
  integer :: n, i, ierror
  double precision :: x(4), y(4)
  x = 1
  do i = 1, n
    call MPI_Allreduce(x, y, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end do
end subroutine
program sites
  use mpi
  integer :: ierror
  call MPI_Init(ierror)
  call solve(10)
  call MPI_Finalize(ierror)
end program
END
if "mpifort.$mpi" -J "$scratch" "$scratch/sites.f90" -o "$scratch/sites" 2>"$scratch/err"; then
    timeout 100 "$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" run --report="$report,sites" \
        "$scratch/sites" >"$scratch/out" 2>"$scratch/err" </dev/null
    expect "sites: Fortran's wrappers are not the program" holds "calls_at('allreduce', 'solve_ (sites+') == [10]"
else
    skip "sites of Fortran" "mpifort.$mpi does not compile"
fi

# a file system without room
timeout 100 "$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" run --report=/dev/full \
    "$build/bin/mpi_reported_$mpi" phases 10 0 0 >"$scratch/out" 2>"$scratch/err" </dev/null
expect "a report that cannot be written is on stderr" grep -qE '^phase so lve ' "$scratch/err"
expect "with the reason" grep -qE \
    '^allfold: the report cannot be written to /dev/full \(No space left on device\); here it is' "$scratch/err"
expect "and a device stays one" [ -c /dev/full ]
report=$scratch/full/report.json
if mkdir "$scratch/full" && unshare --mount true 2>/dev/null; then
    cat >"$scratch/in_little_room" <<END
mount -t tmpfs -o size=4k none "$scratch/full" && head -c 4096 /dev/zero >"$scratch/full/other"
"$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" run --report="$report" "$build/bin/mpi_reported_$mpi" phases 10 0 0
ls "$scratch/full" >"$scratch/left"
END
    timeout --kill-after=10 100 unshare --mount bash "$scratch/in_little_room" >"$scratch/out" 2>"$scratch/err" </dev/null
    expect "in a full file system, too" grep -qE \
        "^allfold: the report cannot be written to $report \(No space left on device\); here it is" "$scratch/err"
    expect "where no file is left" [ "$(cat "$scratch/left")" = other ]
else
    skip "a full file system" "no file system can be mounted here"
fi

timeout 100 "$source/scripts/launch" "$mpi" 2 "$build/bin/mpi_reported_$mpi" phases 10 0 0 >"$scratch/out" 2>&1 </dev/null
expect "without Allfold the program runs" [ $? = 0 ]

finish
