/* Performance guidelines of MPI (see guidelines.h). */
#include "lab/measure/guidelines.h"

#include <stdio.h>

const struct allfold_guideline allfold_guidelines[ALLFOLD_GUIDELINES] = {
    {ALLFOLD_ALLREDUCE, 2, {ALLFOLD_REDUCE_SCATTER_BLOCK, ALLFOLD_ALLGATHER}, false},
    {ALLFOLD_ALLREDUCE, 2, {ALLFOLD_REDUCE, ALLFOLD_BCAST}, false},
    {ALLFOLD_REDUCE, 1, {ALLFOLD_ALLREDUCE}, false},
    {ALLFOLD_BCAST, 1, {ALLFOLD_ALLREDUCE}, false},
    {ALLFOLD_ALLGATHER, 1, {ALLFOLD_ALLGATHERV}, false},
    {ALLFOLD_ALLGATHER, 1, {ALLFOLD_ALLREDUCE}, false},
    {ALLFOLD_REDUCE_SCATTER_BLOCK, 1, {ALLFOLD_REDUCE_SCATTER}, false},
    {ALLFOLD_REDUCE_SCATTER_BLOCK, 1, {ALLFOLD_ALLREDUCE}, false},
    {ALLFOLD_SCAN, 1, {ALLFOLD_EXSCAN}, true},
    {ALLFOLD_BARRIER, 1, {ALLFOLD_ALLREDUCE}, false},
};

const enum allfold_collective allfold_guideline_collectives[ALLFOLD_GUIDELINE_COLLECTIVES] = {
    ALLFOLD_ALLREDUCE,      ALLFOLD_REDUCE,    ALLFOLD_BCAST,      ALLFOLD_REDUCE_SCATTER_BLOCK,
    ALLFOLD_REDUCE_SCATTER, ALLFOLD_ALLGATHER, ALLFOLD_ALLGATHERV, ALLFOLD_SCAN,
    ALLFOLD_EXSCAN,         ALLFOLD_BARRIER};

void allfold_guideline_text(const struct allfold_guideline *guideline, char *text,
                            size_t text_bytes)
{
    const bool has_two = guideline->part_count > 1;
    snprintf(text, text_bytes, "%s <= %s%s%s%s", allfold_collective_name(guideline->collective),
             allfold_collective_name(guideline->parts[0]), has_two ? " + " : "",
             has_two ? allfold_collective_name(guideline->parts[1]) : "",
             guideline->reduces_locally ? " + reduce_local" : "");
}

/* Different sizes may be the same after it. */
static void round_sizes(struct allfold_size_list *sizes, size_t step_bytes, size_t parts)
{
    int count = 0;
    for (int i = 0; i < sizes->count; i++) {
        const size_t bytes = (sizes->sizes[i] + step_bytes - 1) / step_bytes * step_bytes / parts;
        if (count == 0 || bytes > sizes->sizes[count - 1])
            sizes->sizes[count++] = bytes;
    }
    sizes->count = count;
}

bool allfold_guideline_plan(const struct allfold_bench_plan *plan,
                            enum allfold_collective collective, int p,
                            struct allfold_bench_plan *one, char *message, size_t message_bytes)
{
    *one = *plan;
    one->collective = collective;
    if (!allfold_bench_plan_end(one, message, message_bytes))
        return false;
    if (collective != ALLFOLD_BARRIER)
        round_sizes(&one->sizes, (size_t)p * allfold_type_bytes(one->series[0].type),
                    allfold_has_blocks(collective) ? (size_t)p : 1);
    return true;
}
