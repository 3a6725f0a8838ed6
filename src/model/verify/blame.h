/* Blames: what is wrong with the schedules of a case, whose step it is, and what was expected.
 *
 * A blame holds no pointers: it may be copied, and outlives the case and the schedules. It speaks
 * of ranks, of steps (the lines of a printed schedule, from 0) and of message numbers (of a pair of
 * ranks, in one direction, from 0). */
#ifndef ALLFOLD_MODEL_BLAME_H
#define ALLFOLD_MODEL_BLAME_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

enum allfold_blame_kind {
    ALLFOLD_BLAME_NOTHING, /* nothing was found */

    /* a rank's steps by themselves */
    ALLFOLD_BLAME_NOT_BUILT,       /* the builder refused the rank's schedule */
    ALLFOLD_BLAME_OUTSIDE,         /* `step` touches elements that its buffer does not have */
    ALLFOLD_BLAME_INPUT_WRITTEN,   /* `step` writes into the caller's input */
    ALLFOLD_BLAME_UNORDERED,       /* `step` and `other_step` touch the same, in either order */
    ALLFOLD_BLAME_WAITS_FOR_LATER, /* `step` waits for `other_step`, which comes after it */

    /* messages: `number` of `rank` with `peer`; `step` is the rank's, `other_step` the peer's */
    ALLFOLD_BLAME_NO_SUCH_PEER,   /* the peer of `step` is not one of the ranks */
    ALLFOLD_BLAME_NEVER_SENT,     /* the rank waits for a message that the peer never sends */
    ALLFOLD_BLAME_NEVER_RECEIVED, /* the rank sends a message that the peer never receives */
    ALLFOLD_BLAME_LENGTHS_DIFFER, /* `expected` elements are received, `found` are sent */
    ALLFOLD_BLAME_DEADLOCK,       /* the rank waits for its peer, which waits itself, in a circle */

    /* data: elements `first` to `first + length - 1` of `buffer` */
    ALLFOLD_BLAME_READ_UNWRITTEN, /* `step` reads what no step wrote before */
    ALLFOLD_BLAME_MIXED_ELEMENTS, /* `step` reduces different elements of the vector */

    /* results: elements `first` to `first + length - 1` of the rank's result */
    ALLFOLD_BLAME_RESULT_UNWRITTEN,
    ALLFOLD_BLAME_OTHER_ELEMENT, /* they hold another element's result, from element `found` on */
    ALLFOLD_BLAME_MISSING,       /* they miss the contribution of rank `missing` */
    ALLFOLD_BLAME_TWICE,         /* they have that of rank `contribution` `found` times */
    ALLFOLD_BLAME_RANK_ORDER,    /* that of `contribution` stands left of that of a lower rank,
                                    `peer` */
    ALLFOLD_BLAME_BRACKETS,      /* bracketed differently than on rank `peer` */
    ALLFOLD_BLAME_WRONG_GIVER,   /* not what rank `missing` gave; that of `contribution` */

    ALLFOLD_BLAME_CLAIM, /* the schedules are right, but cost `found` and not `expected` */
    ALLFOLD_BLAME_RUN,   /* a run failed, for a reason that the schedules do not show */
    ALLFOLD_BLAME_KIND_COUNT
};

/* Fields that mean nothing for a kind are -1, or 0 where they are sizes. */
struct allfold_blame {
    enum allfold_blame_kind kind;
    int rank;         /* whose schedule shows the fault */
    int step;         /* of `rank` */
    int other_step;   /* of `rank` or, for a message, of `peer` */
    int peer;         /* the other rank of a message */
    int number;       /* of the message */
    int contribution; /* the rank whose contribution is there, but should not be so */
    int missing;      /* the rank whose contribution is not there */
    int buffer;       /* 0: IN, 1: OUT, 2 and more: scratch buffers */
    size_t first, length;
    size_t expected, found;
    int waiting;     /* ranks that wait for ever */
    char where[200]; /* "allreduce.ring, p = 3, 4 elements": of which case this is said */
    char text[900];  /* all of that in words: what is wrong, what was expected, what to do */
};

/* "never sent": the kind in a few words; NULL for what is no kind. */
const char *allfold_blame_kind_name(enum allfold_blame_kind kind);

struct allfold_case;
struct allfold_schedule;

/* Looks at the schedules of all ranks for what is wrong, the cause before what follows from it:
 * messages, data, results, the order of steps, then waiting for ever in the case's mode with its
 * window. Claims are not looked at. ALLFOLD_OK with kind NOTHING where nothing was found,
 * ALLFOLD_DISPROVED with a blame, or ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_blame_find(const struct allfold_case *of,
                                      struct allfold_schedule *const *schedules,
                                      struct allfold_blame *blame);

/* A blame of which `text` alone is known. */
void allfold_blame_say(struct allfold_blame *blame, enum allfold_blame_kind kind,
                       const struct allfold_case *of, const char *text);

#endif
