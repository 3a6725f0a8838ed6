/* The fabric over a network in which writes overtake each other (support_fabric.h), and over
 * libfabric's providers: several endpoints in one process, and schedules on them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "execute/executor.h"
#include "lab/verify/verifier.h"
#include "support.h"
#include "support_fabric.h"
#include "util/memory.h"

enum { MOST_RANKS = 9, STREAMS = 2, RUNS = 3, ERROR = 77, REDUCTION_FAULT = 78, WINDOW = 4 };

/* How many words the longest short message has: 56 bytes of a slot are its header. */
enum { SHORT = (ALLFOLD_FABRIC_SLOT_BYTES - 56) / sizeof(uint32_t) };

/* A job: a fabric for each rank, and two streams on each. */
static struct {
    int p;
    struct allfold_fabric *fabrics[MOST_RANKS];
    struct allfold_fabric_stream *streams[MOST_RANKS][STREAMS];
    int lost[MOST_RANKS];
    uint64_t tallies[MOST_RANKS][MOST_RANKS]; /* of writes, by the rank that tells and its peer */
} job;

/* As MPI would carry the news to the rank that is lost. */
static void tell(void *context, int rank)
{
    const int self = (int)(intptr_t)context;
    job.lost[self] |= 1 << rank;
}

static bool tell_tally(void *context, int rank, uint64_t writes)
{
    job.tallies[(intptr_t)context][rank] = writes;
    return true;
}

static void carry_news(void)
{
    for (int r = 0; r < job.p; r++)
        for (int to = 0; to < job.p; to++) {
            if ((job.lost[r] & 1 << to) != 0)
                allfold_fabric_lose(job.fabrics[to], r);
            if (job.tallies[r][to] > 0)
                allfold_fabric_take_tally(job.fabrics[to], r, job.tallies[r][to]);
            job.tallies[r][to] = 0;
        }
}

/* Makes a job over such providers; false where there is none. */
static bool open_job(int p, struct allfold_provider *(*open)(void))
{
    struct allfold_fabric_address addresses[MOST_RANKS];
    memset(&job, 0, sizeof job);
    for (int r = 0; r < p; r++) {
        const struct allfold_fabric_options options = {.provider = open(),
                                                       .size = p,
                                                       .rank = r,
                                                       .window = WINDOW,
                                                       .error = ERROR,
                                                       .lost = tell,
                                                       .tally = tell_tally,
                                                       .silence_s = 0.3,
                                                       .context = (void *)(intptr_t)r};
        if (options.provider == NULL)
            return false;
        job.fabrics[r] = allfold_fabric_create(&options);
        assert_non_null(job.fabrics[r]);
        addresses[r] = allfold_fabric_address(job.fabrics[r]);
        job.p = r + 1;
    }
    for (int r = 0; r < p; r++) {
        struct allfold_fabric_address *all = allfold_allocate((size_t)p * sizeof *all);
        memcpy(all, addresses, (size_t)p * sizeof *all);
        allfold_fabric_meet(job.fabrics[r], all);
        for (uint64_t i = 0; i < STREAMS; i++)
            job.streams[r][i] = allfold_fabric_stream_create(job.fabrics[r], i << 40);
    }
    return true;
}

/* All writes end, although no rank is in a run any more. */
static void close_job(void)
{
    for (int times = 0, are_writing = 1; are_writing && times < 10000; times++) {
        are_writing = 0;
        for (int r = 0; r < job.p; r++)
            are_writing |= allfold_fabric_progress(job.fabrics[r]);
    }
    for (int r = 0; r < job.p; r++) {
        for (int i = 0; i < STREAMS; i++)
            allfold_fabric_stream_free(job.streams[r][i]);
        allfold_fabric_free(job.fabrics[r]);
    }
}

/* --- elements --- */

static int until_fault; /* of reductions; 0: none fails */

static int reduce_words(const struct allfold_elements *elements, void *to, const void *left,
                        const void *right, size_t count)
{
    (void)elements;
    uint32_t *t = to;
    const uint32_t *l = left, *r = right;
    if (until_fault > 0 && --until_fault == 0)
        return REDUCTION_FAULT;
    for (size_t i = 0; i < count; i++)
        t[i] = l[i] + r[i];
    return 0;
}

static int copy_words(const struct allfold_elements *elements, void *to, const void *from,
                      size_t count)
{
    (void)elements;
    memmove(to, from, count * sizeof(uint32_t));
    return 0;
}

static const struct allfold_elements numbers = {.extent_bytes = sizeof(uint32_t),
                                                .high_bytes = sizeof(uint32_t),
                                                .reduce = reduce_words,
                                                .copy = copy_words};

static uint32_t given(int run, int rank, size_t e)
{
    return (uint32_t)(run * 7919 + (rank + 1) * 104729) * (uint32_t)(e + 3);
}

/* --- runs --- */

struct rank_run {
    struct allfold_shape shape;
    struct allfold_executor *executor;
    struct allfold_binding binding;
    uint32_t *in, *out;
    void *scratch;
    bool is_done;
    int error;
};

/* A case on one of the streams. */
struct case_run {
    struct allfold_case of;
    struct allfold_schedule **schedules;
    struct rank_run ranks[MOST_RANKS];
};

static bool make_case(struct case_run *run, const struct allfold_case *of, int stream)
{
    char message[400];
    *run = (struct case_run){.of = *of};
    if (allfold_case_build(of, &run->schedules, message, sizeof message) != ALLFOLD_OK)
        return false;
    for (int r = 0; r < of->p; r++) {
        struct rank_run *rank = &run->ranks[r];
        const struct allfold_problem problem = allfold_case_problem(of, r);
        rank->shape = allfold_problem_shape(&problem);
        rank->executor = allfold_executor_create(run->schedules[r], WINDOW);
        rank->in = calloc(rank->shape.in_length + 1, sizeof *rank->in);
        rank->out = calloc(rank->shape.out_length + 1, sizeof *rank->out);
        rank->scratch = aligned_alloc(64, allfold_executor_place(rank->executor, &numbers) + 64);
        rank->binding =
            (struct allfold_binding){.in = rank->in,
                                     .out = rank->out,
                                     .scratch = rank->scratch,
                                     .elements = &numbers,
                                     .transport = allfold_fabric_transport(job.streams[r][stream])};
    }
    return true;
}

static void free_case(struct case_run *run)
{
    for (int r = 0; r < run->of.p; r++) {
        allfold_executor_free(run->ranks[r].executor);
        free(run->ranks[r].in);
        free(run->ranks[r].out);
        free(run->ranks[r].scratch);
    }
    allfold_case_free(&run->of, run->schedules);
}

static void start_rank(struct case_run *run, int number, int stream, int r)
{
    struct rank_run *rank = &run->ranks[r];
    uint32_t *in = rank->shape.in_place ? rank->out + rank->shape.in_place_offset : rank->in;
    for (size_t e = 0; e < rank->shape.in_length; e++)
        in[e] = given(number, r, e);
    allfold_fabric_begin(job.streams[r][stream], sizeof(uint32_t), NULL);
    rank->is_done = false;
    rank->error = allfold_executor_start(rank->executor, &rank->binding);
}

static void check_result(const struct case_run *run, int number, int r)
{
    const struct rank_run *rank = &run->ranks[r];
    char text[200];
    const bool moves = !allfold_traits(run->of.algorithm->collective)->reduces;
    for (size_t e = 0; e < allfold_case_result_length(&run->of, r); e++) {
        const struct allfold_origin from = allfold_case_origin(&run->of, r, e);
        const int ranks = allfold_contributors(run->of.algorithm->collective, run->of.p, r);
        uint32_t wanted = 0;
        for (int i = 0; i < ranks && !moves; i++)
            wanted += given(number, i, from.element);
        if (moves)
            wanted = given(number, from.giver, from.element);
        if (rank->out[e] == wanted)
            continue;
        allfold_case_print(&run->of, text, sizeof text);
        fail_msg("%s: run %d, rank %d, element %zu", text, number, r, e);
    }
}

/* Runs cases one after the other on each rank, a case a stream, both at once; ranks begin their
 * next run as soon as they have ended one. Returns how many ranks had an error. */
static int go(struct case_run *cases, int count, uint64_t seed)
{
    enum { MOST_TIMES = 20000000 };
    int at[STREAMS][MOST_RANKS] = {{0}}, left = count * job.p * RUNS, errors = 0;
    for (int c = 0; c < count; c++)
        for (int r = 0; r < job.p; r++)
            start_rank(&cases[c], 0, c, r);
    for (long times = 0; left > 0; times++) {
        const int r = (int)random_below(&seed, (uint32_t)job.p),
                  c = (int)random_below(&seed, (uint32_t)count);
        struct rank_run *rank = &cases[c].ranks[r];
        if (times > MOST_TIMES)
            fail_msg("%d runs hang", left);
        carry_news();
        if (rank->is_done) { /* as at a job's end */
            allfold_fabric_find_missing(job.fabrics[r]);
            continue;
        }
        if (rank->error == 0)
            rank->error = allfold_executor_test(rank->executor, &rank->is_done);
        if (rank->error == 0 && !rank->is_done)
            continue;
        if (rank->error == 0 && errors == 0)
            check_result(&cases[c], at[c][r], r);
        errors += rank->error != 0;
        rank->is_done = true;
        left--;
        if (++at[c][r] < RUNS)
            start_rank(&cases[c], at[c][r], c, r);
    }
    return errors;
}

/* All algorithms, in one job: also those of another collective on the second stream. */
static void sweep(int p, size_t count, uint64_t seed)
{
    struct case_run cases[STREAMS];
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++) {
        int made = 0;
        for (size_t i = 0; i < STREAMS; i++) {
            const struct allfold_algorithm *algorithm = allfold_algorithms[i == 0 ? a : a / 2];
            const struct allfold_case of = {.algorithm = algorithm,
                                            .parameters = allfold_parameter_presets(algorithm),
                                            .p = p,
                                            .root = (int)random_below(&seed, (uint32_t)p),
                                            .count = i == 0 ? count : 3,
                                            .in_place = random_below(&seed, 2) == 1,
                                            .window = WINDOW};
            if (allfold_traits(algorithm->collective)->may_repeat ||
                !make_case(&cases[made], &of, made))
                continue;
            made++;
        }
        if (made > 0)
            assert_int_equal(go(cases, made, seed + a), 0);
        for (int i = 0; i < made; i++)
            free_case(&cases[i]);
    }
}

static const struct loose_options usual = {.most_bytes = SIZE_MAX};

static void run_loose(int p, size_t count, struct loose_options options, uint64_t seed)
{
    options.seed = seed;
    loose_begin(&options);
    assert_true(open_job(p, loose_provider));
    sweep(p, count, seed);
    close_job();
    if (loose_fault() != NULL)
        fail_msg("p=%d, count %zu, seed %d: %s", p, count, (int)seed, loose_fault());
    assert_int_equal(loose_registrations(), 0);
}

/* Counts around 0, 1, p, and around the bound between short messages and long ones. */
static void test_algorithms(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 7, SHORT, SHORT + 1, 2 * SHORT + 3};
    uint64_t seed = 1;
    for (int p = 2; p <= MOST_RANKS; p += p < 5 ? 1 : 4)
        for (size_t i = 0; i < LENGTH(counts); i++)
            if (p < 5 || counts[i] <= SHORT)
                run_loose(p, i == 0 ? (size_t)p - 1 : counts[i], usual, ++seed);
}

/* Providers with all their ways. */
static void test_providers(void **state)
{
    (void)state;
    static const struct loose_options options[] = {
        {.most_bytes = SIZE_MAX, .has_offsets = true},
        {.most_bytes = SIZE_MAX, .needs_local = true},
        {.most_bytes = SIZE_MAX, .no_room = 2},
        {.most_bytes = SIZE_MAX, .no_long_places = 2, .needs_local = true},
        {.most_bytes = 2 * sizeof(uint32_t) * SHORT},
    };
    for (size_t i = 0; i < LENGTH(options); i++)
        run_loose(4, 2 * SHORT + 3, options[i], 40 + i);
}

/* A reduction fails on a rank: that rank has the error, others it or none, and the next run of all
 * is right. */
static void test_poison(void **state)
{
    (void)state;
    struct case_run run;
    for (size_t count = 10; count < 10 * SHORT; count *= 60)
        for (int fault = 1; fault < 12; fault++) {
            loose_begin(&usual);
            assert_true(open_job(4, loose_provider));
            const struct allfold_algorithm *ring =
                allfold_algorithm_find(ALLFOLD_ALLREDUCE, fault % 2 == 0 ? "ring" : "flat");
            const struct allfold_case of = {.algorithm = ring,
                                            .parameters = allfold_parameter_presets(ring),
                                            .p = 4,
                                            .count = count,
                                            .window = WINDOW};
            assert_true(make_case(&run, &of, 0));
            until_fault = fault;
            const int errors = go(&run, 1, (uint64_t)fault);
            assert_true(errors > 0 || until_fault > 0);
            until_fault = 0;
            assert_int_equal(go(&run, 1, (uint64_t)fault), 0);
            free_case(&run);
            close_job();
            assert_null(loose_fault());
        }
}

/* A rank has a fault from one write on: runs end with errors, and none hangs. */
static void test_lost(enum loose_fault how, int step)
{
    struct case_run run;
    for (size_t count = 10; count < 2 * SHORT; count *= 500)
        for (int after = 1; after < 40; after += step) {
            struct loose_options options = usual;
            options.fails_after = after;
            options.how = how;
            options.failing = after % 4;
            loose_begin(&options);
            assert_true(open_job(4, loose_provider));
            const struct allfold_algorithm *doubling =
                allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling");
            const struct allfold_case of = {.algorithm = doubling,
                                            .parameters = allfold_parameter_presets(doubling),
                                            .p = 4,
                                            .count = count,
                                            .window = WINDOW};
            assert_true(make_case(&run, &of, 0));
            const int errors = go(&run, 1, (uint64_t)after);
            assert_true(errors > 0 || after > 7); /* two introductions, and two messages a run */
            free_case(&run);
            close_job();
        }
}

static void test_writes_fail(void **state)
{
    (void)state;
    test_lost(LOOSE_WRITES_FAIL, 1);
}

static void test_dies(void **state)
{
    (void)state;
    test_lost(LOOSE_DIES, 1);
}

static void test_breaks(void **state)
{
    (void)state;
    test_lost(LOOSE_BREAKS, 1);
}

static void test_wrong_key(void **state)
{
    (void)state;
    test_lost(LOOSE_WRONG_KEY, 1);
}

static void test_vanish(void **state)
{
    (void)state;
    test_lost(LOOSE_VANISH, 13); /* each takes half a second */
}

/* Tests a transport of a rank until the message in slot 0 is done, or for long. */
static bool ends(int rank, int stream)
{
    uint32_t slots[WINDOW], count = 0;
    struct allfold_transport *transport = allfold_fabric_transport(job.streams[rank][stream]);
    for (int times = 0; times < 5000 && count == 0; times++) {
        assert_int_equal(transport->operations->test(transport, slots, &count), 0);
        allfold_fabric_progress(job.fabrics[1 - rank]);
    }
    return count > 0;
}

static uint32_t word;

static int take_word(void *context, uint32_t slot, size_t first, size_t count, const void *data)
{
    (void)context, (void)slot, (void)first, (void)count;
    memcpy(&word, data, sizeof word);
    return 0;
}

static void begin_word(int rank, int stream, uint32_t *data)
{
    struct allfold_transport *transport = allfold_fabric_transport(job.streams[rank][stream]);
    const struct allfold_message message = {.data = data, .length = 1, .peer = 1 - rank};
    transport->deliver = take_word;
    allfold_fabric_begin(job.streams[rank][stream], sizeof *data, NULL);
    assert_int_equal(rank == 0 ? transport->operations->send(transport, &message)
                               : transport->operations->receive(transport, &message),
                     0);
}

/* A rank sends far ahead of one that does not receive: as many messages as a window go, and no
 * more. Those of the other stream still do, and all arrive in the end. */
static void test_ahead(void **state)
{
    (void)state;
    enum { MESSAGES = 50 };
    uint32_t sent[MESSAGES], other = 4711, into = 0;
    int gone = 0;
    loose_begin(&usual);
    assert_true(open_job(2, loose_provider));
    for (uint32_t i = 0; i < MESSAGES; i++)
        sent[i] = i;
    for (begin_word(0, 0, &sent[0]); gone < MESSAGES && ends(0, 0); begin_word(0, 0, &sent[gone]))
        gone++;
    assert_int_equal(gone, WINDOW);
    begin_word(0, 1, &other);
    begin_word(1, 1, &into);
    assert_true(ends(1, 1) && word == other && ends(0, 1));
    for (int got = 0; got < MESSAGES; got++) {
        begin_word(1, 0, &into);
        assert_true(ends(1, 0));
        assert_int_equal(word, sent[got]);
        while (gone < MESSAGES && ends(0, 0))
            if (++gone < MESSAGES)
                begin_word(0, 0, &sent[gone]);
    }
    assert_int_equal(gone, MESSAGES);
    close_job();
}

/* Memory grows with the peers that a rank has, not with the job. */
static void test_memory(void **state)
{
    (void)state;
    enum { ONE_PEER = sizeof(char[2][ALLFOLD_FABRIC_SLOTS][ALLFOLD_FABRIC_SLOT_BYTES]) + 4096 };
    struct case_run run;
    const struct allfold_algorithm *chain = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "chain");
    size_t before[MOST_RANKS];
    int peers;
    loose_begin(&usual);
    assert_true(open_job(MOST_RANKS, loose_provider));
    for (int r = 0; r < MOST_RANKS; r++) {
        before[r] = allfold_fabric_bytes(job.fabrics[r], &peers);
        assert_int_equal(peers, 0);
    }
    const struct allfold_case of = {.algorithm = chain,
                                    .parameters = allfold_parameter_presets(chain),
                                    .p = MOST_RANKS,
                                    .count = 100,
                                    .window = WINDOW};
    assert_true(make_case(&run, &of, 0));
    assert_int_equal(go(&run, 1, 5), 0);
    for (int r = 0; r < MOST_RANKS; r++) {
        const size_t grown = allfold_fabric_bytes(job.fabrics[r], &peers) - before[r];
        assert_int_equal(peers, r == 0 || r == MOST_RANKS - 1 ? 1 : 2);
        assert_true(grown > (size_t)peers * (ONE_PEER - 4096));
        assert_true(grown < (size_t)peers * ONE_PEER + 4096);
    }
    free_case(&run);
    close_job();
}

/* What a trial finds: faster in the mean, and nowhere slower. */
static void test_is_faster(void **state)
{
    (void)state;
    const double other_s[] = {1e-6, 2e-6, 4e-6}, twice_s[] = {5e-7, 1e-6, 2e-6},
                 mixed_s[] = {1.2e-6, 2e-7, 4e-7}, same_s[] = {1e-6, 1.95e-6, 3.9e-6},
                 lost_s[] = {1e-7, INFINITY, 1e-7}, none_s[] = {0, 0, 0};
    struct allfold_fabric_gain gain;
    assert_true(allfold_fabric_is_faster(other_s, twice_s, 3, &gain));
    assert_true(gain.least > 1.99 && gain.mean > 1.99 && gain.mean < 2.01);
    assert_false(allfold_fabric_is_faster(other_s, mixed_s, 3, &gain));
    assert_true(gain.least < 0.9 && gain.mean > 2);
    assert_false(allfold_fabric_is_faster(other_s, same_s, 3, &gain));
    assert_false(allfold_fabric_is_faster(other_s, lost_s, 3, &gain));
    assert_true(gain.mean == 0);
    assert_false(allfold_fabric_is_faster(none_s, none_s, 3, &gain));
}

/* One of 1024 ranks sends to as many peers as recursive doubling has. */
static void test_memory_of_many(void **state)
{
    (void)state;
    enum { RANKS = 1024, ROUNDS = 10, WORDS = 4 };
    uint32_t words[WORDS] = {0};
    int peers;
    loose_begin(&usual);
    const struct allfold_fabric_options options = {
        .provider = loose_provider(), .size = RANKS, .window = 16, .error = ERROR};
    struct allfold_fabric *fabric = allfold_fabric_create(&options);
    allfold_fabric_meet(fabric,
                        allfold_allocate_zeroed(RANKS * sizeof(struct allfold_fabric_address)));
    struct allfold_fabric_stream *stream = allfold_fabric_stream_create(fabric, 0);
    struct allfold_transport *transport = allfold_fabric_transport(stream);
    allfold_fabric_begin(stream, sizeof *words, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        const struct allfold_message message = {
            .data = words, .length = WORDS, .peer = 1 << i, .slot = (uint32_t)i};
        assert_int_equal(transport->operations->send(transport, &message), 0);
    }
    const size_t bytes = allfold_fabric_bytes(fabric, &peers);
    print_message("%d ranks, %d peers: %zu bytes\n", RANKS, peers, bytes);
    assert_in_range(bytes, 2800000, 3000000);
    assert_int_equal(peers, ROUNDS);
    allfold_fabric_stream_free(stream);
    allfold_fabric_free(fabric);
}

/* An allocation fails, each in turn. The fabric tries again, so that no run has an error. */
static void run_without_memory(const char *name, size_t count, unsigned long n)
{
    struct case_run run;
    const struct allfold_algorithm *algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, name);
    loose_begin(&usual);
    assert_true(open_job(4, loose_provider));
    const struct allfold_case of = {.algorithm = algorithm,
                                    .parameters = allfold_parameter_presets(algorithm),
                                    .p = 4,
                                    .count = count,
                                    .window = WINDOW};
    assert_true(make_case(&run, &of, 0));
    allfold_fail_allocation(n);
    assert_int_equal(go(&run, 1, n), 0);
    allfold_fail_allocation(0);
    free_case(&run);
    close_job();
}

/* Several places come in one write where an algorithm gets two long messages of a peer. */
static void test_without_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n < 40; n++)
        run_without_memory("ring", 1600 * n, n);
    for (unsigned long n = 1; n < 120; n++)
        run_without_memory("recursive_splitting", 8 * (size_t)SHORT, n);
}

/* --- libfabric --- */

static const char *provider_name;

static struct allfold_provider *open_libfabric(void)
{
    char why[300];
    struct allfold_provider *provider = allfold_libfabric_open(provider_name, why, sizeof why);
    if (provider == NULL)
        print_message("%s: %s\n", provider_name, why);
    return provider;
}

static void run_libfabric(const char *name)
{
    static const size_t counts[] = {1, SHORT + 1, 100000};
    provider_name = name;
    for (size_t i = 0; i < LENGTH(counts); i++) {
        struct case_run run;
        if (!open_job(4, open_libfabric)) {
            close_job();
            skip();
        }
        const struct allfold_algorithm *algorithm = allfold_algorithm_find(
            ALLFOLD_ALLREDUCE, counts[i] < 100 ? "recursive_doubling" : "ring");
        const struct allfold_case of = {.algorithm = algorithm,
                                        .parameters = allfold_parameter_presets(algorithm),
                                        .p = 4,
                                        .count = counts[i],
                                        .window = WINDOW};
        assert_true(make_case(&run, &of, 0));
        assert_int_equal(go(&run, 1, i), 0);
        free_case(&run);
        close_job();
    }
}

static void test_tcp(void **state)
{
    (void)state;
    run_libfabric("tcp;ofi_rxm");
}

static void test_shm(void **state)
{
    (void)state;
    run_libfabric("shm");
}

static void test_no_provider(void **state)
{
    (void)state;
    char why[300] = "";
    assert_null(allfold_libfabric_open("no_such_provider", why, sizeof why));
    assert_true(why[0] != '\0');
    assert_true(allfold_libfabric_built()[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_algorithms),  cmocka_unit_test(test_providers),
        cmocka_unit_test(test_poison),      cmocka_unit_test(test_writes_fail),
        cmocka_unit_test(test_dies),        cmocka_unit_test(test_breaks),
        cmocka_unit_test(test_wrong_key),   cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_memory_of_many),
        cmocka_unit_test(test_is_faster),   cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_no_provider), cmocka_unit_test(test_tcp),
        cmocka_unit_test(test_shm),         cmocka_unit_test(test_vanish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
