#!/bin/bash
# The comparison of whole programs: its statistics, and the order of its rounds. Also what it says of
# failures, of answers that differ, and of programs that are not there. Stand-ins take the place of the
# programs.
# Usage: test_real.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$(cd "$2" && pwd) source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }

# stand_ins BODY: a script that takes scripts/real as a module, changes it and calls its main
stand_ins() {
    cat >"$scratch/stand_ins.py" <<END
import importlib.machinery, importlib.util, os, sys
loader = importlib.machinery.SourceFileLoader("real", "$source/scripts/real")
real = importlib.util.module_from_spec(importlib.util.spec_from_loader("real", loader))
sys.modules["real"] = real
sys.dont_write_bytecode = True
loader.exec_module(real)
def shell(text):
    return lambda place: ["sh", "-c", text]
def program(name, command, **more):
    return real.Program(name, name + ", a stand-in", command, "^answer", mpis=("$mpi",), **more)
$1
END
}
real() { run python3 "$scratch/stand_ins.py" "$@"; }

stand_ins '
assert real.interval([5]) == (5, 5, 5)
assert real.interval([4, 1, 3, 2]) == (1, 2.5, 4) # too few to leave any out
assert real.interval(range(1, 7)) == (1, 3.5, 6) and real.interval(range(1, 16)) == (4, 8, 12) # as in tables
assert real.alike(["x = 1.0000001"], ["x = 1.0"], 1e-6) and not real.alike(["x = 1.00001"], ["x = 1.0"], 1e-6)
assert not real.alike([], [], 1) and not real.alike(["a b"], ["a"], 1) and not real.alike(["passed"], ["failed"], 1)
assert real.grids(4) == [(2, 2), (1, 4), (4, 1)] and real.grids(3) == [(1, 3), (3, 1)]
def runs(native, allfold, again, same=1):
    return dict(program="p", title="P", mpi="m", ranks="2", round="1", native_s=native, allfold_s=allfold,
                again_s=again, same=same, collectives="10", served="9", bytes="5")
# the median of the ratios, which here is not the ratio of the medians
summary, = real.group([runs("1", "2", "1"), runs("3", "2", "5"), runs("8", "5", "4")])
assert summary["speed"][1] == 1.2 and summary["native_s"] == 4 and summary["allfold_s"] == 2, summary
assert summary["noise"] == 1 and summary["same"] and not real.group([runs(1, 1, 1), runs(1, 1, 1, "0")])[0]["same"]
assert "native speed: none." in real.conclusions(real.group([runs(1, 1.01, 1)]))[3]
some = [runs(0.98, 1, 0.98), runs(1, 1, 1), runs(0.96, 1, 0.96)]
assert "p on 2 ranks (0.980)" in real.conclusions(real.group(some))[3]
assert "Surely below it: none." == real.conclusions(real.group(some))[4]
assert "Surely below it: p on 2 ranks (0.980)." == real.conclusions(real.group(some[:1]))[4]
print("statistics hold")
'
real
expect "statistics hold" [ "$out" = "statistics hold" ]

order=$scratch/order
stand_ins "
tell = 'test -n \"\$ALLFOLD_REPORT\$LD_PRELOAD\" && echo a >>$order || echo n >>$order; cat input; echo noise \$\$'
def prepare(place, directory):
    open(os.path.join(directory, 'input'), 'w').write(f'answer {place.ranks}\n')
real.PROGRAMS = [program('good', shell(tell), prepare=prepare)]
sys.exit(real.main(sys.argv[1:]))
"
real "$build" --mpi "$mpi" --ranks 1 --rounds 3 --csv "$scratch/rounds.csv"
check "a stand-in runs" "$status"
expect "its row is printed" grep -q '^good, a stand-in  *1  *3  *same ' "$scratch/out"
expect "rounds take turns in their order" [ "$(tr -d '\n' <"$order")" = ananannnna ]
expect "each round is in the file" [ "$(wc -l <"$scratch/rounds.csv")" = 4 ]
expect "no progress goes into a pipe" [ "$(grep -c 'round 1' "$scratch/err")" = 0 ]
table=$(grep '^good' "$scratch/out")
real "$build" --from "$scratch/rounds.csv"
expect "the file gives the same table" [ "$(grep '^good' "$scratch/out")" = "$table" ]

stand_ins "
real.PAGE = '$scratch/page.md'
open(real.PAGE, 'w').write('before\n' + real.BEGIN + 'old\n' + real.END + 'after\n')
sys.exit(real.main(sys.argv[1:]))
"
real "$build" --from "$scratch/rounds.csv" --write-docs
expect "the page gets the table" grep -q '^| good, a stand-in | 1 | 3 | same | ' "$scratch/page.md"
expect "between its lines" [ "$(sed -n '1p;$p' "$scratch/page.md" | tr '\n' ' ')" = "before after " ]
expect "instead of the old one" [ "$(grep -c '^old' "$scratch/page.md")" = 0 ]
real "$build" --program cg --write-docs
expect "a part of the programs is no table for the page" said "leave --program out"
real "$build" --report --write-docs
expect "nor is what a report takes" said "leave --report out"

stand_ins '
def missing(place):
    raise real.CannotRun("no such package")
real.PROGRAMS = [program("differs", shell("echo answer $$")), program("fails", shell("echo it broke >&2; exit 3")),
                 program("mute", shell("echo noise")), program("missing", missing),
                 real.Program("other", "other", missing, "", mpis=())]
sys.exit(real.main(sys.argv[1:]))
'
before=$(<"$source/docs/real.md")
real "$build" --mpi "$mpi" --ranks 1 --rounds 1 --write-docs
expect "answers that differ fail it" [ "$status" = 1 ]
expect "they are in the table" grep -q '^differs.* different ' "$scratch/out"
expect "a failure is reported with what was printed" said "fails on 1 ranks ended with status 3: it broke"
expect "a program without an answer fails" said "mute on 1 ranks printed no line that matches"
expect "what cannot run says why" said "missing on 1 ranks cannot run: no such package"
expect "an MPI that a package is not for is named" said "other on 1 ranks cannot run: Debian's package"
expect "the page stays as it was" [ "$(<"$source/docs/real.md")" = "$before" ]
expect "and it is said" said "docs/real.md stays as it was"
real "$build" --mpi "$mpi" --ranks 1 --rounds 0
expect "no rounds are refused" said "'0' is not a whole number"
real "$scratch" --rounds 1
expect "a directory without a build is refused" said "build it first"

finish
