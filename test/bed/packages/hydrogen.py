# GPAW: the energy of a hydrogen molecule on a grid that is divided among the ranks.
from ase import Atoms
from gpaw import GPAW
from gpaw.mpi import world

assert world.size == 2, f"GPAW runs on {world.size} ranks"
molecule = Atoms("H2", [(0, 0, 0), (0, 0, 0.74)], cell=(4, 4, 4.8))
molecule.center()
molecule.calc = GPAW(mode="fd", h=0.3, xc="LDA", txt=None, convergence={"density": 1e-3, "eigenstates": 1e-5})
energy = molecule.get_potential_energy()
assert -8 < energy < -5, energy
if world.rank == 0:
    print(f"{energy:.9f}")
