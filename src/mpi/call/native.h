/* The MPI library's own collectives, behind the same description of a call. */
#ifndef ALLFOLD_MPI_NATIVE_H
#define ALLFOLD_MPI_NATIVE_H

#include "mpi/call/caller.h"
#include "mpi/call/call.h"

/* Passes a call through to the next library in the order of loading. */
int allfold_native(const struct allfold_call *call);

/* Begins the MPI library's own nonblocking call that does the same. Local. */
int allfold_native_start(const struct allfold_call *call, MPI_Request *request);

/* Does this MPI take the same buffer for input and result, as if it were MPI_IN_PLACE? Where it
 * does not, it is to say so itself. */
bool allfold_native_allows_same_buffer(enum allfold_collective collective);

/* The call as it is passed through where nobody asked for that: itself, or *safe, which is
 * the same out of place, where this MPI crashes in place. NULL without memory. Local: whether a
 * reduction is in place is its root's own business. */
const struct allfold_call *allfold_native_safe(const struct allfold_call *call,
                                               struct allfold_communicator *state,
                                               struct allfold_call *safe);

/* Is the next call of a shape, after so many calls and samples, one to time the MPI library's own
 * beside? The same on all ranks. */
bool allfold_is_sampled(uint64_t calls, uint32_t samples);

/* Makes a call one that does the same out of place and with its result in *memory, which grows as
 * allfold_reserve has it; a collective with one buffer stays as it is, as the same bytes come into
 * it again. False without memory. Local. */
bool allfold_redirect(struct allfold_call *call, const struct allfold_communicator *state,
                      void **memory, size_t *memory_bytes);

/* Has the call more elements than an int counts? */
bool allfold_native_is_large(const struct allfold_call *call);

/* Times the MPI library's own for the shape of a call, over the same input and into memory of ours
 * (a broadcast: into the same buffer, which has or gets the same bytes). False where that cannot be
 * done, on all ranks alike. Collective over the communicator. */
bool allfold_time_native(const struct allfold_call *call, struct allfold_communicator *state,
                         double *seconds);

/* Whether the MPI library may serve a call, for the reason `why`: MPI_SUCCESS where that changes no
 * bit, where nobody asked for reproducible results, or where it is only to be said, which it then
 * is. Else the error, after the error handler. `state` is NULL where there is none yet. Local; all
 * ranks come to the same where they know the same of the call. */
int allfold_allow_native(const struct allfold_call *call, const struct allfold_communicator *state,
                         const char *why);

/* Says, once, that a forced algorithm brackets otherwise, which `why` says in full. */
void allfold_warn_of_brackets(const char *why);

#endif
