/* The Fortran functions of Open MPI that are neither collectives (interpose_fortran_collectives.c,
 * interpose_fortran_passed.c) nor shared with MPICH (interpose_fortran.c): Open MPI's own call
 * PMPI_ functions and so bypass interpose.c. They only convert handles and constants from Fortran
 * to C.
 *
 * MPI_IN_PLACE and MPI_BOTTOM of Fortran are variables, and the program and all libraries share one
 * copy of each. Their addresses depend on the program, and their names on the compiler that the MPI
 * library was built for. */
#include "mpi/interpose/fortran_descriptors.h"
#include "mpi/interpose/interpose_fortran.h"

#include <string.h>

#include "mpi/process/collectives.h"
#include "mpi/process/runtime.h"

ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)
ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)

enum { SPELLINGS = 4 };
static const char *const in_place[SPELLINGS] = {
    ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)};
static const char *const bottom[SPELLINGS] = {
    ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)};

/* Weak names that are not defined have the address NULL. */
static int is_one_of(const void *buffer, const char *const *addresses)
{
    for (int i = 0; i < SPELLINGS && buffer != NULL; i++)
        if (buffer == addresses[i])
            return 1;
    return 0;
}

void *allfold_fortran_output(void *buffer)
{
    return is_one_of(buffer, bottom) ? MPI_BOTTOM : buffer;
}

const void *allfold_fortran_input(const void *buffer)
{
    return is_one_of(buffer, in_place) ? MPI_IN_PLACE
           : is_one_of(buffer, bottom) ? MPI_BOTTOM
                                       : buffer;
}

extern char _gfortran_set_options __attribute__((weak)); /* of gfortran's run-time library */

/* Is the buffer what lies at its address? Descriptors of other compilers are not known. */
int allfold_is_contiguous(const struct allfold_descriptor *buffer)
{
    ptrdiff_t elements = 1;
    if (&_gfortran_set_options == NULL)
        return 0;
    for (int i = 0; i < buffer->rank; i++) {
        if (buffer->dimensions[i].stride != elements)
            return 0;
        elements *= buffer->dimensions[i].last - buffer->dimensions[i].first + 1;
    }
    return buffer->rank == 0 || buffer->span == (ptrdiff_t)buffer->element_bytes;
}

void allfold_find_fortran(const char *name, void *function)
{
    void *found = allfold_find_next(name);
    memcpy(function, &found, sizeof found);
}

static void pcontrol(const MPI_Fint *level)
{
    MPI_Pcontrol((int)*level);
}

/* Like alloc_mem in interpose_fortran.c, but `baseptr` is a TYPE(C_PTR). */
static void alloc_mem_cptr(const MPI_Aint *size, const MPI_Fint *info, void *baseptr,
                           MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Alloc_mem(*size, MPI_Info_f2c(*info), baseptr));
}

static void free_mem(void *base, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Free_mem(base));
}

#define REDUCE_LOCAL(function, Name, COUNT)                                                        \
    static void function(ALLFOLD_FORTRAN_PARAMETERS(ALLFOLD_ARGUMENTS_REDUCTION, COUNT, )          \
                             ALLFOLD_PARAMETERS_LOCAL)                                             \
    {                                                                                              \
        allfold_set_ierror(ierror, MPI_##Name(allfold_fortran_input(sendbuf),                      \
                                              allfold_fortran_output(recvbuf), *count,             \
                                              MPI_Type_f2c(*datatype), MPI_Op_f2c(*op)));          \
    }
REDUCE_LOCAL(reduce_local, Reduce_local, MPI_Fint)
REDUCE_LOCAL(reduce_local_c, Reduce_local_c, MPI_Count)

/* ---- messages: who waits for one makes progress, see interpose_requests.c ---- */

#define SENT(F, COUNT, DISPLACEMENT)                                                               \
    F(const void *, sendbuf, , input, )                                                            \
    F(COUNT, sendcount, , count, )                                                                 \
    F(MPI_Datatype, sendtype, , type, )                                                            \
    F(int, to, , integer, )                                                                        \
    F(int, sendtag, , integer, )
#define RECEIVED(F, COUNT, DISPLACEMENT)                                                           \
    F(void *, recvbuf, , output, )                                                                 \
    F(COUNT, recvcount, , count, )                                                                 \
    F(MPI_Datatype, recvtype, , type, )                                                            \
    F(int, from, , integer, )                                                                      \
    F(int, recvtag, , integer, )
#define EXCHANGED(F, COUNT, DISPLACEMENT)                                                          \
    SENT(F, COUNT, DISPLACEMENT)                                                                   \
    RECEIVED(F, COUNT, DISPLACEMENT)

static void send(ALLFOLD_FORTRAN_PARAMETERS(SENT, MPI_Fint, ) ALLFOLD_PARAMETERS_BLOCKING)
{
    allfold_set_ierror(ierror, MPI_Send(ALLFOLD_C_ARGUMENTS(SENT) MPI_Comm_f2c(*comm)));
}

static void ssend(ALLFOLD_FORTRAN_PARAMETERS(SENT, MPI_Fint, ) ALLFOLD_PARAMETERS_BLOCKING)
{
    allfold_set_ierror(ierror, MPI_Ssend(ALLFOLD_C_ARGUMENTS(SENT) MPI_Comm_f2c(*comm)));
}

static void recv(ALLFOLD_FORTRAN_PARAMETERS(RECEIVED, MPI_Fint, ) ALLFOLD_PARAMETERS_RECEIVE)
{
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Recv(ALLFOLD_C_ARGUMENTS(RECEIVED) MPI_Comm_f2c(*comm),
                              is_ignored ? MPI_STATUS_IGNORE : &its);
    if (code == MPI_SUCCESS && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

static void sendrecv(ALLFOLD_FORTRAN_PARAMETERS(EXCHANGED, MPI_Fint, ) ALLFOLD_PARAMETERS_RECEIVE)
{
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Sendrecv(ALLFOLD_C_ARGUMENTS(EXCHANGED) MPI_Comm_f2c(*comm),
                                  is_ignored ? MPI_STATUS_IGNORE : &its);
    if (code == MPI_SUCCESS && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

/* ---- the same with buffers that are descriptors ---- */

#define FREED(F, COUNT, DISPLACEMENT) F(void *, base, , output, )
ALLFOLD_DESCRIBED(free_mem, LOCAL, FREED, , )
ALLFOLD_DESCRIBED(reduce_local, LOCAL, ALLFOLD_ARGUMENTS_REDUCTION, MPI_Fint, )
ALLFOLD_DESCRIBED(reduce_local_c, LOCAL, ALLFOLD_ARGUMENTS_REDUCTION, MPI_Count, )
ALLFOLD_DESCRIBED(send, BLOCKING, SENT, MPI_Fint, )
ALLFOLD_DESCRIBED(ssend, BLOCKING, SENT, MPI_Fint, )
ALLFOLD_DESCRIBED(recv, RECEIVE, RECEIVED, MPI_Fint, )
ALLFOLD_DESCRIBED(sendrecv, RECEIVE, EXCHANGED, MPI_Fint, )

ALLFOLD_ALIASES(reduce_local, REDUCE_LOCAL)
ALLFOLD_ALIASES(pcontrol, PCONTROL)
ALLFOLD_ALIASES(alloc_mem_cptr, ALLOC_MEM_CPTR)
ALLFOLD_ALIASES(free_mem, FREE_MEM)
ALLFOLD_ALIASES(send, SEND)
ALLFOLD_ALIASES(ssend, SSEND)
ALLFOLD_ALIASES(recv, RECV)
ALLFOLD_ALIASES(sendrecv, SENDRECV)
