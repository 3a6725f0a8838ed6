/* The part that `allfold bench` starts under mpirun. It measures as its arguments NAME=VALUE say
 * (see lab/measure/measurement_plan.h). Rank 0 prints lines with tabs between the fields, from
 * which `allfold bench` (tools/bench/bench_report.c) makes tables:
 *
 *     mpi         MPI's version
 *     job         ranks, nodes, maximum and minimum number of ranks on a node
 *     how         "window", "barrier" or "loop", number of separate clocks, whether the clocks'
 *                 error is known
 *     collective  with guidelines: that of the next points
 *     local       with guidelines: bytes, seconds of an MPI_Reduce_local
 *     progress    share of the whole, series, bytes
 *     point       series, bytes, algorithm (indices in the plan), outcome, late calls, the ranks'
 *                 own mean times (their mean, minimum and maximum), and the samples, or else a
 *                 message
 *     size        series, bytes, the clocks' error: the points of one size are complete
 *     error       a message: the last line */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lab/measure/guidelines.h"
#include "programs/part.h"
#include "programs/bench_repeat.h"
#include "programs/program.h"

static int series_now, size_now;
static int collective_now, collective_count = 1;
static time_t printed_at;

static void tell_progress(const struct allfold_bench *bench, double of_size)
{
    const struct allfold_bench_plan *plan = bench->plan;
    const double sizes = plan->sizes.count * plan->series_count;
    const double done = (series_now * plan->sizes.count + size_now + of_size) / sizes;
    if (time(NULL) == printed_at)
        return;
    printed_at = time(NULL);
    printf("progress\t%.4f\t%d\t%zu\n", (collective_now + done) / collective_count, series_now,
           plan->sizes.sizes[size_now]);
    fflush(stdout);
}

static void tell_how(const struct allfold_bench *bench)
{
    allfold_program_tell_job(bench->rank, bench->p, bench->state->nodes);
    if (bench->rank > 0)
        return;
    printf("how\t%s\t%d\t%d\n",
           bench->plan->start == ALLFOLD_START_LOOP ? "loop"
           : bench->has_window                      ? "window"
                                                    : "barrier",
           bench->clock.domains, bench->clock.is_one_clock);
    fflush(stdout);
}

static void tell_point(const struct allfold_bench_point *point, int series, size_t bytes, int index)
{
    printf("point\t%d\t%zu\t%d\t%s\t%d\t%.9g\t%.9g\t%.9g\t", series, bytes, index,
           allfold_bench_plan_outcome_name((int)point->outcome), point->late, point->local_s[0],
           point->local_s[1], point->local_s[2]);
    if (point->outcome != ALLFOLD_PLAN_MEASURED)
        allfold_program_tell(point->message);
    for (int i = 0; point->outcome == ALLFOLD_PLAN_MEASURED && i < point->count; i++)
        printf("%s%.9g", i == 0 ? "" : " ", point->samples_s[i]);
    printf("\n");
}

static bool run(struct allfold_bench *bench)
{
    const struct allfold_bench_plan *plan = bench->plan;
    struct allfold_bench_point points[ALLFOLD_PLAN_ALGORITHMS];
    bool fits = true;
    for (series_now = 0; fits && series_now < plan->series_count; series_now++)
        for (size_now = 0; fits && size_now < plan->sizes.count; size_now++) {
            const size_t bytes = plan->sizes.sizes[size_now];
            fits = allfold_bench_size(bench, &plan->series[series_now], bytes, points);
            for (int i = 0; fits && bench->rank == 0 && i < plan->algorithm_count; i++)
                tell_point(&points[i], series_now, bytes, i);
            if (fits && bench->rank == 0)
                printf("size\t%d\t%zu\t%.9g\n", series_now, bytes, bench->clock.error_s);
            fflush(stdout);
            allfold_bench_points_free(bench, points);
        }
    return fits;
}

/* The median of some calls on this rank. */
static double reduce_local_s(const struct allfold_bench *bench,
                             const struct allfold_bench_vectors *vectors)
{
    enum { CALLS = 11 };
    double samples_s[CALLS];
    struct allfold_statistics statistics;
    for (int i = -1; i < CALLS; i++) {
        const double before = allfold_bench_now(&bench->clock);
        PMPI_Reduce_local(vectors->in, vectors->out, (int)vectors->count, vectors->datatype,
                          vectors->op);
        if (i >= 0)
            samples_s[i] = allfold_bench_now(&bench->clock) - before;
    }
    return allfold_statistics_of(samples_s, CALLS, bench->plan->effort.confidence, &statistics)
               ? statistics.median
               : 0;
}

static bool tell_local(const struct allfold_bench *bench)
{
    const struct allfold_bench_plan *plan = bench->plan;
    int fits = true;
    for (int i = 0; fits && i < plan->sizes.count; i++) {
        struct allfold_bench_vectors vectors;
        const size_t bytes = plan->sizes.sizes[i];
        fits = allfold_bench_vectors_open(&vectors, plan, &plan->series[0], bytes, bench->comm);
        if (fits && bench->rank == 0)
            printf("local\t%zu\t%.9g\n", bytes, reduce_local_s(bench, &vectors));
        allfold_bench_vectors_close(&vectors);
        PMPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, bench->comm);
    }
    return fits;
}

/* All collectives of the guidelines, one after the other, by the same contenders. */
static bool run_guidelines(struct allfold_bench *bench)
{
    static struct allfold_bench_plan one;
    const struct allfold_bench_plan *plan = bench->plan;
    char message[ALLFOLD_BENCH_TEXT];
    bool fits = true;
    collective_count = ALLFOLD_GUIDELINE_COLLECTIVES;
    bench->plan = &one;
    for (collective_now = 0; fits && collective_now < collective_count; collective_now++) {
        const enum allfold_collective collective = allfold_guideline_collectives[collective_now];
        fits = allfold_guideline_plan(plan, collective, bench->p, &one, message, sizeof message);
        if (fits && bench->rank == 0)
            printf("collective\t%s\n", allfold_collective_name(collective));
        if (collective == ALLFOLD_SCAN)
            fits = fits && tell_local(bench);
        fits = fits && run(bench);
    }
    bench->plan = plan;
    return fits;
}

static int open_contenders(struct allfold_bench *bench)
{
    char message[ALLFOLD_BENCH_TEXT] = "";
    int opened = 0;
    while (opened < bench->plan->algorithm_count &&
           allfold_bench_contender_open(&bench->contenders[opened], bench->plan, opened,
                                        bench->comm, message, sizeof message))
        opened++;
    return opened == bench->plan->algorithm_count ? 0 : allfold_program_fail(bench->rank, message);
}

static int bench_plan(void *context, MPI_Comm comm)
{
    const struct allfold_bench_plan *plan = context;
    struct allfold_bench bench = {.plan = plan, .comm = comm};
    PMPI_Comm_size(comm, &bench.p);
    PMPI_Comm_rank(comm, &bench.rank);
    if (bench.p == 1) /* whose calls go to the MPI library, whatever the rules */
        return allfold_program_fail(bench.rank,
                                    "one rank alone has nothing to measure; start two or more");
    for (int i = 0; i < plan->series_count; i++)
        if (plan->series[i].root >= bench.p)
            return allfold_program_fail(bench.rank, "--root: there are not so many ranks");
    const int status = open_contenders(&bench);
    if (status != 0)
        return status;
    if (!allfold_bench_open(&bench, plan, comm))
        PMPI_Abort(comm, EXIT_FAILURE);
    bench.progress = plan->tells_progress ? tell_progress : NULL;
    tell_how(&bench);
    const bool fits = plan->checks_guidelines ? run_guidelines(&bench) : run(&bench);
    allfold_bench_close(&bench);
    for (int i = 0; i < plan->algorithm_count; i++)
        allfold_bench_contender_close(&bench.contenders[i]);
    return fits ? 0
                : allfold_program_fail(bench.rank,
                                       "there is not enough memory for vectors of that size");
}

static bool take_argument(void *plan, const char *name, const char *value, char *message,
                          size_t message_bytes)
{
    return allfold_bench_plan_take(plan, name, value, message, message_bytes);
}

/* The plan points into the arguments. */
static bool read_plan(void *plan, char *arguments, char *message, size_t message_bytes)
{
    allfold_bench_plan_begin(plan);
    return allfold_program_read(arguments, take_argument, plan, message, message_bytes) &&
           allfold_bench_plan_end(plan, message, message_bytes);
}

int allfold_part_main(int argc, char **argv)
{
    static struct allfold_bench_plan plan;
    const struct allfold_program part = {&plan, read_plan, bench_plan};
    return allfold_program_main(argc, argv, &part);
}
