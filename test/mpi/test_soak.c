/*
 * test_soak.c: random collectives on random communicators for as long as one likes, blocking and in
 * flight together, from one thread or several. All results are checked, and memory stays flat.
 *
 * Invariant: an episode is drawn from the seed and its number alone, begins with no communicator
 * and frees what it makes. So `--seed N --match 'episode K '` is that
 * episode again, and between two of them a process holds what it held before. What ranks must do
 * alike is drawn from a stream that is the same on all; the order of completion from one of their
 * own.
 */
#include "calls.h"
#include "launcher.h"
#include "start_thread.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Also where time is over sooner, as on a loaded machine: memory has to be looked at twice. */
enum { LEAST_EPISODES = 8 };

enum { POOL = 6, BATCH = 8, TAG_ORDER = 4713, TAG_MEMORY = 4714 };

/* Memory that was held for messages in flight stays with MPI and malloc. Its amount is chance: some
 * pages come late, up to 1 MiB, however long the run. Lost memory adds up to more. */
static int growth_kib = 2048;

static int seconds = 8, episodes = 0, steps = 60, large = 100, threads = 1, nonblocking = 40,
           lasting = 0;

struct tally {
    uint64_t blocking, nonblocking, comms, bytes;
};

/* A thread with communicators of its own; pool[0] has all ranks, and lasts for the episode. */
struct worker {
    pthread_t thread;
    MPI_Comm pool[POOL];
    uint64_t common, own;
    unsigned elements; /* of the last call */
    struct tally tally;
};

static struct {
    struct tally tally; /* of this rank, as the communicators are */
    int episodes;
    double begin_s, end_s;
    long start_kib, end_kib, most_growth_kib;
} soak = {.start_kib = -1};

/* --- drawing --- */

static unsigned drawn(uint64_t *stream, unsigned below)
{
    *stream = check_random(*stream, 1, 0);
    return (unsigned)(*stream >> 33) % below;
}

/* A call on one of the communicators, of any size from nothing to `large`, small as often as large.
 * Half of the calls are like the last one. All is drawn also where this rank is in no such
 * communicator: then false. */
static bool draw_call(struct worker *worker, struct call *call)
{
    uint64_t *stream = &worker->common;
    MPI_Comm comm = worker->pool[drawn(stream, POOL)];
    const enum collective collective = (enum collective)drawn(stream, COLLECTIVES);
    const unsigned number = drawn(stream, SUBJECTS + SHORT_SUBJECTS);
    const struct subject *subject =
        number < SUBJECTS ? &subjects[number] : &short_subjects[number - SUBJECTS];
    const bool again = drawn(stream, 2);
    const unsigned length = drawn(stream, 2u << drawn(stream, 17)), root = drawn(stream, 1u << 20);
    const bool in_place = drawn(stream, 2), null_result = drawn(stream, 2);
    int size;

    worker->elements = again ? worker->elements : length;
    if (comm == MPI_COMM_NULL)
        return false;
    MPI_Comm_size(comm, &size);
    const bool has_blocks = collective != BCAST && collective != BARRIER &&
                            collective != ALLREDUCE && collective != REDUCE;
    const size_t element_bytes = subject->kind->bytes * (has_blocks ? (size_t)size : 1);
    const size_t most = 1024 * (size_t)large / element_bytes;
    const int count = collective == BARRIER ? 0 : (int)(worker->elements % (most + 1));

    *call = call_of(collective, subject, comm, count, (int)(root % (unsigned)size));
    call->in_place = in_place;
    call->null_result = null_result;
    call->seed = *stream;
    worker->tally.bytes += (size_t)count * element_bytes;
    return true;
}

/* Before a blocking call, nonblocking ones are native. Some native ones write where they may not
 * (Open MPI 4.1.4) or give wrong results (MPICH 4.0.2). */
static void begin_comm(struct worker *worker, MPI_Comm comm)
{
    int one = 1, sum = 0, size;

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    check_equal("sum of ones", size, sum);
    worker->tally.comms++;
    worker->tally.blocking++;
}

/* A duplicate of a communicator, or one of up to three parts of it in another order. Ranks of the
 * third part are in none. */
static MPI_Comm draw_comm(struct worker *worker, int made)
{
    uint64_t *stream = &worker->common;
    const unsigned wanted = drawn(stream, 2 * (unsigned)made), parts = drawn(stream, 4);
    MPI_Comm parent = worker->pool[wanted < (unsigned)made ? wanted : 0], comm = MPI_COMM_NULL;
    int rank, code;
    if (parent == MPI_COMM_NULL)
        return MPI_COMM_NULL;
    MPI_Comm_rank(parent, &rank);
    if (parts == 0) {
        code = MPI_Comm_dup(parent, &comm);
    } else {
        uint64_t mine = check_random((uint64_t)rank, 2, *stream);
        const int part = (int)drawn(&mine, parts);
        code =
            MPI_Comm_split(parent, part == 2 ? MPI_UNDEFINED : part, (int)drawn(&mine, 8), &comm);
    }
    check_equal("code of making a communicator", MPI_SUCCESS, code);
    if (comm != MPI_COMM_NULL)
        begin_comm(worker, comm);
    return comm;
}

static void drop_comm(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        check_equal("code of MPI_Comm_free", MPI_SUCCESS, MPI_Comm_free(comm));
}

/* --- an episode --- */

static void run_blocking(struct worker *worker)
{
    struct call call;
    if (!draw_call(worker, &call))
        return;
    call_run(&call);
    worker->tally.blocking++;
}

/* In an order of this rank's own: one is waited for or looked at, or whichever ends first. */
static void complete(struct worker *worker, MPI_Request *requests, int *codes, int count)
{
    int open = 0;

    for (int i = 0; i < count; i++)
        open += requests[i] != MPI_REQUEST_NULL;
    while (open > 0) {
        int i = (int)drawn(&worker->own, (unsigned)count), flag = 1, code;
        const unsigned way = drawn(&worker->own, 3);

        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        if (way == 0)
            code = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        else if (way == 1)
            code = MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        else
            code = MPI_Waitany(count, requests, &i, MPI_STATUS_IGNORE);
        codes[i] = code;
        open -= flag;
    }
}

/* Collectives in flight together, blocking ones between their starts. */
static void run_batch(struct worker *worker)
{
    struct prepared jobs[BATCH];
    MPI_Request requests[BATCH];
    int codes[BATCH], started = 0;

    for (unsigned left = 1 + drawn(&worker->common, BATCH); left > 0; left--) {
        struct call call;
        if (drawn(&worker->common, 4) == 0)
            run_blocking(worker);
        if (!draw_call(worker, &call))
            continue;
        prepared_make(&jobs[started], &call);
        prepared_fill(&jobs[started], call.seed);
        requests[started] = MPI_REQUEST_NULL;
        codes[started] = prepared_start(&jobs[started], &requests[started]);
        started++;
    }
    complete(worker, requests, codes, started);
    for (int i = 0; i < started; i++) {
        prepared_check(&jobs[i], codes[i]);
        prepared_free(&jobs[i]);
    }
    worker->tally.nonblocking += (uint64_t)started;
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    for (int i = 1; i < POOL; i++)
        worker->pool[i] = draw_comm(worker, i);
    for (int step = 0; step < steps; step++) {
        const unsigned slot = 1 + drawn(&worker->common, POOL - 1);
        if (drawn(&worker->common, 10) == 0) {
            drop_comm(&worker->pool[slot]);
            worker->pool[slot] = draw_comm(worker, (int)slot);
        } else if (drawn(&worker->common, 100) < (unsigned)nonblocking) {
            run_batch(worker);
        } else {
            run_blocking(worker);
        }
    }
    for (int i = 1; i < POOL; i++)
        drop_comm(&worker->pool[i]);
    return NULL;
}

static void make_firsts(struct worker *workers)
{
    for (int t = 0; t < threads; t++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].pool[0]);
        begin_comm(&workers[t], workers[t].pool[0]);
    }
}

static void free_firsts(struct worker *workers)
{
    for (int t = 0; t < threads; t++)
        drop_comm(&workers[t].pool[0]);
}

static void run_episode(struct worker *workers)
{
    uint64_t stream = check_seed();
    const unsigned used = 1 + drawn(&stream, (unsigned)threads);
    if (!lasting)
        make_firsts(workers);
    for (unsigned t = 0; t < used; t++) {
        struct worker *worker = &workers[t];
        worker->common = check_random(t, 3, stream);
        worker->elements = 0;
        worker->own = check_random((uint64_t)check_rank(), 4, worker->common);
        if (t > 0)
            start_thread(&worker->thread, work, worker);
    }
    work(&workers[0]);
    for (unsigned t = 1; t < used; t++)
        pthread_join(workers[t].thread, NULL);
    if (!lasting)
        free_firsts(workers);
    soak.episodes++;
}

/* --- memory --- */

/* Between episodes. What is free in the heap goes back first, so that only what is held counts. */
static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");

    malloc_trim(0);
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib;
}

/* Rank 0 learns what the others have grown by: the largest is in its statistics. */
static void check_memory_flat(void)
{
    long growth = soak.end_kib - soak.start_kib;

    if (!check_case("resident memory, seed %d", check_first_seed()))
        return;
    if (soak.start_kib < 0 || soak.end_kib < 0)
        check_fail("it is not known: the run was too short, or there is no /proc/self/status");
    else if (growth > growth_kib)
        check_fail("%ld KiB after the first quarter of the run, %ld KiB at its end: more than"
                   " %d KiB of growth",
                   soak.start_kib, soak.end_kib, growth_kib);
    soak.most_growth_kib = growth;
    if (check_rank() > 0)
        MPI_Send(&growth, 1, MPI_LONG, 0, TAG_MEMORY, MPI_COMM_WORLD);
    for (int other = 1; other < check_size() && check_rank() == 0; other++) {
        MPI_Recv(&growth, 1, MPI_LONG, other, TAG_MEMORY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (growth > soak.most_growth_kib)
            soak.most_growth_kib = growth;
    }
}

/* --- the run --- */

/* The part of the run that is over, as rank 0 sees it. */
static double part_over(int number)
{
    const double part =
        episodes > 0 ? (double)number / episodes : (MPI_Wtime() - soak.begin_s) / seconds;
    double everyone = part;
    for (int other = 1; other < check_size() && check_rank() == 0; other++)
        MPI_Send(&part, 1, MPI_DOUBLE, other, TAG_ORDER, MPI_COMM_WORLD);
    if (check_rank() > 0)
        MPI_Recv(&everyone, 1, MPI_DOUBLE, 0, TAG_ORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return everyone;
}

static void show_progress(double part)
{
    static double shown_s;
    if (MPI_Wtime() - shown_s < 1 && part < 1)
        return;
    shown_s = MPI_Wtime();
    fprintf(stderr, "\r\033[K%.0f%%, %d episodes%s", 100 * part, soak.episodes,
            part < 1 ? "" : "\n");
}

static void run(void)
{
    struct worker *workers = check_memory((size_t)threads * sizeof *workers);
    const bool shows = check_rank() == 0 && allfold_launcher_shows();
    double part;

    memset(workers, 0, (size_t)threads * sizeof *workers);
    mallopt(M_ARENA_MAX, 1); /* else threads find other heaps each time */
    kinds_start();
    if (lasting)
        make_firsts(workers);
    soak.begin_s = MPI_Wtime();
    const int least = episodes > 0 ? 0 : LEAST_EPISODES;
    for (int number = 0; (part = part_over(number)) < 1 || number < least; number++) {
        if (soak.start_kib < 0 && part >= 0.25 && number >= least / 4)
            soak.start_kib = resident_kib();
        if (shows)
            show_progress(part);
        if (check_case("episode %d of seed %d", number, check_first_seed()))
            run_episode(workers);
    }
    soak.end_s = MPI_Wtime();
    soak.end_kib = resident_kib();
    if (shows)
        show_progress(1);
    check_memory_flat();
    if (lasting)
        free_firsts(workers);
    for (int t = 0; t < threads; t++) {
        soak.tally.blocking += workers[t].tally.blocking;
        soak.tally.nonblocking += workers[t].tally.nonblocking;
        soak.tally.comms += workers[t].tally.comms;
        soak.tally.bytes += workers[t].tally.bytes;
    }
    kinds_end();
    free(workers);
}

static void report(void)
{
    const struct tally *tally = &soak.tally;

    printf("seed %d: %d episodes in %.1f s on %d ranks\n", check_first_seed(), soak.episodes,
           soak.end_s - soak.begin_s, check_size());
    printf("rank 0: %" PRIu64 " calls (%" PRIu64 " nonblocking) of %.1f MiB in all on %" PRIu64
           " communicators\n",
           tally->blocking + tally->nonblocking, tally->nonblocking,
           (double)tally->bytes / (1 << 20), tally->comms);
    printf("rank 0: %ld KiB resident after a quarter, %ld KiB at the end; any rank: %+ld KiB at"
           " most\n",
           soak.start_kib, soak.end_kib, soak.most_growth_kib);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"seconds", "how long it runs", &seconds, 1, NULL},
        {"episodes", "how many episodes instead; 0: by time", &episodes, 0, NULL},
        {"steps", "steps of an episode: calls, batches of calls, communicators", &steps, 1, NULL},
        {"large", "KiB of the longest vectors", &large, 0, NULL},
        {"threads", "the most threads of an episode", &threads, 1, NULL},
        {"lasting",
         "1: a thread's first communicator lasts for the whole run; its caches grow to their "
         "bounds,"
         " so for an hour and more",
         &lasting, 0, NULL},
        {"growth",
         "KiB of memory that may come after the first quarter: what is kept of freed communicators "
         "has node memory, which is touched bit by bit",
         &growth_kib, 0, NULL},
        {"nonblocking", "percent of the steps that are nonblocking", &nonblocking, 0, NULL},
    };
    static const struct check_program program = {
        .doc = "Random collectives on random communicators, with memory that must stay flat.",
        .run = run,
        .report = report,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .thread_level = MPI_THREAD_MULTIPLE,
        .least_ranks = 2,
    };
    return check_main(argc, argv, &program);
}
