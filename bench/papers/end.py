"""V. End, R. Yahyapour, C. Simmendinger, T. Alrutz, GASPI allreduce with butterfly-like algorithms, 2016."""
from math import ceil, log

from lab import Result, Row

TITLE = 'End et al. 2016'
TEXT = '''
*V. End, R. Yahyapour, C. Simmendinger, T. Alrutz: split-phase allreduce for GASPI with butterfly-like algorithms, 2016.*

The paper measures on two clusters with InfiniBand, one GASPI process a socket, against Open MPI 1.6 and Intel MPI 4.1. Times
here are simulated, on the network `cluster`, with one rank a node; [split-phase allreduces](../split_phase.md) has measured ones
on emulated nodes (`bench/gaspi`). The paper's settings: bruck with n = 5, dissemination with the smallest n that fits (n = 0).

| section | algorithm | file |
|---|---|---|
| III A butterfly, pairwise exchange | `pairwise_exchange` | src/algorithms/allreduce_pairwise_exchange.c |
| III B adapted n-way dissemination | `dissemination` | src/algorithms/allreduce_dissemination.c, adapted_dissemination.c |
| III C Bruck | `bruck` | src/algorithms/allreduce_bruck.c |
| IV binomial spanning tree | `binomial_tree` | src/algorithms/allreduce_binomial_tree.c |
| split-phase calls | GASPI functions and plans | include/allfold_gaspi.h, src/mpi/plan |
'''
PROCESSES = [2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 48, 64]
CONTENDERS = {'dissemination': 'n-way dissemination', 'bruck(n=5)': 'bruck, n = 5', 'pairwise_exchange': 'pairwise exchange',
              'binomial_tree': 'binomial tree', 'recursive_doubling': 'MPI (recursive doubling)'}


def yes(fits):
    return 'yes' if fits else 'no'


def messages(lab, algorithm, p, *words):
    marks = lab.shown('allreduce.' + algorithm, p, '--count', '1', *words)['marks']
    return [(m['round'], m['from'], m['to']) for m in marks if m['kind'] == 'message']


def figure_1(lab):
    found = messages(lab, 'pairwise_exchange', 5)
    rounds = max(m[0] for m in found)
    outside = [m for m in found if 4 in m[1:]]
    return Result(f'{rounds} rounds; rank 4 exchanges {len(outside)} messages', yes(rounds == 4 and len(outside) == 2),
                  'Virtual processes, on the left of the figure, are not realized: they send the same data twice. ceil(log2 5) + 2 = 5 '
                  'rounds in the paper; the message to a left-over rank and the first exchange are one round less here.')


def figure_2(lab):
    plain = {(0, 1), (0, 2)}
    found = messages(lab, 'dissemination', 5, '--parameter', 'n=2')
    first = {m[1:] for m in found if m[0] == 1 and m[1] == 0}
    last = [m for m in found if m[0] == 2 and m[1] == 0]
    return Result(f'2 rounds; in the second, one message of rank 0 instead of 2', yes(first == plain and len(last) == 1
                                                                                   and lab.verified('allreduce.dissemination', 5)))


def table_1(lab):
    found = messages(lab, 'dissemination', 8, '--parameter', 'n=2')
    first = sorted(m[1] for m in found if m[0] == 1 and m[2] == 0)
    second = sorted(m[1] for m in found if m[0] == 2 and m[2] == 0)
    return Result(f'rank 0 receives from {first}, then from {second}', yes(first == [6, 7] and set(second) <= {2, 5}),
                  'Ranks p - 1 and p - 2, then p - 3 and p - 6.')


def figure_3(lab):
    fits = {n: [p for p in range(2, 65) if lab.claims('allreduce', 'dissemination', p)['unmet'] == ''] for n in (0,)}
    return Result(f'some n fits at {len(fits[0])} of 63 numbers of ranks from 2 to 64', yes(len(fits[0]) > 0),
                  'The data boundaries decide which n fit; what fits is proven for all p from 1 to 64.')


def figure_4(lab):
    found = messages(lab, 'bruck', 8, '--parameter', 'n=2')
    sent = {r: sorted(m[2] for m in found if m[0] == r and m[1] == 0) for r in (1, 2)}
    return Result(f'rank 0 sends to {sent[1]}, then to {sent[2]}', yes(sent == {1: [6, 7], 2: [3, 5]}))


def rounds(lab):
    wrong = [p for p in (5, 8, 16, 27, 36, 64) if int(lab.claims('allreduce', 'bruck', p)['rounds']) != ceil(log(p, 2) - 1e-9)]
    proven = lab.verified('allreduce.bruck', 1, 64)
    return Result('bruck takes ceil(log_{n+1} p) rounds, proven for 1 to 64', yes(proven and not wrong))


def times(lab, key, size, kind, title):
    series = {}
    for name, label in CONTENDERS.items():
        for p in PROCESSES:
            found = lab.times('cluster', p, 1, [size], name, type=kind)
            series.setdefault(label, []).extend((p, us) for us in found.values())
    lab.plot(key, title, 'processes', 'microseconds', series, log='')
    return {label: dict(points) for label, points in series.items()}


def compared(key, size, kind, title, fastest, why=''):
    def measure(lab):
        found = times(lab, key, size, kind, title)
        tree = found['binomial tree']
        order = {label: sum(us.get(p, 9e9) <= min(other.get(p, 9e9) for other in found.values()) + 1e-9 for p in PROCESSES)
                 for label, us in found.items()}
        best = max((label for label in found if 'MPI' not in label), key=order.get)
        slower = sum(tree[p] >= max(us.get(p, 0) for us in found.values()) - 1e-9 for p in PROCESSES)
        return Result(f'{best} is the fastest of the four at {order[best]} of {len(PROCESSES)} counts; the tree is the slowest at {slower}',
                      yes(best.startswith(fastest)), why)
    return measure


SUM_MAX = 'Sum and maximum take the same time in a simulation.'
ONE, MANY = 4, 2040
ROWS = [
    Row('1', 'Figure 1: butterfly and pairwise exchange, P = 5', 'left-over ranks send first and get the result last', figure_1,
        'verify.allreduce.pairwise_exchange'),
    Row('2', 'Figure 2: 2-way dissemination and its adaption, P = 5', 'a message less in round 2', figure_2,
        'verify.allreduce.dissemination'),
    Row('table_1', 'Table I: partial results, 2-way, P = 8', 'from ranks 7, 6, then 5, 2', table_1, 'verify.allreduce.dissemination'),
    Row('3', 'Figure 3: data boundaries', 'which (n, P) can be adapted', figure_3, 'verify.allreduce.dissemination'),
    Row('4', 'Figure 4: Bruck, P = 8, n = 2', 'rank 0 sends to 7 and 6, then to 5 and 3', figure_4, 'verify.allreduce.bruck'),
    Row('rounds', 'Section III D: rounds', 'ceil(log_{n+1} P) for Bruck', rounds, 'verify.allreduce.bruck'),
]
for number, size, kind, what, fastest in ((7, ONE, 'int32', 'one integer, sum, cluster 1', 'bruck'),
                                          (8, ONE, 'int32', 'one integer, maximum, cluster 1', 'bruck'),
                                          (9, MANY, 'double', '255 doubles, sum, cluster 1', 'pairwise'),
                                          (10, MANY, 'double', '255 doubles, maximum, cluster 1', 'pairwise'),
                                          (11, ONE, 'int32', 'one integer, sum, cluster 2', 'bruck'),
                                          (12, ONE, 'int32', 'one integer, maximum, cluster 2', 'bruck'),
                                          (13, MANY, 'double', '255 doubles, sum, cluster 2', 'pairwise'),
                                          (14, MANY, 'double', '255 doubles, maximum, cluster 2', 'pairwise')):
    ROWS.append(Row(str(number), f'Figure {number}: {what}',
                    'bruck is the fastest of the four' if fastest == 'bruck' else 'pairwise exchange is the fastest of the four',
                    compared(str(number), size, kind, what, fastest, SUM_MAX)))
