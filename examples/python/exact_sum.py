"""A sum that is bitwise identical on any number of ranks, by Allfold's accumulators through ctypes.

    mpirun -n 5 allfold run python3 exact_sum.py [SAMPLES]

The numbers cancel except for the last digits, so an ordinary sum is wrong and depends on the number of ranks.
Pass a numpy array x as x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)).
"""
import ctypes
import math
import sys
from array import array

from mpi4py import MPI

allfold = ctypes.CDLL(None)  # what `allfold run` has loaded
if not hasattr(allfold, "allfold_accumulate"):
    sys.exit("exact_sum.py: Allfold is not loaded; start with `allfold run python3 exact_sum.py`")
allfold.allfold_accumulator_round.restype = ctypes.c_double


class Accumulator(ctypes.Structure):
    """struct allfold_accumulator of allfold_accumulator.h: 140 integers, all zero at first."""

    _fields_ = [("integers", ctypes.c_int64 * 140)]

    def add(self, numbers):
        address, count = numbers.buffer_info()
        allfold.allfold_accumulate(ctypes.byref(self), ctypes.c_void_p(address), ctypes.c_size_t(count))

    def allreduce(self, comm):
        total = Accumulator()
        allfold.allfold_accumulator_allreduce_f(
            ctypes.byref(self), ctypes.byref(total), 1, ctypes.c_int(comm.py2f())
        )
        return total

    def round(self):
        return allfold.allfold_accumulator_round(ctypes.byref(self))


def main():
    world = MPI.COMM_WORLD
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    first, last = (samples * r // world.size for r in (world.rank, world.rank + 1))
    x = array("d", (math.sin(i) * 10 ** (i % 30) for i in range(first, last)))

    mine = Accumulator()
    mine.add(x)
    exact = mine.allreduce(world).round()
    ordinary = array("d", [0.0])
    for number in x:
        ordinary[0] += number
    world.Allreduce(MPI.IN_PLACE, ordinary)
    if world.rank == 0:
        print(f"exact {exact.hex()}")
        print(f"ordinary {ordinary[0].hex()}")


main()
