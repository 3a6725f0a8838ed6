/* Tables as other libraries' tuning files: which rows become rules, and what each file looks like.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lab/export/export.h"
#include "support_table.h"
#include "util/memory.h"

/* Why the one row that was left out was; else "". */
static char export_reason[300];

/* The row of a line, as tables have it. */
static void write_row(FILE *file, const char *line)
{
    int nodes, ppn, more = 0;
    char collective[40], algorithm[80];
    unsigned long long from, to;
    assert_int_equal(sscanf(line, "%d %d %39s %llu %llu %79s%n", &nodes, &ppn, collective, &from,
                            &to, algorithm, &more),
                     6);
    fprintf(file, "{\"nodes\": %d, \"ppn\": %d, \"collective\": \"%s\", \"from_bytes\": %llu",
            nodes, ppn, collective, from);
    if (to != 0)
        fprintf(file, ", \"to_bytes\": %llu", to);
    fprintf(file, "%s%s, \"algorithm\": \"%s\"}", line[more] == '\0' ? "" : ",", line + more,
            algorithm);
}

/* A table of lines "NODES PPN COLLECTIVE FROM TO ALGORITHM [MEMBERS]". TO is 0 where there is no
 * bound. Further members of the row are in JSON. Fails the test where it is none. */
static struct allfold_table *table_of(const char *rows)
{
    char message[1000], *text = NULL, *copy = strdup(rows), *rest = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    const char *separator = "";
    fprintf(file, "{\"allfold_table\": 1, \"rows\": [");
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        fprintf(file, "%s", separator);
        write_row(file, line);
        separator = ", ";
    }
    fprintf(file, "]}");
    fclose(file);
    struct allfold_table *table = read_text_table(text, message, sizeof message);
    assert_string_equal(message, "");
    free(text);
    free(copy);
    return table;
}

/* A library of MPICH, as far as it is looked at: its decisions somewhere in it. */
static const char library[] =
    "\177ELF\0{\"collective=bcast\":{\"comm_type=intra\":{\"composition=alpha\":{}}}}\0other\0"
    "{\"collective=bcast\":{\"comm_type=intra\":{\"algorithm=MPIR_Bcast_intra_OWN\":{}}},"
    "\"collective=allreduce\":{\"comm_type=intra\":{\"algorithm=MPIR_Allreduce_intra_OWN\":{}},"
    "\"comm_type=inter\":{\"algorithm=X\":{}}},"
    "\"collective=reduce_scatter_block\":{\"comm_type=intra\":"
    "{\"algorithm=MPIR_Reduce_scatter_block_intra_OWN\":{}}},"
    "\"collective=allgather\":{\"comm_type=intra\":"
    "{\"algorithm=MPIR_Allgather_intra_k_brucks\":{\"k=2\":{}}}},"
    "\"collective=barrier\":{\"comm_type=intra\":{\"algorithm=MPIR_Barrier_intra_OWN\":{}}}}\0more";

/* Reads the decisions of MPICH from a small library, which calls all algorithms OWN. */
static void read_library(struct allfold_export *export)
{
    char message[1000] = "";
    const enum allfold_error error = allfold_export_find_defaults(
        export, text_in_file(library, sizeof library), message, sizeof message);
    text_in_file(NULL, 0);
    assert_string_equal(message, "");
    assert_int_equal(error, ALLFOLD_OK);
}

/* The file of a peer for a table; NULL where there is no rule. To be freed. Where one row alone was
 * left out, export_reason says why; else it is "". */
static char *file_of(const char *peer, const char *rows, struct allfold_export_choice choice)
{
    struct allfold_table *table = table_of(rows);
    struct allfold_export export;
    char message[1000] = "", *text = NULL;
    size_t bytes;
    assert_int_equal(allfold_export_make(allfold_peer_find(peer), table, &choice, &export, message,
                                         sizeof message),
                     ALLFOLD_OK);
    snprintf(export_reason, sizeof export_reason, "%s",
             export.omission_count == 1 ? export.omissions[0].reason : "");
    if (export.peer->needs_defaults)
        read_library(&export);
    FILE *file = open_memstream(&text, &bytes);
    if (export.rule_count > 0)
        assert_int_equal(export.peer->write(file, &export), ALLFOLD_OK);
    fclose(file);
    if (export.rule_count == 0) {
        free(text);
        text = NULL;
    }
    allfold_export_free(&export);
    allfold_table_free(table);
    return text;
}

/* What is in the file behind the lines on where it is from. */
static void expect_file(const char *peer, const char *rows, const char *expected)
{
    char *text = file_of(peer, rows, (struct allfold_export_choice){0});
    assert_non_null(text);
    const char *begin = text; /* behind the lines on where it is from */
    while (*begin == '#')
        begin = strchr(begin, '\n') + 1;
    assert_string_equal(begin, expected);
    free(text);
}

/* The row is left out, for a reason that has this text. */
static void expect_omission(const char *peer, const char *row, const char *why)
{
    assert_null(file_of(peer, row, (struct allfold_export_choice){0}));
    if (strstr(export_reason, why) == NULL)
        fail_msg("'%s' is not in '%s'", why, export_reason);
}

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

/* Neighboring communicator sizes need no size between them. */
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
    expect_omission("openmpi", "1 4 reduce 0 0 binomial_tree\n", "say --operation commutative");
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

/* --- MPICH ------------------------------------------------------------------------------------ */

/* Tables as files of MPICH, which repeat its own decisions. */

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
        "\"collective=allgather\":{\"comm_type=intra\":"
        "{\"algorithm=MPIR_Allgather_intra_k_brucks\":{\"k=2\":{}}}},"
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

/* MPICH 4.2 has algorithms of any radix in the place of some of radix 2. */
static void test_mpich_radix(void **state)
{
    (void)state;
    char *text = file_of("mpich", "1 8 allgather 0 0 circulant(radix=2)\n",
                         (struct allfold_export_choice){0});
    assert_non_null(strstr(
        text, "\"total_msg_size=any\":{\"algorithm=MPIR_Allgather_intra_k_brucks\":{\"k=2\":{}}}"));
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
        cmocka_unit_test(test_mappings),
        cmocka_unit_test(test_openmpi),
        cmocka_unit_test(test_openmpi_neighbours),
        cmocka_unit_test(test_intel),
        cmocka_unit_test(test_ucc),
        cmocka_unit_test(test_omissions),
        cmocka_unit_test(test_commutative),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_mpich),
        cmocka_unit_test(test_mpich_conditions),
        cmocka_unit_test(test_mpich_needs),
        cmocka_unit_test(test_mpich_radix),
        cmocka_unit_test(test_mpich_pages),
        cmocka_unit_test(test_mpich_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
