#!/bin/bash
# Builds everything once more with other options, and runs a choice of the tests on that.
# Usage: test_rebuilt.sh SOURCE_DIRECTORY BUILD_DIRECTORY TESTS_REGEX CMAKE_OPTION...
set -u
source=$1 build=$2 regex=$3
shift 3
if ! { cmake -S "$source" -B "$build" "$@" && cmake --build "$build" --parallel 2; } \
    >"$build.log" 2>&1; then
    grep -E 'error|Error' "$build.log" | head -n 20
    echo "0 passed, 1 failed"
    exit 1
fi
cd "$build" || exit 1
ctest --output-on-failure --no-tests=error --parallel 2 -R "$regex"
