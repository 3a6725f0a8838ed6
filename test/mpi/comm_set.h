/*
 * comm_set.h: allfold_comm_set as the program finds it where it runs, so that it is that of the
 * library that is preloaded.
 */
#ifndef COMM_SET_H
#define COMM_SET_H

#include <mpi.h>
#include <stdbool.h>

extern int (*comm_set)(MPI_Comm comm, const char *name, const char *value);

/* Looks for it. Where it is not there that is a failed case, and nothing can be checked. */
bool comm_set_find(void);

/* A duplicate whose info asks for this value of ALLFOLD_REPRODUCIBLE, and which returns errors. */
MPI_Comm comm_with_mode(MPI_Comm comm, const char *value);

#endif
