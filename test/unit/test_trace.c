/* Traces: what is written is read again, and beyond the bound calls are summed. Files that are cut
 * or damaged are refused, and crash nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "events/trace_reader.h"
#include "events/tracer.h"
#include "util/memory.h"
#include "support.h"

enum { MOST = 1 << 20, MESSAGE = 600 };

static char path[] = "/tmp/allfold-trace-XXXXXX";

/* Of six ranks: what a layout says, cyclic nodes, and these on hosts in another order. */
enum { KINDS = 3 };
static const struct allfold_nodes *kinds[KINDS];

/* Ranks with the same key share a node. Where `hosts` are given, the nodes lie in their order;
 * where `sockets` are, ranks of a node with the same one share a socket. */
static const struct allfold_nodes *make_nodes(int p, const int64_t *keys, const int64_t *hosts,
                                              const int64_t *sockets)
{
    return extended(allfold_nodes_make(keys, p),
                    (struct allfold_nodes_facts){.order = hosts, .sockets = sockets});
}

static int set_up(void **state)
{
    static const int64_t cyclic[] = {0, 1, 2, 0, 1, 2}, hosts[] = {2, 0, 1, 2, 0, 1};
    const int file = mkstemp(path);
    (void)state;
    kinds[1] = make_nodes(6, cyclic, NULL, NULL);
    kinds[2] = make_nodes(6, cyclic, hosts, NULL);
    return file < 0 ? -1 : close(file);
}

static int tear_down(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        allfold_nodes_free(kinds[kind]);
    return unlink(path);
}

static const struct allfold_traced_head head = {
    .version = "0.1.0",
    .machine = "a machine",
    .mpi = "an MPI",
    .job = {.p = 6, .nodes = 3, .least = 2, .most = 2, .arrangement = ALLFOLD_CYCLIC},
    .card_mbit = 200000};

/* Shapes that differ in all that they have. */
static struct allfold_traced_shape shape_number(int number)
{
    struct allfold_traced_shape shape = {
        .collective = (enum allfold_collective)(number % ALLFOLD_COLLECTIVE_COUNT),
        .layout = head.job,
        .root = number % 6,
        .bytes = (size_t)number * 1000003,
        .element_bytes = (size_t)number % 17,
        .commutative = number % 2 == 0,
        .exact = number % 3 == 0,
        .canonical = number % 5 == 0};
    shape.layout.reading = (enum allfold_reading)(number % ALLFOLD_READING_COUNT);
    shape.layout.shared_cores = number % 7;
    snprintf(shape.algorithm, sizeof shape.algorithm, "algorithm %d", number);
    snprintf(shape.source, sizeof shape.source, "source %d", number);
    return shape;
}

/* The same with its placement, as a program describes it. */
static struct allfold_traced_shape placed_shape(struct allfold_tracer *tracer, int number)
{
    struct allfold_traced_shape shape = shape_number(number);
    shape.placement = allfold_tracer_placement(tracer, kinds[number % KINDS]);
    return shape;
}

static struct allfold_tracer *begin(size_t most_bytes, int shapes)
{
    FILE *file = fopen(path, "wb");
    struct allfold_tracer *tracer = allfold_tracer_open(file, most_bytes, &head, 5);
    assert_non_null(tracer);
    for (int i = 0; i < shapes; i++) {
        const struct allfold_traced_shape shape = placed_shape(tracer, i);
        assert_int_equal(allfold_tracer_shape(tracer, &shape), i);
        assert_int_equal(allfold_tracer_shape(tracer, &shape), i);
    }
    return tracer;
}

static long file_bytes(void)
{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    const long bytes = ftell(file);
    fclose(file);
    return bytes;
}

/* What a test called, and what was read. */
struct calls {
    struct allfold_traced_call list[20000];
    uint32_t count;
};

static struct calls calls;

static void call(struct allfold_tracer *tracer, uint32_t shape, double begin_s)
{
    const struct allfold_traced_call one = {.shape = shape,
                                            .is_split = calls.count % 3 != 0,
                                            .begin_s = begin_s,
                                            .seconds = 1e-6 * (1 + calls.count % 100),
                                            .waiting_s = 1e-7 * (calls.count % 10),
                                            .all_waiting_s = 2e-7 * (calls.count % 10)};
    assert_true(calls.count < sizeof calls.list / sizeof *calls.list);
    calls.list[calls.count++] = one;
    allfold_tracer_add(tracer, &one);
}

static void assert_same_layout(const struct allfold_traced_layout *a,
                               const struct allfold_traced_layout *b)
{
    assert_int_equal(a->p, b->p);
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->least, b->least);
    assert_int_equal(a->most, b->most);
    assert_int_equal(a->arrangement, b->arrangement);
    assert_int_equal(a->reading, b->reading);
    assert_int_equal(a->shared_cores, b->shared_cores);
}

static void assert_same_shape(const struct allfold_traced_shape *a,
                              const struct allfold_traced_shape *b)
{
    assert_int_equal(a->collective, b->collective);
    assert_same_layout(&a->layout, &b->layout);
    assert_int_equal(a->root, b->root);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->element_bytes, b->element_bytes);
    assert_int_equal(a->commutative, b->commutative);
    assert_int_equal(a->exact, b->exact);
    assert_int_equal(a->canonical, b->canonical);
    assert_string_equal(a->algorithm, b->algorithm);
    assert_string_equal(a->source, b->source);
}

/* Reads what was written, and compares it with what was called. */
static void read_again(int shapes)
{
    struct allfold_trace_file trace;
    char message[MESSAGE];
    assert_int_equal(allfold_trace_read(path, &trace, message, sizeof message), ALLFOLD_OK);
    assert_string_equal(trace.head.version, head.version);
    assert_string_equal(trace.head.machine, head.machine);
    assert_string_equal(trace.head.mpi, head.mpi);
    assert_same_layout(&trace.head.job, &head.job);
    assert_int_equal(trace.head.card_mbit, head.card_mbit);
    assert_int_equal(trace.count, shapes);
    assert_int_equal(trace.calls, calls.count);
    assert_int_equal(trace.dropped, 0);
    assert_false(trace.is_incomplete);
    for (int i = 0; i < shapes; i++) {
        const struct allfold_traced_shape shape = shape_number(i);
        const struct allfold_traced_sum *sum = &trace.sums[i];
        struct allfold_traced_sum truth = {.calls = 0};
        assert_same_shape(&trace.shapes[i], &shape);
        assert_int_equal(trace.shapes[i].placement, i % KINDS);
        for (uint32_t k = 0; k < calls.count; k++) {
            const struct allfold_traced_call *one = &calls.list[k];
            if (one->shape != (uint32_t)i)
                continue;
            truth.calls++;
            truth.split += one->is_split;
            truth.seconds += one->seconds;
            truth.waiting_s += one->is_split ? one->waiting_s : 0;
            truth.all_waiting_s += one->is_split ? one->all_waiting_s : 0;
        }
        assert_int_equal(sum->calls, truth.calls);
        assert_int_equal(sum->split, truth.split);
        assert_float_equal(sum->seconds, truth.seconds, 1e-9);
        assert_float_equal(sum->waiting_s, truth.waiting_s, 1e-9);
        assert_float_equal(sum->all_waiting_s, truth.all_waiting_s, 1e-9);
    }
    allfold_trace_free(&trace);
}

static void test_few_calls(void **state)
{
    (void)state;
    for (uint32_t count = 3; count < 8; count++) {
        calls.count = 0;
        struct allfold_tracer *tracer = begin(MOST, 3);
        for (uint32_t i = 0; i < count; i++)
            call(tracer, i % 3, 5 + 0.25 * i * i);
        assert_true(allfold_tracer_close(tracer, 100));
        read_again(3);
    }
}

/* A shape that is not called is not in the file. */
static void test_called_shapes(void **state)
{
    (void)state;
    struct allfold_trace_file trace;
    char message[MESSAGE];
    const struct allfold_traced_call one = {.shape = 2, .begin_s = 6};
    struct allfold_tracer *tracer = begin(MOST, 4);
    allfold_tracer_add(tracer, &one);
    assert_true(allfold_tracer_close(tracer, 1));
    assert_int_equal(allfold_trace_read(path, &trace, message, sizeof message), ALLFOLD_OK);
    assert_int_equal(trace.count, 1);
    assert_string_equal(trace.shapes[0].algorithm, "algorithm 2");
    assert_int_equal(trace.sums[0].calls, 1);
    allfold_trace_free(&trace);
}

/* Calls of no order, on communicators that exchange in turn, so that time goes back. */
static void test_any_calls(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 5; round++) {
        calls.count = 0;
        struct allfold_tracer *tracer = begin(MOST, 50);
        double at_s = 5;
        for (int i = 0; i < 5000; i++) {
            at_s += rand() % 100 == 0 ? -1e-3 * (rand() % 10) : 1e-6 * (rand() % 100);
            call(tracer, (uint32_t)(i < 50 ? i : rand() % 50), at_s);
            if (rand() % 500 == 0)
                allfold_tracer_flush(tracer);
        }
        assert_true(allfold_tracer_close(tracer, 100));
        read_again(50);
    }
}

/* The lines of calls are as the page says. */
static void test_lines(void **state)
{
    (void)state;
    char line[400] = "";
    const struct allfold_traced_call split = {.is_split = true,
                                              .begin_s = 5.25,
                                              .seconds = 3e-6,
                                              .waiting_s = 2e-6,
                                              .all_waiting_s = 1e-6},
                                     other = {.begin_s = 6, .seconds = 7e-9};
    struct allfold_tracer *tracer = begin(MOST, 1);
    allfold_tracer_add(tracer, &split);
    allfold_tracer_add(tracer, &other);
    assert_true(allfold_tracer_close(tracer, 2));
    FILE *file = fopen(path, "r");
    for (int i = 0; i < 4; i++)
        assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "0\t250000000\t3000\t2000\t1000\n");
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "0\t1000000000\t7\n");
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "end\t2\t0\t2000000000\n");
    fclose(file);
}

static void test_many_shapes(void **state)
{
    (void)state;
    struct allfold_tracer *tracer = begin(MOST, ALLFOLD_TRACED_EXACT);
    struct allfold_traced_shape shape = shape_number(3);
    shape.bytes = 1025;
    const uint32_t rounded = allfold_tracer_shape(tracer, &shape);
    shape.bytes = 2048;
    assert_int_equal(allfold_tracer_shape(tracer, &shape), rounded);
    shape.bytes = 2049;
    assert_int_equal(allfold_tracer_shape(tracer, &shape), rounded + 1);
    uint32_t found = 0;
    for (int i = 0; i < ALLFOLD_TRACED_SHAPES; i++) {
        snprintf(shape.algorithm, sizeof shape.algorithm, "another %d", i);
        found = allfold_tracer_shape(tracer, &shape);
    }
    assert_int_equal(found, ALLFOLD_NO_SHAPE);
    const struct allfold_traced_call of_none = {.shape = found};
    allfold_tracer_add(tracer, &of_none);
    assert_true(allfold_tracer_close(tracer, 1));
    struct allfold_trace_file trace;
    char message[MESSAGE];
    assert_int_equal(allfold_trace_read(path, &trace, message, sizeof message), ALLFOLD_OK);
    assert_int_equal(trace.dropped, 1);
    allfold_trace_free(&trace);
}

/* Calls beyond the bound have no lines, and are summed. */
static void test_bound(void **state)
{
    (void)state;
    long bytes = 0;
    for (int times = 1; times <= 3; times += 2) {
        calls.count = 0;
        struct allfold_tracer *tracer = begin(4096, 40);
        for (int i = 0; i < 4000 * times; i++)
            call(tracer, (uint32_t)(i < 40 ? i : rand() % 40), 5 + 1e-6 * i);
        assert_true(allfold_tracer_close(tracer, 100));
        read_again(40);
        assert_true(bytes == 0 || file_bytes() < bytes + 200); /* numbers become longer */
        bytes = file_bytes();
    }
    assert_true(bytes < 4096 + 40 * 200);
}

/* --- placements --- */

static void assert_same_list(const int *a, const int *b, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(a[i], b[i]);
}

static void assert_same_nodes(const struct allfold_nodes *a, const struct allfold_nodes *b)
{
    const int p = a->first[a->count];
    assert_int_equal(a->count, b->count);
    assert_int_equal(b->first[b->count], p);
    assert_same_list(a->node_of, b->node_of, p);
    assert_same_list(a->along, b->along, p);
    assert_true((a->sockets == NULL) == (b->sockets == NULL));
    for (int r = 0; r < p; r++)
        assert_int_equal(allfold_socket_of(a, r), allfold_socket_of(b, r));
    assert_true((a->ordered == NULL) == (b->ordered == NULL));
    if (a->ordered != NULL)
        assert_same_nodes(a->ordered, b->ordered);
}

/* Writes a shape with each of these placements. */
static void write_placements(const struct allfold_nodes *const *nodes, int count)
{
    const int p = nodes[0]->first[nodes[0]->count];
    const struct allfold_traced_head large = {.job = {.p = p, .nodes = 1, .least = p, .most = p}};
    struct allfold_tracer *tracer = allfold_tracer_open(fopen(path, "wb"), MOST, &large, 5);
    assert_non_null(tracer);
    for (int i = 0; i < count; i++) {
        const struct allfold_traced_shape shape = {.layout = {.p = nodes[i]->first[nodes[i]->count],
                                                              .nodes = nodes[i]->count,
                                                              .least = nodes[i]->least,
                                                              .most = nodes[i]->most,
                                                              .arrangement = nodes[i]->arrangement},
                                                   .placement =
                                                       allfold_tracer_placement(tracer, nodes[i])};
        const struct allfold_traced_call one = {.shape = allfold_tracer_shape(tracer, &shape)};
        assert_int_equal(shape.placement, i + 1);
        assert_int_equal(allfold_tracer_placement(tracer, nodes[i]), i + 1);
        allfold_tracer_add(tracer, &one);
    }
    assert_true(allfold_tracer_close(tracer, 1));
}

/* These placements are read as they were written. */
static void keeps(const struct allfold_nodes *const *nodes, int count)
{
    struct allfold_trace_file trace;
    char message[MESSAGE];
    write_placements(nodes, count);
    assert_int_equal(allfold_trace_read(path, &trace, message, sizeof message), ALLFOLD_OK);
    assert_int_equal(trace.placement_count, count);
    for (int i = 0; i < count; i++) {
        const struct allfold_nodes *made = allfold_placement_nodes(&trace.placements[i]);
        assert_non_null(made);
        assert_int_equal(trace.shapes[i].placement, i + 1);
        assert_same_nodes(nodes[i], made);
        allfold_nodes_free(made);
    }
    allfold_trace_free(&trace);
}

static void test_small_placements(void **state)
{
    static const int64_t blocks[] = {0, 0, 0, 0, 1, 1, 1, 1}, few[] = {0, 0, 0, 0, 0, 1, 1, 2};
    static const int64_t mixed[] = {0, 1, 0, 0, 1, 2, 0, 2}, hosts[] = {7, 7, 7, 7, 3, 3, 3, 3};
    static const int64_t other[] = {5, 9, 5, 5, 9, 4, 5, 4}, turns[] = {0, 1, 0, 1, 0, 1, 0, 1};
    static const int64_t halves[] = {0, 0, 1, 1, 0, 0, 0, 0}, one[] = {0, 0, 0, 0, 0, 0, 0, 0};
    (void)state;
    const struct allfold_nodes *const nodes[] = {
        make_nodes(8, few, NULL, NULL),       make_nodes(8, mixed, NULL, NULL),
        make_nodes(8, mixed, other, NULL),    make_nodes(8, blocks, hosts, NULL),
        make_nodes(8, blocks, NULL, turns),   make_nodes(8, blocks, NULL, halves),
        make_nodes(8, blocks, hosts, halves), make_nodes(8, mixed, other, turns),
        make_nodes(8, one, NULL, turns),      make_nodes(8, one, NULL, halves),
    };
    enum { COUNT = sizeof nodes / sizeof *nodes };
    keeps(nodes, COUNT);
    for (int i = 0; i < COUNT; i++)
        allfold_nodes_free(nodes[i]);
}

/* What the layout says takes nothing. */
static void test_plain_placements(void **state)
{
    static const int64_t blocks[] = {0, 0, 0, 1, 1, 1}, one[] = {0, 0, 0, 0, 0, 0};
    static const int64_t hosts[] = {3, 3, 3, 7, 7, 7};
    (void)state;
    const struct allfold_nodes *const nodes[] = {make_nodes(6, blocks, NULL, NULL),
                                                 make_nodes(6, one, NULL, NULL),
                                                 make_nodes(6, blocks, hosts, NULL)};
    struct allfold_tracer *tracer = begin(MOST, 0);
    assert_int_equal(allfold_tracer_placement(tracer, NULL), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(allfold_tracer_placement(tracer, nodes[i]), 0);
        allfold_nodes_free(nodes[i]);
    }
    assert_true(allfold_tracer_close(tracer, 1));
}

/* Thousands of ranks are kept, too. */
static void test_large_placements(void **state)
{
    enum { P = 6144, NODES = 96 };
    static int64_t keys[3][P];
    (void)state;
    for (int r = 0; r < P; r++) {
        keys[0][r] = r % NODES;
        keys[1][r] = -(r % NODES);
        keys[2][r] = r / NODES % 2;
    }
    const struct allfold_nodes *nodes[2] = {make_nodes(P, keys[0], keys[1], keys[2]), NULL};
    keeps(nodes, 1);
    srand(5);
    for (int r = 0; r < P; r++)
        for (int k = 0; k < 3; k++)
            keys[k][r] = rand() % (k == 2 ? 3 : NODES);
    nodes[1] = make_nodes(P, keys[0], keys[1], keys[2]);
    keeps(nodes, 2);
    allfold_nodes_free(nodes[0]);
    allfold_nodes_free(nodes[1]);
}

/* Of ever more placements, and of long ones, some are left out, and all calls are there. */
static void test_many_placements(void **state)
{
    enum { P = 2048, SMALL = 4096, LARGE = 8 << 20 };
    static int64_t keys[P];
    (void)state;
    const struct allfold_traced_head large = {.job = {.p = P, .nodes = 1, .least = P, .most = P}};
    for (size_t most = SMALL; most <= LARGE; most *= LARGE / SMALL) {
        struct allfold_tracer *tracer = allfold_tracer_open(fopen(path, "wb"), most, &large, 5);
        uint32_t kept = 0;
        srand(3);
        for (int i = 0; i < 300; i++) {
            for (int r = 0; r < P; r++)
                keys[r] = most == SMALL ? rand() % 9 : r >= i;
            const struct allfold_nodes *nodes = make_nodes(P, keys, NULL, NULL);
            const struct allfold_traced_shape shape = {
                .layout = {.p = P,
                           .nodes = nodes->count,
                           .least = nodes->least,
                           .most = nodes->most,
                           .arrangement = nodes->arrangement},
                .bytes = (size_t)i,
                .placement = allfold_tracer_placement(tracer, nodes)};
            const struct allfold_traced_call one = {.shape = allfold_tracer_shape(tracer, &shape)};
            kept += shape.placement > 0;
            allfold_tracer_add(tracer, &one);
            allfold_nodes_free(nodes);
        }
        assert_true(allfold_tracer_close(tracer, 1));
        struct allfold_trace_file trace;
        char message[MESSAGE];
        assert_int_equal(allfold_trace_read(path, &trace, message, sizeof message), ALLFOLD_OK);
        assert_int_equal(kept, most == SMALL ? 0 : ALLFOLD_TRACED_PLACEMENTS);
        assert_int_equal(trace.placement_count, kept);
        assert_int_equal(trace.calls + trace.dropped, 300);
        assert_true(most == SMALL || trace.dropped == 0);
        allfold_trace_free(&trace);
    }
}

/* --- files that are cut or damaged --- */

static unsigned char whole[1 << 16], damaged[1 << 16];

static size_t read_whole(void)
{
    FILE *file = fopen(path, "rb");
    const size_t bytes = fread(whole, 1, sizeof whole, file);
    fclose(file);
    assert_true(bytes < sizeof whole);
    return bytes;
}

static enum allfold_error read_bytes(const unsigned char *bytes, size_t count,
                                     struct allfold_trace_file *trace, char *message)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
    return allfold_trace_read(path, trace, message, MESSAGE);
}

static size_t write_some(void)
{
    calls.count = 0;
    srand(9);
    struct allfold_tracer *tracer = begin(MOST, 9);
    for (int i = 0; i < 300; i++)
        call(tracer, (uint32_t)(i < 150 ? i % 5 : rand() % 9), 5 + 1e-6 * i);
    assert_true(allfold_tracer_close(tracer, 100));
    return read_whole();
}

/* Cut anywhere behind its first record, a trace is incomplete, and has what is before the cut. */
static void test_cut(void **state)
{
    (void)state;
    const size_t bytes = write_some();
    struct allfold_trace_file trace;
    char message[MESSAGE];
    uint64_t before = 0;
    bool had_head = false;
    for (size_t cut = 0; cut < bytes; cut++) {
        const enum allfold_error error = read_bytes(whole, cut, &trace, message);
        if (error == ALLFOLD_OK) {
            assert_true(trace.is_incomplete);
            assert_true(trace.calls >= before);
            before = trace.calls;
            had_head = true;
        } else {
            assert_false(had_head);
            assert_memory_equal(message, path, strlen(path));
        }
        allfold_trace_free(&trace);
    }
    assert_true(had_head);
    assert_int_equal(before, calls.count);
}

/* Some numbers may as well be others. */
static void test_damaged_bytes(void **state)
{
    (void)state;
    const size_t bytes = write_some();
    unsigned refused = 0;
    for (size_t i = 0; i < bytes; i++) {
        struct allfold_trace_file trace;
        char message[MESSAGE] = "";
        memcpy(damaged, whole, bytes);
        damaged[i] ^= (unsigned char)(1 << i % 8);
        const enum allfold_error error = read_bytes(damaged, bytes, &trace, message);
        refused += error != ALLFOLD_OK;
        if (error != ALLFOLD_OK)
            assert_memory_equal(message, path, strlen(path));
        allfold_trace_free(&trace);
    }
    assert_true(refused > bytes / 4);
}

static void refuses(const char *text, const char *says)
{
    struct allfold_trace_file trace;
    char message[MESSAGE] = "";
    assert_int_equal(read_bytes((const unsigned char *)text, strlen(text), &trace, message),
                     ALLFOLD_BAD_INPUT);
    assert_non_null(strstr(message, says));
    allfold_trace_free(&trace);
}

#define JOB ALLFOLD_TRACE_MAGIC "job\t\t\t\t4\t2\t2\t2\t0\t0\t0\t0\n"
#define LAYOUT(p) "bcast\t" p "\t2\t1\t" p "\t0\t0\t0"
#define SHAPE(p, placement) "shape\t" LAYOUT(p) "\t" placement "\t0\t8\t8\t0\t0\t0\ta\tb\n"

static void test_other_files(void **state)
{
    (void)state;
    struct allfold_trace_file trace;
    char message[MESSAGE];
    refuses("", "this is no trace");
    refuses("{\"rows\": []}\n, and more of that", "this is no trace");
    refuses("allfold trace 2\nH", "another version; expected version 3");
    refuses(ALLFOLD_TRACE_MAGIC, "ends before it says anything");
    refuses(ALLFOLD_TRACE_MAGIC "end\t0\t0\t0\n", "line 2 is not where it belongs");
    refuses(JOB JOB, "line 3 is of no kind that there is");
    refuses(JOB "more\n", "line 3 is of no kind that there is");
    refuses(JOB "end\t0\t0\t0\nend\t0\t0\t0\n", "line 4 lies behind the end");
    refuses(JOB "0\t1\t2\n", "line 3 says what cannot be");
    refuses(JOB SHAPE("4", "0") "0\t1\t2\t3\n", "line 4 says what cannot be");
    refuses(JOB SHAPE("4", "0") "0\t1\t-2\n", "line 4 says what cannot be");
    refuses(JOB SHAPE("4", "0") "0\t1\t2\nend\t2\t0\t0\n", "line 5 says what cannot be");
    refuses(JOB "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\n", "line 3 is no line of a trace");
    assert_int_equal(allfold_trace_read("/nowhere/at/all", &trace, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_string_equal(message, "/nowhere/at/all: No such file or directory");
}

/* Each of these says what cannot be in another way than a right one. */
static void test_wrong_placements(void **state)
{
    static const char *const wrong[] = {
        "",                    /* of no ranks */
        "0,0,0,1,0\t-\t-",     /* of more than the job has */
        "0,0,1,0",             /* fields are missing */
        "0,0,1,0\t-\t-\t-",    /* one is too many */
        "1,0,1,0\t-\t-",       /* the first rank is not on the first node */
        "0,0,2,0\t-\t-",       /* the second node is missing */
        "0,0,-1,0\t-\t-",      /* a node below the first */
        "0,0,1,x\t-\t-",       /* no number */
        "0,0,1,\t-\t-",        /* none at all */
        "0,0,1,0\t1,1\t-",     /* a node twice in the order */
        "0,0,1,0\t1,2\t-",     /* a node that is none */
        "0,0,1,0\t1\t-",       /* too short an order */
        "0,0,1,0\t1,0,0\t-",   /* too long a one */
        "0,0,1,0\t-\t0,1,0,4", /* a socket of more than there are ranks */
    };
    char text[400];
    struct allfold_trace_file trace;
    char message[MESSAGE];
    (void)state;
    static const char right[] = JOB "placement\t0,0,1,0\t1,0\t0,1,0,1\n" SHAPE("4", "1");
    assert_int_equal(read_bytes((const unsigned char *)right, strlen(right), &trace, message),
                     ALLFOLD_OK);
    allfold_trace_free(&trace);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, JOB "placement\t%s\n", wrong[i]);
        refuses(text, "line 3 says what cannot be");
    }
    refuses(JOB "placement\t0,0,1,0\t-\t-\n" SHAPE("3", "1"), "line 4 says what cannot be");
    refuses(JOB "placement\t0,0,1,0\t-\t-\n" SHAPE("4", "2"), "line 4 says what cannot be");
}

/* Without memory calls are dropped, and nothing else happens. */
static void test_no_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n < 40; n++) {
        FILE *file = fopen(path, "wb");
        allfold_fail_allocation(n);
        struct allfold_tracer *tracer = allfold_tracer_open(file, MOST, &head, 5);
        if (tracer == NULL) {
            fclose(file);
            continue;
        }
        for (int i = 0; i < 600; i++) {
            const struct allfold_traced_shape shape = placed_shape(tracer, i % 40);
            const struct allfold_traced_call one = {.shape = allfold_tracer_shape(tracer, &shape),
                                                    .begin_s = 5 + i};
            allfold_tracer_add(tracer, &one);
        }
        allfold_tracer_close(tracer, 1);
        struct allfold_trace_file trace;
        char message[MESSAGE];
        const enum allfold_error error = allfold_trace_read(path, &trace, message, sizeof message);
        assert_true(error == ALLFOLD_OK || error == ALLFOLD_NO_MEMORY);
        if (error == ALLFOLD_OK && !trace.is_incomplete)
            assert_int_equal(trace.calls + trace.dropped, 600);
        allfold_trace_free(&trace);
        allfold_fail_allocation(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_calls),
        cmocka_unit_test(test_called_shapes),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_any_calls),
        cmocka_unit_test(test_many_shapes),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_small_placements),
        cmocka_unit_test(test_plain_placements),
        cmocka_unit_test(test_large_placements),
        cmocka_unit_test(test_many_placements),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_wrong_placements),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
