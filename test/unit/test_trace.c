/* Traces: what is written is read again, loops take less than a byte a call, the bound holds, and
 * files that are cut or damaged are refused and crash nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "trace/trace_code.h"
#include "trace/trace_reader.h"
#include "trace/tracer.h"
#include "util/memory.h"

enum { MOST = 1 << 20, MESSAGE = 600 };

static char path[] = "/tmp/allfold-trace-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static const struct allfold_traced_head head = {
    .version = "0.1.0",
    .machine = "a machine",
    .mpi = "an MPI",
    .job = {.p = 6, .nodes = 3, .least = 2, .most = 2, .arrangement = ALLFOLD_CYCLIC}};

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

static struct allfold_tracer *begin(size_t most_bytes, int shapes)
{
    FILE *file = fopen(path, "wb");
    struct allfold_tracer *tracer = allfold_tracer_open(file, most_bytes, &head, 5);
    assert_non_null(tracer);
    for (int i = 0; i < shapes; i++) {
        const struct allfold_traced_shape shape = shape_number(i);
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
    uint32_t read;
    double furthest_s; /* that a begin was off */
};

static struct calls calls;

static void call(struct allfold_tracer *tracer, uint32_t shape, double begin_s, bool is_first)
{
    const struct allfold_traced_call one = {.shape = shape,
                                            .is_split = calls.count % 3 != 0,
                                            .begin_s = begin_s,
                                            .seconds = 1e-6 * (1 + calls.count % 100),
                                            .waiting_s = 1e-7 * (calls.count % 10),
                                            .all_waiting_s = 2e-7 * (calls.count % 10)};
    assert_true(calls.count < sizeof calls.list / sizeof *calls.list);
    calls.list[calls.count++] = one;
    allfold_tracer_add(tracer, &one, is_first);
}

static void check(void *context, uint32_t shape, double begin_s)
{
    const struct allfold_traced_call *was = &calls.list[calls.read++];
    (void)context;
    assert_true(calls.read <= calls.count);
    assert_int_equal(shape, was->shape);
    const double off_s = begin_s - (was->begin_s - 5);
    calls.furthest_s = off_s > calls.furthest_s ? off_s : calls.furthest_s;
    calls.furthest_s = -off_s > calls.furthest_s ? -off_s : calls.furthest_s;
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
    calls.read = 0;
    calls.furthest_s = 0;
    assert_int_equal(allfold_trace_read(path, &trace, check, NULL, message, sizeof message),
                     ALLFOLD_OK);
    assert_string_equal(trace.head.version, head.version);
    assert_string_equal(trace.head.machine, head.machine);
    assert_string_equal(trace.head.mpi, head.mpi);
    assert_same_layout(&trace.head.job, &head.job);
    assert_int_equal(trace.count, shapes);
    assert_int_equal(trace.calls, calls.count);
    assert_int_equal(calls.read, calls.count);
    assert_int_equal(trace.dropped, 0);
    assert_false(trace.is_incomplete);
    assert_false(trace.is_full);
    for (int i = 0; i < shapes; i++) {
        const struct allfold_traced_shape shape = shape_number(i);
        const struct allfold_traced_sum *sum = &trace.sums[i];
        struct allfold_traced_sum truth = {.calls = 0};
        assert_same_shape(&trace.shapes[i], &shape);
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
    for (uint32_t count = 0; count < 8; count++) {
        calls.count = 0;
        struct allfold_tracer *tracer = begin(MOST, 3);
        for (uint32_t i = 0; i < count; i++)
            call(tracer, i % 3, 5 + 0.25 * i * i, false);
        assert_true(allfold_tracer_close(tracer, 100));
        read_again(count == 0 ? 0 : 3);
        assert_true(calls.furthest_s < 5);
    }
}

/* Bodies of many lengths, also longer than a record and than copies reach. */
static void test_loops(void **state)
{
    static const int bodies[] = {1, 2, 3, 7, 64, 257, 500, 3000};
    (void)state;
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        const int shapes = bodies[b] < 300 ? bodies[b] : 300;
        calls.count = 0;
        struct allfold_tracer *tracer = begin(MOST, shapes);
        for (int i = 0; i < 18000; i++)
            call(tracer, (uint32_t)((i % bodies[b] * 7) % shapes), 5 + 1e-5 * i, i % 256 == 0);
        assert_true(allfold_tracer_close(tracer, 100));
        read_again(shapes);
        assert_true(calls.furthest_s < 1e-7); /* the gaps are alike */
        if (bodies[b] <= 500)
            assert_true(file_bytes() <
                        18000 + 60 * shapes + 200); /* a byte a call, and the shapes */
    }
}

/* A long loop takes less than a byte a call, whose gaps differ by much. */
static void test_bytes_a_call(void **state)
{
    (void)state;
    const struct allfold_traced_call one = {.is_split = true, .seconds = 3e-6, .waiting_s = 2e-6};
    struct allfold_tracer *tracer = begin(MOST, 2);
    double at_s = 5;
    for (int i = 0; i < 1000000; i++) {
        struct allfold_traced_call next = one;
        next.shape = (uint32_t)i % 2;
        next.begin_s = at_s += 1e-6 * (1 + rand() % 1000);
        allfold_tracer_add(tracer, &next, i % 256 == 0);
    }
    assert_true(allfold_tracer_close(tracer, 1000));
    assert_in_range(file_bytes(), 500000, 750000);
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
            const bool is_first = rand() % 100 == 0;
            at_s += is_first ? -1e-3 * (rand() % 10) : 1e-6 * (rand() % 100);
            call(tracer, (uint32_t)(rand() % 50), at_s, is_first);
            if (rand() % 500 == 0)
                allfold_tracer_flush(tracer);
        }
        assert_true(allfold_tracer_close(tracer, 100));
        read_again(50);
        assert_true(calls.furthest_s < 10e-3); /* less than a segment is long */
    }
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
    allfold_tracer_add(tracer, &of_none, true);
    assert_true(allfold_tracer_close(tracer, 1));
    struct allfold_trace_file trace;
    char message[MESSAGE];
    assert_int_equal(allfold_trace_read(path, &trace, NULL, NULL, message, sizeof message),
                     ALLFOLD_OK);
    assert_int_equal(trace.dropped, 1);
    allfold_trace_free(&trace);
}

static void test_bound(void **state)
{
    (void)state;
    for (size_t most = 4096; most < 9000; most += 411) {
        struct allfold_tracer *tracer = begin(most, 40);
        for (int i = 0; i < 40000; i++) {
            const struct allfold_traced_call one = {.shape = (uint32_t)(rand() % 40),
                                                    .begin_s = 5 + 1e-6 * i};
            allfold_tracer_add(tracer, &one, false);
        }
        assert_true(allfold_tracer_close(tracer, 1));
        assert_true((size_t)file_bytes() <= most);
        struct allfold_trace_file trace;
        char message[MESSAGE];
        assert_int_equal(allfold_trace_read(path, &trace, NULL, NULL, message, sizeof message),
                         ALLFOLD_OK);
        assert_true(trace.is_full && !trace.is_incomplete);
        assert_int_equal(trace.calls + trace.dropped, 40000);
        assert_true(trace.dropped > 0);
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
    return allfold_trace_read(path, trace, NULL, NULL, message, MESSAGE);
}

static size_t write_some(void)
{
    calls.count = 0;
    srand(9);
    struct allfold_tracer *tracer = begin(MOST, 9);
    for (int i = 0; i < 1200; i++)
        call(tracer, (uint32_t)(i < 600 ? i % 5 : rand() % 9), 5 + 1e-6 * i, i % 256 == 0);
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

static void test_damaged_bytes(void **state)
{
    (void)state;
    const size_t bytes = write_some();
    for (size_t i = 0; i < bytes; i++) {
        struct allfold_trace_file trace;
        char message[MESSAGE] = "";
        memcpy(damaged, whole, bytes);
        damaged[i] ^= (unsigned char)(1 << i % 8);
        const enum allfold_error error = read_bytes(damaged, bytes, &trace, message);
        if (error == ALLFOLD_OK) /* a length that reaches beyond the end, as in a cut file */
            assert_true(trace.is_incomplete);
        else
            assert_memory_equal(message, path, strlen(path));
        allfold_trace_free(&trace);
    }
}

/* Damage whose sums are right reaches what reads the payloads. */
static void test_wrong_payloads(void **state)
{
    (void)state;
    const size_t bytes = write_some(), magic = sizeof ALLFOLD_TRACE_MAGIC - 1;
    unsigned refused = 0;
    srand(11);
    for (int round = 0; round < 1000; round++) {
        struct allfold_trace_file trace;
        char message[MESSAGE] = "";
        memcpy(damaged, whole, bytes);
        for (size_t at = magic; at < bytes;) {
            size_t length = 0, begin = at + 1;
            for (unsigned shift = 0;; shift += 7) {
                length |= (size_t)(whole[begin] & 0x7f) << shift;
                if (whole[begin++] < 0x80)
                    break;
            }
            for (int hits = rand() % 3; hits > 0 && length > 0; hits--)
                damaged[begin + (size_t)rand() % length] =
                    (unsigned char)(rand() % 4 == 0 ? 0xff : rand());
            uint32_t sum = allfold_trace_sum(damaged + at, begin - at + length);
            for (int i = 0; i < 4; i++, sum >>= 8)
                damaged[begin + length + (size_t)i] = (unsigned char)sum;
            at = begin + length + 4;
        }
        const enum allfold_error error = read_bytes(damaged, bytes, &trace, message);
        assert_true(error == ALLFOLD_OK || error == ALLFOLD_BAD_INPUT);
        refused += error == ALLFOLD_BAD_INPUT;
        allfold_trace_free(&trace);
    }
    assert_true(refused > 700);
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

static void test_other_files(void **state)
{
    (void)state;
    struct allfold_trace_file trace;
    char message[MESSAGE];
    refuses("", "this is no trace");
    refuses("{\"rows\": []}\n, and more of that", "this is no trace");
    refuses("allfold trace 2\nH", "another version; expected version 1");
    refuses(ALLFOLD_TRACE_MAGIC, "ends before it says anything");
    refuses(ALLFOLD_TRACE_MAGIC "H\xff\xff\xff\xff\xff\xff", "is too long");
    assert_int_equal(
        allfold_trace_read("/nowhere/at/all", &trace, NULL, NULL, message, sizeof message),
        ALLFOLD_BAD_INPUT);
    assert_string_equal(message, "/nowhere/at/all: No such file or directory");
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
            const struct allfold_traced_shape shape = shape_number(i % 40);
            const struct allfold_traced_call one = {.shape = allfold_tracer_shape(tracer, &shape),
                                                    .begin_s = 5 + i};
            allfold_tracer_add(tracer, &one, i % 100 == 0);
        }
        allfold_tracer_close(tracer, 1);
        struct allfold_trace_file trace;
        char message[MESSAGE];
        const enum allfold_error error =
            allfold_trace_read(path, &trace, NULL, NULL, message, sizeof message);
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
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_bytes_a_call),
        cmocka_unit_test(test_any_calls),
        cmocka_unit_test(test_many_shapes),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_wrong_payloads),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
