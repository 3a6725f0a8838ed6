/* The library's collectives as those of the tests' calls. */
#ifndef SERVED_H
#define SERVED_H

#include "allfold_core.h"
#include "calls.h"

static const enum collective collectives[ALLFOLD_COLLECTIVE_COUNT] = {
    [ALLFOLD_ALLREDUCE] = ALLREDUCE,
    [ALLFOLD_REDUCE] = REDUCE,
    [ALLFOLD_BCAST] = BCAST,
    [ALLFOLD_REDUCE_SCATTER_BLOCK] = REDUCE_SCATTER_BLOCK,
    [ALLFOLD_REDUCE_SCATTER] = REDUCE_SCATTER,
    [ALLFOLD_ALLGATHER] = ALLGATHER,
    [ALLFOLD_ALLGATHERV] = ALLGATHERV,
    [ALLFOLD_BARRIER] = BARRIER,
    [ALLFOLD_SCAN] = SCAN,
    [ALLFOLD_EXSCAN] = EXSCAN,
};

#endif
