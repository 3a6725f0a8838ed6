/* Contenders of a tuning, each with a communicator that it keeps from size to size. */
#ifndef ALLFOLD_MPI_TUNE_POOL_H
#define ALLFOLD_MPI_TUNE_POOL_H

#include "programs/bench_run.h"

struct allfold_tune_pool {
    int count;
    struct allfold_bench_contender contenders[ALLFOLD_PLAN_ALGORITHMS];
    char names[ALLFOLD_PLAN_ALGORITHMS][ALLFOLD_PLAN_NAME_BYTES];
};

/* Gives the bench a contender for each algorithm of the plan, whose collective and first series are
 * those of all in the pool. A new one has had its first calls. False with a message. Collective. */
bool allfold_tune_pool_open(struct allfold_tune_pool *pool, struct allfold_bench *bench,
                            const struct allfold_bench_plan *plan, char *message,
                            size_t message_bytes);
void allfold_tune_pool_close(struct allfold_tune_pool *pool);

#endif
