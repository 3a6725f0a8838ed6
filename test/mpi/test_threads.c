/*
 * test_threads.c: several threads of each rank, each with its own communicator, in different
 * reductions at the same time.
 */
#include "calls.h"
#include "start_thread.h"

#include <stdlib.h>

static int threads = 2, blocks = 20;

enum { CALLS_PER_BLOCK = 8 };

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int index;
};

/* One call, chosen by number alone, so that all ranks choose the same for the same thread. */
static void one_call(const struct worker *worker, uint64_t number)
{
    static const int counts[] = {1, 5, 64, 1000, 9000};
    uint64_t random = check_random((uint64_t)worker->index, number, check_seed());
    int size;

    MPI_Comm_size(worker->comm, &size);
    if (number == 0 && worker->index % 2 == 0)
        random = ALLREDUCE; /* a short one, as programs begin with, and passed through */
    enum collective collective = (enum collective)(random % COLLECTIVES);
    int root = (int)(random >> 8 & 0xff) % size;
    struct call call = call_of(collective, &subjects[(random >> 16 & 0xff) % SUBJECTS],
                               worker->comm, counts[(random >> 24 & 0xff) % 5], root);
    /* MPI_Reduce in place is left to test_reductions: MPICH 4.0.2 dies of it. */
    call.in_place = collective != REDUCE && (random >> 32 & 1);
    call.null_result = random >> 33 & 1;
    call.seed = random;
    call_run(&call);
}

/* Thread k makes k calls more than thread 0: nothing may rely on synchronized threads. */
static void *work(void *argument)
{
    const struct worker *worker = argument;
    uint64_t calls = CALLS_PER_BLOCK + (uint64_t)worker->index;

    for (uint64_t number = 0; number < calls; number++)
        one_call(worker, number);
    return NULL;
}

/* Communicators that no call was on before: several threads have their first ones at once. Odd
 * threads see the ranks in reverse, so the same rank plays different parts at the same time. */
static void run_block(struct worker *workers)
{
    for (int t = 0; t < threads; t++)
        MPI_Comm_split(MPI_COMM_WORLD, 0, t % 2 ? -check_rank() : check_rank(), &workers[t].comm);
    for (int t = 0; t < threads; t++)
        start_thread(&workers[t].thread, work, &workers[t]);
    for (int t = 0; t < threads; t++)
        pthread_join(workers[t].thread, NULL);
    for (int t = 0; t < threads; t++)
        MPI_Comm_free(&workers[t].comm);
}

static void run(void)
{
    struct worker *workers = check_memory((size_t)threads * sizeof *workers);

    kinds_start();
    for (int t = 0; t < threads; t++)
        workers[t].index = t;
    for (int block = 0; block < blocks; block++)
        if (check_case("%d threads, block %d", threads, block))
            run_block(workers);
    kinds_end();
    free(workers);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"threads", "threads per rank, each with its own communicator", &threads, 1, NULL},
        {"blocks", "how often the threads are started for a handful of calls each", &blocks, 1,
         NULL},
    };
    static const struct check_program program = {
        .doc = "Checks reductions of several threads on communicators of their own.",
        .run = run,
        .flags = flags,
        .flag_count = 2,
        .thread_level = MPI_THREAD_MULTIPLE,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
