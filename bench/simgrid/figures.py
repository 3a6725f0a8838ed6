"""The rows that bench/simgrid/run writes, as cases: for run, which looks up losses, and for show."""
import csv
import glob
import math
import os

COLUMNS = ["platform", "p", "ppn", "placement", "selector", "bytes", "contender", "algorithm",
           "microseconds"]
CHOICES = ("card", "default", "calibrated", "told", "told_calibrated")
# Our choices of jobs that know more: what the program calls them, whether the system says the rate
# of the hosts' cards, and whether the job knows which switches the hosts are below.
KNOWING = {"card": ("default", True, False), "told": ("default", True, True),
           "told_calibrated": ("calibrated", False, True)}
LOST = 0.97  # the least ratio that is no loss
HELD_OUT = ("dragonfly_3", "torus_3d")  # nobody looked at their losses while working on the model


class Case:
    """A network, ranks, their placement and a size: the times of all, in microseconds."""

    def __init__(self, platform, p, ppn, placement, size):
        self.platform, self.p, self.ppn, self.placement = platform, p, ppn, placement
        self.size = size
        self.ours = {}  # by choice: (time, algorithm)
        self.candidates = {}  # by algorithm
        self.theirs = {}  # by selector; None where it ends the program

    def winner(self):
        """(time, selector) of the best selector, or None."""
        times = [(us, name) for name, us in self.theirs.items() if us is not None]
        return min(times) if times else None

    def ratio(self, choice):
        """The best selector's time by ours: more than 1 is a gain. None where one is missing."""
        winner = self.winner()
        return winner[0] / self.ours[choice][0] if winner and choice in self.ours else None

    def best(self):
        """(time, algorithm) of the best of ours, or None where candidates were not simulated."""
        if not self.candidates:
            return None
        return min([(us, name) for name, us in self.candidates.items()] + list(self.ours.values()))

    def regret(self, choice):
        best = self.best()
        return self.ours[choice][0] / best[0] - 1 if best and choice in self.ours else None


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if line[0] != "#"))


def read_cases(directory):
    """All parts' rows in a directory."""
    cases = {}
    for path in sorted(glob.glob(os.path.join(directory, "*.csv"))):
        for row in read_rows(path):
            key = (row["platform"], int(row["p"]), int(row["ppn"]), row["placement"],
                   int(row["bytes"]))
            case = cases.setdefault(key, Case(*key))
            us = float(row["microseconds"]) if row["microseconds"] else None
            if row["selector"] != "allfold":
                case.theirs[row["selector"]] = us
            elif row["contender"] == "candidate":
                case.candidates[row["algorithm"]] = us
            elif row["contender"] in CHOICES:
                case.ours[row["contender"]] = us, row["algorithm"]
    return [cases[key] for key in sorted(cases)]


def losses(cases):
    """(case, choice) of all that is lost, the worst first."""
    found = [(case.ratio(choice), case, choice) for case in cases for choice in CHOICES
             if case.ratio(choice) is not None and case.ratio(choice) < LOST]
    return [(case, choice) for _, case, choice in sorted(found, key=lambda one: one[0])]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))
