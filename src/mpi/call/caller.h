/* The state of a communicator's blocking calls, its part ALLFOLD_PART_CALL. Only one blocking call
 * runs at a time. */
#ifndef ALLFOLD_MPI_CALL_CALLER_H
#define ALLFOLD_MPI_CALL_CALLER_H

#include "mpi/arrivals/missing_ranks.h"
#include "mpi/call/exact_sum.h"
#include "mpi/call/observer.h"
#include "mpi/call/prepared.h"

/* What is known of the last prepared call, if it has an entry. A call that differs from it by its
 * buffers alone then needs no lookup (collective.c). */
struct allfold_repeat {
    bool has_buffers, has_one_buffer;
    ptrdiff_t own_bytes; /* offset of this rank's block in a result that consists of blocks */
    uint64_t *left;      /* number of such calls until the guard must count one (guard.h) */
};

/* A shape whose calls the guard counts: see guard.h. */
struct allfold_guarded {
    uint64_t left;      /* calls until the ranks agree on the shape again */
    uint64_t due;       /* number of that call, counted from the first call of the shape */
    uint64_t others;    /* calls of other shapes until one of them gets the slot */
    uint64_t others_at; /* calls of the slot's own shape when `others` was set */
    struct allfold_shape_key key; /* in_place is false */
    enum { ALLFOLD_SLOT_EMPTY, ALLFOLD_SLOT_NEW, ALLFOLD_SLOT_OPEN, ALLFOLD_SLOT_CLOSED } state;
    bool has_switched; /* the guard switched the shape to `algorithm`; its slot is kept */
    enum allfold_choice_source source;         /* of the choice before a switch */
    const struct allfold_algorithm *algorithm; /* runs the shape's calls; NULL: native */
    struct allfold_parameters parameters;
    const struct allfold_simulated_row *row; /* has the choice's runner-up; NULL: there is none */
    double begin_s; /* of a call that is due: time when the ranks had agreed */
    /* Times of this rank's last call and last agreement, since the ranks agreed. */
    double call_s, agreement_s;
    struct allfold_looked *looked; /* measurements, see guard.c; NULL: none so far */
};

enum { ALLFOLD_GUARDED = 16 };

enum { ALLFOLD_SAMPLED_SHAPES = 64 };

struct allfold_sampled {
    uint64_t hash; /* of the shape; 0: the slot is empty */
    uint32_t calls, samples;
};

/* State of the comparison with native: see comparison.h. */
struct allfold_compared {
    struct allfold_sampled shapes[ALLFOLD_SAMPLED_SHAPES];
    void *result; /* results of native calls that are compared with Allfold's */
    size_t result_bytes;

    /* The present run. */
    enum { ALLFOLD_COMPARES_NOTHING, ALLFOLD_COMPARES_TIMES, ALLFOLD_COMPARES_BITS } what;
    struct allfold_call native;
    bool has_native;
    uint32_t sample_number; /* of its shape */
    double begin_s, native_s;
    double took_s; /* time of the last run since the guard looked; -1: none was measured */
};

struct allfold_caller {
    struct allfold_prepared prepared; /* the last call */
    struct allfold_repeat repeat;     /* for calls that repeat the last one */
    struct allfold_observers observers;
    struct allfold_prepared step; /* the last step of an exact sum */
    struct allfold_exact_memory exact;
    struct allfold_cache cache;

    /* The present call, and what observers keep. */
    uint64_t begun; /* begin of the call, in ticks; 0: the clock was not read */
    struct allfold_watch watch;
    struct allfold_shape_key key;
    struct allfold_guarded *slot; /* of the call's shape, if it is guarded; else NULL */
    struct allfold_guarded guarded[ALLFOLD_GUARDED];
    uint64_t never; /* used as `left` by shapes that are not guarded */
    struct allfold_compared compared;

    /* The `blocks` of `prepared` and `step`. They are allocated with the state: a rank that had no
     * memory for them later could not know which run it misses. */
    size_t begins[];
};

static inline struct allfold_caller *allfold_caller_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_CALL];
}

/* Returns whether this is the call that the program made, and not a step of its exact sum. */
static inline bool allfold_is_programs_call(const struct allfold_prepared *prepared)
{
    return prepared == &allfold_caller_of(prepared->state)->prepared;
}

#endif
