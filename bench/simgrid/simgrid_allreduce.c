/* Allreduce of doubles in SimGrid's SMPI: simulated time of the slowest rank, of Allfold's and of
 * SMPI's own by whatever selector smpirun was told.
 *
 *     smpirun ... simgrid_allreduce [--check | --known FILE] SIZES CONTENDER...
 *
 * SIZES is a list like 8:8M (measure/size_list.h). A contender is one of these:
 *
 *     native        SMPI's own
 *     default       ours, as the cost model chooses where nothing was measured
 *     calibrated    the same with constants of this network
 *     candidates    all of ours that the calibrated model takes for worth a trial, with parameters
 *     each          all of ours with their preset parameters
 *     ring, ...     an algorithm as in ALLFOLD_ALLREDUCE
 *
 * Algorithms that cannot serve are left out. Rank 0 prints a line for each size and contender:
 *
 *     p,bytes,contender,algorithm,microseconds
 *
 * A simulation has no noise, so a call is timed once. All ranks begin at the same simulated moment,
 * long after the first calls, in which communicators are made. With --check the program checks
 * results; without it all ranks share the memory of their vectors, which saves memory. Each line of
 * FILE has bytes, microseconds and an algorithm, timed earlier: such a call is not simulated again.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allfold.h"
#include "measure/size_list.h"
#include "mpi/call/entry.h"
#include "select/candidates.h"
#include "simulated_calibration.h"

enum { MEASURED = 64 };

/* What was timed with the vectors of this size: contenders that choose alike take no second run. */
struct measured {
    char name[ALLFOLD_MESSAGE_BYTES];
    double time_s;
};

/* What an earlier run timed. */
struct known {
    size_t bytes;
    double microseconds;
    char name[ALLFOLD_MESSAGE_BYTES];
};

struct run {
    int p, rank;
    bool checks, is_wrong;
    bool is_warm[2]; /* ours, and SMPI's own */
    bool is_calibrated;
    struct allfold_cost_model costs; /* of this network, where is_calibrated */
    size_t count;
    double *in, *out;
    int measured_count;
    struct measured *measured;
    int known_count;
    struct known *known;
};

static int find_most(int mine)
{
    int most = 0;
    PMPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* Exact in any order: whole numbers. */
static double element(size_t i, int rank)
{
    return (double)(i % 13 + (size_t)rank);
}

static void fill(struct run *run)
{
    for (size_t i = 0; run->checks && i < run->count; i++) {
        run->in[i] = element(i, run->rank);
        run->out[i] = -1;
    }
}

static void check(struct run *run, const char *contender)
{
    const double p = run->p;
    int wrong = 0;
    for (size_t i = 0; run->checks && i < run->count && !wrong; i++)
        wrong = run->out[i] != p * element(i, 0) + p * (p - 1) / 2;
    if (!run->checks || !find_most(wrong))
        return;
    run->is_wrong = true;
    if (run->rank == 0)
        fprintf(stderr, "simgrid_allreduce: wrong sum of %zu bytes on %d ranks: %s\n",
                run->count * sizeof(double), run->p, contender);
}

static int call(const struct run *run, bool is_native)
{
    if (is_native)
        return PMPI_Allreduce(run->in, run->out, (int)run->count, MPI_DOUBLE, MPI_SUM,
                              MPI_COMM_WORLD);
    return allfold_allreduce(run->in, run->out, run->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Two-level ones make communicators in their first call, and so do ours, which look for memory to
 * share in the fourth. SMPI takes p^2 messages for some of its own, so only those that are measured
 * make them. */
static int warm_up(struct run *run, bool is_native)
{
    enum { CALLS = 4 };
    double one = 1, sum;
    const struct run small = {.count = 1, .in = &one, .out = &sum};
    int error = MPI_SUCCESS;
    for (int i = 0; i < CALLS && !run->is_warm[is_native] && error == MPI_SUCCESS; i++)
        error = call(&small, is_native);
    run->is_warm[is_native] = true;
    return error;
}

/* --- contenders of ours --- */

/* Once; false where there are no nodes to measure between. */
static bool calibrate(struct run *run)
{
    const struct allfold_nodes *nodes = allfold_communicator_of(MPI_COMM_WORLD)->nodes;
    if (!run->is_calibrated && nodes != NULL && nodes->count > 0)
        run->is_calibrated = allfold_simulated_calibration(nodes, &run->costs);
    run->is_wrong |= !run->is_calibrated;
    if (!run->is_calibrated && run->rank == 0)
        fprintf(stderr, "simgrid_allreduce: there is nothing to calibrate by\n");
    return run->is_calibrated;
}

static struct allfold_problem problem_of(const struct run *run, bool is_calibrated)
{
    const struct allfold_shape_key key = {.collective = ALLFOLD_ALLREDUCE,
                                          .count = run->count,
                                          .element_bytes = sizeof(double),
                                          .commutative = true};
    struct allfold_communicator *state = allfold_communicator_of(MPI_COMM_WORLD);
    state->costs = is_calibrated ? &run->costs : NULL;
    return allfold_entry_problem(state, &key);
}

/* The one rule in a text; where it is empty the model chooses. False where that cannot serve. */
static bool choose(const struct run *run, const char *text, bool is_calibrated,
                   struct allfold_choice *choice)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    struct allfold_rules rules = {.count = 0};
    const struct allfold_guides guides = {.rules = &rules};
    const struct allfold_problem problem = problem_of(run, is_calibrated);
    return allfold_rules_read(ALLFOLD_ALLREDUCE, text, &rules, message, sizeof message) ==
               ALLFOLD_OK &&
           allfold_choose(&guides, &problem, choice, message, sizeof message) == ALLFOLD_OK;
}

/* Names the algorithm, which all ranks take from now on. False where it cannot serve. */
static bool take_turn(struct run *run, const char *contender, char *name, size_t bytes)
{
    struct allfold_choice choice;
    const bool is_default = strcmp(contender, "default") == 0;
    const bool is_chosen = is_default || strcmp(contender, "calibrated") == 0;
    if (!choose(run, is_chosen ? "" : contender, !is_default, &choice))
        return false;
    allfold_algorithm_write(choice.algorithm, &choice.parameters, name, bytes);
    return allfold_comm_set(MPI_COMM_WORLD, "ALLFOLD_ALLREDUCE", name) == MPI_SUCCESS;
}

static void say(const struct run *run, const char *contender, const char *name, double time_s)
{
    if (run->rank == 0)
        printf("%d,%zu,\"%s\",\"%s\",%.4f\n", run->p, run->count * sizeof(double), contender, name,
               1e6 * time_s);
    fflush(stdout);
}

/* The time of one call of what was chosen; negative where it failed. */
static double time_call(struct run *run, const char *contender, bool is_native)
{
    fill(run);
    const double begin_s = allfold_simulated_begin();
    const int error = call(run, is_native);
    double end_s = MPI_Wtime(), latest_s;
    if (error != MPI_SUCCESS)
        return -1;
    PMPI_Allreduce(&end_s, &latest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    check(run, contender);
    return latest_s - begin_s;
}

/* NULL where it was not timed yet. */
static const struct measured *find_measured(const struct run *run, const char *name)
{
    for (int i = 0; i < run->measured_count; i++)
        if (strcmp(run->measured[i].name, name) == 0)
            return &run->measured[i];
    return NULL;
}

static void keep_measured(struct run *run, const char *name, double time_s)
{
    if (run->measured_count == MEASURED)
        return;
    struct measured *kept = &run->measured[run->measured_count++];
    snprintf(kept->name, sizeof kept->name, "%s", name);
    kept->time_s = time_s;
}

/* Takes what an earlier run timed with vectors of this size. */
static void keep_known(struct run *run)
{
    for (int i = 0; i < run->known_count; i++)
        if (run->known[i].bytes == run->count * sizeof(double))
            keep_measured(run, run->known[i].name, 1e-6 * run->known[i].microseconds);
}

/* Each rank reads the file, so all know the same. False where it cannot be read. */
static bool read_known(struct run *run, const char *path)
{
    enum { MOST = 4096 };
    FILE *file = fopen(path, "r");
    run->known = file == NULL ? NULL : malloc(MOST * sizeof *run->known);
    struct known *next = run->known;
    while (next != NULL && run->known_count < MOST &&
           fscanf(file, "%zu %lf %255[^\n]", &next->bytes, &next->microseconds, next->name) == 3)
        next = &run->known[++run->known_count];
    if (file != NULL)
        fclose(file);
    return run->known != NULL;
}

/* Times a contender, which rows call `title`. */
static void measure(struct run *run, const char *contender, const char *title)
{
    const bool is_native = strcmp(contender, "native") == 0;
    char name[ALLFOLD_MESSAGE_BYTES] = "native";
    if (warm_up(run, is_native) != MPI_SUCCESS) {
        run->is_wrong = true;
        return;
    }
    if (!is_native && !calibrate(run))
        return;
    if (!is_native && !take_turn(run, contender, name, sizeof name))
        return;
    const struct measured *known = find_measured(run, name);
    const double time_s = known != NULL ? known->time_s : time_call(run, contender, is_native);
    if (time_s < 0) {
        run->is_wrong = true;
        return;
    }
    if (known == NULL)
        keep_measured(run, name, time_s);
    say(run, title, name, time_s);
}

static void measure_each(struct run *run)
{
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        if (algorithm->collective == ALLFOLD_ALLREDUCE && algorithm->consistent)
            measure(run, algorithm->name, algorithm->name);
    }
}

/* What the model takes for far worse than the best is not worth the time of a simulation. */
static void measure_candidates(struct run *run)
{
    enum { MORE = 16, WORSE = 3 };
    struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES];
    char name[ALLFOLD_MESSAGE_BYTES];
    const struct allfold_problem problem = problem_of(run, true);
    const int count = allfold_candidates(&problem, MORE, list);
    for (int i = 0; i < count; i++) {
        allfold_algorithm_write(list[i].algorithm, &list[i].parameters, name, sizeof name);
        if (list[i].cost_s <= WORSE * list[0].cost_s)
            measure(run, name, "candidate");
    }
}

static void measure_all(struct run *run, int contenders, char *const *contender)
{
    for (int i = 0; i < contenders; i++) {
        if (strcmp(contender[i], "each") == 0)
            measure_each(run);
        else if (strcmp(contender[i], "candidates") == 0)
            measure_candidates(run);
        else
            measure(run, contender[i], contender[i]);
    }
}

/* Vectors that lie in the same memory on all ranks, unless results are wanted. */
static bool run_size(struct run *run, size_t bytes, int contenders, char *const *contender)
{
    run->count = bytes < sizeof(double) ? 1 : bytes / sizeof(double);
    run->measured_count = 0;
    const size_t rounded = run->count * sizeof(double);
    run->in = run->checks ? malloc(rounded) : SMPI_SHARED_MALLOC(rounded);
    run->out = run->checks ? malloc(rounded) : SMPI_SHARED_MALLOC(rounded);
    run->measured = malloc(MEASURED * sizeof *run->measured);
    const bool has_memory =
        !find_most(run->in == NULL || run->out == NULL || run->measured == NULL);
    if (has_memory) {
        keep_known(run);
        measure_all(run, contenders, contender);
    }
    free(run->in);
    free(run->out);
    free(run->measured);
    return has_memory;
}

int main(int argc, char **argv)
{
    struct allfold_size_list sizes;
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    struct run run = {.checks = argc > 1 && strcmp(argv[1], "--check") == 0};
    const bool knows = argc > 2 && strcmp(argv[1], "--known") == 0;
    const int first = knows ? 3 : run.checks ? 2 : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &run.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    /* SMPI 3.32 says NULL where none was set, and cannot set that again */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (knows && !read_known(&run, argv[2]))
        snprintf(message, sizeof message, "cannot read %s", argv[2]);
    if (message[0] != '\0' || argc < first + 2 ||
        !allfold_size_list_read(argv[first], &sizes, message, sizeof message)) {
        if (run.rank == 0)
            fprintf(stderr, "simgrid_allreduce [--check | --known FILE] SIZES CONTENDER...: %s\n",
                    message);
        return MPI_Finalize() == MPI_SUCCESS ? 2 : 3;
    }
    bool has_memory = true;
    for (int i = 0; i < sizes.count && has_memory; i++)
        has_memory = run_size(&run, sizes.sizes[i], argc - first - 1, argv + first + 1);
    if (!has_memory && run.rank == 0)
        fprintf(stderr, "simgrid_allreduce: no memory\n");
    free(run.known);
    MPI_Finalize();
    return run.is_wrong || !has_memory;
}
