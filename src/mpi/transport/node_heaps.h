/* The heaps of the node's ranks: this process's, and those of others as this process sees them.
 * Ranks map each other's heaps as a whole when they begin to share memory. So memory that is
 * allocated later is visible, too. What lies elsewhere is attached, where there is XPMEM (see
 * heap/xpmem.h). Any thread. */
#ifndef ALLFOLD_MPI_TRANSPORT_NODE_HEAPS_H
#define ALLFOLD_MPI_TRANSPORT_NODE_HEAPS_H

#include "heap/one_copy.h"
#include "heap/xpmem.h"
#include "transport/visible.h"

/* This process's heap. If liballfold-one-copy.so is loaded, it is that library's, so that there is
 * only one. */
const struct allfold_heap *allfold_heap(void);

/* The library liballfold-one-copy.so; NULL where it is not loaded. */
const struct allfold_one_copy *allfold_heap_one_copy(void);

/* Another process's heap, or this one's, as this process sees it. Without a file it sees nothing.
 * False where there is a file and it cannot be seen. The view is kept until
 * allfold_heaps_forget. */
bool allfold_heap_map(const struct allfold_shared_file *file, struct allfold_visible *visible);

/* How what is visible is got at. */
extern const struct allfold_sight allfold_heap_sight;

/* Ends all views of other processes' heaps. */
void allfold_heaps_forget(void);

#endif
