/* Communicators that the library makes: copies of the program's, and one of this rank alone, on
 * which it sends to itself. */
#ifndef ALLFOLD_MPI_PROCESS_OWN_COMMUNICATORS_H
#define ALLFOLD_MPI_PROCESS_OWN_COMMUNICATORS_H

#include <mpi.h>

/* A communicator of the same ranks, which returns errors, without the program's attributes. Returns
 * an MPI error code. Collective. */
int allfold_copy_communicator(MPI_Comm comm, MPI_Comm *copy);

/* The communicator of this rank alone, made at the first call; MPI_COMM_NULL where it could not be
 * made. Local; any thread. */
MPI_Comm allfold_self(void);

/* Tags of messages on it: copies have those below ALLFOLD_SELF_COPY_TAGS, and what waits longer has
 * the others, up to the least MPI_TAG_UB that MPI allows. */
enum { ALLFOLD_SELF_COPY_TAGS = 1 << 14, ALLFOLD_SELF_TAGS = 32767 };

/* Copies elements of one datatype to elements of another with the same signature. Unlike MPI_Pack
 * it counts no bytes in an int. Returns an MPI error code. Local; any thread. */
int allfold_self_copy(const void *from, int from_count, MPI_Datatype from_type, void *to,
                      int to_count, MPI_Datatype to_type);

/* Before MPI_Finalize. */
void allfold_self_free(void);

#endif
