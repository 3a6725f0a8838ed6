/* Tuning inside an application (ALLFOLD_TRIALS): a communicator's first calls of a shape try
 * the most promising algorithms one after the other, native among them. Then all ranks agree on the
 * fastest by the slowest rank's times, and keep it.
 *
 * All ranks make the same calls, so all are at the same call of a trial. A rank decides alone
 * whether its input lies in its result, so a trial covers a shape both in place and not. */
#ifndef ALLFOLD_MPI_ONLINE_H
#define ALLFOLD_MPI_ONLINE_H

#include "mpi/call/caller.h"

struct allfold_online;

/* The trial of a shape that has begun; NULL where there is none, or a rule holds. Local. */
struct allfold_online *allfold_online_find(struct allfold_communicator *state,
                                           const struct allfold_shape_key *key);

/* Begins the trial of an entry's shape, of which there is none. The trial then owns the entry,
 * which would serve without a trial. NULL where the shape is not to be tried. Collective. */
struct allfold_online *allfold_online_begin(struct allfold_communicator *state,
                                            struct allfold_entry *entry);

/* The entry that serves the next call of a trial, made where need be. While the trial lasts it owns
 * *entry. Once the trial is over, *is_over is set, and the caller keeps *entry. */
enum allfold_error allfold_online_entry(struct allfold_communicator *state,
                                        struct allfold_online *trial,
                                        const struct allfold_shape_key *key,
                                        struct allfold_entry **entry, bool *is_over, char *message,
                                        size_t message_bytes);

/* Says how long this rank's call took. The last call of a trial decides the trial: collective
 * then. */
void allfold_online_note(struct allfold_communicator *state, struct allfold_online *trial,
                         double seconds);

/* Frees all trials of a communicator. */
void allfold_online_free(struct allfold_communicator *state);

#endif
