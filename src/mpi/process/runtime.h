/* What the library holds once per process: settings, the next library's functions, messages for
 * people, error codes, and the time. */
#ifndef ALLFOLD_MPI_PROCESS_RUNTIME_H
#define ALLFOLD_MPI_PROCESS_RUNTIME_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/warn.h"
#include "algorithms/problem.h"
#include "mpi/process/collectives.h"
#include "select/settings.h"

/* The underlying functions that are no collectives, by their names in the table and in MPI. */
#define ALLFOLD_NEXT_FUNCTIONS(X)                                                                  \
    X(reduce_local, Reduce_local)                                                                  \
    X(init, Init)                                                                                  \
    X(init_thread, Init_thread)                                                                    \
    X(finalize, Finalize)                                                                          \
    X(pcontrol, Pcontrol)                                                                          \
    X(comm_set_info, Comm_set_info)                                                                \
    X(comm_dup_with_info, Comm_dup_with_info)                                                      \
    X(alloc_mem, Alloc_mem)                                                                        \
    X(free_mem, Free_mem)                                                                          \
    X(wait, Wait)                                                                                  \
    X(waitany, Waitany)                                                                            \
    X(waitsome, Waitsome)                                                                          \
    X(test, Test)                                                                                  \
    X(testall, Testall)                                                                            \
    X(testany, Testany)                                                                            \
    X(testsome, Testsome)                                                                          \
    X(request_get_status, Request_get_status)                                                      \
    X(request_free, Request_free)                                                                  \
    X(cancel, Cancel)                                                                              \
    X(start, Start)                                                                                \
    X(startall, Startall)                                                                          \
    X(op_free, Op_free)                                                                            \
    X(type_free, Type_free)                                                                        \
    X(send, Send)                                                                                  \
    X(ssend, Ssend)                                                                                \
    X(recv, Recv)                                                                                  \
    X(sendrecv, Sendrecv)                                                                          \
    X(probe, Probe)                                                                                \
    X(isend, Isend)                                                                                \
    X(issend, Issend)                                                                              \
    X(irecv, Irecv)                                                                                \
    X(iprobe, Iprobe)

/* The functions that come after ours in the order of loading: a tool's, or the MPI library's. Of
 * MPI_Allreduce they are allreduce, iallreduce, allreduce_init, and with counts that no int holds
 * allreduce_c, iallreduce_c and allreduce_init_c. Persistent ones and those with large counts are
 * NULL if this MPI has none. */
struct allfold_next {
#define FUNCTION(field, Name) __typeof__(MPI_##Name) *field;
    ALLFOLD_NEXT_FUNCTIONS(FUNCTION)
    FUNCTION(reduce_local_c, Reduce_local_c)
    /* gcc warns if MPI_STATUSES_IGNORE stands for the array that MPICH declares */
    int (*waitall)(int, MPI_Request *, MPI_Status *);
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME)                                                   \
    FUNCTION(name, Name) FUNCTION(i##name, I##name) FUNCTION(name##_init, Name##_init)
#define SERVED(name, Name, NAME, arguments)                                                        \
    SERVED_WITHOUT_BUFFERS(name, Name, NAME)                                                       \
    FUNCTION(name##_c, Name##_c)                                                                   \
    FUNCTION(i##name##_c, I##name##_c)                                                             \
    FUNCTION(name##_init_c, Name##_init_c)
#include "mpi/collectives.def"
#undef FUNCTION
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

/* Writes the MPI library's name and version, such as "MPICH 4.0.2". */
void allfold_name_mpi(char *name, size_t name_bytes);

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
