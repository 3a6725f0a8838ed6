# For scripts of the test bed to source.
# shellcheck shell=bash

# Did Allfold serve calls? A line of the report names an algorithm that is not the MPI library's.
was_served() { # REPORT
    awk -F, '!/^#/ && !header { for (i = 1; i <= NF; i++) column[$i] = i; header = 1; next }
             !/^#/ && $column["algorithm"] != "native" && $column["algorithm"] != "" { served = 1 }
             END { exit !served }' "$1" 2>/dev/null
}
