/*
 * test_plans.c: plans of all algorithms, several of them on each of two communicators, beside
 * blocking calls. Each rank starts and completes them in an order of its own, by tests, timeouts
 * and waiting. Errors are tested, too.
 *
 * Linked with the library, of which it calls allfold.h.
 */
#include "calls.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "allfold.h"
#include "served.h"
#include "select/settings.h"

enum { PLANS = 6, COMMS = 2 };

static int rounds = 3, large = 3001, tests = 10000;
static MPI_Comm comms[COMMS];

/* A plan with its buffers, others that some of its starts are on, and where it is. */
struct job {
    struct prepared prepared, other;
    struct prepared *started_on;
    struct allfold_plan *plan;
    enum { IDLE, STARTED, DONE } state;
};

/* Counts as allfold.h has them. The plan has a copy, so these may go. */
static void widen(const struct prepared *p, size_t *counts, ptrdiff_t *displs)
{
    for (int i = 0; i < p->call.contributors; i++) {
        counts[i] = (size_t)p->counts[i];
        if (displs)
            displs[i] = p->displs[i];
    }
}

static int make_plan(const struct prepared *p, struct allfold_plan **plan)
{
    const struct call *c = &p->call;
    const size_t n = (size_t)c->count;
    size_t counts[MOST_BLOCKS];
    ptrdiff_t displs[MOST_BLOCKS];

    switch (c->collective) {
    case ALLREDUCE:
        return allfold_allreduce_init(p->send, p->receive, n, c->layout->type, c->op, c->comm,
                                      plan);
    case REDUCE:
        return allfold_reduce_init(p->send, p->receive, n, c->layout->type, c->op, c->root, c->comm,
                                   plan);
    case BCAST:
        return allfold_bcast_init(p->receive, n, c->layout->type, c->root, c->comm, plan);
    case REDUCE_SCATTER_BLOCK:
        return allfold_reduce_scatter_block_init(p->send, p->receive, n, c->layout->type, c->op,
                                                 c->comm, plan);
    case REDUCE_SCATTER:
        widen(p, counts, NULL);
        return allfold_reduce_scatter_init(p->send, p->receive, counts, c->layout->type, c->op,
                                           c->comm, plan);
    case ALLGATHERV:
        widen(p, counts, displs);
        return allfold_allgatherv_init(p->send, counts[c->self], c->layout->type, p->receive,
                                       counts, displs, c->layout->type, c->comm, plan);
    case ALLGATHER:
        return allfold_allgather_init(p->send, n, c->layout->type, p->receive, n, c->layout->type,
                                      c->comm, plan);
    case SCAN:
        return allfold_scan_init(p->send, p->receive, n, c->layout->type, c->op, c->comm, plan);
    case EXSCAN:
        return allfold_exscan_init(p->send, p->receive, n, c->layout->type, c->op, c->comm, plan);
    default:
        return allfold_barrier_init(c->comm, plan);
    }
}

/* Sums of whole numbers can be served by all, those of user operations by the ordered ones. */
static void make_job(struct job *job, const struct allfold_algorithm *algorithm, int number)
{
    static const int ordered[] = {SUM_INT64, AFFINE_GAPS, MATRIX, SUM_DOUBLE, MIXED_NEGATIVE};
    uint64_t random = check_random((uint64_t)number, 0, check_seed());
    bool any = allfold_is_ordered(algorithm) && number % 2 == 1;
    int subject = any ? ordered[random % 5] : SUM_INT64;
    int count = number == 2 ? large : (int)(random >> 8 & 31);

    if (allfold_has_blocks(algorithm->collective))
        count = (count + check_size() - 1) / check_size();
    struct call call =
        call_of(collectives[algorithm->collective], &subjects[subject], comms[number % COMMS],
                count, (int)(random >> 16 & 63) % check_size());
    call.in_place = random >> 32 & 1;
    prepared_make(&job->prepared, &call);
    prepared_make(&job->other, &call);
    job->state = IDLE;
    int code = make_plan(&job->prepared, &job->plan);
    if (code != MPI_SUCCESS)
        check_fail("plan %d could not be made: %d", number, code);
}

/* A blocking sum between. */
static void sum_once(MPI_Comm comm)
{
    int64_t mine = check_rank() + 1, sum = -1;

    check_equal("code of the blocking sum", MPI_SUCCESS,
                allfold_allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, comm));
    check_equal("blocking sum", (long long)check_size() * (check_size() + 1) / 2, sum);
}

/* Starts the job, or comes for it. */
static int go_on(struct job *job, uint64_t random, uint64_t seed)
{
    static const int timeouts[] = {ALLFOLD_TEST, ALLFOLD_TEST, 1, ALLFOLD_BLOCK};

    if (job->state == IDLE) {
        job->started_on = random >> 8 & 1 ? &job->other : &job->prepared;
        prepared_fill(job->started_on, seed);
        check_equal("code of the start", MPI_SUCCESS,
                    job->started_on == &job->prepared
                        ? allfold_start(job->plan)
                        : allfold_start_on(job->plan, job->other.send, job->other.receive));
        job->state = STARTED;
        return 0;
    }
    int code = allfold_wait(job->plan, timeouts[random % 4]);
    if (code == ALLFOLD_TIMED_OUT)
        return 0;
    prepared_check(job->started_on, code);
    job->state = DONE;
    return 1;
}

/* All jobs run once, in an order of this rank's own. No rank waits for a plan for ever before all
 * of its own are started: others may need them first. */
static void run_round(struct job *jobs, uint64_t seed, bool blocks)
{
    int started = 0, done = 0;
    uint64_t state = check_random((uint64_t)check_rank(), 7, seed);

    for (int step = 0; done < PLANS; step++) {
        state = check_random(state, (uint64_t)step, 3);
        struct job *job = &jobs[state % PLANS];
        if (job->state == DONE)
            continue;
        bool starts = job->state == IDLE;
        bool may_block = started == PLANS;
        uint64_t random = may_block || starts ? state >> 20 : 0;
        done += go_on(job, random, seed + (uint64_t)(job - jobs));
        started += starts;
        if (blocks && starts && started == PLANS / 2) /* with plans in flight, of others too */
            sum_once(comms[0]);
    }
    for (int i = 0; i < PLANS; i++)
        jobs[i].state = IDLE;
}

static void test_algorithm(const struct allfold_algorithm *algorithm)
{
    struct job jobs[PLANS];
    const char *collective = allfold_collective_name(algorithm->collective);
    char rule[100];
    struct allfold_problem problem = {.collective = algorithm->collective,
                                      .group = allfold_group_all(check_size(), check_rank()),
                                      .count = 1,
                                      .element_bytes = 8,
                                      .commutative = true,
                                      .exact = true};
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);

    if (allfold_unmet_need(algorithm, &problem, &presets) != NULL)
        return;
    problem.count = (size_t)large;
    if (allfold_unmet_need(algorithm, &problem, &presets) != NULL)
        return;
    if (!check_case("plans of %s.%s", collective, algorithm->name))
        return;
    snprintf(rule, sizeof rule, "%s=%s", collective, algorithm->name);
    for (int i = 0; i < COMMS; i++)
        check_equal("code of allfold_comm_set", MPI_SUCCESS,
                    allfold_comm_set(comms[i], "ALLFOLD_ALGORITHM", rule));
    snprintf(rule, sizeof rule, "%s=", collective);
    for (int i = 0; i < PLANS; i++)
        make_job(&jobs[i], algorithm, i);
    for (int i = 0; i < COMMS; i++)
        allfold_comm_set(comms[i], "ALLFOLD_ALGORITHM", rule);
    for (int round = 0; round < rounds; round++)
        run_round(jobs, check_random((uint64_t)round, 1, check_seed()), round % 2 == 1);
    for (int i = 0; i < PLANS; i++) {
        check_equal("code of allfold_plan_free", MPI_SUCCESS, allfold_plan_free(&jobs[i].plan));
        prepared_free(&jobs[i].prepared);
        prepared_free(&jobs[i].other);
    }
}

/* The last rank comes late, so the plan is in flight on rank 0 meanwhile. */
static void test_errors(void)
{
    struct allfold_plan *plan = NULL, *copy, *none = NULL;
    int token = 0;

    if (!check_case("errors"))
        return;
    check_equal("init", MPI_SUCCESS, allfold_barrier_init(comms[0], &plan));
    check_error(allfold_start(NULL), "allfold_start: the plan is NULL");
    check_error(allfold_wait(NULL, 0), "allfold_wait: the plan is NULL");
    check_error(allfold_plan_free(NULL), "allfold_plan_free: the plan is NULL");
    check_error(allfold_plan_free(&none), "allfold_plan_free: the plan is NULL");
    check_error(allfold_wait(plan, 0), "not in flight");
    if (check_rank() == check_size() - 1 && check_size() > 1)
        MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_equal("start", MPI_SUCCESS, allfold_start(plan));
    if (check_rank() == 0 && check_size() > 1) {
        check_equal("wait too short", ALLFOLD_TIMED_OUT, allfold_wait(plan, 2));
        check_error(allfold_start(plan), "in flight");
        check_error(allfold_plan_free(&plan), "in flight");
        MPI_Send(&token, 1, MPI_INT, check_size() - 1, 3, MPI_COMM_WORLD);
    }
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    check_error(allfold_wait(plan, 0), "not in flight");
    copy = plan;
    check_equal("free", MPI_SUCCESS, allfold_plan_free(&plan));
    check_equal("plan is NULL", 1, plan == NULL);
    check_error(allfold_start(copy), "freed already");
    check_error(allfold_wait(copy, 0), "freed already");
    check_error(allfold_plan_free(&copy), "freed already");
    check_equal("without a communicator", 1, allfold_barrier_init(MPI_COMM_NULL, &plan) != 0);
    check_equal("no plan", 1, plan == NULL);
}

/* The communicator goes first; the plan still runs. */
static void test_freed_communicator(void)
{
    struct allfold_plan *plan;
    MPI_Comm comm;
    int mine = check_rank(), sum = -1;

    if (!check_case("the communicator is freed before the plan"))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_equal("init", MPI_SUCCESS,
                allfold_allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &plan));
    MPI_Comm_free(&comm);
    if (check_size() == 1) /* a native plan */
        check_error(allfold_start(plan), "communicator is freed");
    for (int start = 0; start < 3 && check_size() > 1; start++) {
        mine = check_rank() + start;
        check_equal("start", MPI_SUCCESS, allfold_start(plan));
        check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
        check_equal("sum", check_size() * (check_size() - 1) / 2 + start * check_size(), sum);
    }
    check_equal("free", MPI_SUCCESS, allfold_plan_free(&plan));
}

/* The last rank comes late, which rank 0 learns. All others wait meanwhile, so they answer. */
static void test_missing(void)
{
    struct allfold_plan *plan;
    int token = 0, last = check_size() - 1, ranks[2] = {-1, -1}, count = -1;

    if (!check_case("who is missing") || last == 0)
        return;
    check_equal("init", MPI_SUCCESS, allfold_barrier_init(comms[1], &plan));
    check_error(allfold_missing(plan, ranks, 2, &count), "not in flight");
    for (int round = 0; round < 2; round++) {
        if (check_rank() == last)
            MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check_equal("start", MPI_SUCCESS, allfold_start(plan));
        for (int tries = 0; check_rank() == 0 && tries < 100; tries++) {
            allfold_wait(plan, 5); /* others may not be there yet, if the machine is busy */
            check_equal("allfold_missing", MPI_SUCCESS, allfold_missing(plan, ranks, 2, &count));
            if (count == 1)
                break;
        }
        if (check_rank() == 0) {
            check_equal("how many are missing", 1, count);
            check_equal("who is", last, ranks[0]);
            MPI_Send(&token, 1, MPI_INT, last, 3, MPI_COMM_WORLD);
        }
        check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    }
    allfold_plan_free(&plan);
}

/* Rank 0 waits in MPI for messages that the others send after the plan has ended for them. The plan
 * cannot end before rank 0 has done its part. */
static void test_waiting_in_mpi(void)
{
    struct job job = {.state = IDLE};
    int token = 0;

    if (!check_case("a rank in MPI_Recv moves its plan on"))
        return;
    struct call call = call_of(ALLREDUCE, &subjects[MATRIX], comms[0], large, 0);
    prepared_make(&job.prepared, &call);
    check_equal("init", MPI_SUCCESS, make_plan(&job.prepared, &job.plan));
    prepared_fill(&job.prepared, check_seed());
    check_equal("start", MPI_SUCCESS, allfold_start(job.plan));
    for (int r = 1; r < check_size() && check_rank() == 0; r++)
        MPI_Recv(&token, 1, MPI_INT, r, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int code = allfold_wait(job.plan, ALLFOLD_BLOCK);
    if (check_rank() != 0)
        MPI_Send(&token, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    prepared_check(&job.prepared, code);
    check_equal("free", MPI_SUCCESS, allfold_plan_free(&job.plan));
    prepared_free(&job.prepared);
}

static long memory_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

/* The last rank comes only after rank 0 has looked for it so often, which must not take memory. */
static void test_impatient(void)
{
    struct allfold_plan *plan;
    int token = 0, last = check_size() - 1, mine = check_rank() + 1, sum = -1, early = 0;

    if (!check_case("%d waits with a timeout of 0", tests) || last == 0)
        return;
    check_equal("init", MPI_SUCCESS,
                allfold_allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, comms[0], &plan));
    if (check_rank() == last)
        MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_equal("start", MPI_SUCCESS, allfold_start(plan));
    const long before = memory_in_use();
    for (int i = 0; i < tests && check_rank() == 0; i++)
        early += allfold_wait(plan, ALLFOLD_TEST) != ALLFOLD_TIMED_OUT;
    const long grown = memory_in_use() - before;
    if (check_rank() == 0)
        MPI_Send(&token, 1, MPI_INT, last, 3, MPI_COMM_WORLD);
    check_equal("how often it was done too early", 0, early);
    if (grown > 65536) /* the MPI library may take some for good */
        check_fail("%ld bytes more after %d waits", grown, tests);
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    check_equal("sum", check_size() * (check_size() + 1) / 2, sum);
    allfold_plan_free(&plan);
}

/* Starts on new buffers and waits; what comes out of it is to be a sum over ranks. */
static void sum_on(struct allfold_plan *plan, const double *in, double *out, double mine,
                   bool has_result)
{
    const int p = check_size();
    double sum = -1, expected = p * mine + p * (p - 1) / 2.0;

    if (out != NULL)
        memcpy(out, &sum, sizeof sum);
    check_equal("start on", MPI_SUCCESS, allfold_start_on(plan, in, out));
    check_error(allfold_start_on(plan, in, out), "in flight");
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    if (has_result)
        memcpy(&sum, out, sizeof sum);
    if (has_result && memcmp(&sum, &expected, sizeof sum) != 0)
        check_fail("%g instead of %g", sum, expected);
}

/* A start on what cannot be, after which the plan is idle as before. */
static void refuse(struct allfold_plan *plan, const void *in, void *out, const char *why)
{
    check_error(allfold_start_on(plan, in, out), why);
    check_error(allfold_wait(plan, 0), "not in flight");
}

static void test_start_on(void)
{
    enum { STARTS = 64 };
    struct allfold_plan *plan;
    double first = check_rank(), result = -1;
    double room[STARTS], results[STARTS];

    if (!check_case("starts on other buffers"))
        return;
    check_equal("init", MPI_SUCCESS,
                allfold_allreduce_init(&first, &result, 1, MPI_DOUBLE, MPI_SUM, comms[0], &plan));
    sum_on(plan, &first, &result, 0, true);
    const long before = memory_in_use();
    for (int i = 1; i < STARTS; i++) { /* aligned to a cache line or not */
        const double mine = check_rank() + i;
        room[i] = mine;
        sum_on(plan, &room[i], &results[STARTS - i], i, true);
    }
    if (memory_in_use() - before > 65536) /* the MPI library may take some for good */
        check_fail("%ld bytes more after %d starts", memory_in_use() - before, STARTS);
    refuse(plan, MPI_IN_PLACE, room, "the plan was not made in place");
    refuse(plan, &result, &result, "the plan was not made in place");
    if (check_size() > 1) { /* else they are the MPI library's to look at */
        refuse(plan, NULL, &result, "a buffer is NULL");
        refuse(plan, &first, NULL, "a buffer is NULL");
    }
    result = -1;
    check_equal("start", MPI_SUCCESS, allfold_start(plan)); /* on those of its making again */
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    check_equal("sum", check_size() * (check_size() - 1) / 2, (long long)result);
    allfold_plan_free(&plan);
    check_error(allfold_start_on(NULL, &first, &result), "allfold_start_on: the plan is NULL");
}

/* In place, NULL where there is no buffer, and collectives that have one buffer or none. */
static void test_start_on_in_place(void)
{
    const int root = check_size() - 1;
    const bool is_root = check_rank() == root;
    struct allfold_plan *plan;
    double made_with = 0, other = check_rank() + 7;

    if (!check_case("starts on other buffers, in place"))
        return;
    check_equal(
        "init", MPI_SUCCESS,
        allfold_allreduce_init(MPI_IN_PLACE, &made_with, 1, MPI_DOUBLE, MPI_SUM, comms[0], &plan));
    refuse(plan, &other, &made_with, "the plan was made in place");
    check_equal("start on", MPI_SUCCESS, allfold_start_on(plan, MPI_IN_PLACE, &other));
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    check_equal("sum", check_size() * (check_size() - 1) / 2 + 7 * check_size(), (long long)other);
    allfold_plan_free(&plan);

    check_equal("init", MPI_SUCCESS,
                allfold_reduce_init(&made_with, is_root ? &other : NULL, 1, MPI_DOUBLE, MPI_SUM,
                                    root, comms[0], &plan));
    const double mine = check_rank() + 3;
    sum_on(plan, &mine, is_root ? &other : NULL, 3, is_root);
    sum_on(plan, &mine, &other, 3, is_root); /* which is not looked at off the root */
    if (!is_root)
        refuse(plan, MPI_IN_PLACE, NULL, "MPI_IN_PLACE where it cannot be");
    allfold_plan_free(&plan);

    check_equal("init", MPI_SUCCESS,
                allfold_bcast_init(&made_with, 1, MPI_DOUBLE, root, comms[0], &plan));
    other = is_root ? 42 : 0;
    check_equal("start on", MPI_SUCCESS, allfold_start_on(plan, NULL, &other));
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    check_equal("what the root has", 42, (long long)other);
    allfold_plan_free(&plan);

    check_equal("init", MPI_SUCCESS, allfold_barrier_init(comms[0], &plan));
    check_equal("start on", MPI_SUCCESS, allfold_start_on(plan, NULL, NULL));
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    allfold_plan_free(&plan);
}

/* What allfold_plan_print prints is to have all of these; a NULL ends them. */
static void check_print(const struct allfold_plan *plan, const char *const *parts)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);

    if (stream == NULL)
        abort();
    check_equal("print", MPI_SUCCESS, allfold_plan_print(plan, stream));
    fclose(stream);
    for (; *parts != NULL; parts++)
        if (strstr(text, *parts) == NULL)
            check_fail("no '%s' in: %s", *parts, text);
    free(text);
}

static void test_print(void)
{
    struct allfold_plan *plan, *copy;
    double mine[4] = {0}, sum[4];
    char ranks[64];

    if (!check_case("printed plans"))
        return;
    snprintf(ranks, sizeof ranks, "; %d ranks, of which this is %d\n", check_size(), check_rank());
    allfold_comm_set(comms[0], "ALLFOLD_ALGORITHM", "reduce=chain(segment=8)");
    check_equal("init", MPI_SUCCESS,
                allfold_reduce_init(mine, sum, 4, MPI_DOUBLE, MPI_SUM, 0, comms[0], &plan));
    const bool is_ours = check_size() > 1;
    const bool sends = check_rank() != 0; /* to the root, or to whom passes it on */
    const char *const ours[] = {"reduce of 4 x MPI_DOUBLE, sum, root 0",
                                ranks,
                                "algorithm: chain(segment=8) (forced)\n",
                                "cost: ",
                                " rounds; the busiest rank sends 32 bytes, receives ",
                                "steps of this rank: ",
                                sends ? ": send to " : ": receive from ",
                                NULL};
    const char *const native[] = {"reduce of 4 x MPI_DOUBLE", ranks, "algorithm: native", NULL};
    check_print(plan, is_ours ? ours : native);
    check_equal("start", MPI_SUCCESS, allfold_start(plan));
    check_print(plan, is_ours ? ours : native); /* in flight, too */
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    check_error(allfold_plan_print(plan, NULL), "the stream is NULL");
    copy = plan;
    allfold_plan_free(&plan);
    check_error(allfold_plan_print(copy, stdout), "freed already");
    check_error(allfold_plan_print(NULL, stdout), "allfold_plan_print: the plan is NULL");
    allfold_comm_set(comms[0], "ALLFOLD_ALGORITHM", "reduce=");

    const char *const barrier[] = {"barrier; ", ranks, "algorithm: ", NULL};
    check_equal("init", MPI_SUCCESS, allfold_barrier_init(comms[0], &plan));
    check_print(plan, barrier);
    allfold_plan_free(&plan);
}

/* More plans than there are streams through memory, all in flight, ended in the other order. */
static void test_many(void)
{
    enum { MANY = 40 };
    struct allfold_plan *plans[MANY];
    int mine[MANY], sum[MANY];

    if (!check_case("%d plans in flight", MANY))
        return;
    for (int i = 0; i < MANY; i++)
        check_equal(
            "init", MPI_SUCCESS,
            allfold_allreduce_init(&mine[i], &sum[i], 1, MPI_INT, MPI_SUM, comms[0], &plans[i]));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            mine[i] = check_rank() + i + round;
            check_equal("start", MPI_SUCCESS, allfold_start(plans[i]));
        }
        for (int k = 0; k < MANY; k++) {
            int i = check_rank() % 2 ? k : MANY - 1 - k;
            check_equal("wait", MPI_SUCCESS, allfold_wait(plans[i], ALLFOLD_BLOCK));
            check_equal("sum", check_size() * (check_size() - 1) / 2 + (i + round) * check_size(),
                        sum[i]);
        }
    }
    for (int i = 0; i < MANY; i++) /* of each two, one rank frees the other one first */
        allfold_plan_free(&plans[check_rank() % 2 ? i ^ 1 : i]);
}

static void run(void)
{
    kinds_start();
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    test_errors();
    test_freed_communicator();
    test_missing();
    test_start_on();
    test_start_on_in_place();
    test_print();
    test_many();
    test_impatient();
    test_waiting_in_mpi();
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        test_algorithm(allfold_algorithms[i]);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    kinds_end();
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"rounds", "how often each plan runs", &rounds, 1, NULL},
        {"large", "elements of the largest plans", &large, 1, NULL},
        {"tests", "waits with a timeout of 0 for a rank that is late", &tests, 1, NULL},
    };
    static const struct check_program program = {
        .doc = "Checks plans of all algorithms, in flight together.",
        .run = run,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .thread_level = MPI_THREAD_SINGLE,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
