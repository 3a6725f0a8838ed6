/* Rules that a program sets for one communicator: allfold_comm_set and info keys.
 *
 * Invariant: the rules change on all ranks or on none. Each rank reads its own arguments. Before
 * any rank applies the rules, the ranks agree that every rank can apply them and that they are the
 * same on all. */
#ifndef ALLFOLD_MPI_COMMUNICATOR_COMM_RULES_H
#define ALLFOLD_MPI_COMMUNICATOR_COMM_RULES_H

#include <mpi.h>

#include "mpi/communicator/communicator.h"

struct allfold_comm_mode;

/* A change of rules: the name and value that this rank was given, and what they mean. */
struct allfold_rule_change {
    const char *name, *value;
    enum allfold_collective collective;
    struct allfold_rules *rules; /* NULL: remove the rules */
    /* Not NULL: the change sets this mode, such as ALLFOLD_SPARSE, to `mode`. */
    const struct allfold_comm_mode *of_mode;
    int mode;
    char message[ALLFOLD_MESSAGE_BYTES]; /* what is wrong; "" if nothing is */
};

/* Reads the name and value of a change that may only set ALLFOLD_SPARSE or ALLFOLD_REPRODUCIBLE.
 * `whose` names the object in the change's message, which says what is wrong. Local. */
void allfold_rule_change_read_mode(struct allfold_rule_change *change, const char *whose);

/* Returns whether the change sets ALLFOLD_REPRODUCIBLE. */
bool allfold_rule_change_is_of_bits(const struct allfold_rule_change *change);

/* Checks that all ranks can apply the change. If not, its message says why, on each rank. Returns
 * an MPI error code. Collective over the communicator. */
int allfold_rule_change_agree(struct allfold_rule_change *change,
                              const struct allfold_communicator *state);

/* Ends a change by the function `function`. Returns, after the error handler, `error`, an error
 * with the change's message, or MPI_SUCCESS. */
int allfold_rule_change_end(MPI_Comm comm, const char *function, int error,
                            const struct allfold_rule_change *change);

/* Does what allfold_comm_set does; see allfold.h. */
int allfold_comm_rules_set(MPI_Comm comm, const char *name, const char *value);

/* Applies the info keys of MPI_Comm_set_info and MPI_Comm_dup_with_info: allfold_sparse (off, auto
 * or on) and allfold_reproducible (off, canonical or exact; canonical and exact also with :warn).
 * If the value is invalid or the ranks do not agree, allfold_sparse is ignored, and
 * ALLFOLD_VERBOSE=1 prints a message; allfold_reproducible is an error of class MPI_ERR_INFO_VALUE,
 * which is returned after the error handler. Collective over `comm` if the key is there; MPI
 * requires it on all ranks or on none. */
int allfold_comm_rules_take_info(MPI_Comm comm, MPI_Info info);

/* Modes that the info of a persistent collective sets; UNSET if the key is missing. */
struct allfold_comm_hints {
    enum allfold_sparse_mode sparse;
    enum allfold_reproducible reproducible;
};

/* Reads the info keys of a persistent collective. An invalid value is handled as in
 * allfold_comm_rules_take_info. Local. */
int allfold_comm_rules_of_info(MPI_Comm comm, MPI_Info info, struct allfold_comm_hints *hints);

#endif
