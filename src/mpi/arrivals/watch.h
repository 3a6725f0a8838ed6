/* Watches over blocking calls: what ALLFOLD_TIMEOUT asks for.
 *
 * Where it is set, a rank waits in a blocking call by looking again and again (allfold_rest), and
 * there it sees that a timeout is past. Then it calls the roll, and of the ranks that wait the
 * lowest one says on stderr who is missing. It costs nothing where it is not set.
 *
 * A thread has one watch at a time; all functions look at the calling thread's. */
#ifndef ALLFOLD_MPI_WATCH_H
#define ALLFOLD_MPI_WATCH_H

#include "mpi/call/collective.h"
#include "mpi/communicator/communicator.h"

struct allfold_watch {
    struct allfold_communicator *state;
    const struct allfold_call *call;         /* NULL: the communicator's state is being made */
    const struct allfold_executor *executor; /* NULL until data moves */
    double begin_s, interval_s;              /* the next message is due when that is over */
};

/* Begins to watch the next call on a communicator, which is counted, and ends it. The watch is the
 * caller's until then. */
void allfold_watch_begin(struct allfold_watch *watch, struct allfold_communicator *state,
                         const struct allfold_call *call);
void allfold_watch_end(const struct allfold_watch *watch);

/* On which communicator this thread is in a call with a timeout; NULL: it is in none. */
struct allfold_communicator *allfold_watched(void);

/* Says that the call's data begins to move. */
void allfold_watch_executor(const struct allfold_executor *executor);

/* Looks whether the timeout is past. */
void allfold_watch_look(void);

#endif
