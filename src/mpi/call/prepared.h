/* A prepared call: a call that is ours to serve, all that was found out about it, and all that its
 * runs need: entry, operands, scratch and other memory, which stays for the next run or call.
 *
 * A communicator has one for its blocking calls, which go one at a time; each plan has its own; and
 * so has each step of an exact sum (exact_plan.h). All pass the same functions:
 *
 *     allfold_prepared_read    describes and checks the call
 *     allfold_prepared_make    chooses and builds; blocking calls look into a cache first (entry.h)
 *     allfold_prepared_place   makes room for the runs (run.h)
 *     allfold_prepared_pack    before each run
 *     allfold_prepared_start   does not wait (run.h; of what may be an exact sum, see exact_plan.h)
 *     allfold_prepared_unpack  when the run has ended
 *
 * Data that is moved and not reduced travels as bytes, because ranks may describe one signature by
 * different types. Data that does not lie in memory as it travels is packed before and unpacked
 * afterwards. Data in a device's memory is staged before packing, and copied back after
 * unpacking. */
#ifndef ALLFOLD_MPI_CALL_PREPARED_H
#define ALLFOLD_MPI_CALL_PREPARED_H

#include "mpi/call/cache.h"
#include "mpi/call/call.h"
#include "mpi/communicator/communicator.h"
#include "mpi/device/staging_pipeline.h"
#include "mpi/handles/operands.h"

struct allfold_exact;
struct allfold_lane;

/* One buffer of data that is moved. */
struct allfold_side {
    void *data;
    size_t count;
    MPI_Datatype datatype;
    bool is_packed; /* it is there, and its elements do not lie in memory as they travel */
};

struct allfold_prepared {
    struct allfold_call call;
    struct allfold_communicator *state;
    enum allfold_reproducible reproducible; /* what its sums are to be */

    /* Read from the call, like the binding's `in` and `out`. */
    size_t count;         /* the problem's: of elements, or bytes where data is moved */
    const size_t *begins; /* of each block, in the same unit; NULL if all have the same length */
    bool in_place;
    struct allfold_side from, to; /* of data that is moved */
    struct allfold_operands operands;

    enum allfold_sparse_mode sparse; /* of its runs, where there is a code for them */
    struct allfold_entry *entry;     /* that serves it; NULL: none yet, or native */
    const char *why_native;      /* of a blocking call: why the MPI library serves it, or NULL */
    struct allfold_exact *exact; /* an exact sum, whose steps a run consists of; else NULL */
    struct allfold_lane *lane;   /* of its messages; NULL: that of blocking calls */
    struct allfold_binding binding;

    bool is_staged; /* the binding's buffers and the sides are in memory of ours */
    struct allfold_staging staging;
    struct allfold_feeding *feeding; /* NULL: none yet */
    char tokens[2];                  /* a barrier's input and result */
    void *scratch;
    void *packed; /* data packed for messages, if the program's datatype has gaps */
    void *blocks; /* where blocks of any lengths begin: p + 1 */
    void *counts; /* the call's own copy of theirs */
    size_t scratch_bytes, packed_bytes, blocks_bytes, counts_bytes;
};

/* Begins to prepare a call that outlasts the program's arrays of counts, which it copies, and makes
 * room for where its blocks begin. The struct is zeroed but for `state`, `reproducible` and
 * `sparse`, or described the last time. False without memory. */
bool allfold_prepared_describe(struct allfold_prepared *prepared, const struct allfold_call *call);

/* Takes the call for ours; then *why is NULL, and else says why not. */
bool allfold_prepared_read(struct allfold_prepared *prepared, const char **why);

/* Is that reason that its arguments are not clearly right, so that MPI is to say what is wrong? */
bool allfold_is_doubtful(const char *why);

/* Looks again at the buffers alone of a call that was read before; false where they are not clearly
 * right. Local, and allocates nothing. */
bool allfold_prepared_take_buffers(struct allfold_prepared *prepared);

/* The shape of a call that was read. */
struct allfold_shape_key allfold_prepared_key(const struct allfold_prepared *prepared);

/* Before a run: stages what is in a device's memory, and packs what is moved into contiguous bytes.
 * If that fails, the run goes without data, as other ranks wait for it. Copies may go on during the
 * run. After the run, which may have failed with `error`: back. Returns an MPI error code, the
 * run's where that is an error. Local. */
void allfold_prepared_pack(struct allfold_prepared *prepared);
int allfold_prepared_unpack(struct allfold_prepared *prepared, int error);

/* Gives back the memory, but entry and steps. */
void allfold_prepared_free(struct allfold_prepared *prepared);

/* Elements of this rank's result of a reduction. */
size_t allfold_prepared_own_count(const struct allfold_prepared *prepared);

/* Do the handles of a call that was read stay what they are, and its data lie as they travel? */
bool allfold_prepared_lasts(const struct allfold_prepared *prepared);

/* Is a buffer of a call with elements of MPI's own types a device's? */
bool allfold_call_is_on_device(const struct allfold_call *call);

#endif
