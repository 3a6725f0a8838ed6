/* Properties of collectives and blocks of vectors (see problem.h). */
#include "algorithms/problem.h"

#include <assert.h>
#include <string.h>

#include "algorithms/peers.h"

static const struct allfold_traits traits[ALLFOLD_COLLECTIVE_COUNT] = {
    [ALLFOLD_ALLREDUCE] = {.name = "allreduce",
                           .mpi_name = "MPI_Allreduce",
                           .reduces = true,
                           .allows_in_place = true},
    [ALLFOLD_REDUCE] = {.name = "reduce",
                        .mpi_name = "MPI_Reduce",
                        .out_holders = ALLFOLD_ON_ROOT,
                        .has_root = true,
                        .reduces = true,
                        .allows_in_place = true},
    [ALLFOLD_BCAST] = {.name = "bcast",
                       .mpi_name = "MPI_Bcast",
                       .in_holders = ALLFOLD_ON_ROOT,
                       .out_holders = ALLFOLD_ON_ALL_BUT_ROOT,
                       .has_root = true},
    [ALLFOLD_REDUCE_SCATTER_BLOCK] = {.name = "reduce_scatter_block",
                                      .mpi_name = "MPI_Reduce_scatter_block",
                                      .in_is_blocks = true,
                                      .reduces = true,
                                      .allows_in_place = true},
    [ALLFOLD_REDUCE_SCATTER] = {.name = "reduce_scatter",
                                .mpi_name = "MPI_Reduce_scatter",
                                .in_is_blocks = true,
                                .blocks_differ = true,
                                .reduces = true,
                                .allows_in_place = true},
    [ALLFOLD_ALLGATHER] = {.name = "allgather",
                           .mpi_name = "MPI_Allgather",
                           .out_is_blocks = true,
                           .allows_in_place = true},
    [ALLFOLD_ALLGATHERV] = {.name = "allgatherv",
                            .mpi_name = "MPI_Allgatherv",
                            .out_is_blocks = true,
                            .blocks_differ = true,
                            .allows_in_place = true},
    [ALLFOLD_BARRIER] = {.name = "barrier",
                         .mpi_name = "MPI_Barrier",
                         .reduces = true,
                         .may_repeat = true},
    [ALLFOLD_SCAN] = {.name = "scan",
                      .mpi_name = "MPI_Scan",
                      .reduces = true,
                      .prefix = ALLFOLD_UP_TO_OWN,
                      .allows_in_place = true},
    /* It has no root; as its `root` is 0, rank 0 has no result. */
    [ALLFOLD_EXSCAN] = {.name = "exscan",
                        .mpi_name = "MPI_Exscan",
                        .out_holders = ALLFOLD_ON_ALL_BUT_ROOT,
                        .reduces = true,
                        .prefix = ALLFOLD_BELOW_OWN,
                        .allows_in_place = true},
};

const struct allfold_traits *allfold_traits(enum allfold_collective collective)
{
    return &traits[collective];
}

bool allfold_has_operation(enum allfold_collective collective)
{
    return traits[collective].reduces && !traits[collective].may_repeat;
}

int allfold_contributors(enum allfold_collective collective, int p, int r)
{
    static const int beyond[] = {[ALLFOLD_UP_TO_OWN] = 1, [ALLFOLD_BELOW_OWN] = 0};
    const enum allfold_prefix prefix = traits[collective].prefix;
    return prefix == ALLFOLD_OF_ALL ? p : r + beyond[prefix];
}

bool allfold_is_alike_on_all(enum allfold_collective collective)
{
    const struct allfold_traits *of = &traits[collective];
    return of->out_holders == ALLFOLD_ON_ALL && !of->in_is_blocks && of->prefix == ALLFOLD_OF_ALL;
}

bool allfold_has_all_of_all(enum allfold_collective collective)
{
    return !traits[collective].has_root && traits[collective].prefix == ALLFOLD_OF_ALL;
}

const char *allfold_collective_name(enum allfold_collective collective)
{
    return collective < ALLFOLD_COLLECTIVE_COUNT ? traits[collective].name : NULL;
}

enum allfold_collective allfold_collective_find(const char *name)
{
    int i = 0;
    while (i < ALLFOLD_COLLECTIVE_COUNT && strcmp(name, traits[i].name) != 0)
        i++;
    return (enum allfold_collective)i;
}

const struct allfold_nodes *allfold_nodes_for(const struct allfold_problem *problem,
                                              const struct allfold_nodes *nodes)
{
    const struct allfold_nodes *seen = allfold_nodes_seen(nodes);
    const bool has_order = !problem->commutative || allfold_has_blocks(problem->collective) ||
                           allfold_traits(problem->collective)->prefix != ALLFOLD_OF_ALL;
    return has_order || seen == NULL || seen->ordered == NULL ? seen : seen->ordered;
}

bool allfold_has_blocks(enum allfold_collective collective)
{
    return traits[collective].in_is_blocks || traits[collective].out_is_blocks;
}

size_t allfold_problem_length(const struct allfold_problem *problem)
{
    if (!allfold_has_blocks(problem->collective))
        return problem->count;
    if (problem->begins != NULL)
        return problem->begins[problem->group.size];
    return problem->length > 0 ? problem->length : problem->count * (size_t)problem->group.size;
}

bool allfold_blocks_are_alike(const struct allfold_problem *problem)
{
    return allfold_problem_length(problem) == (size_t)problem->group.size * problem->count;
}

size_t allfold_block_begin(const struct allfold_problem *problem, int i)
{
    const int p = problem->group.size;
    assert(i >= 0 && i <= p);
    return problem->begins != NULL ? problem->begins[i]
                                   : block_begin(allfold_problem_length(problem), p, i);
}

size_t allfold_block_length(const struct allfold_problem *problem, int i)
{
    return allfold_block_begin(problem, i + 1) - allfold_block_begin(problem, i);
}

struct allfold_span allfold_blocks(int buffer, const struct allfold_problem *problem, int first,
                                   int blocks)
{
    const size_t begin = allfold_block_begin(problem, first);
    return (struct allfold_span){.offset = begin,
                                 .length = allfold_block_begin(problem, first + blocks) - begin,
                                 .buffer = buffer};
}

struct allfold_span allfold_blocks_in(struct allfold_span all, int p, int first, int blocks)
{
    const size_t begin = block_begin(all.length, p, first);
    return (struct allfold_span){.offset = all.offset + begin,
                                 .length = block_begin(all.length, p, first + blocks) - begin,
                                 .buffer = all.buffer};
}

size_t allfold_longest_block(const struct allfold_problem *problem)
{
    const int p = problem->group.size;
    size_t longest = allfold_block_length(problem, 0);
    for (int i = 1; i < p && problem->begins != NULL; i++)
        if (allfold_block_length(problem, i) > longest)
            longest = allfold_block_length(problem, i);
    return longest;
}

size_t allfold_shortest_block(const struct allfold_problem *problem)
{
    const int p = problem->group.size;
    size_t shortest = allfold_block_length(problem, p - 1);
    for (int i = 0; i < p - 1 && problem->begins != NULL; i++)
        if (allfold_block_length(problem, i) < shortest)
            shortest = allfold_block_length(problem, i);
    return shortest;
}

size_t allfold_all_but_one(const struct allfold_problem *problem)
{
    return problem->begins != NULL
               ? allfold_problem_length(problem) - allfold_shortest_block(problem)
               : ((size_t)problem->group.size - 1) * problem->count;
}

/* The length of this rank's own block, or of the vector. */
static size_t own_length(const struct allfold_problem *problem)
{
    return allfold_has_blocks(problem->collective)
               ? allfold_block_length(problem, problem->group.index)
               : problem->count;
}

struct allfold_problem allfold_whole_problem(const struct allfold_problem *problem)
{
    struct allfold_problem whole = *problem;
    whole.collective = ALLFOLD_ALLREDUCE; /* all of a vector, of which blocks are asked for */
    whole.count = allfold_problem_length(problem);
    whole.length = 0;
    return whole;
}

static bool holds(const struct allfold_problem *problem, enum allfold_holders holders)
{
    return allfold_is_holder(holders, problem->group.index == problem->root);
}

bool allfold_problem_allows_in_place(const struct allfold_problem *problem)
{
    const struct allfold_traits *of = allfold_traits(problem->collective);
    return of->allows_in_place && holds(problem, of->in_holders) && holds(problem, of->out_holders);
}

/* In place the input is where MPI puts it: at the start of OUT, which is then as long as all of it.
 * If OUT consists of blocks, it is at this rank's own block. */
struct allfold_shape allfold_problem_shape(const struct allfold_problem *problem)
{
    const struct allfold_traits *of = allfold_traits(problem->collective);
    const size_t length = allfold_problem_length(problem), own = own_length(problem);
    struct allfold_shape shape = {.group = problem->group, .in_place = problem->in_place};
    if (holds(problem, of->in_holders))
        shape.in_length = of->in_is_blocks ? length : own;
    if (holds(problem, of->out_holders))
        shape.out_length = of->out_is_blocks ? length : own;
    if (problem->in_place && of->out_is_blocks)
        shape.in_place_offset = allfold_block_begin(problem, problem->group.index);
    if (problem->in_place && shape.out_length < shape.in_length)
        shape.out_length = shape.in_length;
    return shape;
}
