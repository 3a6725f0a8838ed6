# NuMPI: the minimum of Rosenbrock's function of variables that lie on all ranks, by L-BFGS.
import numpy as np
from mpi4py import MPI
from NuMPI.Optimization import l_bfgs
from NuMPI.Tools import Reduction

comm = MPI.COMM_WORLD
reduction = Reduction(comm)


def rosenbrock(x):
    a, b = x.reshape(-1, 2).T
    gradient = np.stack((-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)), axis=1).reshape(x.shape)
    return reduction.sum((1 - a) ** 2 + 100 * (b - a * a) ** 2), gradient


start = np.linspace(-1, 1, 200).reshape(comm.size, -1)[comm.rank]
found = l_bfgs(rosenbrock, start.reshape(-1, 1), jac=True, gtol=1e-8, maxiter=400, pnp=reduction)
assert found.success and np.allclose(found.x, 1, atol=1e-6), found.message
if comm.rank == 0:
    print(found.nit, repr(float(found.fun)))
