#!/bin/bash
# `allfold table export`: other libraries' tuning files, and the libraries under them. Sums that round
# differently in every order tell who added how. Allfold with the table and the MPI library with the file
# made of it must give bitwise identical sums.
# Usage: test_export.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
export LC_ALL=C
unset LD_PRELOAD "${!ALLFOLD_@}" "${!OMPI_COMM_WORLD_@}" "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}" "${!MPIR_CVAR_@}"
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
allfold=$build/bin/allfold
sums=$build/bin/mpi_sums_$mpi
[ -x "$sums" ] || skip_all "$sums is not built"
ranks=5
sizes="512 4096 12000 65536 1048576"

# table ROW...: "COLLECTIVE FROM TO ALGORITHM" each, into $scratch/table.json; TO may be -
table() {
    local row collective from to algorithm p separator=
    {
        echo '{"allfold_table": 1, "rows": ['
        for row in "$@"; do
            read -r p collective from to algorithm <<<"$row"
            [ "$to" = - ] && to= || to="\"to_bytes\": $to,"
            echo "$separator{\"collective\": \"$collective\", \"nodes\": 1, \"ppn\": $p," \
                "\"from_bytes\": $from, $to \"algorithm\": \"$algorithm\"}"
            separator=,
        done
        echo ']}'
    } >"$scratch/table.json"
}
export_table() { # OPTIONS...
    run "$allfold" table export "$mpi" "$scratch/table.json" --output "$scratch/file" "$@"
}

# How the MPI library gets the file, as --export says it; Open MPI by its variables.
settings_of() {
    if [ "$mpi" = openmpi ]; then
        settings=(OMPI_MCA_coll_tuned_use_dynamic_rules=1
            "OMPI_MCA_coll_tuned_dynamic_rules_filename=$scratch/file")
    else
        mapfile -t settings < <(sed -n 's/^ *export //p' "$scratch/err")
    fi
}
# with SETTING... -- COLLECTIVE SIZE...: what comes out, on $ranks
with() {
    split "$@"
    run env "${words[@]}" "$source/scripts/launch" "$mpi" "$ranks" "$sums" "${command[@]}"
}
# The same under Allfold with the table. Through MPI, as the node's memory takes its own ways.
under_allfold() { # COLLECTIVE SIZE...
    ALLFOLD_TRANSPORT=shared_memory=off ALLFOLD_TABLE=$scratch/table.json run "$source/scripts/launch" "$mpi" \
        "$ranks" "$allfold" run "$sums" "$@"
}
line() { grep " $1 " <<<"$out"; } # SIZE

# Each size's own algorithm, and the MPI library's own where the table says nothing.
table "5 reduce 0 8192 halving_doubling" "5 reduce 16384 524288 binomial_tree" \
    "5 reduce 524288 - native" "4 reduce 0 - linear" \
    "5 allreduce 0 2048 recursive_doubling" "5 allreduce 2048 524288 halving_doubling" \
    "5 bcast 1024 - binomial_tree" "5 barrier 0 - dissemination" "5 allgather 0 65536 circulant"
export_table --operation commutative
expect "a table is exported" [ "$status" = 0 ]
expect "stdout is left alone" [ -z "$out" ]
expect "what is left out is counted" said "rows of native: 1; rows left out: "
expect "and named, with the reason" \
    said "has nothing that is the same as allgather.circulant on 5 ranks"
expect "and it says how to use the file" said "To use them:"
settings_of
under_allfold reduce $sizes && ours=$out
with -- reduce $sizes && own=$out
with "${settings[@]}" -- reduce $sizes
expect "the library takes the file" [ "$status" = 0 ]
with_file=$out
for size in 512 4096 65536; do
    expect "reduce of $size bytes: Allfold's bits with the table, the library's with the file" \
        [ "$(out=$with_file line $size)" = "$(out=$ours line $size)" ]
done
expect "these are not the library's own" [ "$(out=$with_file line 512)" != "$(out=$own line 512)" ]
for size in 12000 1048576; do
    expect "reduce of $size bytes, of which no rule is: the library's own" \
        [ "$(out=$with_file line $size)" = "$(out=$own line $size)" ]
done
under_allfold allreduce $sizes && ours=$out
with "${settings[@]}" -- allreduce $sizes
for size in 512 4096 12000 65536; do
    expect "allreduce of $size bytes: the same bits" [ "$(line $size)" = "$(out=$ours line $size)" ]
done
for collective in bcast barrier allgather; do
    with -- $collective $sizes && own=$out
    with "${settings[@]}" -- $collective $sizes
    expect "$collective goes on as it was" [ "$out" = "$own" ]
done
ranks=3
with -- reduce $sizes && own=$out
with "${settings[@]}" -- reduce $sizes
expect "fewer ranks than the table's are the library's" [ "$out" = "$own" ]
ranks=6
with -- reduce $sizes && own=$out
with "${settings[@]}" -- reduce $sizes
expect "more ranks, too" [ "$out" = "$own" ]
ranks=5

# The whole file comes from where it should, whatever way it is said.
cp "$scratch/file" "$scratch/before"
run "$allfold" table export "$mpi" "$scratch/table.json" --operation commutative
cp "$scratch/out" "$scratch/stdout"
expect "to stdout it is the same" cmp -s "$scratch/stdout" "$scratch/before"
ALLFOLD_TABLE=$scratch/table.json run "$allfold" table export "$mpi" --operation commutative
expect "and of ALLFOLD_TABLE" cmp -s "$scratch/out" "$scratch/before"

if [ "$mpi" = openmpi ]; then
    # For each collective, a number that no algorithm has is an error in just the calls that the
    # rule is for. So the file is read, the ids of collectives are right, and bytes are as
    # meant.
    for collective in reduce allreduce bcast allgather reduce_scatter_block barrier; do
        case $collective in
        reduce) algorithm=linear ;;
        bcast) algorithm=flat ;;
        allgather) algorithm=ring ;;
        allreduce) algorithm=recursive_doubling ;;
        reduce_scatter_block) algorithm=recursive_halving ;;
        barrier) algorithm=binomial_tree ;;
        esac
        ranks=4
        table "4 $collective 4096 8192 $algorithm"
        [ "$collective" != barrier ] || table "4 barrier 0 - binomial_tree"
        export_table
        with "${settings[@]}" -- $collective 4080 4096 8184 8192
        expect "$collective: the rule can be run" [ "$(grep -c error <<<"$out")" = 0 ]
        sed -i -E 's/^([0-9]+) [1-9][0-9]* 0 0 # row 1/\1 77 0 0 # row 1/' "$scratch/file"
        with "${settings[@]}" -- $collective 4080 4096 8184 8192
        if [ "$collective" = barrier ]; then
            expect "barrier: a number that there is not is refused" [ "$(grep -c error <<<"$out")" = 4 ]
        else
            expect "$collective: a number that there is not is refused" \
                [ "$(line 4096) $(line 8184)" = "$collective 4096 error $collective 8184 error" ]
            expect "$collective: but for the rule's sizes alone" [ "$(grep -c error <<<"$out")" = 2 ]
        fi
    done
    # The numbers are those that Open MPI gives its names.
    ompi_info --param coll tuned --level 9 --parsable >"$scratch/names" 2>&1
    while read -r p collective algorithm; do
        table "$p $collective 0 - $algorithm"
        export_table --operation commutative
        read -r number name <<<"$(sed -n -E 's/^0 ([0-9]+) 0 [0-9]+ # row 1: 0- (.*)$/\1 \2/p' "$scratch/file")"
        expect "$collective.$algorithm: Open MPI's $number is $name" \
            grep -q "coll_tuned_${collective}_algorithm:enumerator:value:${number:-none}:$name$" "$scratch/names"
    done <<'END'
4 allreduce linear
4 allreduce recursive_doubling
4 allreduce bucket(segment=0)
4 allreduce bucket(segment=8K)
4 allreduce halving_doubling
4 reduce linear
4 reduce chain(segment=8K)
4 reduce binomial_tree
4 reduce pipelined_tree(segment=8K)
4 reduce halving_doubling
4 bcast flat
4 bcast chain(segment=8K)
4 bcast pipelined_tree(segment=8K)
4 bcast binomial_tree
4 reduce_scatter_block recursive_halving
4 allgather circulant
4 allgather recursive_doubling
4 allgather ring
4 barrier dissemination
4 barrier binomial_tree
END
    table "5 reduce 0 - binomial_tree"
    export_table
    expect "what is wrong for some operations is not exported by itself" [ "$status" = 1 ]
    expect "and it says why" said "binomial of Open MPI is for operations that commute"
else
    # An algorithm that there is not ends the program; each that is exported is known.
    table "4 allreduce 0 1024 recursive_doubling" "4 allreduce 1024 - halving_doubling" \
        "4 reduce 0 1024 binomial_tree" "4 reduce 1024 - halving_doubling" "4 bcast 0 - binomial_tree" \
        "4 reduce_scatter_block 0 4096 recursive_halving" \
        "4 reduce_scatter_block 4096 - pairwise_exchange" "4 allgather 0 4096 circulant" \
        "4 allgather 4096 8192 recursive_doubling" "4 allgather 8192 - ring" \
        "4 barrier 0 - dissemination"
    ranks=4
    export_table
    expect "all that MPICH has is exported" said "rows left out: 0"
    settings_of
    for collective in reduce allreduce reduce_scatter_block; do
        under_allfold $collective 8 $sizes && ours=$out
        with "${settings[@]}" -- $collective 8 $sizes
        expect "$collective: the same bits at all sizes" [ "$out" = "$ours" ]
    done
    under_allfold reduce 8 $sizes && ours=$out
    with "${settings[@]}" MPIR_CVAR_NUM_CLIQUES=2 -- reduce 8 $sizes
    expect "the device does not go before the file, on two nodes" [ "$out" = "$ours" ]
    for collective in bcast allgather barrier; do
        with "${settings[@]}" -- $collective 8 $sizes
        expect "$collective: all sizes can be run" [ "$status" = 0 ]
    done
    sed -i -E 's/MPIR_Barrier_intra_(k_)?dissemination/MPIR_Barrier_intra_none/' "$scratch/file"
    with "${settings[@]}" -- barrier 8
    expect "an algorithm that there is not ends the program" [ "$status" != 0 ]
    refuses "what is no library of MPICH is refused" 1 "has no decisions on collectives in it" -- \
        "$allfold" table export mpich "$scratch/table.json" --mpi "$allfold"
fi

# What is exported without --operation commutative is right for operations that do not commute, too.
keeps_order() { # ROW...
    table "$@"
    export_table
    expect "$1 and so on: exported" said "rows left out: 0"
    settings_of
    run env "${settings[@]}" "$source/scripts/launch" "$mpi" 4 "$build/bin/mpi_reductions_$mpi" \
        --match '^(Allreduce|Reduce|Reduce_scatter_block) user affine, plain, count (1|3|1000),'
    expect "$1 and so on: right where operations do not commute" [ "$status" = 0 ]
}
keeps_order "4 allreduce 0 - recursive_doubling" "4 reduce 0 - halving_doubling" \
    "4 reduce_scatter_block 0 - recursive_halving"
keeps_order "4 allreduce 0 - halving_doubling"
if [ "$mpi" = openmpi ]; then
    keeps_order "4 allreduce 0 - linear" "4 reduce 0 - linear"
    keeps_order "4 reduce 0 - pipelined_tree(segment=64)"
else
    keeps_order "4 reduce 0 - binomial_tree" "4 reduce_scatter_block 0 - pairwise_exchange"
fi

# the others: nothing but their files, which nobody could run here
table "4 allreduce 0 1024 recursive_doubling" "4 bcast 0 - binomial_tree"
gives "Intel MPI's variables" "export I_MPI_ADJUST_ALLREDUCE='1:0-1023@4-4'" \
    "export I_MPI_ADJUST_BCAST='1:0-2147483647@4-4'" \
    "# Not run: no Intel MPI on the machines where this was made." -- \
    "$allfold" table export intel "$scratch/table.json"
gives "UCC's lines" \
    "UCC_TL_UCP_TUNE=allreduce:0-1024:[4-4]:@knomial#bcast:0-inf:[4-4]:@knomial" \
    "UCC_TL_UCP_ALLREDUCE_KN_RADIX=2" "# Not run: no UCC on the machines where this was made." -- \
    "$allfold" table export ucc "$scratch/table.json"

# wrong input; nothing is written
refuses "a peer that there is not" 2 "'cray' is none of openmpi, mpich, intel, ucc" -- \
    "$allfold" table export cray
refuses "what is a command of its own" 2 "--calibrate is now a command: allfold calibrate" -- \
    "$allfold" table export openmpi --calibrate
refuses "sizes to measure" 2 "unrecognized option" -- "$allfold" table export openmpi --bytes 8
refuses "its options without it" 2 "are for export alone" -- "$allfold" table check --ppn 4 "$scratch/table.json"
refuses "a table that is not there" 1 "none.json" "expected a table behind the peer, by ALLFOLD_TABLE" -- \
    "$allfold" table export "$mpi" none.json
echo '{"allfold_table": 1, "rows": [' >"$scratch/broken.json"
refuses "a broken table" 1 "broken.json" -- "$allfold" table export "$mpi" "$scratch/broken.json"
table
refuses "a table without rows" 1 "nothing is written" -- \
    "$allfold" table export "$mpi" "$scratch/table.json" --output "$scratch/none"
expect "and there is no file" [ ! -e "$scratch/none" ]
table "4 bcast 0 - binomial_tree"
refuses "a file that cannot be written" 2 "no/file: No such file or directory" -- \
    "$allfold" table export "$mpi" "$scratch/table.json" --output "$scratch/no/file"
finish
