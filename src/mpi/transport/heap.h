/* The heap of this process: memory for MPI_Alloc_mem, which the other ranks of the node see, so
 * that they read what is sent to them where it lies (see execute/visible.h).
 *
 * What was never given out cannot be read, neither here nor by others, so that whoever looks
 * through all memory (valgrind for leaks) does not fill it by that.
 *
 * It is one anonymous file (see shared_file.h) as large as the machine's memory, mapped as a whole:
 * what is written to takes memory, near the core that wrote there first, and all else is addresses.
 * Ranks map each other's as a whole when a communicator begins to share memory, so memory that is
 * given out later is visible, too. Any thread. */
#ifndef ALLFOLD_MPI_HEAP_H
#define ALLFOLD_MPI_HEAP_H

#include <stdbool.h>

#include "transport/visible.h"
#include "mpi/transport/shared_file.h"

/* Less than so many bytes are not worth a page of their own, nor seeing. */
enum { ALLFOLD_HEAP_LEAST_BYTES = 16 << 10 };

/* Memory of the heap, zeroed and aligned to a page; NULL where there is none. */
void *allfold_heap_allocate(size_t bytes);

/* Takes memory back; false where it is not the heap's. */
bool allfold_heap_free(void *memory);

/* What the other ranks of the node receive of it. */
struct allfold_shared_file allfold_heap_file(void);

/* Another process's heap, or this one's, as it is seen here. Without a file that is nothing; false
 * where there is a file and it cannot be seen. It is kept until allfold_heaps_forget. */
bool allfold_heap_see(const struct allfold_shared_file *file, struct allfold_visible *visible);

/* Makes more of another process's heap readable. */
allfold_reveal allfold_heap_reveal;

/* Those of others are no longer seen. */
void allfold_heaps_forget(void);

#endif
