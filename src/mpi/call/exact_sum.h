/* The steps of an exact sum (kernels/exact_format.h): collectives over integers or bytes that a
 * blocking call or a plan (exact_plan.h) makes one after the other.
 *
 * Short vectors: all ranks gather the numbers of all ranks, and each adds the numbers of its
 * result. No other message follows, so a rank that loses a message may return an error: no other
 * rank waits for it.
 *
 * Longer vectors are cut into segments, so that memory is bounded, and segments into blocks of
 * numbers. In each segment the ranks first agree on the integer format that each block needs, the
 * maximum of what the ranks need. Then they confirm that all of them know it. Each rank then writes
 * its blocks as integers, which can be added in any order. Blocks are added in rounds, all of the
 * same shape, and a sum is rounded on a rank when the rank has all integers of a block.
 *
 * Invariant: all memory is there before the first message, and the first agreement says so. A rank
 * that lacks memory or data announces this in the agreement, and all ranks end with an error.
 *
 * Invariant: the messages depend on the vector's length, the type, p and the agreed needs alone. So
 * a rank that loses the needs cannot go on, and announces this when the ranks confirm them. A rank
 * that loses the confirmation knows the needs and goes on. One lost message therefore leaves no
 * rank waiting. With one more lost in the same segment some ranks may stop and others go on: f
 * faults need f + 1 agreements (Fischer and Lynch 1982). */
#ifndef ALLFOLD_MPI_CALL_EXACT_SUM_H
#define ALLFOLD_MPI_CALL_EXACT_SUM_H

#include "kernels/exact_format.h"
#include "mpi/call/call.h"
#include "mpi/call/prepared.h"

enum { ALLFOLD_EXACT_BLOCKS = 128 /* in a segment */ };

enum allfold_exact_step {
    ALLFOLD_EXACT_NEEDS,   /* an allreduce of what the blocks need */
    ALLFOLD_EXACT_CONFIRM, /* an allreduce: does any rank not know the needs? */
    ALLFOLD_EXACT_PLANES,  /* a reduction of integers, by the collective of the sum */
    ALLFOLD_EXACT_GATHER,  /* an allgather, the only step of a short sum */
    ALLFOLD_EXACT_END,
    ALLFOLD_EXACT_FIXED = ALLFOLD_EXACT_GATHER /* number of steps of a sum with `is_fixed` */
};

/* Memory of a sum, which is kept for the next one. */
struct allfold_exact_memory {
    /* The integers; for each rank the number of its block's integers in a round. */
    void *planes, *counts;
    size_t planes_bytes, counts_bytes;
    void *results; /* sums of a rank whose buffer still has input */
    size_t results_bytes;
};

/* The numbers of all ranks, for a short sum. */
struct allfold_exact_gathered {
    _Alignas(double) char bytes[16 << 10];
};

/* Numbers of a segment that are still to be handled. */
struct allfold_exact_walk {
    size_t at;         /* offset of these numbers in the segment */
    size_t first, end; /* [first, end) in one part of the vector */
};

/* The state of an exact sum. The parts of a vector are the ranks' blocks of the result, or the
 * whole vector. A complex element is two numbers. */
struct allfold_exact_sum {
    const struct allfold_prepared *prepared; /* the sum's call, with its buffers */
    struct allfold_exact_memory *memory;
    /* Memory for a short sum; NULL: the sum goes in rounds. */
    struct allfold_exact_gathered *gathered;
    enum allfold_type type; /* of the numbers */
    size_t number_bytes, per_element;
    int parts, own; /* `own`: the part whose sums this rank gets */
    /* `is_fixed`: the shape of the rounds does not depend on the needs. */
    bool has_result, is_fixed;
    int lost;      /* error code: this rank has no data or no memory, or a call failed; 0: none */
    int16_t stops; /* 1: this rank cannot go on; after the confirmation: some rank cannot */
    size_t block, segments; /* numbers of a block; number of segments */
    enum allfold_exact_step step;
    size_t segment, round, rounds;      /* `round`: in the segment */
    size_t single;                      /* integers of a round if there is one part */
    size_t window;                      /* integers of a round, of all parts */
    struct allfold_exact_walk to_round; /* numbers that this rank has still to round */
    size_t carried; /* integers of earlier rounds that belong to an incomplete block */
    struct allfold_exact_need needs[ALLFOLD_EXACT_BLOCKS];
};

/* Returns whether the call is a floating-point sum that must be exact in this mode and needs
 * integers for it. */
bool allfold_exact_is_wanted(const struct allfold_call *call,
                             const struct allfold_communicator *state,
                             enum allfold_reproducible mode);

/* Describes the sum of a call that was read. Returns false if it is no floating-point sum. */
bool allfold_exact_describe(struct allfold_exact_sum *sum, const struct allfold_prepared *prepared,
                            struct allfold_exact_memory *memory);

/* Makes memory for the rounds of the sum. Returns false if out of memory; then `lost` is set. */
bool allfold_exact_reserve(struct allfold_exact_sum *sum);

/* Returns the call over integers of a step. The sum must have its memory. The calls of a sum with
 * `is_fixed` differ by their buffers alone. */
struct allfold_call allfold_exact_call(struct allfold_exact_sum *sum, enum allfold_exact_step step);

/* Return the first step, and the step after the present one, whose call returned `error`. The first
 * step of a sum that may be gathered takes the memory that it needs. After ALLFOLD_EXACT_END,
 * `lost` is the result of the sum. Local. */
enum allfold_exact_step allfold_exact_first(struct allfold_exact_sum *sum);
enum allfold_exact_step allfold_exact_next(struct allfold_exact_sum *sum, int error);

void allfold_exact_memory_free(struct allfold_exact_memory *memory);

#endif
