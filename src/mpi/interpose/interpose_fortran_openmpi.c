/* The Fortran functions of Open MPI that the library takes the place of: Open MPI's own call PMPI_,
 * and so go past interpose.c. No logic but that Fortran's handles and constants become those of C.
 *
 * MPI_IN_PLACE and MPI_BOTTOM of Fortran are variables, of which there is one each for the program
 * and all libraries: where it is depends on the program, and its name on the compiler that the MPI
 * library was built for. Arguments come by reference; Fortran 2008 may leave `ierror` away, which
 * then is NULL. */
#include <mpi.h>
#include <stddef.h>

/* How Fortran compilers spell a name for the linker. */
#define ALLFOLD_SPELLINGS(NAME, lower, upper) NAME(lower##_) NAME(lower##__) NAME(lower) NAME(upper)
#define ALLFOLD_DECLARE(name) extern char name __attribute__((weak));
#define ALLFOLD_ADDRESS(name) &name,

ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)
ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)

enum { SPELLINGS = 4 };
static const char *const in_place[SPELLINGS] = {
    ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)};
static const char *const bottom[SPELLINGS] = {
    ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)};

/* Names that nobody defines have the address NULL. */
static int is_one_of(const void *buffer, const char *const *addresses)
{
    for (int i = 0; i < SPELLINGS && buffer != NULL; i++)
        if (buffer == addresses[i])
            return 1;
    return 0;
}

static void *output(void *buffer)
{
    return is_one_of(buffer, bottom) ? MPI_BOTTOM : buffer;
}

static const void *input(const void *buffer)
{
    return is_one_of(buffer, in_place) ? MPI_IN_PLACE
           : is_one_of(buffer, bottom) ? MPI_BOTTOM
                                       : buffer;
}

static void set(MPI_Fint *ierror, int code)
{
    if (ierror != NULL)
        *ierror = (MPI_Fint)code;
}

static void allreduce(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                      const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                      MPI_Fint *ierror)
{
    set(ierror, MPI_Allreduce(input(sendbuf), output(recvbuf), (int)*count, MPI_Type_f2c(*datatype),
                              MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

static void reduce(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                   const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *root,
                   const MPI_Fint *comm, MPI_Fint *ierror)
{
    set(ierror, MPI_Reduce(input(sendbuf), output(recvbuf), (int)*count, MPI_Type_f2c(*datatype),
                           MPI_Op_f2c(*op), (int)*root, MPI_Comm_f2c(*comm)));
}

static void bcast(void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                  const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierror)
{
    set(ierror, MPI_Bcast(output(buffer), (int)*count, MPI_Type_f2c(*datatype), (int)*root,
                          MPI_Comm_f2c(*comm)));
}

static void reduce_scatter_block(const void *sendbuf, void *recvbuf, const MPI_Fint *recvcount,
                                 const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                                 MPI_Fint *ierror)
{
    set(ierror,
        MPI_Reduce_scatter_block(input(sendbuf), output(recvbuf), (int)*recvcount,
                                 MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

static void allgather(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                      void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                      const MPI_Fint *comm, MPI_Fint *ierror)
{
    set(ierror,
        MPI_Allgather(input(sendbuf), (int)*sendcount, MPI_Type_f2c(*sendtype), output(recvbuf),
                      (int)*recvcount, MPI_Type_f2c(*recvtype), MPI_Comm_f2c(*comm)));
}

static void barrier(const MPI_Fint *comm, MPI_Fint *ierror)
{
    set(ierror, MPI_Barrier(MPI_Comm_f2c(*comm)));
}

static void pcontrol(const MPI_Fint *level)
{
    MPI_Pcontrol((int)*level);
}

static void comm_set_info(const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *ierror)
{
    set(ierror, MPI_Comm_set_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info)));
}

static void comm_dup_with_info(const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *newcomm,
                               MPI_Fint *ierror)
{
    MPI_Comm made = MPI_COMM_NULL;
    set(ierror, MPI_Comm_dup_with_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *newcomm = MPI_Comm_c2f(made);
}

static void alloc_mem(const MPI_Aint *size, const MPI_Fint *info, void *baseptr, MPI_Fint *ierror)
{
    set(ierror, MPI_Alloc_mem(*size, MPI_Info_f2c(*info), baseptr));
}

/* The same where `baseptr` is a TYPE(C_PTR). */
static void alloc_mem_cptr(const MPI_Aint *size, const MPI_Fint *info, void *baseptr,
                           MPI_Fint *ierror)
{
    alloc_mem(size, info, baseptr, ierror);
}

static void free_mem(void *base, MPI_Fint *ierror)
{
    set(ierror, MPI_Free_mem(base));
}

static void init(MPI_Fint *ierror)
{
    set(ierror, MPI_Init(NULL, NULL));
}

static void init_thread(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror)
{
    int level = MPI_THREAD_SINGLE;
    set(ierror, MPI_Init_thread(NULL, NULL, (int)*required, &level));
    *provided = (MPI_Fint)level;
}

static void finalize(MPI_Fint *ierror)
{
    set(ierror, MPI_Finalize());
}

/* The functions under their names in mpif.h and the module mpi, and in the module mpi_f08. */
#define ALLFOLD_ALIAS(function, name)                                                              \
    extern __typeof__(function) name __attribute__((alias(#function), visibility("default")));
#define ALLFOLD_ALIASES(lower, upper)                                                              \
    ALLFOLD_ALIAS(lower, mpi_##lower##_)                                                           \
    ALLFOLD_ALIAS(lower, mpi_##lower##__)                                                          \
    ALLFOLD_ALIAS(lower, mpi_##lower)                                                              \
    ALLFOLD_ALIAS(lower, MPI_##upper)                                                              \
    ALLFOLD_ALIAS(lower, mpi_##lower##_f08_)

ALLFOLD_ALIASES(allreduce, ALLREDUCE)
ALLFOLD_ALIASES(reduce, REDUCE)
ALLFOLD_ALIASES(bcast, BCAST)
ALLFOLD_ALIASES(reduce_scatter_block, REDUCE_SCATTER_BLOCK)
ALLFOLD_ALIASES(allgather, ALLGATHER)
ALLFOLD_ALIASES(barrier, BARRIER)
ALLFOLD_ALIASES(pcontrol, PCONTROL)
ALLFOLD_ALIASES(comm_set_info, COMM_SET_INFO)
ALLFOLD_ALIASES(comm_dup_with_info, COMM_DUP_WITH_INFO)
ALLFOLD_ALIASES(alloc_mem, ALLOC_MEM)
ALLFOLD_ALIASES(alloc_mem_cptr, ALLOC_MEM_CPTR)
ALLFOLD_ALIASES(free_mem, FREE_MEM)
ALLFOLD_ALIASES(init, INIT)
ALLFOLD_ALIASES(init_thread, INIT_THREAD)
ALLFOLD_ALIASES(finalize, FINALIZE)
