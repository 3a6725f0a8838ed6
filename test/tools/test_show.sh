#!/bin/bash
# Tests of `allfold show` and `allfold list`: test_show.sh PATH_OF_ALLFOLD
set -u
export LC_ALL=C
unset "${!ALLFOLD_@}"

[ $# -eq 1 ] && [ -x "$1" ] || { echo "usage: $0 PATH_OF_ALLFOLD" >&2; exit 2; }
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
limit_s=60
prefix=("$1") # so `run` begins with the subcommand
quiet=yes
T=$scratch

# same NAME ARGUMENTS... -- ARGUMENTS...: both succeed and print the same
same() {
    local before
    split "${@:2}"
    run "${words[@]}"
    [ "$status" = 0 ] && [ -n "$out" ] || { bad "$1" "status $status"; return; }
    before=$out
    run "${command[@]}"
    [ "$status" = 0 ] && [ "$out" = "$before" ] && ok "$1" || bad "$1" "not the same"
}

# --- traffic on a network's links -----------------------------------------------------------------
gives "traffic by class" \
    "allreduce.recursive_doubling, p = 16 on 16 nodes of 1 to 1 in 4 groups, 1 element, network fat-tree" \
    "card              32      32          128          4     4.00  ###############" \
    "tier 1-2           8       8           64          8     8.00  ##############################" \
    "switch 0 -> switch 4         tier 1-2              8     8.00" \
    -- show allreduce.recursive_doubling -p 16 --network "fat-tree 4:1 4"
gives "two ranks a node" "allreduce.ring, p = 32 on 16 nodes of 2 to 2 in 4 groups, 32 elements, network torus" \
    "host 0 -> host 1             ring x               79     2.47" -- show allreduce.ring -p 32 -N 16x2 -n "torus 4x4"
gives "traffic as SVG" '<rect x="230" y="70" width="420" height="14" fill="#4878a8"/>' "</svg>" \
    -- show ring -p 16 -n "torus 4x4" -f svg
gives "traffic as JSON" "    {\"class\": \"ring x\", \"links\": 32, \"used\": 32, \"elements\": 496, \"busiest\": 27, \"load\": 1.6875}," \
    -- show allreduce.ring -p 16 -n "torus 4x4" -f json
gives "a composition over cables" "allreduce.multilane(lanes=disjoint_trees), p = 8 on 2 nodes of 4 to 4, 1 element" \
    -- show "allreduce.multilane(lanes=disjoint_trees)" -p 8
gives "parameters of inner algorithms" "allreduce.multilane(node=recursive_halving,lanes=ring(segment=4)), p = 8 on 4 nodes of 2 to 2, 16 elements" \
    -- show "allreduce.multilane(node=recursive_halving)" -P "lanes=ring(segment=4)" -p 8 -N 4x2 --count 16
refuses "a composition without cables" 1 "it needs nodes that cables connect directly, as in a torus" \
    -- show "allreduce.multilane(lanes=disjoint_trees)" -p 8 -N 4x2 -n "dragonfly 2 2 2"
refuses "no topology" 2 "network cluster has no topology" -- show ring -p 16 -n cluster
refuses "too few hosts" 2 "16 nodes are more than the network's 4 hosts" -- show ring -p 16 -n "switch 4"

# --- which algorithm ------------------------------------------------------------------------------
gives "text" "allreduce.recursive_doubling, p = 4, 1 element" \
    "2 rounds; the busiest rank sends 2 elements and reduces 2" "round 2" "    0 -> 2   sends A 0-1" \
    "         0 has   A 0-3" -- show allreduce.recursive_doubling -p 4
same "the collective may be left out" show allreduce.dual_root -- show dual_root
same "the first collective with that name" show allreduce.chain -- show chain
gives "a root" "reduce.chain, p = 5, root 4, 5 elements" -- show reduce.chain -p 5 -r 4 --count 5
for collective in allreduce reduce bcast; do
    same "$collective.binary_tree is binomial_tree" show $collective.binomial_tree -p 7 -- \
        show $collective.binary_tree -p 7
done
gives "blocks of any lengths" "reduce_scatter.circulant, p = 3, 5 elements, blocks of 3, 0, 5" \
    "2 rounds; the busiest rank sends 8 elements and reduces 10" -- show reduce_scatter.circulant --count 3,0,5
gives "a block of nothing" "allgatherv.ring, p = 2, 2 elements, blocks of 2, 0" -- show allgatherv.ring --count 2,0
refuses "blocks that are no lengths" 2 "--count 3,,5: expected the lengths" -- show allgatherv.ring --count 3,,5
refuses "words behind the blocks" 2 "--count 3,5x: expected lengths" -- show allgatherv.ring --count 3,5x
refuses "blocks of others" 2 "of reduce_scatter and allgatherv" -- show allgather.ring --count 3,5
refuses "other ranks than blocks" 2 "how many ranks" -- show allgatherv.ring --count 3,5 -p 4
refuses "no algorithm" 2 "there is no algorithm 'rin'" "allfold list" -- show rin
refuses "no such collective" 2 "there is no algorithm 'foo.ring'" -- show foo.ring
refuses "not in that collective" 2 "there is no algorithm 'bcast.ring'" -- show bcast.ring
refuses "native" 2 "there is no algorithm 'native'" -- show native
refuses "several algorithms" 2 "one algorithm alone" -- show "ring(segment=1);ring"
refuses "nothing named" 2 "no algorithm is named" -- show
refuses "two words" 2 "one word too many" -- show ring ring
refuses "a long name" 2 "there is no algorithm" -- show "$(printf 'x%.0s' {1..5000})"

# --- parameters -----------------------------------------------------------------------------------
same "a parameter" show "ring(segment=4)" --count 24 -- show ring --parameter segment=4 --count 24
same "a parameter by its letter" show "ring(segment=4)" --count 24 -- show ring -P segment=4 --count 24
same "its preset" show ring --count 24 -- show ring --parameter segment=0 --count 24
same "beside an empty space" show "ring (segment=4)" -- show ring -P "segment = 4"
refuses "given twice" 2 "parameter of ring: 'segment' is given twice" -- \
    show ring -P segment=4 -P segment=8
refuses "given twice in two ways" 2 "'segment' is given twice" -- show "ring(segment=4)" -P segment=8
refuses "given twice in one way" 2 "'segment' is given twice" -- show "ring(segment=4,segment=8)"
refuses "unknown parameter" 2 "parameter of ring: 'radix' is not one of: segment" -- \
    show ring --parameter radix=2
refuses "none at all" 2 "parameter of recursive_doubling: 'radix'" "there is none" -- \
    show recursive_doubling --parameter radix=2
refuses "too large" 2 "radix: '4097' is not a number from 2 to 4K" -- \
    show reduce.circulant -P radix=4097
refuses "too small" 2 "radix: '1' is not a number from 2 to 4K" -- show reduce.circulant -P radix=1
gives "with a radix of p in two rounds" \
    "2 rounds; the busiest rank sends 12000 elements and reduces 6000" -- show circulant -P radix=7 -p 7 --count 7000
gives "with the preset in more" \
    "6 rounds; the busiest rank sends 12250 elements and reduces 6125" -- show circulant -p 8 --count 7000
refuses "no number" 2 "radix: 'x' is not a number" -- show circulant -P radix=x
refuses "negative" 2 "radix: '-2' is not a number" -- show circulant -P radix=-2
refuses "no value" 2 "expected NAME=VALUE" -- show circulant -P radix
refuses "several of one" 2 "'radix' is given twice" -- show circulant -P "radix=2,radix=3"
refuses "an open list of an inner algorithm" 2 "the ) after the parameters of smp is missing" -- show allreduce.smp -P "leaders=ring(segment=2"
refuses "a rule behind" 2 "expected NAME=VALUE" -- show circulant -P "radix=2);ring"
refuses "too long" 2 "too long" -- show ring -P "segment=$(printf '0%.0s' {1..5000})"
refuses "an open list" 2 "the ) after the parameters of ring is missing" -- show "ring(segment=4"

# --- needs ----------------------------------------------------------------------------------------
refuses "no power of two" 1 "allgather.recursive_doubling does not serve 13 ranks" \
    "it needs a power of two of ranks" -- show allgather.recursive_doubling -p 13
refuses "levels" 1 "mixed_radix(levels=23) does not serve 4 ranks" "levels whose radices" -- \
    show mixed_radix -P levels=23 -p 4
refuses "also of the summary" 1 "a power of two" -- show allgather.recursive_doubling -p 100
gives "one rank" "allreduce.ring, p = 1, 1 element" -- show ring -p 1

# --- ranks, roots, counts, formats ----------------------------------------------------------------
refuses "wrong root" 2 "the root is not below the number of ranks" -- show reduce.ring --root 8
refuses "negative root" 2 "--root -1: expected a whole number" -- show reduce.ring --root -1
refuses "a root for all" 2 "the collective has no root" -- show ring --root 1
refuses "no ranks" 2 "--ranks 0: expected" -- show ring -p 0
refuses "many ranks" 2 "--ranks 99999: expected" -- show ring -p 99999
refuses "no elements" 2 "--count 0: expected" -- show ring --count 0
refuses "wrong format" 2 "'xml' is no format; expected text, svg, html or json" -- show ring -f xml
gives "a summary" "allreduce.ring, p = 65, 65 elements" \
    "128 rounds; the busiest rank sends 128 elements and reduces 64" \
    "(a picture is drawn for up to 64 ranks)" -- show ring -p 65
refuses "no picture of so many" 2 "pictures are for up to 64 ranks" -- show ring -p 65 -f svg
refuses "nor JSON" 2 "pictures are for up to 64 ranks" -- show ring -p 65 -f json

gives "a message that is lost" "    1 x> 0   never sends message 0, for which 0 waits" \
    "    2 -> 0   message 0 never goes, as 0 waits for something else" \
    "Rank 0 waits for ever at step 1 for message 0 of rank 1 (1 element). Rank 1 sends nothing to rank 0. 2 ranks wait for ever because of it. Let rank 1 send it, or let rank 0 not wait for it." \
    -- show recursive_doubling -p 4 --lose 1:0
gives "the second message of a pair" "    0 x> 1   never sends message 1, for which 1 waits" -- \
    show ring -p 2 --lose 0:1:1
run show recursive_doubling -p 4 --lose 1:0 -f json
python "a lost message as JSON" '
shown = json.loads(text)
assert shown["fault"] == "never sent" and shown["blame"].startswith("Rank 0 waits for ever")
assert [(m["from"], m["to"]) for m in shown["marks"] if m["kind"] == "never sent"] == [(1, 0)]'
run show recursive_doubling -p 4 --lose 1:0 -f svg
python "a lost message as SVG" '
top = minidom.parseString(text).documentElement
assert top.getElementsByTagName("title")[0].firstChild.data.startswith("allreduce.recursive_doubling")
assert "waits for ever" in top.getElementsByTagName("desc")[0].firstChild.data
assert any(line.getAttribute("class") == "never" for line in top.getElementsByTagName("line"))'
refuses "no such message" 2 "rank 0 sends no message 7 to rank 1" -- show ring -p 2 --lose 0:1:7
refuses "no such rank" 2 "--lose: no such rank" -- show ring -p 3 --lose 0:9
refuses "no ranks" 2 "--lose 0: expected FROM:TO" -- show ring -p 3 --lose 0
refuses "words behind" 2 "--lose 0:1:0x: expected FROM:TO" -- show ring -p 3 --lose 0:1:0x
run show reduce.ring -p 5 -r 3 -P segment=8 --count 20 -f json
python "JSON" '
shown = json.loads(text)
assert shown["collective"] == "reduce" and shown["algorithm"] == "ring(segment=8)", shown
assert shown["p"] == 5 and shown["root"] == 3 and shown["count"] == 20
messages = [m for m in shown["marks"] if m["kind"] == "message"]
assert max(m["round"] for m in messages) == shown["rounds"] == 2 * 4 * 2
assert all(m["from"] != m["to"] and m["elements"] == 2 for m in messages)
sent = [sum(m["elements"] for m in messages if m["from"] == r) for r in range(5)]
assert max(sent) == shown["sent"] == 20 and sent[3] == 16, sent
assert any(m["kind"] == "reduction" for m in shown["marks"])'

run list --csv
tail -n +2 "$T/out" | cut -d, -f1,2 | tr , . >"$T/names"
[ "$(wc -l <"$T/names")" -ge 37 ] && ok "list --csv names them" || bad "list --csv names them" "too few"
while read -r name; do
    run show "$name" -p 8 -f svg
    [ "$status" -eq 0 ] || bad "$name" "status $status"
    cat "$T/out" >>"$T/all"
    printf '\0' >>"$T/all"
done <"$T/names"
cp "$T/all" "$T/out"
python "SVG is well formed, with an arrow for each message" '
pictures = [t for t in text.split("\0") if t]
assert len(pictures) >= 37
for picture in pictures:
    top = minidom.parseString(picture).documentElement
    assert top.tagName == "svg" and float(top.getAttribute("height")) > 0
    lines = [e for e in top.getElementsByTagName("line") if e.hasAttribute("marker-end")]
    assert lines and all(float(e.getAttribute("y1")) < float(e.getAttribute("y2")) for e in lines)'

# Pictures of all algorithms for p = 2..16: no two texts lie on each other, and none leaves the picture. Text has a fixed
# width of 0.61 of its height.
: >"$T/all"
unserved=0
for p in {2..16}; do
    while read -r name; do
        if "${prefix[@]}" show "$name" -p "$p" -f svg >"$T/one" 2>"$T/err"; then
            cat "$T/one" >>"$T/all"
            printf '\0' >>"$T/all"
        elif grep -q "does not serve $p ranks" "$T/err"; then
            unserved=$((unserved + 1))
        else
            bad "$name, p = $p" "$(head --count 1 "$T/err")"
        fi
    done <"$T/names"
done
echo "# $unserved of the pictures are of ranks that the algorithm does not serve"
cp "$T/all" "$T/out"
python "no texts overlap, and none leaves its picture" '
def boxes(top):
    for e in top.getElementsByTagName("text"):
        classes = e.getAttribute("class").split()
        font = 13 if "t" in classes else 11
        width = 0.61 * font * len(e.firstChild.data)
        x, y = float(e.getAttribute("x")), float(e.getAttribute("y"))
        x -= width / 2 if "c" in classes else 0
        yield x, y - 0.8 * font, x + width, y + 0.2 * font, e.firstChild.data
labels = 0
for picture in [t for t in text.split("\0") if t]:
    top = minidom.parseString(picture).documentElement
    title = top.getElementsByTagName("title")[0].firstChild.data
    right, bottom = float(top.getAttribute("width")), float(top.getAttribute("height"))
    known = sorted(boxes(top), key=lambda b: b[1])
    for i, (x0, y0, x1, y1, words) in enumerate(known):
        assert x0 >= 0 and y0 >= 0 and x1 <= right and y1 <= bottom, (title, words, x0, y0, x1, y1, right, bottom)
        for other in known[i + 1:]:
            if other[1] >= y1:
                break
            assert other[0] >= x1 or other[2] <= x0, (title, words, other[4])
    labels += sum(e.getAttribute("class") == "s" for e in top.getElementsByTagName("text"))
assert labels > 10000, labels'

run show allreduce.circulant -p 6 -P radix=2 -f html
python "a page needs nothing from elsewhere" '
assert text.startswith("<!DOCTYPE html>") and text.count("http") == 1 and "src=" not in text and "@import" not in text
assert text.count("<li>") == 7 and text.count("class=\"round\" data-round") == 6'
refuses "no page of links" 2 "--network is drawn as text, svg or json" -- show ring -p 16 -n "torus 4x4" -f html

# --- list -----------------------------------------------------------------------------------------
gives "list" "allreduce.binomial_tree" "    alias:   binary_tree" \
    "    source:  Rabenseifner 2004, section 2.3" \
    "    claims:  8 rounds; the busiest rank sends 4000 elements and reduces 4000" -- \
    list --collective allreduce --ranks 13 --count 1000
gives "what is not served claims nothing" "allgather.recursive_doubling" \
    "    needs:   a power of two of ranks" \
    "    claims:  does not serve 13 ranks: it needs a power of two of ranks" -- \
    list --collective allgather --ranks 13
run list --csv --ranks 13 --count 1000
python "CSV: where the built-in table has each" '
import csv
rows = list(csv.DictReader(text.splitlines()))
of = {row["collective"] + "." + row["algorithm"]: row for row in rows}
assert int(of["bcast.flat"]["chosen"]) > 20 and "node_copies" in of["bcast.flat"]["where"]
assert int(of["allreduce.linear"]["chosen"]) == 0 and of["allreduce.linear"]["where"] == ""
assert all((int(row["chosen"]) == 0) == (row["where"] == "") for row in rows)'
python "CSV" '
import csv
rows = list(csv.DictReader(text.splitlines()))
assert len(rows) >= 37 and all(None not in row and None not in row.values() for row in rows)
of = {row["collective"] + "." + row["algorithm"]: row for row in rows}
assert len(of) == len(rows) and all(row["use"] and row["source"] for row in rows)
ring = of["allreduce.ring"]
assert (ring["p"], ring["length"], ring["rounds"], ring["reduced"]) == ("13", "1000", "24", "924"), ring
assert (ring["needs"], ring["ordered"], ring["same_bits"]) == ("a commutative operation", "0", "1")
none = of["allgather.recursive_doubling"]
assert none["length"] == "13000" and none["unmet"] == "a power of two of ranks" and none["rounds"] == ""
assert of["reduce.binomial_tree"]["alias"] == "binary_tree" and of["allreduce.bruck"]["ports"] == "1"'
cp "$(dirname "$0")/../../src/select/built_in_rows.inc" "$T/rows.inc"
python "CSV: where the built-in table has each" '
import csv, os, re
rows = list(csv.DictReader(text.splitlines()))
table = re.findall(r"^ROW\((\w+),(\w+),(\w+),.*\) /\* ([a-z_0-9]+)", open(os.path.join(os.path.dirname(sys.argv[1]), "rows.inc")).read(), re.M)
for row in rows:
    mine = [r for r in table if r[0].lower() == row["collective"]]
    own = [r for r in mine if r[3] == row["algorithm"]]
    assert (row["rows"], row["chosen"]) == (str(len(mine)), str(len(own))), row
    assert (row["where"] != "") == (own != []) and all(r[2].lower() in row["where"] for r in own), row'
run list --collective allreduce
expect "the list says where each is chosen" grep -qE '^    chosen:  in [0-9]+ of [0-9]+ rows of the built-in table: [0-9]' "$T/out"
expect "and which is chosen nowhere" grep -qE '^    chosen:  in 0 of [0-9]+ rows of the built-in table$' "$T/out"
expect "of all" [ "$(grep -c '^    chosen: ' "$T/out")" = "$(grep -c '^    source: ' "$T/out")" ]

finish
