/* Type signatures: what (count, datatype) describe, as MPI compares it: which basic types follow
 * each other, wherever they lie.
 *
 * A signature is a number, by which those of a sequence are composed: so it takes as long as the
 * datatype was made of parts, however many elements there are. */
#ifndef ALLFOLD_MPI_SIGNATURE_H
#define ALLFOLD_MPI_SIGNATURE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* The signature of `count` elements; alike where the basic types are, taking integers of one size
 * and sign for the same. 0: no elements, or no datatype. `datatype` is MPI_DATATYPE_NULL or valid.
 */
uint64_t allfold_signature(size_t count, MPI_Datatype datatype);

#endif
