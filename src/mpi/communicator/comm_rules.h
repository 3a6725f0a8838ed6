/* Rules that a program gives one of its communicators or plans. */
#ifndef ALLFOLD_MPI_COMM_RULES_H
#define ALLFOLD_MPI_COMM_RULES_H

#include <mpi.h>

#include "allfold.h"
#include "mpi/communicator/communicator.h"

/* allfold_comm_set; see allfold.h. */
int allfold_comm_rules_set(MPI_Comm comm, const char *name, const char *value);

/* allfold_plan_set; see allfold.h. */
int allfold_plan_rules_set(struct allfold_plan *plan, const char *name, const char *value);

/* What MPI_Comm_set_info and MPI_Comm_dup_with_info say by the key allfold_sparse: off, auto or on.
 * A hint: where it is none of these, or the ranks do not agree, it is passed over, and
 * ALLFOLD_VERBOSE=1 says so. Collective where the key is there: on all ranks or on none. */
void allfold_comm_rules_take_info(MPI_Comm comm, MPI_Info info);

/* What the info that a persistent collective is made with says by that key; false where it says
 * nothing, or what is passed over. Local. */
bool allfold_comm_rules_of_info(const struct allfold_communicator *state, MPI_Info info,
                                enum allfold_sparse_mode *mode);

#endif
