/* Who has arrived: rolls, roll-calls, and watches over blocking calls.
 *
 * A roll says which run of a lane each rank has begun. Ranks that share memory write the run there.
 * A roll-call asks which ranks have not arrived. A rank whose message has arrived is known to have
 * arrived itself. The others are asked by a message, and answer while they wait themselves.
 *
 * A watch is what ALLFOLD_TIMEOUT asks for. With a timeout, a rank waits in a blocking call by
 * looking again and again (allfold_rest), and sees there that the timeout is past. Then it calls
 * the roll. The lowest of the waiting ranks says on stderr who is missing. Without a timeout a
 * watch costs nothing. A thread has one watch at a time. */
#ifndef ALLFOLD_MPI_ARRIVALS_ARRIVALS_H
#define ALLFOLD_MPI_ARRIVALS_ARRIVALS_H

#include "mpi/communicator/communicator.h"

/* The lane of blocking calls, whose roll counts twice: 2n - 1 in the n-th call, 2n after it. */
enum { ALLFOLD_BLOCKING_LANE = 0 };

struct allfold_roll {
    int lane;                          /* numbered alike on all ranks, as are its runs */
    atomic_uint_least64_t run;         /* that this rank has begun last, from 1 on */
    struct allfold_arrival *neighbors; /* of this node's ranks; NULL where they share no memory */
    struct allfold_roll *next;         /* of the communicator */
};

struct allfold_watch {
    struct allfold_communicator *state;
    bool has_call; /* false: the communicator's state is being made */
    enum allfold_collective collective;
    const struct allfold_executor *executor; /* NULL until data moves */
    double begin_s, interval_s;              /* the next message is due when that is over */
};

/* A communicator's part. */
struct allfold_arrivals {
    uint64_t calls; /* where calls are watched or checked: how many were made so far */
    struct allfold_roll blocking, *rolls;
    struct allfold_watch first; /* over the making of the state */
};

static inline struct allfold_arrivals *allfold_arrivals_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_ARRIVALS];
}

/* A roll for a lane, which stays as long as the communicator. Where threads are, under the mutex of
 * progress. */
void allfold_roll_open(struct allfold_communicator *state, struct allfold_roll *roll, int lane);

/* Tells all ranks that this rank begins run `run`. Runs never go back. */
void allfold_roll_arrive(const struct allfold_communicator *state, struct allfold_roll *roll,
                         uint64_t run);

/* What is known of a rank. */
enum allfold_presence {
    ALLFOLD_SILENT, /* nothing, though it was asked */
    ALLFOLD_ABSENT, /* it has not arrived */
    ALLFOLD_HERE,
    ALLFOLD_GONE, /* it has arrived, and has left */
};

/* How long to wait for answers. */
enum { ALLFOLD_ROLL_CALL_MS = 100 };

/* A roll-call: known[rank], which is zeroed first, is set for all ranks. */
struct allfold_roll_call {
    struct allfold_communicator *state;
    const struct allfold_roll *roll;
    uint64_t run;
    unsigned char *known;
};

/* Finds what this rank knows by itself. The executor is the run's, or NULL where the run has none
 * yet. Local. */
void allfold_roll_call_look(const struct allfold_roll_call *call,
                            const struct allfold_executor *executor);

/* Asks the other ranks, and waits ALLFOLD_ROLL_CALL_MS for their answers at most. Returns an MPI
 * error code, without the error handler. Local. */
int allfold_roll_call_ask(const struct allfold_roll_call *call);

/* Answers the ranks that ask on the communicator. Where there are threads, under the mutex of
 * progress.
 */
void allfold_roll_call_answer(struct allfold_communicator *state);

/* Begins to watch the next call on a communicator, and counts the call. The caller owns the watch
 * until allfold_watch_end. */
void allfold_watch_begin(struct allfold_watch *watch, struct allfold_communicator *state,
                         enum allfold_collective collective);
void allfold_watch_end(const struct allfold_watch *watch);

/* Says that the data of the call that this thread watches begins to move. */
void allfold_watch_executor(const struct allfold_executor *executor);

#endif
