# PyLops-MPI: least squares by conjugate gradients on blocks that lie on all ranks.
import numpy as np
import pylops
import pylops_mpi
from mpi4py import MPI

rank, p = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
n = 40
block = np.random.default_rng(rank).standard_normal((2 * n, n))
operator = pylops_mpi.MPIBlockDiag([pylops.MatrixMult(block)])
x = pylops_mpi.DistributedArray(global_shape=p * n)
x[:] = np.arange(n) + n * rank
start = pylops_mpi.DistributedArray(global_shape=p * n)
start[:] = 0
found = pylops_mpi.cgls(operator, operator @ x, x0=start, niter=200, tol=1e-12)[0]
norm = float(found.norm()[0] if np.ndim(found.norm()) else found.norm())
assert abs(norm - np.linalg.norm(np.arange(p * n))) < 1e-6, norm
if rank == 0:
    print(repr(norm), repr(float(found.local_array.sum())))
