# For scripts of the test bed to source.
# shellcheck shell=bash

# Did Allfold serve calls? A row of the report names an algorithm that is not the MPI library's.
was_served() { # REPORT
    python3 -c '
import csv, sys
rows = csv.DictReader(line for line in open(sys.argv[1]) if not line.startswith("#"))
sys.exit(not any((row["algorithm"] or "native") != "native" for row in rows))' "$1" 2>/dev/null
}
