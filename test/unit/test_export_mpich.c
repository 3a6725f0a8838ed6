/* Tables as files of MPICH, which repeat its own decisions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/memory.h"
#include "support_export.h"
#include "support_table.h"

#define OWN "{\"algorithm=MPIR_Allreduce_intra_OWN\":{}}"

static void test_mpich(void **state)
{
    (void)state;
    expect_file(
        "mpich",
        "1 4 allreduce 64 1024 recursive_doubling\n"
        "1 4 allreduce 1024 0 halving_doubling\n"
        "1 4 barrier 0 0 dissemination\n",
        "{\"collective=bcast\":{\"comm_type=intra\":{\"algorithm=MPIR_Bcast_intra_OWN\":{}}},"
        "\"collective=allreduce\":{\"comm_type=intra\":\n"
        "{\"comm_size<=3\":" OWN ",\n"
        "\"comm_size<=4\":{\"avg_msg_size<=63\":" OWN ",\n"
        "\"avg_msg_size<=1023\":{\"algorithm=MPIR_Allreduce_intra_recursive_doubling\":{}},\n"
        "\"avg_msg_size=any\":{\"is_op_built_in=yes\":{\"count<pow2\":" OWN ",\n"
        "\"count=any\":{\"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather\":{}}},\n"
        "\"is_op_built_in=no\":" OWN "}},\n"
        "\"comm_size=any\":" OWN "},"
        "\"comm_type=inter\":{\"algorithm=X\":{}}},"
        "\"collective=reduce_scatter_block\":{\"comm_type=intra\":"
        "{\"algorithm=MPIR_Reduce_scatter_block_intra_OWN\":{}}},"
        "\"collective=barrier\":{\"comm_type=intra\":\n"
        "{\"comm_size<=3\":{\"algorithm=MPIR_Barrier_intra_OWN\":{}},\n"
        "\"comm_size<=4\":{\"algorithm=MPIR_Barrier_intra_dissemination\":{}},\n"
        "\"comm_size=any\":{\"algorithm=MPIR_Barrier_intra_OWN\":{}}}}}\n");
}

/* Sizes are int there; what is for commutative operations alone says so. */
static void test_mpich_conditions(void **state)
{
    (void)state;
    char *text = file_of("mpich",
                         "1 4 allreduce 0 3000000000 recursive_doubling \"commutative\": true\n"
                         "1 4 allreduce 3000000000 0 halving_doubling\n",
                         (struct allfold_export_choice){0});
    assert_non_null(strstr(text, "\"avg_msg_size=any\":{\"is_commutative=yes\":"
                                 "{\"algorithm=MPIR_Allreduce_intra_recursive_doubling\":{}},\n"
                                 "\"is_commutative=no\":" OWN "}},\n\"comm_size=any\""));
    assert_null(strstr(text, "reduce_scatter_allgather"));
    free(text);
}

/* What needs a commutative operation in ours gets no other one there, whatever the row says. */
static void test_mpich_needs(void **state)
{
    (void)state;
    char *text = file_of("mpich", "1 4 reduce_scatter_block 0 0 pairwise_exchange\n",
                         (struct allfold_export_choice){0});
    assert_non_null(strstr(text, "\"total_msg_size=any\":{\"is_commutative=yes\":"
                                 "{\"algorithm=MPIR_Reduce_scatter_block_intra_pairwise\":{}},"));
    free(text);
}

/* A file of whole pages would have no end for MPICH. */
static void test_mpich_pages(void **state)
{
    (void)state;
    struct allfold_table *table = table_of("1 4 barrier 0 0 dissemination\n");
    const struct allfold_export_choice choice = {0};
    size_t lengths[2];
    for (int longer = 0; longer < 2; longer++) {
        struct allfold_export export;
        char message[1000], *text = NULL, *grown;
        size_t bytes;
        assert_int_equal(allfold_export_make(&allfold_peer_mpich, table, &choice, &export, message,
                                             sizeof message),
                         ALLFOLD_OK);
        read_library(&export);
        if (longer) { /* blanks behind it, so that all are one page */
            const size_t length = strlen(export.defaults), blanks = 4096 - lengths[0];
            grown = allfold_allocate(length + blanks + 1);
            assert_non_null(grown);
            snprintf(grown, length + blanks + 1, "%s%*s", export.defaults, (int)blanks, "");
            allfold_free(export.defaults);
            export.defaults = grown;
        }
        FILE *file = open_memstream(&text, &bytes);
        allfold_peer_mpich.write(file, &export);
        fclose(file);
        lengths[longer] = bytes;
        free(text);
        allfold_export_free(&export);
    }
    assert_int_equal(lengths[1], 4097);
    allfold_table_free(table);
}

static void test_mpich_library(void **state)
{
    (void)state;
    static const char other[] = "{\"collective=bcast\":{\"comm_type=intra\":{}}}";
    struct allfold_export export = {.peer = &allfold_peer_mpich};
    char message[1000] = "";
    assert_int_equal(allfold_export_find_defaults(&export, text_in_file(other, sizeof other),
                                                  message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    text_in_file(NULL, 0);
    assert_non_null(strstr(message, "has no decisions on collectives in it; expected"));
    assert_int_equal(
        allfold_export_find_defaults(&export, "/none/libmpich.so", message, sizeof message),
        ALLFOLD_BAD_INPUT);
    assert_non_null(strstr(message, "/none/libmpich.so: No such file"));
    allfold_export_free(&export);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mpich),         cmocka_unit_test(test_mpich_conditions),
        cmocka_unit_test(test_mpich_needs),   cmocka_unit_test(test_mpich_pages),
        cmocka_unit_test(test_mpich_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
