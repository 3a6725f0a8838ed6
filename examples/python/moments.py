"""Mean, deviation and extremes of samples that are distributed over ranks: reductions of a buffer and of an
object, with a user-defined operation.

    mpirun -n 4 allfold run --report python3 moments.py [SAMPLES]

The moments of two sets are combined by the method of Chan, Golub and LeVeque, which is accurate even if the
mean is far from zero.
"""
import math
import sys
from array import array

from mpi4py import MPI


def together(a, b):
    """Count, mean and sum of squared distances to it, of two sets in one."""
    count = a[0] + b[0]
    if count == 0:
        return a
    distance = b[1] - a[1]
    return (
        count,
        a[1] + distance * b[0] / count,
        a[2] + b[2] + distance**2 * a[0] * b[0] / count,
    )


def main():
    world = MPI.COMM_WORLD
    try:
        samples = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    except ValueError:
        sys.exit(f"moments.py: {sys.argv[1]} is no number of samples")
    first, last = (samples * r // world.size for r in (world.rank, world.rank + 1))
    x = [1e6 + math.sin(i) for i in range(first, last)]

    ends = array("d", (-min(x), max(x)) if x else (-math.inf, -math.inf))
    world.Allreduce(MPI.IN_PLACE, ends, op=MPI.MAX)
    mine = (0, 0.0, 0.0)
    if x:
        mean = math.fsum(x) / len(x)
        mine = (len(x), mean, math.fsum((value - mean) ** 2 for value in x))
    count, mean, squares = world.allreduce(mine, op=together)
    if world.rank == 0:
        print(f"{count} samples from {-ends[0]:.6f} to {ends[1]:.6f}")
        print(f"mean {mean:.6f}, deviation {(squares / max(count, 1)) ** 0.5:.6f}")


main()
