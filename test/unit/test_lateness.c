/* When ranks were late: bins against a fine grid, the worst calls against a sorted list, and what
 * the report shows of them. `test_lateness page FILE` writes a page as large as pages get. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "events/lateness.h"
#include "events/report_format.h"
#include "support.h"
#include "util/memory.h"

static uint64_t seed = 7;

static double random_s(double most_s)
{
    return most_s * (double)random_below(&seed, 1 << 20) / (1 << 20);
}

static double sum_of(const struct allfold_late_bins *bins)
{
    double sum_s = 0;
    for (int i = 0; i < ALLFOLD_LATE_BINS; i++)
        sum_s += bins->late_s[i];
    return sum_s;
}

/* Wherever an interval lies, its parts are in the right bins, also once these are wider. */
static void test_bins(void **state)
{
    (void)state;
    enum { GRID = 1 << 14 };
    static const double runs_s[] = {0.001, 0.06, 1, 10, 1e5};
    for (size_t k = 0; k < LENGTH(runs_s); k++) {
        struct allfold_late_bins bins = {.bin_s = 0};
        static bool grid[GRID];
        const double cell_s = runs_s[k] / GRID;
        double all_s = 0;
        memset(grid, 0, sizeof grid);
        for (int at = 0; at < GRID - 200;) { /* one after the other, as calls are */
            const int from = at + (int)random_below(&seed, 100);
            const int to = from + (int)random_below(&seed, 100);
            allfold_late_bins_add(&bins, from * cell_s, to * cell_s);
            memset(&grid[from], true, (size_t)(to - from));
            all_s += (to - from) * cell_s;
            at = to;
        }
        assert_true(fabs(sum_of(&bins) - all_s) < 1e-9 * runs_s[k]);
        assert_true(bins.bin_s * ALLFOLD_LATE_BINS > (GRID - 400) * cell_s);
        assert_true(bins.bin_s < 1.1 / 1024 || bins.bin_s * ALLFOLD_LATE_BINS < 2.2 * runs_s[k]);
        for (int i = 0; i < ALLFOLD_LATE_BINS; i++) {
            double late_s = 0;
            for (int c = 0; c < GRID; c++) {
                const double from_s = fmax(c * cell_s, i * bins.bin_s);
                const double to_s = fmin((c + 1) * cell_s, (i + 1) * bins.bin_s);
                late_s += grid[c] && to_s > from_s ? to_s - from_s : 0;
            }
            assert_true(fabs(bins.late_s[i] - late_s) < 1e-9 * runs_s[k]);
        }
    }
}

static void test_odd_intervals(void **state)
{
    (void)state;
    struct allfold_late_bins bins = {.bin_s = 0};
    float shares[ALLFOLD_LATE_BINS];
    allfold_late_bins_shares(&bins, shares);
    assert_true(shares[0] == 0);
    allfold_late_bins_add(&bins, 2, 1);
    allfold_late_bins_add(&bins, 1, 1);
    assert_true(sum_of(&bins) == 0);
    allfold_late_bins_add(&bins, -3, 0.5); /* before MPI_Init had ended on this rank */
    assert_true(fabs(sum_of(&bins) - 0.5) < 1e-12);
    for (int i = 0; i < 3; i++) /* as several threads may be */
        allfold_late_bins_add(&bins, 0, 0.5);
    allfold_late_bins_shares(&bins, shares);
    assert_true(shares[0] == 1);
    const double before_s = sum_of(&bins);
    allfold_late_bins_widen(&bins, 1000);
    assert_true(bins.bin_s >= 1000 && bins.bin_s < 2000 && sum_of(&bins) == before_s);
    assert_true(bins.late_s[0] == before_s);
}

static struct allfold_worst_call call_of(double lost_s, double when_s)
{
    return (struct allfold_worst_call){.when_s = when_s,
                                       .lost_s = lost_s,
                                       .behind_s = lost_s / 3,
                                       .moving_s = 1e-6,
                                       .bytes = 8,
                                       .p = 4,
                                       .rank = 2};
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a > b ? -1 : a < b;
}

/* Whatever ranks have which calls, and in whatever order they merge, the worst of all remain. */
static void test_worst(void **state)
{
    (void)state;
    enum { CALLS = 700, RANKS = 5 };
    static double lost[CALLS];
    for (int calls = 0; calls <= CALLS; calls += calls < 3 ? 1 : 97) {
        static struct allfold_worst of[RANKS];
        memset(of, 0, sizeof of);
        for (int i = 0; i < calls; i++) {
            lost[i] = random_s(1) + 1e-9 * i;
            const struct allfold_worst_call call = call_of(lost[i], i);
            struct allfold_worst *worst = &of[random_below(&seed, RANKS)];
            if (allfold_worst_takes(worst, call.lost_s))
                allfold_worst_add(worst, &call);
        }
        for (int r = 1; r < RANKS; r++)
            allfold_worst_merge(&of[0], &of[r]);
        allfold_worst_sort(&of[0]);
        qsort(lost, (size_t)calls, sizeof *lost, compare);
        const int kept = calls < ALLFOLD_WORST_CALLS ? calls : ALLFOLD_WORST_CALLS;
        assert_int_equal(of[0].count, kept);
        for (int i = 0; i < kept; i++)
            assert_true(of[0].calls[i].lost_s == lost[i]);
    }
}

/* Each rank or node is in one row, rows follow each other, and there are never too many. */
static void test_rows(void **state)
{
    (void)state;
    for (int items = 1; items < 1100; items += items < 200 ? 1 : 37) {
        struct allfold_late_map map = {.rows = 0};
        for (int i = 0; i < items; i++)
            allfold_late_map_name(&map, i, items, i < items / 2 ? "a" : "b");
        assert_int_equal(map.rows, allfold_late_row_of(items - 1, items) + 1);
        assert_true(items <= ALLFOLD_LATE_ROWS ? map.rows == items
                                               : map.rows > ALLFOLD_LATE_ROWS / 2);
        assert_int_equal(map.list[map.rows - 1].last, items - 1);
        for (int r = 0; r < map.rows; r++) {
            const int middle = items / 2;
            const bool has_both = map.list[r].first < middle && map.list[r].last >= middle;
            assert_int_equal(map.list[r].first, r == 0 ? 0 : map.list[r - 1].last + 1);
            assert_string_equal(map.list[r].node, has_both                     ? ""
                                                  : map.list[r].first < middle ? "a"
                                                                               : "b");
        }
    }
}

/* --- what the report shows --- */

static void fill_head(struct allfold_report_head *head, int ranks, int nodes)
{
    static const char *const phases[] = {"", "solve", "a<b&"};
    *head = (struct allfold_report_head){.machine = "node7", .mpi = "MPICH", .p = ranks};
    head->run_s = 60;
    head->summary = (struct allfold_report_summary){
        .ranks = ranks,
        .sums = {.calls = 1, .split = 1, .waiting_s = 2, .moving_s = 1},
        .latest_count = 1};
    head->summary.latest[0].figures.sums.last = 1;
    head->late.bin_s = 1;
    head->late.is_by_node = nodes > 0;
    const int items = nodes > 0 ? nodes : ranks;
    for (int i = 0; i < items; i++) {
        char node[ALLFOLD_LATE_NAME_BYTES];
        snprintf(node, sizeof node, "rack3-node%04d", i);
        allfold_late_map_name(&head->late, i, items, node);
    }
    for (int i = 0; i < 300; i++) {
        struct allfold_worst_call call = call_of(1 + random_s(1), random_s(60));
        snprintf(call.phase, sizeof call.phase, "%s", phases[i % 3]);
        allfold_worst_add(&head->worst, &call);
    }
    allfold_worst_sort(&head->worst);
}

static char *printed(const struct allfold_report_head *head, uint32_t rows,
                     enum allfold_report_format format)
{
    enum { MOST_ROWS = 400 };
    static struct allfold_report_row list[MOST_ROWS];
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    assert_true(rows <= MOST_ROWS);
    for (uint32_t i = 0; i < rows; i++)
        list[i] = (struct allfold_report_row){
            .collective = (enum allfold_collective)(i % ALLFOLD_COLLECTIVE_COUNT),
            .p = head->p,
            .least_bytes = (size_t)1 << (i % 30),
            .most_bytes = (size_t)1 << (i % 30),
            .algorithm = "two_level(node=recursive_doubling,segment=64K)",
            .source = "model",
            .sums = {.calls = 1000, .seconds = 3, .waiting_s = 2, .moving_s = 1}};
    allfold_report_print(head, list, rows, format, stream);
    fclose(stream);
    return text;
}

static void assert_has(const char *text, const char *part, bool has)
{
    if ((strstr(text, part) != NULL) != has)
        fail_msg("'%s' is %sin: %.4000s", part, has ? "not " : "", text);
}

static void test_text(void **state)
{
    (void)state;
    static struct allfold_report_head head;
    fill_head(&head, 3, 0);
    head.late.late[1][0] = 0.3F;
    head.late.late[1][1] = 0.99F;
    head.late.late[2][59] = 0.011F;
    char *text = printed(&head, 1, ALLFOLD_REPORT_TABLE);
    assert_has(text, "Each column is 1 s; a figure is the part of it that a rank was behind", true);
    assert_has(text, "\nrank 0 (rack3-node0000)                |  ", true);
    assert_has(text, "\nrank 1 (rack3-node0001)                |+#  ", true);
    assert_has(text, "  .|\nThe worst calls", true); /* a run of 60 seconds has 60 columns */
    assert_has(text, " a<b&\n", true);
    assert_has(text, "FILE has all", false);
    free(text);
    head.is_brief = true;
    text = printed(&head, 1, ALLFOLD_REPORT_TABLE);
    assert_has(text, "\nrank 0 (", false);
    assert_has(text, "(left out: 1 row; --report=FILE has all)", true);
    assert_has(text, "(90 more; --report=FILE has all)", true);
    free(text);
    head.summary.sums.waiting_s = 0; /* nothing to show if no rank waits */
    text = printed(&head, 1, ALLFOLD_REPORT_TABLE);
    assert_has(text, "When ranks were late", false);
    assert_has(text, "The worst calls", false);
    free(text);
}

static void test_page(void **state)
{
    (void)state;
    static struct allfold_report_head head;
    fill_head(&head, 2, 0);
    head.late.late[1][2] = 0.5F;
    char *text = printed(&head, 1, ALLFOLD_REPORT_HTML);
    assert_has(text,
               "<desc id=\"ld\">Latest of all: rank 1 (rack3-node0001), 50 % of the time in "
               "the column at 2 s.</desc>",
               true);
    /* the one cell, third of 60, in the second row */
    assert_has(text, "<path opacity=\"0.8\" d=\"M229.2 13h9.6v12h-9.6z\"/>", true);
    assert_has(text, "<path opacity=\"1\"", false);
    assert_has(text, "these 100 made ranks wait", true);
    assert_has(text, "a&lt;b&amp;", true);
    assert_has(text, "a<b&", false);
    free(text);
}

/* As many rows as there can be, and cells that differ from all beside them. */
static void fill_largest(struct allfold_report_head *head)
{
    fill_head(head, 1024, 128);
    head->compares = true;
    for (int r = 0; r < head->late.rows; r++)
        for (int b = 0; b < ALLFOLD_LATE_BINS; b++)
            head->late.late[r][b] = (float)((r + b) % 2 == 0 ? 0.02 : random_s(1));
}

static void test_largest_page(void **state)
{
    (void)state;
    static struct allfold_report_head head;
    fill_largest(&head);
    assert_int_equal(head.late.rows, ALLFOLD_LATE_ROWS);
    char *text = printed(&head, 400, ALLFOLD_REPORT_HTML);
    assert_has(text, ">nodes 126-127</text>", true);
    assert_true(strlen(text) < 1000000);
    free(text);
}

static int write_page(const char *path)
{
    static struct allfold_report_head head;
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 1;
    fill_largest(&head);
    char *text = printed(&head, 400, ALLFOLD_REPORT_HTML);
    fputs(text, file);
    free(text);
    return fclose(file);
}

/* What one rank sees of the others: how often, how far behind, when, and the worst. */
static void test_latecomers(void **state)
{
    (void)state;
    struct allfold_latecomers *seen = allfold_latecomers_make(3);
    struct allfold_late_map map;
    assert_non_null(seen);
    for (int i = 0; i < 300; i++) {
        const struct allfold_worst_call call = {.when_s = 0.1 * (i + 1),
                                                .behind_s = i % 3 == 2 ? 0.05 : 0.001,
                                                .lost_s = i,
                                                .p = 3,
                                                .rank = i % 3};
        allfold_latecomers_add(seen, call.rank, &call, 2);
    }
    allfold_latecomers_map(seen, &map);
    assert_int_equal(seen->of[2].last, 200);
    assert_true(fabs(seen->of[2].behind_s - 10) < 1e-9 && fabs(seen->of[0].behind_s - 0.2) < 1e-9);
    assert_int_equal(seen->worst.count, ALLFOLD_WORST_CALLS);
    allfold_worst_sort(&seen->worst);
    assert_true(seen->worst.calls[0].lost_s == 299 && seen->worst.calls[99].lost_s == 200);
    double late_s[3] = {0};
    for (int r = 0; r < 3; r++)
        for (int b = 0; b < ALLFOLD_LATE_BINS; b++)
            late_s[r] += map.bin_s * (double)map.late[r][b];
    assert_true(fabs(late_s[2] - 5) < 1e-4 && fabs(late_s[0] - 0.1) < 1e-4);
    allfold_free(seen);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins),         cmocka_unit_test(test_odd_intervals),
        cmocka_unit_test(test_worst),        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_text),         cmocka_unit_test(test_page),
        cmocka_unit_test(test_largest_page), cmocka_unit_test(test_latecomers),
    };
    if (argc == 3 && strcmp(argv[1], "page") == 0)
        return write_page(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
