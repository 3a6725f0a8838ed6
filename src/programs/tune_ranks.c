/* The part that `allfold tune` starts under mpirun. It measures as its arguments say, and prints
 * the results in lines for `allfold tune` (tools/tune/tune.c).
 *
 * For each collective and size, it first measures the algorithms with low prices a few times. Then
 * it measures the best of them and native as `allfold bench` does:
 *
 *     placement  "block", "cyclic", "irregular"
 *     progress   share of the whole
 *     loop       calls of the following sizes are measured in a loop
 *     shape      collective, bytes of the vector, from and to which sizes it is valid (to 0: no
 *                bound), index, number of shapes
 *     entry      algorithm; microseconds: median, lower and upper end of the interval; samples;
 *                time that the model predicts (0: none), and 1 if it is the model's choice
 *     end        of the shape
 *
 * With the argument `calibrate` it calibrates instead (calibrate.h). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi/process/runtime.h"
#include "programs/part.h"
#include "programs/bench_repeat.h"
#include "programs/calibrate.h"
#include "mpi/call/entry.h"
#include "programs/program.h"
#include "select/candidates.h"
#include "select/choose.h"
#include "select/settings.h"
#include "select/table_file.h"
#include "util/number.h"

enum { MOST_TEXT = 256 };

struct options {
    char collectives[MOST_TEXT];  /* names with commas between them */
    const char *type, *operation; /* NULL: as `allfold bench` has it */
    const char *start;
    struct allfold_size_list sizes; /* of whole vectors */
    double budget_s;
    bool tells_progress;
    const char *known; /* a table with rows of the machine; NULL: none */
    bool resumes;      /* what it has rows for is not measured again */
};

enum {
    MOST_SHAPES = 512,
    MORE_CANDIDATES = 8, /* besides the best of each algorithm */
    FINALISTS = 6,
};

struct shape {
    enum allfold_collective collective;
    size_t bytes;                /* of the whole vector */
    size_t call_bytes;           /* as in bench: of a block, if buffers consist of blocks */
    size_t from_bytes, to_bytes; /* that it stands for; SIZE_MAX: no bound */
};

/* Contenders, each with a communicator that it keeps from size to size. */
struct pool {
    int count;
    struct allfold_bench_contender contenders[ALLFOLD_PLAN_ALGORITHMS];
    char names[ALLFOLD_PLAN_ALGORITHMS][ALLFOLD_PLAN_NAME_BYTES];
};

struct tune {
    const struct options *run;
    struct allfold_bench bench;
    struct allfold_bench_plan plan;
    struct allfold_table *known; /* on rank 0 */
    double end_s;                /* of the time for a collective */
    int count;
    struct shape shapes[MOST_SHAPES];
    struct pool pool;
    double expected_us[ALLFOLD_PLAN_ALGORITHMS]; /* of the plan's algorithms */
    struct allfold_choice choice;                /* what would be chosen */
    char last[ALLFOLD_PLAN_NAME_BYTES];          /* Allfold's fastest algorithm at the last size */
};

/* --- results --- */

/* A median and its confidence interval. Infinite if nothing was measured. */
struct result {
    double us, from_us, to_us;
    int count;
};

/* What a contender showed. */
static struct result result_of(const struct allfold_bench_point *point)
{
    struct allfold_statistics s;
    if (point->outcome != ALLFOLD_PLAN_MEASURED || point->count == 0 ||
        !allfold_statistics_of(point->samples_s, point->count, 0.95, &s))
        return (struct result){INFINITY, INFINITY, INFINITY, 0};
    return (struct result){1e6 * s.median, 1e6 * s.from, 1e6 * s.to, point->count};
}

/* Joins two runs: the mean of both medians, and the smallest interval that covers both. So what is
 * significant is significant in both runs. */
static struct result joined(const struct result *one, const struct result *other)
{
    return (struct result){(one->us + other->us) / 2, fmin(one->from_us, other->from_us),
                           fmax(one->to_us, other->to_us), one->count + other->count};
}

/* --- contenders that are kept --- */

enum { FIRST_CALLS = 5 }; /* on a communicator: memory is shared after them */

static void close_pool(struct pool *pool)
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

static bool open_one(struct pool *pool, struct allfold_bench *bench,
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

/* Opens a contender for each algorithm of the plan that is new to the pool; all plans of a pool
 * have the same collective and first series. A new contender makes its first calls. Returns false
 * with `message` if that fails. Collective. */
static bool open_pool(struct pool *pool, struct allfold_bench *bench,
                      const struct allfold_bench_plan *plan, char *message, size_t message_bytes)
{
    bool fits = true;
    if (pool->count + plan->algorithm_count > ALLFOLD_PLAN_ALGORITHMS)
        close_pool(pool);
    for (int i = 0; fits && i < plan->algorithm_count; i++)
        fits = open_one(pool, bench, plan, i, message, message_bytes);
    return fits;
}

/* --- shapes --- */

/* A size stands for the sizes that are nearer to it than to the others, as a factor. If the first
 * one is short, it stands for all shorter ones; if the last one is long, for all longer ones. */
static void add_shape(struct tune *t, enum allfold_collective collective, int i)
{
    enum { SHORT_BYTES = 64, LONG_BYTES = 1 << 20 };
    const struct allfold_size_list *list = &t->run->sizes;
    const double size = (double)list->sizes[i], step = sqrt(2);
    const double before = i > 0 ? sqrt(size * (double)list->sizes[i - 1]) : size / step;
    const double after =
        i + 1 < list->count ? sqrt(size * (double)list->sizes[i + 1]) : size * step;
    const size_t blocks = allfold_has_blocks(collective) ? (size_t)t->bench.p : 1;
    const size_t element_bytes = allfold_type_bytes(t->plan.series[0].type);
    const size_t count = list->sizes[i] / element_bytes / blocks;
    struct shape shape = {.collective = collective,
                          .bytes = count * blocks * element_bytes,
                          .call_bytes = count * element_bytes,
                          .from_bytes = (size_t)before,
                          .to_bytes = (size_t)after};
    if (i == 0 && list->sizes[i] <= SHORT_BYTES)
        shape.from_bytes = 0;
    if (i + 1 == list->count && list->sizes[i] >= LONG_BYTES)
        shape.to_bytes = SIZE_MAX;
    if (count > 0 && t->count < MOST_SHAPES)
        t->shapes[t->count++] = shape;
}

static struct allfold_shape_key key_of(const struct tune *t, const struct shape *shape)
{
    const struct allfold_bench_plan_series *series = &t->plan.series[0];
    const bool reduces = allfold_traits(shape->collective)->reduces;
    const size_t element_bytes = reduces ? allfold_type_bytes(series->type) : 1;
    return (struct allfold_shape_key){
        .collective = shape->collective,
        .count = shape->call_bytes / element_bytes,
        .element_bytes = element_bytes,
        .commutative = true,
        .exact = series->operation == ALLFOLD_OPERATION_COUNT ||
                 allfold_reduction_is_exact(series->type, series->operation)};
}

static struct allfold_problem problem_of(const struct tune *t, const struct shape *shape)
{
    const struct allfold_shape_key key = key_of(t, shape);
    return allfold_entry_problem(t->bench.state, &key);
}

/* Is there a row for it? As rank 0 sees it. */
static bool is_known(const struct tune *t, const struct shape *shape)
{
    int known = 0;
    if (t->known != NULL) {
        const struct allfold_problem problem = problem_of(t, shape);
        const struct allfold_table_key of = allfold_table_key_of(&problem);
        known = allfold_table_find(t->known, &of) != NULL;
    }
    PMPI_Bcast(&known, 1, MPI_INT, 0, t->bench.comm);
    return known != 0;
}

/* --- measuring --- */

/* Native, and the candidates. */
static void plan_candidates(struct tune *t, const struct shape *shape)
{
    struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES];
    char message[ALLFOLD_MESSAGE_BYTES];
    const struct allfold_problem problem = problem_of(t, shape);
    allfold_choose(NULL, &problem, &t->choice, message, sizeof message);
    const int count = allfold_candidates(&problem, MORE_CANDIDATES, list);
    t->plan.algorithms[0] =
        (struct allfold_bench_plan_algorithm){.name = "native", .kind = ALLFOLD_PLAN_NATIVE};
    t->plan.algorithm_count = 1;
    t->expected_us[0] = 0;
    for (int i = 0; i < count; i++) {
        t->expected_us[t->plan.algorithm_count] = 1e6 * list[i].cost_s;
        struct allfold_bench_plan_algorithm *algorithm =
            &t->plan.algorithms[t->plan.algorithm_count++];
        *algorithm = (struct allfold_bench_plan_algorithm){.kind = ALLFOLD_PLAN_FORCED,
                                                           .algorithm = list[i].algorithm,
                                                           .parameters = list[i].parameters};
        allfold_algorithm_write(list[i].algorithm, &list[i].parameters, algorithm->name,
                                sizeof algorithm->name);
    }
}

static bool is_choice(const struct tune *t, const struct allfold_bench_plan_algorithm *algorithm)
{
    return algorithm->algorithm == t->choice.algorithm &&
           (algorithm->algorithm == NULL || memcmp(&algorithm->parameters, &t->choice.parameters,
                                                   sizeof t->choice.parameters) == 0);
}

/* Keeps native, the choice, the fastest, and the last size's winner, so that sizes can
 * share a row. Rank 0 decides. */
static void keep_finalists(struct tune *t, const struct allfold_bench_point *points)
{
    const int n = t->plan.algorithm_count;
    const double far_behind = 2;
    double us[ALLFOLD_PLAN_ALGORITHMS], best = INFINITY;
    int keeps[ALLFOLD_PLAN_ALGORITHMS] = {1}, kept = 1;
    for (int i = 0; i < n; i++) {
        us[i] = result_of(&points[i]).us;
        best = fmin(best, us[i]);
    }
    for (int i = 1; i < n; i++)
        keeps[i] = isfinite(us[i]) && (is_choice(t, &t->plan.algorithms[i]) ||
                                       strcmp(t->plan.algorithms[i].name, t->last) == 0);
    for (int rank = 0; rank < FINALISTS; rank++) {
        int next = -1;
        for (int i = 1; i < n; i++)
            if (!keeps[i] && us[i] <= far_behind * best && (next < 0 || us[i] < us[next]))
                next = i;
        if (next >= 0)
            keeps[next] = 1;
    }
    PMPI_Bcast(keeps, n, MPI_INT, 0, t->bench.comm);
    for (int i = 1; i < n; i++)
        if (keeps[i]) {
            t->expected_us[kept] = t->expected_us[i];
            t->plan.algorithms[kept++] = t->plan.algorithms[i];
        }
    t->plan.algorithm_count = kept;
}

static bool run_once(struct tune *t, const struct shape *shape, struct allfold_bench_point *points)
{
    char message[ALLFOLD_BENCH_TEXT] = "";
    return open_pool(&t->pool, &t->bench, &t->plan, message, sizeof message) &&
           allfold_bench_size(&t->bench, &t->plan.series[0], shape->call_bytes, points);
}

static void tell_shape(struct tune *t, int index, const struct result *results)
{
    const struct shape *shape = &t->shapes[index];
    double least = INFINITY;
    if (t->bench.rank > 0)
        return;
    printf("shape\t%s\t%zu\t%zu\t%zu\t%d\t%d\n", allfold_collective_name(shape->collective),
           shape->bytes, shape->from_bytes, shape->to_bytes == SIZE_MAX ? 0 : shape->to_bytes,
           index + 1, t->count);
    for (int i = 0; i < t->plan.algorithm_count; i++) {
        const struct allfold_bench_plan_algorithm *algorithm = &t->plan.algorithms[i];
        const struct result *r = &results[i];
        if (!isfinite(r->us))
            continue;
        printf("entry\t%s\t%.9g\t%.9g\t%.9g\t%d\t%.9g\t%d\n", algorithm->name, r->us, r->from_us,
               r->to_us, r->count, t->expected_us[i], is_choice(t, algorithm));
        if (i > 0 && r->us < least) {
            least = r->us;
            memcpy(t->last, algorithm->name, sizeof t->last);
        }
    }
    printf("end\n");
    fflush(stdout);
}

/* Measures twice, the second time with new communicators. The memory that a communicator happens to
 * get and the machine's moods are no property of an algorithm. */
static bool run_twice(struct tune *t, const struct shape *shape, struct result *results)
{
    struct allfold_bench_point points[ALLFOLD_PLAN_ALGORITHMS];
    bool fits = true;
    for (int run = 0; run < 2 && fits; run++) {
        if (run > 0)
            close_pool(&t->pool);
        fits = run_once(t, shape, points);
        for (int i = 0; fits && i < t->plan.algorithm_count; i++) {
            const struct result one = result_of(&points[i]);
            results[i] = run == 0 ? one : joined(&results[i], &one);
        }
        allfold_bench_points_free(&t->bench, points);
    }
    return fits;
}

/* First a little of all, then the best of them with what is left of the shape's time. */
static bool measure_once(struct tune *t, const struct shape *shape, double share_s,
                         struct result *results)
{
    const double for_first = 0.4, for_each_run = 0.3;
    struct allfold_bench_point points[ALLFOLD_PLAN_ALGORITHMS];
    plan_candidates(t, shape);
    t->plan.warmup = 2;
    t->plan.effort =
        (struct allfold_effort){.confidence = 0.95,
                                .width = 0.2,
                                .least = 3,
                                .most = 12,
                                .longest_s = for_first * share_s / t->plan.algorithm_count};
    const bool fits = run_once(t, shape, points);
    if (fits)
        keep_finalists(t, points);
    allfold_bench_points_free(&t->bench, points);
    t->plan.effort =
        (struct allfold_effort){.confidence = 0.95,
                                .width = 0.02,
                                .least = 6,
                                .most = 400,
                                .longest_s = for_each_run * share_s / t->plan.algorithm_count};
    return fits && run_twice(t, shape, results);
}

/* Again, while other work takes the processors and there is time? As rank 0 sees it. */
static bool is_again(const struct tune *t, const struct result *native)
{
    int again = allfold_is_disturbed(native->from_us, native->to_us) && allfold_now_s() < t->end_s;
    PMPI_Bcast(&again, 1, MPI_INT, 0, t->bench.comm);
    return again != 0;
}

/* What is disturbed stays native, as no interval is below native's: so it is measured again, from
 * the choice of candidates on. */
static bool measure(struct tune *t, int index, double share_s)
{
    enum { MOST_TIMES = 4 };
    struct result results[ALLFOLD_PLAN_ALGORITHMS];
    bool again = true;
    for (int times = 0; again && times < MOST_TIMES; times++) {
        if (!measure_once(t, &t->shapes[index], share_s, results))
            return false;
        again = is_again(t, &results[0]);
    }
    tell_shape(t, index, results);
    return true;
}

/* What is left of the time for each shape that is left, as rank 0 sees it. */
static double share_of(const struct tune *t, double begin_s, int left)
{
    const double least = 0.25, even_s = t->run->budget_s / t->count;
    double share_s = (begin_s + t->run->budget_s - allfold_now_s()) / left;
    share_s = fmax(share_s, least * even_s);
    PMPI_Bcast(&share_s, 1, MPI_DOUBLE, 0, t->bench.comm);
    return share_s;
}

/* Describes the measurement plan of a collective by its arguments. */
static bool plan_collective(struct tune *t, const char *name, char *message, size_t message_bytes)
{
    const struct {
        const char *name, *value;
    } arguments[] = {
        {"collective", name},     {"type", t->run->type},  {"operation", t->run->operation},
        {"start", t->run->start}, {"algorithm", "native"}, {"bytes", "4K"}};
    const enum allfold_collective collective = allfold_collective_find(name);
    const bool reduces = collective != ALLFOLD_COLLECTIVE_COUNT && collective != ALLFOLD_BARRIER &&
                         allfold_traits(collective)->reduces;
    bool fits = true;
    allfold_bench_plan_begin(&t->plan);
    for (size_t i = 0; fits && i < sizeof arguments / sizeof *arguments; i++)
        if (arguments[i].value != NULL && (reduces || strcmp(arguments[i].name, "operation") != 0))
            fits = allfold_bench_plan_take(&t->plan, arguments[i].name, arguments[i].value, message,
                                           message_bytes);
    return fits && allfold_bench_plan_end(&t->plan, message, message_bytes);
}

/* If ranks share cores, they leave a barrier one after the other, which makes a call longer or is
 * hidden by it, depending on the algorithm. So calls follow each other there, as in a program. */
static void plan_start(struct tune *t)
{
    if (t->plan.start == ALLFOLD_START_AUTO && !t->bench.clock.has_processors &&
        allfold_bench_plan_may_loop(&t->plan))
        t->plan.start = ALLFOLD_START_LOOP;
    if (t->bench.rank == 0 && t->plan.start == ALLFOLD_START_LOOP)
        printf("loop\n");
}

static void add_shapes(struct tune *t)
{
    const enum allfold_collective collective = t->plan.collective;
    t->count = 0;
    if (collective == ALLFOLD_BARRIER)
        t->shapes[t->count++] = (struct shape){.collective = collective, .to_bytes = SIZE_MAX};
    for (int i = 0; collective != ALLFOLD_BARRIER && i < t->run->sizes.count; i++)
        add_shape(t, collective, i);
}

static void tell_progress(const struct tune *t, double share)
{
    static time_t printed_at;
    if (!t->run->tells_progress || t->bench.rank > 0 || time(NULL) == printed_at)
        return;
    printed_at = time(NULL);
    printf("progress\t%.4f\n", share);
    fflush(stdout);
}

/* The shapes of one collective, which is number `which` of `all`. */
static bool tune_collective(struct tune *t, const char *name, int which, int all, char *message,
                            size_t message_bytes)
{
    const double begin_s = allfold_now_s();
    if (!plan_collective(t, name, message, message_bytes))
        return false;
    plan_start(t);
    add_shapes(t);
    t->end_s = begin_s + t->run->budget_s;
    bool fits = true;
    for (int i = 0; fits && i < t->count; i++) {
        tell_progress(t, (which + (double)i / t->count) / all);
        if (!is_known(t, &t->shapes[i]))
            fits = measure(t, i, share_of(t, begin_s, t->count - i));
    }
    close_pool(&t->pool);
    if (!fits)
        snprintf(message, message_bytes, "there is not enough memory for vectors of that size");
    return fits;
}

/* All of them, with equal times. */
static int tune_all(struct tune *t, struct options *run)
{
    char message[2 * ALLFOLD_BENCH_TEXT] = "", names[MOST_TEXT];
    int all = 1, which = 0;
    bool fits = true;
    for (const char *c = run->collectives; *c != '\0'; c++)
        all += *c == ',';
    run->budget_s /= all;
    snprintf(names, sizeof names, "%s", run->collectives);
    char *rest = names;
    for (char *name; fits && (name = strsep(&rest, ",")) != NULL; which++)
        fits = tune_collective(t, name, which, all, message, sizeof message);
    return fits ? 0 : allfold_program_fail(t->bench.rank, message);
}

/* A table that is not there yet is none; one that cannot be read is an error, before anything is
 * measured. */
static bool read_known(struct tune *t, char *message, size_t message_bytes)
{
    int error = ALLFOLD_OK;
    FILE *file = t->bench.rank > 0 || t->run->known == NULL ? NULL : fopen(t->run->known, "r");
    if (file != NULL) {
        fclose(file);
        error = (int)allfold_table_read(t->run->known, allfold_table_parse, &t->known, message,
                                        message_bytes);
    }
    PMPI_Bcast(&error, 1, MPI_INT, 0, t->bench.comm);
    return error == ALLFOLD_OK;
}

/* Returns the exit status. Collective. */
static int tune_ranks(const struct options *given, MPI_Comm comm)
{
    struct options run = *given;
    struct tune *t = calloc(1, sizeof *t);
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    int rank, p, status;
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &rank);
    if (p == 1) {
        free(t);
        return allfold_program_fail(rank,
                                    "one rank alone has nothing to choose; start two or more");
    }
    if (t == NULL)
        PMPI_Abort(comm, EXIT_FAILURE);
    t->run = &run;
    if (!plan_collective(t, "allreduce", message, sizeof message)) {
        free(t);
        return allfold_program_fail(rank, message);
    }
    if (!allfold_bench_open(&t->bench, &t->plan, comm))
        PMPI_Abort(comm, EXIT_FAILURE);
    allfold_program_tell_job(rank, p, t->bench.state->nodes);
    if (rank == 0)
        printf("placement\t%s\n", allfold_arrangement_name(t->bench.state->nodes->arrangement));
    if (read_known(t, message, sizeof message))
        status = tune_all(t, &run);
    else
        status = allfold_program_fail(rank, message);
    allfold_table_free(t->known);
    allfold_bench_close(&t->bench);
    free(t);
    return status;
}

/* --- arguments --- */

struct arguments {
    bool calibrates;
    struct allfold_calibrate_options calibrate;
    struct options tune;
};

static bool take_sizes(struct arguments *arguments, const char *value, char *message,
                       size_t message_bytes)
{
    if (!allfold_size_list_read(value, &arguments->calibrate.sizes, message, message_bytes))
        return false;
    arguments->tune.sizes = arguments->calibrate.sizes;
    return true;
}

static bool take_budget(struct arguments *arguments, const char *value, char *message,
                        size_t message_bytes)
{
    double budget_s;
    if (!allfold_number_is(value, &budget_s)) {
        snprintf(message, message_bytes, "budget=%s: expected seconds", value);
        return false;
    }
    arguments->calibrate.budget_s = arguments->tune.budget_s = budget_s;
    return true;
}

static bool take_argument(void *context, const char *name, const char *value, char *message,
                          size_t message_bytes)
{
    struct arguments *arguments = context;
    if (strcmp(name, "bytes") == 0)
        return take_sizes(arguments, value, message, message_bytes);
    if (strcmp(name, "budget") == 0)
        return take_budget(arguments, value, message, message_bytes);
    if (strcmp(name, "progress") == 0)
        arguments->calibrate.tells_progress = arguments->tune.tells_progress = true;
    else if (strcmp(name, "calibrate") == 0)
        arguments->calibrates = true;
    else if (strcmp(name, "collective") == 0)
        snprintf(arguments->tune.collectives, sizeof arguments->tune.collectives, "%s", value);
    else if (strcmp(name, "type") == 0)
        arguments->tune.type = value;
    else if (strcmp(name, "operation") == 0)
        arguments->tune.operation = value;
    else if (strcmp(name, "start") == 0)
        arguments->tune.start = value;
    else if (strcmp(name, "resume") == 0)
        arguments->tune.resumes = true;
    else if (strcmp(name, "known") == 0)
        arguments->tune.known = value;
    else
        snprintf(message, message_bytes, "%s",
                 strcmp(name, "refuse") == 0 ? value : "a word that is none");
    return *message == '\0';
}

static bool read_arguments(void *context, char *arguments, char *message, size_t message_bytes)
{
    return allfold_program_read(arguments, take_argument, context, message, message_bytes);
}

static int run(void *context, MPI_Comm comm)
{
    const struct arguments *arguments = context;
    return arguments->calibrates ? allfold_calibrate_ranks(&arguments->calibrate, comm)
                                 : tune_ranks(&arguments->tune, comm);
}

int allfold_part_main(int argc, char **argv)
{
    static struct arguments arguments;
    const struct allfold_program part = {&arguments, read_arguments, run};
    return allfold_program_main(argc, argv, &part);
}
