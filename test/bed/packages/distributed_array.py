# mpiarray: sums, extremes and their positions of an array that is divided among the ranks.
import mpiarray
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
whole = np.sin(np.arange(5000.0)).reshape(100, 50)
array = mpiarray.array(whole)
assert comm.size == 2 and array.local.size < whole.size
total, most, columns = float(array.sum()), float(array.max()), np.asarray(array.sum(axis=0))
assert abs(total - whole.sum()) < 1e-9 and most == whole.max() and np.allclose(columns, whole.sum(axis=0))
if comm.rank == 0:
    print(repr(total), repr(most), repr(float(columns[7])))
