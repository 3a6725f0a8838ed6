/* Repeats the calls of one size until their times are known precisely enough (see
 * bench_repeat.h). */
#include "programs/bench_repeat.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/call/entry.h"
#include "util/cores.h"

/* What each rank measures of a call; the maximum over all ranks is used. */
enum { END, ARRIVAL, OWN_TIME, IS_LATE, NEGATIVE_END, FIGURES };
enum { MOST_REPETITIONS = 50 }; /* between two looks at what is known */
enum { PATIENCE = 5 };          /* with late ranks, in times of the longest time */

static uint64_t draw(uint64_t *random)
{
    *random += 0x9e3779b97f4a7c15u;
    uint64_t z = *random;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* All contenders, in another order each time. */
static void draw_order(struct allfold_bench *bench, int *order)
{
    for (int i = 0; i < bench->plan->algorithm_count; i++) {
        const int other = (int)(draw(&bench->random) % (uint64_t)(i + 1));
        order[i] = order[other];
        order[other] = i;
    }
}

/* So that caches hold something else. */
static void walk(const struct allfold_bench *bench)
{
    enum { LINE = 64 };
    for (size_t i = 0; i < bench->plan->cold_bytes; i += LINE)
        ((volatile char *)bench->walked)[i]++;
}

static void wait_until(const struct allfold_bench *bench, double time)
{
    while (allfold_bench_now(&bench->clock) < time)
        if (!bench->clock.has_processors)
            sched_yield();
}

/* Waits for the start, and then for this rank's own delay. Returns when it arrives. */
static double wait_for_start(struct allfold_bench *bench, bool *is_late)
{
    uint64_t random = draw(&bench->random) + (uint64_t)bench->rank;
    const double delay_s = bench->plan->skew_s * (double)(draw(&random) >> 11) * 0x1p-53;
    PMPI_Barrier(bench->comm);
    double arrival = allfold_bench_now(&bench->clock) + bench->window_s;
    if (bench->has_window)
        PMPI_Bcast(&arrival, 1, MPI_DOUBLE, 0, bench->comm);
    else
        arrival -= bench->window_s;
    arrival += delay_s;
    *is_late = bench->has_window && allfold_bench_now(&bench->clock) > arrival;
    if (bench->has_window || delay_s > 0)
        wait_until(bench, arrival);
    return arrival;
}

static void note(struct allfold_bench_point *point, const char *message)
{
    if (point->message[0] == '\0')
        snprintf(point->message, sizeof point->message, "%s", message);
}

/* One call with its check. It starts with all ranks, or when this rank comes. */
static int call(struct allfold_bench *bench, int index, struct allfold_bench_vectors *vectors,
                bool is_started, struct allfold_bench_point *point, double figures[FIGURES])
{
    char message[ALLFOLD_BENCH_TEXT], text[MPI_MAX_ERROR_STRING];
    bool is_late = false;
    int length;
    if (vectors->wipes)
        allfold_bench_overwrite(vectors);
    if (!bench->plan->keeps_inputs)
        allfold_bench_refill(vectors);
    walk(bench);
    const double arrival =
        is_started ? wait_for_start(bench, &is_late) : allfold_bench_now(&bench->clock);
    const int error = allfold_bench_call(&bench->contenders[index], vectors);
    bench->last = index;
    const double end = allfold_bench_now(&bench->clock);
    figures[END] = end;
    figures[ARRIVAL] = arrival;
    figures[OWN_TIME] = end - arrival;
    figures[IS_LATE] = is_late;
    figures[NEGATIVE_END] = -end;
    if (error != MPI_SUCCESS) {
        PMPI_Error_string(error, text, &length);
        note(point, text);
    } else if (bench->plan->algorithms[index].kind != ALLFOLD_PLAN_COPY &&
               !allfold_bench_check(vectors, message, sizeof message)) {
        note(point, message);
    }
    return error;
}

/* Gives all ranks the message of the lowest rank that has one. Returns false if none has. */
static bool share_message(const struct allfold_bench *bench, char *message)
{
    int first = message[0] == '\0' ? bench->p : bench->rank;
    PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, bench->comm);
    if (first < bench->p)
        PMPI_Bcast(message, ALLFOLD_BENCH_TEXT, MPI_CHAR, first, bench->comm);
    return first < bench->p;
}

/* Writes what an algorithm needs and the job does not have, before the library prints it on
 * stderr. */
static bool is_unmet(const struct allfold_bench *bench, int index,
                     const struct allfold_bench_vectors *vectors, struct allfold_bench_point *point)
{
    const struct allfold_bench_plan_algorithm *contender = &bench->plan->algorithms[index];
    const struct allfold_shape_key key = {
        .collective = bench->plan->collective,
        .root = vectors->series.root,
        .count = vectors->count,
        .element_bytes = vectors->element_bytes,
        .commutative = true,
        .exact = vectors->op == MPI_OP_NULL ||
                 allfold_reduction_is_exact(vectors->series.type, vectors->series.operation)};
    const struct allfold_problem problem = allfold_entry_problem(bench->state, &key);
    const char *unmet =
        contender->algorithm == NULL
            ? NULL
            : allfold_unmet_need(contender->algorithm, &problem, &contender->parameters);
    if (unmet != NULL)
        snprintf(point->message, sizeof point->message, "it needs %s", unmet);
    return unmet != NULL;
}

/* Makes the first calls: they show whether the algorithm can be used, and do all that is done only
 * once. If calls are slow, there are only five, after which memory is shared. */
static void warm_up(struct allfold_bench *bench, int index, struct allfold_bench_vectors *vectors,
                    struct allfold_bench_point *point)
{
    enum { ENOUGH = 5 };
    double figures[FIGURES], spent_s = 0;
    if (is_unmet(bench, index, vectors, point)) {
        point->outcome = ALLFOLD_PLAN_REFUSED;
        point->is_done = true;
    }
    for (int i = 0; i < bench->plan->warmup && !point->is_done; i++) {
        const int error = call(bench, index, vectors, true, point, figures);
        spent_s += figures[OWN_TIME];
        if (share_message(bench, point->message)) {
            int is_refused = i == 0 && error != MPI_SUCCESS;
            PMPI_Allreduce(MPI_IN_PLACE, &is_refused, 1, MPI_INT, MPI_MAX, bench->comm);
            point->outcome = is_refused ? ALLFOLD_PLAN_REFUSED : ALLFOLD_PLAN_WRONG;
            point->is_done = true;
        }
        if (i + 1 < ENOUGH)
            continue;
        PMPI_Allreduce(MPI_IN_PLACE, &spent_s, 1, MPI_DOUBLE, MPI_MAX, bench->comm);
        if (spent_s > bench->plan->effort.longest_s)
            return;
    }
}

/* What all ranks make of the figures of one call, in which this rank took own_s. A batch may have
 * more calls than are wanted. */
static void take_sample(const struct allfold_bench *bench, struct allfold_bench_point *point,
                        const double figures[FIGURES], double own_s)
{
    const bool by_own_times = !bench->has_window && bench->plan->skew_s == 0;
    if (figures[IS_LATE] > 0) {
        point->late++;
    } else if (point->count < bench->plan->effort.most) {
        point->own_s += own_s;
        point->samples_s[point->count++] =
            by_own_times ? figures[OWN_TIME] : figures[END] - figures[ARRIVAL];
    }
    if (bench->plan->collective == ALLFOLD_BARRIER && bench->clock.domains == 1 &&
        figures[IS_LATE] == 0 && -figures[NEGATIVE_END] < figures[ARRIVAL])
        note(point, "a rank left before another one had come");
}

static void decide(const struct allfold_bench *bench, struct allfold_bench_point *point)
{
    const struct allfold_effort *effort = &bench->plan->effort;
    struct allfold_statistics statistics;
    if (!allfold_statistics_of(point->samples_s, point->count, effort->confidence, &statistics))
        PMPI_Abort(bench->comm, EXIT_FAILURE);
    /* if ranks are late again and again, measuring ends with the samples so far */
    const bool is_hopeless =
        point->late > point->count && point->spent_s > PATIENCE * effort->longest_s;
    point->is_done = is_hopeless || !allfold_needs_more(&statistics, effort, point->spent_s);
}

/* A call after one of the same contender, as in a program. A result of another one may lie in
 * another core's cache, and this call would pay for fetching it. */
static void call_again(struct allfold_bench *bench, int index,
                       struct allfold_bench_vectors *vectors, struct allfold_bench_point *point,
                       double figures[FIGURES])
{
    if (bench->last != index)
        call(bench, index, vectors, true, point, figures);
    call(bench, index, vectors, true, point, figures);
}

/* Calls that follow each other, as in a program; of this rank's own times the mean counts. The
 * first one brings the ranks in step after the barrier, and is not counted. */
static void call_in_loop(struct allfold_bench *bench, int index,
                         struct allfold_bench_vectors *vectors, struct allfold_bench_point *point,
                         double figures[FIGURES])
{
    double own_s = 0;
    call(bench, index, vectors, true, point, figures);
    for (int i = 0; i < bench->loops[index]; i++) {
        call(bench, index, vectors, false, point, figures);
        own_s += figures[OWN_TIME];
    }
    figures[OWN_TIME] = own_s / bench->loops[index];
}

/* Ranks that share cores and wait by yielding stay for a whole launch on the cores that they began
 * on. Which of them share one makes an algorithm up to twice as fast, so they move between loops.
 */
static void deal_out(struct allfold_bench *bench)
{
    int index, ranks;
    PMPI_Comm_rank(bench->clock.domain, &index);
    PMPI_Comm_size(bench->clock.domain, &ranks);
    const uint64_t seed = draw(&bench->random);
    if (ranks > 1)
        allfold_cores_deal(seed, index, ranks);
}

/* Sets how many calls make a loop of some milliseconds. Of a few short calls the fastest is used,
 * by its time on the slowest rank, because a call may have to wait for the processor. */
static void plan_loop(struct allfold_bench *bench, int index, struct allfold_bench_vectors *vectors,
                      struct allfold_bench_point *point)
{
    enum { CALLS = 3, MOST_CALLS = 200 };
    const double loop_s = 0.01;
    double figures[FIGURES], least_s = INFINITY;
    for (int i = 0; i < CALLS && (i == 0 || least_s < loop_s); i++) {
        call(bench, index, vectors, true, point, figures);
        double own_s = figures[OWN_TIME];
        PMPI_Allreduce(MPI_IN_PLACE, &own_s, 1, MPI_DOUBLE, MPI_MAX, bench->comm);
        least_s = fmin(least_s, own_s);
    }
    const double fitting = loop_s / least_s;
    bench->loops[index] = fitting < 1 ? 1 : fitting > MOST_CALLS ? MOST_CALLS : (int)fitting;
}

/* Makes one batch of repetitions. The measurements of its calls go to `figures`, and this rank's
 * own times to `own`. Those of contenders that are done are not changed. */
static void repeat(struct allfold_bench *bench, struct allfold_bench_vectors *vectors,
                   struct allfold_bench_point *points, int repetitions, double *figures,
                   double *own)
{
    const int n = bench->plan->algorithm_count;
    int order[ALLFOLD_PLAN_ALGORITHMS];
    for (int k = 0; k < repetitions; k++) {
        draw_order(bench, order);
        if (bench->plan->start == ALLFOLD_START_LOOP && !bench->clock.has_processors)
            deal_out(bench);
        for (int i = 0; i < n; i++) {
            struct allfold_bench_point *point = &points[order[i]];
            double *of_call = figures + (k * n + order[i]) * FIGURES;
            if (point->is_done)
                continue;
            const double before = allfold_bench_now(&bench->clock);
            if (bench->plan->start == ALLFOLD_START_LOOP)
                call_in_loop(bench, order[i], vectors, point, of_call);
            else
                call_again(bench, order[i], vectors, point, of_call);
            point->spent_s += allfold_bench_now(&bench->clock) - before;
            own[k * n + order[i]] = of_call[OWN_TIME];
        }
    }
    PMPI_Allreduce(MPI_IN_PLACE, figures, repetitions * n * FIGURES, MPI_DOUBLE, MPI_MAX,
                   bench->comm);
}

/* What all ranks do next, as rank 0 sees it. */
struct next {
    double window_s;
    int repetitions;
    int is_done[ALLFOLD_PLAN_ALGORITHMS];
};

/* Longer windows, if more than a fifth of the last calls were too late. The longest is the time
 * that a processor gives to another process at once. */
static void widen(struct next *next, int late, int calls)
{
    const double most_s = 0.02;
    if (5 * late > calls && next->window_s < most_s)
        next->window_s *= 2;
}

/* Returns how many of the last calls were too late. */
static int take_samples(const struct allfold_bench *bench, struct allfold_bench_point *points,
                        int repetitions, const double *figures, const double *own)
{
    const int n = bench->plan->algorithm_count;
    int late = 0;
    for (int i = 0; i < n; i++) {
        late -= points[i].late;
        for (int k = 0; k < repetitions && !points[i].is_done; k++)
            take_sample(bench, &points[i], figures + (k * n + i) * FIGURES, own[k * n + i]);
        late += points[i].late;
    }
    return late;
}

static void judge(struct allfold_bench *bench, struct allfold_bench_point *points, int late,
                  struct next *next)
{
    const int n = bench->plan->algorithm_count;
    double round_s = 1e-6, known = 0;
    int calls = 0;
    for (int i = 0; i < n; i++) {
        struct allfold_bench_point *point = &points[i];
        calls += point->is_done ? 0 : next->repetitions;
        if (!point->is_done)
            decide(bench, point);
        if (!point->is_done)
            round_s += point->spent_s / (point->late + point->count);
        known += point->is_done;
        next->is_done[i] = point->is_done;
    }
    widen(next, late, calls);
    const double fitting = 0.1 / round_s;
    next->repetitions = fitting < 1                  ? 1
                        : fitting > MOST_REPETITIONS ? MOST_REPETITIONS
                                                     : (int)fitting;
    if (bench->progress != NULL)
        bench->progress(bench, known / n);
}

/* Takes the next step as rank 0 decides. A result that was wrong on any rank ends a contender. */
static bool agree(struct allfold_bench *bench, struct allfold_bench_point *points, int late,
                  struct next *next)
{
    bool goes_on = false;
    if (bench->rank == 0)
        judge(bench, points, late, next);
    PMPI_Bcast(next, sizeof *next, MPI_BYTE, 0, bench->comm);
    bench->window_s = next->window_s;
    for (int i = 0; i < bench->plan->algorithm_count; i++) {
        struct allfold_bench_point *point = &points[i];
        if (point->outcome == ALLFOLD_PLAN_MEASURED && share_message(bench, point->message)) {
            point->outcome = ALLFOLD_PLAN_WRONG;
            next->is_done[i] = 1;
        }
        point->is_done = next->is_done[i] != 0;
        goes_on |= !point->is_done;
    }
    return goes_on;
}

/* The ranks' own mean times, as the OSU benchmarks have them. */
static void compare_ranks(const struct allfold_bench *bench, struct allfold_bench_point *point)
{
    const double own_s = point->count == 0 ? 0 : point->own_s / point->count;
    const MPI_Op ops[3] = {MPI_SUM, MPI_MIN, MPI_MAX};
    for (int i = 0; i < 3; i++)
        PMPI_Reduce(&own_s, &point->local_s[i], 1, MPI_DOUBLE, ops[i], 0, bench->comm);
    point->local_s[0] /= bench->p;
}

static bool allocate_samples(const struct allfold_bench *bench, struct allfold_bench_point *points)
{
    const size_t most = (size_t)bench->plan->effort.most;
    bool fits = true;
    for (int i = 0; i < bench->plan->algorithm_count; i++) {
        points[i] = (struct allfold_bench_point){.outcome = ALLFOLD_PLAN_MEASURED};
        points[i].samples_s = malloc(most * sizeof(double));
        fits = fits && points[i].samples_s != NULL;
    }
    return fits;
}

void allfold_bench_points_free(const struct allfold_bench *bench,
                               struct allfold_bench_point *points)
{
    for (int i = 0; i < bench->plan->algorithm_count; i++)
        free(points[i].samples_s);
}

static void measure(struct allfold_bench *bench, struct allfold_bench_vectors *vectors,
                    struct allfold_bench_point *points, double *figures, double *own)
{
    const int n = bench->plan->algorithm_count;
    const double shortest_s = 20e-6; /* what was disturbed before may be quiet now */
    struct next next = {.window_s = shortest_s, .repetitions = 1};
    bool goes_on = false;
    bench->window_s = shortest_s;
    for (int i = 0; i < n; i++) {
        warm_up(bench, i, vectors, &points[i]);
        if (bench->plan->start == ALLFOLD_START_LOOP && !points[i].is_done)
            plan_loop(bench, i, vectors, &points[i]);
        goes_on |= !points[i].is_done;
    }
    while (goes_on) {
        repeat(bench, vectors, points, next.repetitions, figures, own);
        const int late = take_samples(bench, points, next.repetitions, figures, own);
        goes_on = agree(bench, points, late, &next);
    }
    for (int i = 0; i < n; i++)
        compare_ranks(bench, &points[i]);
}

bool allfold_bench_size(struct allfold_bench *bench, const struct allfold_bench_plan_series *series,
                        size_t bytes, struct allfold_bench_point *points)
{
    const size_t calls = (size_t)(MOST_REPETITIONS * bench->plan->algorithm_count);
    struct allfold_bench_vectors vectors;
    double *figures = calloc(calls * (FIGURES + 1), sizeof *figures);
    int fits = allocate_samples(bench, points) && figures != NULL;
    fits &= allfold_bench_vectors_open(&vectors, bench->plan, series, bytes, bench->comm);
    PMPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, bench->comm);
    allfold_bench_clock_learn(&bench->clock);
    if (fits)
        measure(bench, &vectors, points, figures, figures + calls * FIGURES);
    allfold_bench_vectors_close(&vectors);
    free(figures);
    return fits;
}

bool allfold_bench_open(struct allfold_bench *bench, const struct allfold_bench_plan *plan,
                        MPI_Comm comm)
{
    bench->plan = plan;
    bench->comm = comm;
    PMPI_Comm_size(comm, &bench->p);
    PMPI_Comm_rank(comm, &bench->rank);
    allfold_bench_clock_open(&bench->clock, comm, plan->measures_clocks);
    bench->has_window = plan->start == ALLFOLD_START_WINDOW ||
                        (plan->start == ALLFOLD_START_AUTO && bench->clock.has_processors);
    bench->random = (uint64_t)plan->seed;
    bench->state = allfold_communicator_of(MPI_COMM_WORLD);
    bench->walked = calloc(plan->cold_bytes + 1, 1);
    int has_all = bench->walked != NULL && bench->state != NULL && bench->state->nodes != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &has_all, 1, MPI_INT, MPI_MIN, comm);
    return has_all != 0;
}

void allfold_bench_close(struct allfold_bench *bench)
{
    free(bench->walked);
    allfold_bench_clock_close(&bench->clock);
}
