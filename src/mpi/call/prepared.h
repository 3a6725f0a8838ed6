/* A prepared call: a call that Allfold handles, what was found out about it, and what its runs
 * need: entry, operands, scratch and other memory, which is kept for the next run or call.
 *
 * A communicator has one for its blocking calls, of which only one runs at a time. Each plan has
 * its own, and so has each step of an exact sum (exact_plan.h). All of them go through these
 * functions:
 *
 *     allfold_prepared_read    describes and checks the call
 *     allfold_prepared_make    chooses and builds; blocking calls look into a cache first (entry.h)
 *     allfold_prepared_place   makes memory for the runs (run.h)
 *     allfold_prepared_pack    before each run
 *     allfold_prepared_start   starts a run without waiting (run.h; for plans see exact_plan.h)
 *     allfold_prepared_unpack  when the run has ended
 *
 * Data that is moved and not reduced travels as bytes, because ranks may describe one type
 * signature by different datatypes. Data that is not contiguous is packed before a run and unpacked
 * afterwards. Data in device memory is staged before packing, and copied back after unpacking. */
#ifndef ALLFOLD_MPI_CALL_PREPARED_H
#define ALLFOLD_MPI_CALL_PREPARED_H

#include "mpi/call/cache.h"
#include "mpi/call/call.h"
#include "mpi/communicator/communicator.h"
#include "mpi/device/staging_pipeline.h"
#include "mpi/handles/operands.h"

struct allfold_exact;
struct allfold_lane;

/* One buffer of a collective that moves data. */
struct allfold_side {
    void *data;
    size_t count;
    MPI_Datatype datatype;
    bool is_packed; /* the buffer is used, and its elements have gaps in memory */
};

struct allfold_prepared {
    struct allfold_call call;
    struct allfold_communicator *state;
    enum allfold_reproducible reproducible; /* mode of its sums */

    /* Read from the call, like `in` and `out` of the binding. */
    size_t count;         /* of the problem: elements, or bytes if data is moved */
    const size_t *begins; /* offset of each block, in the unit of `count`; NULL if all blocks have
                             the same length */
    bool in_place;
    struct allfold_side from, to; /* used if data is moved */
    struct allfold_operands operands;

    /* Mode of the runs, if there is a run-length code for the elements. */
    enum allfold_sparse_mode sparse;
    struct allfold_entry *entry; /* NULL: none yet, or the call is native */
    const char *why_native;      /* of a blocking call: why the MPI library handles it, or NULL */
    struct allfold_exact *exact; /* the steps of an exact sum; else NULL */
    struct allfold_lane *lane;   /* NULL: the lane of blocking calls */
    struct allfold_binding binding;

    bool is_staged; /* the buffers in `binding`, `from` and `to` are staged copies */
    struct allfold_staging staging;
    struct allfold_feeding *feeding; /* NULL: not made yet */
    char tokens[2];                  /* input and result of a barrier */
    void *scratch;
    void *packed; /* packed data, if the program's datatype has gaps */
    void *blocks; /* p + 1 offsets of blocks of any lengths */
    void *counts; /* the call's own copy of counts and displacements */
    size_t scratch_bytes, packed_bytes, blocks_bytes, counts_bytes;
};

/* Begins to prepare a call that outlives the program's arrays of counts: copies them, and makes
 * memory for the offsets of its blocks. `prepared` must be zeroed except for `state`,
 * `reproducible` and `sparse`, or have been described before. Returns false if out of memory. */
bool allfold_prepared_describe(struct allfold_prepared *prepared, const struct allfold_call *call);

/* Describes and checks the call. Returns whether Allfold handles it; *why is NULL then, else the
 * reason. */
bool allfold_prepared_read(struct allfold_prepared *prepared, const char **why);

/* Returns whether `why` says that the arguments may be invalid, so that MPI should report what is
 * wrong. */
bool allfold_is_doubtful(const char *why);

/* Checks again the buffers of a call that was read before. Returns false if they may be invalid.
 * Allocates nothing. Local. */
bool allfold_prepared_take_buffers(struct allfold_prepared *prepared);

/* Returns the shape of a call that was read. */
struct allfold_shape_key allfold_prepared_key(const struct allfold_prepared *prepared);

/* Prepare the data before a run, and return it afterwards. allfold_prepared_pack stages buffers in
 * device memory, and packs data that is moved into contiguous bytes. If that fails, the run goes
 * without data, because other ranks wait for it. Copies may go on during the run.
 * allfold_prepared_unpack unpacks and copies back after a run that ended with `error`. Returns
 * `error`, or an MPI error code of its own if that is MPI_SUCCESS. Local. */
void allfold_prepared_pack(struct allfold_prepared *prepared);
int allfold_prepared_unpack(struct allfold_prepared *prepared, int error);

/* Frees the memory, except for entry and steps. */
void allfold_prepared_free(struct allfold_prepared *prepared);

/* Returns the elements of this rank's result of a reduction. */
size_t allfold_prepared_own_count(const struct allfold_prepared *prepared);

/* Returns whether the handles of a call that was read are predefined, and its data are contiguous,
 * so that a later call may reuse them. */
bool allfold_prepared_lasts(const struct allfold_prepared *prepared);

/* Returns whether a buffer of a call with predefined datatypes is in device memory. */
bool allfold_call_is_on_device(const struct allfold_call *call);

#endif
