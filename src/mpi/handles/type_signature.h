/* Type signatures in the sense of MPI: the sequence of basic types that (count, datatype)
 * describes, wherever their elements are in memory.
 *
 * A signature is a 64-bit hash. The hash of a sequence is computed from the hashes of its parts, so
 * the time depends on the number of parts that the datatype was made of, not on `count`. */
#ifndef ALLFOLD_MPI_HANDLES_TYPE_SIGNATURE_H
#define ALLFOLD_MPI_HANDLES_TYPE_SIGNATURE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the signature of `count` elements. Signatures are equal if the sequences of basic types
 * are equal; integers of the same size and sign count as the same type. Returns 0 if there are no
 * elements or no datatype. `datatype` must be valid or MPI_DATATYPE_NULL. */
uint64_t allfold_signature(size_t count, MPI_Datatype datatype);

#endif
