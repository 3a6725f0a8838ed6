/* An exact sum as a row of reductions of integers (kernels/exact.h), whoever makes them: a blocking
 * call or a plan.
 *
 * A vector is cut into segments, so that memory is bounded, and a segment into blocks of numbers.
 * In each segment the ranks first agree on what its blocks need, by the greatest of their needs.
 * Then they confirm that all of them know it. Each rank then writes its blocks as integers, which
 * add in any order. These go in rounds, all of one shape, and the sums are rounded where a rank has
 * all integers of a block.
 *
 * Invariant: all memory is there before the first message, and the first agreement says so. A rank
 * that lacks memory or data tells the others there, and all end with an error.
 *
 * Invariant: what is sent depends on the vector's length, the type, p and the agreed needs alone.
 * So a rank that loses the needs cannot go on, and says so when the ranks confirm them. A rank that
 * loses what the others confirm knows the needs and goes on. One lost message therefore leaves no
 * rank waiting. With one more lost in the same segment some ranks may stop and others go on: f
 * faults need f + 1 agreements (Fischer and Lynch 1982).
 */
#ifndef ALLFOLD_MPI_EXACT_SUM_H
#define ALLFOLD_MPI_EXACT_SUM_H

#include "kernels/exact.h"
#include "mpi/call/call.h"
#include "mpi/call/request.h"

enum { ALLFOLD_EXACT_BLOCKS = 128 /* of a segment */ };

enum allfold_exact_step {
    ALLFOLD_EXACT_NEEDS,   /* an allreduce of what the blocks need */
    ALLFOLD_EXACT_CONFIRM, /* an allreduce: does any rank not know it? */
    ALLFOLD_EXACT_PLANES,  /* a reduction of integers, like the sum's */
    ALLFOLD_EXACT_END
};

/* Numbers of a segment that are still to come. */
struct allfold_exact_walk {
    size_t at;         /* numbers of the segment before them */
    size_t first, end; /* they themselves, of one part */
};

/* The parts of a vector are the ranks' blocks of the result, or one for all. A complex element is
 * two numbers. */
struct allfold_exact_sum {
    const struct allfold_request *request; /* of the sum, whose buffers are taken */
    struct allfold_exact_memory *memory;
    enum allfold_type type; /* of the numbers */
    size_t number_bytes, per_element;
    int parts, own;            /* `own`: whose sums this rank gets */
    bool has_result, is_fixed; /* `is_fixed`: the rounds' shape does not depend on the needs */
    int lost;                  /* not 0: this rank has no data or no memory, or a call failed */
    int16_t stops;             /* 1: this rank cannot go on; once confirmed: some rank cannot */
    size_t block, segments;    /* numbers of a block; number of segments */
    enum allfold_exact_step step;
    size_t segment, round, rounds;      /* `round`: of a segment */
    size_t single;                      /* integers of a round where there is one part */
    size_t window;                      /* of all parts */
    struct allfold_exact_walk to_round; /* what this rank has still to round */
    size_t carried; /* integers of earlier rounds, of a block that is not whole */
    struct allfold_exact_need needs[ALLFOLD_EXACT_BLOCKS];
};

/* Is it a sum of floating point that is to be exact in this mode, and needs integers for it? */
bool allfold_exact_is_wanted(const struct allfold_call *call,
                             const struct allfold_communicator *state,
                             enum allfold_reproducible mode);

/* Describes the sum of a request that was read; false where it is none of floating point. */
bool allfold_exact_describe(struct allfold_exact_sum *sum, const struct allfold_request *request,
                            struct allfold_exact_memory *memory);

/* Numbers of the vector, of all parts. */
size_t allfold_exact_length(const struct allfold_exact_sum *sum);

/* How many numbers of the vector this rank gets the sums of, from *first on. */
size_t allfold_exact_own(const struct allfold_exact_sum *sum, size_t *first);

/* Takes memory for the sum. False without it: then `lost` is set. */
bool allfold_exact_reserve(struct allfold_exact_sum *sum);

/* The call over integers that a step makes, of a sum that has its memory. Those of a sum with
 * `is_fixed` differ by their buffers alone. */
struct allfold_call allfold_exact_call(struct allfold_exact_sum *sum, enum allfold_exact_step step);

/* The first step, and the one after the call of a step, which gave `error`. After
 * ALLFOLD_EXACT_END, `lost` is what the sum ends with. Local. */
enum allfold_exact_step allfold_exact_first(struct allfold_exact_sum *sum);
enum allfold_exact_step allfold_exact_next(struct allfold_exact_sum *sum, int error);

void allfold_exact_memory_free(struct allfold_exact_memory *memory);

#endif
