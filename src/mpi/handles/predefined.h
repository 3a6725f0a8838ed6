/* Tables of MPI's predefined datatypes and operations: which kernel type and which enum
 * allfold_operation each handle stands for, and who reduces it. */
#ifndef ALLFOLD_MPI_HANDLES_PREDEFINED_H
#define ALLFOLD_MPI_HANDLES_PREDEFINED_H

#include <mpi.h>
#include <stdbool.h>

#include "kernels/kernels.h"

struct allfold_known_type {
    const char *name; /* the name in type_list.h; "" for a sized type that the program made */
    MPI_Datatype datatype;
    enum allfold_type type; /* ALLFOLD_TYPE_COUNT: there are no kernels */
    unsigned operations;    /* bit o is set if MPI allows operation o */
    /* Bit o is set if MPI_Reduce_local runs operation o, which MPI does not allow. */
    unsigned lowered;
};

/* Returns the table entry of a predefined datatype, or NULL for any other handle. Thread-safe. */
const struct allfold_known_type *allfold_known_type(MPI_Datatype datatype);

/* Like allfold_known_type. For a handle of MPI_Type_create_f90_real, _complex or _integer, returns
 * the entry of the type with its size. `datatype` must be valid. Thread-safe. */
const struct allfold_known_type *allfold_basic_type(MPI_Datatype datatype);

/* Returns entry i of the list, or NULL if i is beyond its end. Types that this MPI library lacks
 * are in the list, too; their handle is MPI_DATATYPE_NULL. */
const struct allfold_known_type *allfold_listed_type(size_t i);

/* Which code reduces a type with an operation. */
enum allfold_reducer { ALLFOLD_BY_NATIVE, ALLFOLD_BY_KERNEL, ALLFOLD_BY_REDUCE_LOCAL };
enum allfold_reducer allfold_reducer_of(const struct allfold_known_type *known,
                                        enum allfold_operation operation);

/* Returns whether MPI allows the operation with the type, or both Open MPI and MPICH allow it as an
 * extension. */
bool allfold_known_allows(const struct allfold_known_type *known, enum allfold_operation operation);

/* Returns whether the result has the same bits for every order of the reduction. */
bool allfold_known_is_exact(const struct allfold_known_type *known,
                            enum allfold_operation operation);

/* Like allfold_known_is_exact, for handles. Returns false if a handle is not predefined. */
bool allfold_is_exact(MPI_Datatype datatype, MPI_Op op);

/* Returns whether native reductions of the type fail or give wrong results, so that Allfold must
 * not try them. */
bool allfold_native_is_wrong(const struct allfold_known_type *known);

/* Returns the operation of a predefined handle; ALLFOLD_OPERATION_COUNT for any other handle. */
enum allfold_operation allfold_known_operation(MPI_Op op);

/* Returns the predefined handle of an operation; MPI_OP_NULL for ALLFOLD_OPERATION_COUNT. */
MPI_Op allfold_op_of(enum allfold_operation operation);

/* Returns whether the program made the operation (MPI_Op_create). */
bool allfold_is_user_operation(MPI_Op op);

#endif
