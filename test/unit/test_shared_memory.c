/* The transport through shared memory: every algorithm, by ranks that are threads, several runs one
 * after the other without a pause. The rings are so small that most messages take many fragments.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "execute/executor.h"
#include "transport/channels.h"
#include "transport/shared_memory.h"
#include "lab/verify/verifier.h"

enum { MOST_RANKS = 9, RUNS = 3, FAULTY_RUN = 1, FAULT = 77, EMPTY = 78 };

/* This thread's reductions until one fails; 0: none does. */
static _Thread_local unsigned until_fault;

/* x -> a x + b, modulo 2^32 each: associative, does not commute, and notices what comes twice. */
struct affine {
    uint32_t a, b;
};

static int reduce_affine(const struct allfold_elements *elements, void *to, const void *left,
                         const void *right, size_t count)
{
    (void)elements;
    struct affine *t = to;
    const struct affine *l = left, *r = right;
    if (until_fault > 0 && --until_fault == 0)
        return FAULT;
    for (size_t i = 0; i < count; i++)
        t[i] = (struct affine){r[i].a * l[i].a, r[i].a * l[i].b + r[i].b};
    return 0;
}

/* The same for operations that have to commute. */
static int reduce_sum(const struct allfold_elements *elements, void *to, const void *left,
                      const void *right, size_t count)
{
    (void)elements;
    struct affine *t = to;
    const struct affine *l = left, *r = right;
    if (until_fault > 0 && --until_fault == 0)
        return FAULT;
    for (size_t i = 0; i < count; i++)
        t[i] = (struct affine){l[i].a + r[i].a, l[i].b + r[i].b};
    return 0;
}

/* One after the other, by the job's reduction. */
static int fold_in_order(const struct allfold_elements *elements, void *to,
                         const void *const *operands, size_t many, size_t count)
{
    for (size_t e = 0; e < count; e++) {
        struct affine sum = ((const struct affine *)operands[0])[e];
        for (size_t k = 1; k < many; k++) {
            const int error =
                elements->reduce(elements, &sum, &sum, (const struct affine *)operands[k] + e, 1);
            if (error != 0)
                return error;
        }
        ((struct affine *)to)[e] = sum;
    }
    return 0;
}

static int copy_affine(const struct allfold_elements *elements, void *to, const void *from,
                       size_t count)
{
    (void)elements;
    memcpy(to, from, count * sizeof(struct affine));
    return 0;
}

static struct affine given(int run, int rank, size_t e)
{
    const uint32_t seed = (uint32_t)(run * 7919 + rank * 104729) + (uint32_t)e * 1299709u;
    return (struct affine){2 * seed + 1, seed ^ 0x5bd1e995u};
}

enum { SEES_IN = 1, SEES_OUT = 2, FOLDS = 4, ATTACHES = 8, PUBLISH_BYTES = 400 };

static bool is_untouched; /* the last case's buffers */
static atomic_uint reveal_count;
static atomic_uint attach_count;             /* of all runs of a case */
static atomic_int attached;                  /* and not detached yet */
static _Thread_local unsigned until_refusal; /* of all attachments; 0: none is refused */

/* One case, for all its threads. */
struct job {
    struct allfold_case of;
    struct allfold_schedule **schedules;
    struct allfold_elements elements;
    void *memory;
    size_t buffer_bytes;
    int index_of[MOST_RANKS];
    unsigned by_slots; /* bit r: messages of rank r go by slots, also where they could go without */
    unsigned sees;     /* of SEES_IN, SEES_OUT: what of each rank the others see; FOLDS: folds;
                        * ATTACHES: the others attach all else */
    struct affine *vectors[MOST_RANKS]; /* of a rank: in, then out */
    struct allfold_visible visible[MOST_RANKS];
    struct affine
        *expected[RUNS]; /* of the whole vector, over ranks 0 to r, one r after the other */
    char fault[MOST_RANKS][100];
    unsigned faulty_reduction; /* of rank 1 in the faulty run, from 1; 0: none fails */
    unsigned refusal;          /* the first attachment of rank 1 that is refused */
    int errors[MOST_RANKS];    /* of that run */
};

struct thread {
    struct job *job;
    int rank;
    pthread_t thread;
};

static const struct allfold_traits *traits_of(const struct job *job)
{
    return allfold_traits(job->of.algorithm->collective);
}

/* What element e of rank r's result is to be. */
static struct affine wanted(const struct job *job, int run, int rank, size_t e)
{
    const struct allfold_traits *traits = traits_of(job);
    const int ranks = allfold_contributors(job->of.algorithm->collective, job->of.p, rank);
    const size_t length = allfold_case_elements(&job->of);
    const size_t first = traits->in_is_blocks ? (size_t)rank * job->of.count : 0;
    if (traits->reduces)
        return job->expected[run][(size_t)(ranks - 1) * length + first + e];
    const int giver = traits->has_root ? job->of.root : (int)(e / job->of.count);
    return given(run, giver, e % job->of.count);
}

static void run_once(struct thread *thread, int run, struct allfold_executor *executor,
                     struct allfold_binding *binding, const struct allfold_shape *shape)
{
    struct job *job = thread->job;
    struct affine *out = binding->out;
    struct affine *in = (struct affine *)(uintptr_t)binding->in;
    if (shape->in_place)
        in = out + shape->in_place_offset;
    for (size_t e = 0; e < shape->in_length; e++)
        in[e] = given(run, thread->rank, e);
    const bool is_faulty = run == FAULTY_RUN && job->faulty_reduction + job->refusal > 0;
    until_fault = is_faulty && thread->rank == 1 ? job->faulty_reduction : 0;
    until_refusal = is_faulty && thread->rank == 1 ? job->refusal : 0;
    int error = allfold_executor_start(executor, binding);
    if (error == 0)
        error = allfold_executor_wait(executor);
    if (is_faulty)
        job->errors[thread->rank] = error;
    if (is_faulty && error != 0)
        return;
    if (error != 0)
        snprintf(job->fault[thread->rank], sizeof job->fault[0], "run %d failed", run);
    const bool is_block = traits_of(job)->in_is_blocks;
    for (size_t e = 0; e < (is_block ? job->of.count : shape->out_length); e++) {
        const struct affine is = out[e], shall = wanted(job, run, thread->rank, e);
        if (traits_of(job)->may_repeat || (is.a == shall.a && is.b == shall.b))
            continue;
        snprintf(job->fault[thread->rank], sizeof job->fault[0], "run %d, rank %d, element %zu",
                 run, thread->rank, e);
        return;
    }
}

/* A rank must ask for another's memory before it reads it.
 */
static void see_all_but_others(const struct job *job, int rank, struct allfold_visible *visible)
{
    for (int r = 0; r < job->of.p; r++) {
        visible[r] = job->visible[r];
        visible[r].bytes = r == rank ? visible[r].bytes : 0;
        visible[r].process = job->sees & ATTACHES ? &attached : NULL;
    }
}

static void reveal(struct allfold_visible *visible, size_t bytes)
{
    visible->bytes = bytes;
    atomic_fetch_add(&reveal_count, 1);
}

/* All ranks are in one process, so what is attached lies where it lay. */
static const void *attach(void *process, uintptr_t address, size_t bytes)
{
    assert_true(bytes >= PUBLISH_BYTES);
    if (until_refusal == 1)
        return NULL;
    until_refusal -= until_refusal > 0;
    atomic_fetch_add((atomic_int *)process, 1);
    atomic_fetch_add(&attach_count, 1);
    return (const void *)address;
}

static void detach(void *process, const void *memory)
{
    assert_non_null(memory);
    assert_true(atomic_fetch_sub((atomic_int *)process, 1) > 0);
}

static void *run_rank(void *argument)
{
    struct thread *thread = argument;
    struct job *job = thread->job;
    struct allfold_visible visible[MOST_RANKS];
    see_all_but_others(job, thread->rank, visible);
    const struct allfold_schedule *schedule = job->schedules[thread->rank];
    const struct allfold_problem problem = allfold_case_problem(&job->of, thread->rank);
    const struct allfold_shape shape = allfold_problem_shape(&problem);
    static struct allfold_transport nowhere;
    const bool by_slots = job->by_slots >> thread->rank & 1;
    const struct allfold_shared_options options = {.memory = job->memory,
                                                   .size = job->of.p,
                                                   .index = thread->rank,
                                                   .index_of = job->index_of,
                                                   .buffer_bytes = job->buffer_bytes,
                                                   .poison_error = EMPTY,
                                                   .visible = visible,
                                                   .access = {reveal, attach, detach},
                                                   .publish_bytes = PUBLISH_BYTES,
                                                   .must_yield = true,
                                                   .beyond = by_slots ? &nowhere : NULL};
    struct allfold_shared_memory *shared = allfold_shared_create(&options);
    struct allfold_executor *executor = allfold_executor_create(schedule, job->of.window);
    struct affine *in = job->vectors[thread->rank], *out = in + shape.in_length + 1;
    void *scratch = aligned_alloc(64, allfold_executor_place(executor, &job->elements) + 64);
    struct allfold_binding binding = {.in = in,
                                      .out = out,
                                      .scratch = scratch,
                                      .elements = &job->elements,
                                      .transport = allfold_shared_transport(shared)};
    for (int run = 0; run < RUNS; run++) {
        allfold_shared_begin(shared, sizeof(struct affine));
        run_once(thread, run, executor, &binding, &shape);
    }
    free(scratch);
    allfold_executor_free(executor);
    allfold_shared_free(shared);
    return NULL;
}

/* Makes a rank's vectors, and lets the others see of them what is to be seen. */
static void make_vectors(struct job *job, int rank)
{
    const struct allfold_problem problem = allfold_case_problem(&job->of, rank);
    const struct allfold_shape shape = allfold_problem_shape(&problem);
    const size_t in_length = shape.in_length + 1, out_length = shape.out_length + 1;
    struct affine *vectors = calloc(in_length + out_length, sizeof *vectors);
    const size_t hidden = job->sees & SEES_IN ? 0 : in_length;
    const size_t end = job->sees & SEES_OUT ? in_length + out_length : in_length;
    job->vectors[rank] = vectors;
    job->visible[rank] = (struct allfold_visible){(const char *)(vectors + hidden),
                                                  (end - hidden) * sizeof *vectors, NULL};
}

/* The reduction in the order of the ranks, one after the other. */
static void expect(struct job *job)
{
    const size_t length = allfold_case_elements(&job->of);
    for (int run = 0; run < RUNS; run++) {
        job->expected[run] = calloc((size_t)job->of.p * length + 1, sizeof **job->expected);
        for (size_t e = 0; e < length; e++) {
            struct affine sum = given(run, 0, e);
            job->expected[run][e] = sum;
            for (int r = 1; r < job->of.p; r++) {
                const struct affine next = given(run, r, e);
                job->elements.reduce(&job->elements, &sum, &sum, &next, 1);
                job->expected[run][(size_t)r * length + e] = sum;
            }
        }
    }
}

/* Are the buffers, which lie behind the channels, as they were at first? */
static bool are_buffers_untouched(const struct job *job, size_t bytes)
{
    const unsigned char *memory = job->memory;
    for (size_t i = allfold_rings_bytes(job->of.p); i < bytes; i++)
        if (memory[i] != 0)
            return false;
    return true;
}

/* Returns whether there was a fault. */
static bool run_faulty_case(const struct allfold_case *of, size_t buffer_bytes, unsigned by_slots,
                            unsigned sees, unsigned faulty_reduction, unsigned refusal)
{
    const size_t bytes = allfold_shared_bytes(of->p, buffer_bytes);
    struct job job = {.of = *of,
                      .buffer_bytes = buffer_bytes,
                      .by_slots = by_slots,
                      .sees = sees % 16,
                      .faulty_reduction = faulty_reduction,
                      .refusal = refusal};
    struct thread threads[MOST_RANKS];
    char message[400] = "";
    job.elements = (struct allfold_elements){
        .extent_bytes = sizeof(struct affine),
        .high_bytes = sizeof(struct affine),
        .reduce = allfold_is_ordered(of->algorithm) ? reduce_affine : reduce_sum,
        .fold = (sees & FOLDS) != 0 ? fold_in_order : NULL,
        .copy = copy_affine};
    if (allfold_case_build(of, &job.schedules, message, sizeof message) != ALLFOLD_OK)
        return false; /* its needs are not met */
    job.memory = aligned_alloc(64, bytes);
    memset(job.memory, 0, bytes);
    expect(&job);
    for (int r = 0; r < of->p; r++) {
        job.index_of[r] = r;
        make_vectors(&job, r);
        threads[r] = (struct thread){.job = &job, .rank = r};
    }
    for (int r = 0; r < of->p; r++)
        assert_int_equal(pthread_create(&threads[r].thread, NULL, run_rank, &threads[r]), 0);
    for (int r = 0; r < of->p; r++)
        pthread_join(threads[r].thread, NULL);
    allfold_case_print(of, message, sizeof message);
    for (int r = 0; r < of->p; r++)
        if (job.fault[r][0] != '\0')
            fail_msg("%s, buffers of %zu: %s", message, buffer_bytes, job.fault[r]);
    for (int run = 0; run < RUNS; run++)
        free(job.expected[run]);
    allfold_case_free(of, job.schedules);
    is_untouched = are_buffers_untouched(&job, bytes);
    for (int r = 0; r < of->p; r++)
        free(job.vectors[r]);
    free(job.memory);
    const int first = faulty_reduction > 0 ? FAULT : EMPTY;
    for (int r = 0; r < of->p; r++)
        assert_true(job.errors[r] == 0 || job.errors[r] == (r == 1 ? first : EMPTY));
    assert_int_equal(attached, 0);
    return job.errors[1] != 0;
}

static void run_case(const struct allfold_case *of, size_t buffer_bytes, unsigned by_slots,
                     unsigned sees)
{
    run_faulty_case(of, buffer_bytes, by_slots, sees, 0, 0);
}

/* A reduction of one rank fails, each in turn. The rank gets the error, ranks that need its data
 * get one, all others their results. None waits for ever, and the next run is right. */
static void test_faults(void **state)
{
    (void)state;
    unsigned faults = 0;
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++)
        for (int i = 0; i < 4; i++) {
            struct allfold_case of = {.algorithm = allfold_algorithms[a],
                                      .p = i % 2 == 0 ? 4 : 5,
                                      .count = i < 2 ? 7 : 100,
                                      .window = 16};
            of.parameters = allfold_parameter_presets(of.algorithm);
            unsigned n = 1;
            while (n < 20 && run_faulty_case(&of, 64, i % 2 == 0 ? 0 : 5, (unsigned)i, n, 0))
                n++;
            faults += n - 1;
        }
    assert_true(faults > 200);
}

/* From one attachment on, each in turn, all of a rank are refused: the data are lost to that rank
 * alone, and to whoever needs them of it. */
static void test_refusals(void **state)
{
    (void)state;
    unsigned refusals = 0;
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++) {
        struct allfold_case of = {
            .algorithm = allfold_algorithms[a], .p = 4, .count = 333, .window = 16};
        of.parameters = allfold_parameter_presets(of.algorithm);
        unsigned n = 1;
        while (n < 8 && run_faulty_case(&of, 64, a % 2 == 0 ? 0 : 5, ATTACHES | FOLDS, 0, n))
            n++;
        refusals += n - 1;
    }
    assert_true(refusals > 100);
}

static void test_algorithms(void **state)
{
    (void)state;
    static const int sizes[] = {2, 3, 4, 5, 8, MOST_RANKS};
    static const size_t counts[] = {1, 7, 40, 333};
    unsigned turn = 0;
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++, turn++) {
                struct allfold_case of = {.algorithm = allfold_algorithms[a],
                                          .p = sizes[i],
                                          .count = counts[c],
                                          .in_place = turn % 2,
                                          .window = turn % 3 == 0 ? 32 : 16};
                of.parameters = allfold_parameter_presets(of.algorithm);
                if (allfold_traits(of.algorithm->collective)->has_root)
                    of.root = (int)(turn % (unsigned)of.p);
                run_case(&of, (size_t)64 << turn % 4, turn * 73, turn / 4);
            }
}

/* Segments make many messages of a pair, more than the ring has slots. */
static void test_many_messages(void **state)
{
    (void)state;
    static const struct {
        enum allfold_collective collective;
        const char *name;
    } pipelines[] = {{ALLFOLD_ALLREDUCE, "chain"},     {ALLFOLD_ALLREDUCE, "dual_chain"},
                     {ALLFOLD_ALLREDUCE, "dual_root"}, {ALLFOLD_ALLREDUCE, "ring"},
                     {ALLFOLD_REDUCE, "chain"},        {ALLFOLD_BCAST, "pipelined_tree"}};
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++)
        for (uint32_t window = 2; window <= 64; window *= 2) {
            struct allfold_case of = {
                .algorithm = allfold_algorithm_find(pipelines[i].collective, pipelines[i].name),
                .parameters = {{4}}, /* bytes of the problem's elements, which have 4 */
                .p = 4,
                .count = 200,
                .window = window};
            run_case(&of, 64, window, 0);
        }
}

/* Where all vectors are seen and no message comes from elsewhere, nothing is copied to buffers. */
static void test_published_in_place(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        const int sees = i % 4 + (i < 4 ? 0 : ATTACHES);
        const struct allfold_case of = {
            .algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling"),
            .p = 4,
            .count = 333,
            .window = 16};
        is_untouched = false;
        reveal_count = attach_count = 0;
        run_case(&of, 64, 0, (unsigned)sees);
        assert_int_equal(is_untouched, sees >= (SEES_IN | SEES_OUT));
        assert_int_equal(reveal_count > 0, sees % ATTACHES > 0);
        assert_int_equal(attach_count > 0,
                         (sees & ATTACHES) != 0 && sees % ATTACHES < (SEES_IN | SEES_OUT));
    }
}

/* A message of more than 8 MiB is delivered in long parts: each rank's own comes first, and then
 * from the start. */
static void test_long_parts(void **state)
{
    (void)state;
    const size_t part = (8 << 20) / sizeof(struct affine);
    const struct allfold_case of = {
        .algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling"),
        .p = 2,
        .count = part + part / 2 + 7,
        .window = 16};
    run_case(&of, 64, 0, SEES_IN | SEES_OUT);
    assert_true(is_untouched);
}

/* A sender of short messages is ahead by as many as there are slots, and no further, each time
 * around. The receiver gets them in order. */
static void test_ahead_of_a_late_receiver(void **state)
{
    (void)state;
    static const struct {
        int ranks;
        uint32_t slots;
    } rings[] = {{2, 64}, {16, 64}, {17, 32}, {64, 16}, {65, 8}, {1000, 8}};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
        assert_int_equal(allfold_ring_slots(rings[i].ranks), rings[i].slots);
    for (size_t i = 0; i < 3; i++) {
        const int p = rings[i].ranks;
        const size_t bytes = allfold_channels_bytes(p, 64);
        struct allfold_channels from = {0}, to = {0};
        void *memory = aligned_alloc(ALLFOLD_LINE_BYTES, bytes);
        assert_non_null(memory);
        memset(memory, 0, bytes);
        assert_true(allfold_channels_open(&from, memory, p, 0, 64));
        assert_true(allfold_channels_open(&to, memory, p, p - 1, 64));
        struct allfold_end *sender = &from.ends[p - 1], *receiver = &to.ends[p];
        unsigned char written = 0, read = 0;
        for (uint32_t late = rings[i].slots; late > 0; late -= late > 5 ? 5 : 1) {
            while (allfold_channel_write(&from, sender, &written, 1, 0, 0) > 0)
                written++;
            assert_int_equal((unsigned char)(written - read), rings[i].slots);
            for (uint32_t k = 0; k < late; k++) {
                assert_true(allfold_channel_has_fragment(receiver));
                assert_int_equal(*(const unsigned char *)allfold_channel_read(&to, receiver, 1),
                                 read++);
                allfold_channel_release(receiver);
            }
        }
        allfold_channels_close(&from);
        allfold_channels_close(&to);
        free(memory);
    }
}

/* Which pages of shared memory are there? */
static int count_pages(void *memory, size_t bytes)
{
    unsigned char is_there[1024];
    const size_t pages = bytes / (size_t)sysconf(_SC_PAGESIZE);
    int count = 0;
    assert_true(pages <= sizeof is_there);
    assert_int_equal(mincore(memory, bytes, is_there), 0);
    for (size_t i = 0; i < pages; i++)
        count += is_there[i] & 1;
    return count;
}

static void *map_shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static bool kernel_populates(size_t page)
{
    bool can = false;
#ifdef MADV_POPULATE_WRITE
    void *memory = map_shared(page);
    can = madvise(memory, page, MADV_POPULATE_WRITE) == 0;
    munmap(memory, page);
#endif
    return can;
}

/* The rings to and from others are mapped, and each of the rank's own buffers, once it is used, as
 * far as short fragments reach; hardly anything else is, and what is in them stays. */
static void test_populate(void **state)
{
    (void)state;
    enum { SIZE = 3, INDEX = 1, BUFFER = 64 << 10, RINGS = 4, PARTS_OF_PAGES = 2 };
    enum { POPULATED = 32 << 10, USED = 2, SENT = 1000 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), rings = allfold_rings_bytes(SIZE);
    const size_t bytes = (allfold_channels_bytes(SIZE, BUFFER) + page - 1) / page * page;
    const int least = (int)(rings / (SIZE * SIZE) * RINGS / page);
    struct allfold_channels from = {0};
    unsigned char sent = 42;
    static const unsigned char long_one[SENT];
    if (!kernel_populates(page)) {
        print_message("the kernel has no MADV_POPULATE_WRITE\n");
        skip();
    }
    void *memory = map_shared(bytes);
    assert_true(allfold_channels_open(&from, memory, SIZE, INDEX, BUFFER));
    assert_true(allfold_channel_write(&from, &from.ends[2], &sent, 1, 0, 0) > 0);
    assert_true(count_pages(memory, bytes) <= 2);
    allfold_channels_populate(&from);
    const int there = count_pages(memory, bytes);
    assert_true(there >= least && there <= least + RINGS * PARTS_OF_PAGES);
    const unsigned char *own = from.ends[0].buffers;
    for (uint32_t i = 0; i < USED; i++)
        assert_true(allfold_channel_write(&from, &from.ends[2], long_one, SENT, 0, i) > 0);
    for (uint32_t i = 0; i <= USED; i++) {
        const uintptr_t begin = ((uintptr_t)(own + (size_t)i * BUFFER) + page - 1) & ~(page - 1);
        assert_int_equal(count_pages((void *)begin, POPULATED - page),
                         i < USED ? POPULATED / page - 1 : 0);
    }
    assert_int_equal(from.ends[2].channel->slots[0].bytes[0], sent);
    allfold_channels_close(&from);
    munmap(memory, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_algorithms),         cmocka_unit_test(test_ahead_of_a_late_receiver),
        cmocka_unit_test(test_many_messages),      cmocka_unit_test(test_faults),
        cmocka_unit_test(test_published_in_place), cmocka_unit_test(test_long_parts),
        cmocka_unit_test(test_populate),           cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
