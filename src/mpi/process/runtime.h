/* What the library holds once per process: settings, the next library's functions, messages for
 * people, error codes, and the time. */
#ifndef ALLFOLD_MPI_RUNTIME_H
#define ALLFOLD_MPI_RUNTIME_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/complain.h"
#include "algorithms/problem.h"
#include "select/settings.h"

/* The functions that come after ours in the order of loading: a tool's, or the MPI library's. */
struct allfold_next {
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*reduce)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
    int (*reduce_scatter_block)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*allgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*reduce_scatter)(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*allgatherv)(const void *, int, MPI_Datatype, void *, const int *, const int *,
                      MPI_Datatype, MPI_Comm);
    int (*barrier)(MPI_Comm);
    int (*scan)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*exscan)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*reduce_local)(const void *, void *, int, MPI_Datatype, MPI_Op);
    int (*init)(int *, char ***);
    int (*init_thread)(int *, char ***, int, int *);
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
    int (*reduce_scatter_c)(const void *, void *, const MPI_Count *, MPI_Datatype, MPI_Op,
                            MPI_Comm);
    int (*allgatherv_c)(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *,
                        const MPI_Aint *, MPI_Datatype, MPI_Comm);
    int (*scan_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*exscan_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*reduce_local_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op);
    int (*iallreduce_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                        MPI_Request *);
    int (*ireduce_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm,
                     MPI_Request *);
    int (*ibcast_c)(void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *);
    int (*ireduce_scatter_block_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                                   MPI_Request *);
    int (*iallgather_c)(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                        MPI_Comm, MPI_Request *);
    int (*ireduce_scatter_c)(const void *, void *, const MPI_Count *, MPI_Datatype, MPI_Op,
                             MPI_Comm, MPI_Request *);
    int (*iallgatherv_c)(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *,
                         const MPI_Aint *, MPI_Datatype, MPI_Comm, MPI_Request *);
    int (*reduce_scatter_init_c)(const void *, void *, const MPI_Count *, MPI_Datatype, MPI_Op,
                                 MPI_Comm, MPI_Info, MPI_Request *);
    int (*allgatherv_init_c)(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count *,
                             const MPI_Aint *, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
    int (*iscan_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
    int (*iexscan_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                     MPI_Request *);
    int (*allreduce_init_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                            MPI_Info, MPI_Request *);
    int (*reduce_init_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm,
                         MPI_Info, MPI_Request *);
    int (*bcast_init_c)(void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
    int (*reduce_scatter_block_init_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op,
                                       MPI_Comm, MPI_Info, MPI_Request *);
    int (*allgather_init_c)(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype,
                            MPI_Comm, MPI_Info, MPI_Request *);

    int (*scan_init_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                       MPI_Request *);
    int (*exscan_init_c)(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                         MPI_Request *);

    int (*iallreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
    int (*ireduce)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request *);
    int (*ibcast)(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *);
    int (*ireduce_scatter_block)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
                                 MPI_Request *);
    int (*iallgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm,
                      MPI_Request *);
    int (*ireduce_scatter)(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm,
                           MPI_Request *);
    int (*iallgatherv)(const void *, int, MPI_Datatype, void *, const int *, const int *,
                       MPI_Datatype, MPI_Comm, MPI_Request *);
    int (*ibarrier)(MPI_Comm, MPI_Request *);
    int (*iscan)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
    int (*iexscan)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);

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
    int (*reduce_scatter_init)(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm,
                               MPI_Info, MPI_Request *);
    int (*allgatherv_init)(const void *, int, MPI_Datatype, void *, const int *, const int *,
                           MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
    int (*barrier_init)(MPI_Comm, MPI_Info, MPI_Request *);
    int (*scan_init)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                     MPI_Request *);
    int (*exscan_init)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                       MPI_Request *);

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
    int (*cancel)(MPI_Request *);
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

const struct allfold_next *allfold_next(void);

/* The function of that name in a library after ours, for those that the table lacks; or NULL. */
void *allfold_find_next(const char *name);

/* Has the process an MPI library? Any thread. */
bool allfold_has_library(void);

/* The settings of this process, read at the first call. Any thread. */
const struct allfold_settings *allfold_settings(void);

/* MPI is initialized and not finalized yet. Any thread. */
bool allfold_mpi_is_up(void);

/* Says that MPI_Init has ended. */
void allfold_mpi_goes_up(void);

/* Says that the program has begun a session of MPI. Until MPI_Init, MPI is not up: some ranks may
 * run without Allfold, and nothing has found that out. */
void allfold_mpi_has_session(void);

/* Says that MPI_Finalize has begun: from now on MPI is not up. */
void allfold_mpi_goes_down(void);

/* Writes to stderr when ALLFOLD_VERBOSE=1. */
void allfold_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Calls the error handler of `comm`, at most once, and returns the code: an MPI error code, or one
 * of our own that carries `message`. */
int allfold_raise_error(MPI_Comm comm, int code);
int allfold_raise_message(MPI_Comm comm, const char *message);

/* The same with a code of one of MPI's own classes. MPICH 4.0 loses the text of such a code. */
int allfold_raise_message_of(MPI_Comm comm, int error_class, const char *message);

/* The same where the code may be MPI_SUCCESS, which is no error, and calls nothing. */
static inline int allfold_raise(MPI_Comm comm, int code)
{
    return code == MPI_SUCCESS ? code : allfold_raise_error(comm, code);
}

/* The latter's code, for an error handler that is called later. */
int allfold_message_code(MPI_Comm comm, const char *message);

/* How a call was made. */
enum allfold_call_mode { ALLFOLD_BLOCKING, ALLFOLD_NONBLOCKING, ALLFOLD_PERSISTENT };

/* A message that is put together part by part, for people. */
struct allfold_line {
    char text[ALLFOLD_MESSAGE_BYTES]; /* what does not fit is left out */
    size_t length;
};

void allfold_line_add(struct allfold_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds the name of the MPI function: MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init. */
void allfold_line_add_call(struct allfold_line *line, enum allfold_collective collective,
                           enum allfold_call_mode mode);

/* Adds the communicator's name and how many ranks it has. */
void allfold_line_add_comm(struct allfold_line *line, MPI_Comm comm);

/* Adds the ranks of `comm` (p in all) for which known[rank] is `what`, as "2, 5-7". Where their
 * numbers in MPI_COMM_WORLD differ, adds these too. */
void allfold_line_add_ranks(struct allfold_line *line, MPI_Comm comm, int p,
                            const unsigned char *known, unsigned char what);

/* Seconds from some fixed time on, for differences. */
double allfold_now_s(void);

#endif
