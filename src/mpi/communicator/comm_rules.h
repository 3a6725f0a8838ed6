/* Rules that a program gives one of its communicators.
 *
 * Invariant: they change on all ranks or on none. Each rank looks at what it was given. Before any
 * rank takes the rules, all learn whether every rank can take them and whether they are the
 * same. */
#ifndef ALLFOLD_MPI_COMMUNICATOR_COMM_RULES_H
#define ALLFOLD_MPI_COMMUNICATOR_COMM_RULES_H

#include <mpi.h>

#include "mpi/communicator/communicator.h"

struct allfold_comm_mode;

/* The name and value that this rank was given, and how it reads them. */
struct allfold_rule_change {
    const char *name, *value;
    enum allfold_collective collective;
    struct allfold_rules *rules;             /* NULL: remove the rules */
    const struct allfold_comm_mode *of_mode; /* it is a mode, such as ALLFOLD_SPARSE, and this: */
    int mode;
    char message[ALLFOLD_MESSAGE_BYTES]; /* what is wrong; "" where nothing is */
};

/* Reads name and value of a change that can be of ALLFOLD_SPARSE or ALLFOLD_REPRODUCIBLE alone, as
 * for `whose`. A fault goes to the change's message. Local. */
void allfold_rule_change_read_mode(struct allfold_rule_change *change, const char *whose);

/* Is it a change of ALLFOLD_REPRODUCIBLE? */
bool allfold_rule_change_is_of_bits(const struct allfold_rule_change *change);

/* Do all ranks take the change? Else the message says why not, on each rank. Returns an MPI error
 * code. Collective. */
int allfold_rule_change_agree(struct allfold_rule_change *change,
                              const struct allfold_communicator *state);

/* Ends a change by the function of that name. Returns what the program sees, after the error
 * handler: `error`, or what is wrong, or MPI_SUCCESS. */
int allfold_rule_change_end(MPI_Comm comm, const char *function, int error,
                            const struct allfold_rule_change *change);

/* allfold_comm_set; see allfold.h. */
int allfold_comm_rules_set(MPI_Comm comm, const char *name, const char *value);

/* Takes what MPI_Comm_set_info and MPI_Comm_dup_with_info say by the keys allfold_sparse (off, auto
 * or on) and allfold_reproducible (off, canonical or exact, each but off also with :warn). If the
 * value is another one, or the ranks do not agree, allfold_sparse is ignored, which
 * ALLFOLD_VERBOSE=1 says, and allfold_reproducible is an error of class MPI_ERR_INFO_VALUE, which
 * is returned after the error handler. Collective if the key is there, which must be so on all
 * ranks or on none. */
int allfold_comm_rules_take_info(MPI_Comm comm, MPI_Info info);

/* What the info of a persistent collective says, or UNSET. */
struct allfold_comm_hints {
    enum allfold_sparse_mode sparse;
    enum allfold_reproducible reproducible;
};

/* Reads these; a value that does not exist is as above. Local. */
int allfold_comm_rules_of_info(MPI_Comm comm, MPI_Info info, struct allfold_comm_hints *hints);

#endif
