/* The report's parts: formats by file name, names of MPIs, rows merged and sorted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support.h"
#include "support_report.h"

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        enum allfold_report_format format;
    } paths[] = {
        {"", ALLFOLD_REPORT_TABLE},           {"report", ALLFOLD_REPORT_TABLE},
        {"report.txt", ALLFOLD_REPORT_TABLE}, {"csv", ALLFOLD_REPORT_TABLE},
        {"a.csv", ALLFOLD_REPORT_CSV},        {".csv", ALLFOLD_REPORT_CSV},
        {"/x/a.b.csv", ALLFOLD_REPORT_CSV},   {"a.json", ALLFOLD_REPORT_JSON},
        {"a.csv.json", ALLFOLD_REPORT_JSON},  {"a.csv.txt", ALLFOLD_REPORT_TABLE},
        {"a.csv/b", ALLFOLD_REPORT_TABLE},    {"a.csvx", ALLFOLD_REPORT_TABLE},
        {"a.jso", ALLFOLD_REPORT_TABLE},      {"a.", ALLFOLD_REPORT_TABLE},
    };
    for (size_t i = 0; i < LENGTH(paths); i++)
        assert_int_equal(allfold_report_format_of(paths[i].path), paths[i].format);
}

/* What MPI_Get_library_version gives, and the name of it. */
static const char *const versions[][2] = {
    {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
     "Open MPI 4.1.4"},
    {"Open MPI v5.0.0rc12, package: Open MPI x@y Distribution", "Open MPI 5.0.0rc12"},
    {"MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n"
     "MPICH ABI:\t0:0:0\nMPICH Device:\tch4:ucx\n",
     "MPICH 4.0.2"},
    {"MPICH Version:      4.1.2\nMPICH Release date: Wed Jun  7 15:22:45 CDT 2023\n",
     "MPICH 4.1.2"},
    {"SMPI Version 3.32. Copyright (c) The Simgrid Team 2007-2022",
     "SMPI Version 3.32. Copyright (c) The Simgrid Team 2007-2022"},
    {"Intel(R) MPI Library 2021.9 for Linux* OS\n", "Intel(R) MPI Library 2021.9 for Linux* OS"},
    {"a \"quoted\" one", "a "},
    {"", ""},
    /* only the v of a number goes, and no control character stays: JSON has none */
    {"MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\n",
     "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)"},
    {"MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :\tWed March 02\n",
     "MVAPICH2 Version      : 2.3.7"},
};

static void test_names_of_mpis(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(versions); i++) {
        char name[64];
        allfold_report_name_mpi(versions[i][0], name, sizeof name);
        assert_string_equal(name, versions[i][1]);
    }
}

static void test_names_keep_within_their_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(versions); i++)
        for (size_t bytes = 1; bytes < 64; bytes++) {
            char *name = malloc(bytes);
            assert_non_null(name);
            allfold_report_name_mpi(versions[i][0], name, bytes);
            assert_true(strlen(name) < bytes);
            free(name);
        }
}

static void test_merge(void **state)
{
    (void)state;
    struct allfold_report_row sum = row_of(ALLFOLD_REDUCE, 4, 100, 3, 0.5);
    struct allfold_report_row row = row_of(ALLFOLD_REDUCE, 4, 40, 5, 0.25);
    row.most_bytes = 60;
    allfold_report_merge(&sum, &row);
    assert_int_equal(sum.least_bytes, 40);
    assert_int_equal(sum.most_bytes, 100);
    row.least_bytes = 50;
    row.most_bytes = 200;
    allfold_report_merge(&sum, &row);
    assert_int_equal(sum.least_bytes, 40);
    assert_int_equal(sum.most_bytes, 200);
    assert_int_equal(sum.figures.calls, 13);
    assert_true(sum.figures.seconds == 1.0);
    assert_true(sum.moved_bytes == 700);
    assert_int_equal(sum.figures.samples, 0);
    assert_int_equal(sum.p, 4);
    assert_string_equal(sum.algorithm, "ring");
}

/* Samples are kept in order, as long as there is room. */
static void test_merge_samples(void **state)
{
    (void)state;
    struct allfold_report_row sum = row_of(ALLFOLD_REDUCE, 4, 100, 3, 0.5);
    struct allfold_report_row row = sum;
    row.figures.samples = 10;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 10; i++) {
            row.figures.ours_us[i] = (float)(10 * k + i);
            row.figures.native_us[i] = (float)(1000 + 10 * k + i);
        }
        allfold_report_merge(&sum, &row);
        assert_int_equal(sum.figures.samples, k < 3 ? 10 * (k + 1) : ALLFOLD_MAX_SAMPLES);
    }
    for (int i = 0; i < ALLFOLD_MAX_SAMPLES; i++) {
        assert_true(sum.figures.ours_us[i] == (float)i);
        assert_true(sum.figures.native_us[i] == (float)(1000 + i));
    }
}

/* By collective, then the most ranks first, then the shortest vectors first. */
static void test_sort(void **state)
{
    (void)state;
    enum { ROWS = 18 };
    static const int sizes[] = {64, 8, 2};
    static const size_t bytes[] = {0, (size_t)1 << 33};
    struct allfold_report_row rows[ROWS];
    uint64_t seed = 1;
    for (int again = 0; again < 200; again++) {
        for (uint32_t i = 0; i < ROWS; i++) /* calls: the place where it belongs */
            rows[i] =
                row_of((enum allfold_collective)(i / 6), sizes[i / 2 % 3], bytes[i % 2], i, 0);
        for (uint32_t i = ROWS - 1; i > 0; i--) {
            const uint32_t other = random_below(&seed, i + 1);
            const struct allfold_report_row row = rows[i];
            rows[i] = rows[other];
            rows[other] = row;
        }
        allfold_report_sort(rows, ROWS);
        for (uint32_t i = 0; i < ROWS; i++)
            assert_int_equal(rows[i].figures.calls, i);
    }
    allfold_report_sort(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_names_of_mpis),
        cmocka_unit_test(test_names_keep_within_their_text),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_samples),
        cmocka_unit_test(test_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
