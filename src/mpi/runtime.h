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
};

const struct allfold_next *allfold_next(void);

/* The settings of this process, read at the first call. Any thread. */
const struct allfold_settings *allfold_settings(void);

/* MPI is initialised and not finalised yet. Any thread. */
bool allfold_mpi_is_up(void);

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

#endif
