/* The choice where the ranks of a node read each other's vectors in place. It is the fastest one
 * measured there, and slices for more than two ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "select/choose.h"
#include "support.h"

static struct allfold_problem problem_of(int p, size_t bytes, enum allfold_reading reading)
{
    return (struct allfold_problem){.collective = ALLFOLD_ALLREDUCE,
                                    .group = allfold_group_all(p, 0),
                                    .count = bytes / sizeof(double),
                                    .element_bytes = sizeof(double),
                                    .commutative = true,
                                    .one_node = true,
                                    .reading = reading};
}

static struct allfold_choice chosen(const struct allfold_problem *problem)
{
    struct allfold_choice choice;
    assert_int_equal(allfold_choose(NULL, problem, &choice, NULL, 0), ALLFOLD_OK);
    return choice;
}

static void assert_chosen(enum allfold_reading reading, size_t bytes, const char *name)
{
    const struct allfold_problem problem = problem_of(2, bytes, reading);
    const char *found = chosen(&problem).algorithm->name;
    if (strcmp(found, name) != 0)
        fail_msg("%zu bytes: %s, not %s", bytes, found, name);
}

/* Near cores sum halves of long vectors, far ones whole vectors. Halves of results that go past the
 * caches would be read from memory again. */
static void test_two_ranks(void **state)
{
    (void)state;
    for (size_t bytes = 1 << 10; bytes <= 256 << 10; bytes *= 2)
        assert_chosen(ALLFOLD_READS_NEAR, bytes, "recursive_doubling");
    for (size_t bytes = 512 << 10; bytes <= 8 << 20; bytes *= 2)
        assert_chosen(ALLFOLD_READS_NEAR, bytes, "halving_doubling");
    for (size_t bytes = 16 << 20; bytes <= 32 << 20; bytes *= 2) {
        assert_chosen(ALLFOLD_READS_NEAR, bytes, "recursive_doubling");
        assert_chosen(ALLFOLD_READS_COPIES, bytes, "recursive_doubling");
    }
    for (size_t bytes = 1 << 10; bytes <= 4 << 20; bytes *= 2)
        assert_chosen(ALLFOLD_READS_FAR, bytes, "recursive_doubling");
    for (size_t bytes = 256 << 10; bytes <= 8 << 20; bytes *= 2)
        assert_chosen(ALLFOLD_READS_COPIES, bytes, "halving_doubling");
}

/* Each rank reads its slice straight from all others, and then their slices. */
static void assert_slices(size_t bytes)
{
    static const int ranks[] = {3, 4, 5, 6, 8, 9, 10, 12, 15, 16}; /* with radices of 5 at most */
    for (size_t i = 0; i < LENGTH(ranks); i++) {
        struct allfold_problem problem = problem_of(ranks[i], bytes, ALLFOLD_READS_COPIES);
        assert_string_not_equal(chosen(&problem).algorithm->name, "mixed_radix");
        for (problem.reading = ALLFOLD_READS_NEAR; problem.reading < ALLFOLD_READING_COUNT;
             problem.reading++) {
            const struct allfold_choice choice = chosen(&problem);
            assert_string_equal(choice.algorithm->name, "mixed_radix");
            const struct allfold_claim claim =
                choice.algorithm->claim(&problem, &choice.parameters);
            if (ranks[i] <= 5)
                assert_int_equal(claim.rounds, 2);
        }
    }
}

static void test_slices(void **state)
{
    (void)state;
    for (size_t bytes = 8 << 20; bytes <= 256 << 20; bytes *= 2)
        assert_slices(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_ranks),
        cmocka_unit_test(test_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
