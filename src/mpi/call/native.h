/* Native collectives: those of the MPI library, behind the same description of a call. */
#ifndef ALLFOLD_MPI_CALL_NATIVE_H
#define ALLFOLD_MPI_CALL_NATIVE_H

#include "mpi/call/call.h"
#include "mpi/communicator/communicator.h"

/* Passes a call through to the next library in the order of loading. */
int allfold_native(const struct allfold_call *call);

/* Begins the native nonblocking call that does the same. Local. */
int allfold_native_start(const struct allfold_call *call, MPI_Request *request);

/* Makes the native persistent request that does the same. */
int allfold_native_init(const struct allfold_call *call, MPI_Info info, MPI_Request *request);

/* The native MPI_Reduce_local. */
int allfold_native_reduce_local(const void *in, void *inout, MPI_Count count, MPI_Datatype datatype,
                                MPI_Op op);

/* Has a call that is right more elements than this MPI's functions take? Local. */
bool allfold_native_refuses(const struct allfold_call *call);

/* Does this MPI take the same buffer for input and result, as if it were MPI_IN_PLACE? Where it
 * does not, it is to say so itself. */
bool allfold_native_allows_same_buffer(enum allfold_collective collective);

/* The call as it is passed through where nobody asked for native: the call itself. Where this MPI
 * crashes in place, it is *safe, the same call out of place, with its input in *memory, which grows
 * by allfold_reserve. NULL without memory. Local: whether a reduction is in place is its root's own
 * business. */
const struct allfold_call *allfold_native_safe(const struct allfold_call *call, void **memory,
                                               size_t *memory_bytes, struct allfold_call *safe);

/* Changes a call to one that does the same with its result in *memory, which grows by
 * allfold_reserve. A call in place stays in place: *memory gets a copy of its input. Out of place
 * it becomes where native would crash in place, or where the buffer is a device's. A collective
 * with one buffer stays as it is: the same bytes come into it again. False without memory. Local.
 */
bool allfold_redirect(struct allfold_call *call, const struct allfold_communicator *state,
                      void **memory, size_t *memory_bytes);

/* Makes *beside the native call that does what a call of the program does, which has not run yet.
 * The result is in *memory, which grows by allfold_reserve; a broadcast has the program's buffer.
 * False if a rank has no room for it, or its MPI library lacks the function.
 * Collective. */
bool allfold_native_beside(const struct allfold_call *call, struct allfold_communicator *state,
                           void **memory, size_t *memory_bytes, struct allfold_call *beside);

/* Times such a call, which all ranks begin together. Negative if it failed on this one.
 * Collective. */
double allfold_time_native(const struct allfold_call *beside, struct allfold_communicator *state);

/* Does no order of its ranks change a bit of its result? True also for what MPI does not allow: the
 * MPI library reports its own error. */
bool allfold_call_is_exact(const struct allfold_call *call);

/* May the MPI library serve a call, for the reason `why`? MPI_SUCCESS where native changes no bit,
 * or nobody asked for reproducible results, as the mode says. Where the user asked for warnings
 * only, it warns and returns MPI_SUCCESS. Else it returns the error, after the error handler.
 * `state` is NULL where there is none yet. Local; ranks that know the same of the call decide
 * alike. */
int allfold_allow_native(const struct allfold_call *call, const struct allfold_communicator *state,
                         enum allfold_reproducible mode, const char *why);

/* The mode of a communicator, or with NULL the job's. */
enum allfold_reproducible allfold_reproducible_of(const struct allfold_communicator *state);

/* Is it a sum of float, double or complex numbers of these? */
bool allfold_adds_floating_point(const struct allfold_call *call);

/* Is it such a sum on two ranks, which is to be exact? Any plain sum is then, as it rounds once.
 * False where there is no state. */
bool allfold_sum_rounds_once(const struct allfold_call *call,
                             const struct allfold_communicator *state,
                             enum allfold_reproducible mode);

/* Does its result depend on an order in more than NaN and zeros of both signs? */
bool allfold_rounds(const struct allfold_call *call);

/* May a call that no exact sum serves be rounded in some order? As allfold_allow_native, where the
 * user asked for exact sums. */
int allfold_allow_rounding(const struct allfold_call *call,
                           const struct allfold_communicator *state,
                           enum allfold_reproducible mode);

/* Says, once, that a forced algorithm brackets otherwise, which `why` says in full. */
void allfold_warn_of_brackets(const char *why);

#endif
