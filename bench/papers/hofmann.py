"""M. Hofmann, G. Ruenger, MPI Reduction Operations for Sparse Floating-Point Data, EuroPVM/MPI 2008."""
import os
import subprocess

from lab import Result, Row

TITLE = 'Hofmann and Rünger 2008'
TEXT = '''
*M. Hofmann, G. Rünger: MPI Reduction Operations for Sparse Floating-Point Data. EuroPVM/MPI 2008, LNCS 5205.*

The paper measures on a cluster with InfiniBand, up to 970 MB/s a link. Here the links are of 100 Mbit/s: emulated nodes, or
SimGrid for 32 and 128 ranks. [Sparse reductions](../sparse.md) has all measurements and how to repeat them; the rows below read
the CSV files of that page, and the command of each row writes its file anew.

| section | what | file |
|---|---|---|
| 2.1 run-length code, NaN as mark | encoder and decoder; the bits of every NaN survive | src/kernels/rle*.c, [decision](../decisions/run-length-code.md) |
| 2.2 operations on encoded vectors | encoded + plain -> plain or encoded | src/kernels/rle*.c |
| 3 pipeline reduce | `reduce.chain` | src/algorithms/reduce_chain.c |
| 3 MPI_Reduce with the code | setting `SPARSE` | src/execute/elements.h |
'''


def number(row, key):
    return float(row[key])


def yes(fits):
    return 'yes' if fits else 'no'


def rle(lab):
    return lab.kept_csv('sparse/rle.csv', 'build/bin/bench_rle > docs/sparse/rle.csv')


def figure_1_left(lab):
    rows = rle(lab)
    lab.plot('1_left', 'Encoding and decoding', 'percent of non-zeros', 'GB/s',
             {what: [(number(r, 'percent'), number(r, what)) for r in rows] for what in ('memcpy', 'encode', 'decode')}, log='x')
    at = {number(r, 'percent'): r for r in rows}
    dense, sparse = at[100], at[min(at)]
    return Result(f"encode {number(sparse, 'encode_ratio'):.1f} and decode {number(sparse, 'decode_ratio'):.1f} times a copy at "
                  f"{min(at):g} %; {number(dense, 'encode_ratio'):.2f} and {number(dense, 'decode_ratio'):.2f} at 100 %",
                  yes(number(dense, 'encode_ratio') > 0.7 and number(dense, 'decode_ratio') > 0.7))


def figure_1_right(lab):
    rows = rle(lab)
    names = ('a+b->a', 'aC+b->aC', 'aC+b->cC', 'aC+b->c')
    lab.plot('1_right', 'Additions, encoded and plain', 'percent of non-zeros', 'GB/s',
             {what: [(number(r, 'percent'), number(r, what)) for r in rows] for what in names}, log='x')
    ratios = [number(r, 'aC+b->aC_ratio') for r in rows if 2 <= number(r, 'percent') <= 50]
    return Result(f'aC + b -> aC reaches {min(ratios) * 100:.0f} to {max(ratios) * 100:.0f} % of the plain addition for 2 to 50 % '
                  'of non-zeros', yes(min(ratios) >= 0.7),
                  'Compilers of today make the plain addition run at the rate of memory; the branches of the code remain.')


def gains(lab):
    rows = lab.kept_csv('sparse/gain.csv', 'bench/sparse gain 32 1024 4096 16384 65536 262144 1048576 4194304 16777216')
    times = {}
    for row in rows:
        times.setdefault((int(row['p']), int(row['bytes'])), {})[row['algorithm']] = number(row, 'seconds')
    return times


def figure_2_left(lab):
    times = gains(lab)
    ratio = {key: of['native'] / min(v for k, v in of.items() if k != 'native') for key, of in times.items()}
    series = {f'{p} ranks': sorted((n, r) for (q, n), r in ratio.items() if q == p) for p in sorted({p for p, _ in ratio})}
    lab.plot('2_left', 'Pipeline reduce over native', 'bytes', 'ratio', series, log='x 2')
    long = [r for (p, n), r in ratio.items() if n == 16777216]
    short = max((n for (p, n), r in ratio.items() if r < 1), default=0)
    return Result(f'native is faster up to {short >> 10} KiB; at 16 MiB the chain is {min(long):.1f} to {max(long):.1f} times as fast',
                  'partly', 'The same shape; the gain of long vectors is larger than the paper\'s 1.8, as links are slower and the '
                  'native library is another one.')


def figure_2_right(lab):
    times = gains(lab)
    best = {key: min((v, k) for k, v in of.items() if k != 'native')[1] for key, of in times.items()}
    width = {'chain(segment=8K)': 8, 'chain(segment=32K)': 32, 'chain(segment=128K)': 128}
    series = {f'{p} ranks': sorted((n, width[a]) for (q, n), a in best.items() if q == p) for p in sorted({p for p, _ in best})}
    lab.plot('2_right', 'Best segment of the pipeline reduce', 'bytes', 'KiB', series, log='xy')
    grows = all(dict(points)[16777216] >= dict(points)[65536] for points in series.values())
    return Result('at 16 MiB: ' + ', '.join(f'{name} {dict(points)[16777216]} KiB' for name, points in series.items()), yes(grows),
                  'Three segments are tried: 8, 32 and 128 KiB.')


def shares(lab):
    return lab.kept_csv('sparse/share.csv', 'bench/sparse simgrid 128 differ 16777216 0.1 0.2 0.5 1 2 5 10 20 50')


def figure_3_left(lab):
    rows = [r for r in shares(lab) if int(r['p']) == 128]
    off = next((number(r, 'seconds') for r in rows if r['contender'] == 'off'), None)
    series = {kind: sorted((number(r, 'percent'), number(r, 'seconds')) for r in rows
                           if r['kind'] == kind and r['contender'] == 'on') for kind in ('same', 'differ')}
    lab.plot('3_left', 'Sparse reduce of 16 MiB on 128 ranks', 'percent of non-zeros', 'seconds', series, log='xy')
    saved = {kind: max((x for x, s in points if s < 0.95 * off), default=0) for kind, points in series.items()}
    return Result(f"saves at least 5 % up to {saved['same']:g} % of non-zeros in the same places, up to {saved['differ']:g} % in other "
                  'places', yes(saved['same'] >= 50 and saved['differ'] <= 10))


def figure_3_right(lab):
    rows = [r for r in shares(lab) if int(r['p']) == 32 and r['kind'] == 'differ' and r['contender'] == 'on']
    series = {f"{number(r, 'percent'):g} %": list(enumerate(int(n) / 2 ** 20 for n in r['sent'].split()))
              for r in rows if number(r, 'percent') in (1, 10)}
    lab.plot('3_right', 'Sent by the ranks of a chain of 32', 'place in the chain', 'MiB', series, log='')
    tenth = [mib for _, mib in series['10 %']]
    late = next((i for i, mib in enumerate(tenth) if mib > 0.9 * 16), None)
    return Result(f'with 10 %, rank {late} of the chain is the first that sends over 90 %', yes(late is not None and 8 <= late <= 16),
                  'Here the first rank sends encoded, too, so the first message is short; the paper sends it plain.')


def figure_4_left(lab):
    rows = lab.kept_csv('sparse/fem.csv', 'NODES=12 bench/sparse fem 65 6 5')
    share = [number(r, 'percent') for r in rows if r['contender'] == 'on']
    return Result(f'{min(share):.0f} to {max(share):.0f} % of non-zeros, in other places on each rank', yes(min(share) <= 11),
                  '[structure.svg](../sparse/structure.svg) draws them.')


def figure_4_right(lab):
    rows = lab.kept_csv('sparse/fem.csv', 'NODES=12 bench/sparse fem 65 6 5')
    times = {}
    for row in rows:
        times.setdefault((int(row['p']), int(row['bytes'])), {})[row['contender']] = number(row, 'seconds')
    whole = {key: of for key, of in times.items() if {'native', 'off', 'on'} <= set(of)}
    gain = {key: of['native'] / of['on'] for key, of in whole.items()}
    always = sum(of['on'] < of['off'] for of in whole.values())
    return Result(f'with the code up to {max(gain.values()):.1f} times the native bandwidth; faster than without it in {always} of '
                  f'{len(whole)} cases', yes(max(gain.values()) >= 1.8 and always >= 0.9 * len(whole)))


def chain_order(lab):
    marks = lab.shown('reduce.chain', 4, '--count', '1', '--root', '3')['marks']
    links = sorted({(m['from'], m['to']) for m in marks if m['kind'] == 'message'})
    return Result('root 3 of 4: ' + ', '.join(f'{a} -> {b}' for a, b in links), yes(links == [(0, 1), (1, 2), (2, 3)]),
                  'If the root is not the last rank, the chain runs from the rank after the root around to the root.')


def nan_rule(lab):
    test = os.path.join(lab.build, 'bin', 'test_rle')
    if not os.path.exists(test):
        return Result(skipped=f'{test} is not built (make check builds it)')
    lab.commands.append('build-check/bin/test_rle')
    passed = subprocess.run([test], capture_output=True).returncode == 0
    return Result('a NaN of the input is kept bit by bit; a mark is a NaN with a payload that no operation makes', yes(passed),
                  'The paper uses the sign bit to tell them apart; here a NaN that looks like a mark is escaped.')


ROWS = [
    Row('1_left', 'Figure 1, left: throughput of encoding and decoding', 'comparable to a copy at 100 %; much faster when sparse',
        figure_1_left, 'unit.test_rle'),
    Row('1_right', 'Figure 1, right: additions of encoded vectors', '70 to 95 % of the plain addition', figure_1_right, 'unit.test_rle'),
    Row('nan', 'Section 2.1: NaN values in the data', 'told apart by the sign bit', nan_rule, 'unit.test_rle'),
    Row('chain', 'Section 3: the chain', 'P_i sends to P_i+1, the root is last', chain_order, 'verify.reduce.chain'),
    Row('2_left', 'Figure 2, left: pipeline reduce over the native one', 'slower up to 8 KiB (256 KiB for many ranks); up to 1.8 faster, '
        'peaks of 2.9', figure_2_left),
    Row('2_right', 'Figure 2, right: the best block size', 'grows with the message, falls with the ranks', figure_2_right),
    Row('3_left', 'Figure 3, left: time by share of non-zeros, 128 ranks', 'gains up to 50 % (same places), 10 % (other places)',
        figure_3_left),
    Row('3_right', 'Figure 3, right: bytes that each rank sends, 32 ranks', 'with 10 %, over 90 % from P11 on', figure_3_right),
    Row('4_left', 'Figure 4, left: vectors of a finite-element program', '6 to 11 % of non-zeros', figure_4_left),
    Row('4_right', 'Figure 4, right: bandwidth with these vectors', 'up to 2.28 times native on 32 ranks, 1.82 on 128', figure_4_right),
]
