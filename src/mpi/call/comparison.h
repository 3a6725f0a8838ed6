/* Comparisons of runs with native ones, of their times (`--report=compare`) and of their
 * results' bits (`--report=bits`), as an observer.
 *
 * A comparison is collective, so all ranks must compare the same calls. Each rank counts calls by
 * the properties that MPI makes the same on all ranks: whether buffers are in place may differ, and
 * so may the entries that the ranks' caches have evicted. The counts are therefore kept in a table
 * of fixed size that evicts nothing. Shapes that find no free place share the counts of another. */
#ifndef ALLFOLD_MPI_CALL_COMPARISON_H
#define ALLFOLD_MPI_CALL_COMPARISON_H

#include "mpi/call/observer.h"

extern const struct allfold_observer allfold_comparison_observer;

#endif
