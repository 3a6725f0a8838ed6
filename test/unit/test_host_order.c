/* Where hosts are in their network, by the numbers in their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "topology/host_order.h"
#include "support.h"
#include "util/memory.h"

enum { MOST = 6 };

/* Nodes of one rank each, on these hosts, are in this order. */
static void check(const char *const hosts[MOST], const int order[MOST])
{
    int64_t keys[MOST];
    struct allfold_host_key places[MOST];
    int count = 0;
    for (; count < MOST && hosts[count] != NULL; count++) {
        keys[count] = count;
        places[count] = allfold_host_key_of(hosts[count]);
    }
    int64_t *by_place = allfold_host_keys_order(places, count);
    const struct allfold_nodes *nodes =
        extended(allfold_nodes_make(keys, count), (struct allfold_nodes_facts){.order = by_place});
    for (int i = 0; i < count; i++)
        if (nodes->along[i] != order[i])
            fail_msg("'%s' has '%s' at %d", hosts[0], hosts[nodes->along[i]], i);
    allfold_free(by_place);
    allfold_nodes_free(nodes);
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *hosts[MOST];
        int order[MOST];
    } cases[] = {
        {{"node10", "node9", "node100", "node1"}, {3, 1, 0, 2}},
        {{"node010", "node009", "node100", "node001"}, {3, 1, 0, 2}},
        {{"r2n1", "r1n2", "r10n0", "r1n10"}, {1, 3, 0, 2}},
        {{"x1000c7s0b1n0", "x1000c0s7b0n1", "x1000c0s7b0n0", "x999c9s9b9n9"}, {3, 2, 1, 0}},
        {{"n2.cluster7.org", "n1.cluster8.org", "n3"}, {1, 0, 2}},
        {{"10.0.1.7", "10.0.0.9", "10.0.0.10"}, {1, 2, 0}},
        {{"n4294967297", "n1048574", "n99999999999999999999999"}, {1, 0, 2}}, /* long ones tie */
        {{"n1-2-3-4-5-6-7", "n9-2-3-4-5-6-6", "n1-1-3-4-5-6-8"}, {2, 1, 0}},
        {{"big2", "small1", "big1"}, {0, 1, 2}}, /* named differently: as they are */
        {{"n2", "n1a", "n0"}, {0, 1, 2}},
        {{"7f", "6a", "5f"}, {0, 1, 2}},
        {{"alpha", "alpha", "alpha"}, {0, 1, 2}},
        {{"", "", ""}, {0, 1, 2}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check(cases[i].hosts, cases[i].order);
}

/* Nothing is known where one rank says nothing. */
static void test_unknown(void **state)
{
    (void)state;
    struct allfold_host_key places[] = {allfold_host_key_of("n2"), {0, 0, 0}};
    int64_t *order = allfold_host_keys_order(places, 2);
    assert_int_equal(order[0], order[1]);
    allfold_free(order);
    places[1] = allfold_host_key_of("n1");
    for (unsigned n = 1; n <= 2; n++) {
        allfold_fail_allocation(n);
        assert_null(allfold_host_keys_order(places, 2));
    }
    order = allfold_host_keys_order(places, 2);
    assert_true(order[1] < order[0]);
    allfold_free(order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
