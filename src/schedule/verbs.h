/* The verbs by the short names that algorithm files use, so that they read like their papers. */
#ifndef ALLFOLD_SCHEDULE_VERBS_H
#define ALLFOLD_SCHEDULE_VERBS_H

#include "schedule/builder.h"

static inline void send_to(struct allfold_builder *s, int peer, struct allfold_span from)
{
    allfold_add_send(s, peer, from);
}

static inline void recv_from(struct allfold_builder *s, int peer, struct allfold_span to)
{
    allfold_add_receive(s, peer, to);
}

/* Sends and receives at once, possibly with two different peers. The send starts first: it is on
 * its way while the receive is being prepared, which saves a sixth of a short exchange on a node.
 */
static inline void exchange(struct allfold_builder *s, int to_peer, struct allfold_span from,
                            int from_peer, struct allfold_span to)
{
    allfold_add_send(s, to_peer, from);
    allfold_add_receive(s, from_peer, to);
}

/* to = left o right, where left covers the lower ranks. `to` may be one of the others. */
static inline void reduce(struct allfold_builder *s, struct allfold_span to,
                          struct allfold_span left, struct allfold_span right)
{
    allfold_add_reduce(s, to, left, right);
}

static inline void copy(struct allfold_builder *s, struct allfold_span to, struct allfold_span from)
{
    allfold_add_copy(s, to, from);
}

static inline struct allfold_span scratch(struct allfold_builder *s, size_t length)
{
    return allfold_add_scratch(s, length);
}

/* Elements first .. first + length - 1 of a buffer. */
static inline struct allfold_span span(int buffer, size_t first, size_t length)
{
    return (struct allfold_span){.offset = first, .length = length, .buffer = buffer};
}

/* Elements lo .. hi - 1 of a buffer. */
static inline struct allfold_span range(int buffer, size_t lo, size_t hi)
{
    return span(buffer, lo, hi - lo);
}

/* Elements first .. first + length - 1 of a span. */
static inline struct allfold_span part(struct allfold_span of, size_t first, size_t length)
{
    return span(of.buffer, of.offset + first, length);
}

#endif
