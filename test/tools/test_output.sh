#!/bin/bash
# Output that cannot be written is an error of each command, with a message.
# Usage: test_output.sh ALLFOLD
set -u
allfold=$1
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
[ -c /dev/full ] || skip_all "there is no /dev/full"
logs=(err)

# full NAME ARGUMENTS...: with a stdout that is full, that command of allfold fails and says why
full() {
    timeout 100 "$allfold" "${@:2}" >/dev/full 2>"$scratch/err" </dev/null
    status=$?
    expect "$1 fails" [ "$status" = 1 ]
    expect "$1 says why" grep -qE '^(allfold|allfold-commands|allfold [a-z]+): stdout(: | )cannot be written' "$scratch/err"
}

mkdir "$scratch/pages"
full help --help
full version --version
full run run --help
for command in info list show top bench tune verify explain simulate; do
    full "$command --help" "$command" --help
done
full info info
full "info --json" info --json
full list list
full "list --csv" list --csv
full show show ring -p 4
full "show as SVG" show ring -p 4 --format svg
full "show as JSON" show ring -p 4 --format json
full verify verify -p 2..3 --algorithm allreduce.ring
full explain explain --collective allreduce --nodes 1 --ppn 4 --bytes 8
full "explain --json" explain --collective allreduce --nodes 1 --ppn 4 --bytes 8 --json
full simulate simulate --collective allreduce --bytes 8 --nodes 2 --ppn 2
full "simulate --csv" simulate --collective allreduce --bytes 8 --nodes 2 --ppn 2 --csv
full "simulate --json" simulate --collective allreduce --bytes 8 --nodes 2 --ppn 2 --json
full "top --json" top --directory "$scratch/pages" --json
gives "a stdout that is there is written" "!none" -- "$allfold" list

finish
