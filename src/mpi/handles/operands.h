/* Operands: an MPI datatype and operation as the executor uses them. */
#ifndef ALLFOLD_MPI_HANDLES_OPERANDS_H
#define ALLFOLD_MPI_HANDLES_OPERANDS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "execute/elements.h"
#include "kernels/kernels.h"

struct allfold_operands {
    struct allfold_elements elements; /* first: its callbacks come back with it */
    MPI_Datatype datatype;
    MPI_Datatype travels_as; /* the datatype in messages */
    MPI_Op op;
    allfold_kernel *kernel;     /* NULL: through MPI_Reduce_local */
    allfold_fold *const *folds; /* used where `elements` say so */
    size_t element_bytes;       /* of an element as it travels */
    bool commutative;
    bool exact;
    bool keeps_order;       /* operands are never swapped, as results are to be canonical */
    bool native_is_wrong;   /* so native serves only what a rule forces it for */
    bool may_be_sparse;     /* there is a run-length code for ... */
    enum allfold_type type; /* ... this type ... */
    enum allfold_operation operation; /* ... and this operation */
    bool is_predefined; /* datatype and operation: the handles stay what they are for ever */
    uint64_t op_calls;  /* how often an operation of the program was called, ... */
    double op_bytes;    /* ... and the elements of all these calls, as they travel */
    void *lowered;      /* room to bring 3 operands down to 2; grown when needed */
    size_t lowered_bytes;
};

/* The operands of a reduction. False where the library does not serve it: MPI does not allow the
 * operation with the type, or a handle is not valid. Leaves `lowered`. */
bool allfold_operands_find(struct allfold_operands *operands, MPI_Datatype datatype, MPI_Op op);

/* Bytes as they travel where data is moved, and a barrier's tokens. Leaves `lowered`. */
void allfold_operands_of_bytes(struct allfold_operands *operands);

/* Are elements as contiguous in memory as they travel, and known to be so on all ranks? */
bool allfold_operands_are_contiguous(const struct allfold_operands *operands);

/* May the handle be used in messages? False where it is no datatype or not committed. Local. */
bool allfold_is_committed(MPI_Datatype datatype);

/* Is it one of MPI's own datatypes that lie in memory as they travel, without gaps? */
bool allfold_is_plain(MPI_Datatype datatype);

/* Copies what (count, datatype) describe at `data` to or from `bytes` plain bytes. Returns an MPI
 * error code. Local. */
int allfold_pack(const void *data, size_t count, MPI_Datatype datatype, void *packed, size_t bytes);
int allfold_unpack(void *data, size_t count, MPI_Datatype datatype, const void *packed,
                   size_t bytes);

/* Calls use(context, type, n) with an int n that says the same as (count, datatype). The type is
 * the datatype itself, or where count passes INT_MAX a datatype made for the call. Returns an MPI
 * error code. */
int allfold_with_count(size_t count, MPI_Datatype datatype,
                       int (*use)(void *context, MPI_Datatype datatype, int count), void *context);

#endif
