"""For gdb: runs walk.c and prints which of the functions that DESIGN.md names each call passes, in the order in
which it first does. The environment has the page's path (DESIGN), the sources (SOURCE), and a file for the answer
(WALK)."""
import os
import pathlib
import re

import gdb

ROW = re.compile(r"^\| (a repeated `MPI_Allreduce`|a first one|`MPI_Iallreduce`|`MPI_Start`) \| (.*) \|$")


def named(text):
    """(file, function) in the order of a row."""
    file = None
    for word in re.findall(r"`([\w.]+)`", text):
        if word.endswith(".c"):
            file = word
        else:
            yield file, word


class Mark(gdb.Breakpoint):
    call = ""

    def stop(self):
        Mark.call = gdb.selected_frame().read_var("call").string()
        return False


class Function(gdb.Breakpoint):
    def __init__(self, file, function):
        super().__init__(function)  # with a file before it, gdb leaves out where it was inlined
        self.place = file, function

    def stop(self):
        if Mark.call:
            passed.setdefault(Mark.call, {}).setdefault(self.place)
        return False


def is_in(file, function):
    paths = pathlib.Path(os.environ["SOURCE"], "src").rglob(file)
    return any(re.search(rf"^\w.*\b{function}\(", path.read_text(encoding="utf-8"), re.M) for path in paths)


passed = {}
rows = {}
with open(os.environ["DESIGN"], encoding="utf-8") as page:
    for match in filter(None, map(ROW.match, page)):
        rows[match[1].replace("`", "")] = list(named(match[2]))
for setting in ("pagination off", "confirm off", "breakpoint pending on"):
    gdb.execute("set " + setting)
gdb.Breakpoint("walk_mark", temporary=True)
gdb.execute("run")
for place in dict.fromkeys(place for row in rows.values() for place in row):
    Function(*place)
Mark("walk_mark")
Mark.call = gdb.selected_frame().read_var("call").string()
gdb.execute("continue")
with open(os.environ["WALK"], "w", encoding="utf-8") as answer:
    for call, row in rows.items():
        # a function that another row names may be passed, too
        found = [place for place in passed.get(call, {}) if place in row and is_in(*place)]
        print(f"{call}: {'as the page says' if found == row else f'passes {found}, and the page says {row}'}",
              file=answer)
