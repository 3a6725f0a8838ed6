/* Type signatures: what (count, datatype) describe, as MPI compares it. A signature says which
 * basic types follow each other, wherever they lie.
 *
 * A signature is a number, and the numbers of a sequence's parts compose the sequence's. So the
 * time depends on the parts that the datatype was made of, not on the number of elements. */
#ifndef ALLFOLD_MPI_HANDLES_TYPE_SIGNATURE_H
#define ALLFOLD_MPI_HANDLES_TYPE_SIGNATURE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* The signature of `count` elements; alike where the basic types are, taking integers of one size
 * and sign for the same. 0: no elements, or no datatype. `datatype` is MPI_DATATYPE_NULL or valid.
 */
uint64_t allfold_signature(size_t count, MPI_Datatype datatype);

#endif
