/* Tables as other libraries' tuning files: which rows become rules, and what each file looks like.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support_export.h"
#include "support_table.h"

static void test_mappings(void **state)
{
    (void)state;
    for (int i = 0; allfold_peers[i] != NULL; i++) {
        assert_ptr_equal(allfold_peer_find(allfold_peers[i]->name), allfold_peers[i]);
        for (const struct allfold_mapping *m = allfold_peers[i]->mappings; m->ours != NULL; m++) {
            const struct allfold_algorithm *algorithm =
                allfold_algorithm_find(m->collective, m->ours);
            assert_non_null(algorithm);
            assert_string_equal(algorithm->name, m->ours);
            const struct allfold_parameter *parameter = algorithm->parameters;
            while (m->parameter != NULL && parameter->name != NULL &&
                   strcmp(parameter->name, m->parameter) != 0)
                parameter++;
            assert_true((m->parameter == NULL) == (m->takes == ALLFOLD_TAKES_ALL));
            /* an algorithm's parameters are not passed over, nor is one named that there is not */
            assert_true((m->parameter == NULL) == (parameter->name == NULL));
            if (m->takes == ALLFOLD_TAKES_EXACTLY)
                assert_in_range(m->value, parameter->minimum, parameter->maximum);
            assert_non_null(m->theirs);
        }
    }
    assert_null(allfold_peer_find("open"));
}

static void test_openmpi(void **state)
{
    (void)state;
    expect_file("openmpi",
                "1 4 allreduce 0 1024 recursive_doubling\n"
                "1 4 allreduce 4096 0 halving_doubling\n"
                "1 4 bcast 64 128 chain(segment=32)\n",
                "2 # collectives\n"
                "2 # allreduce\n"
                "3 # communicator sizes\n"
                "1 1 # ranks\n0 0 0 0\n"
                "4 3 # ranks, message sizes: bytes, algorithm, fan, segment\n"
                "0 3 0 0 # row 1: 0-1K recursive_doubling\n"
                "1024 0 0 0\n"
                "4096 6 0 0 # row 2: 4K- rabenseifner\n"
                "5 1 # ranks\n0 0 0 0\n"
                "7 # bcast\n"
                "3 # communicator sizes\n"
                "1 1 # ranks\n0 0 0 0\n"
                "4 3 # ranks, message sizes: bytes, algorithm, fan, segment\n"
                "0 0 0 0\n"
                "64 3 0 32 # row 3: 64-128 pipeline\n"
                "128 0 0 0\n"
                "5 1 # ranks\n0 0 0 0\n");
}

/* Neighbouring communicator sizes need no size between them. */
static void test_openmpi_neighbours(void **state)
{
    (void)state;
    expect_file("openmpi",
                "1 3 barrier 0 0 dissemination\n"
                "1 4 barrier 0 0 binomial_tree\n",
                "1 # collectives\n"
                "6 # barrier\n"
                "4 # communicator sizes\n"
                "1 1 # ranks\n0 0 0 0\n"
                "3 1 # ranks, message sizes: bytes, algorithm, fan, segment\n"
                "0 4 0 0 # row 1: 0- bruck\n"
                "4 1 # ranks, message sizes: bytes, algorithm, fan, segment\n"
                "0 6 0 0 # row 2: 0- tree\n"
                "5 1 # ranks\n0 0 0 0\n");
}

/* Bounds are included, and int. */
static void test_intel(void **state)
{
    (void)state;
    expect_file("intel",
                "1 4 allreduce 0 1024 recursive_doubling\n"
                "1 4 allreduce 4096 3000000000 halving_doubling\n"
                "1 4 allreduce 3000000000 0 recursive_doubling\n"
                "1 4 bcast 0 0 binomial_tree\n",
                "export I_MPI_ADJUST_ALLREDUCE='1:0-1023@4-4;2:4096-2147483647@4-4'\n"
                "export I_MPI_ADJUST_BCAST='1:0-2147483647@4-4'\n");
}

static void test_ucc(void **state)
{
    (void)state;
    expect_file("ucc",
                "1 4 allreduce 0 1024 recursive_doubling\n"
                "1 4 allreduce 4096 0 recursive_splitting(radix=3)\n",
                "UCC_TL_UCP_TUNE=allreduce:0-1024:[4-4]:@knomial#"
                "allreduce:4096-inf:[4-4]:@sra_knomial\n"
                "UCC_TL_UCP_ALLREDUCE_KN_RADIX=2\n"
                "UCC_TL_UCP_ALLREDUCE_SRA_KN_RADIX=3\n");
    char *text = file_of("ucc",
                         "1 4 allreduce 0 1024 recursive_doubling\n"
                         "1 4 allreduce 4096 0 recursive_multiplying(radix=4)\n",
                         (struct allfold_export_choice){0});
    assert_null(strstr(text, "4096"));
    assert_string_equal(export_reason,
                        "UCC has one UCC_TL_UCP_ALLREDUCE_KN_RADIX for all sizes, which "
                        "is 2 for row 1, not 4");
    free(text);
}

static void test_omissions(void **state)
{
    (void)state;
    expect_omission("openmpi", "1 4 allreduce 0 0 ring\n",
                    "Open MPI has nothing that is the same as allreduce.ring on 4 ranks");
    expect_omission("openmpi", "1 4 bcast 0 0 chain\n", "bcast.chain on 4");
    expect_omission("openmpi", "1 4 allgather 0 0 ring(segment=4K)\n",
                    "allgather.ring(segment=4K)");
    expect_omission("openmpi", "1 4 reduce 0 0 binomial_tree\n", "say --commutative");
    expect_omission("openmpi", "1 4 allreduce 0 0 recursive_doubling \"exact\": true\n",
                    "holds for exact operations alone");
    expect_omission("openmpi", "1 4 allreduce 0 0 recursive_doubling \"commutative\": false\n",
                    "operations that do not commute alone");
    expect_omission("openmpi", "2 2 bcast 0 0 flat \"placement\": \"cyclic\"\n",
                    "ranks that do not live in blocks");
    expect_omission("mpich", "1 5 allgather 0 0 circulant\n", "allgather.circulant on 5 ranks");
}

static void test_commutative(void **state)
{
    (void)state;
    const struct allfold_export_choice choice = {.commutative = true};
    char *text = file_of("openmpi", "1 4 reduce 0 0 binomial_tree\n", choice);
    assert_non_null(strstr(text, "\n0 5 0 0 # row 1: 0- binomial\n"));
    free(text);
    text = file_of("openmpi", "1 4 allreduce 0 0 bucket(segment=0)\n", choice);
    assert_non_null(strstr(text, "\n0 4 0 0 # row 1: 0- ring\n"));
    free(text);
}

static void test_nothing(void **state)
{
    (void)state;
    assert_null(file_of("openmpi", "", (struct allfold_export_choice){0}));
    assert_null(file_of("openmpi", "1 4 reduce 0 0 native\n", (struct allfold_export_choice){0}));
}

/* As many ranks on other nodes: refused, until it is said which. */
static void test_shapes(void **state)
{
    (void)state;
    static const char rows[] = "1 4 bcast 0 0 flat\n"
                               "2 2 bcast 0 0 binomial_tree\n";
    struct allfold_table *table = table_of(rows);
    struct allfold_export export;
    const struct allfold_export_choice any = {0};
    char message[1000] = "";
    assert_int_equal(
        allfold_export_make(&allfold_peer_openmpi, table, &any, &export, message, sizeof message),
        ALLFOLD_BAD_INPUT);
    assert_non_null(strstr(message, "rows 1 and 2 are both for bcast on 4 ranks"));
    allfold_export_free(&export);
    allfold_table_free(table);
    char *text = file_of("openmpi", rows, (struct allfold_export_choice){.ppn = 2});
    assert_non_null(strstr(text, "\n0 6 0 0 # row 2: 0- binomial\n"));
    assert_null(strstr(text, "row 1"));
    assert_string_equal(export_reason, "4 ranks a node, but --ppn 2 is asked for");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mappings),
        cmocka_unit_test(test_openmpi),
        cmocka_unit_test(test_openmpi_neighbours),
        cmocka_unit_test(test_intel),
        cmocka_unit_test(test_ucc),
        cmocka_unit_test(test_omissions),
        cmocka_unit_test(test_commutative),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
