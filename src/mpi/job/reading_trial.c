/* Measures whether ranks should read each other's vectors in place (see reading_trial.h).
 *
 * A pair of ranks can reduce whole vectors each, or reduce one half each and fetch the other half.
 * The caches decide which is faster, and no interface reports their properties. So both variants
 * are run as the program's calls will be: each several times in succession. If they alternated,
 * whole vectors would pay for cache lines of the result that halves left in the other cache, and
 * far cores would appear near. */
#include "mpi/job/reading_trial.h"

#include <float.h>
#include <string.h>

#include "execute/executor.h"
#include "kernels/kernels.h"
#include "mpi/process/runtime.h"
#include "mpi/transport/node_heaps.h"

/* Long enough that the number of bytes decides, and short enough that the measurement takes about a
 * millisecond, mostly for the first access to the pages. */
enum { WHOLE, HALVES, WAYS, BYTES = 256 << 10, COUNT = BYTES / sizeof(double), ROUNDS = 4 };

bool allfold_reading_trial_is_offered(void)
{
    return allfold_one_copy_has_heap() ||
           (allfold_settings()->one_copy && allfold_xpmem_missing() == NULL);
}

/* A variant of the reduction, ready to run. */
struct way {
    struct allfold_schedule *schedule;
    struct allfold_executor *executor;
    double time_s; /* minimum so far */
};

struct trial {
    MPI_Comm comm;
    const struct allfold_node *node;
    double *in, *out;
    void *scratch; /* of both variants */
    struct way ways[WAYS];
};

static int sum(const struct allfold_elements *elements, void *to, const void *left,
               const void *right, size_t count)
{
    (void)elements;
    allfold_kernel_find(ALLFOLD_DOUBLE, ALLFOLD_SUM)(to, left, right, count);
    return 0;
}

static int copy(const struct allfold_elements *elements, void *to, const void *from, size_t count)
{
    (void)elements;
    memcpy(to, from, count * sizeof(double));
    return 0;
}

static const struct allfold_elements doubles = {
    .extent_bytes = sizeof(double), .high_bytes = sizeof(double), .reduce = sum, .copy = copy};

static bool prepare(struct way *way, const char *name, const struct allfold_problem *problem)
{
    const struct allfold_algorithm *algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, name);
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    way->time_s = DBL_MAX;
    if (allfold_build(algorithm, problem, &presets, &way->schedule, NULL, 0) != ALLFOLD_OK)
        return false;
    way->executor = allfold_executor_create(way->schedule, ALLFOLD_WINDOW);
    return way->executor != NULL;
}

static bool find_scratch(struct trial *trial)
{
    size_t bytes = 1;
    for (int i = 0; i < WAYS; i++) {
        const size_t of_way = allfold_executor_place(trial->ways[i].executor, &doubles);
        bytes = of_way > bytes ? of_way : bytes;
    }
    trial->scratch = allfold_heap()->allocate(bytes, 1, false);
    return trial->scratch != NULL;
}

/* Returns false on all ranks if one is out of memory. */
static bool open_trial(struct trial *trial)
{
    int p, rank;
    PMPI_Comm_size(trial->comm, &p);
    PMPI_Comm_rank(trial->comm, &rank);
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(p, rank),
                                            .count = COUNT,
                                            .element_bytes = sizeof(double),
                                            .commutative = true,
                                            .one_node = true};
    trial->in = allfold_heap()->allocate(BYTES, 1, false);
    trial->out = allfold_heap()->allocate(BYTES, 1, false);
    int is_open =
        (trial->node->attaches || allfold_one_copy_has_heap()) && trial->in != NULL &&
        trial->out != NULL && prepare(&trial->ways[WHOLE], "recursive_doubling", &problem) &&
        prepare(&trial->ways[HALVES], "halving_doubling", &problem) && find_scratch(trial);
    const int error = PMPI_Allreduce(MPI_IN_PLACE, &is_open, 1, MPI_INT, MPI_MIN, trial->comm);
    return error == MPI_SUCCESS && is_open;
}

static void close_trial(struct trial *trial)
{
    for (int i = 0; i < WAYS; i++) {
        allfold_executor_free(trial->ways[i].executor);
        allfold_schedule_free(trial->ways[i].schedule);
    }
    allfold_heap()->release(trial->scratch);
    allfold_heap()->release(trial->in);
    allfold_heap()->release(trial->out);
}

/* Makes one call, after writing the inputs again. */
static void run(struct trial *trial, struct way *way)
{
    const struct allfold_binding binding = {.in = trial->in,
                                            .out = trial->out,
                                            .scratch = trial->scratch,
                                            .elements = &doubles,
                                            .transport =
                                                allfold_shared_transport(trial->node->shared)};
    for (int i = 0; i < COUNT; i++)
        trial->in[i] = i;
    PMPI_Barrier(trial->comm);
    const double begin_s = allfold_now_s();
    allfold_shared_begin(trial->node->shared, sizeof(double));
    if (allfold_executor_start(way->executor, &binding) == 0)
        allfold_executor_wait(way->executor);
    const double time_s = allfold_now_s() - begin_s;
    way->time_s = time_s < way->time_s ? time_s : way->time_s;
}

/* Halves sum fewer elements on each rank. So if whole vectors are faster nevertheless, fetching the
 * other half is slow. On near cores halves took 0.92 to 0.97 of the time of whole vectors, on far
 * cores 1.8 to 2.0. */
static enum allfold_reading judge(struct trial *trial)
{
    double times_s[WAYS];
    for (int i = 0; i < WAYS; i++)
        times_s[i] = trial->ways[i].time_s;
    if (PMPI_Allreduce(MPI_IN_PLACE, times_s, WAYS, MPI_DOUBLE, MPI_MAX, trial->comm) !=
        MPI_SUCCESS)
        return ALLFOLD_READS_COPIES;
    return times_s[HALVES] < 1.35 * times_s[WHOLE] ? ALLFOLD_READS_NEAR : ALLFOLD_READS_FAR;
}

enum allfold_reading allfold_reading_trial_run(MPI_Comm comm, const struct allfold_node *node)
{
    struct trial trial = {.comm = comm, .node = node};
    enum allfold_reading reading = ALLFOLD_READS_COPIES;
    if (open_trial(&trial)) {
        for (int i = 0; i < WAYS * ROUNDS; i++)
            run(&trial, &trial.ways[i / ROUNDS]);
        reading = judge(&trial);
    }
    close_trial(&trial);
    return reading;
}
