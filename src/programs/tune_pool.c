/* Contenders that are kept (see tune_pool.h). */
#include "programs/tune_pool.h"

#include <string.h>

enum { FIRST_CALLS = 5 }; /* on a communicator: memory is shared after them */

void allfold_tune_pool_close(struct allfold_tune_pool *pool)
{
    for (int i = 0; i < pool->count; i++)
        allfold_bench_contender_close(&pool->contenders[i]);
    pool->count = 0;
}

static bool begin_calls(const struct allfold_bench *bench, const struct allfold_bench_plan *plan,
                        const struct allfold_bench_contender *contender)
{
    struct allfold_bench_vectors vectors;
    const struct allfold_bench_plan_series *series = &plan->series[0];
    const size_t bytes = allfold_type_bytes(series->type);
    const bool fits = allfold_bench_vectors_open(&vectors, plan, series, bytes, bench->comm);
    for (int i = 0; fits && i < FIRST_CALLS; i++)
        allfold_bench_call(contender, &vectors);
    allfold_bench_vectors_close(&vectors);
    return fits;
}

static bool open_one(struct allfold_tune_pool *pool, struct allfold_bench *bench,
                     const struct allfold_bench_plan *plan, int index, char *message,
                     size_t message_bytes)
{
    const char *name = plan->algorithms[index].name;
    int i = 0;
    while (i < pool->count && strcmp(pool->names[i], name) != 0)
        i++;
    struct allfold_bench_contender *contender = &pool->contenders[i];
    const bool is_new = i == pool->count;
    if (is_new &&
        !allfold_bench_contender_open(contender, plan, index, bench->comm, message, message_bytes))
        return false;
    if (is_new)
        memcpy(pool->names[pool->count++], name, sizeof pool->names[i]);
    bench->contenders[index] = *contender;
    bench->contenders[index].algorithm = &plan->algorithms[index];
    return !is_new || begin_calls(bench, plan, contender);
}

bool allfold_tune_pool_open(struct allfold_tune_pool *pool, struct allfold_bench *bench,
                            const struct allfold_bench_plan *plan, char *message,
                            size_t message_bytes)
{
    bool fits = true;
    if (pool->count + plan->algorithm_count > ALLFOLD_PLAN_ALGORITHMS)
        allfold_tune_pool_close(pool);
    for (int i = 0; fits && i < plan->algorithm_count; i++)
        fits = open_one(pool, bench, plan, i, message, message_bytes);
    return fits;
}
