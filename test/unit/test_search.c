/* The search of tables: the best of what serves, by simulation, the simpler of two that take nearly
 * as long, and on several networks the one of least regret. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lab/search/search.h"
#include "select/rules.h"
#include "support.h"
#include "support_simulate.h"

static const char fast[] = "node: latency=0.4us, overhead=0.1us, bandwidth=10GB/s\n"
                           "network: latency=1us, overhead=0.2us, bandwidth=10GB/s\n";
static const char slow[] = "node: latency=0.4us, overhead=0.1us, bandwidth=10GB/s\n"
                           "network: latency=50us, overhead=1us, bandwidth=0.1GB/s\n";

static struct allfold_search search_on(const struct allfold_search_site *sites, int count,
                                       enum allfold_collective collective, size_t bytes)
{
    return (struct allfold_search){.collective = collective,
                                   .bytes = bytes,
                                   .element_bytes = 8,
                                   .sites = sites,
                                   .site_count = count};
}

/* The least time of all plain algorithms with their presets, by simulations of their own. */
static double least_plain_s(const struct allfold_search *search)
{
    double least_s = HUGE_VAL;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        double time_s[ALLFOLD_SEARCH_SITES];
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        if (algorithm->collective == search->collective &&
            allfold_search_time(search, algorithm->name, time_s))
            least_s = fmin(least_s, time_s[0]);
    }
    return least_s;
}

static void test_best_on_one_network(void **state)
{
    (void)state;
    static const enum allfold_collective collectives[] = {
        ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE, ALLFOLD_BCAST, ALLFOLD_ALLGATHER, ALLFOLD_SCAN};
    struct allfold_network network = network_of(slow);
    for (size_t i = 0; i < LENGTH(collectives); i++)
        for (int ppn = 1; ppn <= 2; ppn++)
            for (size_t bytes = 8; bytes <= 64 << 10; bytes *= 64) {
                const struct allfold_nodes *nodes = block_nodes(6, ppn);
                const struct allfold_search_site site = {&network, nodes, NULL};
                const struct allfold_search search =
                    search_on(&site, 1, collectives[i], bytes * (size_t)(6 * ppn));
                struct allfold_search_result result;
                double time_s[ALLFOLD_SEARCH_SITES];
                assert_int_equal(allfold_search_run(&search, &result), ALLFOLD_OK);
                assert_true(allfold_search_time(&search, result.best.name, time_s));
                assert_true(time_s[0] >= result.best.time_s[0] &&
                            time_s[0] <= result.best.time_s[0]);
                if (result.best.time_s[0] > 1.03 * least_plain_s(&search))
                    fail_msg("%s, %d ranks a node, %zu bytes: %s takes %g, the least is %g",
                             allfold_collective_name(collectives[i]), ppn, bytes, result.best.name,
                             result.best.time_s[0], least_plain_s(&search));
                assert_true(result.best.regret < 1.031);
                assert_true(result.next.name[0] == '\0' ||
                            strcspn(result.next.name, "(") != strcspn(result.best.name, "(") ||
                            strncmp(result.next.name, result.best.name,
                                    strcspn(result.best.name, "(")) != 0);
                allfold_nodes_free(nodes);
            }
}

/* The regret of times on two networks, whose fastest ones take so long. */
static double regret_of(const double *time_s, const double *least_s)
{
    return fmax(time_s[0] / least_s[0], time_s[1] / least_s[1]);
}

/* On two networks the regret is no more than that of what is best on either one, but for the margin
 * of simpler names, and the result has that regret. */
static void test_least_regret(void **state)
{
    (void)state;
    struct allfold_network networks[] = {network_of(fast), network_of(slow)};
    const struct allfold_nodes *nodes = block_nodes(8, 2);
    const struct allfold_search_site sites[] = {{&networks[0], nodes, NULL},
                                                {&networks[1], nodes, NULL}};
    int differ = 0;
    for (size_t bytes = 8; bytes <= 1 << 20; bytes *= 32) {
        const struct allfold_search both = search_on(sites, 2, ALLFOLD_ALLREDUCE, bytes);
        struct allfold_search_result result, own[2];
        double time_s[2][ALLFOLD_SEARCH_SITES], least_s[2];
        assert_int_equal(allfold_search_run(&both, &result), ALLFOLD_OK);
        for (int i = 0; i < 2; i++) {
            const struct allfold_search one = search_on(&sites[i], 1, ALLFOLD_ALLREDUCE, bytes);
            assert_int_equal(allfold_search_run(&one, &own[i]), ALLFOLD_OK);
            assert_true(allfold_search_time(&both, own[i].best.name, time_s[i]));
            least_s[i] = own[i].best.time_s[0] / own[i].best.regret;
        }
        const double found_regret = regret_of(result.best.time_s, least_s);
        assert_true(found_regret < 1.02 * result.best.regret &&
                    found_regret > 0.98 * result.best.regret);
        assert_true(found_regret <= 1.05 * regret_of(time_s[0], least_s));
        assert_true(found_regret <= 1.05 * regret_of(time_s[1], least_s));
        differ += strcmp(own[0].best.name, own[1].best.name) != 0;
    }
    assert_true(differ > 0);
    allfold_nodes_free(nodes);
}

/* Operations that do not commute, and canonical sums, get what keeps their order or tree. */
static void test_operations(void **state)
{
    (void)state;
    struct allfold_network network = network_of(fast);
    const struct allfold_nodes *nodes = block_nodes(4, 2);
    const struct allfold_search_site site = {&network, nodes, NULL};
    for (int canonical = 0; canonical < 2; canonical++) {
        struct allfold_search search = search_on(&site, 1, ALLFOLD_ALLREDUCE, 8 << 10);
        struct allfold_search_result result;
        const struct allfold_algorithm *algorithm;
        struct allfold_parameters parameters;
        char message[300];
        search.keeps_order = true;
        search.canonical = canonical;
        assert_int_equal(allfold_search_run(&search, &result), ALLFOLD_OK);
        assert_int_equal(allfold_algorithm_read(ALLFOLD_ALLREDUCE, result.best.name, &algorithm,
                                                &parameters, message, sizeof message),
                         ALLFOLD_OK);
        const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                                .group = allfold_group_all(8, 0),
                                                .count = 1 << 10,
                                                .element_bytes = 8,
                                                .canonical = canonical,
                                                .nodes = nodes};
        assert_null(allfold_unmet_need(algorithm, &problem, &parameters));
    }
    allfold_nodes_free(nodes);
}

/* Of 16 ranks the levels are all orders of factors of 16, each with every number that halves. */
static void assert_variant(const struct allfold_variants *variants, uint32_t i, const char *name)
{
    char text[ALLFOLD_NAME_BYTES];
    assert_true(i < variants->count);
    allfold_algorithm_write(variants->list[i].algorithm, &variants->list[i].parameters, text,
                            sizeof text);
    assert_string_equal(text, name);
}

static void test_variants(void **state)
{
    (void)state;
    struct allfold_variants variants = {.count = 0};
    const struct allfold_algorithm *mixed =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "mixed_radix");
    assert_true(allfold_variants_add(&variants, mixed, 16, 8, false));
    /* 44; 422, 242, 224; 2222; with 0 to all of the levels halving; not the preset, a formula */
    assert_int_equal(variants.count, 3 + 3 * 4 + 5);
    assert_variant(&variants, 0, "mixed_radix(levels=44)");
    allfold_variants_clear(&variants);
    const struct allfold_algorithm *chain = allfold_algorithm_find(ALLFOLD_BCAST, "chain");
    assert_true(allfold_variants_add(&variants, chain, 16, 64 << 10, false));
    assert_int_equal(variants.count, 1 + 3); /* whole, and 1K, 4K, 16K */
    assert_variant(&variants, 0, "chain(segment=1G)");
    allfold_variants_clear(&variants);
}

/* A simulation that is given a limit ends there, and says that it takes longer. */
static void test_limit(void **state)
{
    (void)state;
    struct allfold_network network = network_of(fast);
    const struct allfold_nodes *nodes = block_nodes(4, 1);
    struct allfold_simulation of = {
        .algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "ring"),
        .bytes = 1 << 20,
        .element_bytes = 8,
        .nodes = nodes,
        .network = &network,
    };
    struct allfold_simulated whole, cut;
    char message[300];
    of.parameters = allfold_parameter_presets(of.algorithm);
    assert_int_equal(allfold_simulate(&of, &whole, message, sizeof message), ALLFOLD_OK);
    of.limit_s = 0.99 * whole.time_s;
    assert_int_equal(allfold_simulate(&of, &cut, message, sizeof message), ALLFOLD_OK);
    assert_true(isinf(cut.time_s));
    of.limit_s = 1.01 * whole.time_s;
    assert_int_equal(allfold_simulate(&of, &cut, message, sizeof message), ALLFOLD_OK);
    assert_true(cut.time_s >= whole.time_s && cut.time_s <= whole.time_s);
    allfold_nodes_free(nodes);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_on_one_network),
        cmocka_unit_test(test_least_regret),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
