/* The report's parts: formats by file name, names of MPIs, rows merged and sorted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "events/report_format.h"
#include "support.h"

/* A row of `calls` calls with as many bytes each, of "ring", chosen by the model. */
static struct allfold_report_row row_of(enum allfold_collective collective, int p, size_t bytes,
                                        uint64_t calls, double seconds)
{
    return (struct allfold_report_row){.collective = collective,
                                       .p = p,
                                       .least_bytes = bytes,
                                       .most_bytes = bytes,
                                       .algorithm = "ring",
                                       .source = "model",
                                       .sums = {.calls = (double)calls,
                                                .bytes = (double)bytes * (double)calls,
                                                .seconds = seconds}};
}

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
        {"a.html", ALLFOLD_REPORT_HTML},      {"a.html.csv", ALLFOLD_REPORT_CSV},
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
    assert_int_equal(sum.sums.calls, 13);
    assert_true(sum.sums.seconds == 1.0);
    assert_true(sum.sums.bytes == 700);
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
            assert_int_equal(rows[i].sums.calls, i);
    }
    allfold_report_sort(NULL, 0);
}

/* The report as it is printed: the table to the letter, CSV and JSON as other programs read
 * them. */

static struct allfold_report_head head_of(bool compares)
{
    return (struct allfold_report_head){.machine = "node7",
                                        .mpi = "Open MPI 4.1.4",
                                        .p = 8,
                                        .nodes = 2,
                                        .least_per_node = 4,
                                        .most_per_node = 4,
                                        .compares = compares};
}

/* Two rows: one of a range of sizes, with samples; one without. */
static void example(struct allfold_report_row rows[2])
{
    rows[0] = row_of(ALLFOLD_ALLREDUCE, 8, 1024, 100, 0.0025);
    rows[0].most_bytes = 1536;
    rows[0].sums.bytes = 128000;
    strcpy(rows[0].algorithm, "ring(segment=64K)");
    rows[0].source = "forced";
    rows[0].sums.waiting_s = 0.002;
    rows[0].sums.moving_s = 0.0005;
    static const float ours[] = {30, 10, 20, 40}, native[] = {60, 40, 40, 20};
    rows[0].figures.samples = 4;
    memcpy(rows[0].figures.ours_us, ours, sizeof ours);
    memcpy(rows[0].figures.native_us, native, sizeof native);
    rows[1] = row_of(ALLFOLD_BCAST, 4, 8, 3, 0.000012);
    strcpy(rows[1].algorithm, "native");
}

static char *printed(const struct allfold_report_head *head, const struct allfold_report_row *rows,
                     uint32_t count, enum allfold_report_format format)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    allfold_report_print(head, rows, count, format, stream);
    fclose(stream);
    return text;
}

static void assert_table(struct allfold_report_head head, uint32_t count, const char *expected)
{
    struct allfold_report_row rows[2];
    example(rows);
    char *text = printed(&head, rows, count, ALLFOLD_REPORT_TABLE);
    assert_string_equal(text, expected);
    free(text);
}

static void test_table(void **state)
{
    (void)state;
    assert_table(
        head_of(false), 2,
        "\n"
        "Allfold " ALLFOLD_VERSION
        " report: node7, Open MPI 4.1.4, p = 8, 2 x 4 (nodes x ranks per node)\n"
        "The program ran for 0 s and spent 0 % of that (0.00251 s) in collectives; what Allfold "
        "saved is not known without --report=compare.\n"
        "The table has the figures of rank 0: seconds in the calls, waiting for late ranks, and "
        "moving data.\n"
        "collective              p         bytes     calls total bytes    seconds    waiting     "
        "moving   us a call  algorithm                  chosen  \n"
        "allreduce               8       1K-1.5K       100        125K   0.002500   0.002000   "
        "0.000500       25.00  ring(segment=64K)          forced  \n"
        "bcast                   4             8         3          24   0.000012          -       "
        "   "
        "-        4.00  native                     model   \n"
        "all                                           103               0.002512   0.002000   "
        "0.000500\n");
}

/* Of four of the eight ranks: means over these, and in the sum over all eight. */
static void test_table_of_means(void **state)
{
    (void)state;
    struct allfold_report_row rows[2];
    const struct allfold_report_head head = head_of(false);
    example(rows);
    rows[0].ranks = 8;
    rows[0].all_ranks = (struct allfold_sums){
        .calls = 808, .bytes = 8 * 64000, .seconds = 0.08, .waiting_s = 0.048, .moving_s = 0.032};
    rows[1].ranks = 4;
    rows[1].all_ranks = (struct allfold_sums){.calls = 8, .bytes = 64, .seconds = 4};
    char *text = printed(&head, rows, 2, ALLFOLD_REPORT_TABLE);
    assert_non_null(strstr(text, "\nThe table has means over the ranks that made a call: seconds"));
    assert_non_null(
        strstr(text, " 101       62.5K   0.010000   0.006000   0.004000       99.01  "));
    assert_non_null(
        strstr(text, "   2          16   1.000000          -          -   500000.00  "));
    assert_non_null(strstr(text,
                           "\nall                                           102               "
                           "0.510000   0.006000   0.004000\n"));
    free(text);
    text = printed(&head, rows, 2, ALLFOLD_REPORT_HTML);
    assert_non_null(strstr(text, "<td>101</td><td>62.5K</td>"));
    assert_non_null(strstr(text, "<th>total bytes</th>"));
    free(text);
}

static void test_table_that_compares(void **state)
{
    (void)state;
    assert_table(
        head_of(true), 2,
        "\n"
        "Allfold " ALLFOLD_VERSION
        " report: node7, Open MPI 4.1.4, p = 8, 2 x 4 (nodes x ranks per node)\n"
        "The program ran for 0 s and spent 0 % of that (0.00251 s) in collectives; what Allfold "
        "saved is not known, as no call was compared.\n"
        "The table has the figures of rank 0: seconds in the calls, waiting for late ranks, and "
        "moving data. ours, native: microseconds a call, measured one after the other in (samples) "
        "calls; gain: "
        "native / ours. Medians.\n"
        "collective              p         bytes     calls total bytes    seconds    waiting     "
        "moving   us a call  algorithm                  chosen        ours    native   gain\n"
        "allreduce               8       1K-1.5K       100        125K   0.002500   0.002000   "
        "0.000500       25.00  ring(segment=64K)          forced       25.00     40.00   2.00 (4)\n"
        "bcast                   4             8         3          24   0.000012          -       "
        "   "
        "-        4.00  native                     model   \n"
        "all                                           103               0.002512   0.002000   "
        "0.000500\n");
}

/* Only ours, and only long vectors; and only if they are copied. */
static void test_one_copy(void **state)
{
    (void)state;
    struct allfold_report_row rows[] = {row_of(ALLFOLD_ALLREDUCE, 8, 200 << 10, 1, 1),
                                        row_of(ALLFOLD_ALLREDUCE, 8, 256 << 10, 2, 1.23),
                                        row_of(ALLFOLD_ALLREDUCE, 8, 4 << 20, 3, 1.29),
                                        row_of(ALLFOLD_ALLREDUCE, 8, 4 << 20, 5, 100),
                                        row_of(ALLFOLD_BCAST, 8, 4 << 20, 7, 1.12),
                                        row_of(ALLFOLD_BCAST, 8, 1 << 20, 100, 100),
                                        row_of(ALLFOLD_REDUCE, 8, 1 << 20, 11, 1.44)};
    strcpy(rows[3].algorithm, "native");
    const struct allfold_report_one_copy none = allfold_report_one_copy(rows, 1);
    assert_true(none.calls == 0 && none.seconds == 0 && none.saved_s == 0);
    const struct allfold_report_one_copy sum = allfold_report_one_copy(rows, LENGTH(rows));
    assert_int_equal(sum.calls, 23);
    assert_true(sum.seconds > 5.0799 && sum.seconds < 5.0801);
    assert_true(sum.saved_s > 1.0799 && sum.saved_s < 1.0801);
    rows[1].sums.waiting_s = 1.13; /* which no copy changes */
    rows[1].sums.moving_s = 0.1;
    const struct allfold_report_one_copy less = allfold_report_one_copy(rows, LENGTH(rows));
    assert_true(less.seconds > 3.9499 && less.seconds < 3.9501);
    assert_true(less.saved_s > 0.8686 && less.saved_s < 0.8688);
    rows[1].sums.waiting_s = rows[1].sums.moving_s = 0;
    static const char line[] =
        "\nOne copy: 23 calls copied long vectors, and moved data for 5.080000 seconds. "
        "`allfold run --one-copy` may save up to 1.080000 seconds of that.\n";
    for (int copies = 0; copies < 2; copies++) {
        struct allfold_report_head head = head_of(false);
        head.copies = copies;
        char *text = printed(&head, rows, LENGTH(rows), ALLFOLD_REPORT_TABLE);
        assert_int_equal(strstr(text, line) != NULL, copies);
        free(text);
        text = printed(&head, rows, 1, ALLFOLD_REPORT_TABLE);
        assert_null(strstr(text, "One copy"));
        free(text);
    }
}

static struct allfold_report_finding finding_of(size_t bytes, const char *better, double factor)
{
    struct allfold_report_finding finding = {.collective = ALLFOLD_ALLREDUCE,
                                             .p = 8,
                                             .bytes = bytes,
                                             .chosen = "ring",
                                             .source = "model",
                                             .outcome = "switched",
                                             .factor = factor};
    strcpy(finding.better, better);
    return finding;
}

/* The later one of two findings for the same shape and algorithms stays; others stand beside it. */
static void add_findings(struct allfold_report_head *head)
{
    const struct allfold_report_finding list[] = {finding_of(8192, "native", 1.3),
                                                  finding_of(8192, "flat", 1.5),
                                                  finding_of(8192, "native", 1.25)};
    head->found.guard = (struct allfold_report_guard){"switch", 12, 0.0015, 2.5};
    for (size_t i = 0; i < LENGTH(list); i++)
        allfold_report_add_finding(&head->found, &list[i]);
}

static void test_findings(void **state)
{
    (void)state;
    struct allfold_report_head head = head_of(false);
    struct allfold_report_row rows[2];
    example(rows);
    add_findings(&head);
    char *text = printed(&head, rows, 2, ALLFOLD_REPORT_TABLE);
    assert_non_null(
        strstr(text, "\nGuard (switch): 12 looks; 0.001500 of 2.500 seconds. Slower choices:\n"
                     "allreduce               8            8K  native is 1.25 times as fast as "
                     "ring (model): switched\n"
                     "allreduce               8            8K  flat is 1.50 times as fast as "
                     "ring (model): switched\n"));
    free(text);
    struct allfold_report_head idle = head_of(false); /* the guard's line only if it looked */
    idle.found.guard = (struct allfold_report_guard){"switch", 0, 0, 2.5};
    text = printed(&idle, rows, 2, ALLFOLD_REPORT_TABLE);
    assert_null(strstr(text, "Guard"));
    free(text);
    const struct allfold_report_finding other = finding_of(0, "native", 2);
    for (size_t bytes = 0; bytes < 2 * ALLFOLD_MOST_FINDINGS; bytes++) {
        struct allfold_report_finding more = other;
        more.bytes = bytes;
        allfold_report_add_finding(&head.found, &more);
    }
    assert_int_equal(head.found.count, ALLFOLD_MOST_FINDINGS);
}

/* Nothing is said of device memory where there was none. */
static void test_staged(void **state)
{
    (void)state;
    struct allfold_report_head head = head_of(false);
    struct allfold_report_row rows[2];
    example(rows);
    char *text = printed(&head, rows, 2, ALLFOLD_REPORT_TABLE);
    assert_null(strstr(text, "Device memory"));
    free(text);
    head.staged_to_host = 3 << 20;
    head.staged_to_device = 1 << 10;
    head.staged_pageable = 512;
    text = printed(&head, rows, 2, ALLFOLD_REPORT_TABLE);
    assert_non_null(
        strstr(text, "\nDevice memory: 3M staged to the host, 1K back; 512 of it not pinned.\n"));
    free(text);
    text = printed(&head, rows, 2, ALLFOLD_REPORT_JSON);
    assert_non_null(strstr(text, "\"device_memory\": {\"to_host_bytes\": 3145728, "
                                 "\"to_device_bytes\": 1024, \"not_pinned_bytes\": 512}"));
    free(text);
}

static void assert_in(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("the page has no: %s", part);
}

/* All that the table says, with bars; names are escaped. */
static void test_page(void **state)
{
    (void)state;
    struct allfold_report_head head = head_of(true);
    struct allfold_report_row rows[2];
    example(rows);
    rows[0].phase = "<b>&\"";
    snprintf(head.machine, sizeof head.machine, "a<b");
    head.staged_to_host = 3 << 20;
    head.summary = (struct allfold_report_summary){
        .ranks = 8,
        .sums = {.calls = 8, .split = 8, .waiting_s = 2, .moving_s = 1},
        .latest_count = 1};
    head.summary.latest[0].rank = 5;
    head.summary.latest[0].figures = (struct allfold_report_rank){
        .sums = {.split = 103, .last = 50, .behind_s = 0.1, .waiting_s = 0.25}, .node = "node3"};
    char *text = printed(&head, rows, 2, ALLFOLD_REPORT_HTML);
    static const char *const parts[] = {
        "<!DOCTYPE html>\n",
        "<h1>Allfold " ALLFOLD_VERSION " report: a&lt;b, Open MPI 4.1.4, p = 8, 2 x 4",
        "<td class=\"t\">&lt;b&gt;&amp;&quot;</td><td class=\"t\">allreduce</td><td>8</td>"
        "<td>1K-1.5K</td><td>100</td><td>125K</td>"
        "<td class=\"t\">ring(segment=64K)</td><td class=\"t\">forced</td>",
        /* of the longest row, 2.5 ms, four fifths waited */
        "<i class=\"w\" style=\"width:80.00%\"></i><i class=\"m\" style=\"width:20.00%\"></i>",
        "<td>0.002500</td><td>0.002000</td><td>0.000500</td><td>25.00</td>",
        "<td>25.00</td><td>40.00</td><td>2.00 (4)</td>",
        "<td>0.000012</td><td>-</td><td>-</td><td>4.00</td>",
        "<tr><td>5</td><td class=\"t\">node3</td><td>103</td><td>50</td>",
        "<td>2000.00</td><td>0.250000</td>",
        "<p>Device memory: 3M staged to the host",
        "</html>\n",
    };
    for (size_t i = 0; i < LENGTH(parts); i++)
        assert_in(text, parts[i]);
    assert_null(strstr(text, "http"));
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "in flight"));
    free(text);
    rows[0].phase = NULL;
    rows[1].site = "so<lve (a+0x1)";
    rows[1].sums.flight_s = 0.5;
    rows[1].sums.awaited_s = 0.125;
    text = printed(&head, rows, 2, ALLFOLD_REPORT_HTML);
    assert_in(text, "<th>in flight</th>");
    assert_in(text, "<td>0.500000</td><td>0.125000</td><td>75 %</td>"
                    "<td class=\"t\">so&lt;lve (a+0x1)</td></tr>");
    assert_null(strstr(text, "phase"));
    free(text);
    text = printed(&head, rows, 0, ALLFOLD_REPORT_HTML);
    assert_in(text, "<p>No collective that Allfold knows was called.</p>");
    free(text);
}

/* Calls that do not block have a table of their own. */
static void test_flights(void **state)
{
    (void)state;
    const struct allfold_report_head head = head_of(false);
    struct allfold_report_row rows[2];
    example(rows);
    char *text = printed(&head, rows, 2, ALLFOLD_REPORT_TABLE);
    assert_null(strstr(text, "Calls that do not block"));
    free(text);
    rows[1].mode = allfold_mode_nonblocking;
    rows[1].sums.flight_s = 0.5;
    rows[1].sums.awaited_s = 0.125;
    text = printed(&head, rows, 2, ALLFOLD_REPORT_TABLE);
    assert_in(text, "\nCalls that do not block: ");
    assert_in(text,
              "\nibcast                  4             8         3   0.500000   0.125000       "
              "75 %\n");
    free(text);
}

/* Why places have no lines is said in all formats for people and programs. */
static void test_no_lines(void **state)
{
    (void)state;
    struct allfold_report_head head = head_of(false);
    struct allfold_report_row rows[2];
    example(rows);
    head.no_lines = "addr2line is not installed";
    static const struct {
        enum allfold_report_format format;
        const char *part;
    } cases[] = {
        {ALLFOLD_REPORT_TABLE, "\nCalls have places without source lines: addr2line is not "
                               "installed.\n"},
        {ALLFOLD_REPORT_HTML, "<p>Calls have places without source lines: addr2line is not "
                              "installed.</p>"},
        {ALLFOLD_REPORT_JSON, "\"no_source_lines\": \"addr2line is not installed\""}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char *text = printed(&head, rows, 2, cases[i].format);
        assert_in(text, cases[i].part);
        free(text);
    }
}

static void test_heads(void **state)
{
    (void)state;
    struct allfold_report_head head = head_of(false);
    head.least_per_node = 3;
    head.most_per_node = 5;
    assert_table(head, 0,
                 "\n"
                 "Allfold " ALLFOLD_VERSION
                 " report: node7, Open MPI 4.1.4, p = 8, 2 nodes with 3 to 5 ranks\n"
                 "The program ran for 0 s and spent 0 % of that (0 s) in collectives; what "
                 "Allfold saved is not known without --report=compare.\n"
                 "The table has the figures of rank 0: seconds in the calls, waiting for late "
                 "ranks, and moving data.\n"
                 "No collective that Allfold knows was called.\n");
    head.switches = 2;
    assert_table(head, 0,
                 "\n"
                 "Allfold " ALLFOLD_VERSION
                 " report: node7, Open MPI 4.1.4, p = 8, 2 nodes with 3 to 5 ranks, 2 switches\n"
                 "The program ran for 0 s and spent 0 % of that (0 s) in collectives; what "
                 "Allfold saved is not known without --report=compare.\n"
                 "The table has the figures of rank 0: seconds in the calls, waiting for late "
                 "ranks, and moving data.\n"
                 "No collective that Allfold knows was called.\n");
    head.nodes = head.switches = 0;
    assert_table(head, 0,
                 "\n"
                 "Allfold " ALLFOLD_VERSION
                 " report: node7, Open MPI 4.1.4, p = 8, nodes not known\n"
                 "The program ran for 0 s and spent 0 % of that (0 s) in collectives; what "
                 "Allfold saved is not known without --report=compare.\n"
                 "The table has the figures of rank 0: seconds in the calls, waiting for late "
                 "ranks, and moving data.\n"
                 "No collective that Allfold knows was called.\n");
}

enum { COLUMNS = 34 };

/* Cuts a line of CSV, without its end, into columns; returns their number. */
static size_t cut_line(char *line, char *columns[COLUMNS + 1])
{
    size_t count = 0;
    for (char *at = line; count <= COLUMNS;) {
        const bool quoted = *at == '"';
        columns[count++] = at += quoted;
        at = strchr(at, quoted ? '"' : ',');
        if (at != NULL && quoted) {
            *at++ = '\0';
            assert_true(*at == ',' || *at == '\0');
            at = *at == ',' ? at : NULL;
        }
        if (at == NULL)
            break;
        *at++ = '\0';
    }
    return count;
}

static void test_csv(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "version,machine,mpi,world,nodes,least_per_node,most_per_node,collective,p,"
        "least_bytes,most_bytes,calls,all_bytes,seconds,algorithm,chosen,samples,"
        "ours_us,native_us,gain,waiting_seconds,moving_seconds,bits_compared,"
        "bits_differ,mode,phase,flight_seconds,awaited_seconds,"
        "site,ranks,mean_calls,"
        "mean_seconds,mean_waiting_seconds,mean_moving_seconds",
        ALLFOLD_VERSION
        ","
        "\"node7\",\"Open MPI 4.1.4\",8,2,4,4,allreduce,8,1024,1536,100,128000,"
        "0.002500000,\"ring(segment=64K,radix=2)\",\"forced\",4,25.000,40.000,2.000,"
        "0.002000000,0.000500000,7,3,blocking,\"\",0.000000000,0.000000000,"
        "\"\",0,100.000,0.002500000,0.002000000,0.000500000",
        ALLFOLD_VERSION
        ","
        "\"node7\",\"Open MPI 4.1.4\",8,2,4,4,bcast,4,8,8,3,24,0.000012000,\"native\","
        "\"model\",0,0.000,0.000,0.000,0.000000000,0.000000000,0,0,blocking,\"\","
        "0.000000000,0.000000000,\"solve (a+0x1)\",0,3.000,"
        "0.000012000,0.000000000,0.000000000"};
    struct allfold_report_row rows[2];
    example(rows);
    rows[1].site = "solve (a+0x1)";
    strcpy(rows[0].algorithm, "ring(segment=64K,radix=2)");
    rows[0].figures.bits_compared = 7;
    rows[0].figures.bits_differ = 3;
    for (uint32_t count = 0; count <= 2; count++) {
        const struct allfold_report_head head = head_of(count == 1);
        char *text = printed(&head, rows, count, ALLFOLD_REPORT_CSV), *rest = text;
        for (uint32_t line = 0; line <= count; line++) {
            char *columns[COLUMNS + 1], *this = strsep(&rest, "\n");
            assert_non_null(rest);
            assert_string_equal(this, lines[line]);
            assert_int_equal(cut_line(this, columns), COLUMNS);
        }
        assert_string_equal(rest, "");
        free(text);
    }
}

/* Has Python read a text as JSON and check it, as `report`. */
static void assert_json(const char *text, const char *check)
{
    char path[] = "/tmp/allfold_test_report_XXXXXX", command[2400];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    snprintf(command, sizeof command,
             "python3 -c 'import json, sys; report = json.load(open(sys.argv[1]), "
             "parse_constant=sys.exit); rows = report[\"rows\"]; "
             "assert %s, report' %s",
             check, path);
    const int status = system(command);
    unlink(path);
    if (status != 0)
        fail_msg("not as expected (%s): %s", check, text);
}

static void skip_without_python(void)
{
    if (system("command -v python3 >/dev/null 2>&1") == 0)
        return;
    print_message("skipped: there is no python3 to read JSON with\n");
    skip();
}

/* In how many pieces an operation of the program's own was called. */
static void test_operations(void **state)
{
    (void)state;
    struct allfold_report_row rows[2];
    const struct allfold_report_head head = head_of(false);
    example(rows);
    char *text = printed(&head, rows, 2, ALLFOLD_REPORT_TABLE);
    assert_null(strstr(text, "Operation"));
    free(text);
    rows[0].sums.op_calls = 600; /* 100 calls of 1280 bytes each */
    rows[0].sums.op_bytes = 600 * 320;
    rows[1].sums.op_calls = 9;
    rows[1].sums.op_bytes = 9 * 8;
    text = printed(&head, rows, 2, ALLFOLD_REPORT_TABLE);
    assert_non_null(strstr(text, "\nOperation: in 100 calls of allreduce up to 1.5K on 8 ranks "
                                 "(ring(segment=64K)), rank 0 called the program's operation 600 "
                                 "times, in 4 pieces a vector.\n"));
    assert_non_null(strstr(text, "called the program's operation 9 times, in 1 piece a vector.\n"));
    free(text);
    skip_without_python();
    text = printed(&head, rows, 2, ALLFOLD_REPORT_JSON);
    assert_json(text,
                "[(o[\"operation_calls\"], o[\"pieces\"]) for o in report[\"operations\"]] == "
                "[(600, 4.0), (9, 1.0)]");
    free(text);
}

static void test_json(void **state)
{
    (void)state;
    skip_without_python();
    const struct allfold_report_head head = head_of(true);
    struct allfold_report_row rows[2];
    example(rows);
    rows[1].site = "solve (a+0x1)";
    static const char *const checks[] = {
        "rows == []",
        "len(rows) == 1 and report == dict(version=\"" ALLFOLD_VERSION "\", machine=\"node7\", "
        "mpi=\"Open MPI 4.1.4\", world=8, nodes=2, least_per_node=4, most_per_node=4, switches=0, "
        "rows=rows)",
        "rows == [dict(collective=\"allreduce\", p=8, least_bytes=1024, most_bytes=1536, "
        "calls=100, "
        "all_bytes=128000, seconds=0.0025, algorithm=\"ring(segment=64K)\", chosen=\"forced\", "
        "samples=4, ours_us=25.0, native_us=40.0, gain=2.0, waiting_seconds=0.002, "
        "moving_seconds=0.0005, bits_compared=0, bits_differ=0, mode=\"blocking\", phase=\"\", "
        "flight_seconds=0, awaited_seconds=0, "
        "site=\"\", ranks=0, "
        "mean_calls=100, mean_seconds=0.0025, mean_waiting_seconds=0.002, "
        "mean_moving_seconds=0.0005), "
        "dict(collective=\"bcast\", p=4, least_bytes=8, most_bytes=8, calls=3, all_bytes=24, "
        "seconds=0.000012, algorithm=\"native\", chosen=\"model\", samples=0, ours_us=0.0, "
        "native_us=0.0, gain=0.0, waiting_seconds=0.0, moving_seconds=0.0, bits_compared=0, "
        "bits_differ=0, mode=\"blocking\", phase=\"\", flight_seconds=0, awaited_seconds=0, "
        "site=\"solve (a+0x1)\", ranks=0, mean_calls=3, mean_seconds=0.000012, "
        "mean_waiting_seconds=0, mean_moving_seconds=0)]"};
    for (uint32_t count = 0; count <= 2; count++) {
        char *text = printed(&head, rows, count, ALLFOLD_REPORT_JSON);
        assert_json(text, checks[count]);
        free(text);
    }
}

static void test_json_of_one_copy(void **state)
{
    (void)state;
    skip_without_python();
    struct allfold_report_head head = head_of(false);
    const struct allfold_report_row row = row_of(ALLFOLD_ALLREDUCE, 8, 256 << 10, 2, 1.23);
    head.copies = true;
    char *text = printed(&head, &row, 1, ALLFOLD_REPORT_JSON);
    assert_json(text, "report[\"one_copy\"][\"calls\"] == 2 and "
                      "abs(report[\"one_copy\"][\"saved_seconds\"] - 0.23) < 1e-6");
    free(text);
}

static void test_json_of_findings(void **state)
{
    (void)state;
    skip_without_python();
    struct allfold_report_head head = head_of(false);
    add_findings(&head);
    char *text = printed(&head, NULL, 0, ALLFOLD_REPORT_JSON);
    assert_json(text, "report[\"guard\"] == dict(state=\"switch\", looks=12, seconds=0.0015, "
                      "run_seconds=2.5, found=[dict(collective=\"allreduce\", p=8, bytes=8192, "
                      "algorithm=\"ring\", chosen=\"model\", better=b, factor=f, "
                      "outcome=\"switched\") for b, f in ((\"native\", 1.25), (\"flat\", 1.5))])");
    free(text);
}

/* The name of any MPI goes into a JSON string as it is. */
static void test_json_of_mpis(void **state)
{
    (void)state;
    skip_without_python();
    static const char *const mpis[] = {
        "Open MPI v4.1.4, package: \"Debian\" OpenMPI",
        "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n",
        "MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :\tWed March 02\n",
    };
    for (size_t i = 0; i < LENGTH(mpis); i++) {
        struct allfold_report_head head = head_of(false);
        allfold_report_name_mpi(mpis[i], head.mpi, sizeof head.mpi);
        char *text = printed(&head, NULL, 0, ALLFOLD_REPORT_JSON);
        assert_json(text, "\"MPI\" in report[\"mpi\"] or \"MVA\" in report[\"mpi\"]");
        free(text);
    }
}

/* Clocks may stand still for as long as a call takes, those of simulations always: no number of the
 * report is infinite or none. */
static void test_no_time(void **state)
{
    (void)state;
    const struct allfold_report_head head = head_of(true);
    struct allfold_report_row rows[2];
    for (int native = 0; native <= 1; native++)
        for (int format = ALLFOLD_REPORT_TABLE; format <= ALLFOLD_REPORT_JSON; format++) {
            example(rows);
            rows[1].figures.samples = 1;
            rows[1].figures.native_us[0] = (float)native;
            rows[1].sums.calls = 0;
            char *text = printed(&head, rows, 2, (enum allfold_report_format)format);
            assert_null(strstr(text, "inf"));
            assert_null(strstr(text, "nan"));
            free(text);
        }
}

/* Sets the flag where text is written while the program's own locale holds. */
struct watch {
    locale_t programs;
    bool saw_it;
};

static ssize_t watch_write(void *cookie, const char *text, size_t bytes)
{
    struct watch *watch = cookie;
    (void)text;
    watch->saw_it |= uselocale((locale_t)0) == watch->programs;
    return (ssize_t)bytes;
}

/* A program's decimal comma is no concern of the report's, nor the report's point of the program's.
 * Few machines have such a locale, so another one stands for it. */
static void test_locale(void **state)
{
    (void)state;
    const struct allfold_report_head head = head_of(true);
    struct allfold_report_row rows[2];
    struct watch watch = {.programs = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0)};
    FILE *stream = fopencookie(&watch, "w", (cookie_io_functions_t){.write = watch_write});
    assert_non_null(stream);
    setvbuf(stream, NULL, _IONBF, 0);
    example(rows);
    if (watch.programs == (locale_t)0) {
        print_message("skipped: there is no locale C.UTF-8\n");
        fclose(stream);
        skip();
    }
    const locale_t before = uselocale(watch.programs);
    fprintf(stream, "%.1f", 0.5);
    assert_true(watch.saw_it); /* the watch works */
    watch.saw_it = false;
    for (int format = ALLFOLD_REPORT_TABLE; format <= ALLFOLD_REPORT_JSON; format++)
        allfold_report_print(&head, rows, 2, (enum allfold_report_format)format, stream);
    assert_false(watch.saw_it);
    assert_ptr_equal(uselocale(before), watch.programs);
    fclose(stream);
    freelocale(watch.programs);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_names_of_mpis),
        cmocka_unit_test(test_names_keep_within_their_text),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_samples),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_table_of_means),
        cmocka_unit_test(test_table_that_compares),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_one_copy),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_json_of_one_copy),
        cmocka_unit_test(test_staged),
        cmocka_unit_test(test_json_of_findings),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_flights),
        cmocka_unit_test(test_no_lines),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_of_mpis),
        cmocka_unit_test(test_no_time),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
