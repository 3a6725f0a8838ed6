#!/bin/bash
# A trace has the calls of a program, in the format of docs/trace.md, also where the program is killed,
# and says where its ranks were.
# Usage: test_trace.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
trace=$scratch/a.trace

# A reader by the page alone.
cat >"$scratch/reader.py" <<'END'
def numbers(text):
    return None if text == '-' else [int(number) for number in text.split(',')]

def read(path):
    lines = open(path).read().split('\n')
    assert lines[0] == 'allfold trace 3', lines[0]
    shapes, calls, begins, head, end, placements = [], [], [], None, None, [None]
    for line in lines[1:-1]: # behind the last line's end there is nothing, or a part of a line
        kind, *fields = line.split('\t')
        if kind == 'job':
            head = fields[:3] + [[int(field) for field in fields[3:10]]]
        elif kind == 'placement':
            placements.append(dict(zip(('nodes', 'order', 'sockets'), map(numbers, fields))))
        elif kind == 'shape':
            shape = {'collective': fields[0], 'layout': [int(field) for field in fields[1:8]],
                     'placement': placements[int(fields[8])], 'root': int(fields[9]), 'bytes': int(fields[10]),
                     'algorithm': fields[15], 'why': fields[16]}
            shape.update(calls=0, split=0, ns=0, waiting=0, all_waiting=0)
            shapes.append(shape)
        elif kind == 'end':
            end = [int(field) for field in fields]
        else:
            begin, ns, *waiting = (int(field) for field in fields)
            shape = shapes[int(kind)]
            calls.append(int(kind))
            begins.append(begin)
            shape['calls'] += 1
            shape['split'] += waiting != []
            for name, value in zip(('ns', 'waiting', 'all_waiting'), [ns] + waiting):
                shape[name] += value
    return head, shapes, calls, begins, end
END

# traced RANKS ARGUMENTS...: the program runs under a trace
traced() {
    rm -f "$trace"
    launched "$1" "$build/bin/allfold" run --trace="$trace" "$build/bin/mpi_waiting_$mpi" "${@:2}"
}

# holds EXPRESSION: it holds of the trace, and of what the program itself saw, in seconds.
holds() {
    true_of "$trace" "$1" <<'END'
import reader, waited
head, shapes, calls, begins, end = reader.read(path)
mine, everyone, took = waited.saw(text)
def all_of(name):
    return sum(shape[name] for shape in shapes)
def right(ns, true, count):
    return waited.right(1e-9 * ns, true, count)
shown = head, shapes, len(calls), begins[:9], end, text
END
}

traced 2 1 2000 300 allreduce
expect "the program ends well" [ "$status" = 0 ]
expect "the trace has all its calls, and an end" holds "len(calls) == 300 and end[:2] == [300, 0]"
expect "it has their shape" holds "len(shapes) == 1 and shapes[0]['collective'] == 'allreduce' and \
    shapes[0]['layout'][:4] == [2, 1, 2, 2] and shapes[0]['algorithm'] not in ('', 'native')"
expect "it has the job" holds "head[3][:2] == [2, 1] and head[2].startswith(('MPICH', 'Open MPI'))"
expect "what rank 0 waited is right" holds "right(shapes[0]['waiting'], mine, 300)"
expect "what the mean rank waited is right" holds "right(shapes[0]['all_waiting'], everyone / 2, 300)"
expect "the time in calls is what it may be" holds "shapes[0]['split'] == 300 and \
    shapes[0]['waiting'] < shapes[0]['ns'] < 1e9 * took"
expect "begins go on" holds "begins == sorted(begins) and 0 < begins[-1] < end[2] < 1e11"
expect "no report is written" [ ! -s "$scratch/err" ]
traced 2 0 2000 100 allreduce
expect "where rank 0 is late it waits less than the mean rank" \
    holds "all_of('waiting') < all_of('all_waiting')"
traced 4 none 0 400 some
expect "calls on two communicators are all there" holds "len(calls) == 400 and len(shapes) > 3"
ALLFOLD_ALGORITHM=allreduce=native traced 2 1 1000 50 allreduce
expect "so are native ones" holds "[(s['algorithm'], s['calls']) for s in shapes] == [('native', 50)]"
ALLFOLD_NETWORK=nodes=2x2 traced 4 none 0 50 bcast
expect "placements are there" holds "shapes[0]['layout'][:5] == [4, 2, 2, 2, 0] and shapes[0]['root'] == 3"
expect "with no record, where the layout says all" holds "shapes[0]['placement'] is None"
cores=$(getconf _NPROCESSORS_ONLN)
expect "and the cores that nodes of one machine share" \
    holds "shapes[0]['layout'][6] == ($cores if $cores < 4 else 0)"
traced 1 none 0 20 allreduce
expect "one rank alone has a trace" holds "len(calls) == 20"
ALLFOLD_REPORT=$scratch/report.json traced 2 none 0 30 allreduce
expect "a report beside it" grep -q '"calls": 30' "$scratch/report.json"
expect "has the same calls" holds "len(calls) == 30"
ALLFOLD_NONBLOCKING=1 launched 2 "$build/bin/allfold" run --report="$scratch/report.json" --trace="$trace" \
    "$build/bin/mpi_reported_$mpi" nonblocking 20 0 0
expect "calls that do not block are in the report" grep -q '"mode": "nonblocking"' "$scratch/report.json"
expect "and make no shape of the trace" holds "len(shapes) > 0 and all(shape['calls'] > 0 for shape in shapes)"
traced 2 none 0 200000 allreduce
expect "a call takes 40 bytes at most" [ "$(stat -c %s "$trace")" -lt 8000000 ]
expect "and all calls are there" holds "len(calls) == 200000 and end[0] == 200000"

launched 2 "$build/bin/allfold" run --trace=/nowhere/a.trace "$build/bin/mpi_waiting_$mpi" none 0 10 allreduce
expect "a path that cannot be written is said, and the program goes on" [ "$status" = 0 ]
expect "it is named" \
    grep -q 'the trace cannot be written to /nowhere/a.trace (No such file or directory); nothing is traced' "$scratch/err"

# a program that is killed leaves what was gathered
rm -f "$trace"
timeout --kill-after=10 100 "$source/scripts/launch" "$mpi" 2 "$build/bin/allfold" run --trace="$trace" \
    "$build/bin/mpi_waiting_$mpi" 1 1000 1000000 allreduce >"$scratch/out" 2>"$scratch/err" </dev/null &
launched=$!
for ((tries = 0; tries < 300; tries++)); do
    [ -s "$trace" ] && [ "$(stat -c %s "$trace")" -gt 250 ] && break
    sleep 0.1
done
kill -TERM "$launched"
wait "$launched"
expect "a killed program's trace has calls and no end" holds "len(calls) > 0 and end is None"

# what it would cost elsewhere, and what served it
killed=$scratch/killed.trace
mv "$trace" "$killed"
ALLFOLD_ALGORITHM=allreduce=ring traced 4 1 500 120 some
# asked COMMAND ARGUMENTS... -- EXPRESSION: it holds of the JSON that the command prints
asked() {
    local words=()
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    "$build/bin/allfold" "${words[@]}" >"$scratch/json" 2>"$scratch/err" || return 1
    python3 - "$scratch/json" "$2" <<'END'
import json, sys
said = json.load(open(sys.argv[1]))
rows = {(row['collective'], row['traced_p']): row for row in said['rows']}
if not eval(sys.argv[2]):
    print(json.dumps(said, indent=1))
    sys.exit(1)
END
}
elsewhere=(simulate --trace "$trace" --nodes 8 --ppn 4 --network fat-tree --json)
expect "simulate has all calls" asked "${elsewhere[@]}" -- "said['calls'] == 120 == said['replayed_calls']"
expect "on as many ranks as there are" \
    asked "${elsewhere[@]}" -- "said['nodes'] == 8 and said['ppn'] == 4 and rows['allreduce', 4]['p'] == 32"
expect "by the choice for that machine" \
    asked "${elsewhere[@]}" -- "rows['allreduce', 4]['traced_algorithm'] == 'ring' != rows['allreduce', 4]['chosen']"
expect "the best is no worse than the choice" asked "${elsewhere[@]}" -- \
    "0 < said['best_seconds'] <= said['chosen_seconds'] and all(r['best_us'] <= r['chosen_us'] for r in said['rows'])"
expect "and it says what balanced ranks would win" asked "${elsewhere[@]}" -- \
    "abs(said['chosen_seconds'] - said['balanced_seconds'] - said['mean_waiting_seconds']) < 1e-6"
expect "the sum of calls is the sum of rows" asked "${elsewhere[@]}" -- \
    "abs(said['balanced_seconds'] - sum(r['calls'] * r['chosen_us'] * 1e-6 for r in said['rows'])) < 1e-6"
expect "as it ran, it is simulated with what it ran with" asked simulate --trace "$trace" --json -- \
    "rows['allreduce', 4]['chosen'] == 'ring' and said['error'] >= 0 and rows['allreduce', 4]['p'] == 4"
expect "simulate says it for eyes" \
    grep -q 'simulated, by our choice, ranks balanced' <("$build/bin/allfold" simulate --trace "$trace")
expect "and as CSV" grep -qE '^allreduce,[0-9]+,4,"ring","forced",' \
    <("$build/bin/allfold" simulate --trace "$trace" --csv)
expect "explain says what served it" asked explain --trace "$trace" --json -- \
    "rows['allreduce', 4]['traced_source'] == 'forced' and rows['allreduce', 4]['calls'] > 0"
expect "and what the table should have" asked explain --trace "$trace" --network cluster --json -- \
    "[row['algorithm'] for row in said['table_should_have'] if row['collective'] == 'allreduce'] == \
     [rows['allreduce', 4]['best']] != ['ring']"
expect "also for eyes" grep -q 'ring (forced) .* times as fast' \
    <("$build/bin/allfold" explain --trace "$trace" --network cluster)
expect "a killed program's trace is said to be incomplete" asked simulate --trace "$killed" --json -- \
    "said['incomplete'] and said['calls'] > 0"
ALLFOLD_ALGORITHM=allreduce=native traced 2 none 0 20 allreduce
expect "of native calls the best of ours is simulated" asked simulate --trace "$trace" --json -- \
    "rows['allreduce', 2]['traced_algorithm'] == 'native' and ('reason' in said['rows'][0] or said['rows'][0]['chosen_us'] > 0)"

traced 2 none 0 20 allreduce 0
expect "of calls without data no other row is any better" asked explain --trace "$trace" --json -- \
    "said['table_should_have'] == [] and [(r['calls'], r['bytes']) for r in said['rows']] == [(20, 0)]"

# where the ranks were
# as_chosen ARGUMENTS...: explained, the job has what was chosen in it, and nothing is left out
as_chosen() {
    asked explain --trace "$trace" --json "$@" -- "all(r['chosen_anew'] == r['chosen'] == r['traced_algorithm'] \
        and r['p'] == r['traced_p'] for r in said['rows'] if r['traced_algorithm'] != 'native') and \
        len([r for r in said['rows'] if r['traced_source'] == 'built-in' and r['traced_algorithm'] != 'native']) > 1"
}
ALLFOLD_NETWORK=nodes=1x2x2 traced 4 none 0 40 some 128
expect "the sockets of a node are there" holds "[s['placement'] for s in shapes if s['collective'] == 'reduce'] == \
    [{'nodes': [0] * 4, 'order': None, 'sockets': [0, 0, 1, 1]}]"
expect "explained, the choices are the job's" as_chosen
printf 'name = plain\nnode: latency=0.5us, bandwidth=5GB/s\nnetwork: latency=2us, bandwidth=1GB/s\n' >"$scratch/plain"
expect "they are simulated, also where the network says nothing of sockets" \
    asked simulate --trace "$trace" --network "$scratch/plain" --json -- \
    "[r['chosen'] for r in said['rows'] if 'reason' not in r] == \
     [r['traced_algorithm'] for r in said['rows'] if r['traced_algorithm'] != 'native'] != []"
ALLFOLD_NETWORK=nodes=3,1 traced 4 none 0 40 some 128
expect "nodes of unlike size are there" holds "[s['placement'] for s in shapes if s['collective'] == 'reduce'] == \
    [{'nodes': [0, 0, 0, 1], 'order': None, 'sockets': None}]"
expect "explained, so are the choices on them" as_chosen
ALLFOLD_NETWORK=nodes=4x1,card=100Gbit/s traced 4 none 0 40 some 128
expect "explained, so are choices by the rate of the network cards" as_chosen
if unshare --uts true 2>"$scratch/err"; then
    # shellcheck source=test/mpi/hosts.sh
    . "$source/test/mpi/hosts.sh"
    name_hosts
    rm -f "$trace"
    HOSTS="n3 n1 n2 n0" launched 4 "$scratch/named" "$build/bin/allfold" run --trace="$trace" \
        "$build/bin/mpi_waiting_$mpi" none 0 40 some 128
    expect "hosts in another order are there" holds \
        "[s['placement'] for s in shapes if s['collective'] == 'reduce'] == \
         [{'nodes': [0, 1, 2, 3], 'order': [3, 1, 2, 0], 'sockets': None}]"
    expect "some choice goes by the order" holds "[s for s in shapes if 'renumbered' in s['algorithm']]"
    expect "explained, the choices on these hosts are the job's" as_chosen
else
    skip "hosts in another order" "no names of their own: $(cat "$scratch/err")"
fi

# files that are none
printf 'allfold trace 2\n' >"$scratch/version"
sed '2s/\t[0-9]*\t/\t-1\t/' "$trace" >"$scratch/damaged"
for command in simulate explain; do
    "$build/bin/allfold" "$command" --trace "$scratch/out" >/dev/null 2>"$scratch/err"
    expect "$command refuses another file" [ $? = 1 ]
    expect "and says so" grep -q "^allfold $command: .*/out: this is no trace; expected a file that" "$scratch/err"
    "$build/bin/allfold" "$command" --trace "$scratch/version" >/dev/null 2>"$scratch/err"
    expect "$command refuses another version" grep -q 'another version; expected version 3' "$scratch/err"
    "$build/bin/allfold" "$command" --trace "$scratch/damaged" >/dev/null 2>"$scratch/err"
    expect "$command refuses damage" grep -q 'line 2 says what cannot be; the file is damaged' "$scratch/err"
done
"$build/bin/allfold" simulate --trace "$trace" --algorithm ring >/dev/null 2>"$scratch/err"
expect "a trace and an algorithm do not fit together" grep -q 'expected no --algorithm beside it' "$scratch/err"
"$build/bin/allfold" explain --trace "$trace" --nodes 4 >/dev/null 2>"$scratch/err"
expect "nor do a trace and nodes" grep -q 'expected no --job, --nodes' "$scratch/err"

finish
