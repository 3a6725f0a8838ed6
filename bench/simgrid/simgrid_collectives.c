/* Measures a collective of doubles in SimGrid's SMPI: the simulated time of the slowest rank, with
 * Allfold's algorithms and with SMPI's own ones, which smpirun's option smpi/coll-selector selects.
 *
 *     smpirun ... simgrid_collectives [--check] COLLECTIVE SIZES CONTENDER...
 *
 * COLLECTIVE is allreduce, reduce, bcast, allgather or reduce_scatter_block; the root is rank 0.
 * SIZES is a list such as 8:8M (lab/measure/size_list.h): the bytes of the whole vector, as for
 * choices. For the last two collectives, the vector has a block for each rank, so its size is
 * rounded up to a multiple of p doubles. A contender is one of these:
 *
 *     native        SMPI's own algorithm
 *     default       Allfold's choice, by its table and by ALLFOLD_TABLE
 *     ring, ...     an algorithm as in ALLFOLD_ALGORITHM
 *
 * Algorithms that do not support the call are skipped. Rank 0 prints a line for each size and
 * contender, with the size as in SIZES and the algorithm that was used:
 *
 *     p,bytes,contender,algorithm,microseconds
 *
 * With --check it prints "wrong result" instead of the time if the result of a rank is wrong; if it
 * is Allfold's result, the program then fails. Some of SMPI's algorithms are wrong for some numbers
 * of ranks.
 *
 * A simulation has no noise, so each call is measured once. All ranks start at the same simulated
 * time, long after the first calls, which create communicators. Without --check all ranks share the
 * memory of their vectors, which saves memory. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allfold.h"
#include "begin_together.h"
#include "lab/measure/size_list.h"
#include "mpi/call/caller.h"
#include "mpi/call/entry.h"
#include "select/settings.h"

static const enum allfold_collective collectives[] = {ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE,
                                                      ALLFOLD_BCAST, ALLFOLD_ALLGATHER,
                                                      ALLFOLD_REDUCE_SCATTER_BLOCK};

struct run {
    int p, rank;
    bool checks, is_wrong;
    bool is_warm[2]; /* Allfold's, and SMPI's own */
    enum allfold_collective collective;
    size_t bytes;         /* as asked for */
    size_t count, length; /* doubles of a block, and of the whole vector */
    double *in, *out;     /* each has room for the whole vector */
};

static int find_most(int mine)
{
    int most = 0;
    PMPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* --- calls --- */

static int call_native(const struct run *run, int count)
{
    switch (run->collective) {
    case ALLFOLD_REDUCE:
        return PMPI_Reduce(run->in, run->out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    case ALLFOLD_BCAST:
        return PMPI_Bcast(run->out, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    case ALLFOLD_ALLGATHER:
        return PMPI_Allgather(run->in, count, MPI_DOUBLE, run->out, count, MPI_DOUBLE,
                              MPI_COMM_WORLD);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return PMPI_Reduce_scatter_block(run->in, run->out, count, MPI_DOUBLE, MPI_SUM,
                                         MPI_COMM_WORLD);
    default:
        return PMPI_Allreduce(run->in, run->out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static int call_ours(const struct run *run, size_t count)
{
    switch (run->collective) {
    case ALLFOLD_REDUCE:
        return allfold_reduce(run->in, run->out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    case ALLFOLD_BCAST:
        return allfold_bcast(run->out, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    case ALLFOLD_ALLGATHER:
        return allfold_allgather(run->in, count, MPI_DOUBLE, run->out, count, MPI_DOUBLE,
                                 MPI_COMM_WORLD);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return allfold_reduce_scatter_block(run->in, run->out, count, MPI_DOUBLE, MPI_SUM,
                                            MPI_COMM_WORLD);
    default:
        return allfold_allreduce(run->in, run->out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static int call(const struct run *run, bool is_native, size_t count)
{
    return is_native ? call_native(run, (int)count) : call_ours(run, count);
}

/* --- results --- */

/* Exact in any order: whole numbers. */
static double element(size_t i, size_t rank)
{
    return (double)(i % 13 + rank);
}

static double sum_of(size_t i, double p)
{
    return p * element(i, 0) + p * (p - 1) / 2;
}

static size_t result_length(const struct run *run)
{
    if (run->collective == ALLFOLD_REDUCE && run->rank != 0)
        return 0;
    return run->collective == ALLFOLD_REDUCE_SCATTER_BLOCK ? run->count : run->length;
}

static double expected(const struct run *run, size_t i)
{
    switch (run->collective) {
    case ALLFOLD_BCAST:
        return element(i, 0);
    case ALLFOLD_ALLGATHER:
        return element(i % run->count, i / run->count);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return sum_of((size_t)run->rank * run->count + i, run->p);
    default:
        return sum_of(i, run->p);
    }
}

static void fill(struct run *run)
{
    const bool is_source = run->collective == ALLFOLD_BCAST && run->rank == 0;
    for (size_t i = 0; run->checks && i < run->length; i++) {
        run->in[i] = element(i, (size_t)run->rank);
        run->out[i] = is_source ? element(i, 0) : -1;
    }
}

/* Whether all ranks have the right result, which is said of Allfold's. */
static bool is_right(struct run *run, const char *contender, bool is_native)
{
    int wrong = 0;
    for (size_t i = 0; run->checks && i < result_length(run) && !wrong; i++)
        wrong = run->out[i] != expected(run, i);
    if (!run->checks || !find_most(wrong))
        return true;
    run->is_wrong |= !is_native;
    if (run->rank == 0 && !is_native)
        fprintf(stderr, "simgrid_collectives: wrong result of %s, %zu bytes on %d ranks: %s\n",
                allfold_collective_name(run->collective), run->bytes, run->p, contender);
    return false;
}

/* --- times --- */

/* Two-level algorithms make communicators in their first call, and Allfold looks for memory to
 * share in the fourth. SMPI takes p^2 messages for some of its own, so only those that are measured
 * make them. */
static int warm_up(struct run *run, bool is_native)
{
    enum { CALLS = 4 };
    int error = MPI_SUCCESS;
    for (int i = 0; i < CALLS && !run->is_warm[is_native] && error == MPI_SUCCESS; i++)
        error = call(run, is_native, 1);
    run->is_warm[is_native] = true;
    return error;
}

/* The algorithm that served Allfold's last call. */
static void name_algorithm(char *name, size_t bytes)
{
    const struct allfold_communicator *state = allfold_communicator_of(MPI_COMM_WORLD);
    const struct allfold_entry *entry = allfold_caller_of(state)->cache.last;
    snprintf(name, bytes, "native");
    if (entry != NULL)
        allfold_algorithm_write(entry->choice.algorithm, &entry->choice.parameters, name, bytes);
}

/* Asked beforehand, as errors of Allfold's calls end a simulation. */
static bool can_serve(struct run *run, const char *algorithm)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    struct allfold_rules rules;
    struct allfold_choice choice;
    const struct allfold_choice_inputs inputs = {.rules = &rules};
    const struct allfold_shape_key key = {.collective = run->collective,
                                          .count = run->count,
                                          .element_bytes = sizeof(double),
                                          .commutative = true};
    const struct allfold_problem problem =
        allfold_entry_problem(allfold_communicator_of(MPI_COMM_WORLD), &key);
    if (allfold_rules_read(run->collective, algorithm, &rules, message, sizeof message) ==
        ALLFOLD_OK)
        return allfold_choose(&inputs, &problem, &choice, message, sizeof message) == ALLFOLD_OK;
    run->is_wrong = true;
    if (run->rank == 0)
        fprintf(stderr, "simgrid_collectives: %s\n", message);
    return false;
}

/* Tells Allfold what to do in the next calls. False where it cannot. */
static bool take_turn(struct run *run, const char *contender)
{
    const char *rule = strcmp(contender, "default") == 0 ? "" : contender;
    char rules[ALLFOLD_MESSAGE_BYTES];
    snprintf(rules, sizeof rules, "%s=%s", allfold_collective_name(run->collective), rule);
    return can_serve(run, rule) &&
           allfold_comm_set(MPI_COMM_WORLD, "ALLFOLD_ALGORITHM", rules) == MPI_SUCCESS;
}

static void measure(struct run *run, const char *contender)
{
    const bool is_native = strcmp(contender, "native") == 0;
    char name[ALLFOLD_MESSAGE_BYTES] = "native";
    if (warm_up(run, is_native) != MPI_SUCCESS) {
        run->is_wrong = true;
        return;
    }
    if (!is_native && !take_turn(run, contender))
        return;
    fill(run);
    const double begin_s = allfold_begin_together();
    const int error = call(run, is_native, run->count);
    double end_s = MPI_Wtime(), latest_s;
    const bool failed = find_most(error != MPI_SUCCESS) != 0;
    run->is_wrong |= failed && !is_native;
    PMPI_Allreduce(&end_s, &latest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const bool right = !failed && is_right(run, contender, is_native);
    if (!is_native)
        name_algorithm(name, sizeof name);
    if (run->rank == 0 && !right)
        printf("%d,%zu,\"%s\",\"wrong result\",\n", run->p, run->bytes, contender);
    else if (run->rank == 0)
        printf("%d,%zu,\"%s\",\"%s\",%.4f\n", run->p, run->bytes, contender, name,
               1e6 * (latest_s - begin_s));
    fflush(stdout);
}

/* False where there is no memory. */
static bool run_size(struct run *run, size_t bytes, int contenders, char *const *contender)
{
    const size_t blocks = allfold_has_blocks(run->collective) ? (size_t)run->p : 1;
    const size_t block_bytes = blocks * sizeof(double);
    run->bytes = bytes;
    run->count = bytes == 0 ? 1 : (bytes + block_bytes - 1) / block_bytes;
    run->length = run->count * blocks;
    const size_t rounded = run->length * sizeof(double);
    run->in = run->checks ? malloc(rounded) : SMPI_SHARED_MALLOC(rounded);
    run->out = run->checks ? malloc(rounded) : SMPI_SHARED_MALLOC(rounded);
    const bool has_memory = !find_most(run->in == NULL || run->out == NULL);
    for (int i = 0; i < contenders && has_memory; i++)
        measure(run, contender[i]);
    free(run->in);
    free(run->out);
    return has_memory;
}

static bool read_collective(struct run *run, const char *name)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        run->collective = collectives[i];
        if (strcmp(allfold_collective_name(run->collective), name) == 0)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct allfold_size_list sizes;
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    struct run run = {.checks = argc > 1 && strcmp(argv[1], "--check") == 0};
    const int first = run.checks ? 2 : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &run.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    /* SMPI 3.32 says NULL where none was set, and cannot set that again */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (argc < first + 3 || !read_collective(&run, argv[first]) ||
        !allfold_size_list_read(argv[first + 1], &sizes, message, sizeof message)) {
        if (run.rank == 0)
            fprintf(stderr, "simgrid_collectives [--check] COLLECTIVE SIZES CONTENDER...: %s\n",
                    message);
        return MPI_Finalize() == MPI_SUCCESS ? 2 : 3;
    }
    bool has_memory = true;
    for (int i = 0; i < sizes.count && has_memory; i++)
        has_memory = run_size(&run, sizes.sizes[i], argc - first - 2, argv + first + 2);
    if (!has_memory && run.rank == 0)
        fprintf(stderr, "simgrid_collectives: no memory\n");
    MPI_Finalize();
    return run.is_wrong || !has_memory;
}
