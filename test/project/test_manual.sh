#!/bin/bash
# The manual pages are complete: each command has a page with each of its options, and each variable
# is explained. Each function of the headers has its prototype, each member of a table its line. And
# the pages name no option and no function that does not exist.
# Usage: test_manual.sh PATH_OF_ALLFOLD SOURCE_DIRECTORY
set -u
allfold=$1
cd "$2" || exit 2
# shellcheck source=test/harness.sh
. test/harness.sh
export LC_ALL=C ASAN_OPTIONS=detect_leaks=0

# same NAME: the files a and b of the scratch directory are alike
same() {
    diff "$scratch/a" "$scratch/b" >"$scratch/out"
    expect "$1" [ $? = 0 ]
}

"$allfold" --help | sed -nE 's/^    ([a-z]+) +[a-z].*/allfold-\1.1/p' | sort >"$scratch/a"
(cd man && ls allfold-*.1) >"$scratch/b"
expect "commands are found" [ -s "$scratch/a" ]
same "each command has a page"

# options_of COMMAND: rare ones are only in --usage. `tune --simulate` has others
options_of() {
    "$allfold" "$1" --help
    "$allfold" "$1" --usage
    [ "$1" != tune ] || "$allfold" tune --simulate --usage
}

while read -r page; do
    command=${page#allfold-}
    command=${command%.1}
    options_of "$command" | sed -nE 's/^ +(-., )?(--[a-z-]+)(\[?=?).*/\2/p' |
        grep -vxE -- '--(help|usage)' | sort -u >"$scratch/a"
    cat "$scratch/a" >>"$scratch/all"
    sed -n '/^\.It/p' "man/$page" | grep -oE 'Fl -[a-z-]+|, -[a-z]+[a-z-]+' |
        sed -E 's/^(Fl |, )/-/' | sort -u >"$scratch/b"
    expect "$command has options" [ -s "$scratch/a" ]
    same "$page has the options of allfold $command --help"
    options_of "$command" | sed -nE 's/^ +(-[a-zA-Z]), --.*/\1/p' | sort -u >"$scratch/a"
    sed -n '/^\.It/p' "man/$page" | grep -oE 'Fl [a-zA-Z] ,' | sed -E 's/Fl (.) ,/-\1/' | sort -u >"$scratch/b"
    same "$page has its short options"
    grep -qxF ".Xr ${page%.1} 1 ." man/allfold.1 || grep -qxF ".Xr ${page%.1} 1 ," man/allfold.1
    check "allfold(1) names $page" $?
done < <(cd man && ls allfold-*.1)

# options are few, and each help is one screen
most=60
count=$(sort -u "$scratch/all" | wc -l)
echo "distinct options: $count, of $(wc -l <"$scratch/all") in all commands"
expect "there are at most $most options" [ "$count" -le $most ]
for help in "" $(cd man && ls allfold-*.1 | sed -E 's/allfold-(.*)\.1/\1/') "tune --simulate"; do
    # shellcheck disable=SC2086
    "$allfold" $help --help >"$scratch/out"
    expect "'allfold $help --help' fits one screen" \
        [ "$(wc -l <"$scratch/out")" -le 24 -a "$(wc -L <"$scratch/out")" -le 80 ]
done

"$allfold" info 2>/dev/null | grep -oE '^ +ALLFOLD_[A-Z_]+' | tr -d ' ' | sort -u >"$scratch/a"
grep '^\.It Ev' man/allfold.1 | grep -oE 'ALLFOLD_[A-Z_]+' | sort -u >"$scratch/b"
expect "variables are found" [ -s "$scratch/a" ]
same "allfold(1) explains the variables of allfold info"

python3 scripts/settings "$allfold" --check >"$scratch/out" 2>&1
check "docs/settings.md and the lists of settings are fresh: $(cat "$scratch/out")" $?

# prototypes NAME: as "type name(argument,...)", one a line, without spaces
{
    for header in include/allfold.h include/allfold_accumulator.h include/allfold_gaspi.h; do
        sed -E -e '/^#/d' -e 's://.*::' "$header" | tr '\n' ' ' | sed -E 's:/\*([^*]|\*+[^*/])*\*+/::g' | tr ';{}' '\n'
    done
} | grep -v typedef | grep -oE '(const )?[a-z]+ \*?allfold_[a-z_]+\(.*\)' | tr -d ' ' | sort >"$scratch/a"
awk '/^\.Ft/ { sub(/^\.Ft /, ""); type = $0 }
    /^\.Fo/ { line = type $2 "("; comma = "" }
    /^\.Fa/ && line != "" { sub(/^\.Fa /, ""); line = line comma $0; comma = "," }
    /^\.Fc/ { print line ")"; line = "" }' man/allfold.3 | tr -d ' "' | sort >"$scratch/b"
expect "functions are found" [ "$(grep -c . "$scratch/a")" -gt 20 ]
same "allfold(3) has the prototypes of the headers"
sed -E 's/.*(allfold_[a-z_]+)\(.*/\1/' "$scratch/a" | sort >"$scratch/names"
while read -r name; do
    grep -qxE "\.Nm $name( ,)?" man/allfold.3
    check "$name is among the names of allfold(3)" $?
    grep -qF "Fn ${name%_init}" man/allfold.3
    check "allfold(3) says what $name does" $?
done <"$scratch/names"

if command -v python3 >/dev/null; then
    python3 - docs/table.schema.json >"$scratch/a" <<'END'
import json, sys
def walk(node):
    for name, value in node.items():
        if name == "properties":
            yield from value
        if isinstance(value, dict):
            yield from walk(value)
print(*sorted(set(walk(json.load(open(sys.argv[1]))))), sep="\n")
END
    while read -r member; do
        grep -E '^\.(It )?Li' man/allfold-table.5 | grep -qwF "$member"
        check "allfold-table(5) has the member $member" $?
    done <"$scratch/a"
else
    skip "members of tables" "python3 is not installed"
fi

for page in man/*; do
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$page" >"$scratch/out" 2>&1
        expect "$page is right for mandoc" [ ! -s "$scratch/out" ]
    else
        skip "$page" "mandoc is not installed"
    fi
    if command -v groff >/dev/null; then
        # groff 1.23 warns of each line that it cannot stretch to the margin
        groff -mandoc -ww -Wbreak -Tutf8 "$page" 2>"$scratch/out" >"$scratch/a"
        expect "$page is right for groff" [ ! -s "$scratch/out" ]
    else
        skip "$page" "groff is not installed"
    fi
done
finish
