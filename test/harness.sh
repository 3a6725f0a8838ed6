# What the shell tests share. A test sources it and ends with `finish`.
# shellcheck shell=bash
# shellcheck disable=SC2034 # some of the variables are for the tests alone

passed=0 failed=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export XDG_DATA_HOME=$scratch/data # a tuned table of whoever runs the tests is none of theirs
prefix=()      # words before each command of `run`
limit_s=500    # seconds that such a command may take
logs=(out err) # files in $scratch of which a failure shows the end
quiet=         # `gives` allows nothing on stderr where this is "yes"

# ok NAME, bad NAME [WHY], skip NAME WHY: what came of a check
ok() { passed=$((passed + 1)); }
bad() {
    local log
    failed=$((failed + 1))
    echo "FAILED: $1${2:+: $2}"
    for log in "${logs[@]}"; do
        tail -n 25 "$scratch/$log" 2>/dev/null | sed "s/^/    $log: /"
    done
}
skip() { echo "skipped: $1 ($2)"; }

# expect NAME CONDITION...: a check that the condition, a command, holds
expect() {
    if "${@:2}"; then ok "$1"; else bad "$1"; fi
}

# check NAME STATUS: a check that the command with that exit status has succeeded
check() { expect "$1" [ "$2" = 0 ]; }

# Before a program of an MPI job that ends at once: MPICH's launcher may die of SIGPIPE then, and take all
# output with it.
# shellcheck disable=SC2034
linger=(sh -c '"$@"; status=$?; sleep 0.2; exit $status' sh)

# run COMMAND...: what it prints into $out and $err, and the files of these names; and $status
run() {
    timeout --kill-after=10 "$limit_s" "${prefix[@]}" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    out=$(<"$scratch/out") err=$(<"$scratch/err")
}

said() { [[ $err == *"$1"* ]]; }

# split WORD... -- COMMAND...: into $words and $command
split() {
    words=()
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    command=("${@:2}")
}

# refuses NAME STATUS TEXT... -- COMMAND...: that status, nothing on stdout, each text on stderr
refuses() {
    local word
    split "${@:3}"
    run "${command[@]}"
    [ "$status" = "$2" ] || { bad "$1" "status $status, expected $2"; return; }
    [ -z "$out" ] || { bad "$1" "wrote to stdout"; return; }
    for word in "${words[@]}"; do
        said "$word" || { bad "$1" "'$word' is not on stderr"; return; }
    done
    ok "$1"
}

# gives NAME LINE... -- COMMAND...: status 0 and each line on stdout, whole; "!LINE" must not be there
gives() {
    local word
    split "${@:2}"
    run "${command[@]}"
    [ "$status" = 0 ] || { bad "$1" "status $status"; return; }
    [ "$quiet" != yes ] || [ -z "$err" ] || { bad "$1" "wrote to stderr"; return; }
    for word in "${words[@]}"; do
        if [ "${word:0:1}" = '!' ]; then
            ! grep -qxF -- "${word:1}" "$scratch/out" || { bad "$1" "'${word:1}' on stdout"; return; }
        else
            grep -qxF -- "$word" "$scratch/out" || { bad "$1" "'$word' is not on stdout"; return; }
        fi
    done
    ok "$1"
}

# python NAME CODE: a check by the code, which reads $scratch/out by the name of `text`
python() {
    if ! type -P python3 >/dev/null; then
        skip "$1" "python3 is not installed"
    elif printf 'import csv, json, sys\nfrom xml.dom import minidom\ntext = open(sys.argv[1]).read()\n%s\n' "$2" |
        python3 - "$scratch/out" >"$scratch/err" 2>&1; then
        ok "$1"
    else
        bad "$1" "the check fails"
    fi
}

# launched RANKS COMMAND...: the command by that many ranks of the MPI library $mpi; and $status
launched() {
    timeout --kill-after=10 100 "$source/scripts/launch" "$mpi" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
}

# true_of FILE EXPRESSION: it holds by the Python code on stdin, which has the file's name as `path`, what
# the program printed as `text`, and modules beside the test. Where it does not, `shown` is printed.
true_of() {
    {
        printf 'import json, re, sys\npath, text = sys.argv[1], open(sys.argv[2]).read()\n'
        cat
        printf 'if not eval(sys.argv[3]):\n    print(shown)\n    sys.exit(1)\n'
    } | PYTHONPATH=$scratch:$(dirname "$0") PYTHONDONTWRITEBYTECODE=1 python3 - "$1" "$scratch/out" "$2"
}

# skip_all WHY: nothing more can be tested here
skip_all() {
    [ "$failed" = 0 ] || finish
    echo "skipped: $1"
    exit 77
}

# A test that has checked nothing has not passed.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
    exit
}
