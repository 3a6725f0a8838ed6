/* Parameters of inner algorithms: names hold them, and they reach the schedules and claims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "lab/verify/verifier.h"
#include "select/rules.h"
#include "support.h"

static struct allfold_named read_name(enum allfold_collective collective, const char *text)
{
    struct allfold_named named;
    char message[700] = "";
    if (allfold_algorithm_read(collective, text, &named.algorithm, &named.parameters, message,
                               sizeof message) != ALLFOLD_OK)
        fail_msg("%s: %s", text, message);
    return named;
}

static void assert_written(const struct allfold_named *named, const char *expected)
{
    char text[ALLFOLD_NAME_BYTES];
    allfold_algorithm_write(named->algorithm, &named->parameters, text, sizeof text);
    assert_string_equal(text, expected);
}

/* --- names ------------------------------------------------------------------------------------ */

static void test_names(void **state)
{
    (void)state;
    static const struct {
        enum allfold_collective collective;
        const char *text, *written; /* NULL: the same */
    } names[] = {
        {ALLFOLD_ALLREDUCE, "smp(leaders=recursive_multiplying(radix=3))", NULL},
        {ALLFOLD_ALLREDUCE,
         "multilane(node=recursive_halving,lanes=recursive_multiplying(radix=3))", NULL},
        {ALLFOLD_ALLREDUCE, "renumbered(inner=smp(node=binomial_tree,leaders=ring(segment=64K)))",
         NULL},
        {ALLFOLD_REDUCE,
         "smp(node=smp(node=chain(segment=8K),leaders=knomial_tree(radix=5)),"
         "leaders=knomial_tree(radix=3))",
         NULL},
        {ALLFOLD_REDUCE, "smp(node=smp(leaders=smp(node=chain)))", NULL}, /* chain is on level 4 */
        {ALLFOLD_BCAST, "smp(leaders=knomial_tree(radix=2),node=chain)",
         "smp(node=chain,leaders=knomial_tree(radix=2))"},
        {ALLFOLD_ALLREDUCE, " smp ( node = knomial_tree ( radix = 8 ) ) ",
         "smp(node=knomial_tree(radix=8))"},
        {ALLFOLD_ALLREDUCE, "smp(node=flat,leaders=recursive_doubling)", "smp"},
        {ALLFOLD_ALLREDUCE, "smp(leaders=ring(segment=0))", "smp(leaders=ring)"},
        {ALLFOLD_ALLREDUCE, "nap(node=smp(node=flat,leaders=recursive_doubling))", "nap(node=smp)"},
    };
    for (size_t i = 0; i < LENGTH(names); i++) {
        const char *written = names[i].written == NULL ? names[i].text : names[i].written;
        const struct allfold_named named = read_name(names[i].collective, names[i].text);
        assert_written(&named, written);
        const struct allfold_named again = read_name(names[i].collective, written);
        assert_memory_equal(&again.parameters, &named.parameters, sizeof named.parameters);
    }
}

static void test_named(void **state)
{
    (void)state;
    const struct allfold_named whole = read_name(
        ALLFOLD_REDUCE, "smp(node=smp(node=chain(segment=8K),leaders=knomial_tree(radix=5)),"
                        "leaders=knomial_tree(radix=3))");
    const struct allfold_named node = allfold_named(&whole.parameters, 0);
    const struct allfold_named leaders = allfold_named(&whole.parameters, 1);
    assert_written(&node, "smp(node=chain(segment=8K),leaders=knomial_tree(radix=5))");
    assert_written(&leaders, "knomial_tree(radix=3)");
    assert_int_equal(leaders.parameters.value[0], 3);
    const struct allfold_named chain = allfold_named(&node.parameters, 0);
    assert_int_equal(chain.parameters.value[0], 8 << 10);
    assert_int_equal(allfold_named(&node.parameters, 1).parameters.value[0], 5);
    for (int i = 1; i < ALLFOLD_MAX_VALUES; i++)
        assert_int_equal(chain.parameters.value[i], 0);

    /* as allfold_core.h says where they are */
    const size_t radix = leaders.algorithm->parameters[0].preset;
    assert_int_equal(whole.parameters.value[2 * 1 + 2], 3 - radix);
    assert_int_equal(whole.parameters.value[2 * (2 * 0 + 2) + 2], 8 << 10);
    assert_int_equal(whole.parameters.value[2 * (2 * 0 + 3) + 2], 5 - radix);

    /* another algorithm in its place begins with its presets */
    struct allfold_named other = whole;
    const struct allfold_named two_tree =
        allfold_with_presets(allfold_algorithm_find(ALLFOLD_REDUCE, "two_tree"));
    allfold_name(&other.parameters, 0, &two_tree);
    assert_written(&other, "smp(node=two_tree,leaders=knomial_tree(radix=3))");
}

/* Each inner algorithm, with each value that its parameters are tried with, in each place. */
static void test_tried_values(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *of = allfold_algorithms[i];
        for (int at = 0; of->parameters[at].name != NULL; at++)
            for (size_t number = 0; allfold_algorithms[number] != NULL; number++) {
                const struct allfold_algorithm *inner = allfold_inner(&of->parameters[at], number);
                for (unsigned c = 0; inner != NULL && c < allfold_tried_count(inner, false); c++) {
                    const struct allfold_named named = {inner, allfold_tried(inner, false, c)};
                    struct allfold_named whole = allfold_with_presets(of);
                    char text[ALLFOLD_NAME_BYTES];
                    allfold_name(&whole.parameters, at, &named);
                    allfold_algorithm_write(of, &whole.parameters, text, sizeof text);
                    const struct allfold_named again = read_name(of->collective, text);
                    const struct allfold_named found = allfold_named(&again.parameters, at);
                    assert_memory_equal(&again.parameters, &whole.parameters,
                                        sizeof whole.parameters);
                    assert_ptr_equal(found.algorithm, inner);
                    assert_memory_equal(&found.parameters, &named.parameters,
                                        sizeof named.parameters);
                    count++;
                }
            }
    }
    assert_true(count > 300);
}

/* The longest name of a level: all parameters have long values, and name long names. */
static size_t longest_name(const struct allfold_algorithm *of, int level)
{
    size_t length = strlen(of->name);
    for (int i = 0; level <= ALLFOLD_MAX_LEVELS && of->parameters[i].name != NULL; i++) {
        size_t most = strlen("1099511627775");
        for (size_t number = 0; allfold_algorithms[number] != NULL; number++) {
            const struct allfold_algorithm *inner = allfold_inner(&of->parameters[i], number);
            const size_t inner_length = inner == NULL ? 0 : longest_name(inner, level + 1);
            most = inner_length > most ? inner_length : most;
        }
        length += strlen("(=") + strlen(of->parameters[i].name) + most;
    }
    return length + strlen(",unordered)");
}

static void test_longest_name(void **state)
{
    (void)state;
    size_t most = 0;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const size_t length = longest_name(allfold_algorithms[i], 1);
        most = length > most ? length : most;
    }
    print_message("no name is longer than %zu\n", most);
    assert_true(most < ALLFOLD_NAME_BYTES);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"smp(leaders=ring(radix=4))", "parameter of ring: 'radix' is not one of: segment"},
        {"smp(leaders=rnig(segment=4))", NULL},
        {"smp(leaders=ring(segment=x))", "segment: 'x' is not a number from 0 to 1T, like 64K"},
        {"smp(leaders=ring(segment=4)", "the ) after the parameters of smp is missing"},
        {"smp(leaders=ring(segment=4", "the ) after the parameters of ring is missing"},
        {"smp(leaders=ring(segment=4)))",
         "')' follows the algorithm; expected one algorithm alone"},
        {"smp(leaders=ring(segment=4;ring", "after a parameter: ';' is not , or )"},
        {"smp(leaders=ring(segment=4,segment=4))", "parameter of ring: 'segment' is given twice"},
        {"smp(leaders=ring(segment=4),leaders=ring)", "parameter of smp: 'leaders' is given twice"},
        {"smp(leaders=ring(unordered))", "parameter of ring: 'unordered' is not one of: segment"},
        {"smp(leaders=recursive_doubling(radix=2))",
         "parameter of recursive_doubling: 'radix' is not a parameter: there is none"},
        {"nap(node=smp(node=smp(node=chain(segment=4K))))",
         "parameters of chain: algorithms have parameters on 3 levels; expected chain without any"},
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct allfold_named named;
        char message[700] = "";
        assert_int_equal(allfold_algorithm_read(ALLFOLD_ALLREDUCE, texts[i][0], &named.algorithm,
                                                &named.parameters, message, sizeof message),
                         ALLFOLD_BAD_INPUT);
        if (texts[i][1] != NULL)
            assert_string_equal(message, texts[i][1]);
        else
            assert_non_null(strstr(message, "leaders: 'rnig' is not one of: "));
    }
}

/* --- schedules -------------------------------------------------------------------------------- */

/* Such a composition of ranks in blocks, two sockets on each node. */
static struct allfold_case case_of(enum allfold_collective collective, const char *text,
                                   const struct allfold_nodes *nodes, int p, size_t n)
{
    const struct allfold_named named = read_name(collective, text);
    return (struct allfold_case){.algorithm = named.algorithm,
                                 .parameters = named.parameters,
                                 .p = p,
                                 .count = n,
                                 .commutes = true,
                                 .nodes = nodes};
}

static const struct allfold_nodes *make_nodes(int count, int ppn, bool is_cyclic, bool has_sockets)
{
    enum { MOST = 64 };
    int64_t keys[MOST], sockets[MOST];
    assert_true(count * ppn <= MOST);
    for (int r = 0; r < count * ppn; r++) {
        keys[r] = is_cyclic ? r % count : r / ppn;
        sockets[r] = 2 * (is_cyclic ? r / count : r % ppn) / ppn;
    }
    return extended(allfold_nodes_make(keys, count * ppn),
                    (struct allfold_nodes_facts){.sockets = has_sockets ? sockets : NULL});
}

/* Rounds and messages are those of the inner algorithm with that parameter, not with its preset. */
static void test_reaches_inner(void **state)
{
    (void)state;
    enum { COUNT = 16, PPN = 4, RANKS = COUNT * PPN };
    static const struct {
        enum allfold_collective collective;
        const char *text;
        size_t rounds, messages; /* messages of the rank that sends, or gets, most of them */
    } table[] = {
        {ALLFOLD_ALLREDUCE, "smp(leaders=recursive_multiplying(radix=2))", 1 + 4 + 1, 4 + 3},
        {ALLFOLD_ALLREDUCE, "smp(leaders=recursive_multiplying(radix=4))", 1 + 2 + 1, 6 + 3},
        {ALLFOLD_ALLREDUCE, "smp(node=knomial_tree(radix=2))", 2 + 4 + 2, 2 + 4},
        {ALLFOLD_ALLREDUCE, "smp(node=knomial_tree(radix=4))", 1 + 4 + 1, 4 + 3},
        {ALLFOLD_BCAST, "smp(leaders=knomial_tree(radix=2))", 4 + 1, 4 + 3},
        {ALLFOLD_BCAST, "smp(leaders=knomial_tree(radix=4))", 2 + 1, 6 + 3},
        {ALLFOLD_BCAST, "smp(leaders=knomial_tree(radix=8))", 2 + 1, 8 + 3},
        {ALLFOLD_BCAST, "smp(node=smp(node=knomial_tree(radix=8)),leaders=knomial_tree(radix=4))",
         2 + 2, 6 + 2},
    };
    for (size_t i = 0; i < LENGTH(table); i++) {
        const struct allfold_nodes *nodes = make_nodes(COUNT, PPN, false, i == LENGTH(table) - 1);
        struct allfold_case of = case_of(table[i].collective, table[i].text, nodes, RANKS, 10);
        struct allfold_schedule **schedules = NULL;
        char message[200] = "";
        size_t most = 0;
        if (allfold_case_build(&of, &schedules, message, sizeof message) != ALLFOLD_OK)
            fail_msg("%s: %s", table[i].text, message);
        for (int r = 0; r < RANKS; r++) {
            size_t sends = 0;
            for (uint32_t s = 0; s < schedules[r]->step_count; s++)
                sends += schedules[r]->steps[s].kind == ALLFOLD_STEP_SEND;
            most = sends > most ? sends : most;
        }
        const size_t rounds = allfold_case_claim(&of).rounds;
        if (rounds != table[i].rounds || most != table[i].messages)
            fail_msg("%s: claims %zu rounds, and a rank sends %zu messages; expected %zu and %zu",
                     table[i].text, rounds, most, table[i].rounds, table[i].messages);
        allfold_case_free(&of, schedules);
        allfold_nodes_free(nodes);
    }
}

/* --- ways back -------------------------------------------------------------------------------- */

static void test_way_back(void **state)
{
    (void)state;
    static const struct {
        enum allfold_collective collective;
        const char *there, *back;
    } table[] = {
        {ALLFOLD_REDUCE, "flat", "flat"},
        {ALLFOLD_REDUCE, "knomial_tree(radix=8)", "knomial_tree(radix=8)"},
        {ALLFOLD_REDUCE, "halving_doubling", "pipelined_circulant"},
        {ALLFOLD_REDUCE, "smp(node=chain(segment=4K),leaders=knomial_tree(radix=8))",
         "smp(node=chain(segment=4K),leaders=knomial_tree(radix=8))"},
        {ALLFOLD_REDUCE_SCATTER_BLOCK, "circulant(radix=3)", "circulant(radix=3)"},
        {ALLFOLD_REDUCE_SCATTER_BLOCK, "bucket", "ring"}, /* its preset differs */
        {ALLFOLD_REDUCE_SCATTER_BLOCK, "bucket(segment=4K)", "ring"},
        {ALLFOLD_REDUCE_SCATTER_BLOCK, "multilane(node=pat,lanes=circulant(radix=3))",
         "multilane(node=pat,lanes=circulant(radix=3))"},
        {ALLFOLD_REDUCE_SCATTER_BLOCK, "multilane(node=recursive_halving)",
         "multilane"}, /* the counterpart is no inner algorithm */
    };
    for (size_t i = 0; i < LENGTH(table); i++) {
        const struct allfold_named back =
            allfold_way_back(read_name(table[i].collective, table[i].there));
        assert_written(&back, table[i].back);
    }
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (allfold_algorithms[i]->back != NULL) { /* presets lead to presets */
            const struct allfold_named back =
                allfold_way_back(allfold_with_presets(allfold_algorithms[i]));
            assert_written(&back, allfold_algorithms[i]->back->name);
        }
}

/* --- proofs ----------------------------------------------------------------------------------- */

static const struct composition {
    enum allfold_collective collective;
    const char *text;
} proven[] = {
    {ALLFOLD_ALLREDUCE, "smp(node=knomial_tree(radix=3),leaders=recursive_multiplying(radix=3))"},
    {ALLFOLD_ALLREDUCE, "smp(node=chain(segment=8),leaders=ring(segment=4))"},
    {ALLFOLD_ALLREDUCE, "smp(node=smp(node=knomial_tree(radix=2),leaders=chain(segment=12)))"},
    {ALLFOLD_ALLREDUCE, "multilane(node=circulant(radix=3),lanes=recursive_multiplying(radix=3))"},
    {ALLFOLD_ALLREDUCE, "multilane(node=bucket(segment=4),lanes=mixed_radix(levels=22))"},
    {ALLFOLD_ALLREDUCE, "multilane(node=pairwise_exchange(segment=4),lanes=bucket(segment=4))"},
    {ALLFOLD_ALLREDUCE, "multilane(node=multilane(lanes=circulant(radix=3)))"},
    {ALLFOLD_ALLREDUCE, "nap(node=recursive_multiplying(radix=3))"},
    {ALLFOLD_ALLREDUCE, "nap(node=smp(node=knomial_tree(radix=2),leaders=ring(segment=4)))"},
    {ALLFOLD_ALLREDUCE, "renumbered(inner=recursive_multiplying(radix=3))"},
    {ALLFOLD_REDUCE, "smp(node=chain(segment=8),leaders=knomial_tree(radix=3))"},
    {ALLFOLD_REDUCE, "smp(node=two_tree(segment=4),leaders=pipelined_circulant(segment=4))"},
    {ALLFOLD_BCAST, "smp(node=knomial_tree(radix=3),leaders=two_tree(segment=4))"},
    {ALLFOLD_BCAST, "smp(node=smp(node=knomial_tree(radix=2)),leaders=chain(segment=8))"},
    {ALLFOLD_ALLGATHER, "multilane(node=ring(segment=4),lanes=circulant(radix=3))"},
    {ALLFOLD_REDUCE_SCATTER_BLOCK,
     "multilane(node=circulant(radix=3),lanes=pairwise_exchange(segment=4))"},
    {ALLFOLD_SCAN, "smp(node=chain(segment=8),lasts=chain(segment=4))"},
};

/* By how many of these placements and counts the composition is served. */
static int prove(struct allfold_verifier *verifier, const struct composition *of)
{
    static const struct {
        int count, ppn;
        bool is_cyclic, has_sockets;
    } placements[] = {{2, 4, false, true}, {3, 3, false, false}, {4, 4, true, true},
                      {5, 2, true, false}, {4, 6, false, true},  {9, 2, false, true}};
    static const size_t counts[] = {1, 7, 24};
    int served = 0;
    for (size_t i = 0; i < LENGTH(placements) * LENGTH(counts); i++) {
        const size_t at = i / LENGTH(counts);
        const int p = placements[at].count * placements[at].ppn;
        const struct allfold_nodes *nodes =
            make_nodes(placements[at].count, placements[at].ppn, placements[at].is_cyclic,
                       placements[at].has_sockets);
        struct allfold_case one =
            case_of(of->collective, of->text, nodes, p, counts[i % LENGTH(counts)]);
        struct allfold_blame blame = {.text = ""};
        one.root = allfold_traits(of->collective)->has_root ? p / 2 : 0;
        if (allfold_case_is_served(&one)) {
            served++;
            if (allfold_verify_case(verifier, &one, &blame) != ALLFOLD_OK)
                fail_msg("%s", blame.text);
        }
        allfold_nodes_free(nodes);
    }
    return served;
}

static void test_proven(void **state)
{
    (void)state;
    struct allfold_verifier *verifier = allfold_verifier_create();
    assert_non_null(verifier);
    for (size_t i = 0; i < LENGTH(proven); i++)
        if (prove(verifier, &proven[i]) < 3)
            fail_msg("%s serves fewer than 3 of the cases", proven[i].text);
    allfold_verifier_free(verifier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),        cmocka_unit_test(test_named),
        cmocka_unit_test(test_tried_values), cmocka_unit_test(test_longest_name),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_reaches_inner),
        cmocka_unit_test(test_way_back),     cmocka_unit_test(test_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
