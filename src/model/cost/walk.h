/* Walking the schedules of all ranks: what they cost, counted and not computed from a formula. */
#ifndef ALLFOLD_MODEL_WALK_H
#define ALLFOLD_MODEL_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"
#include "schedule/schedule.h"

struct allfold_cost {
    size_t rounds;  /* time of the last message where each takes 1 and all else nothing, and a rank
                       sends, and receives, at most `ports` at a time, in program order */
    size_t sent;    /* elements sent by the busiest rank */
    size_t got;     /* elements received by the busiest rank */
    size_t reduced; /* element operations of the rank that does most of them */
};

/* Who watches a walk: gets each step when it ends, in an order in which their data could flow. For
 * a message that is its send and its receive together, in that order. False ends the walk. */
struct allfold_walk_observer {
    bool (*on_local)(void *context, int rank, const struct allfold_step *step, size_t time);
    bool (*on_message)(void *context, int from, const struct allfold_step *send, int to,
                       const struct allfold_step *receive, size_t time);
    void *context;
};

/* ALLFOLD_DISPROVED, with `message`, where the two sides of a message do not fit together or the
 * walk does not reach all steps. */
enum allfold_error allfold_walk(const struct allfold_schedule *const *schedules, int p,
                                unsigned ports, struct allfold_cost *cost, char *message,
                                size_t message_bytes);

/* The same, watched. ALLFOLD_NO_MEMORY where the observer ended it. */
enum allfold_error allfold_walk_observed(const struct allfold_schedule *const *schedules, int p,
                                         unsigned ports,
                                         const struct allfold_walk_observer *observer,
                                         struct allfold_cost *cost, char *message,
                                         size_t message_bytes);

#endif
