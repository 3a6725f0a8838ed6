#!/bin/bash
# docs/algorithms.md and its pictures are what scripts/pictures makes of the algorithms as they are.
# Usage: test_pictures.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
build=$1 source=$2
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
if ! "$source/scripts/pictures" "$build" "$made"; then
    echo "0 passed, 1 failed"
    exit 1
fi
if diff -r "$made" "$source/docs" --exclude='*.md' >/dev/null &&
    diff "$made/algorithms.md" "$source/docs/algorithms.md"; then
    echo "1 passed, 0 failed"
else
    echo "FAILED: docs/ is not what the algorithms are; run scripts/pictures $build and commit"
    echo "0 passed, 1 failed"
    exit 1
fi
