/* Entries made for a communicator: what is chosen for a shape, built and ready to run. */
#ifndef ALLFOLD_MPI_ENTRY_H
#define ALLFOLD_MPI_ENTRY_H

#include "mpi/call/caller.h"

/* The problem that a shape is on the communicator, seen from this rank. */
struct allfold_problem allfold_entry_problem(const struct allfold_communicator *state,
                                             const struct allfold_shape_key *key);

/* The pool for entries that the communicator's cache is to keep; may drop all that it keeps. */
struct allfold_pool *allfold_entries_pool(struct allfold_communicator *state);

/* Chooses by the rules, builds, and makes an executor. With `ours` the MPI library's own is taken
 * only where a rule names it: what the model would pass through, the cheapest of our algorithms
 * serves. Its memory is of the pool, or with NULL the allocator's. The entry is the caller's, to
 * keep (allfold_entry_keep) or to free (allfold_entry_free). On an error *made is NULL, and
 * `message` says what is wrong. Local. */
enum allfold_error allfold_entry_make(struct allfold_communicator *state, struct allfold_pool *pool,
                                      const struct allfold_shape_key *key,
                                      const struct allfold_rules *rules, bool ours,
                                      struct allfold_entry **made, char *message,
                                      size_t message_bytes);

/* Makes an entry of an algorithm (NULL: native) that somebody chose otherwise, as the source says.
 * Else as allfold_entry_make. */
enum allfold_error allfold_entry_make_of(
    struct allfold_communicator *state, struct allfold_pool *pool,
    const struct allfold_shape_key *key, const struct allfold_algorithm *algorithm,
    const struct allfold_parameters *parameters, enum allfold_choice_source source,
    struct allfold_entry **made, char *message, size_t message_bytes);

/* Puts an entry into the communicator's cache; what that has no more room for is freed. */
void allfold_entry_keep(struct allfold_communicator *state, struct allfold_entry *entry);

/* Says to the operands of its next runs whether these are sparse: of vectors that are not short, of
 * types and operations that there is a code for, where that is wanted; by itself only between
 * nodes. All ranks come to the same. */
void allfold_entry_set_sparse(const struct allfold_communicator *state,
                              enum allfold_sparse_mode mode, struct allfold_entry *entry,
                              struct allfold_operands *operands);

/* Takes all entries of a collective from the cache, and drops them; ALLFOLD_COLLECTIVE_COUNT: of
 * all collectives. */
void allfold_entries_drop(struct allfold_communicator *state, enum allfold_collective collective);

/* Drops what was used longest ago, until the others take so many bytes at most. */
void allfold_entries_shrink(struct allfold_communicator *state, size_t most_bytes);

/* Says to the notes that it serves the call that is on. Where a report is wanted. */
void allfold_entry_serve(const struct allfold_communicator *state, struct allfold_entry *entry);

/* Adds its figures to the report, and frees it. */
void allfold_entry_drop(const struct allfold_communicator *state, struct allfold_entry *entry);

#endif
