/* The heaps of the node's ranks: this process's own, and those of other ranks, mapped into this
 * process. Ranks map each other's heaps as a whole when they begin to share memory, so memory that
 * is allocated later is accessible, too. Memory outside of the heaps is attached if XPMEM is
 * available (see heap/xpmem.h). All functions are thread-safe. */
#ifndef ALLFOLD_MPI_TRANSPORT_NODE_HEAPS_H
#define ALLFOLD_MPI_TRANSPORT_NODE_HEAPS_H

#include "heap/one_copy.h"
#include "heap/xpmem.h"
#include "transport/visible.h"

/* Returns this process's heap. If liballfold-one-copy.so is loaded, it is that library's, so that
 * the process has only one. */
const struct allfold_heap *allfold_heap(void);

/* Returns the functions of liballfold-one-copy.so; NULL if it is not loaded. */
const struct allfold_one_copy *allfold_heap_one_copy(void);

/* Maps the heap of another process, or of this one, and describes in `visible` what is accessible:
 * nothing if `file` names no file. Returns false if there is a file that cannot be mapped. The
 * mapping is kept until allfold_heaps_forget. */
bool allfold_heap_map(const struct allfold_shared_file *file, struct allfold_visible *visible);

/* The functions that access the mapped memory. */
extern const struct allfold_access allfold_heap_access;

/* Removes all mappings of other processes' heaps. */
void allfold_heaps_forget(void);

#endif
