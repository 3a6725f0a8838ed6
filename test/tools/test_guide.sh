#!/bin/bash
# Each command of the tutorial, the user's guide and some how-tos runs and prints what the page shows below it. A number stands for any
# number, and any amount of space for any other; "# fails" behind a command: its status is not 0. What is
# chosen where each rank has a core is flat where ranks share cores, as they may on the test's machine.
# Usage: test_guide.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$(cd "$1" && pwd) source=$2
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=120
type -P mpirun.openmpi >/dev/null || skip_all "the guide's commands (no mpirun.openmpi)"

# the words of the guide: allfold, mpirun and ./app
mkdir "$scratch/bin" "$scratch/work"
ln -s "$build/bin/allfold" "$scratch/bin/allfold"
printf '#!/bin/sh\n[ "$1" = -n ] || exit 2\nshift\nexec "%s/scripts/launch" openmpi "$@"\n' "$source" \
    >"$scratch/bin/mpirun"
chmod +x "$scratch/bin/mpirun"
cp "$build/bin/example_cg_openmpi" "$scratch/work/app"
cp "$build/bin/example_training_openmpi" "$scratch/work/train"
PATH=$scratch/bin:$PATH
cd "$scratch/work" || exit 2

# pattern LINE: that line for grep -E, with any numbers and spaces in it
pattern() {
    sed -E -e 's/[][().*+?{}|^$\\]/\\&/g' -e 's/[0-9]+(\\\.[0-9]+)?[KMG]?/[0-9.]+[KMG]?/g' -e 's/ +/ +/g' \
        -e 's/recursive_doubling/(recursive_doubling|flat)/' -e 's/$/( |$)/' <<<"$1"
}

# try PAGE COMMANDS LINES: runs a page that has more commands, and shows more lines of output, than these
try() {
    local shown=0 commands=0 line='' text
    while IFS= read -r text; do
        case $text in
        '    $ '*)
            line=${text#'    $ '}
            commands=$((commands + 1))
            run bash -c "$line"
            case $line in
            *'# fails') expect "$line" [ "$status" != 0 ] ;;
            *) check "$line" "$status" ;;
            esac
            ;;
        '    '[!\ ]*)
            shown=$((shown + 1))
            cat "$scratch/out" "$scratch/err" | sed -E 's/ +$//' | grep -qE -- "$(pattern "${text#    }")"
            check "$line prints: ${text#    }" $?
            ;;
        esac
    done <"$source/docs/$1"
    expect "$1 has commands, and shows what they print" [ "$((commands > $2 && shown > $3))" = 1 ]
}

try guide.md 15 8
try tutorial.md 10 8
if /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then # Debian's; a machine may have others before it
    ln -s /usr/bin/python3 "$scratch/bin/python3"
    cp "$source/examples/python/moments.py" script.py
    try python.md 1 1
else
    skip python.md "mpi4py is not installed"
fi
if type -P mpifort.openmpi gfortran >/dev/null; then
    cp "$source/examples/power/power.f90" .
    ln -s "$(type -P mpifort.openmpi)" "$scratch/bin/mpifort"
    try fortran.md 1 0
else
    skip fortran.md "mpifort.openmpi or gfortran is not installed"
fi
finish
