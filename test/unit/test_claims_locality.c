/* The papers of Bine trees (De Sensi et al., SC 2025), Swing (De Sensi et al., NSDI 2024) and PAT
 * (Jeaugey 2025). Held against the schedules: rounds, volume, and how far messages go.
 *
 * Global traffic is what goes between groups of g ranks that are neighbors. The groups' borders
 * among the ranks depend on the nodes that a job gets. So means are over all g positions of the
 * borders. */
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

/* Whole vectors: lg p rounds. Vectors in blocks, at any even p: 2 lg p rounds, and 2 (1 - 1/p) n
 * sent, the least there can be. Removing ranks costs what it does in Rabenseifner 2004. */
static void test_swing(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t core = p == 1 ? 1 : p - p % 2, n = 2 * p * core, removes = core < p;
        const size_t added = !is_power_of_two(p), lg = floor_lg(p);
        assert_cost(counted(ALLFOLD_ALLREDUCE, "swing_latency", p, 0, n), p, 0, lg + 2 * added,
                    (lg + added) * n, (lg + added) * n);
        assert_cost(counted(ALLFOLD_ALLREDUCE, "swing", p, 0, n), p, 0,
                    2 * ceil_lg(core) + 3 * removes, 2 * (n - n / core) + removes * (n / 2 + n),
                    n - n / core + removes * (n / 2));
    }
}

/* With at most 2^a blocks in a message: a rounds, and one for each number below a root. Room for
 * that many blocks for each bit between the roots, and three times more. */
static void test_pat(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++)
        for (size_t most = 0; most <= 2 * p; most = most == 0 ? 1 : 2 * most) {
            const size_t n = 3, others = (p - 1) * n, lg = ceil_lg(p);
            const size_t a = most == 0 || floor_lg(most) > lg ? lg : floor_lg(most);
            const size_t rounds = a == 0 ? p - 1 : a + ((size_t)1 << (lg - a)) - 1;
            const struct built gather = {ALLFOLD_ALLGATHER, "pat", p, 0, n, most, 0};
            const struct built scatter = {ALLFOLD_REDUCE_SCATTER_BLOCK, "pat", p, 0, n, most, 0};
            assert_cost(walked(gather).cost, p, 0, rounds, others, 0);
            assert_cost(walked(scatter).cost, p, 0, rounds, others, others);
            struct schedules all = {
                .of = {.algorithm = allfold_algorithm_find(ALLFOLD_REDUCE_SCATTER_BLOCK, "pat"),
                       .p = (int)p,
                       .count = n,
                       .parameters = {{most}}}};
            assert_int_equal(allfold_case_build(&all.of, &all.of_rank, NULL, 0), ALLFOLD_OK);
            for (size_t r = 0; r < p; r++)
                assert_true(allfold_schedule_scratch(all.of_rank[r]) <=
                            (lg - a + 3) * ((size_t)1 << a) * n);
            allfold_case_free(&all.of, all.of_rank);
        }
}

/* The halves of the same at any even p. */
static void test_bine_butterflies(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p += p == 1 ? 1 : 2) {
        const size_t n = 3, others = (p - 1) * n;
        assert_cost(counted(ALLFOLD_REDUCE_SCATTER_BLOCK, "bine", p, 0, n), p, 0, ceil_lg(p),
                    others, others);
        assert_cost(counted(ALLFOLD_ALLGATHER, "bine", p, 0, n), p, 0, ceil_lg(p), others, 0);
    }
}

/* Elements by distance along the dimensions of a torus whose lengths are powers of two. */
struct along {
    int x, y; /* ranks along the first and the second dimension; there are p / x / y on the third */
    int p;
    size_t elements[3][8 * MOST_RANKS];
};

static void see_along(void *context, int from, int to, size_t length)
{
    struct along *along = context;
    const int lengths[] = {along->x, along->y, along->p / along->x / along->y};
    int moved = 0;
    for (int d = 0; d < 3; from /= lengths[d], to /= lengths[d], d++) {
        const int apart = abs(from % lengths[d] - to % lengths[d]);
        if (apart == 0)
            continue;
        along->elements[d][apart < lengths[d] - apart ? apart : lengths[d] - apart] += length;
        moved++;
    }
    assert_int_equal(moved, 1); /* along one dimension alone */
}

/* Section 3: step i goes over distance 1, 1, 3, 5, 11, ... along a dimension. The steps take the
 * dimensions in turn. Each rank sends n/2, n/4, ... there and back. */
static void check_along(int p, int x, int y)
{
    const size_t n = 2 * (size_t)p;
    struct along found = {.x = x, .y = y, .p = p}, expected = {.x = x, .y = y, .p = p};
    const int lengths[] = {x, y, p / x / y};
    struct schedules all = {
        .of = {.algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "swing"),
               .p = p,
               .count = n,
               .parameters = {{x < p ? (size_t)x : 0, x * y < p ? (size_t)y : 0}}}};
    assert_int_equal(allfold_case_build(&all.of, &all.of_rank, NULL, 0), ALLFOLD_OK);
    each_message(&all, &found, see_along);
    allfold_case_free(&all.of, all.of_rank);
    size_t share = n / 2;
    for (int number = 0; number < 8; number++)
        for (int d = 0; d < 3; d++)
            if (1 << number < lengths[d]) {
                const int apart = bine_distance(number + 1);
                const int back = lengths[d] - apart;
                expected.elements[d][apart < back ? apart : back] += 2 * (size_t)p * share;
                share /= 2;
            }
    assert_memory_equal(&found, &expected, sizeof found);
}

static void test_swing_distances(void **state)
{
    (void)state;
    for (int p = 2; p <= 256; p *= 2)
        check_along(p, p, 1);
    check_along(256, 16, 16);
    check_along(64, 16, 4);
    check_along(64, 4, 4);
    check_along(128, 2, 8);
}

struct compared {
    enum allfold_collective collective;
    const char *name, *binomial; /* Bine's and what it is compared with */
    int p, group;
    double ratio;   /* of global traffic, over all positions of the borders */
    double aligned; /* the same where groups begin at multiples of g */
};

/* Section 2.2: at best a third less, as distances are two thirds. A message over g ranks or more is
 * global with both, so the ratio is between that and 1. Where g is a power of two and groups begin
 * at its multiples, both trees do what is best: each group gets the vector once. There a binomial
 * butterfly keeps its first steps within the groups, and Bine's does not. The algorithms for blocks
 * that Bine's are compared with send most of their blocks the farthest, and Bine's the nearest. */
static void check_compared(const struct compared *c)
{
    struct schedules bine = schedules_of(c->collective, c->name, c->p, 0, 2 * (size_t)c->p);
    struct schedules binomial = schedules_of(c->collective, c->binomial, c->p, 0, 2 * (size_t)c->p);
    const double ratio =
        (double)crossing_anywhere(&bine, c->group) / (double)crossing_anywhere(&binomial, c->group);
    const double aligned =
        (double)crossing_at(&bine, c->group, 0) / (double)crossing_at(&binomial, c->group, 0);
    if (ratio < c->ratio - 5e-4 || ratio > c->ratio + 5e-4 || aligned < c->aligned - 5e-4 ||
        aligned > c->aligned + 5e-4)
        fail_msg("%s, p = %d, groups of %d: %.4f and %.4f, not %.3f and %.3f", c->name, c->p,
                 c->group, ratio, aligned, c->ratio, c->aligned);
    assert_true(ratio < 1 && (allfold_has_blocks(c->collective) || ratio > 2.0 / 3));
    allfold_case_free(&bine.of, bine.of_rank);
    allfold_case_free(&binomial.of, binomial.of_rank);
}

static void test_global_traffic(void **state)
{
    (void)state;
    static const struct compared all[] = {
        {ALLFOLD_BCAST, "bine_tree", "binomial_tree", 64, 8, 0.803, 1},
        {ALLFOLD_BCAST, "bine_tree", "binomial_tree", 64, 16, 0.812, 1},
        {ALLFOLD_BCAST, "bine_tree", "binomial_tree", 256, 8, 0.782, 1},
        {ALLFOLD_BCAST, "bine_tree", "binomial_tree", 256, 16, 0.773, 1},
        {ALLFOLD_REDUCE, "bine_tree", "binomial_tree", 256, 16, 0.773, 1},
        {ALLFOLD_ALLREDUCE, "swing_latency", "recursive_doubling", 64, 8, 0.860, 1.083},
        {ALLFOLD_ALLREDUCE, "swing_latency", "recursive_doubling", 256, 16, 0.882, 1.062},
        {ALLFOLD_ALLREDUCE, "swing", "halving_doubling", 64, 8, 0.802, 1.714},
        {ALLFOLD_ALLREDUCE, "swing", "halving_doubling", 64, 16, 0.832, 2.250},
        {ALLFOLD_ALLREDUCE, "swing", "halving_doubling", 256, 8, 0.781, 1.645},
        {ALLFOLD_ALLREDUCE, "swing", "halving_doubling", 256, 16, 0.777, 2.000},
        {ALLFOLD_ALLREDUCE, "swing", "halving_doubling", 1024, 64, 0.759, 2.717},
        {ALLFOLD_REDUCE_SCATTER_BLOCK, "bine", "recursive_halving", 64, 8, 0.260, 0.214},
        {ALLFOLD_REDUCE_SCATTER_BLOCK, "bine", "recursive_halving", 256, 16, 0.149, 0.125},
        {ALLFOLD_ALLGATHER, "bine", "recursive_doubling", 256, 16, 0.149, 0.125},
        {ALLFOLD_ALLGATHER, "bine", "circulant", 256, 16, 0.149, 0.122},
        {ALLFOLD_ALLGATHER, "pat", "circulant", 256, 16, 0.198, 0.192},
        {ALLFOLD_REDUCE_SCATTER_BLOCK, "pat", "circulant", 256, 16, 0.198, 0.192},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_compared(&all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bine_trees),      cmocka_unit_test(test_bine_tree_distances),
        cmocka_unit_test(test_swing),           cmocka_unit_test(test_bine_butterflies),
        cmocka_unit_test(test_swing_distances), cmocka_unit_test(test_pat),
        cmocka_unit_test(test_global_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
