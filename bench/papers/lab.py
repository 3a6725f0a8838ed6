"""What the papers' pages share: running allfold, its CSV, and pictures."""
import csv
import hashlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Result:
    """What was found. `agrees` is yes, partly or no; `why` explains differences. `skipped`: why it could not run."""
    ours: str = ''
    agrees: str = ''
    why: str = ''
    skipped: str = ''


@dataclass
class Row:
    """A figure, table or claim of a paper, and the function Lab -> Result that repeats it."""
    key: str
    what: str
    says: str
    measure: object
    test: str = field(default='')


class Lab:
    def __init__(self, build, paper, pictures):
        self.allfold = os.path.join(build, 'bin', 'allfold')
        self.build, self.kept = build, os.path.join(build, 'papers')
        self.paper, self.picture_folder = paper, pictures
        self.commands, self.pictures = [], []
        os.makedirs(self.kept, exist_ok=True)

    def run(self, *words, keep=False):
        """The output of `allfold WORDS`. With `keep`, that of an earlier run with the same binary, if there is one."""
        self.commands.append(' '.join(['allfold', *(f"'{w}'" if set(w) & set('()*;') or ' ' in w else w for w in words)]))
        stamp = str(os.stat(self.allfold).st_mtime_ns) if keep else ''
        path = os.path.join(self.kept, hashlib.sha256('\0'.join((stamp, *words)).encode()).hexdigest()[:24])
        if keep and os.path.exists(path):
            return open(path).read()
        done = subprocess.run([self.allfold, *words], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f'papers: {self.commands[-1]}: {done.stderr.strip()}')
        if keep:
            open(path, 'w').write(done.stdout)
        return done.stdout

    def table(self, *words, keep=False):
        """The rows of `allfold WORDS --csv`, as dictionaries."""
        lines = self.run(*words, '--csv', keep=keep).splitlines()
        return list(csv.DictReader(io.StringIO('\n'.join(l for l in lines if not l.startswith('#')))))

    def simulate(self, network, nodes, ppn, sizes, algorithms, collective='allreduce', type='byte', extra=()):
        """{(algorithm, bytes): microseconds}"""
        words = ['simulate', '--collective', collective, '--network', network, '--nodes', str(nodes), '--ppn', str(ppn),
                 '--type', type, '--bytes', ','.join(str(s) for s in sizes)]
        for algorithm in algorithms:
            words += ['--algorithm', algorithm]
        return {(row['algorithm'], int(row['bytes'])): float(row['microseconds'])
                for row in self.table(*words, *extra, keep=True) if row['microseconds']}

    def times(self, network, nodes, ppn, sizes, algorithm, **others):
        """{bytes: microseconds} of one algorithm; without the sizes that it cannot be simulated for."""
        return {size: us for (_, size), us in self.simulate(network, nodes, ppn, sizes, [algorithm], **others).items()}

    def kept_csv(self, name, command):
        """The rows of docs/NAME, which `command` writes (into stdout, but for `plot`)."""
        self.commands.append(command)
        with open(os.path.join(HERE, '..', '..', 'docs', name)) as file:
            return list(csv.DictReader(file))

    def claims(self, collective, algorithm, p, count=1000):
        """What `allfold list` says of an algorithm on p ranks: rounds, sent, reduced, ..."""
        rows = self.table('list', '--collective', collective, '--ranks', str(p), '--count', str(count))
        return next(row for row in rows if row['algorithm'] == algorithm)

    def shown(self, algorithm, p, *words):
        """The schedule as `allfold show --format json` has it."""
        import json
        return json.loads(self.run('show', algorithm, '--ranks', str(p), *words, '--format', 'json'))

    def verified(self, algorithm, first, last=None):
        """True if `allfold verify` proves the algorithm for these numbers of ranks."""
        ranks = str(first) if last is None else f'{first}..{last}'
        self.commands.append(f'allfold verify --algorithm {algorithm} --ranks {ranks}')
        return subprocess.run([self.allfold, 'verify', '--algorithm', algorithm, '--ranks', ranks],
                              stdout=subprocess.DEVNULL).returncode == 0

    def plot(self, key, title, xlabel, ylabel, series, log='xy', style='with linespoints', extra=''):
        """Draws {name: [(x, y), ...]} into docs/papers/pictures/PAPER_KEY.svg."""
        name = f'{self.paper}_{key}.svg'
        path = os.path.join(self.picture_folder, name)
        script = [f"set terminal svg size 760,440 dynamic font 'sans-serif,13' background '#ffffff'; set output '{path}'",
                  f"set title '{title}'; set xlabel '{xlabel}'; set ylabel '{ylabel}'; set key outside right",
                  f'set logscale {log}' if log else '', extra]
        for number, points in enumerate(series.values()):
            script += [f'$data{number} << END', *(f'{x} {y}' for x, y in points), 'END']
        script.append('plot ' + ', '.join(f"$data{number} title '{title_of}' {style}"
                                          for number, title_of in enumerate(series)))
        done = subprocess.run([os.path.join(HERE, '..', '..', 'scripts', 'plot'), path, '--', '-'], text=True,
                              input='\n'.join(script), capture_output=True)
        if done.returncode != 0:
            sys.exit(f'papers: {name}: {done.stderr.strip()}')
        self.pictures.append(name)
