/* Comparisons of Allfold's runs with native runs, of their times (`--report=compare`) or of the
 * bits of their results (`--report=bits`). They are an observer.
 *
 * A comparison is collective, so all ranks must compare the same calls. Each rank counts calls by
 * the properties that MPI makes the same on all ranks. Whether buffers are in place may differ, and
 * ranks may have evicted different cache entries, so the counts are kept in a table of fixed size
 * that evicts nothing. Shapes that find no free slot share the count of another shape. */
#ifndef ALLFOLD_MPI_CALL_COMPARISON_H
#define ALLFOLD_MPI_CALL_COMPARISON_H

#include "mpi/call/observer.h"

extern const struct allfold_observer allfold_comparison_observer;

#endif
