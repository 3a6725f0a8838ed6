# numba-mpi: compiled code calls MPI_Allreduce and MPI_Reduce by the addresses that numba-mpi found.
import math

import numba
import numba_mpi
import numpy as np


@numba.njit
def integrate(steps):
    rank, p = numba_mpi.rank(), numba_mpi.size()
    part, total, largest = np.zeros(1), np.zeros(1), np.zeros(1)
    for i in range(rank, steps, p):
        part[0] += 4 / (1 + ((i + 0.5) / steps) ** 2) / steps
    numba_mpi.allreduce(part, total, numba_mpi.Operator.SUM)
    numba_mpi.reduce(part, largest, numba_mpi.Operator.MAX, 0)
    return total[0], largest[0]


pi, largest = integrate(10000)
assert numba_mpi.size() == 2 and abs(pi - math.pi) < 1e-8, pi
if numba_mpi.rank() == 0:
    assert 1.57 < largest < 1.58, largest
    print(repr(pi), repr(largest))
