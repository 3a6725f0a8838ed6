/* Divides vectors into segments, which follow one another through a pipeline. */
#ifndef ALLFOLD_ALGORITHMS_SEGMENTS_H
#define ALLFOLD_ALGORITHMS_SEGMENTS_H

#include "algorithms/algorithm.h"

/* The segment parameter: in general, of pipelines, and of algorithms that send blocks. The other
 * members of the initializer are arguments. */
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

/* Segments of `length` elements (at least 1); the last one may be slightly shorter. A much shorter
 * one would make the ranks of a ring wait for one another. */
struct segments {
    size_t length;
    size_t count;
};

/* Returns segments of at most `bytes` bytes for a vector of n elements, or of `preset` elements if
 * `bytes` is 0: as few as possible, with lengths that differ by at most one element. */
struct segments allfold_segments(size_t n, size_t bytes, size_t element_bytes, size_t preset);

/* Returns the segments of the problem's vector of at most `bytes` bytes; 0 uses the pipelining
 * lemma for an algorithm of (fixed + slope b) steps. */
struct segments allfold_pipeline(const struct allfold_problem *problem, size_t bytes, double fixed,
                                 double slope);

/* Returns segment j of a span, or an empty span if there is none; so j may have wrapped around
 * below 0. */
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

/* Returns the first half of a span, which includes the middle element (unlike in halving.h), or the
 * second half. */
static inline struct allfold_span half_span(struct allfold_span whole, bool second)
{
    const size_t first = whole.length - whole.length / 2;
    whole.offset += second ? first : 0;
    whole.length = second ? whole.length - first : first;
    return whole;
}

#endif
