"""The lines of src/select/built_in_rows.inc, for scripts/tables, which writes them, and scripts/guidelines."""
import re

FORMAT = "ROW(%s,%s,%s,%d,%s,%s,%s,%s,%sF,%sF,%d,%d) /* %s; %s */"
KEYS = ["collective", "operation", "network", "in_blocks", "nodes", "ppn", "from_bytes", "bytes", "us",
        "runner_up_us", "algorithm", "runner_up"]
LINE = re.compile(r"ROW\((\w+),(\w+),(\w+),(\d),(\d+),(\d+),(\d+),(\d+),([\d.]+)F,([\d.]+)F,\d+,\d+\) "
                  r"/\* (.*); ?(.*?) ?\*/")


def read(path):
    """The cells of each row by KEYS, all of them text."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = LINE.match(line)
            if found:
                yield dict(zip(KEYS, found.groups()))
