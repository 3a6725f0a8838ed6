"""Reads the rows that bench/simgrid/run writes, as points, for show and agree."""
import csv
import glob
import math
import os

COLUMNS = ["collective", "platform", "p", "ppn", "placement", "bytes", "contender", "algorithm",
           "microseconds"]
SELECTORS = ("ompi", "mpich", "mvapich2", "impi")
CHOICES = ("untold", "told")
LOST = 0.97  # the least ratio that is no loss
HELD_OUT = ("fat_tree_3", "dragonfly_3", "dragonfly_5", "torus_3d")  # nobody looked at their losses


class Point:
    """A collective, a network, ranks, their placement and a size: all times, in microseconds."""

    def __init__(self, collective, platform, p, ppn, placement, size):
        self.collective, self.platform, self.p, self.ppn = collective, platform, int(p), int(ppn)
        self.placement, self.size = placement, int(size)
        self.ours = {}  # by choice: (time, algorithm)
        self.theirs = {}  # by selector; those without a right result are not there
        self.ends = set()  # the selectors that do

    def winner(self):
        """(time, selector) of the best selector."""
        return min((us, name) for name, us in self.theirs.items())

    def ratio(self, choice, selector=None):
        """The time of a selector (the best one) by ours: more than 1 is a gain. None where one of the
        two is missing."""
        if choice not in self.ours or not self.theirs or selector not in (None, *self.theirs):
            return None
        us = self.theirs[selector] if selector else self.winner()[0]
        return us / self.ours[choice][0]


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if line[0] != "#"))


def read_points(directory):
    """Of all files in a directory."""
    points = {}
    for path in sorted(glob.glob(os.path.join(directory, "*.csv"))):
        for row in read_rows(path):
            key = tuple(row[name] for name in COLUMNS[:6])
            point = points.setdefault(key, Point(*key))
            name, us = row["contender"], row["microseconds"]
            if name in CHOICES:
                point.ours[name] = float(us), row["algorithm"]
            elif name in SELECTORS and us:
                point.theirs[name] = float(us)
            elif name in SELECTORS:
                point.ends.add(name)
    return list(points.values())


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))
