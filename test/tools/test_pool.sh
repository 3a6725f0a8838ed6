#!/bin/bash
# `allfold table pool`: tables of the CSV files of several launches, which need no MPI, and what is
# refused.
# Usage: test_pool.sh PATH_OF_ALLFOLD
set -u
export LC_ALL=C
unset "${!ALLFOLD_@}" "${!OMPI_COMM_WORLD_@}" "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}"
allfold=$1
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
cd "$scratch" || exit 2

head=collective,p,nodes,ranks_per_node,bytes,algorithm,median_us,from_us,to_us,calls,expected_us,model
head+=,from_bytes,to_bytes,placement,type,operation,host,processor,mpi,allfold
type=double host=n1 processor='A "fast" one, 2 GHz' mpi='Open MPI 4.1.4' placement=block p=4 version=0.2.0

# size BYTES FROM TO [ALGORITHM US]...: lines of a size that stands for those from FROM to TO
size() {
    local collective=allreduce words=("$1" "$2" "$3")
    shift 3
    while [ $# -gt 0 ]; do
        echo "$collective,$p,2,2,${words[0]},\"$1\",$2,$(($2 - 1)),$(($2 + 1)),20,5,0,${words[1]},${words[2]}" \
            "$placement,\"$type\",\"sum\",\"$host\",\"${processor//\"/\"\"}\",\"$mpi\",\"$version\"" | sed 's/ /,/'
        shift 2
    done
}

# launch FILE: of what comes by stdin
launch() { (echo "$head"; cat) >"$1"; }

# at BYTES: the algorithm of the table's row that holds
at() {
    run "$allfold" explain --nodes 2 --ppn 2 --bytes "$1" --table t.json
    grep -oE '^ *[a-z_]+(\([^)]*\))? .*row [0-9]+|row [0-9]+' out | head -n 1
}

# pool FILE...: into t.json
pool() { run "$allfold" table pool --output t.json "$@"; }

# one: ring is the best at 1 KiB but in the second launch. circulant is the best at 4 KiB but in the
# third launch, of another node and with one size more
{ size 1024 512 2048 native 90 ring 30 circulant 40; size 4096 2048 8192 native 300 ring 80 circulant 40; } | launch a.csv
{ size 1024 512 2048 native 90 ring 300 circulant 40; size 4096 2048 8192 native 300 ring 90 circulant 50; } | launch b.csv
{ size 1024 512 2048 native 93 ring 31 circulant 42 linear 10
  size 4096 2048 8192 native 300 ring 80 circulant 600
  size 16384 8192 16384 native 100 ring 90; } >c.lines
host=n2 launch c.csv <c.lines
pool a.csv b.csv c.csv
expect "three launches are pooled" [ "$status" = 0 ]
expect "it says on what" grep -qxF '# Allfold 0.2.0 table pool: n1, Open MPI 4.1.4, p = 4, 2 x 2, to t.json' out
expect "no launch decides by itself" grep -qE '^  allreduce +1024 .* 60  ring$' out
expect "nor the other way round" grep -qE '^  allreduce +4096 .* 60  circulant$' out
expect "what one launch has alone is left out" said "allreduce of 16384 bytes is left out"
python "the table has the rows" "
table = json.load(open('t.json'))
rows = [(r['algorithm'], r['from_bytes'], r['to_bytes']) for r in table['rows']]
# ring leads by 4 / 3 at 1 KiB, circulant by 2 x 90 / 100 at 4 KiB: they cross in between
border = rows[0][2]
assert rows == [('ring', 512, border), ('circulant', border, 8192)] and 1024 < border < 4096, rows
assert all(r['nodes'] == 2 and r['ppn'] == 2 and r['placement'] == 'block' for r in table['rows'])
assert table['machine'] == {'host': 'n1', 'processor': 'A \"fast\" one, 2 GHz', 'mpi': 'Open MPI 4.1.4', \
    'allfold': '0.2.0'}, table"
pool c.csv
expect "one launch may be made a table again" grep -qE '^  allreduce +1024 .* 20  linear$' out

# older rows do not stay
cat >t.json <<END
{"allfold_table": 1, "machine": {"mpi": "Open MPI 4.1.4"}, "rows": [
{"collective": "bcast", "nodes": 2, "ppn": 2, "from_bytes": 0, "algorithm": "native"}]}
END
pool a.csv b.csv c.csv
expect "a table is written anew" [ "$status" = 0 ]
python "and keeps no older row" "
table = json.load(open('t.json'))
assert {r['collective'] for r in table['rows']} == {'allreduce'}"

# exact types and sizes without a bound
type=int size 1048576 524288 '' native 300 ring 80 | sed 's/allreduce,4/reduce,4/;s/"ring"/"binomial_tree"/' | launch e.csv
pool e.csv e.csv
python "rows of an exact type hold for these, without a bound" "
row, = json.load(open('t.json'))['rows']
assert row['exact'] and 'to_bytes' not in row and row['collective'] == 'reduce' and row['algorithm'] == 'binomial_tree', row"

# other machines, MPIs, ranks and so on are not pooled
differs() { # COLUMN VALUE EXPECTED
    size 1024 512 2048 native 90 ring 30 | launch other.csv
    refuses "another $1 is refused" 1 "other.csv, line 2: $1 is '$2'; expected '$3' as in a.csv" -- \
        "$allfold" table pool --output none.json a.csv other.csv
}
p=3 differs p 3 4
placement=cyclic differs placement cyclic block
type=int differs type int double
processor=Z80 differs processor Z80 "$processor"
mpi='MPICH 4.0.2' differs mpi 'MPICH 4.0.2' "$mpi"
version=0.0.9 differs allfold 0.0.9 0.2.0

# broken lines: what, where, and what is expected
breaks() { # SED TEXT...
    sed "$1" a.csv >other.csv
    refuses "what is broken by $1 is refused" 1 "${@:2}" -- \
        "$allfold" table pool --output none.json b.csv other.csv
}
breaks '3s/,30,/,3O,/' "other.csv, line 3: median_us is '3O'; expected a time above 0"
breaks '3s/,30,/,-30,/' "other.csv, line 3: median_us is '-30'; expected a time above 0"
breaks '3s/,30,/,nan,/' "other.csv, line 3: median_us is 'nan'; expected a time above 0"
breaks '3s/,29,31,20,/,29,31,2.5,/' "other.csv, line 3: calls is '2.5'; expected a whole number from 1 on"
breaks '3s/,29,31,/,31,29,/' "other.csv, line 3: median_us is 30; expected a time from 31 to 29, its interval"
breaks '3s/,1024,/,1e99,/' "other.csv, line 3: bytes is '1e99'; expected a number of bytes"
breaks '3s/ring/rung/' "other.csv, line 3: " "rung"
breaks '3s/allreduce/gather/' "other.csv, line 3: 'gather' is no collective"
breaks '4s/circulant/ring/' "other.csv, line 4: ring of 1024 bytes is there twice; expected one launch a file"
breaks '5s/2048,8192/1024,8192/' "other.csv, line 5: its size stands for others than in b.csv" "--bytes"
breaks '$s/,[^,]*$//' "other.csv, line 7: 20 cells; expected 21, as in line 1"
breaks '1s/,mpi,/,MPI,/' "other.csv, line 1: there is no column 'mpi'; expected a CSV file of allfold tune --csv"
breaks '2,$d' "other.csv: it has nothing that was measured"
breaks '1,$d' "other.csv, line 0: it is empty; expected a CSV file of allfold tune --csv"
refuses "a file that is not there is named" 1 "gone.csv: No such file" -- \
    "$allfold" table pool --output none.json a.csv gone.csv
sed '/native/d' a.csv >other.csv
refuses "without native there is nothing to compare with" 1 "nothing was measured in more than half" -- \
    "$allfold" table pool --output none.json other.csv other.csv
expect "nothing is written then" [ ! -e none.json ]
refuses "it needs files" 2 "expected files after the action" -- "$allfold" table pool --output none.json
refuses "it needs a name for the table" 2 "expected --output for the table" -- "$allfold" table pool a.csv
refuses "it was an option of tune" 2 "--pool is now a command: allfold table pool" -- \
    "$allfold" tune --pool --output none.json a.csv
finish
