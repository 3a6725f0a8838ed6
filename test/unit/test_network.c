/* Networks: their texts read and written, and what is said of wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lab/network/network.h"
#include "util/quantity.h"
#include "support.h"
#include "support_simulate.h"

static bool is_about(double a, double b)
{
    return a - b < 1e-12 * b && b - a < 1e-12 * b;
}

static void a_text_says_all_of_a_network(void **context)
{
    (void)context;
    const struct allfold_network n =
        network_of("# a comment\n"
                   "name = my cluster_1.0   # another\n\n"
                   "sockets=4\n cards = 2\r\n\tejection = 1\n"
                   "one_way_latency = 0.75\none_way_byte = 0.5\n"
                   "reduce = 0.25ns\ncopy=0\n"
                   "node: latency=500ns\n"
                   "network 0-8K: latency=2us, overhead=0.5us, bandwidth=1.5GB/s\n"
                   "network 8K-: latency=4e0us,limit=6e9B/s , waits=1");
    assert_string_equal(n.name, "my cluster_1.0");
    assert_int_equal(n.sockets, 4);
    assert_int_equal(n.cards, 2);
    assert_true(n.ejection);
    assert_true(is_about(n.one_way_latency, 0.75) && is_about(n.one_way_byte, 0.5));
    assert_true(is_about(n.reduce_s, 0.25e-9) && n.copy_s <= 0);
    assert_int_equal(n.link_count[ALLFOLD_LEVEL_SOCKET], 1);
    assert_true(is_about(n.links[ALLFOLD_LEVEL_SOCKET][0].latency_s, 0.5e-6));
    assert_true(is_about(n.links[ALLFOLD_LEVEL_NODE][0].overhead_s, 0.5e-6));
    assert_int_equal(n.link_count[ALLFOLD_LEVEL_NETWORK], 2);
    const struct allfold_link *shorter = allfold_network_link(&n, ALLFOLD_LEVEL_NETWORK, 8191);
    const struct allfold_link *longer = allfold_network_link(&n, ALLFOLD_LEVEL_NETWORK, 8192);
    assert_true(is_about(shorter->bandwidth, 1.5e9) && shorter->limit <= 0 && !shorter->waits);
    assert_true(is_about(shorter->overhead_s, 0.5e-6) && is_about(shorter->latency_s, 2e-6));
    assert_true(is_about(longer->limit, 6e9) && longer->bandwidth <= 0 && longer->waits);
    assert_true(is_about(longer->overhead_s, 4e-6));
}

/* Each is wrong in one thing, which is named with its line and what would be right. */
static void wrong_texts_are_refused_clearly(void **context)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"", "there is no line like network: latency=2us"},
        {"node: latency=1us", "there is no line like network"},
        {"speed = 3", "line 1: setting: 'speed' is not one of: name, sockets"},
        {"\n\nnetwork: latency=fast", "line 3: latency: 'fast' is not a time like 1.5us"},
        {"network: latency=2", "line 1: latency: '2' is not a time"},
        {"network: latency=2 us", "latency: '2' is not a time"},
        {"network: latency=2usx", "latency: '2usx' is not a time"},
        {"network: latency=-2us", "latency: '-2us' is not a time"},
        {"network: latency=0x1us", "latency: '0x1us' is not a time"},
        {"network: latency=1e999s", "latency: '1e999s' is not a time"},
        {"network: latency=nan", "latency: 'nan' is not a time"},
        {"network: latency=", "line 1: latency: expected a time like 1.5us"},
        {"network: latency", "line 1: latency: expected = and a value"},
        {"network: latency=1us,", "line 1: network: expected one of: latency, overhead"},
        {"network: latency=1us latency=2us", "after the value: 'latency' is not the end"},
        {"network: latency=1us, latency=2us", "a value is given twice"},
        {"network: speed=1us", "network: 'speed' is not one of: latency, overhead"},
        {"network: bandwidth=1GB/s", "a level needs a latency"},
        {"network: latency=1us, bandwidth=0", "bandwidth: '0' is not a rate like 2.9GB/s"},
        {"network: latency=1us, bandwidth=1GB", "bandwidth: '1GB' is not a rate"},
        {"network: latency=1us, overhead=2us", "the overhead is more than the latency"},
        {"node: latency=1us, store=1GB/s", "store, piece and take are values of links in_memory=1"},
        {"node: latency=1us, take=1us", "store, piece and take are values of links in_memory=1"},
        {"node: latency=1us, in_memory=1, piece=x", "piece: 'x' is not a number of bytes like 32K"},
        {"network: latency=1us, in_memory=1", "nodes share no memory"},
        {"network: latency=1us, waits=2", "waits: '2' is not a whole number from 0 to 1"},
        {"network 0-8K latency=1us", "network: '0-8K' is not a range of bytes"},
        {"network 8K-4K: latency=1us", "network: '8K-4K' is not a range of bytes"},
        {"network 8K-: latency=1us", "a level's ranges begin with 0"},
        {"network 0-4K: latency=1us\nnetwork 8K-: latency=1us", "line 2: a level's ranges"},
        {"network 0-4K: latency=1us", "network: expected a last range without an end"},
        {"network: latency=1us\nnetwork: latency=1us", "line 2: a level's ranges"},
        {"sockets = 0\nnetwork: latency=1us", "sockets: '0' is not a whole number from 1 to 64"},
        {"cards = 1.5", "cards: '1.5' is not a whole number from 1 to 64"},
        {"cards = 65", "cards: '65' is not a whole number from 1 to 64"},
        {"cards = 1e30", "cards: '1e30' is not a whole number from 1 to 64"},
        {"cards = 1\ncards = 1", "line 2: this setting was given before"},
        {"cards 1", "cards: '1' is not = and a value"},
        {"one_way_byte = 0", "one_way_byte: '0' is not a factor of more than 0"},
        {"name = a\"b", "is not letters, digits and _-. alone"},
        {"name = ", "name: expected a name of up to 39 characters"},
        {"network 0-1: latency=1us\nnetwork 1-2: latency=1us\nnetwork 2-3: latency=1us\n"
         "network 3-4: latency=1us\nnetwork 4-5: latency=1us\nnetwork 5-6: latency=1us\n"
         "network 6-: latency=1us",
         "line 7: a level has more than 6 ranges"},
    };
    (void)context;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        struct allfold_network network, before;
        char message[300] = "";
        memset(&network, 0x5a, sizeof network);
        before = network;
        assert_int_equal(allfold_network_read(wrong[i].text, &network, message, sizeof message),
                         ALLFOLD_BAD_INPUT);
        if (strstr(message, wrong[i].words) == NULL)
            fail_msg("'%s' gives '%s', not '%s'", wrong[i].text, message, wrong[i].words);
        assert_memory_equal(&network, &before, sizeof network);
    }
}

static void assert_same_link(const struct allfold_link *a, const struct allfold_link *b)
{
    assert_int_equal(a->from_bytes, b->from_bytes);
    assert_int_equal(a->to_bytes, b->to_bytes);
    assert_memory_equal(&a->latency_s, &b->latency_s, sizeof a->latency_s);
    assert_memory_equal(&a->overhead_s, &b->overhead_s, sizeof a->overhead_s);
    assert_memory_equal(&a->bandwidth, &b->bandwidth, sizeof a->bandwidth);
    assert_memory_equal(&a->limit, &b->limit, sizeof a->limit);
    assert_int_equal(a->waits, b->waits);
    assert_int_equal(a->offloaded, b->offloaded);
    assert_int_equal(a->in_memory, b->in_memory);
    assert_memory_equal(&a->store, &b->store, sizeof a->store);
    assert_memory_equal(&a->take_s, &b->take_s, sizeof a->take_s);
    assert_int_equal(a->piece_bytes, b->piece_bytes);
}

/* To the last bit, also of numbers that are no short decimals. */
static void what_is_written_reads_back(void **context)
{
    (void)context;
    for (int k = 0; allfold_network_presets[k].name != NULL; k++) {
        struct allfold_network n = network_of(allfold_network_presets[k].text);
        assert_string_equal(n.name, allfold_network_presets[k].name);
        n.reduce_s = 1e-9 / 3;
        n.links[ALLFOLD_LEVEL_NETWORK][0].bandwidth = 1e10 / 7;
        struct allfold_link *node = &n.links[ALLFOLD_LEVEL_NODE][0];
        node->in_memory = true;
        node->store = 1e10 / 3;
        node->take_s = 1e-6 / 3;
        node->piece_bytes = 1000;
        char *text = NULL;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        allfold_network_write(&n, stream);
        fclose(stream);
        struct allfold_network back = network_of(text);
        free(text);
        assert_string_equal(n.name, back.name);
        assert_memory_equal(&n.reduce_s, &back.reduce_s, sizeof n.reduce_s);
        assert_int_equal(n.sockets, back.sockets);
        assert_int_equal(n.cards, back.cards);
        assert_int_equal(n.ejection, back.ejection);
        for (int level = 0; level < ALLFOLD_LEVEL_COUNT; level++) {
            assert_int_equal(n.link_count[level], back.link_count[level]);
            for (int i = 0; i < n.link_count[level]; i++)
                assert_same_link(&n.links[level][i], &back.links[level][i]);
        }
        allfold_network_clear(&n);
        allfold_network_clear(&back);
    }
}

static void files_and_names_are_found(void **context)
{
    char message[600], name[] = "/tmp/allfold_network.XXXXXX";
    struct allfold_network network;
    const int file = mkstemp(name);
    (void)context;
    assert_true(file >= 0);
    FILE *stream = fdopen(file, "w");
    fprintf(stream, "name = of a file\nnetwork: latency=1us\n");
    fclose(stream);
    assert_int_equal(allfold_network_find(name, &network, message, sizeof message), ALLFOLD_OK);
    assert_string_equal(network.name, "of a file");
    stream = fopen(name, "w");
    fprintf(stream, "network: latency=1\n");
    fclose(stream);
    assert_int_equal(allfold_network_find(name, &network, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_non_null(strstr(message, name));
    assert_non_null(strstr(message, "line 1: latency"));
    remove(name);
    assert_int_equal(allfold_network_find("t3f", &network, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_non_null(strstr(message, "'t3f' is no file that can be read, nor one of: blue_waters"));
    assert_int_equal(allfold_network_find("/tmp", &network, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
}

/* Texts that are broken at random are read or refused, and nothing else. */
static void broken_texts_do_no_harm(void **context)
{
    uint64_t seed = 1;
    static const char letters[] = "0123456789=:,-.eKGBus/# \n\t_ax";
    (void)context;
    for (int i = 0; i < 20000; i++) {
        char text[4000], message[300] = "";
        struct allfold_network network;
        const uint32_t preset = random_below(&seed, 6);
        snprintf(text, sizeof text, "%s", allfold_network_presets[preset].text);
        const uint32_t length = (uint32_t)strlen(text);
        for (uint32_t k = random_below(&seed, 4) + 1; k > 0; k--)
            text[random_below(&seed, length)] = letters[random_below(&seed, sizeof letters)];
        if (allfold_network_read(text, &network, message, sizeof message) != ALLFOLD_OK) {
            assert_true(message[0] != '\0');
            continue;
        }
        assert_true(network.links[ALLFOLD_LEVEL_NODE][0].latency_s >= 0);
        allfold_network_clear(&network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_says_all_of_a_network),
        cmocka_unit_test(wrong_texts_are_refused_clearly),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(files_and_names_are_found),
        cmocka_unit_test(broken_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
