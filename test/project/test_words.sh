#!/bin/bash
# Sentences of pages, manual pages, comments and messages stay short, so that one reading is enough, and
# use the field's terms: scripts/words measures them and knows the limits.
# Usage: test_words.sh SOURCE_DIRECTORY
set -u
cd "$1" || exit 2
# shellcheck source=test/harness.sh
. test/harness.sh

if ! command -v python3 >/dev/null; then
    echo "skipped: python3 is not installed"
    exit 77
fi

scripts/words --check >"$scratch/out"
status=$?
check "sentences are within the limits: $(head -n 1 "$scratch/out" | cut -c -200)" $status

# a tree of its own: does the script find what is too long, and only that?
mkdir -p "$scratch/scripts" "$scratch/man" "$scratch/include"
cp scripts/words "$scratch/scripts"
forty=$(printf 'word %.0s' {1..40})
printf '.Sh NAME\n.Nm %s\n.Sh DESCRIPTION\nThis is short.\n.Sh SYNOPSIS\n%s\n' "$forty" "$forty" >"$scratch/man/a.1"
printf '/* This is short. */\nint %s;\n' "$forty" >"$scratch/include/a.h"
"$scratch/scripts/words" --check man headers >"$scratch/out"
expect "names, prototypes and code are no sentences" [ $? = 0 ]
printf '.Sh DESCRIPTION\n%s.\n' "$forty" >"$scratch/man/b.1"
printf '/* %s. */\n' "$forty" >"$scratch/include/b.h"
"$scratch/scripts/words" --check man headers >"$scratch/out"
expect "a long sentence is a fault" [ $? = 1 ]
mkdir -p "$scratch/src/room"
printf '/* "%s" */\nchar c = \x27"\x27, *s = "short words",\n*t = "%s\\n"\n"%s";\n' "$forty" "${forty:0:60}" "${forty:0:60}" \
    >"$scratch/src/room/a.c"
expect "comments, lines and quotes are no messages" "$scratch/scripts/words" --check messages >"$scratch/null"
printf 'f("so many %s"\n"%s");\n' "${forty:0:100}" "${forty:0:100}" >"$scratch/src/room/b.c"
"$scratch/scripts/words" --check messages >"$scratch/more"
expect "a long message is a fault with its line" grep -q '^src/room/b.c:1: a sentence of 42 words' "$scratch/more"
printf '/* This rank is letting go of it. */\n' >"$scratch/include/c.h"
"$scratch/scripts/words" --check headers >"$scratch/terms"
expect "a term of ours is a fault" grep -qx 'include/c.h:1: "letting go of", a term of ours: write "release"' "$scratch/terms"
expect "a fault of a page has its line" grep -q '^man/b.1:2: a sentence of 40 words' "$scratch/out"
expect "a fault of a comment has its line" grep -q '^include/b.h:1: a sentence of 40 words' "$scratch/out"
finish
