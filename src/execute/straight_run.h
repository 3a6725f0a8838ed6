/* Straight runs: a schedule of few steps whose messages are all short, as one list of what to do
 * next. Part of the executor (see executor.h), which takes it where all short messages fit the
 * transport's fast path (try_put, see transport.h). Then nothing is in flight but what lies in the
 * transport's memory. The executor keeps no slots and no counts of what a step waits for, and a
 * step is a few instructions.
 *
 * The list has sends and reductions as soon as all that they wait for is before them, else the
 * oldest receive. The messages to a peer go in their order. Invariant: whatever the transport may
 * keep waiting is a receive. A send finds room as soon as its peer has ended the runs before, as it
 * is one of at most ALLFOLD_STRAIGHT_SENDS to that peer. So a rank waits for its oldest receive
 * alone, with every send on its way that does not depend on that receive. No schedule that the
 * verifier has proved (see verify.h) deadlocks by this, because there sends wait as well. */
#ifndef ALLFOLD_EXECUTE_STRAIGHT_RUN_H
#define ALLFOLD_EXECUTE_STRAIGHT_RUN_H

#include <stdbool.h>

#include "execute/elements.h"
#include "transport/transport.h"
#include "schedule/schedule.h"

enum { ALLFOLD_STRAIGHT_STEPS = 48, ALLFOLD_STRAIGHT_SENDS = 8 };

/* What addresses are relative to. */
enum allfold_straight_base {
    ALLFOLD_FROM_IN,
    ALLFOLD_FROM_OUT,
    ALLFOLD_FROM_SCRATCH,
    ALLFOLD_FROM_SLOT, /* where a message lies that has arrived */
    ALLFOLD_STRAIGHT_BASES
};

/* Something to do: a send of operand 0, or a copy or a reduction, maybe of a message. */
struct allfold_straight_step {
    uint8_t base[3];
    bool sends, reduces;
    int32_t peer; /* -1: no message */
    size_t length;
    ptrdiff_t at_bytes[3];
};

struct allfold_straight {
    uint32_t count;
    size_t longest; /* message, in elements */
    struct allfold_straight_step steps[];
};

/* How many bytes the list of a schedule takes; 0 where it cannot have one. */
size_t allfold_straight_bytes(const struct allfold_schedule *schedule);

/* Fills a list in so many bytes of memory. `place_bytes` says where scratch buffers begin, and
 * `waits_for` is room for a word a step. False where there can be none. */
bool allfold_straight_make(struct allfold_straight *straight,
                           const struct allfold_schedule *schedule, ptrdiff_t extent_bytes,
                           const ptrdiff_t *place_bytes, uint32_t *waits_for);

/* Does step *next of the list and those after it, until one has to wait, which *next then says.
 * `base` has room for all bases. *lost is 0 or the error of the step that failed first; from there
 * on the rank sends poison, and nothing is reduced or copied. */
void allfold_straight_go_on(const struct allfold_straight *straight, uint32_t *next,
                            const char **base, const struct allfold_elements *elements,
                            struct allfold_transport *transport, int *lost);

#endif
