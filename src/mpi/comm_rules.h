/* Rules that a program gives one of its communicators. */
#ifndef ALLFOLD_MPI_COMM_RULES_H
#define ALLFOLD_MPI_COMM_RULES_H

#include <mpi.h>

/* allfold_comm_set; see allfold.h. */
int allfold_comm_rules_set(MPI_Comm comm, const char *name, const char *value);

#endif
