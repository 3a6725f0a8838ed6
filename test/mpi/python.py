# Collectives of a Python program that knows nothing of Allfold, and whether they are right: of buffers
# and of objects.
import array
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, p = comm.Get_rank(), comm.Get_size()
wrong = []


def expect(what, holds):
    if not holds:
        wrong.append(what)


for n in (1, 7, 5000):
    mine = array.array("d", [rank + i for i in range(n)])
    total = array.array("d", [0.0] * n)
    right = array.array("d", [p * (p - 1) // 2 + p * i for i in range(n)])
    comm.Allreduce([mine, MPI.DOUBLE], [total, MPI.DOUBLE], op=MPI.SUM)
    expect("Allreduce", total == right)
    comm.Allreduce(MPI.IN_PLACE, [mine, MPI.DOUBLE], op=MPI.SUM)
    expect("Allreduce in place", mine == right)
    comm.Reduce([right, MPI.DOUBLE], [total, MPI.DOUBLE] if rank == p - 1 else None, op=MPI.MAX, root=p - 1)
    expect("Reduce", rank != p - 1 or total == right)
    value = array.array("i", [42 if rank == 0 else 0] * n)
    comm.Bcast([value, MPI.INT], root=0)
    expect("Bcast", set(value) == {42})
    blocks = array.array("i", [0] * (p * n))
    comm.Allgather([array.array("i", [rank] * n), MPI.INT], [blocks, MPI.INT])
    expect("Allgather", list(blocks) == [i // n for i in range(p * n)])

# memory of MPI_Alloc_mem, and of Python for the result
memory = MPI.Alloc_mem(8 * 50000)
shared = memoryview(memory).cast("B").cast("d")
for i in range(50000):
    shared[i] = rank + i
total = array.array("d", [0.0] * 50000)
comm.Allreduce([shared, MPI.DOUBLE], [total, MPI.DOUBLE], op=MPI.SUM)
expect("Allreduce of memory of MPI.Alloc_mem", list(total) == [p * (p - 1) // 2 + p * i for i in range(50000)])
shared.release()
MPI.Free_mem(memory)

last = array.array("i", [0])
comm.Allreduce([array.array("i", [1]), MPI.INT], [last, MPI.INT], op=MPI.MIN)
expect("Allreduce by MPI.MIN", last[0] == 1)

expect("allreduce", comm.allreduce(rank + 1) == p * (p + 1) // 2)
expect("allreduce of lists", comm.allreduce([rank]) == list(range(p)))
expect("reduce", comm.reduce("ab"[rank % 2], root=0) == ("abababab"[:p] if rank == 0 else None))
expect("bcast", comm.bcast({"a": [1, 2]} if rank == 0 else None) == {"a": [1, 2]})
expect("allgather", comm.allgather(rank) == list(range(p)))
comm.barrier()
for what in wrong:
    print("WRONG:", what, "on rank", rank)
if rank == 0 and not wrong:
    print("right")
sys.exit(bool(wrong))
