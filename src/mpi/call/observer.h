/* Observers: functions that are called before and after the stages of a communicator's blocking
 * calls.
 *
 * Each observer belongs to one stage. The stages are nested:
 *
 *     ALLFOLD_STAGE_CALL     the whole call, before anything is known about it
 *     ALLFOLD_STAGE_CHOICE   a call that was validated, before an algorithm is chosen
 *     ALLFOLD_STAGE_RUN      its data moves, by Allfold or by the MPI library
 *
 * A call that repeats the last one has no choice stage. Each step of an exact sum has a choice and
 * a run stage. What an observer keeps from `before` until `after` is in struct allfold_caller. */
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
    bool disables_repeat; /* if the observer is active, no call takes the repeat path */
    bool (*is_active)(const struct allfold_communicator *state);
    /* Called before the stage. An error, which must have been raised, ends the call. NULL: nothing
     * to do, also for `after`. */
    int (*before)(struct allfold_prepared *prepared, const struct allfold_call *call);
    /* Called after the stage, for every observer in reverse order. This is also so after an error
     * of a `before` function: then `after` may be called although its own `before` was not. */
    void (*after)(struct allfold_prepared *prepared, const struct allfold_call *call, int error);
};

enum { ALLFOLD_MAX_OBSERVERS = 8 };

/* The observers of a communicator, which never change. */
struct allfold_observers {
    const struct allfold_observer *list[ALLFOLD_MAX_OBSERVERS];
    /* Index of each stage's first observer in `list`. */
    unsigned char begin[ALLFOLD_STAGE_COUNT + 1];
    bool disable_repeat;
};

/* Returns whether the stage has an observer. */
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
