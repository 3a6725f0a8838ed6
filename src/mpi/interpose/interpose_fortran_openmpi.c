/* The Fortran functions of Open MPI that the library replaces: Open MPI's own call PMPI_, and so
 * bypass interpose.c. No logic but that Fortran's handles and constants become those of C.
 *
 * MPI_IN_PLACE and MPI_BOTTOM of Fortran are variables: the program and all libraries share one of
 * each. Their addresses depend on the program, and their names on the compiler that the MPI library
 * was built for. */
#include "mpi/interpose/interpose_fortran.h"

#include <string.h>

#include "mpi/interpose/newer_mpi.h"
#include "mpi/process/runtime.h"

ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)
ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)

enum { SPELLINGS = 4 };
static const char *const in_place[SPELLINGS] = {
    ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)};
static const char *const bottom[SPELLINGS] = {
    ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)};

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are handed on as they are");

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

const void *allfold_fortran_input(const void *buffer)
{
    return is_one_of(buffer, in_place) ? MPI_IN_PLACE
           : is_one_of(buffer, bottom) ? MPI_BOTTOM
                                       : buffer;
}

static const void *input(const void *buffer)
{
    return allfold_fortran_input(buffer);
}

/* ---- buffers as descriptors: mpi_f08 of Open MPI 6, by the names of TS 29113 ---- */

/* What gfortran hands over for a buffer of type(*), dimension(..). */
struct descriptor {
    void *base;
    size_t offset, element_bytes;
    int version;
    signed char rank, type;
    short attribute;
    ptrdiff_t span;
    struct {
        ptrdiff_t stride, first, last; /* in spans */
    } dimensions[];
};

extern char _gfortran_set_options __attribute__((weak)); /* of gfortran's run-time library */

/* Is the buffer what lies at its address? Descriptors of other compilers are not known. */
static int is_contiguous(const struct descriptor *buffer)
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

/* Other buffers go to the MPI library's function of the same name. All arguments are addresses. */
#define PARAMETERS_1 void *a
#define PARAMETERS_4 void *a, void *b, void *c, void *d
#define PARAMETERS_5 PARAMETERS_4, void *e
#define PARAMETERS_6 PARAMETERS_5, void *f
#define PARAMETERS_7 PARAMETERS_6, void *g
#define PARAMETERS_8 PARAMETERS_7, void *h
#define ARGUMENTS_1 a
#define ARGUMENTS_4 a, b, c, d
#define ARGUMENTS_5 ARGUMENTS_4, e
#define ARGUMENTS_6 ARGUMENTS_5, f
#define ARGUMENTS_7 ARGUMENTS_6, g
#define ARGUMENTS_8 ARGUMENTS_7, h

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)
#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

/* DESCRIBED_ONE, _PAIR and _GATHER define a function whose first argument, two arguments, or first
 * and fourth argument are buffers. */
#define DESCRIBED_ONE(name, PARAMETERS, ARGUMENTS)                                                 \
    ALLFOLD_PUBLIC void DESCRIBED(name)(const struct descriptor *buffer, PARAMETERS);              \
    ALLFOLD_PUBLIC void DESCRIBED(name)(const struct descriptor *buffer, PARAMETERS)               \
    {                                                                                              \
        void (*native)(const struct descriptor *, PARAMETERS);                                     \
        if (is_contiguous(buffer)) {                                                               \
            NAMED(name)(buffer->base, ARGUMENTS);                                                  \
            return;                                                                                \
        }                                                                                          \
        find_native(NAME_OF(DESCRIBED(name)), &native);                                            \
        native(buffer, ARGUMENTS);                                                                 \
    }
#define DESCRIBED_PAIR(name, PARAMETERS, ARGUMENTS)                                                \
    ALLFOLD_PUBLIC void DESCRIBED(name)(const struct descriptor *in, const struct descriptor *out, \
                                        PARAMETERS);                                               \
    ALLFOLD_PUBLIC void DESCRIBED(name)(const struct descriptor *in, const struct descriptor *out, \
                                        PARAMETERS)                                                \
    {                                                                                              \
        void (*native)(const struct descriptor *, const struct descriptor *, PARAMETERS);          \
        if (is_contiguous(in) && is_contiguous(out)) {                                             \
            NAMED(name)(in->base, out->base, ARGUMENTS);                                           \
            return;                                                                                \
        }                                                                                          \
        find_native(NAME_OF(DESCRIBED(name)), &native);                                            \
        native(in, out, ARGUMENTS);                                                                \
    }
#define DESCRIBED_GATHER(name, PARAMETERS, ARGUMENTS)                                              \
    ALLFOLD_PUBLIC void DESCRIBED(name)(const struct descriptor *in, void *sent, void *sent_type,  \
                                        const struct descriptor *out, PARAMETERS);                 \
    ALLFOLD_PUBLIC void DESCRIBED(name)(const struct descriptor *in, void *sent, void *sent_type,  \
                                        const struct descriptor *out, PARAMETERS)                  \
    {                                                                                              \
        void (*native)(const struct descriptor *, void *, void *, const struct descriptor *,       \
                       PARAMETERS);                                                                \
        if (is_contiguous(in) && is_contiguous(out)) {                                             \
            NAMED(name)(in->base, sent, sent_type, out->base, ARGUMENTS);                          \
            return;                                                                                \
        }                                                                                          \
        find_native(NAME_OF(DESCRIBED(name)), &native);                                            \
        native(in, sent, sent_type, out, ARGUMENTS);                                               \
    }

/* The MPI library has it, as the program calls it. */
static void find_native(const char *name, void *function)
{
    void *found = allfold_find_next(name);
    memcpy(function, &found, sizeof found);
}

/* ---- collectives ---- */

#define COUNT MPI_Fint
#define DISPLACEMENT MPI_Fint
#define C_COUNT int
#define NAMED(name) name
#define CALLED(name) name
#define DESCRIBED(name) mpi_##name##_f08ts_
#include "mpi/interpose/interpose_fortran_collectives.h"
#undef COUNT
#undef DISPLACEMENT
#undef C_COUNT
#undef NAMED
#undef CALLED
#undef DESCRIBED

#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define C_COUNT MPI_Count
#define NAMED(name) name##_c
#define CALLED(name) name##_c
#define DESCRIBED(name) mpi_##name##_c_f08ts_
#include "mpi/interpose/interpose_fortran_collectives.h"
#undef COUNT
#undef DISPLACEMENT
#undef C_COUNT
#undef NAMED
#undef CALLED
#undef DESCRIBED

static void barrier(const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Barrier(MPI_Comm_f2c(*comm)));
}

static void pcontrol(const MPI_Fint *level)
{
    MPI_Pcontrol((int)*level);
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

/* The same where `baseptr` is a TYPE(C_PTR). */
static void alloc_mem_cptr(const MPI_Aint *size, const MPI_Fint *info, void *baseptr,
                           MPI_Fint *ierror)
{
    alloc_mem(size, info, baseptr, ierror);
}

static void free_mem(void *base, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Free_mem(base));
}

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

/* ---- messages ---- */

/* Who waits for one makes progress, see interpose_requests.c. */

static void send(const void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                 const MPI_Fint *to, const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Send(input(buffer), (int)*count, MPI_Type_f2c(*datatype),
                                        (int)*to, (int)*tag, MPI_Comm_f2c(*comm)));
}

static void ssend(const void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                  const MPI_Fint *to, const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Ssend(input(buffer), (int)*count, MPI_Type_f2c(*datatype),
                                         (int)*to, (int)*tag, MPI_Comm_f2c(*comm)));
}

static void recv(void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                 const MPI_Fint *from, const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *status,
                 MPI_Fint *ierror)
{
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code =
        MPI_Recv(output(buffer), (int)*count, MPI_Type_f2c(*datatype), (int)*from, (int)*tag,
                 MPI_Comm_f2c(*comm), is_ignored ? MPI_STATUS_IGNORE : &its);
    if (code == MPI_SUCCESS && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

static void sendrecv(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                     const MPI_Fint *to, const MPI_Fint *sendtag, void *recvbuf,
                     const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *from,
                     const MPI_Fint *recvtag, const MPI_Fint *comm, MPI_Fint *status,
                     MPI_Fint *ierror)
{
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Sendrecv(input(sendbuf), (int)*sendcount, MPI_Type_f2c(*sendtype),
                                  (int)*to, (int)*sendtag, output(recvbuf), (int)*recvcount,
                                  MPI_Type_f2c(*recvtype), (int)*from, (int)*recvtag,
                                  MPI_Comm_f2c(*comm), is_ignored ? MPI_STATUS_IGNORE : &its);
    if (code == MPI_SUCCESS && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

#define NAMED(name) name
#define DESCRIBED(name) mpi_##name##_f08ts_
DESCRIBED_ONE(send, PARAMETERS_6, ARGUMENTS_6)
DESCRIBED_ONE(ssend, PARAMETERS_6, ARGUMENTS_6)
DESCRIBED_ONE(recv, PARAMETERS_7, ARGUMENTS_7)
DESCRIBED_ONE(free_mem, PARAMETERS_1, ARGUMENTS_1)

#define SENDRECV_PARAMETERS                                                                        \
    const struct descriptor *in, void *sent, void *sent_type, void *to, void *tag,                 \
        const struct descriptor *out, PARAMETERS_7
ALLFOLD_PUBLIC void DESCRIBED(sendrecv)(SENDRECV_PARAMETERS);
ALLFOLD_PUBLIC void DESCRIBED(sendrecv)(SENDRECV_PARAMETERS)
{
    void (*native)(SENDRECV_PARAMETERS);
    if (is_contiguous(in) && is_contiguous(out)) {
        sendrecv(in->base, sent, sent_type, to, tag, out->base, ARGUMENTS_7);
        return;
    }
    find_native(NAME_OF(DESCRIBED(sendrecv)), &native);
    native(in, sent, sent_type, to, tag, out, ARGUMENTS_7);
}

ALLFOLD_ALIASES(allreduce, ALLREDUCE)
ALLFOLD_ALIASES(reduce, REDUCE)
ALLFOLD_ALIASES(bcast, BCAST)
ALLFOLD_ALIASES(reduce_scatter_block, REDUCE_SCATTER_BLOCK)
ALLFOLD_ALIASES(allgather, ALLGATHER)
ALLFOLD_ALIASES(reduce_scatter, REDUCE_SCATTER)
ALLFOLD_ALIASES(allgatherv, ALLGATHERV)
ALLFOLD_ALIASES(barrier, BARRIER)
ALLFOLD_ALIASES(scan, SCAN)
ALLFOLD_ALIASES(exscan, EXSCAN)
ALLFOLD_ALIASES(reduce_local, REDUCE_LOCAL)
ALLFOLD_ALIASES(pcontrol, PCONTROL)
ALLFOLD_ALIASES(comm_set_info, COMM_SET_INFO)
ALLFOLD_ALIASES(comm_dup_with_info, COMM_DUP_WITH_INFO)
ALLFOLD_ALIASES(alloc_mem, ALLOC_MEM)
ALLFOLD_ALIASES(alloc_mem_cptr, ALLOC_MEM_CPTR)
ALLFOLD_ALIASES(free_mem, FREE_MEM)
ALLFOLD_ALIASES(init, INIT)
ALLFOLD_ALIASES(init_thread, INIT_THREAD)
ALLFOLD_ALIASES(finalize, FINALIZE)
ALLFOLD_ALIASES(iallreduce, IALLREDUCE)
ALLFOLD_ALIASES(ireduce, IREDUCE)
ALLFOLD_ALIASES(ibcast, IBCAST)
ALLFOLD_ALIASES(ireduce_scatter_block, IREDUCE_SCATTER_BLOCK)
ALLFOLD_ALIASES(iallgather, IALLGATHER)
ALLFOLD_ALIASES(ireduce_scatter, IREDUCE_SCATTER)
ALLFOLD_ALIASES(iallgatherv, IALLGATHERV)
ALLFOLD_ALIASES(iscan, ISCAN)
ALLFOLD_ALIASES(iexscan, IEXSCAN)
ALLFOLD_ALIASES(send, SEND)
ALLFOLD_ALIASES(ssend, SSEND)
ALLFOLD_ALIASES(recv, RECV)
ALLFOLD_ALIASES(sendrecv, SENDRECV)
ALLFOLD_PERSISTENT_ALIASES(allreduce_init, ALLREDUCE_INIT)
ALLFOLD_PERSISTENT_ALIASES(reduce_init, REDUCE_INIT)
ALLFOLD_PERSISTENT_ALIASES(bcast_init, BCAST_INIT)
ALLFOLD_PERSISTENT_ALIASES(reduce_scatter_block_init, REDUCE_SCATTER_BLOCK_INIT)
ALLFOLD_PERSISTENT_ALIASES(allgather_init, ALLGATHER_INIT)
ALLFOLD_PERSISTENT_ALIASES(reduce_scatter_init, REDUCE_SCATTER_INIT)
ALLFOLD_PERSISTENT_ALIASES(allgatherv_init, ALLGATHERV_INIT)
ALLFOLD_PERSISTENT_ALIASES(scan_init, SCAN_INIT)
ALLFOLD_PERSISTENT_ALIASES(exscan_init, EXSCAN_INIT)
