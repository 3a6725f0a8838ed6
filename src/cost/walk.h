/* The walk: runs the schedules of all ranks without data, to count their rounds, messages and
 * elements, and to find deadlocks. */
#ifndef ALLFOLD_COST_WALK_H
#define ALLFOLD_COST_WALK_H

#include "schedule/schedule.h"

/* A message that waits forever: `step` of `rank` has started and never ends. */
struct allfold_walk_wait {
    int rank;
    uint32_t step;
    uint32_t peer_step; /* the matching step of the peer; ALLFOLD_NO_STEP: there is none */
    bool has_met;       /* both sides have started; the rank waits for an older message */
    size_t time;        /* when the step would have ended if the other side had been there */
};

/* The observer of a walk. It is called for each step when it ends, in an order that respects the
 * flow of data. `on_message` is called once for a send and its receive. The walk ends if one of
 * them returns false. */
struct allfold_walk_observer {
    bool (*on_local)(void *context, int rank, const struct allfold_step *step, size_t time);
    bool (*on_message)(void *context, int from, const struct allfold_step *send, int to,
                       const struct allfold_step *receive, size_t time);
    void *context;

    /* For allfold_walk_faulty; may be NULL. */
    bool (*on_lost)(void *context, int from, const struct allfold_step *send, size_t time);
    void (*on_waiting)(void *context, const struct allfold_walk_wait *wait);
};

/* Walks as allfold_walk does, and calls the observer. Returns ALLFOLD_NO_MEMORY if the observer
 * ended the walk. */
enum allfold_error allfold_walk_observed(const struct allfold_schedule *const *schedules, int p,
                                         unsigned ports,
                                         const struct allfold_walk_observer *observer,
                                         struct allfold_cost *cost, char *message,
                                         size_t message_bytes);

/* More ports than any rank needs, so that no message waits for one. */
enum { ALLFOLD_WALK_ANY_PORTS = 4096 };

/* The model of a rank's network interface and executor. */
struct allfold_walk_rules {
    unsigned ports;  /* messages that a rank sends at a time, and receives at a time; > 0 */
    uint32_t window; /* maximum number of messages in flight, as in the executor; 0: unlimited */
    bool in_order;   /* a rank's messages end in program order */
};

/* Walks schedules that may be wrong as far as possible. A send without a receive ends by itself,
 * and `on_lost` is called. A receive without a send never ends. A send and a receive of different
 * lengths match. At the end `on_waiting` is called for each message that waits forever, in the
 * order of ranks and steps; the result is then ALLFOLD_NO_PROGRESS. */
enum allfold_error allfold_walk_faulty(const struct allfold_schedule *const *schedules, int p,
                                       const struct allfold_walk_rules *rules,
                                       const struct allfold_walk_observer *observer,
                                       struct allfold_cost *cost);

#endif
