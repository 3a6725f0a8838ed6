/* Messages that are put together piece by piece, for people. */
#ifndef ALLFOLD_MPI_LINE_H
#define ALLFOLD_MPI_LINE_H

#include <mpi.h>
#include <stddef.h>

#include "mpi/call/collective.h"
#include "select/settings.h"

/* How a call was made. */
enum allfold_way { ALLFOLD_BLOCKING, ALLFOLD_NONBLOCKING, ALLFOLD_PERSISTENT };

struct allfold_line {
    char text[ALLFOLD_MESSAGE_BYTES]; /* what does not fit is left out */
    size_t length;
};

void allfold_line_add(struct allfold_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds the name of the MPI function: MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init. */
void allfold_line_add_call(struct allfold_line *line, enum allfold_collective collective,
                           enum allfold_way way);

/* Adds the communicator's name and how many ranks it has. */
void allfold_line_add_comm(struct allfold_line *line, MPI_Comm comm);

/* Adds those of the p ranks of `comm` for which known[rank] is `what`, as "2, 5-7", and where that
 * differs also their numbers in MPI_COMM_WORLD. */
void allfold_line_add_ranks(struct allfold_line *line, MPI_Comm comm, int p,
                            const unsigned char *known, unsigned char what);

#endif
