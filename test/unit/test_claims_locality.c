/* The papers of Bine trees (De Sensi et al., SC 2025), Swing (De Sensi et al., NSDI 2024) and PAT
 * (Jeaugey 2025) held against the schedules: rounds, volume, and how far messages go.
 *
 * Global traffic is what goes between groups of g ranks that are neighbours. Where the groups'
 * borders lie among the ranks depends on the nodes that a job gets, so means are over all g
 * positions of the borders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algorithms/bine.h"
#include "support_claims.h"

enum { MOST_RANKS = 40 };

static struct allfold_cost counted(enum allfold_collective collective, const char *name, size_t p,
                                   size_t root, size_t n)
{
    return walked((struct built){collective, name, p, root, n, PRESET, 0}).cost;
}

/* All schedules of a case, and how they are freed. */
struct schedules {
    struct allfold_case of;
    struct allfold_schedule **of_rank;
};

static struct schedules schedules_of(enum allfold_collective collective, const char *name, int p,
                                     int root, size_t count)
{
    struct schedules all = {.of = {.algorithm = allfold_algorithm_find(collective, name),
                                   .p = p,
                                   .root = root,
                                   .count = count}};
    char message[200] = "";
    assert_non_null(all.of.algorithm);
    all.of.parameters = allfold_parameter_presets(all.of.algorithm);
    if (allfold_case_build(&all.of, &all.of_rank, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s, p = %d: %s", name, p, message);
    return all;
}

/* Calls `see` for each message. */
static void each_message(const struct schedules *all, void *context,
                         void (*see)(void *context, int from, int to, size_t length))
{
    for (int r = 0; r < all->of.p; r++)
        for (uint32_t i = 0; i < all->of_rank[r]->step_count; i++) {
            const struct allfold_step *step = &all->of_rank[r]->steps[i];
            if (step->kind == ALLFOLD_STEP_SEND)
                see(context, r, step->peer, step->length);
        }
}

/* Elements that cross borders between groups. */
struct crossing {
    int group, offset;
    size_t elements;
};

static void see_crossing(void *context, int from, int to, size_t length)
{
    struct crossing *crossing = context;
    if ((from + crossing->offset) / crossing->group != (to + crossing->offset) / crossing->group)
        crossing->elements += length;
}

static size_t crossing_at(const struct schedules *all, int group, int offset)
{
    struct crossing crossing = {group, offset, 0};
    each_message(all, &crossing, see_crossing);
    return crossing.elements;
}

/* The same, summed over all positions of the borders. */
static size_t crossing_anywhere(const struct schedules *all, int group)
{
    size_t sum = 0;
    for (int offset = 0; offset < group; offset++)
        sum += crossing_at(all, group, offset);
    return sum;
}

/* The paper's distances: 1, 1, 3, 5, 11, ... of the halves of 2, 4, 8, 16, 32, ... ranks. */
static int bine_distance(int k)
{
    return k == 0 ? 0 : (1 << (k - 1)) - bine_distance(k - 1);
}

/* How many messages go so far. */
struct distances {
    size_t messages[MOST_RANKS * 8];
};

static void see_distance(void *context, int from, int to, size_t length)
{
    struct distances *distances = context;
    (void)length;
    distances->messages[abs(from - to)]++;
}

static void test_bine_trees(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++)
        for (size_t root = 0; root < p; root++) {
            const size_t n = 12, lg = ceil_lg(p);
            assert_cost(counted(ALLFOLD_BCAST, "bine_tree", p, root, n), p, root, lg, lg * n, 0);
            assert_cost(counted(ALLFOLD_REDUCE, "bine_tree", p, root, n), p, root, lg,
                        p > 1 ? n : 0, lg * n);
            if (root == 0)
                assert_cost(counted(ALLFOLD_ALLREDUCE, "bine_tree", p, 0, n), p, 0, 2 * lg, lg * n,
                            lg * n);
        }
}

/* p/2^k messages between halves of 2^k ranks, each over the paper's distance where the root is the
 * paper's. */
static void test_bine_tree_distances(void **state)
{
    (void)state;
    for (int lg = 1; lg <= 8; lg++) {
        struct distances got = {{0}}, expected = {{0}};
        struct schedules bine =
            schedules_of(ALLFOLD_BCAST, "bine_tree", 1 << lg, allfold_bine_lead(1 << lg, true), 1);
        each_message(&bine, &got, see_distance);
        for (int k = 1; k <= lg; k++)
            expected.messages[bine_distance(k)] += (size_t)1 << (lg - k);
        assert_memory_equal(&got, &expected, sizeof got);
        allfold_case_free(&bine.of, bine.of_rank);
    }
}

struct compared {
    enum allfold_collective collective;
    const char *name, *binomial; /* Bine's and what it is compared with */
    int p, group;
    double ratio; /* of global traffic, over all positions of the borders */
};

/* Section 2.2: at best a third less, as distances are two thirds. A message over g ranks or more
 * is global with both, so the ratio is between that and 1. Where g is a power of two and groups
 * begin at its multiples, both trees do what is best: each group gets the vector once. */
static void check_compared(const struct compared *c)
{
    struct schedules bine = schedules_of(c->collective, c->name, c->p, 0, 2 * (size_t)c->p);
    struct schedules binomial = schedules_of(c->collective, c->binomial, c->p, 0, 2 * (size_t)c->p);
    const double ratio =
        (double)crossing_anywhere(&bine, c->group) / (double)crossing_anywhere(&binomial, c->group);
    if (ratio < c->ratio - 5e-4 || ratio > c->ratio + 5e-4)
        fail_msg("%s, p = %d, groups of %d: %.4f, not %.4f", c->name, c->p, c->group, ratio,
                 c->ratio);
    assert_true(ratio > 2.0 / 3 && ratio < 1);
    assert_int_equal(crossing_at(&bine, c->group, 0), crossing_at(&binomial, c->group, 0));
    allfold_case_free(&bine.of, bine.of_rank);
    allfold_case_free(&binomial.of, binomial.of_rank);
}

static void test_global_traffic(void **state)
{
    (void)state;
    static const struct compared all[] = {
        {ALLFOLD_BCAST, "bine_tree", "binomial_tree", 64, 8, 0.803},
        {ALLFOLD_BCAST, "bine_tree", "binomial_tree", 64, 16, 0.812},
        {ALLFOLD_BCAST, "bine_tree", "binomial_tree", 256, 8, 0.782},
        {ALLFOLD_BCAST, "bine_tree", "binomial_tree", 256, 16, 0.773},
        {ALLFOLD_REDUCE, "bine_tree", "binomial_tree", 256, 16, 0.773},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_compared(&all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bine_trees),
        cmocka_unit_test(test_bine_tree_distances),
        cmocka_unit_test(test_global_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
