"""What waiting.c prints of itself, and when a figure of it is right."""
import re


def saw(text):
    """How long rank 0 waited and all ranks did, and what the calls took; in seconds."""
    found = re.search(r"waited: (\S+) all: (\S+) took: (\S+)", text)
    return tuple(float(word) for word in found.groups()) if found else (0, 0, 0)


def right(said, true, calls):
    """To 5 percent, or to 2 us a call."""
    return abs(said - true) <= max(0.05 * true, 2e-6 * calls)
