#!/bin/bash
# The pages: the picture of the rooms is what the includes say, every page is listed, and what pages link to or name exists.
# Usage: test_design.sh SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$1" || exit 1

out=$(scripts/rooms compare 2>&1)
check "$out; else run \`make docs\`" $?

# listed FOLDER: its README.md links to each of its pages
listed() {
    local page
    for page in "$1"/*.md; do
        [ "$(basename "$page")" = README.md ] || grep -qF "]($(basename "$page"))" "$1/README.md"
        check "$1/README.md lists $page" $?
    done
}
listed docs
listed docs/decisions
listed docs/explanation

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
