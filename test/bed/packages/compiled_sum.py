# mpi4jax: XLA calls MPI_Allreduce from compiled code, also for a derivative.
import jax
import jax.numpy as jnp
import mpi4jax
from mpi4py import MPI

comm = MPI.COMM_WORLD


@jax.jit
def squares(x):
    return mpi4jax.allreduce(jnp.sum(x * x), op=MPI.SUM, comm=comm)


x = jnp.arange(1000.0) * (comm.rank + 1)
total, slope = squares(x), jax.grad(squares)(x)
right = sum(i * i for i in range(1000)) * sum(r * r for r in range(1, comm.size + 1))
assert abs(float(total) / right - 1) < 1e-4, (float(total), right)
if comm.rank == 0:
    print(repr(float(total)), repr(float(jnp.sum(slope))))
