/* What the library has once per process: settings, the functions of the underlying MPI library,
 * messages for users, error codes, and the time. */
#ifndef ALLFOLD_MPI_PROCESS_RUNTIME_H
#define ALLFOLD_MPI_PROCESS_RUNTIME_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/warn.h"
#include "algorithms/problem.h"
#include "mpi/process/collectives.h"
#include "select/settings.h"

/* The underlying functions that are not collectives: name in the table, name in MPI. */
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

/* The functions that come after Allfold's in the order of loading: those of a profiling tool or of
 * the MPI library. MPI_Allreduce has up to six: allreduce, iallreduce, allreduce_init, and with
 * counts of MPI_Count allreduce_c, iallreduce_c and allreduce_init_c. Functions that this MPI
 * library lacks are NULL: persistent collectives and large counts are new in MPI 4. */
struct allfold_next {
#define FUNCTION(field, Name) __typeof__(MPI_##Name) *field;
    ALLFOLD_NEXT_FUNCTIONS(FUNCTION)
    FUNCTION(reduce_local_c, Reduce_local_c)
    /* declared by hand, because gcc warns if MPI_STATUSES_IGNORE is passed for the array that MPICH
     * declares */
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

/* Returns the function `name` of a library after Allfold, for functions that struct allfold_next
 * lacks; NULL if there is none. */
void *allfold_find_next(const char *name);

/* Returns whether the process has loaded an MPI library. Thread-safe. */
bool allfold_has_library(void);

/* Returns the settings of this process, which are read at the first call. Thread-safe. */
const struct allfold_settings *allfold_settings(void);

/* Returns whether MPI is initialized and not finalized. Thread-safe. */
bool allfold_mpi_is_up(void);

/* Records that MPI_Init has ended. */
void allfold_mpi_goes_up(void);

/* Records that the program has begun an MPI session. MPI counts as down until MPI_Init, because
 * without it Allfold has not checked whether all ranks run Allfold. */
void allfold_mpi_has_session(void);

/* Records that MPI_Finalize has begun: from then on MPI counts as down. */
void allfold_mpi_goes_down(void);

/* Writes the MPI library's name and version, such as "MPICH 4.0.2". */
void allfold_name_mpi(char *name, size_t name_bytes);

/* Prints to stderr if ALLFOLD_VERBOSE=1. */
void allfold_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Call the error handler of `comm` once, and return the code: an MPI error code, or a new code of
 * Allfold that has `message` as its text. */
int allfold_raise_error(MPI_Comm comm, int code);
int allfold_raise_message(MPI_Comm comm, const char *message);

/* Like allfold_raise_message, with a code in `error_class`, one of MPI's own classes. MPICH 4.0
 * loses the text of such a code. */
int allfold_raise_message_of(MPI_Comm comm, int error_class, const char *message);

/* Like allfold_raise_error. Returns MPI_SUCCESS and calls nothing if `code` is MPI_SUCCESS. */
static inline int allfold_raise(MPI_Comm comm, int code)
{
    return code == MPI_SUCCESS ? code : allfold_raise_error(comm, code);
}

/* Returns the code that allfold_raise_message would return, for an error handler that is called
 * later. */
int allfold_message_code(MPI_Comm comm, const char *message);

/* The form of an MPI call. */
enum allfold_call_mode { ALLFOLD_BLOCKING, ALLFOLD_NONBLOCKING, ALLFOLD_PERSISTENT };

/* A message for users that is assembled part by part. */
struct allfold_line {
    char text[ALLFOLD_MESSAGE_BYTES]; /* text that does not fit is left out */
    size_t length;
};

void allfold_line_add(struct allfold_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds the name of the MPI function: MPI_Allreduce, MPI_Iallreduce or MPI_Allreduce_init. */
void allfold_line_add_call(struct allfold_line *line, enum allfold_collective collective,
                           enum allfold_call_mode mode);

/* Adds the communicator's name and its number of ranks. */
void allfold_line_add_comm(struct allfold_line *line, MPI_Comm comm);

/* Adds the ranks of `comm` (p in all) for which known[rank] is `what`, as "2, 5-7". If their ranks
 * in MPI_COMM_WORLD differ, adds those, too. */
void allfold_line_add_ranks(struct allfold_line *line, MPI_Comm comm, int p,
                            const unsigned char *known, unsigned char what);

/* Returns the time in seconds since a fixed moment. Only differences have a meaning. */
double allfold_now_s(void);

#endif
