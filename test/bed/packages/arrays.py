# Reductions of buffers and of objects by mpi4py, in the ways that programs write them.
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, p = comm.rank, comm.size
for n in (1, 100, 100000):
    x = np.sin(np.arange(n) + rank)
    right = sum(np.sin(np.arange(n) + r) for r in range(p))
    total = np.empty(n)
    comm.Allreduce(x, total)
    assert np.allclose(total, right), n
    comm.Reduce(x, total if rank == 0 else None, op=MPI.MAX, root=0)
    comm.Allreduce(MPI.IN_PLACE, x)
    assert np.allclose(x, right), n
    if rank == 0:
        print(n, repr(float(x.sum())), repr(float(total.sum())))
assert comm.allreduce(rank) == p * (p - 1) // 2
blocks = np.empty(p, dtype="i")
comm.Reduce_scatter_block(np.arange(p, dtype="i"), blocks[:1])
assert blocks[0] == p * rank
before = np.zeros(1)
comm.Exscan(np.array([rank + 1.0]), before)
assert rank == 0 or before[0] == rank * (rank + 1) / 2
