"""A. Bienz, L. N. Olson, W. D. Gropp, Node-Aware Improvements to Allreduce, ExaMPI 2019."""
from lab import Result, Row

TITLE = 'Bienz et al. 2019'
TEXT = '''
*A. Bienz, L. N. Olson, W. D. Gropp: Node-Aware Improvements to Allreduce. ExaMPI 2019.*

The paper prints no constants of Blue Waters. Times here are simulated, on the network `blue_waters`
(`allfold show --network blue_waters`), whose constants are recalled and not measured: trust orders of magnitude and
the order of algorithms. RD is `recursive_doubling`, SMP is `smp(node=binomial_tree)`, NAP is `nap(node=recursive_doubling)`.

| section | algorithm | file |
|---|---|---|
| II tree, figure 2 | `binomial_tree` | src/algorithms/allreduce_binomial_tree.c |
| II recursive doubling, figure 3 | `recursive_doubling` | src/algorithms/allreduce_recursive_doubling.c |
| II SMP, figure 4 | `smp` | src/algorithms/allreduce_smp.c |
| III NAP, algorithm 1, figures 6 to 9 | `nap`; also of reduce, bcast, allgather | src/algorithms/*_nap.c |
| IV models, equations 2 to 6 | the simulator | lab/simulate |
'''
RD, SMP, NAP = 'recursive_doubling', 'smp(node=binomial_tree)', 'nap(node=recursive_doubling)'
NAMES = {RD: 'RD', SMP: 'SMP', NAP: 'NAP'}
NODES = [2 ** e for e in range(1, 12)]
SIZES = [2 ** e for e in range(3, 21)]


def messages(lab, algorithm, shape):
    """The messages of one element, and how many nodes they leave: (round, from, to, is between nodes)"""
    nodes, ppn = map(int, shape.split('x'))
    marks = lab.shown(algorithm, nodes * ppn, '--count', '1', '--nodes', shape)['marks']
    return [(m['round'], m['from'], m['to'], m['from'] // ppn != m['to'] // ppn) for m in marks if m['kind'] == 'message']


def rounds_between(found):
    return len({m[0] for m in found if m[3]})


def partners(found, rank):
    return sorted({m[2] for m in found if m[1] == rank and m[3]} | {m[1] for m in found if m[2] == rank and m[3]})


def yes(fits):
    return 'yes' if fits else 'no'


def figure_1(lab):
    points = []
    for nodes in NODES[:8]:
        times = lab.simulate('blue_waters', nodes, 16, [8], [SMP], type='double')
        points.append((nodes * 16, times[SMP, 8]))
    lab.plot('1', 'One double, the SMP algorithm of MPICH', 'ranks', 'microseconds', {'SMP': points}, log='x 2')
    grows = all(a[1] < b[1] for a, b in zip(points, points[1:]))
    return Result(f'{points[0][1]:.1f} us on {points[0][0]} ranks to {points[-1][1]:.1f} on {points[-1][0]}', yes(grows),
                  'Simulated without noise, so there is no variation between runs to shade.')


def figure_2(lab):
    found = messages(lab, 'allreduce.binomial_tree', '1x16')
    return Result(f'{max(m[0] for m in found)} rounds, {len(found)} messages',
                  yes(max(m[0] for m in found) == 8 and len(found) == 30 and lab.verified('allreduce.binomial_tree', 16)))


def figure_3(lab):
    found = messages(lab, 'allreduce.recursive_doubling', '4x4')
    active = {(m[0], m[1]) for m in found}
    return Result(f'{len(active)} of 4 x 16 sends, {rounds_between(found)} of the 4 rounds between nodes',
                  yes(len(active) == 64 and rounds_between(found) == 2))


def figure_4(lab):
    found = messages(lab, 'allreduce.smp(node=binomial_tree)', '4x4')
    outside = {m[1] for m in found if m[3]}
    return Result(f'{rounds_between(found)} rounds between nodes, by ranks {", ".join(map(str, sorted(outside)))} alone',
                  yes(rounds_between(found) == 2 and outside == {0, 4, 8, 12}))


def figure_5(lab):
    """One message: a broadcast on two ranks; with ppn ranks a node, what one exchange between nodes adds."""
    series = {}
    for name, nodes, ppn in (('socket', 1, 2), ('network, ppn 1', 2, 1)):
        times = lab.simulate('blue_waters', nodes, ppn, SIZES, ['flat'], 'bcast')
        series[name] = [(size, times['flat', size]) for size in SIZES]
    for ppn in (4, 16):
        inside = lab.simulate('blue_waters', 1, ppn, SIZES, [RD])
        both = lab.simulate('blue_waters', 2, ppn, SIZES, [RD])
        series[f'network, ppn {ppn}'] = [(size, both[RD, size] - inside[RD, size]) for size in SIZES]
    lab.plot('5', 'One message on blue waters', 'bytes', 'microseconds', series)
    at = {name: dict(points) for name, points in series.items()}
    fits = at['socket'][8] < at['network, ppn 1'][8] and at['network, ppn 16'][65536] > 2 * at['network, ppn 1'][65536]
    return Result(f"8 bytes: socket {at['socket'][8]:.1f} us, network {at['network, ppn 1'][8]:.1f}; 64 KiB between nodes: "
                  f"{at['network, ppn 1'][65536]:.0f} us alone, {at['network, ppn 16'][65536]:.0f} with 16", yes(fits),
                  'Between nodes: what an exchange of all ranks of two nodes adds to recursive doubling on one.')


def figure_6(lab):
    found = messages(lab, 'allreduce.nap', '4x4')
    idle = [rank for rank in range(16) if not partners(found, rank)]
    return Result(f'P9 exchanges with P{partners(found, 9)}; idle between nodes: {idle}; {rounds_between(found)} step',
                  yes(partners(found, 9) == [6] and len(idle) == 4 and rounds_between(found) == 1))


def figure_7(lab):
    found = messages(lab, 'allreduce.nap', '16x4')
    return Result(f'P9 exchanges with P{partners(found, 9)}; {rounds_between(found)} steps between nodes',
                  yes(24 in partners(found, 9) and rounds_between(found) == 2))


def figure_8(lab):
    found = messages(lab, 'allreduce.nap', '12x4')
    last = max(m[0] for m in found if m[3])
    idle = {rank for rank in range(48)} - {m[1] for m in found if m[3] and m[0] == last}
    return Result(f'{len(idle)} ranks send nothing in the last step, {sum(rank % 4 == 3 for rank in idle)} of them of local rank 3',
                  yes({rank for rank in range(48) if rank % 4 == 3} <= idle and lab.verified('allreduce.nap', 48)),
                  'The other idle ranks are those of the same number as their subgroup.')


def figure_9(lab):
    found = messages(lab, 'allreduce.nap', '11x4')
    return Result(f'11 nodes: P14 receives between nodes from {sorted(m[1] for m in found if m[2] == 14 and m[3])}',
                  yes(any(m[1] == 34 for m in found if m[2] == 14)))


def figure_10(lab):
    times = {n: lab.simulate('blue_waters', n, 16, [8], [RD, SMP, NAP], type='double') for n in NODES}
    series = {short: [(16 * n, times[n][name, 8]) for n in NODES] for name, short in NAMES.items()}
    lab.plot('10', 'One value, 16 ranks a node', 'ranks', 'microseconds', series)
    gain = {n: min(times[n][RD, 8], times[n][SMP, 8]) / times[n][NAP, 8] for n in NODES}
    fits = gain[16] > 1.5 and gain[256] > 1.5 and gain[2048] > 1.5
    return Result('NAP is ' + ', '.join(f'{gain[n]:.2f} times as fast on {16 * n} ranks' for n in (2, 16, 32, 256, 2048)),
                  'partly' if fits and min(gain.values()) < 1 else yes(fits),
                  'On few nodes, and one step beyond a power of 16 nodes, NAP is no faster than recursive doubling: ranks that '
                  'contribute nothing to the last step get its result afterwards.')


def figure_11(lab):
    times = lab.simulate('blue_waters', 2048, 16, SIZES, [RD, SMP, NAP])
    lab.plot('11', '32,768 ranks', 'bytes', 'microseconds',
             {short: [(size, times[name, size]) for size in SIZES] for name, short in NAMES.items()})
    first = next(size for size in SIZES if times[SMP, size] < times[NAP, size])
    return Result(f'SMP passes NAP at {first} bytes', yes(first == 4096),
                  'Sizes are powers of two, so the crossing is between the size before and this one. The paper measured that NAP '
                  'is ahead up to 2048 bytes.')


def algorithm_1(nodes, ppn):
    """Algorithm 1 on virtual ranks, with its group_start read as rank / group_size * group_size: how often the result of each
    rank has each rank's data, least and most; and the ranks whose group_start as printed is beyond the last rank."""
    p = nodes * ppn
    outside = [rank for rank in range(p) if rank // ppn * ppn * ppn >= p]
    data = [[int(q == rank) for q in range(p)] for rank in range(p)]

    def on_nodes(of):
        sums = [[sum(of[n * ppn + i][q] for i in range(ppn)) for q in range(p)] for n in range(nodes)]
        return [list(sums[rank // ppn]) for rank in range(p)]

    data = on_nodes(data)
    previous, subgroup_size, group_size = [0] * p, ppn, ppn * ppn
    while subgroup_size < p:
        received = []
        for rank in range(p):
            start = rank // group_size * group_size
            subgroup = (rank - start) // subgroup_size
            received.append(data[start + previous[rank] + rank % ppn * subgroup_size + subgroup])
            previous[rank] += subgroup * subgroup_size
        data = on_nodes([[a + b for a, b in zip(data[rank], received[rank])] for rank in range(p)])
        subgroup_size, group_size = group_size, group_size * ppn
    return min(map(min, data)), max(map(max, data)), outside


def errata(lab):
    least, most, outside = algorithm_1(4, 4)
    return Result(f'on 4 nodes of 4 a result has data of a rank {least} to {most} times; group_start as printed is beyond the last rank '
                  f'for {len(outside)} of 16', yes(least == most == 1),
                  'Run as printed on virtual ranks (bench/papers/bienz.py). A step must pass on only what was received, and the rank that '
                  'is its own partner passes on its own: so Allfold builds it. See [errata](errata.md).')


ROWS = [
    Row('1', 'Figure 1: MPI_Allreduce of one value', 'the time grows with the ranks', figure_1),
    Row('2', 'Figure 2: tree on 16 ranks', 'reduced to P0, then broadcast', figure_2, 'verify.allreduce.binomial_tree'),
    Row('3', 'Figure 3: recursive doubling, 4 nodes of 4', 'all ranks active in each step', figure_3,
        'verify.allreduce.recursive_doubling'),
    Row('4', 'Figure 4: SMP, 4 nodes of 4', 'masters alone exchange between nodes, in 2 steps', figure_4, 'verify.allreduce.smp'),
    Row('5', 'Figure 5: one message by level, size and ppn', 'socket < node < network; the injection limit slows long messages of '
        'many ranks', figure_5),
    Row('6', 'Figure 6: NAP, 4 nodes of 4', 'P9 exchanges with P6; one rank a node is idle; 1 step between nodes', figure_6,
        'verify.allreduce.nap'),
    Row('7', 'Figure 7: second step of NAP, 16 nodes of 4', 'P9 exchanges with P24', figure_7, 'verify.allreduce.nap'),
    Row('8', 'Figure 8: NAP, 12 nodes of 4', 'ranks of local rank 3 are idle in the last step', figure_8, 'verify.allreduce.nap'),
    Row('9', 'Figure 9: NAP where the nodes do not divide', 'P14 receives from P34', figure_9, 'verify.allreduce.nap'),
    Row('10', 'Figure 10: modeled cost of one value', 'NAP is the fastest, the more the more ranks', figure_10,
        'unit.test_simulate'),
    Row('11', 'Figure 11: modeled cost by size, 32,768 ranks', 'NAP for small sizes, SMP for large ones; up to 2048 bytes',
        figure_11, 'unit.test_simulate'),
    Row('algorithm_1', 'Algorithm 1', 'pseudo-code of NAP: each contribution once', errata, 'verify.allreduce.nap'),
]
