#!/bin/bash
# The demo and its training: both run, wrong results fail them, the words follow from the times, and the
# picture is well formed.
# Usage: test_demo.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$(cd "$2" && pwd) source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
training=$build/bin/example_training_$mpi
allfold=$build/bin/allfold
small=(--inputs 8 --hidden 16) # 314 parameters
prefix=("$source/scripts/launch" "$mpi") # so `run` begins with the number of ranks

# checksum COMMAND...: of the training on 2 ranks
checksum() {
    run 2 "$@" --inputs 64 --hidden 96 --steps 30
    sed -n 's/^checksum: //p' "$scratch/out"
}

for ranks in 1 2 3; do
    gives "the training passes on $ranks ranks" 'result: passed' "ranks: $ranks" -- $ranks "$training" "${small[@]}"
    gives "the training passes on $ranks ranks under Allfold" 'result: passed' -- \
        $ranks "$allfold" run "$training" "${small[@]}" --batch 3 --alloc-mem
done
natively=$(checksum "$training")
expect "the training has a checksum" [ -n "$natively" ]
expect "two ranks have the same sums with any library" [ "$(checksum "$allfold" run "$training")" = "$natively" ]
expect "memory does not change a sum" [ "$(checksum "$allfold" run "$training" --alloc-mem)" = "$natively" ]

run 2 "$training" "${small[@]}" --rate 100
expect "a loss that does not fall fails the training" [ "$status" != 0 ]
expect "and it is said" said "the loss did not fall"
cat >"$scratch/wrong.c" <<'C'
#include <mpi.h>
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank = 0;
    int error = PMPI_Allreduce(in, out, count, type, op, comm);
    MPI_Comm_rank(comm, &rank);
    if (type == MPI_FLOAT && rank == 1)
        ((float *)out)[count / 2] += 1e-6F;
    return error;
}
C
"mpicc.$mpi" -shared -fPIC "$scratch/wrong.c" -o "$scratch/wrong.so" >"$scratch/out" 2>"$scratch/err"
check "a layer with wrong sums is built" $?
LD_PRELOAD=$scratch/wrong.so run 2 "$training" "${small[@]}"
expect "a wrong sum on one rank fails the training" [ "$status" != 0 ]
expect "and it is named" said "the ranks ended with different parameters"
for option in '--batch 0' '--rate -1' '--hidden 1e9' '--nothing' 'file'; do
    # shellcheck disable=SC2086
    run 2 "$training" $option
    expect "$option is refused" [ "$status" != 0 ]
    expect "$option is refused once" [ "$(grep -c "^Try " "$scratch/err")" = 1 ]
done

# the tutorial follows the demo: where that builds, what it copies, and all that its commands start
built=$(sed -nE '/^demo:/,/^$/s/.* BUILD=([^ ]+) .*/\1/p' "$source/Makefile")
expect "the tutorial copies its program from where the demo builds it: $built" \
    grep -qE "^ +cp $built/bin/example_training_openmpi /tmp/tutorial/train\$" "$source/docs/tutorial.md"
expect "and looks for Allfold there" grep -qF "export PATH=\$PWD/$built/bin:" "$source/docs/tutorial.md"
wanted=$(tr '\n' ' ' <"$source/examples/CMakeLists.txt" | grep -oE 'add_custom_target\(demo [^)]*' | tr -s ' ')
# shellcheck disable=SC2016 # as CMake has it
for target in allfold allfold-table 'allfold-${mpi}' 'allfold-bench-${mpi}' 'example_training_${mpi}'; do
    expect "the demo builds $target, which the tutorial needs" grep -qF " $target " <<<"$wanted "
done
prefix=()
demo=("$source/scripts/demo" "$build" --mpi "$mpi" --ranks 2 --pairs 2 --steps 6 --poisson 8 --picture "$scratch/demo.svg")
gives "the demo runs" "Picture: $scratch/demo.svg" -- "${demo[@]}"
expect "the demo has the report" grep -qE '^allreduce +2 .* 8\.0M +6 ' "$scratch/out"
expect "the demo says what reductions take" [ "$(grep -cE 'Reductions take [0-9]+ % of the native time' "$scratch/out")" = 3 ]
expect "the demo is quiet in a pipe" [ -z "$err$(tr -dc '\r\033' <"$scratch/out")" ]
cp "$scratch/demo.svg" "$scratch/out"
python "the picture is well formed and has what was measured" '
svg = minidom.parseString(text).documentElement
assert svg.tagName == "svg" and svg.getAttribute("role") == "img"
words = [t.firstChild.data for t in svg.getElementsByTagName("text") if t.firstChild]
assert words[0] == svg.getElementsByTagName("title")[0].firstChild.data and words[0].startswith("Whole programs are ")
named = [w.split(":")[0] for w in words if w.endswith(" with Allfold")]
assert named[1:] == ["training, malloc", "training, MPI_Alloc_mem", "solver"]
assert words.count("native") == words.count("Allfold") == 3
assert any(w.startswith("seconds of the whole program") for w in words) and "2 ranks" in words[-1]
assert sum(" s, " in w for w in words) == 6
assert "prefers-color-scheme: dark" in text
assert all(float(r.getAttribute("width")) >= 0 for r in svg.getElementsByTagName("rect") if "%" not in r.getAttribute("width"))
'

# a build whose command makes the solver stop early, or fail: what it answers, the picture must not hide
mkdir -p "$scratch/wrong/bin"
ln -s "$build"/bin/example_*_"$mpi" "$scratch/wrong/bin/"
wrong=("$source/scripts/demo" "$scratch/wrong" --mpi "$mpi" --ranks 2 --pairs 1 --steps 6 --poisson 8)
printf '#!/bin/sh\nshift\ncase $1 in *cg*) exec "$@" --tolerance 1e-3 ;; *) exec "$@" ;; esac\n' >"$scratch/wrong/bin/allfold"
chmod +x "$scratch/wrong/bin/allfold"
run "${wrong[@]}"
expect "another answer fails the demo" [ "$status" = 1 ]
expect "another answer is named" said "the solver's answers differ"
expect "another answer has no picture" [ ! -e "$scratch/wrong/demo.svg" ]
printf '#!/bin/sh\nshift\nexec "$@" --tolerance 2\n' >"$scratch/wrong/bin/allfold"
run "${wrong[@]}"
expect "a program that fails, fails the demo" [ "$status" = 1 ]
expect "and its command is named" said "demo: this failed: mpirun"

refuses "no build directory" 2 "expected a build directory" -- "$source/scripts/demo"
refuses "a build without the programs" 2 "build it first" -- "$source/scripts/demo" "$scratch"
refuses "an option that is none" 2 "'--fast' is not --mpi" -- "$source/scripts/demo" "$build" --fast 1
refuses "an option without its value" 2 "--pairs: expected a value" -- "$source/scripts/demo" "$build" --pairs
refuses "a number that is none" 2 "--pairs: '0' is not a whole number" -- "$source/scripts/demo" "$build" --pairs 0

# says NAME WORDS NATIVE... -- ALLFOLD...: the verdict on runs of these seconds
says() {
    local name=$1 words=$2 i
    local -a native=() ours=()
    shift 2
    while [ "$1" != -- ]; do native+=("$1"); shift; done
    ours=("${@:2}")
    for i in "${!native[@]}"; do
        printf 'training\tnative\t%s\t0.25\t\n' "${native[i]}"
        printf 'training\tallfold\t%s\t0.2\t\n' "${ours[i]}"
    done >"$scratch/times"
    run awk -v format=text -f "$source/scripts/demo.awk" "$scratch/times"
    expect "$name: $words" grep -qF "$words" "$scratch/out"
}
says "a gain" "training: 1.25 times as fast with Allfold. Native / Allfold is 1.25, the middle half of 3 pairs 1.25 to 1.25." \
    1 2 1 -- 0.8 1.6 0.8
says "a loss" "training: slower: takes 1.25 times as long with Allfold." 1 1 1 1 -- 1.25 1.2 1.25 1.4
says "neither" "training: within 2 % of native with Allfold." 1 1 1 -- 1.01 1 0.99
says "noise" "training: no clear difference with Allfold." 1 1 1 1 -- 0.7 0.8 1.3 1.2
says "what reductions take" "Reductions take 25 % of the native time; if they took none, it would be 1.33 times as fast." 1 1 1 -- 1 1 1

finish
