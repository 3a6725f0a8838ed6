/* Entries made for a communicator: what is chosen for a shape, built and ready to run. */
#ifndef ALLFOLD_MPI_CALL_ENTRY_H
#define ALLFOLD_MPI_CALL_ENTRY_H

#include "mpi/call/caller.h"

/* The problem that a shape is on the communicator, seen from this rank. */
struct allfold_problem allfold_entry_problem(const struct allfold_communicator *state,
                                             const struct allfold_shape_key *key);

/* The pool for entries that the communicator's cache is to keep; may drop all that it keeps. */
struct allfold_pool *allfold_entries_pool(struct allfold_communicator *state);

/* Chooses by the rules, builds, and makes an executor. With `ours`, native is chosen only where a
 * rule names it. Where the model would choose native, the cheapest of our algorithms serves
 * instead. The entry's memory comes from the pool, or with NULL from the allocator. The entry is
 * the caller's, to keep (allfold_entry_keep) or to free (allfold_entry_free). On an error *made is
 * NULL, and `message` says what is wrong. Local. */
enum allfold_error allfold_entry_make(struct allfold_communicator *state, struct allfold_pool *pool,
                                      const struct allfold_shape_key *key,
                                      const struct allfold_rules *rules, bool ours,
                                      struct allfold_entry **made, char *message,
                                      size_t message_bytes);

/* Makes an entry of an algorithm (NULL: native) that the guard chose. Else as allfold_entry_make.
 */
enum allfold_error allfold_entry_make_of(struct allfold_communicator *state,
                                         struct allfold_pool *pool,
                                         const struct allfold_shape_key *key,
                                         const struct allfold_algorithm *algorithm,
                                         const struct allfold_parameters *parameters,
                                         struct allfold_entry **made, char *message,
                                         size_t message_bytes);

/* Puts an entry into the communicator's cache. Entries that the cache has no more room for are
 * freed. */
void allfold_entry_keep(struct allfold_communicator *state, struct allfold_entry *entry);

/* Takes all entries of a collective from the cache, and drops them; ALLFOLD_COLLECTIVE_COUNT: of
 * all collectives. */
void allfold_entries_drop(struct allfold_communicator *state, enum allfold_collective collective);

/* Drops the entries that were used longest ago, until the others take so many bytes at most. */
void allfold_entries_shrink(struct allfold_communicator *state, size_t most_bytes);

/* The report's row for the calls that the entry serves now; `mode` is that of report_figures.h, for
 * one entry always the same. Where a report is wanted. */
uint32_t allfold_entry_row(const struct allfold_communicator *state, struct allfold_entry *entry,
                           const char *mode, const char *site);

/* Tells the notes that the entry serves the current call, or a step of the exact sum `sum` (NULL:
 * it is no step), which the report and the trace then name. If a report is wanted. */
void allfold_entry_serve(const struct allfold_communicator *state, struct allfold_entry *entry,
                         const struct allfold_call *sum);

/* Adds the entry's figures to the report, and frees the entry. */
void allfold_entry_drop(const struct allfold_communicator *state, struct allfold_entry *entry);

/* Makes an entry of its own for a call that was read, by rules (NULL: the communicator's), in which
 * native is no choice unless forced: then the call has no entry. On an error `message` says what is
 * wrong. Local. */
enum allfold_error allfold_prepared_make(struct allfold_prepared *prepared,
                                         const struct allfold_rules *rules, char *message,
                                         size_t message_bytes);

#endif
