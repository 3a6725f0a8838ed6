/* How often each rank must call a split-phase allreduce with a timeout of 0 until it is done. These
 * calls are the argument of End et al. 2016 (section I) for algorithms with few rounds in which all
 * ranks take part. In each turn all ranks call it once, in an order that is drawn anew, and between
 * the calls they compute. A message that is sent in a turn has arrived by the next one, and by the
 * same turn for ranks that call later.
 *
 * Real executors run real schedules through the transport of shared memory, all in one process.
 * Prints for each number of ranks and algorithm its rounds and the calls of a rank. The calls are
 * the average and those of the last rank to end, over 1001 draws. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "execute/executor.h"
#include "transport/shared_memory.h"

enum { DRAWS = 1001, MOST = 33, BUFFER_BYTES = 64 };

struct rank {
    struct allfold_schedule *schedule;
    struct allfold_executor *executor;
    struct allfold_shared_memory *shared;
    void *scratch;
    int64_t in, out;
    int calls;
    bool is_done;
};

static struct rank ranks[MOST];
static int index_of[MOST];
static uint64_t state = 1;

static int random_below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static int add(const struct allfold_elements *elements, void *to, const void *left,
               const void *right, size_t count)
{
    (void)elements;
    for (size_t i = 0; i < count; i++)
        ((int64_t *)to)[i] = ((const int64_t *)left)[i] + ((const int64_t *)right)[i];
    return 0;
}

static int copy(const struct allfold_elements *elements, void *to, const void *from, size_t count)
{
    (void)elements;
    memcpy(to, from, count * sizeof(int64_t));
    return 0;
}

static const struct allfold_elements elements = {
    .extent_bytes = sizeof(int64_t), .high_bytes = sizeof(int64_t), .reduce = add, .copy = copy};

static void *must(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "bench_calls_until_done: no memory\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void open_rank(int r, const struct allfold_algorithm *algorithm,
                      const struct allfold_problem *problem,
                      const struct allfold_parameters *parameters, void *memory)
{
    struct rank *rank = &ranks[r];
    struct allfold_problem mine = *problem;
    mine.group = allfold_group_all(problem->group.size, r);
    if (allfold_build(algorithm, &mine, parameters, &rank->schedule, NULL, 0) != ALLFOLD_OK)
        must(NULL);
    const struct allfold_shared_options options = {.memory = memory,
                                                   .size = problem->group.size,
                                                   .index = r,
                                                   .index_of = index_of,
                                                   .buffer_bytes = BUFFER_BYTES};
    rank->shared = must(allfold_shared_create(&options));
    rank->executor = must(allfold_executor_create(rank->schedule, ALLFOLD_WINDOW));
    rank->scratch =
        must(aligned_alloc(64, 64 + allfold_executor_scratch_bytes(rank->schedule, &elements)));
}

static void close_rank(struct rank *rank)
{
    allfold_executor_free(rank->executor);
    allfold_shared_free(rank->shared);
    allfold_schedule_free(rank->schedule);
    free(rank->scratch);
}

/* One call with a timeout of 0; the first one starts. Returns whether it was the last. */
static bool call(struct rank *rank, int64_t in)
{
    const struct allfold_binding binding = {.in = &rank->in,
                                            .out = &rank->out,
                                            .scratch = rank->scratch,
                                            .elements = &elements,
                                            .transport = allfold_shared_transport(rank->shared)};
    if (rank->calls++ == 0) {
        rank->in = in;
        allfold_shared_begin(rank->shared, sizeof(int64_t));
        if (allfold_executor_start(rank->executor, &binding) != 0)
            must(NULL);
    }
    if (allfold_executor_test(rank->executor, &rank->is_done) != 0)
        must(NULL);
    return rank->is_done;
}

static void draw(int p, double *sum, int *most)
{
    int order[MOST];
    for (int i = 0; i < p; i++) {
        order[i] = i;
        ranks[i].calls = 0;
        ranks[i].is_done = false;
    }
    for (int left = p; left > 0;) {
        for (int i = p - 1; i > 0; i--) {
            const int j = random_below(i + 1), moved = order[i];
            order[i] = order[j];
            order[j] = moved;
        }
        for (int i = 0; i < p; i++)
            if (!ranks[order[i]].is_done)
                left -= call(&ranks[order[i]], order[i]);
    }
    for (int i = 0; i < p; i++) {
        if (ranks[i].out != (int64_t)p * (p - 1) / 2)
            fprintf(stderr, "rank %d of %d has a wrong result\n", i, p);
        *sum += ranks[i].calls;
        *most = ranks[i].calls > *most ? ranks[i].calls : *most;
    }
}

static void measure(int p, const char *name, size_t parameter)
{
    const struct allfold_algorithm *algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, name);
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(p, 0),
                                            .count = 1,
                                            .element_bytes = sizeof(int64_t),
                                            .commutative = true,
                                            .exact = true};
    struct allfold_parameters parameters = allfold_parameter_presets(algorithm);
    double calls = 0, last = 0;
    if (parameter > 0)
        parameters.value[0] = parameter;
    if (allfold_unmet_need(algorithm, &problem, &parameters) != NULL)
        return;
    const size_t bytes = (allfold_shared_bytes(p, BUFFER_BYTES) + 63) / 64 * 64;
    void *memory = memset(must(aligned_alloc(64, bytes)), 0, bytes);
    for (int r = 0; r < p; r++)
        open_rank(r, algorithm, &problem, &parameters, memory);
    for (int i = 0; i < DRAWS; i++) {
        int most = 0;
        draw(p, &calls, &most);
        last += most;
    }
    printf("%4d  %-18s", p, name);
    if (parameter > 0)
        printf(" n = %zu", parameter);
    else
        printf("      ");
    printf("  %6zu  %8.2f  %8.2f\n", algorithm->claim(&problem, &parameters).rounds,
           calls / DRAWS / p, last / DRAWS);
    for (int r = 0; r < p; r++)
        close_rank(&ranks[r]);
    free(memory);
}

int main(void)
{
    static const int sizes[] = {8, 16, 33};
    printf("   p  algorithm                 rounds  calls of  of the\n"
           "                                          a rank  last one\n");
    for (int r = 0; r < MOST; r++)
        index_of[r] = r;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        measure(sizes[i], "binomial_tree", 0);
        measure(sizes[i], "pairwise_exchange", 0);
        for (size_t n = 1; n <= 5; n++)
            measure(sizes[i], "dissemination", n);
        for (size_t n = 1; n <= 5; n += 2)
            measure(sizes[i], "bruck", n);
    }
    return EXIT_SUCCESS;
}
