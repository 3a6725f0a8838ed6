/* What the library holds once per process: settings, the next library's functions, error codes. */
#ifndef ALLFOLD_MPI_RUNTIME_H
#define ALLFOLD_MPI_RUNTIME_H

#include <mpi.h>
#include <stdbool.h>

#include "select/settings.h"

/* The functions that come after ours in the order of loading: a tool's, or the MPI library's. */
struct allfold_next {
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*reduce)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
    int (*reduce_scatter_block)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*allgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*barrier)(MPI_Comm);
    int (*finalize)(void);
    int (*pcontrol)(const int, ...);
    int (*comm_set_info)(MPI_Comm, MPI_Info);
    int (*comm_dup_with_info)(MPI_Comm, MPI_Info, MPI_Comm *);
    int (*alloc_mem)(MPI_Aint, MPI_Info, void *);
    int (*free_mem)(void *);

    /* with counts that no int holds; NULL where this MPI has none */
    int (*allreduce_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*reduce_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm);
    int (*bcast_c)(void *, MPI_Count, MPI_Datatype, int, MPI_Comm);
    int (*reduce_scatter_block_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*allgather_c)(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                       MPI_Comm);

    int (*iallreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
    int (*ireduce)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request *);
    int (*ibcast)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *);
    int (*ireduce_scatter_block)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
                                 MPI_Request *);
    int (*iallgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                      MPI_Request *);
    int (*ibarrier)(MPI_Comm, MPI_Request *);

    /* persistent ones; NULL where this MPI has none */
    int (*allreduce_init)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                          MPI_Request *);
    int (*reduce_init)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Info,
                       MPI_Request *);
    int (*bcast_init)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
    int (*reduce_scatter_block_init)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
                                     MPI_Info, MPI_Request *);
    int (*allgather_init)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                          MPI_Info, MPI_Request *);
    int (*barrier_init)(MPI_Comm, MPI_Info, MPI_Request *);

    int (*wait)(MPI_Request *, MPI_Status *);
    int (*waitall)(int, MPI_Request *, MPI_Status *);
    int (*waitany)(int, MPI_Request *, int *, MPI_Status *);
    int (*waitsome)(int, MPI_Request *, int *, int *, MPI_Status *);
    int (*test)(MPI_Request *, int *, MPI_Status *);
    int (*testall)(int, MPI_Request *, int *, MPI_Status *);
    int (*testany)(int, MPI_Request *, int *, int *, MPI_Status *);
    int (*testsome)(int, MPI_Request *, int *, int *, MPI_Status *);
    int (*request_get_status)(MPI_Request, int *, MPI_Status *);
    int (*request_free)(MPI_Request *);
    int (*start)(MPI_Request *);
    int (*startall)(int, MPI_Request *);
    int (*op_free)(MPI_Op *);
    int (*type_free)(MPI_Datatype *);

    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int (*ssend)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int (*recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    int (*sendrecv)(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int,
                    MPI_Comm, MPI_Status *);
    int (*probe)(int, int, MPI_Comm, MPI_Status *);
    int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*issend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*irecv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*iprobe)(int, int, MPI_Comm, int *, MPI_Status *);
};

/* How this MPI calls its persistent collectives. */
#ifdef OPEN_MPI
#define ALLFOLD_PERSISTENT(name) MPIX_##name
#else
#define ALLFOLD_PERSISTENT(name) MPI_##name
#endif

const struct allfold_next *allfold_next(void);

/* The settings of this process, read at the first call. Any thread. */
const struct allfold_settings *allfold_settings(void);

/* MPI is initialised and not finalised yet. Any thread. */
bool allfold_mpi_is_up(void);

/* The same, and MPI_Pcontrol has not switched us off, which all ranks do alike: what begins now may
 * be ours. Any thread. */
bool allfold_is_on(void);

/* What MPI_Pcontrol says: level 0 leaves what begins from now on to the MPI library. */
void allfold_switch(int level);

/* Says that MPI_Finalize has begun: from now on MPI is not up. */
void allfold_mpi_goes_down(void);

/* Writes "allfold: MESSAGE" to stderr. */
void allfold_warn(const char *message);

/* The same, but only where this is the first rank of the job. */
void allfold_complain(const char *message);

/* Writes to stderr when ALLFOLD_VERBOSE=1. */
void allfold_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Calls the error handler of `comm` with an MPI error code, or with one of our own that carries
 * `message` (at most once each), and returns the code. */
int allfold_raise(MPI_Comm comm, int code);
int allfold_raise_message(MPI_Comm comm, const char *message);

/* The latter's code, for an error handler that is called later. */
int allfold_message_code(MPI_Comm comm, const char *message);

#endif
