/* Who waited for whom: the shared clock, how calls split, and what the report says of it in words.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "events/report_words.h"
#include "events/shared_clock.h"
#include "events/split.h"
#include "support.h"
#include "events/late_test.h"

/* --- the shared clock --- */

static uint64_t seed = 11;

static double delay_s(void)
{
    const double least_s = 1e-6;
    return least_s + (random_below(&seed, 3) == 0 ? 0 : 1e-8 * random_below(&seed, 1000));
}

/* Messages at a time of our clock to one that is `ahead` at 0 and gains `drift` a second. Returns
 * half of what the shortest one took. */
static double fit(struct allfold_shared_clock *clock, double at, double ahead, double drift)
{
    struct allfold_clock_bounds bounds = {.uncertain_s = 0.25e-6};
    double shortest = HUGE_VAL;
    for (int i = 0; i < 12; i++) {
        const double sent = at, answered = sent + delay_s();
        at = answered + delay_s();
        shortest = fmin(shortest, at - sent);
        allfold_clock_bound(&bounds, sent, answered + ahead + drift * answered, at);
    }
    allfold_shared_clock_fit(clock, &bounds);
    return shortest / 2;
}

static double error_at(const struct allfold_shared_clock *clock, double at, double ahead,
                       double drift)
{
    return fabs(allfold_shared_clock_tell(clock, at) - (at + ahead + drift * at));
}

/* Ranks of one node read one clock, and messages add no noise to it. */
static void test_one_clock(void **state)
{
    (void)state;
    struct allfold_shared_clock clock = {.is_fitted = false};
    for (int i = 0; i < 100; i++) {
        const double half = fit(&clock, 5 + i, 0, 0);
        assert_true(allfold_shared_clock_tell(&clock, 7.25 + i) == 7.25 + i);
        assert_true(clock.error_s <= half + 0.26e-6 && clock.error_s >= 0.25e-6);
    }
}

static void test_offset(void **state)
{
    (void)state;
    static const double offsets[] = {1e-3, -5, 86400};
    for (size_t i = 0; i < LENGTH(offsets); i++) {
        struct allfold_shared_clock clock = {.is_fitted = false};
        fit(&clock, 100, offsets[i], 0);
        assert_true(error_at(&clock, 100.001, offsets[i], 0) <= clock.error_s);
    }
}

/* After two fits a drift is known, in between them and beyond. */
static void test_drift(void **state)
{
    (void)state;
    struct allfold_shared_clock clock = {.is_fitted = false};
    double first = 1, at = 1;
    fit(&clock, at, -3, 100e-6);
    for (int i = 0; i < 20; i++) {
        const double last = at;
        while (!allfold_shared_clock_is_due(at - last, at - first))
            at += 0.01;
        assert_true(i == 0 || error_at(&clock, at, -3, 100e-6) < 20e-6); /* before this fit */
        fit(&clock, at, -3, 100e-6);
        for (double then = last; then <= at; then += (at - last) / 7)
            assert_true(error_at(&clock, then, -3, 100e-6) < 6e-6);
    }
    assert_true(at - first > 60 && at - first < 200); /* seldom in the long run */
}

/* --- splits --- */

static const enum allfold_collective all = ALLFOLD_ALLREDUCE;

static struct allfold_latest latest_of(enum allfold_collective collective, int root, int rank,
                                       double begin_s)
{
    return allfold_latest_of(allfold_is_awaited(collective, root, rank), rank, begin_s);
}

static void test_last_one(void **state)
{
    (void)state;
    static const double begins[] = {4, 9, 6, 9};
    struct allfold_latest latest = latest_of(all, 0, 2, begins[2]);
    for (int r = 3; r >= 0; r--) {
        const struct allfold_latest other = latest_of(all, 0, r, begins[r]);
        if (r != 2)
            allfold_latest_merge(&latest, &other);
    }
    assert_true(latest.last_s == 9 && latest.rank == 1 && latest.count == 4 && latest.sum_s == 28);
    assert_true(allfold_latest_behind_s(&latest) == 9 - 19.0 / 3);
    const struct allfold_latest before = latest, unknown = allfold_latest_unknown();
    allfold_latest_merge(&latest, &unknown);
    assert_true(latest.rank == before.rank && latest.last_s == before.last_s &&
                latest.sum_s == before.sum_s && latest.count == before.count);
    struct allfold_latest merged = unknown;
    allfold_latest_merge(&merged, &before);
    assert_true(merged.rank == 1 && merged.last_s == 9 && merged.count == 4);
    const struct allfold_latest alone = latest_of(all, 0, 0, 3);
    assert_true(allfold_latest_behind_s(&alone) == 0);
}

/* In a broadcast all wait for the root, however late others are. */
static void test_root_of_bcast(void **state)
{
    (void)state;
    struct allfold_latest latest = latest_of(ALLFOLD_BCAST, 1, 0, 8);
    assert_int_equal(latest.rank, -1);
    const struct allfold_latest root = latest_of(ALLFOLD_BCAST, 1, 1, 2);
    allfold_latest_merge(&latest, &root);
    assert_true(latest.rank == 1 && latest.last_s == 2 && latest.count == 2);
    assert_true(allfold_latest_behind_s(&latest) == 0);
}

static void test_split(void **state)
{
    (void)state;
    static const struct {
        enum allfold_collective collective;
        double begin, end, apart, last, waiting, moving;
    } cases[] = {
        {ALLFOLD_ALLREDUCE, 10, 16, -1, 14, 4, 2}, /* waits, then moves */
        {ALLFOLD_ALLREDUCE, 14, 16, -1, 14, 0, 2}, /* the last one */
        {ALLFOLD_ALLREDUCE, 10, 16, -1, 17, 6, 0}, /* clocks are a little off */
        {ALLFOLD_ALLREDUCE, 10, 16, -1, 9, 0, 6},  /* as the row above */
        {ALLFOLD_BARRIER, 10, 16, -1, 14, 4, 2},   {ALLFOLD_BCAST, 10, 16, -1, 14, 4, 2},
        {ALLFOLD_BCAST, 10, 16, -1, 8, 0, 6},   /* the root was there before */
        {ALLFOLD_REDUCE, 10, 16, -1, 14, 4, 2}, /* the root */
        {ALLFOLD_REDUCE, 10, 11, -1, 14, 0, 1}, /* a leaf, which has sent and left */
        {ALLFOLD_SCAN, 10, 11, -1, 14, 0, 1},      {ALLFOLD_EXSCAN, 10, 11, -1, 14, 0, 1},
        {ALLFOLD_ALLREDUCE, 10, 30, 2, 14, 4, 2}, /* synchronized, compared, then it ran */
        {ALLFOLD_REDUCE, 10, 12, 1, 14, 2, 1},    /* they synchronized, so it has waited */
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct allfold_latest latest = {.last_s = cases[i].last, .rank = 3, .count = 4};
        const struct allfold_split split = allfold_split_call(
            cases[i].collective, cases[i].begin, cases[i].end, cases[i].apart, &latest);
        assert_true(split.waiting_s == cases[i].waiting && split.moving_s == cases[i].moving);
    }
    const struct allfold_latest nobody = allfold_latest_unknown();
    const struct allfold_split split = allfold_split_call(all, 1, 3, -1, &nobody);
    assert_true(split.waiting_s == 0 && split.moving_s == 2);
}

/* --- words --- */

/* A rank of some calls that was last in some of them, by a time in all. */
static struct allfold_report_rank rank_of(uint64_t last, double behind_s, double waiting_s)
{
    struct allfold_report_rank rank = {.sums = {.calls = 110,
                                                .split = 100,
                                                .seconds = waiting_s + 0.5,
                                                .waiting_s = waiting_s,
                                                .moving_s = 0.25,
                                                .last = (double)last,
                                                .behind_s = behind_s},
                                       .error_s = 1e-6 * (double)(1 + last),
                                       .node = "node7"};
    return rank;
}

static struct allfold_report_head head_of(const struct allfold_report_rank *ranks, int count)
{
    struct allfold_report_head head = {.p = count, .run_s = 10};
    double all_s = 0;
    for (int r = 0; r < count; r++)
        all_s += ranks[r].sums.behind_s;
    for (int r = 0; r < count; r++) { /* delays of one length each */
        struct allfold_report_rank rank = ranks[r];
        rank.sums.chance_s = all_s / count;
        rank.sums.squares =
            rank.sums.last > 0 ? rank.sums.behind_s * rank.sums.behind_s / rank.sums.last : 0;
        allfold_report_add_rank(&head.summary, r, &rank);
    }
    return head;
}

static void test_summary(void **state)
{
    (void)state;
    const struct allfold_report_rank ranks[] = {
        rank_of(5, 1, 1), rank_of(0, 0, 1), rank_of(9, 4, 1),  rank_of(2, 1, 1),
        rank_of(1, 2, 1), rank_of(3, 8, 0), rank_of(7, 0.5, 1)};
    const struct allfold_report_head head = head_of(ranks, LENGTH(ranks));
    const struct allfold_report_summary *of = &head.summary;
    static const int expected[] = {5, 2, 4, 0, 3};
    assert_int_equal(of->ranks, 7);
    assert_int_equal(of->sums.calls, 770);
    assert_int_equal(of->latest_count, ALLFOLD_LATEST_RANKS);
    assert_true(of->sums.waiting_s == 6 && of->sums.moving_s == 1.75 && of->sums.behind_s == 16.5);
    assert_true(of->error_s == ranks[2].error_s);
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_int_equal(of->latest[i].rank, expected[i]);
}

static char *words_of(const struct allfold_report_head *head, const struct allfold_report_row *rows,
                      uint32_t count)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    allfold_report_print_words(head, rows, count, stream);
    fclose(stream);
    return text;
}

static void test_words(void **state)
{
    (void)state;
    const struct allfold_report_rank ranks[] = {rank_of(0, 0, 2), rank_of(62, 0.0744, 0.5)};
    struct allfold_report_head head = head_of(ranks, 2);
    struct allfold_report_row row = {.collective = ALLFOLD_ALLREDUCE, .p = 2, .algorithm = "ring"};
    row.sums = (struct allfold_sums){.calls = 100, .seconds = 3, .waiting_s = 2.5, .moving_s = 0.5};
    row.figures = (struct allfold_figures){.samples = 1, .ours_us = {5000}, .native_us = {15000}};
    char *text = words_of(&head, &row, 1);
    assert_string_equal(
        text,
        "The program ran for 10 s and spent 17.5 % of that (1.75 s) in collectives; Allfold "
        "saved about 0.5 s: the MPI library would need 0.75 s to move the data (compared "
        "calls: 1).\n"
        "Of 1.5 s in collectives a rank waited 1.25 s for late ranks; moving data took 0.25 s "
        "(means over 2 ranks).\n"
        "Rank 1 (node7) arrived last in 62 % of its calls, on average 1200 us behind the mean "
        "of the others: 100 % of all lateness, where chance gives 50 %.\n"
        "In 9.09 % of the calls, which took 0.25 s, it is not known who waited.\n"
        "The ranks' clocks agree to within 63 us.\n");
    free(text);
    head.summary.sums.split = 0;
    text = words_of(&head, &row, 1);
    assert_string_equal(text, "The program ran for 10 s and spent 17.5 % of that (1.75 s) in "
                              "collectives; Allfold saved about 0.5 s: the MPI library would need "
                              "0.75 s to move the data (compared calls: 1).\n");
    free(text);
    head.is_incomplete = true;
    text = words_of(&head, &row, 1);
    assert_non_null(strstr(text,
                           "Incomplete: written 10 s after the start, while the program ran.\n"
                           "The program ran for 10 s "));
    free(text);
}

/* While the program runs, rank 0 knows of nodes but its own no name. */
static void test_words_of_rank_0(void **state)
{
    (void)state;
    struct allfold_report_rank ranks[] = {rank_of(0, 0, 2), rank_of(62, 0.0744, 0.5)};
    *ranks[1].node = '\0';
    struct allfold_report_head head = head_of(ranks, 2);
    head.is_incomplete = true;
    char *text = words_of(&head, NULL, 0);
    assert_non_null(strstr(text, "Of 1.5 s in collectives rank 0 waited 1.25 s for late ranks; "
                                 "moving data took 0.25 s.\nRank 1 arrived last in 62 % of"));
    free(text);
}

/* No rank is named if ranks arrive together, as far as their clocks can tell. */
static void test_no_waiting(void **state)
{
    (void)state;
    struct allfold_report_rank ranks[] = {rank_of(40, 1e-5, 1e-5), rank_of(60, 2e-5, 1e-5)};
    struct allfold_report_head head = head_of(ranks, 2);
    assert_false(allfold_report_has_waiting(&head.summary));
    char *text = words_of(&head, NULL, 0);
    assert_null(strstr(text, "arrived last"));
    free(text);
    ranks[0].sums.waiting_s = ranks[1].sums.waiting_s = 1e-4 * 110;
    ranks[0].error_s = ranks[1].error_s = 1e-4;
    ranks[0].sums.moving_s = ranks[1].sums.moving_s = 0;
    head = head_of(ranks, 2);
    assert_true(allfold_report_has_waiting(&head.summary));
    ranks[0].error_s = 1.2e-4;
    head = head_of(ranks, 2);
    assert_false(allfold_report_has_waiting(&head.summary));
}

/* The kinds of advice, in order, with spaces between. */
static void assert_advice(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count,
                          const char *expected)
{
    struct allfold_advice advice[ALLFOLD_MOST_ADVICE];
    char kinds[200] = "";
    const int pieces = allfold_report_advise(head, rows, count, advice);
    for (int i = 0; i < pieces; i++) {
        strcat(strcat(kinds, i == 0 ? "" : " "), advice[i].kind);
        assert_true(strlen(advice[i].text) < ALLFOLD_WORDS_BYTES - 1);
        assert_null(strchr(advice[i].text, '"')); /* it goes into JSON as it is */
    }
    assert_string_equal(kinds, expected);
}

static void test_advice(void **state)
{
    (void)state;
    struct allfold_report_rank ranks[] = {rank_of(1, 1, 3), rank_of(60, 8, 3)};
    struct allfold_report_head head = head_of(ranks, 2);
    struct allfold_report_row rows[10];
    struct allfold_advice advice[ALLFOLD_MOST_ADVICE];
    assert_advice(&head, NULL, 0, "balance");
    allfold_report_advise(&head, NULL, 0, advice);
    assert_non_null(strstr(advice[0].text,
                           "waiting is 30 % of the run, and rank 1 is behind in 89 % of "
                           "that, where chance gives 50 %."));
    ranks[0].sums.behind_s = 6;
    head = head_of(ranks, 2);
    allfold_report_advise(&head, NULL, 0, advice);
    assert_non_null(strstr(advice[0].text,
                           "No one rank is to blame (the latest one is behind in 57 % of "
                           "that, where chance gives 50 %)"));
    head.run_s = 1000; /* too little of it to care for */
    assert_advice(&head, NULL, 0, "nothing");
    head.summary.sums.awaited_s = 60; /* what does not block counts, too */
    head.summary.sums.flight_s = 80;
    assert_advice(&head, NULL, 0, "");
    head.summary.sums.awaited_s = head.summary.sums.flight_s = 0;
    head.run_s = 4;
    assert_advice(&head, NULL, 0, "balance compare");
    for (int i = 0; i < 10; i++) {
        rows[i] = (struct allfold_report_row){.collective = ALLFOLD_REDUCE,
                                              .p = 2,
                                              .most_bytes = 2048,
                                              .algorithm = "ring",
                                              .source = "model"};
        rows[i].sums.moving_s = 1;
        rows[i].figures.samples = 4;
        for (int k = 0; k < 4; k++) {
            rows[i].figures.ours_us[k] = 10;
            rows[i].figures.native_us[k] = 5;
        }
    }
    assert_advice(&head, rows, 1, "balance tune");
    allfold_report_advise(&head, rows, 1, advice);
    assert_non_null(strstr(advice[1].text, "for reduce of 2K bytes on 2 ranks the MPI library is "
                                           "2.00 times as fast as ring (4 samples)"));
    assert_advice(&head, rows, 10, "balance tune tune tune tune tune tune tune");
    rows[0].figures.samples = 3;
    assert_advice(&head, rows, 1, "balance");
    head.found.list[0] = (struct allfold_report_finding){.collective = ALLFOLD_REDUCE,
                                                         .p = 2,
                                                         .bytes = 2048,
                                                         .chosen = "ring",
                                                         .better = "binomial_tree",
                                                         .factor = 1.5,
                                                         .outcome = "switched"};
    head.found.count = 1;
    rows[0].least_bytes = 1025;
    assert_advice(&head, rows, 1, "balance row");
    allfold_report_advise(&head, rows, 1, advice);
    assert_non_null(strstr(advice[1].text,
                           "the guard measured binomial_tree to be 1.50 times as fast as ring "
                           "for reduce of 2K bytes on 2 ranks (switched)"));
    head.found.list[0].bytes = 1024; /* of no row: its gain is unknown */
    assert_advice(&head, rows, 1, "balance");
    rows[0].collective = ALLFOLD_ALLREDUCE;
    rows[0].sums.bytes = 3.0 * (4 << 20);
    rows[0].sums.calls = 3;
    rows[0].sums.seconds = 1;
    assert_advice(&head, rows, 1, "balance"); /* nothing was copied */
    head.copies = true;
    assert_advice(&head, rows, 1, "balance one-copy");
    allfold_report_advise(&head, rows, 1, advice);
    assert_non_null(strstr(advice[1].text, "3 calls copied theirs through shared memory"));
    rows[0].sums.seconds = rows[0].sums.moving_s = 0.17; /* 1 % of the run would be 0.04 s */
    assert_advice(&head, rows, 1, "balance");
    head.summary.sums.split = 0;
    assert_advice(&head, rows, 10, "");
    for (int i = 0; i < 2; i++) {
        rows[i].mode = i == 0 ? allfold_mode_nonblocking : allfold_mode_persistent;
        rows[i].source = allfold_needs_nonblocking;
        rows[i].sums.calls = 50;
    }
    assert_advice(&head, rows, 10, "nonblocking");
    allfold_report_advise(&head, rows, 10, advice);
    assert_non_null(strstr(advice[0].text, "Try `allfold run --nonblocking`: 100 nonblocking or "
                                           "persistent collectives went to the MPI library"));
    rows[1].source = "one rank alone"; /* which the setting does not change */
    assert_advice(&head, rows, 10, "");
}

/* One of two ranks is behind in half of the lateness, whatever happens. */
static void test_chance(void **state)
{
    (void)state;
    static const struct {
        double behind, chance, squares;
        int ranks;
        bool is_clear;
    } cases[] = {
        {510, 500, 510, 2, false},    /* 510 of 1000 equal delays */
        {51e6, 50e6, 51e6, 2, false}, /* however many there are */
        {620, 500, 620, 2, false},    /* not yet a quarter more */
        {700, 500, 700, 2, true},     /* 700 of 1000 */
        {40, 20, 40, 2, false},       /* all of so few */
        {42, 21, 42, 2, true},        /* all of enough */
        {100, 60, 80 * 80, 2, false}, /* one long delay among short ones */
        {9, 0.009, 9, 1000, false},   /* few calls of many ranks */
        {30, 0.03, 30, 1000, true},   /* all of enough */
        {130, 100, 130, 1000, false}, /* one of a thousand ranks reaches that by chance */
        {0, 0, 0, 2, false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(allfold_is_above_chance(cases[i].behind, cases[i].chance, cases[i].squares,
                                                 cases[i].ranks),
                         cases[i].is_clear);
    /* in any call each of the ranks may be last; of a broadcast the root is early or late */
    const struct allfold_latest latest = {.last_s = 9, .sum_s = 9 + 3 * 5, .rank = 1, .count = 4};
    assert_true(allfold_latest_chance_s(&latest, all, 0, 1) == 1);
    assert_true(allfold_latest_chance_s(&latest, all, 0, 2) == 1);
    assert_true(allfold_latest_chance_s(&latest, ALLFOLD_REDUCE, 0, 2) == 1);
    assert_true(allfold_latest_chance_s(&latest, ALLFOLD_BCAST, 1, 1) == 2);
    assert_true(allfold_latest_chance_s(&latest, ALLFOLD_BCAST, 1, 2) == 0);
    const struct allfold_latest early = {.last_s = 1, .sum_s = 1 + 3 * 5, .rank = 1, .count = 4};
    assert_true(allfold_latest_chance_s(&early, ALLFOLD_BCAST, 1, 1) == 2);
    const struct allfold_latest nobody = allfold_latest_unknown();
    assert_true(allfold_latest_chance_s(&nobody, all, 0, 1) == 0);
}

/* Ranks that share cores are reported before any rank is blamed. */
static void test_shared_cores(void **state)
{
    (void)state;
    struct allfold_report_rank ranks[] = {rank_of(45, 5, 3), rank_of(55, 6, 3)};
    struct allfold_advice advice[ALLFOLD_MOST_ADVICE];
    struct allfold_report_head head = head_of(ranks, 2);
    assert_advice(&head, NULL, 0, "balance");
    char *text = words_of(&head, NULL, 0);
    assert_non_null(strstr(text, "No rank was late significantly more often than by chance.\n"));
    free(text);
    ranks[0].shares_cores = ranks[1].shares_cores = true;
    ranks[0].switches = 1000;
    ranks[1].switches = 5000;
    head = head_of(ranks, 2);
    assert_advice(&head, NULL, 0, "cores");
    allfold_report_advise(&head, NULL, 0, advice);
    assert_non_null(strstr(advice[0].text, "all ranks share cores with other ranks (300 "
                                           "involuntary context switches a second and rank)"));
    ranks[1].sums.behind_s = 60;
    head = head_of(ranks, 2);
    assert_advice(&head, NULL, 0, "cores balance");
    ranks[0].shares_cores = ranks[1].shares_cores = false;
    head = head_of(ranks, 2);
    assert_advice(&head, NULL, 0, "cores balance"); /* others use the cores */
    ranks[0].switches = ranks[1].switches = 150;
    head = head_of(ranks, 2);
    assert_advice(&head, NULL, 0, "balance");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_clock),       cmocka_unit_test(test_offset),
        cmocka_unit_test(test_drift),           cmocka_unit_test(test_last_one),
        cmocka_unit_test(test_root_of_bcast),   cmocka_unit_test(test_split),
        cmocka_unit_test(test_summary),         cmocka_unit_test(test_words),
        cmocka_unit_test(test_words_of_rank_0), cmocka_unit_test(test_no_waiting),
        cmocka_unit_test(test_advice),          cmocka_unit_test(test_chance),
        cmocka_unit_test(test_shared_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
