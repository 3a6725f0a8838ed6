# NEURON: a ring of cells on all ranks. The number and sum of spike times are reduced by its ParallelContext.
from neuron import h

h.nrnmpi_init()
pc = h.ParallelContext()
rank, p = int(pc.id()), int(pc.nhost())
assert p == 2, f"NEURON runs on {p} ranks"
h.load_file("stdrun.hoc")
cells, links, spikes, ids, n = [], [], h.Vector(), h.Vector(), 8
for gid in range(rank, n, p):
    soma = h.Section(name=f"soma{gid}")
    soma.L = soma.diam = 12
    soma.insert("hh")
    synapse = h.ExpSyn(soma(0.5))
    pc.set_gid2node(gid, rank)
    pc.cell(gid, h.NetCon(soma(0.5)._ref_v, None, sec=soma))
    cells.append((gid, soma, synapse))
for gid, soma, synapse in cells:
    link = pc.gid_connect((gid - 1) % n, synapse)
    link.weight[0], link.delay = 0.02, 2
    links.append(link)
pc.spike_record(-1, spikes, ids)
start = None
if rank == 0:
    start = h.IClamp(cells[0][1](0.5))
    start.delay, start.dur, start.amp = 1, 1, 0.5
pc.set_maxstep(10)
h.finitialize(-65)
pc.psolve(60)
count = pc.allreduce(len(spikes), 1)
first, last = pc.allreduce(min(spikes), 3), pc.allreduce(max(spikes), 2)
times = h.Vector([0.0] * n)
for time, gid in zip(spikes, ids):
    times.x[int(gid)] += time
pc.allreduce(times, 1)
assert count > n and first < 4 and last < 60, (count, first, last)
if rank == 0:
    print(int(count), repr(first), repr(last), [repr(time) for time in times])
pc.barrier()
h.quit()
