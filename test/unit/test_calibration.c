/* Calibration, on the times of a made-up machine whose constants are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lab/measure/calibration.h"

static struct allfold_calibration_sample samples[ALLFOLD_CALIBRATION_SAMPLES];
static int sample_count;
static struct allfold_calibration calibration;

static void assert_near(double got, double expected, double share)
{
    if (!(fabs(got - expected) <= share * fabs(expected)))
        fail_msg("%g instead of %g", got, expected);
}

/* On a socket 0.3 us. On a node 1 us and 10 GB/s, a further message 0.2 us, a byte reduced 0.05 ns.
 * Between nodes 20 us and 1 GB/s up to 16 KiB, then 60 us and 2 GB/s. All ranks of a node together
 * have 2 GB/s. One way half of the latency and 0.8 of the time per byte. A rank's further message
 * between nodes takes 5 us; those of the node's other ranks begin at the same time. */
static double time_of(const struct allfold_calibration_sample *s)
{
    const double bytes = (double)s->bytes;
    const bool is_long = s->level == ALLFOLD_LEVEL_NETWORK && s->bytes > 16384;
    const double latency_s = s->level == ALLFOLD_LEVEL_SOCKET    ? 0.3e-6
                             : s->level != ALLFOLD_LEVEL_NETWORK ? 1e-6
                             : is_long                           ? 60e-6
                                                                 : 20e-6;
    const double byte_s = s->level != ALLFOLD_LEVEL_NETWORK ? 0.1e-9
                          : is_long || s->lanes > 1         ? 0.5e-9
                                                            : 1e-9;
    switch (s->kind) {
    case ALLFOLD_TIMED_ONE_WAY:
        return 0.5 * latency_s + 0.8 * byte_s * bytes;
    case ALLFOLD_TIMED_REDUCTION:
        return 10e-9 + 0.05e-9 * bytes;
    case ALLFOLD_TIMED_COPY:
        return 10e-9 + 0.03e-9 * bytes;
    default:
        return latency_s + (s->messages - 1) * (s->level == ALLFOLD_LEVEL_NETWORK ? 5e-6 : 0.2e-6) +
               byte_s * bytes * s->messages * (s->level == ALLFOLD_LEVEL_NETWORK ? s->lanes : 1);
    }
}

static void add(enum allfold_calibration_kind kind, enum allfold_level level, int lanes,
                int messages)
{
    for (size_t bytes = 8; bytes <= 4 << 20; bytes *= 2) {
        struct allfold_calibration_sample *sample = &samples[sample_count++];
        *sample = (struct allfold_calibration_sample){.kind = kind,
                                                      .level = level,
                                                      .lanes = lanes,
                                                      .messages = messages,
                                                      .bytes = bytes,
                                                      .count = 10};
        sample->time_s = sample->least_s = time_of(sample);
    }
}

static void add_node(void)
{
    add(ALLFOLD_TIMED_ONE_WAY, ALLFOLD_LEVEL_NODE, 2, 1);
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_NODE, 2, 1);
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_NODE, 2, 4);
    add(ALLFOLD_TIMED_REDUCTION, ALLFOLD_LEVEL_NODE, 1, 1);
    add(ALLFOLD_TIMED_COPY, ALLFOLD_LEVEL_NODE, 1, 1);
}

static void add_sockets(void)
{
    add(ALLFOLD_TIMED_ONE_WAY, ALLFOLD_LEVEL_SOCKET, 2, 1);
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_SOCKET, 2, 1);
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_SOCKET, 2, 4);
}

static void add_network(void)
{
    add(ALLFOLD_TIMED_ONE_WAY, ALLFOLD_LEVEL_NETWORK, 1, 1);
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_NETWORK, 1, 1);
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_NETWORK, 1, 4);
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_NETWORK, 4, 1);
}

static void calibrate(void)
{
    char message[200] = "";
    assert_true(allfold_calibrate(samples, sample_count, &calibration, message, sizeof message));
    assert_string_equal(message, "");
}

static int set_up(void **state)
{
    (void)state;
    sample_count = 0;
    return 0;
}

static void test_node(void **state)
{
    (void)state;
    add_node();
    calibrate();
    const struct allfold_network *network = &calibration.network;
    assert_int_equal(network->link_count[ALLFOLD_LEVEL_NODE], 1);
    const struct allfold_link *link = &network->links[ALLFOLD_LEVEL_NODE][0];
    assert_near(link->latency_s, 1e-6, 1e-3);
    assert_near(link->bandwidth, 10e9, 1e-3);
    assert_near(link->overhead_s, 0.2e-6, 1e-3);
    assert_near(network->one_way_latency, 0.5, 1e-3);
    assert_near(network->one_way_byte, 0.8, 1e-3);
    assert_near(network->reduce_s, 0.05e-9, 1e-3);
    assert_near(network->copy_s, 0.03e-9, 1e-3);
    for (int i = 0; i < calibration.fit_count; i++)
        assert_true(calibration.fits[i].most_error < 1e-3);
}

static void test_network(void **state)
{
    (void)state;
    add_node();
    add_network();
    calibrate();
    const struct allfold_network *network = &calibration.network;
    const struct allfold_link *links = network->links[ALLFOLD_LEVEL_NETWORK];
    assert_int_equal(network->link_count[ALLFOLD_LEVEL_NETWORK], 2);
    assert_near(links[0].latency_s, 20e-6, 1e-3);
    assert_near(links[0].bandwidth, 1e9, 1e-3);
    assert_in_range(links[0].to_bytes, 16385, 32768);
    assert_near(links[1].latency_s, 60e-6, 1e-3);
    assert_near(links[1].bandwidth, 2e9, 1e-3);
    assert_near(links[0].overhead_s, 5e-6, 1e-3);
    assert_near(links[1].limit, 2e9, 0.01);
    assert_true(network->ejection);
    assert_near(network->one_way_latency, 0.5, 1e-3);
    assert_near(network->links[ALLFOLD_LEVEL_SOCKET][0].latency_s, 1e-6, 1e-3);
}

static void test_sockets(void **state)
{
    (void)state;
    add_sockets();
    add_node();
    calibrate();
    assert_near(calibration.network.links[ALLFOLD_LEVEL_SOCKET][0].latency_s, 0.3e-6, 1e-3);
    assert_near(calibration.network.links[ALLFOLD_LEVEL_NODE][0].latency_s, 1e-6, 1e-3);
}

/* With many ranks a node most samples have messages of several ranks, which begin together. */
static void test_many_ranks(void **state)
{
    (void)state;
    add_node();
    add_network();
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_NETWORK, 2, 1);
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_NETWORK, 8, 1);
    add(ALLFOLD_TIMED_BOTH_WAYS, ALLFOLD_LEVEL_NETWORK, 16, 1);
    calibrate();
    assert_near(calibration.network.links[ALLFOLD_LEVEL_NETWORK][0].latency_s, 20e-6, 0.1);
    assert_near(calibration.network.links[ALLFOLD_LEVEL_NETWORK][0].overhead_s, 5e-6, 0.1);
}

/* With one rank a node there is nothing on it. */
static void test_network_alone(void **state)
{
    (void)state;
    add_network();
    add(ALLFOLD_TIMED_REDUCTION, ALLFOLD_LEVEL_NODE, 1, 1);
    calibrate();
    assert_near(calibration.network.links[ALLFOLD_LEVEL_NODE][0].latency_s, 20e-6, 1e-3);
    assert_near(calibration.network.reduce_s, 0.05e-9, 1e-3);
}

/* What is written is read as what it is, and in few digits. */
static void test_network_is_read(void **state)
{
    (void)state;
    char *text = NULL, message[200];
    size_t bytes = 0;
    struct allfold_network read;
    add_node();
    add_network();
    for (int i = 0; i < sample_count; i++)
        samples[i].time_s *= 1 + 0.01 * (i % 7);
    calibrate();
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    allfold_network_write(&calibration.network, stream);
    assert_int_equal(fclose(stream), 0);
    if (allfold_network_read(text, &read, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s", message);
    for (int level = 0; level < ALLFOLD_LEVEL_COUNT; level++) {
        const int count = calibration.network.link_count[level];
        assert_int_equal(read.link_count[level], count);
        for (int i = 0; i < count; i++)
            assert_memory_equal(&read.links[level][i], &calibration.network.links[level][i],
                                sizeof read.links[level][i]);
    }
    assert_null(strstr(text, "00000"));
    free(text);
}

static void test_samples_are_read(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    struct allfold_calibration_sample read;
    add_node();
    add_network();
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    for (int i = 0; i < sample_count; i++)
        allfold_calibration_write_sample(&samples[i], stream);
    assert_int_equal(fclose(stream), 0);
    const char *at = text;
    for (int i = 0; i < sample_count; i++) {
        assert_true(allfold_calibration_read_sample(at, &read));
        assert_int_equal(read.kind, samples[i].kind);
        assert_int_equal(read.level, samples[i].level);
        assert_int_equal(read.lanes, samples[i].lanes);
        assert_int_equal(read.messages, samples[i].messages);
        assert_int_equal(read.bytes, samples[i].bytes);
        assert_near(read.time_s, samples[i].time_s, 1e-8);
        at = strchr(at, '\n') + 1;
    }
    free(text);
    static const char *const wrong[] = {"",
                                        "one_way\tnode\t1\t1\t8\t1e-6\t1e-6",
                                        "two_ways\tnode\t1\t1\t8\t1e-6\t1e-6\t3",
                                        "one_way\tmoon\t1\t1\t8\t1e-6\t1e-6\t3",
                                        "one_way\tnode\t1\t1\t8\t0\t1e-6\t3",
                                        "one_way\tnode\t0\t1\t8\t1e-6\t1e-6\t3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(allfold_calibration_read_sample(wrong[i], &read));
}

static void test_nothing(void **state)
{
    (void)state;
    char message[200] = "";
    add(ALLFOLD_TIMED_COPY, ALLFOLD_LEVEL_NODE, 1, 1);
    assert_false(allfold_calibrate(samples, sample_count, &calibration, message, sizeof message));
    assert_non_null(strstr(message, "no messages"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_node, set_up),
        cmocka_unit_test_setup(test_network, set_up),
        cmocka_unit_test_setup(test_many_ranks, set_up),
        cmocka_unit_test_setup(test_sockets, set_up),
        cmocka_unit_test_setup(test_network_alone, set_up),
        cmocka_unit_test_setup(test_network_is_read, set_up),
        cmocka_unit_test_setup(test_samples_are_read, set_up),
        cmocka_unit_test_setup(test_nothing, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
