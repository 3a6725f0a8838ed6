/* The Fortran functions of MPICH that the library takes the place of: those of the module mpi_f08
 * that are given no buffer. They alone call PMPI_; all others of MPICH call MPI_ (interpose.c) by
 * themselves. No logic but that Fortran's handles become those of C. */
#include "mpi/interpose/interpose_fortran.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

ALLFOLD_PUBLIC void mpi_barrier_f08_(const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Barrier(MPI_Comm_f2c(*comm)));
}

ALLFOLD_PUBLIC void mpi_comm_set_info_f08_(const MPI_Fint *comm, const MPI_Fint *info,
                                           MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Comm_set_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info)));
}

ALLFOLD_PUBLIC void mpi_comm_dup_with_info_f08_(const MPI_Fint *comm, const MPI_Fint *info,
                                                MPI_Fint *newcomm, MPI_Fint *ierror)
{
    MPI_Comm made = MPI_COMM_NULL;
    allfold_set_ierror(ierror,
                       MPI_Comm_dup_with_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *newcomm = MPI_Comm_c2f(made);
}

ALLFOLD_PUBLIC void mpi_alloc_mem_f08_(const MPI_Aint *size, const MPI_Fint *info, void *baseptr,
                                       MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Alloc_mem(*size, MPI_Info_f2c(*info), baseptr));
}

ALLFOLD_PUBLIC void mpi_init_f08_(MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Init(NULL, NULL));
}

ALLFOLD_PUBLIC void mpi_init_thread_f08_(const MPI_Fint *required, MPI_Fint *provided,
                                         MPI_Fint *ierror)
{
    int level = MPI_THREAD_SINGLE;
    allfold_set_ierror(ierror, MPI_Init_thread(NULL, NULL, (int)*required, &level));
    *provided = (MPI_Fint)level;
}

ALLFOLD_PUBLIC void mpi_finalize_f08_(MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Finalize());
}
