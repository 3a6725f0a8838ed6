#!/bin/bash
# The files of `allfold tune --simulate`: one run at a time, no FIFO, and rows that a killed run has cut.
# Usage: test_tune_simulate.sh BUILD_DIRECTORY
set -u
build=$1
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
csv=$scratch/rows.csv
tune=("$build/bin/allfold" tune --simulate --nodes 2x1,4x1 --collective bcast --bytes 8,64K --jobs 1)

run "${tune[@]}" --csv "$csv"
check "a run" "$status"
cp "$csv" "$scratch/whole"
expect "has rows" [ "$(wc -l <"$csv")" -ge 3 ]

truncate -s -9 "$csv"
run "${tune[@]}" --csv "$csv" --output "$scratch/table"
check "after a cut line" "$status"
expect "which is said" said "its last line was cut"
expect "the rows are the same" cmp -s <(sort "$csv") <(sort "$scratch/whole")
run "${tune[@]}" --csv "$csv"
expect "and nothing is added to whole ones" cmp -s <(sort "$csv") <(sort "$scratch/whole")

exec 9<"$csv"
flock -x 9
run "${tune[@]}" --csv "$csv"
expect "a second run at a time ends" [ "$status" = 1 ]
expect "with the file's name" said "$csv: another run writes to it"
exec 9<&-

mkfifo "$scratch/fifo"
ln -s "$scratch/fifo" "$scratch/link"
for file in fifo link; do
    run "${tune[@]}" --csv "$scratch/$file"
    expect "no rows go to a $file" said "$scratch/$file: is no regular file"
    run "${tune[@]}" --csv "$csv" --output "$scratch/$file"
    expect "and no table" said "$scratch/$file: is no regular file"
    expect "the $file stays" [ -p "$scratch/$file" ]
done
ln -s "$csv" "$scratch/good"
run "${tune[@]}" --csv "$scratch/good"
check "a link to a file is followed" "$status"

finish
