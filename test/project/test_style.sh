#!/bin/bash
# Style: the format of .clang-format, lengths of files, no unfinished work, manual page well formed,
# and what the pages name exists.
# Usage: test_style.sh SOURCE_DIRECTORY
set -u
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$1" || exit 1

mapfile -t sources < <(find src tools include test bench examples -name '*.[ch]' -o -name '*.inc' | sort)
[ "${#sources[@]}" -gt 50 ]
check "the sources are found" $?

formatter=$(command -v clang-format-14 || true) # other versions format otherwise
if [ -n "$formatter" ]; then
    mapfile -t formatted < <(printf '%s\n' "${sources[@]}" | grep -vE '^src/algorithms/list\.h$|\.inc$')
    unformatted=$("$formatter" --dry-run -Werror "${formatted[@]}" 2>&1 | sed -nE 's/^([^ :]+):.*/\1/p' | sort -u)
    [ -z "$unformatted" ]
    check "clang-format would change: $unformatted" $?
else
    skip format "clang-format-14 is not installed"
fi

for file in "${sources[@]}"; do
    [ "$file" = src/select/built_in_rows.inc ] && continue # data, made by a script
    lines=$(wc -l <"$file")
    case $file in
    # an algorithm should read like its paper
    src/algorithms/allgather_* | src/algorithms/allreduce_* | src/algorithms/barrier_* | src/algorithms/bcast_* | src/algorithms/reduce_*) limit=120 ;;
    *) limit=900 ;;                   # files are as long as their idea
    esac
    [ "$lines" -le "$limit" ]
    check "$file has $lines lines, more than $limit" $?
done

unfinished=$(grep -nE 'TODO|FIXME|XXX' -r src tools include bench examples scripts || true)
[ -z "$unfinished" ]
check "unfinished: $unfinished" $?

# numbers are read in one place, which no locale changes
parsers=$(grep -nE '\b(strto(d|f|ld|l|ul|ll|ull|imax|umax)|ato(f|i|l|ll))\(|scanf\([^)]*%[0-9]*l?[efg]' -r src tools |
    grep -v '^src/util/number\.c:' || true)
[ -z "$parsers" ]
check "numbers are parsed outside of src/util/number.c: $parsers" $?

# Pages and messages do without the phrases of phrases.txt. Decisions are records of their time; of code only
# what is between quotes on one line counts. Names of files are no phrases.
mapfile -t pages < <(find . -name '*.md' -not -path './docs/decisions/*' -not -path './build*' -not -path './site/*' | sort)
pages+=(man/*)
{
    grep -rnoE --include='*.[ch]' '"[^"]*"' src tools | grep -v '\.h"$'
    grep -nE '' "${pages[@]}" | sed 's/([^() ]*\.md[^() ]*)//g'
} >"$scratch/lines"
sed -E 's/^[^:]*:[0-9]*://' "$scratch/lines" >"$scratch/texts"
phrases=0
while IFS=$'\t' read -r phrase instead; do
    [[ $phrase = \#* || -z $phrase ]] && continue
    phrases=$((phrases + 1))
    found=$(grep -niwE -- "$phrase" "$scratch/texts" | cut -d : -f 1 | sed 's/$/p/' | sed -n -f - "$scratch/lines")
    expect "write \"$instead\" instead of: $found" [ -z "$found" ]
done <test/project/phrases.txt
expect "there are phrases to look for" [ "$phrases" -gt 10 ]

# every path that the pages name is there
for page in README.md DESIGN.md CONTRIBUTING.md; do
    while IFS= read -r path; do
        [ -e "$path" ]
        check "$page names $path, which does not exist" $?
    done < <(grep -oE '`(src|tools|include|test|bench|examples|scripts|docs|man)/[A-Za-z0-9_./-]*`' "$page" |
        tr -d '`' | grep -v NAME | sort -u)
done

finish
