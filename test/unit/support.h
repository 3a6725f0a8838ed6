/* What several unit tests share. */
#ifndef ALLFOLD_TEST_SUPPORT_H
#define ALLFOLD_TEST_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "algorithms/algorithm.h"
#include "schedule/schedule.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A random number below `bound`; the same ones for the same seed everywhere. */
uint32_t random_below(uint64_t *seed, uint32_t bound);

/* The number of the algorithm of that name, as parameters that name one have it. */
size_t number_of(enum allfold_collective collective, const char *name);

/* allfold_nodes_extended, which has memory. */
const struct allfold_nodes *extended(const struct allfold_nodes *nodes,
                                     struct allfold_nodes_facts facts);

/* Writes `steps` random verbs into a builder. They have spans of IN, OUT and `scratch_buffers`
 * scratch buffers of `length` elements each, peers 0 .. p-1 of its group but itself. */
void write_random_program(struct allfold_builder *s, uint64_t *seed, int steps, size_t length,
                          int scratch_buffers);

/* A schedule as a list of steps and a list of edges, both of which may be changed. */
struct edge {
    uint32_t from, to;
};

struct draft {
    uint32_t step_count, edge_count, buffer_count;
    size_t buffer_length[ALLFOLD_MAX_BUFFERS];
    struct allfold_step *steps;
    struct edge *edges;
};

struct draft draft_of(const struct allfold_schedule *schedule);
void draft_free(struct draft *draft);

/* The schedule that a draft describes, made by the test's own reading of schedule.h: messages are
 * counted anew, their numbers stay. Freed with allfold_schedule_free. */
struct allfold_schedule *schedule_of(const struct draft *draft);

/* Leaves a step out; what waited for it waits for what it waited for. */
void draft_drop_step(struct draft *draft, uint32_t step);
void draft_drop_edge(struct draft *draft, uint32_t edge);

#endif
