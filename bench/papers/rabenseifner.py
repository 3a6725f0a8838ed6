"""R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004."""
from math import ceil, floor, log2

from lab import Result, Row

TITLE = 'Rabenseifner 2004'
TEXT = '''
*R. Rabenseifner: Optimization of Collective Reduction Operations. ICCS 2004, LNCS 3036.*

The paper prints no constants of its machines. Times here are simulated, on the network `t3e` (`allfold show --network t3e`),
whose constants are from elsewhere or guesses: [the network model](../model.md) names their sources. What can agree is
which algorithm is the fastest and where, not microseconds.

| section | algorithm | file |
|---|---|---|
| 2.3 binary tree | `binomial_tree` of reduce, bcast and allreduce | src/algorithms/*_binomial_tree.c |
| 2.4 recursive doubling | `recursive_doubling` | src/algorithms/allreduce_recursive_doubling.c |
| 2.5 halving and doubling | `halving_doubling` of allreduce and reduce | src/algorithms/*_halving_doubling.c |
| 2.6 binary blocks | `binary_blocks` of allreduce and reduce | src/algorithms/*_binary_blocks.c |
| 2.7 ring | `ring` of allreduce and reduce: pairwise exchange, then a ring or direct sends | src/algorithms/*_ring.c |
| 3 choosing the fastest | the built-in table of choices | src/select/choose.c |
| 4 a principle for each level | `mixed_radix` | src/algorithms/allreduce_mixed_radix.c |
'''
SIZES = [2 ** e for e in range(3, 21)]
ALPHA, BETA, ONE_WAY, GAMMA = 7.1, 1 / 210, 0.7, 3e-3  # t3e: microseconds; microseconds a byte
FIVE = ['recursive_doubling', 'binomial_tree', 'halving_doubling', 'binary_blocks', 'ring']


def largest_block_distance(p):
    exponents = [e for e in range(p.bit_length()) if p >> e & 1]
    return max((b - a for a, b in zip(exponents, exponents[1:])), default=0)


def labels_of(lab, algorithm, p, count, kind, first, last):
    marks = lab.shown(algorithm, p, '--count', str(count))['marks']
    return [m for m in marks if m['kind'] == kind and first <= m['round'] <= last]


def figure_1(lab):
    p, parts = 13, 8
    claim = lab.claims('allreduce', 'halving_doubling', p)
    first = [m for m in labels_of(lab, 'allreduce.halving_doubling', p, parts, 'message', 1, 1) if m['from'] < 10]
    halves = {m['label'].split()[0] for m in first}
    proven = lab.verified('allreduce.halving_doubling', p)
    fits = int(claim['rounds']) == 2 * 3 + 3 and halves == {'A-D', 'E-H'} and len(first) == 10 and proven
    return Result(f"{claim['rounds']} rounds; in the first, ranks 0 to 9 exchange {' and '.join(sorted(halves))}",
                  'yes' if fits else 'no',
                  'The first 2 r = 10 ranks exchange halves of the vector, and 8 ranks go on, each with one of 8 parts at the end.')


def figure_2(lab):
    blocks = lab.claims('allreduce', 'binary_blocks', 13)
    halves = lab.claims('allreduce', 'halving_doubling', 13)
    proven = lab.verified('allreduce.binary_blocks', 1, 64)
    less = int(blocks['sent']) < int(halves['sent']) and int(blocks['reduced']) < int(halves['reduced'])
    return Result(f"on 13 = 8 + 4 + 1 ranks the busiest rank sends {int(blocks['sent']) / 1000:.2f} n and reduces "
                  f"{int(blocks['reduced']) / 1000:.2f} n (halving and doubling: {int(halves['sent']) / 1000:.2f} and "
                  f"{int(halves['reduced']) / 1000:.2f})", 'yes' if less and proven else 'no',
                  'Proven for p = 1..64, with the claims of rounds and volume.')


def all_formula(name, p, n):
    """T_all of sections 2.3 to 2.7, microseconds; powers of two for all but the ring."""
    lg = log2(p)
    comm, work = n * BETA, n * GAMMA
    return {'recursive_doubling': lg * (ALPHA + comm + work),
            'binomial_tree': lg * (2 * ONE_WAY * ALPHA + 2 * ONE_WAY * comm + work),
            'halving_doubling': 2 * lg * ALPHA + 2 * comm + work - (2 * comm + work) / p,
            'binary_blocks': 2 * lg * ALPHA + 2 * comm + work - (2 * comm + work) / p,
            'ring': 2 * (p - 1) * ALPHA + 2 * comm + work - (2 * comm + work) / p}[name]


def red_formula(name, p, n):
    """T_red of the same sections."""
    lg = log2(p)
    comm, work, one = n * BETA, n * GAMMA, n * BETA * ONE_WAY
    return {'binomial_tree': ceil(lg) * (ONE_WAY * (ALPHA + comm) + work),
            'halving_doubling': lg * (1 + ONE_WAY) * ALPHA + comm + one + work - (comm + one + work) / p,
            'ring': (p - 1) * (1 + ONE_WAY) * ALPHA + comm + one + work - (comm + one + work) / p}[name]


def compare(lab, collective, formula, names):
    off = {}
    for p in (2, 4, 8, 16, 32, 64):
        times = lab.simulate('t3e', p, 1, [p * 64, p * 1024, 65536], names, collective)
        for (name, size), us in times.items():
            off.setdefault(name, []).append(us / formula(name, p, size) - 1)
    exact = [name for name, all_of in off.items() if max(map(abs, all_of)) < 1e-6]
    less = [f'{name} {min(all_of) * 100:+.0f} to {max(all_of) * 100:+.0f} %' for name, all_of in off.items() if name not in exact]
    ours = f"equal for {', '.join(exact) or 'none'}" + (f"; {', '.join(less)}" if less else '')
    longer = any(max(all_of) > 0.02 for all_of in off.values())
    return Result(ours, 'yes' if not less else 'no' if longer else 'partly',
                  'Powers of two from 2 to 64 ranks, three sizes each. Where the simulation takes less, a rank reduces while '
                  'the next message arrives, or receives an early message meanwhile; the formulas add both.')


def formulas_all(lab):
    return compare(lab, 'allreduce', all_formula, FIVE)


def formulas_red(lab):
    return compare(lab, 'reduce', red_formula, ['binomial_tree', 'halving_doubling', 'ring'])


def regions(lab):
    return {p: lab.simulate('t3e', p, 1, SIZES, FIVE) for p in range(2, 65)}


def fastest(times, size):
    best = min((us, name) for (name, bytes_of), us in times.items() if bytes_of == size)[0]
    return next(name for name in FIVE if abs(times.get((name, size), 1e30) - best) < 1e-9 * best)


def figure_3(lab):
    times = regions(lab)
    best = {(p, size): fastest(times[p], size) for p in times for size in SIZES}
    lab.plot('3', 'Fastest of five allreduces on one-port ranks', 'ranks', 'bytes',
             {name.replace('_', ' '): [pair for pair in best if best[pair] == name] or [(0, 0)] for name in FIVE},
             log='y 2', style='with points pt 5 ps 0.6',
             extra="set format y '%.0b%B'; set xrange [1:65]; set yrange [4:4194304]")
    short = all(best[p, 32] == 'recursive_doubling' for p in times if p > 2)
    ring = min((size for size in SIZES if best[15, size] == 'ring'), default=0)
    ring_beyond = [p for p in range(32, 65) if any(best[p, size] == 'ring' for size in SIZES)]
    return Result(f"recursive doubling to 32 bytes at every p: {'yes' if short else 'no'}; ring at p = 15 from {ring >> 10} KiB; "
                  f"ring also wins at {len(ring_beyond)} of the 33 p from 32 to 64", 'partly' if short and ring else 'no',
                  'The ring stays ahead beyond 32 ranks: in a schedule a rank reduces while the next message arrives, which '
                  'saves the ring nearly all of gamma. The vendor\'s algorithm is not known, and binary trees are not the '
                  'fastest here between 32 bytes and 1 KiB.')


def blocks_rule(lab):
    times = regions(lab)
    cases = [(p, size) for p in range(33, 64) for size in SIZES if size >= 16384]
    agree = sum((times[p]['binary_blocks', size] < times[p]['halving_doubling', size])
                == (largest_block_distance(p) < log2(size) / 2 - 2.5) for p, size in cases)
    return Result(f'holds in {agree} of {len(cases)} cases', 'yes' if agree > 0.95 * len(cases) else 'partly',
                  'p = 33 to 63, 16 KiB to 1 MiB.')


def rule_33(lab):
    times = lab.simulate('t3e', 33, 1, SIZES, FIVE)
    wins = [size for size in SIZES if fastest(times, size) == 'halving_doubling']
    return Result('at ' + (', '.join(f'{size >> 10} KiB' for size in wins) or 'no size'),
                  'yes' if wins and max(wins) < 32768 else 'no')


def figure_4(lab):
    """The vendor's is taken to be a reduce and a broadcast by binary trees, the classical implementation of section 2.2."""
    gains, series = {}, {}
    for ppn, label in ((8, 'a rank on each CPU'), (1, 'a rank on each node')):
        for nodes in (2, 4, 8, 16):
            if nodes * ppn < 4:
                continue
            names = ['binomial_tree', 'halving_doubling', 'binary_blocks', 'ring']
            times = lab.simulate('blue_waters', nodes, ppn, SIZES + [2 ** 21, 2 ** 22], names)
            for size in SIZES + [2 ** 21, 2 ** 22]:
                best = min(us for (name, of), us in times.items() if of == size)
                gains[ppn, nodes, size] = times['binomial_tree', size] / best
            series[f'{nodes * ppn} ranks, {label}'] = [(s, gains[ppn, nodes, s]) for s in SIZES + [2 ** 21, 2 ** 22]]
    lab.plot('4', 'Bandwidth of the fastest over that of trees', 'bytes', 'ratio', series, log='x',
             extra="set format x '%.0b%B'")
    middle = [g for (ppn, n, s), g in gains.items() if ppn == 8 and 8192 <= s <= 65536]
    long = [g for (ppn, n, s), g in gains.items() if ppn == 8 and s > 65536]
    return Result(f'a rank on each CPU: {min(middle):.1f} to {max(middle):.1f} for 8 to 64 KiB, {min(long):.1f} to '
                  f'{max(long):.1f} beyond', 'partly',
                  'The IBM SP\'s vendor library is not to be had. The comparator is the classical implementation of section '
                  '2.2, a reduce and a broadcast by binary trees; the network is `blue_waters`, 8 ranks a node.')


def section_4(lab):
    wins = []
    for p in (12, 24, 36, 48, 60):
        times = lab.simulate('t3e', p, 1, SIZES, FIVE + ['mixed_radix'])
        for size in SIZES:
            best = min(times[name, size] for name in FIVE if (name, size) in times)
            wins.append(times['mixed_radix', size] / best)
    share = sum(ratio < 0.999 for ratio in wins) / len(wins)
    return Result(f'faster than all five in {share * 100:.0f} % of {len(wins)} cases, by up to {(1 - min(wins)) * 100:.0f} %',
                  'yes' if share > 0 else 'no',
                  '`mixed_radix` has a radix for each level, and halves or doubles on each; p = 12, 24, 36, 48, 60.')


ROWS = [
    Row('1', 'Figure 1: recursive halving and doubling on 13 ranks', '8 parts A to H; 5 pairs first reduce halves; 9 messages '
        'one after the other', figure_1, 'verify.allreduce.halving_doubling'),
    Row('2', 'Figure 2: binary blocks', 'less transfer and computation than halving and doubling where p is no power of two',
        figure_2, 'verify.allreduce.binary_blocks'),
    Row('T_all', 'Formulas T_all of sections 2.3 to 2.7', 'times in alpha, beta, gamma', formulas_all, 'unit.test_simulate'),
    Row('T_red', 'Formulas T_red of sections 2.3 to 2.7', 'times in alpha, beta, gamma', formulas_red),
    Row('3', 'Figure 3: the fastest protocol on a Cray T3E', 'recursive doubling to 32 bytes; ring for p < 32 and long vectors, '
        'at p = 15 from 64 KB', figure_3),
    Row('rule', 'Section 3: when binary blocks win', 'delta_expo,max < lg(bytes) / 2 - 2.5, from 16 KB and 33 ranks', blocks_rule),
    Row('33', 'Section 3: halving and doubling at 33 ranks', 'the fastest below 32 KB in a few cases', rule_33),
    Row('4', 'Figure 4: ratio to the vendor\'s allreduce on an IBM SP', '1.5 for 8 to 64 KB, 2 to 5 beyond, with a rank on each '
        'CPU', figure_4),
    Row('section_4', 'Section 4: a principle for each level of the recursion', 'future work', section_4),
]
