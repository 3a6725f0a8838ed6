/* What an executor is made of; for the files of executor.h alone: executor.c runs,
 * executor_memory.c says what lies where. */
#ifndef ALLFOLD_EXECUTE_EXECUTOR_STATE_H
#define ALLFOLD_EXECUTE_EXECUTOR_STATE_H

#include "execute/executor.h"
#include "execute/straight.h"

struct allfold_executor {
    const struct allfold_schedule *schedule;
    struct allfold_binding binding;
    ptrdiff_t extent_bytes;
    uint32_t window;
    uint32_t oldest; /* the oldest message that is not done */
    uint32_t in_flight;
    uint32_t remaining; /* steps that are not done */
    uint32_t ready_begin, ready_end;
    int error;           /* for which the run is given up */
    int lost;            /* the error that came first: data are lost, and the run goes on without */
    int faults;          /* of the transport, in this run */
    uint32_t *waits_for; /* step -> how many steps it still waits for */
    uint32_t *ready;     /* local steps that can run, in the order in which they came up */
    uint32_t *slots;     /* room for what the transport says is done */
    uint32_t *taken_by;  /* slot -> the reduction that takes the message's data as it comes */
    uint32_t run_early;  /* a reduction that is done, but for saying so */
    bool *is_done;    /* slot -> its message is done, but an older one is not; none between runs */
    size_t *received; /* slot -> elements that its receive got, where messages may be short */
    size_t *coded;    /* slot -> where in the arena its block goes, if it is a sent one */
    const void *base[ALLFOLD_MAX_BUFFERS]; /* where element 0 of each buffer is */

    /* Where scratch buffers lie in the arena, for elements like these; 0 bytes: not known yet. */
    struct allfold_elements placed;
    size_t placed_bytes;
    ptrdiff_t placed_at[ALLFOLD_MAX_BUFFERS];

    struct allfold_straight *straight; /* NULL where there is no room for one, or can be none */
    bool has_straight;                 /* made, for elements like the last run's */
    bool goes_straight;                /* this run */
    struct allfold_sparse *sparse;     /* of this run; NULL: all messages are as long as they are */
    uint32_t next;                     /* of the straight list */
    const char *bases[ALLFOLD_STRAIGHT_BASES];
};

static inline void *allfold_executor_address(const struct allfold_executor *e,
                                             const struct allfold_step *step, int which)
{
    return allfold_address(e->base[step->buffer[which]],
                           (ptrdiff_t)step->offset[which] * e->extent_bytes);
}

#endif
