/* Communicators that Allfold makes for itself: copies of the program's, and one of this rank alone,
 * on which it sends messages to itself. */
#ifndef ALLFOLD_MPI_PROCESS_OWN_COMMUNICATORS_H
#define ALLFOLD_MPI_PROCESS_OWN_COMMUNICATORS_H

#include <mpi.h>

/* Makes a communicator of the same ranks as `comm`. It returns errors and has none of the program's
 * attributes. Returns an MPI error code. Collective over `comm`. */
int allfold_copy_communicator(MPI_Comm comm, MPI_Comm *copy);

/* Returns the communicator of this rank alone, which is made at the first call; MPI_COMM_NULL if
 * that failed. Local. Thread-safe. */
MPI_Comm allfold_self(void);

/* Tags of messages on allfold_self(). allfold_self_copy uses the tags [0, ALLFOLD_SELF_COPY_TAGS).
 * Messages of persistent requests, which stay in flight longer, use the tags
 * [ALLFOLD_SELF_COPY_TAGS, ALLFOLD_SELF_TAGS). 32767 is the smallest MPI_TAG_UB that MPI allows. */
enum { ALLFOLD_SELF_COPY_TAGS = 1 << 14, ALLFOLD_SELF_TAGS = 32767 };

/* Copies elements of one datatype to elements of another with the same signature. Unlike MPI_Pack
 * it does not count bytes in an int. Returns an MPI error code. Local. Thread-safe. */
int allfold_self_copy(const void *from, int from_count, MPI_Datatype from_type, void *to,
                      int to_count, MPI_Datatype to_type);

/* Frees the communicator of allfold_self(). Must be called before MPI_Finalize. */
void allfold_self_free(void);

#endif
