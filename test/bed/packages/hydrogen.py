# GPAW: the energy of a chain of hydrogen molecules, whose k-points are divided among the ranks.
from ase import Atoms
from gpaw import GPAW
from gpaw.mpi import world

assert world.size == 2, f"GPAW runs on {world.size} ranks"
chain = Atoms("H2", [(0, 0, 0), (0, 0, 0.74)], cell=(4, 4, 3), pbc=True)
chain.calc = GPAW(mode={"name": "pw", "ecut": 200}, kpts=(1, 1, 4), xc="LDA", txt=None, parallel={"kpt": 2})
energy = chain.get_potential_energy()
assert -9 < energy < -5, energy
if world.rank == 0:
    print(f"{energy:.9f}")
