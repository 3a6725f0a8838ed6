/* Operands: an MPI datatype and operation in the form that the executor uses, and helpers for
 * datatypes (packing, counts that exceed an int). */
#ifndef ALLFOLD_MPI_HANDLES_OPERANDS_H
#define ALLFOLD_MPI_HANDLES_OPERANDS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "execute/elements.h"
#include "kernels/kernels.h"

struct allfold_operands {
    struct allfold_elements elements; /* first, because its callbacks get its address */
    MPI_Datatype datatype;
    MPI_Datatype travels_as; /* the datatype in messages */
    MPI_Op op;
    allfold_kernel *kernel;     /* NULL: MPI_Reduce_local reduces */
    allfold_fold *const *folds; /* used if `elements` has them */
    size_t element_bytes;       /* of one element in a message */
    bool commutative;
    bool exact;
    bool keeps_order;       /* operands are never swapped, because results must be canonical */
    bool native_is_wrong;   /* native reductions of the type are wrong, so they run only if a rule
                               forces them */
    bool may_be_sparse;     /* there is a run-length code for `type` and `operation` */
    enum allfold_type type; /* valid if `may_be_sparse` */
    enum allfold_operation operation; /* valid if `may_be_sparse` */
    bool is_predefined; /* datatype and operation are predefined, so the handles never change
                           meaning */
    uint64_t op_calls;  /* number of calls of the program's own operation */
    double op_bytes;    /* bytes, as they travel, of all elements that these calls reduced */
    void *lowered;      /* memory to reduce 3 operands to 2; grows when needed */
    size_t lowered_bytes;
};

/* Finds the operands of a reduction. Returns false if Allfold does not handle it: MPI does not
 * allow the operation with the type, or a handle is not valid. Leaves `lowered` unchanged. */
bool allfold_operands_find(struct allfold_operands *operands, MPI_Datatype datatype, MPI_Op op);

/* Sets the operands to plain bytes, for collectives that move data and for a barrier's tokens.
 * Leaves `lowered` unchanged. */
void allfold_operands_of_bytes(struct allfold_operands *operands);

/* Returns whether elements are contiguous in memory as they are in messages, and all ranks know
 * this. */
bool allfold_operands_are_contiguous(const struct allfold_operands *operands);

/* Returns whether the handle may be used in messages. Returns false if it is no datatype or is not
 * committed. Local. */
bool allfold_is_committed(MPI_Datatype datatype);

/* Returns whether the datatype is one of MPI's own whose elements have no gaps in memory. */
bool allfold_is_plain(MPI_Datatype datatype);

/* Copy the elements (count, datatype) at `data` to or from the `bytes` bytes at `packed`. Return an
 * MPI error code. Local. */
int allfold_pack(const void *data, size_t count, MPI_Datatype datatype, void *packed, size_t bytes);
int allfold_unpack(void *data, size_t count, MPI_Datatype datatype, const void *packed,
                   size_t bytes);

/* Calls use(context, type, n) with an int n, so that (n, type) describes the same elements as
 * (count, datatype). `type` is `datatype` itself, or, if `count` exceeds INT_MAX, a datatype made
 * for this call. Returns an MPI error code. */
int allfold_with_count(size_t count, MPI_Datatype datatype,
                       int (*use)(void *context, MPI_Datatype datatype, int count), void *context);

#endif
