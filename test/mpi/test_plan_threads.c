/*
 * test_plan_threads.c: several threads of each rank, each with plans and nonblocking calls on a
 * communicator of its own, in flight together. With ALLFOLD_NONBLOCKING=thread a plan makes
 * progress while a rank is in no call at all, and the thread sleeps where none is in flight.
 *
 * Linked with the library, of which it calls allfold.h.
 */
#include "check.h"
#include "start_thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "allfold.h"

enum { PLANS = 4, LENGTH = 3000, MOST_RANKS = 64 };

static int threads = 3, rounds = 10;

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int index;
    struct allfold_plan *plans[PLANS];
    int64_t mine[PLANS][LENGTH], result[PLANS][LENGTH];
};

static int64_t input(int rank, int i, int round)
{
    return (int64_t)(rank + 1) * (i % 7 + 1) + round;
}

/* Sums to all, to one, and of the blocks of an own rank; plan 3 is a broadcast by rank 0. */
static void make_plans(struct worker *w)
{
    const size_t n = LENGTH;
    int code = allfold_allreduce_init(w->mine[0], w->result[0], n, MPI_INT64_T, MPI_SUM, w->comm,
                                      &w->plans[0]);
    code |= allfold_reduce_init(w->mine[1], w->result[1], n, MPI_INT64_T, MPI_SUM, 0, w->comm,
                                &w->plans[1]);
    code |= allfold_allreduce_init(w->mine[2], w->result[2], 1, MPI_INT64_T, MPI_SUM, w->comm,
                                   &w->plans[2]);
    code |= allfold_bcast_init(w->result[3], n, MPI_INT64_T, 0, w->comm, &w->plans[3]);
    check_equal("codes of making plans", MPI_SUCCESS, code);
}

static void fill(struct worker *w, int rank, int round)
{
    for (int k = 0; k < PLANS; k++)
        for (int i = 0; i < LENGTH; i++) {
            w->mine[k][i] = input(rank, i, round + k);
            w->result[k][i] = k == 3 && rank == 0 ? input(0, i, round) : -1;
        }
}

static void check_results(const struct worker *w, int rank, int p, int round)
{
    for (int k = 0; k < PLANS; k++)
        for (int i = 0; i < (k == 2 ? 1 : LENGTH); i++) {
            int64_t expected = 0;
            for (int r = 0; r < p; r++)
                expected += input(r, i, round + k);
            if (k == 3)
                expected = input(0, i, round);
            if (k == 1 && rank != 0)
                expected = -1;
            if (w->result[k][i] != expected) {
                check_fail("thread %d, plan %d, element %d: %lld, not %lld", w->index, k, i,
                           (long long)w->result[k][i], (long long)expected);
                return;
            }
        }
}

/* Comes for all of them, in an order of the rank's own. */
static void come_for(struct worker *w, uint64_t random)
{
    static const int timeouts[] = {ALLFOLD_TEST, 1, ALLFOLD_TEST, 5};
    int done[PLANS] = {0}, count = 0;
    for (uint64_t step = 0; count < PLANS; step++) {
        random = check_random(random, step, 5);
        const int k = (int)(random % PLANS);
        if (done[k])
            continue;
        const int code = allfold_wait(w->plans[k], timeouts[random >> 8 & 3]);
        if (code == ALLFOLD_TIMED_OUT)
            continue;
        check_equal("code of allfold_wait", MPI_SUCCESS, code);
        done[k] = 1;
        count++;
    }
}

static void sum_nonblocking(struct worker *w, int rank, int p)
{
    int64_t mine = rank + w->index, sum = -1;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, w->comm, &request);
    check_equal("code of MPI_Wait", MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_equal("nonblocking sum", (long long)p * (p - 1) / 2 + (long long)p * w->index, sum);
}

static void *work(void *argument)
{
    struct worker *w = argument;
    int rank, p;
    MPI_Comm_rank(w->comm, &rank);
    MPI_Comm_size(w->comm, &p);
    make_plans(w);
    for (int round = 0; round < rounds; round++) {
        fill(w, rank, round);
        for (int k = 0; k < PLANS; k++)
            check_equal("code of allfold_start", MPI_SUCCESS,
                        allfold_start(w->plans[rank % 2 ? k : PLANS - 1 - k]));
        if (round % 2 == 1)
            sum_nonblocking(w, rank, p);
        come_for(w, (uint64_t)(rank + 64 * round));
        check_results(w, rank, p, round);
    }
    for (int k = 0; k < PLANS; k++)
        allfold_plan_free(&w->plans[k]);
    return NULL;
}

static void test_threads(void)
{
    if (!check_case("%d threads with plans", threads))
        return;
    struct worker *workers = check_memory((size_t)threads * sizeof *workers);
    for (int t = 0; t < threads; t++) {
        workers[t].index = t;
        MPI_Comm_split(MPI_COMM_WORLD, 0, t % 2 ? -check_rank() : check_rank(), &workers[t].comm);
    }
    for (int t = 0; t < threads; t++)
        start_thread(&workers[t].thread, work, &workers[t]);
    for (int t = 0; t < threads; t++)
        pthread_join(workers[t].thread, NULL);
    for (int t = 0; t < threads; t++)
        MPI_Comm_free(&workers[t].comm);
    free(workers);
}

static int has_progress_thread(void)
{
    const char *progress = getenv("ALLFOLD_NONBLOCKING");
    return progress != NULL && strstr(progress, "thread") != NULL;
}

/* In no call of any library, until a signal tells of the others' end, or time is over. */
static int sleep_until_told(const sigset_t *signals)
{
    const struct timespec most = {.tv_sec = 20};
    return sigtimedwait(signals, NULL, &most) == SIGUSR1;
}

/* The last rank starts a plan that has several rounds, and is away. With the thread the others come
 * to its end, without it they do not. */
static void test_away(void)
{
    static double mine[20 * LENGTH], sum[20 * LENGTH];
    const int last = check_size() - 1, is_away = check_rank() == last;
    const int n = (int)(sizeof mine / sizeof *mine);
    struct allfold_plan *plan;
    long process = getpid();
    sigset_t signals;
    if (!check_case("a rank that is in no call"))
        return;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    MPI_Bcast(&process, 1, MPI_LONG, last, MPI_COMM_WORLD);
    allfold_comm_set(MPI_COMM_WORLD, "ALLFOLD_ALGORITHM", "allreduce=ring");
    for (int i = 0; i < n; i++)
        mine[i] = check_rank() + i;
    allfold_allreduce_init(mine, sum, (size_t)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &plan);
    allfold_start(plan);
    int code = ALLFOLD_TIMED_OUT;
    if (is_away)
        check_equal("the others have told", 1, sleep_until_told(&signals));
    else
        code = allfold_wait(plan, has_progress_thread() ? 15000 : 300);
    if (!is_away)
        check_equal("what waiting returns while one is away",
                    has_progress_thread() ? MPI_SUCCESS : ALLFOLD_TIMED_OUT, code);
    if (!is_away && check_rank() != 0)
        MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    for (int r = 1; r < last && check_rank() == 0; r++) /* those who started later wait longer */
        MPI_Recv(NULL, 0, MPI_BYTE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (check_rank() == 0) /* to its main thread */
        syscall(SYS_tgkill, process, process, SIGUSR1);
    if (code == ALLFOLD_TIMED_OUT)
        code = allfold_wait(plan, ALLFOLD_BLOCK);
    check_equal("code in the end", MPI_SUCCESS, code);
    for (int i = 0; i < n; i += 97)
        check_equal("sum", check_size() * (check_size() - 1) / 2 + check_size() * i,
                    (long long)sum[i]);
    allfold_plan_free(&plan);
    allfold_comm_set(MPI_COMM_WORLD, "ALLFOLD_ALGORITHM", "allreduce=");
}

static double cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Nothing is in flight, so no thread works. */
static void test_idle(void)
{
    const struct timespec pause = {.tv_nsec = 400000000};
    if (!check_case("nothing in flight"))
        return;
    const double before_s = cpu_s();
    nanosleep(&pause, NULL);
    const double used_s = cpu_s() - before_s;
    if (used_s > 0.2)
        check_fail("%.3f s of processor time in 0.4 s of sleep", used_s);
}

static void run(void)
{
    test_threads();
    if (check_size() > 1 && check_size() <= MOST_RANKS)
        test_away();
    test_idle();
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"threads", "threads per rank, each with its own communicator", &threads, 1, NULL},
        {"rounds", "how often each plan runs", &rounds, 1, NULL},
    };
    static const struct check_program program = {
        .doc = "Checks plans of several threads, and the progress thread.",
        .run = run,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .thread_level = MPI_THREAD_MULTIPLE,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
