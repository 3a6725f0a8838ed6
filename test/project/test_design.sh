#!/bin/bash
# The design's pages: DESIGN.md stays short, and its picture is what the includes say. Every decision
# has its sections and is listed. What the pages link to or name exists.
# Usage: test_design.sh SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$1" || exit 1

lines=$(wc -l <DESIGN.md)
expect "DESIGN.md has $lines lines; three pages are 180" [ "$lines" -le 180 ]

out=$(scripts/rooms compare 2>&1)
check "$out" $?

sections="Question Options Measurements Decision What"
pages=0
for page in docs/decisions/*.md; do
    name=$(basename "$page")
    [ "$name" = README.md ] && continue
    pages=$((pages + 1))
    date=$(sed -nE 's/^Date: ([0-9]{4}-[0-9]{2}-[0-9]{2})$/\1/p' "$page")
    expect "$page has a line 'Date: YYYY-MM-DD'" [ -n "$date" ]
    found=$(sed -nE 's/^## ([A-Za-z]+).*/\1/p' "$page" | tr '\n' ' ')
    expect "$page has the sections $sections in this order, not $found" [ "$found" = "$sections " ]
    grep -qF "| $date | [$(sed -n '1s/^# //p' "$page")]($name) |" docs/decisions/README.md
    check "docs/decisions/README.md lists $page with its date and title" $?
done
expect "the decisions are found" [ "$pages" -gt 10 ]

for page in docs/explanation/*.md; do
    [ "$(basename "$page")" = README.md ] || grep -qF "]($(basename "$page"))" docs/explanation/README.md
    check "docs/explanation/README.md lists $page" $?
done

# each page is of one kind, says so at its top, and answers a question of the index
for page in docs/*.md; do
    name=$(basename "$page" .md)
    [ "$name" = README ] && continue
    kind=$(sed -n '3s/^\*\(Tutorial\|How-to\|Reference\|Explanation\): .*\*$/\1/p' "$page")
    expect "the third line of $page says its kind, like *How-to: ...*" [ -n "$kind" ]
    grep -qE "^\| .*\? \| \[$name\]\($name\.md\) \| ${kind,,} \|$" docs/README.md
    check "docs/README.md lists $page as ${kind,,}, with its question" $?
    expect "$page links to the glossary" grep -qE '\(glossary\.md\)|^# Glossary' "$page"
done
expect "README.md has at most 80 lines" [ "$(wc -l <README.md)" -le 80 ]
words=$(sed -nE 's/^\| ([^|]+) \| .*/\1/p' docs/glossary.md | sed 1d)
expect "the glossary is in order" [ "$words" = "$(LC_ALL=C sort -f <<<"$words")" ]

mapfile -t pages < <(ls README.md DESIGN.md docs/*.md docs/decisions/*.md docs/explanation/*.md && find src tools -name README.md)
for page in "${pages[@]}"; do
    folder=$(dirname "$page")
    while IFS= read -r target; do
        expect "$page links to $target, which exists" [ -e "$folder/$target" ]
    done < <(grep -oE '\]\([^)#:]+\)' "$page" | sed -E 's/^\]\(//; s/\)$//')
    while IFS= read -r path; do
        expect "$page names $path, which exists" [ -e "$path" ]
    done < <(grep -oE '`(src|tools|include|test|bench|examples|scripts|docs|man)/[A-Za-z0-9_./-]*`' "$page" | tr -d '`')
    while IFS= read -r file; do # where a reader of the room starts
        expect "$page names $file, which is in its room" [ -e "$folder/$file" ]
    done < <(grep -E '^Start with ' "$page" | grep -oE '`[a-z_]+\.[ch]`' | tr -d '`')
done

finish
