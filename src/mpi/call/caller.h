/* The part of a communicator's state that blocking calls work with, which go one at a time. */
#ifndef ALLFOLD_MPI_CALLER_H
#define ALLFOLD_MPI_CALLER_H

#include "mpi/call/cache.h"
#include "mpi/call/call.h"
#include "mpi/call/sampling.h"
#include "mpi/communicator/communicator.h"
#include "mpi/device/feeding.h"
#include "mpi/handles/operands.h"

/* The last call, where another one like it needs nothing found out again: see collective.c. */
struct allfold_repeat {
    struct allfold_entry *entry; /* NULL: there is none */
    enum allfold_collective collective;
    int root;
    size_t count, send_count;
    MPI_Datatype datatype, send_datatype;
    MPI_Op op;
    bool in_place, has_buffers, has_one_buffer;
    ptrdiff_t own_bytes;        /* where this rank's block lies in a result of blocks */
    struct allfold_call blocks; /* where these have any lengths, with a copy of its counts */
    int p;
    uint64_t *left;                 /* calls like it until the guard must count one itself */
    struct allfold_binding binding; /* of whatever run was last, also where there is no repeat */
};

/* A shape whose calls the guard counts: see guard.h. */
struct allfold_guarded {
    uint64_t left;      /* calls until the ranks agree on it again */
    uint64_t due;       /* how many calls that one is counted from the first */
    uint64_t others;    /* calls of other shapes until one of them gets the slot, as of ... */
    uint64_t others_at; /* ... this number of calls of the slot's own shape */
    struct allfold_shape_key key; /* not in place */
    enum { ALLFOLD_SLOT_EMPTY, ALLFOLD_SLOT_NEW, ALLFOLD_SLOT_OPEN, ALLFOLD_SLOT_CLOSED } state;
    bool has_switched;                 /* to `algorithm`; the slot is then the shape's for good */
    enum allfold_choice_source source; /* of the choice before any switch */
    const struct allfold_algorithm *algorithm; /* that serves the shape; NULL: native */
    struct allfold_parameters parameters;
    const struct allfold_simulated_row *row; /* with the choice's runner-up; NULL: there is none */
    double call_s, agreement_s;    /* what this rank's last ones took, since the ranks agreed */
    struct allfold_looked *looked; /* see guard.c; NULL: nobody looked yet */
};

/* Memory of an exact sum (exact_sum.h). */
struct allfold_exact_memory {
    void *planes, *counts; /* integers; how many of each rank's block go in a round */
    size_t planes_bytes, counts_bytes;
    void *results; /* of a rank whose buffer still has input */
    size_t results_bytes;
};

/* What exact sums need beside the calls that serve them; see exact.h. */
struct allfold_exact {
    bool is_busy;                     /* the call is one of those */
    struct allfold_operands operands; /* of the sum; the calls have integers */
    struct allfold_staging staging;
    void *packed; /* see request.h */
    size_t packed_bytes;
    struct allfold_exact_memory memory;
};

enum { ALLFOLD_GUARDED = 16 };

struct allfold_caller {
    struct allfold_repeat repeat;
    struct allfold_operands operands; /* of the last call */
    struct allfold_cache cache;
    struct allfold_guarded guarded[ALLFOLD_GUARDED];
    struct allfold_sampling sampling;
    uint64_t never;              /* the `left` of shapes that are not guarded */
    struct allfold_entry *trial; /* serves the calls of a look of the guard's; NULL: no look */
    void *scratch;               /* of whatever run is on */
    size_t scratch_bytes;
    void *packed; /* data packed for messages, if the program's datatype has gaps */
    size_t packed_bytes;
    void *beside; /* the result of a native call beside ours */
    size_t beside_bytes;
    void *counts; /* of the last call's blocks, where these have any lengths */
    size_t counts_bytes;
    char tokens[2]; /* a barrier's input and result */
    struct allfold_exact exact;
    struct allfold_staging staging;  /* of buffers in a device's memory */
    struct allfold_feeding *feeding; /* likewise; NULL: none yet */

    /* Where such blocks begin: p + 1 for the last call, and as many for an exact sum. They are
     * there from the start, as a rank that had no memory for them could not know which run it
     * misses. */
    size_t begins[];
};

static inline struct allfold_caller *allfold_caller_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_CALL];
}

#endif
