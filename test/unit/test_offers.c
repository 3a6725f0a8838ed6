/* Offers: each holds where its words say, and an algorithm is offered where one of its offers
 * holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support.h"

/* Sixteen ranks with 1024 elements of 8 bytes: `one` node, or four. */
static struct allfold_problem problem_of(const struct allfold_nodes *nodes, bool one)
{
    return (struct allfold_problem){.collective = ALLFOLD_ALLREDUCE,
                                    .group = allfold_group_all(16, 0),
                                    .count = 1024,
                                    .element_bytes = 8,
                                    .commutative = true,
                                    .one_node = one,
                                    .nodes = nodes};
}

static bool holds(struct allfold_offer offer, const struct allfold_problem *problem)
{
    const struct allfold_offer list[] = {offer, {.place = ALLFOLD_OFFERS_END}};
    const struct allfold_algorithm algorithm = {.offers = list};
    const struct allfold_offer *missing = allfold_missing_offer(&algorithm, problem);
    assert_true(missing == NULL || missing == list);
    return missing == NULL;
}

/* Of each place, whether it is there. */
static void check(const struct allfold_problem *problem, const char *there)
{
    for (int place = 1; place < ALLFOLD_OFFER_PLACES; place++)
        assert_int_equal(
            holds((struct allfold_offer){.place = (enum allfold_offer_place)place}, problem),
            there[place - 1] == 'y');
}

static void test_places(void **state)
{
    (void)state;
    const int64_t four[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, single[16] = {0};
    struct allfold_nodes *nodes = allfold_nodes_make(four, 16);
    struct allfold_nodes *node = allfold_nodes_make(single, 16);
    struct allfold_problem problem = problem_of(nodes, false);
    assert_true(nodes != NULL && node != NULL);
    check(&problem, "ynnnn"); /* between nodes, on one, on shared cores, in place, canonical */
    problem.canonical = true;
    check(&problem, "ynnny");
    problem = problem_of(NULL, false); /* nothing is known */
    check(&problem, "nnnnn");
    problem = problem_of(node, true);
    check(&problem, "nynnn");
    problem.canonical = true; /* few keep the tree */
    check(&problem, "yynny");
    problem = problem_of(node, true);
    problem.shares_cores = true;
    check(&problem, "nnynn");
    problem = problem_of(node, true);
    for (problem.reading = 1; problem.reading < ALLFOLD_READING_COUNT; problem.reading++)
        check(&problem, "nynyn");
    allfold_nodes_free(nodes);
    allfold_nodes_free(node);
}

static void test_bounds(void **state)
{
    (void)state;
    const struct allfold_problem problem = problem_of(NULL, true);
    struct allfold_offer offer = {.place = ALLFOLD_ON_ONE_NODE};
    for (offer.most_ranks = 15; offer.most_ranks <= 17; offer.most_ranks++)
        assert_int_equal(holds(offer, &problem), offer.most_ranks >= 16);
    offer.most_ranks = 0;
    for (offer.from_bytes = 8191; offer.from_bytes <= 8193; offer.from_bytes++)
        assert_int_equal(holds(offer, &problem), offer.from_bytes <= 8192);
    struct allfold_problem blocks = problem; /* 16 of them */
    blocks.collective = ALLFOLD_ALLGATHER;
    offer.from_bytes = 16 * 8192;
    assert_true(holds(offer, &blocks));
    offer.from_bytes++;
    assert_false(holds(offer, &blocks));
}

/* One that holds is enough; where none does, the first is missing. */
static void test_lists(void **state)
{
    (void)state;
    struct allfold_problem problem = problem_of(NULL, true);
    const struct allfold_offer list[] = {{.place = ALLFOLD_BETWEEN_NODES},
                                         {.place = ALLFOLD_ON_SHARED_CORES},
                                         {.place = ALLFOLD_OFFERS_END}};
    const struct allfold_algorithm algorithm = {.offers = list}, any = {.offers = NULL};
    assert_null(allfold_missing_offer(&any, &problem));
    assert_ptr_equal(allfold_missing_offer(&algorithm, &problem), &list[0]);
    problem.shares_cores = true;
    assert_null(allfold_missing_offer(&algorithm, &problem));
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        struct allfold_offer offer;
        const char *text;
    } table[] = {
        {{.place = ALLFOLD_BETWEEN_NODES}, "between nodes"},
        {{.place = ALLFOLD_BETWEEN_NODES, .most_ranks = 7}, "between nodes to 7 ranks at most"},
        {{.place = ALLFOLD_ON_ONE_NODE, .from_bytes = 2048}, "on one node from 2K on"},
        {{.place = ALLFOLD_ON_ONE_NODE, .most_ranks = 32, .from_bytes = 1 << 20},
         "on one node from 1M on, to 32 ranks at most"},
        {{.place = ALLFOLD_ON_SHARED_CORES}, "where ranks share cores"},
        {{.place = ALLFOLD_IN_PLACE}, "where ranks of a node read vectors in place"},
        {{.place = ALLFOLD_CANONICAL_SUMS}, "to sums by the canonical tree"},
    };
    for (size_t i = 0; i < LENGTH(table); i++) {
        char text[100];
        allfold_offer_write(&table[i].offer, text, sizeof text);
        assert_string_equal(text, table[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
