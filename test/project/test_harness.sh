#!/bin/bash
# test/harness.sh itself: what passes is counted, and nothing that fails passes.
# Usage: test_harness.sh
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
harness=$(dirname "$0")/../harness.sh

# tells STATUS LAST_LINE CODE [TEXT]: a test of that code ends so, and prints the text
tells() {
    run bash -c "set -u; . '$harness'; $3"
    [ "$status" = "$1" ] && [ "${out##*$'\n'}" = "$2" ] && [[ $out == *"${4-}"* ]] && ok "$3" ||
        bad "$3" "status $status"
}

says='sh -c "echo a line; echo a word >&2; exit 3"' works='sh -c "echo a line"'
tells 0 "2 passed, 0 failed" 'expect yes true; check zero 0; finish'
tells 1 "1 passed, 1 failed" 'expect no false; expect yes true; finish' "FAILED: no"
tells 1 "0 passed, 1 failed" 'check two 2; finish' "FAILED: two"
tells 1 "0 passed, 0 failed" 'finish'
tells 1 "0 passed, 0 failed" 'skip this "no reason"; finish' "skipped: this (no reason)"
tells 77 "skipped: no reason" 'expect yes true; skip_all "no reason"; expect no false; finish'
tells 1 "1 passed, 1 failed" 'expect yes true; bad no; skip_all "no reason"'
tells 1 "0 passed, 1 failed" "run $says; bad no why; finish" $'FAILED: no: why\n    out: a line\n    err: a word'
tells 0 "3 passed, 0 failed" \
    "run $says; expect a [ \$status = 3 ]; expect b said 'a word'; expect c [ \"\$out\" = 'a line' ]; finish"
tells 0 "1 passed, 0 failed" "limit_s=0.1; run sleep 50; expect ended [ \$status = 124 ]; finish"
tells 0 "1 passed, 0 failed" 'prefix=(echo two); run words; expect both [ "$out" = "two words" ]; finish'

tells 0 "1 passed, 0 failed" "refuses it 3 'a word' word -- sh -c 'echo a word >&2; exit 3'; finish"
tells 1 "0 passed, 1 failed" "refuses it 3 -- $says; finish" "FAILED: it: wrote to stdout"
tells 1 "0 passed, 1 failed" "refuses it 3 'a word' -- false; finish" "FAILED: it: status 1, expected 3"
tells 1 "0 passed, 1 failed" "refuses it 1 'a word' -- false; finish" "FAILED: it: 'a word' is not on stderr"

tells 0 "1 passed, 0 failed" "gives it 'a line' '!a word' -- $works; finish"
tells 1 "0 passed, 1 failed" "gives it 'a line' -- $says; finish" "FAILED: it: status 3"
tells 1 "0 passed, 1 failed" "gives it 'line' -- $works; finish" "FAILED: it: 'line' is not on stdout"
tells 1 "0 passed, 1 failed" "gives it '!a line' -- $works; finish" "FAILED: it: 'a line' on stdout"
tells 0 "1 passed, 0 failed" "gives it -- sh -c 'echo a word >&2'; finish"
tells 1 "0 passed, 1 failed" "quiet=yes; gives it -- sh -c 'echo a word >&2'; finish" "wrote to stderr"

run bash -c ". '$harness'; echo \$scratch"
expect "the directory was there" [ -n "$out" ]
expect "it is removed" [ ! -e "$out" ]
[ "$passed" = 23 ] || exit 1 # whatever the harness makes of it
finish
