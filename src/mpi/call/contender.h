/* Contenders: algorithms that could serve a shape, the native collective among them, which the
 * guard (guard.h) tries in turns on copies of the buffers. */
#ifndef ALLFOLD_MPI_CONTENDER_H
#define ALLFOLD_MPI_CONTENDER_H

#include "mpi/call/caller.h"

struct allfold_contender {
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    struct allfold_entry *entry; /* NULL: not made */
};

struct allfold_contenders {
    int count, most;
    struct allfold_contender *list;
};

/* Adds an algorithm, unless it is there or the list is full. */
void allfold_contenders_add(struct allfold_contenders *contenders,
                            const struct allfold_algorithm *algorithm,
                            const struct allfold_parameters *parameters);

/* Adds what can serve a shape, the lowest price first, as far as there is room. The
 * same on all ranks. */
void allfold_contenders_fill(const struct allfold_communicator *state,
                             const struct allfold_shape_key *key,
                             struct allfold_contenders *contenders);

/* Makes a contender's entry for a shape; it stays the contender's. Local. */
enum allfold_error allfold_contender_make(struct allfold_communicator *state,
                                          struct allfold_contender *contender,
                                          const struct allfold_shape_key *key, char *message,
                                          size_t message_bytes);

/* Drops a contender's entry. */
void allfold_contender_drop(const struct allfold_communicator *state,
                            struct allfold_contender *contender);

/* Replaces each time by that of the slowest rank. False where that fails. Collective. */
bool allfold_contenders_agree(const struct allfold_communicator *state, double *times, int count);

#endif
