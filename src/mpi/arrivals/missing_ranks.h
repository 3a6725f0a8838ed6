/* Which ranks are missing at a call: rolls, roll-calls, and watches over blocking calls.
 *
 * A roll records which run of a lane each rank has begun. Ranks that share memory write the run
 * there. A roll-call finds the ranks that have not arrived. A rank whose message has arrived has
 * arrived itself; the other ranks are queried by a message, which they answer while they wait.
 *
 * A watch implements ALLFOLD_TIMEOUT. With a timeout, a rank in a blocking call polls
 * (allfold_rest), and notices there that the timeout has passed. Then it makes a roll-call, and the
 * lowest of the waiting ranks prints the missing ranks to stderr. Without a timeout a watch costs
 * nothing. A thread has one watch at a time. */
#ifndef ALLFOLD_MPI_ARRIVALS_MISSING_RANKS_H
#define ALLFOLD_MPI_ARRIVALS_MISSING_RANKS_H

#include "mpi/communicator/communicator.h"

/* The lane of blocking calls. Its roll counts each call twice: the run is 2n - 1 during the n-th
 * call, and 2n after it. */
enum { ALLFOLD_BLOCKING_LANE = 0 };

struct allfold_roll {
    int lane;                  /* number of the lane, the same on all ranks, as are its runs */
    atomic_uint_least64_t run; /* the run that this rank has begun last, counted from 1 */
    /* Rolls of this node's ranks; NULL if they share no memory. */
    struct allfold_arrival *neighbors;
    struct allfold_roll *next; /* next roll of the communicator */
};

struct allfold_watch {
    struct allfold_communicator *state;
    bool has_call; /* false: the communicator's state is being made */
    enum allfold_collective collective;
    const struct allfold_executor *executor; /* NULL until data moves */
    double begin_s, interval_s; /* the next message is due `interval_s` seconds after `begin_s` */
};

/* The arrivals of a communicator: its part ALLFOLD_PART_ARRIVALS. */
struct allfold_arrivals {
    uint64_t calls; /* number of calls so far, if calls are watched or checked */
    struct allfold_roll blocking, *rolls;
    struct allfold_watch first; /* watches the making of the state */
};

static inline struct allfold_arrivals *allfold_arrivals_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_ARRIVALS];
}

/* Opens a roll for a lane; it stays as long as the communicator. If there are several threads, the
 * caller holds the mutex of progress.h. */
void allfold_roll_open(struct allfold_communicator *state, struct allfold_roll *roll, int lane);

/* Announces to all ranks that this rank begins run `run`. Runs never decrease. */
void allfold_roll_arrive(const struct allfold_communicator *state, struct allfold_roll *roll,
                         uint64_t run);

/* What is known about a rank. */
enum allfold_presence {
    ALLFOLD_SILENT, /* it has not answered */
    ALLFOLD_ABSENT, /* it has not arrived */
    ALLFOLD_HERE,
    ALLFOLD_GONE, /* it has arrived and left again */
};

/* Milliseconds to wait for answers. */
enum { ALLFOLD_ROLL_CALL_MS = 100 };

/* A roll-call. `known`, one byte for each rank, is zeroed by the caller; then known[rank] becomes
 * an enum allfold_presence. */
struct allfold_roll_call {
    struct allfold_communicator *state;
    const struct allfold_roll *roll;
    uint64_t run;
    unsigned char *known;
};

/* Sets what this rank knows without a query. `executor` is the executor of the run, or NULL if it
 * has none yet. Local. */
void allfold_roll_call_look(const struct allfold_roll_call *call,
                            const struct allfold_executor *executor);

/* Queries the other ranks, and waits at most ALLFOLD_ROLL_CALL_MS for their answers. Returns an MPI
 * error code, without the error handler. Local. */
int allfold_roll_call_ask(const struct allfold_roll_call *call);

/* Answers the queries of other ranks on the communicator. If there are several threads, the caller
 * holds the mutex of progress.h. */
void allfold_roll_call_answer(struct allfold_communicator *state);

/* Begin and end to watch the next call on a communicator; allfold_watch_begin also counts the call.
 * The caller owns the watch. */
void allfold_watch_begin(struct allfold_watch *watch, struct allfold_communicator *state,
                         enum allfold_collective collective);
void allfold_watch_end(const struct allfold_watch *watch);

/* Records that the data of the call that this thread watches begins to move. */
void allfold_watch_executor(const struct allfold_executor *executor);

#endif
