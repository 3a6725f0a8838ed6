# SHIFT: mean and extremes of a field that is divided among the ranks, and the sum of its parts at the root.
import numpy as np
from shift.mpiutils import MPI

mpi = MPI()
n = 30000
assert mpi.size == 2, f"SHIFT runs on {mpi.size} ranks"
field = np.sin(np.arange(n) * 0.01)
part = mpi.split_array(field)
mean, least, most, total = mpi.Mean(part), mpi.Min(part), mpi.Max(part), mpi.Sum(part)
assert abs(mean - field.mean()) < 1e-12 and least == field.min() and most == field.max()
if mpi.rank == 0:
    assert np.array_equal(total, field[: n // 2] + field[n // 2 :])
    print(repr(float(mean)), repr(float(least)), repr(float(most)), repr(float(total.sum())))
