/* MPI's own datatypes and operations, as the kernels know them. */
#ifndef ALLFOLD_MPI_TYPES_H
#define ALLFOLD_MPI_TYPES_H

#include <mpi.h>
#include <stdbool.h>

#include "kernels/kernels.h"

struct allfold_known_type {
    MPI_Datatype datatype;
    enum allfold_type type;
    unsigned operations; /* bit o: operation o may be used with it */
};

/* What is known of one of MPI's own datatypes, or NULL for any other handle. Any thread. */
const struct allfold_known_type *allfold_known_type(MPI_Datatype datatype);

/* The operation behind one of MPI's own handles; ALLFOLD_OPERATION_COUNT for any other. */
enum allfold_operation allfold_known_operation(MPI_Op op);

/* MPI's own handle of an operation; MPI_OP_NULL for ALLFOLD_OPERATION_COUNT. */
MPI_Op allfold_op_of(enum allfold_operation operation);

/* Is it an operation that a user made? */
bool allfold_is_user_operation(MPI_Op op);

#endif
