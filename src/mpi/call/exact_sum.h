/* An exact sum as a row of calls over integers or bytes (kernels/exact_format.h), whoever makes
 * them: a blocking call or a plan (exact_plan.h).
 *
 * Of short vectors all ranks gather all numbers, and add what they get themselves. No other message
 * follows, so a rank that loses a message may return an error: no other rank waits for it.
 *
 * A longer vector is cut into segments, so that memory is bounded, and a segment into blocks of
 * numbers. In each segment the ranks first agree on what its blocks need, by the greatest of their
 * needs. Then they confirm that all of them know it. Each rank then writes its blocks as integers,
 * which add in any order. These go in rounds, all of one shape, and the sums are rounded where a
 * rank has all integers of a block.
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
#ifndef ALLFOLD_MPI_CALL_EXACT_SUM_H
#define ALLFOLD_MPI_CALL_EXACT_SUM_H

#include "kernels/exact_format.h"
#include "mpi/call/call.h"
#include "mpi/call/prepared.h"

enum { ALLFOLD_EXACT_BLOCKS = 128 /* of a segment */ };

enum allfold_exact_step {
    ALLFOLD_EXACT_NEEDS,   /* an allreduce of what the blocks need */
    ALLFOLD_EXACT_CONFIRM, /* an allreduce: does any rank not know it? */
    ALLFOLD_EXACT_PLANES,  /* a reduction of integers, like the sum's */
    ALLFOLD_EXACT_GATHER,  /* an allgather, which is the only step of a short sum */
    ALLFOLD_EXACT_END,
    ALLFOLD_EXACT_FIXED =
        ALLFOLD_EXACT_GATHER /* so many steps are those of a sum with `is_fixed` */
};

/* Memory of a sum, which stays for the next one. */
struct allfold_exact_memory {
    void *planes, *counts; /* integers; how many of each rank's block go in a round */
    size_t planes_bytes, counts_bytes;
    void *results; /* of a rank whose buffer still has input */
    size_t results_bytes;
};

/* The numbers of all ranks where the sum is short. */
struct allfold_exact_gathered {
    _Alignas(double) char bytes[16 << 10];
};

/* Numbers of a segment that are still to come. */
struct allfold_exact_walk {
    size_t at;         /* numbers of the segment before them */
    size_t first, end; /* they themselves, of one part */
};

/* The parts of a vector are the ranks' blocks of the result, or one for all. A complex element is
 * two numbers. */
struct allfold_exact_sum {
    const struct allfold_prepared *prepared; /* the sum's call, whose buffers are taken */
    struct allfold_exact_memory *memory;
    struct allfold_exact_gathered *gathered; /* room for a short sum; NULL: it goes in rounds */
    enum allfold_type type;                  /* of the numbers */
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

/* Describes the sum of a call that was read; false where it is none of floating point. */
bool allfold_exact_describe(struct allfold_exact_sum *sum, const struct allfold_prepared *prepared,
                            struct allfold_exact_memory *memory);

/* Takes memory for the rounds of the sum. False without it: then `lost` is set. */
bool allfold_exact_reserve(struct allfold_exact_sum *sum);

/* The call over integers that a step makes, of a sum that has its memory. Those of a sum with
 * `is_fixed` differ by their buffers alone. */
struct allfold_call allfold_exact_call(struct allfold_exact_sum *sum, enum allfold_exact_step step);

/* The first step, and the one after the call of a step, which gave `error`. A sum that may be
 * gathered takes its memory in the first one, if it needs any. After ALLFOLD_EXACT_END, `lost` is
 * what the sum ends with. Local. */
enum allfold_exact_step allfold_exact_first(struct allfold_exact_sum *sum);
enum allfold_exact_step allfold_exact_next(struct allfold_exact_sum *sum, int error);

void allfold_exact_memory_free(struct allfold_exact_memory *memory);

#endif
