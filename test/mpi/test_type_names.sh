#!/bin/bash
# Each datatype that the MPI library's headers declare, in C and in Fortran, is in the list of types
# (src/mpi/handles/type_list.h). A type of a newer MPI fails this test until somebody says who
# reduces it.
# Usage: test_type_names.sh MPI BUILD_DIRECTORY SOURCE_DIRECTORY
set -u
mpi=$1 build=$2 source=$3
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"
logs=(names declared missing)

# declared_c: the macros of mpi.h (and of mpi-ext.h) that stand for a datatype, by name
declared_c() {
    printf '#include <mpi.h>\n#if __has_include(<mpi-ext.h>) && defined OPEN_MPI\n#include <mpi-ext.h>\n#endif\n' |
        "mpicc.$mpi" -E -dM -x c - | python3 -c '
import re, sys
macros = dict(re.match(r"#define (\w+) ?(.*)", line).groups() for line in sys.stdin
              if re.match(r"#define \w+(?!\() ", line))
def is_type(name):
    value = macros.get(name, "")
    return (re.match(r"\(+ *MPI_Datatype *\)", value) or "(MPI_Datatype," in value
            or (value in macros and value.startswith("MPI") and is_type(value)))
for name in sorted(macros):
    if name.startswith("MPI") and is_type(name):
        print(name)'
}

# declared_fortran: the parameters of mpif.h that are handles of datatypes. MPICH has the kind of a
# handle in its bits; Open MPI has a file of handles of all kinds, whose other names are below.
declared_fortran() {
    python3 - "$(dirname "$(printf '#include <mpi.h>\n' | "mpicc.$mpi" -E -M -x c - | tr ' ' '\n' |
        grep '/mpi\.h$' | head -1)")" <<'PYTHON'
import os, re, sys
folder = sys.argv[1]
handles = os.path.join(folder, 'mpif-handles.h')
text = open(handles if os.path.exists(handles) else os.path.join(folder, 'mpif.h')).read()
other = re.compile(r'MPI_(COMM_|ERRORS_|ERRHANDLER|FILE_|GROUP_|INFO_|MESSAGE_|REQUEST_|WIN_|OP_NULL|'
                   r'(MAX|MIN|SUM|PROD|LAND|BAND|LOR|BOR|LXOR|BXOR|MAXLOC|MINLOC|REPLACE|NO_OP)$)')
for name, value in re.findall(r'parameter *\( *(mpix?_\w+) *= *(-?\w+) *\)', text, re.I):
    if os.path.exists(handles):
        is_type = not other.match(name)
    else:
        is_type = value.lstrip('-').isdigit() and (int(value) & 0xffffffff) >> 26 in (0x13, 0x23)
    if is_type:
        print(name)
PYTHON
}

# left_out: not types, or removed from MPI 3.0 and without a reduction ever
left_out='^MPI_(DATATYPE_NULL|SESSION_NULL|LB|UB)$'

"$source/scripts/launch" "$mpi" 1 "$build/bin/mpi_type_list_$mpi" --names >"$scratch/names"
expect "the list has names" grep -qx MPI_REAL8 "$scratch/names"
for language in c fortran; do
    "declared_$language" | grep -vE "$left_out" >"$scratch/declared"
    expect "$language: the headers declare some 50 types at least" \
        [ "$(wc -l <"$scratch/declared")" -ge 45 ]
    for known in MPI_INTEGER8 MPI_DOUBLE_COMPLEX MPI_COMPLEX16; do
        expect "$language: $known is found in them" grep -qx "$known" "$scratch/declared"
    done
    expect "$language: no MPI_SUM or MPI_COMM_WORLD is" \
        [ "$(grep -cE '^MPI_(SUM|COMM_WORLD|INFO_NULL|INT_MAX)$' "$scratch/declared")" = 0 ]
    grep -vxFf "$scratch/names" "$scratch/declared" >"$scratch/missing"
    expect "$language: all are in the list" [ ! -s "$scratch/missing" ]
done

finish
