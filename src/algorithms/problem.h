/* Problems: what a caller asked, seen from one rank. */
#ifndef ALLFOLD_ALGORITHMS_PROBLEM_H
#define ALLFOLD_ALGORITHMS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "schedule/builder.h"

enum allfold_collective {
    ALLFOLD_ALLREDUCE, /* IN: count on all; OUT: count on all */
    ALLFOLD_REDUCE,    /* IN: count on all; OUT: count on the root, none elsewhere */
    ALLFOLD_BCAST,     /* IN: count on the root, none elsewhere; OUT: count on all but the root */
    ALLFOLD_COLLECTIVE_COUNT
};

/* All but `group.index` and `in_place` is alike on all ranks, and only that may decide which
 * messages there are. */
struct allfold_problem {
    enum allfold_collective collective;
    struct allfold_group group;
    int root; /* index in the group; 0 where the collective has none */
    size_t count;
    size_t element_bytes; /* of an element as it travels, without gaps */
    bool commutative;     /* of the operation; true where there is none */
    bool exact;           /* any bracketing gives the same bits; true where there is no operation */
    bool one_node;        /* all ranks are on one node */
    bool in_place;        /* this rank's input lies in OUT */
};

/* "allreduce", "reduce", "bcast". */
const char *allfold_collective_name(enum allfold_collective collective);

/* What buffers the problem gives this rank. */
struct allfold_shape allfold_problem_shape(const struct allfold_problem *problem);

#endif
