/* MPI's own datatypes and operations, as the kernels know them. */
#ifndef ALLFOLD_MPI_HANDLES_TYPES_H
#define ALLFOLD_MPI_HANDLES_TYPES_H

#include <mpi.h>
#include <stdbool.h>

#include "kernels/kernels.h"

struct allfold_known_type {
    const char *name; /* as the list has it; "" for a sized type that a program made */
    MPI_Datatype datatype;
    enum allfold_type type; /* ALLFOLD_TYPE_COUNT: there are no kernels */
    unsigned operations;    /* bit o: MPI allows operation o */
    unsigned lowered;       /* bit o: MPI_Reduce_local runs it, beyond what MPI allows */
};

/* What is known of one of MPI's own datatypes, or NULL for any other handle. Any thread. */
const struct allfold_known_type *allfold_known_type(MPI_Datatype datatype);

/* The same, and for a handle of MPI_Type_create_f90_real, _complex or _integer what is known of the
 * type of its size. `datatype` is valid. Any thread. */
const struct allfold_known_type *allfold_basic_type(MPI_Datatype datatype);

/* The list, i = 0, 1, ...; NULL beyond. Types that this MPI library lacks are there too: their
 * handle is MPI_DATATYPE_NULL. */
const struct allfold_known_type *allfold_listed_type(size_t i);

/* Who runs an operation on a type. */
enum allfold_reducer { ALLFOLD_BY_NATIVE, ALLFOLD_BY_KERNEL, ALLFOLD_BY_REDUCE_LOCAL };
enum allfold_reducer allfold_reducer_of(const struct allfold_known_type *known,
                                        enum allfold_operation operation);

/* Does MPI allow the operation for the type, or do both Open MPI and MPICH beyond the standard? */
bool allfold_known_allows(const struct allfold_known_type *known, enum allfold_operation operation);

/* Is the result the same in every bit, however the reduction is ordered? */
bool allfold_known_is_exact(const struct allfold_known_type *known,
                            enum allfold_operation operation);

/* The same for handles; false for those that are not known. */
bool allfold_is_exact(MPI_Datatype datatype, MPI_Op op);

/* Do native reductions of the type fail or give wrong results, so that nothing of ours may try
 * them? */
bool allfold_native_is_wrong(const struct allfold_known_type *known);

/* The operation behind one of MPI's own handles; ALLFOLD_OPERATION_COUNT for any other. */
enum allfold_operation allfold_known_operation(MPI_Op op);

/* MPI's own handle of an operation; MPI_OP_NULL for ALLFOLD_OPERATION_COUNT. */
MPI_Op allfold_op_of(enum allfold_operation operation);

/* Is it an operation that a user made? */
bool allfold_is_user_operation(MPI_Op op);

#endif
