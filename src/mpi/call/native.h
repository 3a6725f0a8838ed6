/* Native collectives: calls of the MPI library's functions for a struct allfold_call. */
#ifndef ALLFOLD_MPI_CALL_NATIVE_H
#define ALLFOLD_MPI_CALL_NATIVE_H

#include "mpi/call/call.h"
#include "mpi/communicator/communicator.h"

/* Passes a call through to the underlying MPI library. Returns its error code. Collective, as the
 * call is. */
int allfold_native(const struct allfold_call *call);

/* Starts the native nonblocking call with the same arguments. Local. */
int allfold_native_start(const struct allfold_call *call, MPI_Request *request);

/* Makes the native persistent request with the same arguments. Collective, as the call is. */
int allfold_native_init(const struct allfold_call *call, MPI_Info info, MPI_Request *request);

/* Calls the native MPI_Reduce_local. */
int allfold_native_reduce_local(const void *in, void *inout, MPI_Count count, MPI_Datatype datatype,
                                MPI_Op op);

/* Returns whether a valid call has more elements than this MPI library's functions accept.
 * Local. */
bool allfold_native_refuses(const struct allfold_call *call);

/* Returns whether this MPI library allows the same buffer for input and result, as if it were
 * MPI_IN_PLACE. If not, such calls are passed through, so that MPI reports the error. */
bool allfold_native_allows_same_buffer(enum allfold_collective collective);

/* Returns the call to make if Allfold passes a call through that the user did not ask to be native.
 * This is `call`, unless this MPI library crashes in place: then it is *safe, the same call out of
 * place, whose input is copied to *memory, which grows by allfold_reserve. Returns NULL if out of
 * memory. Local: whether a reduction is in place may differ between ranks. */
const struct allfold_call *allfold_native_safe(const struct allfold_call *call, void **memory,
                                               size_t *memory_bytes, struct allfold_call *safe);

/* Changes a call so that its result goes to *memory, which grows by allfold_reserve. A call in
 * place stays in place on a copy of its input in *memory; it is changed to out of place if native
 * would crash in place, or if the buffer is in device memory. A collective with one buffer is not
 * changed: the same bytes arrive in it again. Returns false if out of memory. Local. */
bool allfold_redirect(struct allfold_call *call, const struct allfold_communicator *state,
                      void **memory, size_t *memory_bytes);

/* Makes *beside the native call that does the same as `call`, which has not run yet. Its result
 * goes to *memory, which grows by allfold_reserve; a broadcast uses the program's buffer. Returns
 * false on all ranks if a rank is out of memory, or its MPI library lacks the function. Collective
 * over the communicator. */
bool allfold_native_beside(const struct allfold_call *call, struct allfold_communicator *state,
                           void **memory, size_t *memory_bytes, struct allfold_call *beside);

/* Measures the time of such a call, which all ranks begin at the same time. Returns a negative
 * number if it failed on this rank. Collective over the communicator. */
double allfold_time_native(const struct allfold_call *beside, struct allfold_communicator *state);

/* Returns whether the result has the same bits for every order of summation. Also true for calls
 * that MPI does not allow: the MPI library reports its own error. */
bool allfold_call_is_exact(const struct allfold_call *call);

/* Checks whether the MPI library may handle a call, for the reason `why`. Returns MPI_SUCCESS if
 * native changes no bit of the result, or if `mode` does not ask for reproducible results. If the
 * user asked for warnings only, prints a warning and returns MPI_SUCCESS. Otherwise returns an
 * error, after the error handler. `state` is NULL if the communicator has none. Local; the result
 * is the same on ranks that know the same of the call. */
int allfold_allow_native(const struct allfold_call *call, const struct allfold_communicator *state,
                         enum allfold_reproducible mode, const char *why);

/* Returns the mode of a communicator, or that of the job if `state` is NULL. */
enum allfold_reproducible allfold_reproducible_of(const struct allfold_communicator *state);

/* Returns whether the call is a sum of float, double, or complex numbers of these. */
bool allfold_adds_floating_point(const struct allfold_call *call);

/* Returns whether the call is such a sum on two ranks that must be exact. Then any order of
 * summation is exact, because each element is rounded once. Returns false if `state` is NULL. */
bool allfold_sum_rounds_once(const struct allfold_call *call,
                             const struct allfold_communicator *state,
                             enum allfold_reproducible mode);

/* Returns whether the result depends on the order of summation, apart from NaN and the sign of
 * zero. */
bool allfold_rounds(const struct allfold_call *call);

/* Like allfold_allow_native, for a call that the user asked to sum exactly, but that no exact sum
 * can handle, so that its rounding depends on the order of summation. */
int allfold_allow_rounding(const struct allfold_call *call,
                           const struct allfold_communicator *state,
                           enum allfold_reproducible mode);

/* Warns, once, that a forced algorithm sums in another order; `why` is the whole message. */
void allfold_warn_of_brackets(const char *why);

#endif
