/* Cutting vectors into segments that go one after the other through a pipeline. */
#ifndef ALLFOLD_ALGORITHMS_SEGMENTS_H
#define ALLFOLD_ALGORITHMS_SEGMENTS_H

#include "algorithms/algorithm.h"

/* The parameter: of pipelines, of what sends blocks, and in general. What differs is added. */
#define ALLFOLD_SEGMENT(words, ...)                                                                \
    {                                                                                              \
        .name = "segment", .kind = ALLFOLD_PARAMETER_SEGMENT, .unit = "bytes", .meaning = words,   \
        .maximum = (size_t)1 << 40, __VA_ARGS__                                                    \
    }
#define ALLFOLD_PIPELINE_SEGMENT(...)                                                              \
    {                                                                                              \
        .name = "segment", .kind = ALLFOLD_PARAMETER_PIPELINE, .unit = "bytes",                    \
        .meaning = "largest message; 0 takes the pipelining lemma's", .maximum = (size_t)1 << 40,  \
        __VA_ARGS__                                                                                \
    }
#define ALLFOLD_BLOCK_SEGMENT(...)                                                                 \
    ALLFOLD_SEGMENT("largest message; 0 sends each block whole", __VA_ARGS__)

/* All segments have `length` elements (at least 1), but the last may have a few less: a short one
 * among long ones makes the ranks of a ring wait for one another. */
struct segments {
    size_t length;
    size_t count;
};

/* A vector of n elements in segments of `bytes` bytes at most, or of `preset` elements where that
 * is 0: as many as it takes, of lengths that differ by one element at most. */
struct segments allfold_segments(size_t n, size_t bytes, size_t element_bytes, size_t preset);

/* The problem's vector in segments of `bytes` bytes; 0 takes the best of the pipelining lemma for
 * an algorithm of (fixed + slope b) steps. */
struct segments allfold_pipeline(const struct allfold_problem *problem, size_t bytes, double fixed,
                                 double slope);

/* Segment number j of a span, empty where it has no such; so j may also be a number that wrapped
 * around below 0. */
static inline struct allfold_span segment_of(struct allfold_span whole, struct segments cut,
                                             size_t j)
{
    size_t begin = j < cut.count ? j * cut.length : whole.length;
    begin = begin < whole.length ? begin : whole.length;
    const size_t rest = whole.length - begin;
    whole.offset += begin;
    whole.length = rest < cut.length ? rest : cut.length;
    return whole;
}

/* The first half of a span, which has the middle element (that of halving.h has not), or the
 * second. */
static inline struct allfold_span half_span(struct allfold_span whole, bool second)
{
    const size_t first = whole.length - whole.length / 2;
    whole.offset += second ? first : 0;
    whole.length = second ? whole.length - first : first;
    return whole;
}

#endif
