/* The part of a communicator's state that blocking calls work with, which go one at a time. */
#ifndef ALLFOLD_MPI_CALL_CALLER_H
#define ALLFOLD_MPI_CALL_CALLER_H

#include "mpi/arrivals/arrivals.h"
#include "mpi/call/exact_sum.h"
#include "mpi/call/observer.h"
#include "mpi/call/prepared.h"

/* What is known of the call that was prepared last, if it has an entry: another one that differs by
 * its buffers alone then needs nothing found out again (collective.c). */
struct allfold_repeat {
    bool has_buffers, has_one_buffer;
    ptrdiff_t own_bytes; /* where this rank's block lies in a result of blocks */
    uint64_t *left;      /* calls like it until the guard must count one itself (guard.h) */
};

/* A shape whose calls the guard counts: see guard.h. */
struct allfold_guarded {
    uint64_t left;                /* calls until the ranks agree on it again */
    uint64_t due;                 /* how many calls that one is counted from the first */
    uint64_t others;              /* calls of other shapes until one of them gets the slot */
    uint64_t others_at;           /* calls of the slot's own shape when `others` was set */
    struct allfold_shape_key key; /* not in place */
    enum { ALLFOLD_SLOT_EMPTY, ALLFOLD_SLOT_NEW, ALLFOLD_SLOT_OPEN, ALLFOLD_SLOT_CLOSED } state;
    bool has_switched;                 /* to `algorithm`; the slot is then the shape's for good */
    enum allfold_choice_source source; /* of the choice before any switch */
    const struct allfold_algorithm *algorithm; /* that serves the shape; NULL: native */
    struct allfold_parameters parameters;
    const struct allfold_simulated_row *row; /* with the choice's runner-up; NULL: there is none */
    double begin_s;                          /* of a call that is due, when the ranks have agreed */
    double call_s, agreement_s;    /* what this rank's last ones took, since the ranks agreed */
    struct allfold_looked *looked; /* see guard.c; NULL: nobody looked yet */
};

enum { ALLFOLD_GUARDED = 16 };

enum { ALLFOLD_SAMPLED_SHAPES = 64 };

struct allfold_sampled {
    uint64_t hash; /* of the shape; 0: the place is empty */
    uint32_t calls, samples;
};

/* What is compared with native: see comparison.h. */
struct allfold_compared {
    struct allfold_sampled shapes[ALLFOLD_SAMPLED_SHAPES];
    void *result; /* of native calls beside ours */
    size_t result_bytes;

    /* The run that is on. */
    enum { ALLFOLD_COMPARES_NOTHING, ALLFOLD_COMPARES_TIMES, ALLFOLD_COMPARES_BITS } what;
    struct allfold_call native;
    bool has_native;
    uint32_t sample_number; /* of its shape */
    double begin_s, native_s;
    double took_s; /* by the last run since the guard looked; -1: none was compared */
};

struct allfold_caller {
    struct allfold_prepared prepared; /* the last call */
    struct allfold_repeat repeat;     /* of the last call */
    struct allfold_observers observers;
    struct allfold_prepared step; /* the last step of an exact sum */
    struct allfold_exact_memory exact;
    struct allfold_cache cache;

    /* The call that is on, and what observers keep of it and of others. */
    uint64_t begun; /* when it began, in ticks; 0: the clock was not read */
    struct allfold_watch watch;
    struct allfold_shape_key key;
    struct allfold_guarded *slot; /* of its shape, where that is guarded; else NULL */
    struct allfold_guarded guarded[ALLFOLD_GUARDED];
    uint64_t never; /* the `left` of shapes that are not guarded */
    struct allfold_compared compared;

    /* The `blocks` of both prepared calls. They are there from the start, as a rank that had no
     * memory for them could not know which run it misses. */
    size_t begins[];
};

static inline struct allfold_caller *allfold_caller_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_CALL];
}

/* Is it the call that the program made, and not a step of its exact sum? */
static inline bool allfold_is_programs_call(const struct allfold_prepared *prepared)
{
    return prepared == &allfold_caller_of(prepared->state)->prepared;
}

#endif
