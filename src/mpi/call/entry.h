/* Makes and keeps the entries of a communicator's cache: the choice for a shape, its schedule, and
 * its executor. */
#ifndef ALLFOLD_MPI_CALL_ENTRY_H
#define ALLFOLD_MPI_CALL_ENTRY_H

#include "mpi/call/caller.h"

/* Returns the problem of a shape on the communicator, for this rank. */
struct allfold_problem allfold_entry_problem(const struct allfold_communicator *state,
                                             const struct allfold_shape_key *key);

/* Returns the memory pool of the communicator's cache. May drop all entries of the cache. */
struct allfold_pool *allfold_entries_pool(struct allfold_communicator *state);

/* Chooses by the rules, builds the schedule, and makes an executor. With `ours`, native is chosen
 * only if a rule names it; if the model would choose native, the fastest of Allfold's algorithms is
 * taken. The entry's memory comes from `pool`, or from the allocator if that is NULL. The caller
 * either puts the entry into the cache (allfold_entry_keep) or frees it (allfold_entry_free). On an
 * error *made is NULL, and `message` says what is wrong. Local. */
enum allfold_error allfold_entry_make(struct allfold_communicator *state, struct allfold_pool *pool,
                                      const struct allfold_shape_key *key,
                                      const struct allfold_rules *rules, bool ours,
                                      struct allfold_entry **made, char *message,
                                      size_t message_bytes);

/* Like allfold_entry_make, with an algorithm (NULL: native) that the guard chose. */
enum allfold_error allfold_entry_make_of(struct allfold_communicator *state,
                                         struct allfold_pool *pool,
                                         const struct allfold_shape_key *key,
                                         const struct allfold_algorithm *algorithm,
                                         const struct allfold_parameters *parameters,
                                         struct allfold_entry **made, char *message,
                                         size_t message_bytes);

/* Puts an entry into the communicator's cache. Entries that no longer fit are dropped. */
void allfold_entry_keep(struct allfold_communicator *state, struct allfold_entry *entry);

/* Drops all entries of a collective in the cache; ALLFOLD_COLLECTIVE_COUNT: of all collectives. */
void allfold_entries_drop(struct allfold_communicator *state, enum allfold_collective collective);

/* Drops the least recently used entries until the cache has at most `most_bytes` bytes. */
void allfold_entries_shrink(struct allfold_communicator *state, size_t most_bytes);

/* Returns the report's row for the present calls of the entry. `mode` is one of report_figures.h,
 * and always the same for one entry. A report must be wanted. */
uint32_t allfold_entry_row(const struct allfold_communicator *state, struct allfold_entry *entry,
                           const char *mode, const char *site);

/* Records in the notes that the entry handles the current call. If that is a step of an exact sum,
 * `sum` is the sum, by which the report and the trace name the call; else NULL. A report must be
 * wanted. */
void allfold_entry_serve(const struct allfold_communicator *state, struct allfold_entry *entry,
                         const struct allfold_call *sum);

/* Adds the entry's values to the report, and frees the entry. */
void allfold_entry_drop(const struct allfold_communicator *state, struct allfold_entry *entry);

/* Makes the call's own entry for a call that was read, by `rules` (NULL: those of the
 * communicator). Native is not chosen unless it is forced; then the call has no entry. On an error
 * `message` says what is wrong. Local. */
enum allfold_error allfold_prepared_make(struct allfold_prepared *prepared,
                                         const struct allfold_rules *rules, char *message,
                                         size_t message_bytes);

#endif
