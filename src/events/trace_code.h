/* The format of traces (docs/trace.md): how a tracer and a reader code the same.
 *
 * A file is ALLFOLD_TRACE_MAGIC, then records: a letter, the payload's length, the payload, and a
 * sum of all three. Numbers are LEB128 varints, signed ones zigzag. Times are nanoseconds.
 *
 * - HEAD, first: the job.
 * - PLACEMENT: the next number of a placement, from 1: where each rank of a communicator is.
 * - SHAPE: the next number of a shape.
 * - CALLS: which shapes were called in turn, the sums of each, and segments that say when.
 * - FULL: the file has reached its bound, so later calls are dropped.
 * - END, last: how many calls there are and were dropped. A file without it is incomplete.
 *
 * The shapes of CALLS are literals and copies: a copy repeats what was called `distance` calls ago,
 * in this record or before. So a loop costs one copy. */
#ifndef ALLFOLD_EVENTS_TRACE_CODE_H
#define ALLFOLD_EVENTS_TRACE_CODE_H

#include "events/traced.h"

#define ALLFOLD_TRACE_MAGIC "allfold trace 2\n"
#define ALLFOLD_TRACE_MAGIC_1 "allfold trace 1\n" /* the same without placements */

enum allfold_trace_record {
    ALLFOLD_TRACE_HEAD = 'H',
    ALLFOLD_TRACE_PLACEMENT = 'P',
    ALLFOLD_TRACE_SHAPE = 'S',
    ALLFOLD_TRACE_CALLS = 'C',
    ALLFOLD_TRACE_FULL = 'F',
    ALLFOLD_TRACE_END = 'E',
};

enum {
    ALLFOLD_TRACE_BACK = 2048,           /* the longest distance of a copy of calls */
    ALLFOLD_TRACE_LIST_BACK = 256,       /* and of a copy in a list */
    ALLFOLD_TRACE_MOST_CALLS = 1 << 16,  /* in a record */
    ALLFOLD_TRACE_SEGMENT = 256,         /* calls of a segment at most */
    ALLFOLD_TRACE_MOST_BYTES = 16 << 20, /* of a payload */
};

/* What is set in a number of flags. */
enum {
    ALLFOLD_TRACE_IS_COMMUTATIVE = 1, /* of a shape */
    ALLFOLD_TRACE_IS_EXACT = 2,
    ALLFOLD_TRACE_IS_CANONICAL = 4,
    ALLFOLD_TRACE_HAS_PLACEMENT = 8,
    ALLFOLD_TRACE_HAS_ORDER = 1, /* of a placement */
    ALLFOLD_TRACE_HAS_SOCKETS = 2,
};

/* The sum over a record: damage is found by it. */
uint32_t allfold_trace_sum(const unsigned char *bytes, size_t count);

/* The class of a gap between the begins of two calls, from 0 to 15: a power of two of the mean gap.
 */
unsigned allfold_trace_class(double gap, double mean);

/* How long gaps of a class are for each other. */
double allfold_trace_weight(unsigned class);

/* --- bytes that grow --- */

struct allfold_trace_bytes {
    unsigned char *at;
    uint32_t count, capacity;
    bool is_lost; /* there was no memory for all of them */
};

void allfold_trace_put(struct allfold_trace_bytes *bytes, unsigned char byte);
void allfold_trace_put_number(struct allfold_trace_bytes *bytes, uint64_t number);
void allfold_trace_put_signed(struct allfold_trace_bytes *bytes, int64_t number);
void allfold_trace_put_word(struct allfold_trace_bytes *bytes, const char *word);
void allfold_trace_put_bytes(struct allfold_trace_bytes *bytes,
                             const struct allfold_trace_bytes *more);
void allfold_trace_put_layout(struct allfold_trace_bytes *bytes,
                              const struct allfold_traced_layout *layout);

/* Numbers that repeat, as tokens: those from `past` on, which may repeat what is before them, at
 * most `back` numbers away. */
struct allfold_trace_list {
    const int *at;
    uint32_t past, end, back;
    bool is_signed;
};

/* *distance is that of the last copy, or 0. */
void allfold_trace_put_list(struct allfold_trace_bytes *bytes,
                            const struct allfold_trace_list *list, uint32_t *distance);

/* Seconds as nanoseconds; 0 for what is less. */
uint64_t allfold_trace_ns(double seconds);

/* The record of a payload: letter, length, payload, sum. */
void allfold_trace_put_record(struct allfold_trace_bytes *bytes, enum allfold_trace_record kind,
                              const struct allfold_trace_bytes *payload);

#endif
