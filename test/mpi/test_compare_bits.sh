#!/bin/bash
# `allfold run --report=bits` counts the results that differ from native ones as the program itself does.
# Usage: test_compare_bits.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
report=$scratch/report.json

# compared RANKS [,PART]: the program runs with this part of the report
compared() {
    rm -f "$report"
    launched "$1" "$build/bin/allfold" run --report="$report$2" "$build/bin/mpi_compare_bits_$mpi"
}

# holds EXPRESSION: it holds of the report's sums and of what the program counted
holds() {
    true_of "$report" "$1" <<'END'
rows = json.load(open(path))["rows"]
compared, differ = (sum(row[name] for row in rows) for name in ("bits_compared", "bits_differ"))
mine = [int(word) for word in re.search(r"compared (\d+) differ (\d+)", text).groups()]
shown = compared, differ, mine
END
}

for ranks in 2 3 4 5; do
    compared "$ranks" ,bits
    expect "$ranks ranks: it ends well" [ "$status" = 0 ]
    expect "$ranks ranks: every result of rank 0 is compared" holds "compared == mine[0]"
    expect "$ranks ranks: as many differ as the program counts" holds "differ == mine[1]"
done
ALLFOLD_ALGORITHM=allreduce=ring,scan=simultaneous_trees compared 4 ,bits
expect "another order gives other bits" holds "differ == mine[1] > 20"
ALLFOLD_TRANSPORT=shared_memory=off compared 3 ,bits
expect "without shared memory, too" holds "compared == mine[0] and differ == mine[1]"
compared 3 ""
expect "nothing is compared unasked" holds "compared == differ == 0"
launched 4 "$build/bin/allfold" run --report=bits "$build/bin/mpi_compare_bits_$mpi"
expect "the text says it" grep -qE '^Bits: [0-9]+ of [0-9]+ floating-point results of rank 0 differ from the native ones in some bit\.$' "$scratch/err"
finish
