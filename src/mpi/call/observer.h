/* Observers: what looks at a communicator's blocking calls or decorates them.
 *
 * Each looks at one part of a call, from before it until after it. The parts lie inside each other:
 *
 *     ALLFOLD_STAGE_CALL     the whole call, before anything is known of it
 *     ALLFOLD_STAGE_CHOICE   a call that was validated, before it is resolved
 *     ALLFOLD_STAGE_RUN      its data moves, by Allfold or by the MPI library
 *
 * A call that repeats the last one has no choice. An exact sum has a choice and a run for each of
 * its steps. What an observer keeps from `before` until `after` is in struct allfold_caller. */
#ifndef ALLFOLD_MPI_CALL_OBSERVER_H
#define ALLFOLD_MPI_CALL_OBSERVER_H

#include "mpi/call/prepared.h"

enum allfold_call_stage {
    ALLFOLD_STAGE_CALL,
    ALLFOLD_STAGE_CHOICE,
    ALLFOLD_STAGE_RUN,
    ALLFOLD_STAGE_COUNT
};

struct allfold_observer {
    enum allfold_call_stage stage;
    bool disables_repeat; /* if it is wanted, no call takes the repeat path */
    bool (*is_active)(const struct allfold_communicator *state);
    /* An error, which was raised, ends the call. NULL: nothing to do, like `after`. */
    int (*before)(struct allfold_prepared *prepared, const struct allfold_call *call);
    /* For every observer of the part, in reverse order, also after an error of a `before`, its own
     * or an earlier one, which it then did not see. */
    void (*after)(struct allfold_prepared *prepared, const struct allfold_call *call, int error);
};

enum { ALLFOLD_MAX_OBSERVERS = 8 };

/* Those of a communicator, which are the same as long as it lives. */
struct allfold_observers {
    const struct allfold_observer *list[ALLFOLD_MAX_OBSERVERS];
    unsigned char begin[ALLFOLD_STAGE_COUNT + 1]; /* of each part's, in the list */
    bool disable_repeat;
};

/* Is there any of this part? */
static inline bool allfold_is_observed(const struct allfold_observers *observers,
                                       enum allfold_call_stage stage)
{
    return observers->begin[stage] != observers->begin[stage + 1];
}

static inline int allfold_observe_before(const struct allfold_observers *observers,
                                         enum allfold_call_stage stage,
                                         struct allfold_prepared *prepared,
                                         const struct allfold_call *call)
{
    int error = MPI_SUCCESS;
    for (int i = observers->begin[stage]; i < observers->begin[stage + 1]; i++)
        if (observers->list[i]->before != NULL && error == MPI_SUCCESS)
            error = observers->list[i]->before(prepared, call);
    return error;
}

static inline void allfold_observe_after(const struct allfold_observers *observers,
                                         enum allfold_call_stage stage,
                                         struct allfold_prepared *prepared,
                                         const struct allfold_call *call, int error)
{
    for (int i = observers->begin[stage + 1]; i-- > observers->begin[stage];)
        if (observers->list[i]->after != NULL)
            observers->list[i]->after(prepared, call, error);
}

#endif
