/* Requests: a call that is ours to serve, and all that was found out about it.
 *
 * Data that is moved and not reduced travels as bytes, because ranks may describe one signature by
 * different types. Data that does not lie in memory as it travels is packed before and unpacked
 * afterwards. Data in a device's memory is staged before packing, and copied back after
 * unpacking. */
#ifndef ALLFOLD_MPI_REQUEST_H
#define ALLFOLD_MPI_REQUEST_H

#include "mpi/call/caller.h"
#include "mpi/call/call.h"
#include "mpi/device/feeding.h"

/* One buffer of data that is moved. */
struct allfold_side {
    void *data;
    size_t count;
    MPI_Datatype datatype;
    bool is_packed; /* it is there, and its elements do not lie in memory as they travel */
};

struct allfold_request {
    const struct allfold_call *call;
    struct allfold_communicator *state;

    /* Working memory: the communicator's for blocking calls, the plan's own for plans. */
    struct allfold_operands *operands;
    void **packed;
    size_t *packed_bytes;
    size_t *blocks; /* room for where blocks of any lengths begin: p + 1 */
    char *tokens;
    struct allfold_staging *staging;
    struct allfold_feeding **feeding;

    struct allfold_feed *feed; /* of the run in hand; NULL: none */
    bool is_staged;            /* `in`, `out` and the sides are in memory of ours */
    const void *in;
    void *out;
    size_t count;         /* the problem's: of elements, or bytes where data is moved */
    const size_t *begins; /* the problem's, likewise; NULL where all blocks are alike */
    bool in_place;
    enum allfold_reproducible reproducible; /* what its sums are to be */
    struct allfold_side from, to;           /* of data that is moved */
};

/* A request that works in the communicator's own memory. */
struct allfold_request allfold_request_of(const struct allfold_call *call,
                                          struct allfold_communicator *state);

/* Takes a call for ours; else *why says why not. */
bool allfold_request_read(struct allfold_request *request, const char **why);

/* Is that reason that its arguments are not clearly right, so that MPI is to say what is wrong? */
bool allfold_request_is_doubtful(const char *why);

/* Looks again at the buffers alone of a call that was taken before; false where they are not
 * clearly right. Local, and allocates nothing. */
bool allfold_request_take_buffers(struct allfold_request *request);

/* The shape that a request which was taken is. */
struct allfold_shape_key allfold_request_key(const struct allfold_request *request);

/* Before a run: stages what is in a device's memory, and packs what is moved into contiguous bytes.
 * With the run's schedule, copies may go on during the run: then `feed` is for the run's binding.
 * After the run, which may have failed: back. Return an MPI error code, the second one the run's
 * where that is an error. Local. */
int allfold_request_pack(struct allfold_request *request, const struct allfold_schedule *schedule);
int allfold_request_unpack(struct allfold_request *request, int error);

/* Elements of this rank's result of a reduction. */
size_t allfold_request_own_count(const struct allfold_request *request);

/* Is a buffer of a call with elements of MPI's own types a device's? */
bool allfold_request_is_on_device(const struct allfold_call *call);

#endif
