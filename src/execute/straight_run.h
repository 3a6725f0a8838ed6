/* Straight runs: the fast path of the executor for schedules of few steps whose messages are all
 * short, as one list of steps in a fixed order.
 *
 * The executor uses it if all messages fit the transport's fast path (try_put, see transport.h).
 * Then no message is in flight outside of the transport's memory. The executor keeps no slots, and
 * does not count what steps wait for, so a step takes a few instructions.
 *
 * The list is made by repeatedly adding a step whose predecessors are all in the list: a send if
 * there is one, otherwise a reduction or copy, otherwise a receive; among steps of the same kind,
 * the first one in the schedule. Messages to a peer keep their order. Invariant: only a receive can
 * wait. A send always finds a free slot once its peer has ended the earlier runs, because a run
 * sends at most ALLFOLD_STRAIGHT_SENDS messages to a peer. So a rank waits only for its oldest
 * receive, after all sends that do not depend on it. This causes no deadlock in a schedule that the
 * verifier has proved (lab/verify/verifier.h), because the verifier assumes that sends wait, too.
 */
#ifndef ALLFOLD_EXECUTE_STRAIGHT_RUN_H
#define ALLFOLD_EXECUTE_STRAIGHT_RUN_H

#include <stdbool.h>

#include "execute/elements.h"
#include "transport/transport.h"
#include "schedule/schedule.h"

enum { ALLFOLD_STRAIGHT_STEPS = 48, ALLFOLD_STRAIGHT_SENDS = 8 };

/* The memory that an address is relative to. */
enum allfold_straight_base {
    ALLFOLD_FROM_IN,
    ALLFOLD_FROM_OUT,
    ALLFOLD_FROM_SCRATCH,
    ALLFOLD_FROM_SLOT, /* the message that has arrived */
    ALLFOLD_STRAIGHT_BASES
};

/* A step: a send of operand 0, or a copy or a reduction, possibly of a received message. */
struct allfold_straight_step {
    uint8_t base[3];
    bool sends, reduces;
    int32_t peer; /* -1: no message */
    size_t length;
    ptrdiff_t at_bytes[3];
};

/* The list of steps. */
struct allfold_straight {
    uint32_t count;
    size_t longest; /* length of the longest message, in elements */
    struct allfold_straight_step steps[];
};

/* Returns the bytes of memory that the list of a schedule needs; 0 if the schedule cannot have one.
 */
size_t allfold_straight_bytes(const struct allfold_schedule *schedule);

/* Fills a list in memory of allfold_straight_bytes bytes. `place_bytes` has the offset of each
 * scratch buffer; `waits_for` is working memory of one word per step. False if the schedule cannot
 * have a list. */
bool allfold_straight_make(struct allfold_straight *straight,
                           const struct allfold_schedule *schedule, ptrdiff_t extent_bytes,
                           const ptrdiff_t *place_bytes, uint32_t *waits_for);

/* Runs the steps of the list from *next on until a step has to wait, and sets *next to that step.
 * `base` has an entry for each base. *lost is 0 or the error of the first step that failed; from
 * there on the rank sends poison, and reduces and copies nothing. */
void allfold_straight_go_on(const struct allfold_straight *straight, uint32_t *next,
                            const char **base, const struct allfold_elements *elements,
                            struct allfold_transport *transport, int *lost);

#endif
