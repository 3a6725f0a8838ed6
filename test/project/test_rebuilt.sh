#!/bin/bash
# Builds the library, the command and what a choice of the tests runs once more with other options,
# and runs these tests on that.
# Usage: test_rebuilt.sh SOURCE_DIRECTORY BUILD_DIRECTORY TESTS_REGEX TARGETS CMAKE_OPTION...
# TARGETS, with commas between them, are what the tests start besides the programs that they name.
set -u
source=$1 build=$2 regex=$3
IFS=, read -ra started <<<"$4"
shift 4

# The programs and layers that the chosen tests name. Unit tests are found by the test's name, because
# ctest does not show a command that is not there yet; others by paths in their commands.
programs() {
    ctest --test-dir "$build" -N -R "$regex" | sed -nE 's/^ *Test +#[0-9]+: unit\.//p'
    ctest --test-dir "$build" --show-only=json-v1 -R "$regex" |
        sed -nE "s#^ *\"$build/.*/(lib)?([^/]*)\",?\$#\2#p" | sed 's/\.so$//'
}

build_all() {
    local targets
    cmake -S "$source" -B "$build" "$@" || return 1
    mapfile -t targets < <(programs | sort -u)
    cmake --build "$build" --parallel 2 --target "${started[@]}" "${targets[@]}"
}

if ! build_all "$@" >"$build.log" 2>&1; then
    grep -E 'error|Error' "$build.log" | head -n 20
    echo "0 passed, 1 failed"
    exit 1
fi
echo "built in $SECONDS s"
cd "$build" || exit 1
ctest --output-on-failure --no-tests=error --parallel 2 -R "$regex"
