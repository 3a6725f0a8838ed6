/* The heaps of the node's ranks: this process's, and those of others as they are seen here. Ranks
 * map each other's as a whole when they begin to share memory, so memory that is given out later is
 * visible, too. Any thread. */
#ifndef ALLFOLD_MPI_HEAPS_H
#define ALLFOLD_MPI_HEAPS_H

#include "heap/one_copy.h"
#include "transport/visible.h"

/* This process's: that of liballfold-one-copy.so where it is loaded, so that there is one. */
const struct allfold_heap *allfold_heap(void);

/* That library; NULL where it is not loaded. */
const struct allfold_one_copy *allfold_heap_one_copy(void);

/* Another process's heap, or this one's, as it is seen here. Without a file that is nothing; false
 * where there is a file and it cannot be seen. It is kept until allfold_heaps_forget. */
bool allfold_heap_see(const struct allfold_shared_file *file, struct allfold_visible *visible);

/* Makes more of another process's heap readable. */
allfold_reveal allfold_heap_reveal;

/* Those of others are no longer seen. */
void allfold_heaps_forget(void);

#endif
