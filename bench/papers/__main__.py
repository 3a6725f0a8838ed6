"""Repeats the figures and tables of the papers that Allfold realizes, and writes docs/papers/PAPER.md.

    python3 bench/papers BUILD_DIRECTORY [PAPER [FIGURE]] [--into DIRECTORY] [--keep]
    make papers PAPER=... FIGURE=...

--into writes another directory than docs/papers; --keep measures nothing and writes the pages from what was found before.

A row of a page is a figure, a table or a claim: what the paper says, what is found here, whether both agree, and the
command. Found values are kept in docs/papers/PAPER.json, so one figure can be repeated alone. Simulations are kept in
BUILD_DIRECTORY/papers: a run that was stopped goes on where it ended.
"""
import argparse
import importlib
import json
import os
import sys
import time

from lab import Lab

HERE = os.path.dirname(os.path.abspath(__file__))
PAPERS = ['rabenseifner', 'bienz', 'hofmann', 'end']
MARK = '<!-- written by make papers -->'


def fail(message):
    print(f'papers: {message}', file=sys.stderr)
    sys.exit(2)


def load(name):
    """The module of a paper: TITLE, TEXT and ROWS, a list of lab.Row."""
    if name not in PAPERS:
        fail(f"'{name}' is no paper; expected one of: {', '.join(PAPERS)}")
    return importlib.import_module(name)


def found_before(pages, name):
    path = os.path.join(pages, name + '.json')
    return json.load(open(path)) if os.path.exists(path) else {}


def measure(pages, name, paper, figure, build):
    found = found_before(pages, name)
    rows = [row for row in paper.ROWS if figure in (None, row.key)]
    if not rows:
        fail(f"'{figure}' is no row of {name}; expected one of: {', '.join(row.key for row in paper.ROWS)}")
    for row in rows:
        began = time.time()
        print(f'{name} {row.key}: {row.what}', flush=True)
        lab = Lab(build, name, os.path.join(pages, 'pictures'))
        result = row.measure(lab)
        if result.skipped:
            print(f'    skipped: {result.skipped}', flush=True)
            continue
        found[row.key] = {'ours': result.ours, 'agrees': result.agrees, 'why': result.why,
                          'command': lab.commands[0] if lab.commands else '', 'pictures': lab.pictures}
        print(f'    {result.agrees}: {result.ours} ({time.time() - began:.0f} s)', flush=True)
        json.dump(found, open(os.path.join(pages, name + '.json'), 'w'), indent=1, sort_keys=True)
    return found


def write_page(pages, name, paper, found):
    verdicts = [found[row.key]['agrees'] for row in paper.ROWS if row.key in found]
    with open(os.path.join(pages, name + '.md'), 'w') as page:
        print(f'# {paper.TITLE}\n\n{paper.TEXT.strip()}\n', file=page)
        print(f'Of {len(paper.ROWS)} figures, tables and claims {verdicts.count("yes")} agree, '
              f'{verdicts.count("partly")} in part and {verdicts.count("no")} do not; '
              f'{len(paper.ROWS) - len(verdicts)} were not run here.\n', file=page)
        print(f'    make papers PAPER={name}                 # all of this page\n'
              f'    make papers PAPER={name} FIGURE=KEY      # one row\n', file=page)
        print('| key | what | the paper | here | agrees |\n|---|---|---|---|---|', file=page)
        for row in paper.ROWS:
            ours = found.get(row.key, {'ours': 'not run', 'agrees': ''})
            print(f"| {row.key} | {row.what} | {row.says} | {ours['ours']} | {ours['agrees']} |", file=page)
        print('\n## Commands, tests and differences', file=page)
        for row in paper.ROWS:
            ours = found.get(row.key, {'why': '', 'command': '', 'pictures': []})
            print(f'\n**{row.key}.** {ours["why"] or row.what + "."}'
                  + (f' Test: {row.test}.' if row.test else ''), file=page)
            if ours['command']:
                print(f"\n    {ours['command']}", file=page)
            for picture in ours['pictures']:
                print(f'\n![{row.what}](pictures/{picture})', file=page)


def write_index(pages):
    """The table of the papers, in docs/papers/README.md behind its marked line."""
    path = os.path.join(pages, 'README.md')
    head = open(path).read().split(MARK)[0]
    total = 0
    with open(path, 'w') as page:
        print(head + MARK + '\n| paper | rows | agree | in part | do not | not run |\n|---|---:|---:|---:|---:|---:|', file=page)
        for name in PAPERS:
            paper, found = load(name), found_before(pages, name)
            verdicts = [found[row.key]['agrees'] for row in paper.ROWS if row.key in found]
            counts = [len(paper.ROWS), *(verdicts.count(v) for v in ('yes', 'partly', 'no')), len(paper.ROWS) - len(verdicts)]
            total += counts[0]
            print(f'| [{paper.TITLE}]({name}.md) | ' + ' | '.join(map(str, counts)) + ' |', file=page)
        print(f'\nTogether {total} figures, tables and claims.', file=page)


def main():
    reader = argparse.ArgumentParser(prog='papers', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument('build')
    reader.add_argument('paper', nargs='?')
    reader.add_argument('figure', nargs='?')
    reader.add_argument('--into', default=os.path.join(HERE, '..', '..', 'docs', 'papers'))
    reader.add_argument('--keep', action='store_true')
    given = reader.parse_args()
    if not os.path.exists(os.path.join(given.build, 'bin', 'allfold')):
        fail(f"'{given.build}' has no bin/allfold; expected a build directory, which make writes")
    os.makedirs(os.path.join(given.into, 'pictures'), exist_ok=True)
    for name in [given.paper] if given.paper else PAPERS:
        paper = load(name)
        found = found_before(given.into, name) if given.keep else measure(given.into, name, paper, given.figure, given.build)
        write_page(given.into, name, paper, found)
    write_index(given.into)


main()
