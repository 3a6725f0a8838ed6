/* The Fortran functions of Open MPI and MPICH that this library replaces, except for collectives
 * (interpose_fortran_collectives.c, interpose_fortran_passed.c), requests
 * (interpose_fortran_requests.c) and functions of Open MPI alone (interpose_fortran_openmpi.c). For
 * MPICH these are the functions of the module mpi_f08 without a buffer: only they call PMPI_
 * functions; its other Fortran functions call MPI_ functions (interpose.c). They only convert
 * handles from Fortran to C. */
#include "mpi/interpose/interpose_fortran.h"

static void init(MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Init(NULL, NULL));
}

static void init_thread(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror)
{
    int level = MPI_THREAD_SINGLE;
    allfold_set_ierror(ierror, MPI_Init_thread(NULL, NULL, (int)*required, &level));
    *provided = (MPI_Fint)level;
}

static void finalize(MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Finalize());
}

static void comm_set_info(const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Comm_set_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info)));
}

static void comm_dup_with_info(const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *newcomm,
                               MPI_Fint *ierror)
{
    MPI_Comm made = MPI_COMM_NULL;
    allfold_set_ierror(ierror,
                       MPI_Comm_dup_with_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *newcomm = MPI_Comm_c2f(made);
}

static void alloc_mem(const MPI_Aint *size, const MPI_Fint *info, void *baseptr, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Alloc_mem(*size, MPI_Info_f2c(*info), baseptr));
}

ALLFOLD_ALIASES(init, INIT)
ALLFOLD_ALIASES(init_thread, INIT_THREAD)
ALLFOLD_ALIASES(finalize, FINALIZE)
ALLFOLD_ALIASES(comm_set_info, COMM_SET_INFO)
ALLFOLD_ALIASES(comm_dup_with_info, COMM_DUP_WITH_INFO)
ALLFOLD_ALIASES(alloc_mem, ALLOC_MEM)
