/* Walking the schedules of all ranks: what they cost, counted and not computed from a formula. */
#ifndef ALLFOLD_COST_WALK_H
#define ALLFOLD_COST_WALK_H

#include "schedule/schedule.h"

/* A message that waits forever: its side `step` of `rank` has begun and never ends. */
struct allfold_walk_wait {
    int rank;
    uint32_t step;
    uint32_t peer_step; /* its other side, a step of its peer; ALLFOLD_NO_STEP: there is none */
    bool has_met;       /* both sides have begun; the rank waits for an older message */
    size_t time;        /* when it would have ended, had the other side been there */
};

/* The watcher of a walk: gets each step when it ends, in an order in which their data could flow.
 * For a message that is its send and its receive together, in that order. False ends the walk. */
struct allfold_walk_observer {
    bool (*on_local)(void *context, int rank, const struct allfold_step *step, size_t time);
    bool (*on_message)(void *context, int from, const struct allfold_step *send, int to,
                       const struct allfold_step *receive, size_t time);
    void *context;

    /* For allfold_walk_faulty; may be NULL. */
    bool (*on_lost)(void *context, int from, const struct allfold_step *send, size_t time);
    void (*on_waiting)(void *context, const struct allfold_walk_wait *wait);
};

/* As allfold_walk, watched. ALLFOLD_NO_MEMORY where the observer ended it. */
enum allfold_error allfold_walk_observed(const struct allfold_schedule *const *schedules, int p,
                                         unsigned ports,
                                         const struct allfold_walk_observer *observer,
                                         struct allfold_cost *cost, char *message,
                                         size_t message_bytes);

/* So many ports that none is waited for, in practice. */
enum { ALLFOLD_WALK_ANY_PORTS = 4096 };

struct allfold_walk_rules {
    unsigned ports;  /* messages of each direction that a rank has at a time; > 0 */
    uint32_t window; /* as the executor's bound on messages in flight; 0: none */
    bool in_order;   /* a rank's messages end in program order */
};

/* The same for schedules that may be wrong: goes as far as it can. A send that nobody receives is
 * done by itself and reported to `on_lost`. A receive of what nobody sends is never done; two sides
 * whose lengths differ match. At the end `on_waiting` gets all that waits forever, in the order of
 * ranks and steps; the result is then ALLFOLD_NO_PROGRESS. */
enum allfold_error allfold_walk_faulty(const struct allfold_schedule *const *schedules, int p,
                                       const struct allfold_walk_rules *rules,
                                       const struct allfold_walk_observer *observer,
                                       struct allfold_cost *cost);

#endif
