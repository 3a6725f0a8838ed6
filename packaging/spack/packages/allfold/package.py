"""Spack recipe of Allfold: add packaging/spack as a repository (`spack repo add`) and install with
the MPI that programs use, as in `spack install allfold ^openmpi`."""

import os

from spack.package import *


class Allfold(CMakePackage):
    """Fast, explainable and dependable reductions for MPI programs, without rebuilding them."""

    license("BSD-3-Clause")
    # the clone that this recipe lies in
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    version("main", branch="main")

    variant("tests", default=False, description="build the tests and benchmarks")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi")
    depends_on("hwloc")
    depends_on("jansson")
    depends_on("jansson")
    depends_on("cmocka", when="+tests")

    conflicts("^intel-oneapi-mpi", msg="Open MPI and MPICH are what is built and tested")

    def cmake_args(self):
        return [
            self.define_from_variant("ALLFOLD_TESTS", "tests"),
            self.define("ALLFOLD_MPICC", self.spec["mpi"].mpicc),
        ]

    @property
    def libs(self):
        """What dependents link: the core, which has no MPI in it."""
        return find_libraries("liballfold-core", root=self.prefix, recursive=True)

    def setup_run_environment(self, env):
        env.set("ALLFOLD_ROOT", self.prefix)
