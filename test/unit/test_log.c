/* The log: what the record of a call adds to its row, to its rank, and to who was late. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "events/log.h"
#include "support.h"

/* A job of three ranks, of which this is rank 1. */
static int begin(void **state)
{
    (void)state;
    struct allfold_log *log = allfold_log_lock();
    allfold_log_free(log);
    log->rank = 1;
    log->size = 3;
    allfold_log_unlock();
    return 0;
}

static uint32_t row_of(size_t bytes, const char *mode)
{
    struct allfold_report_row row =
        allfold_report_native_row(ALLFOLD_ALLREDUCE, 3, bytes, "why", NULL);
    row.mode = mode;
    return allfold_report_find_row(&row);
}

static struct allfold_event event_of(uint32_t row, double begin_s, double end_s)
{
    return (struct allfold_event){.begin = allfold_log_ns_of(begin_s),
                                  .end = allfold_log_ns_of(end_s),
                                  .apart_s = -1,
                                  .bytes = 8,
                                  .row = row,
                                  .shape = ALLFOLD_NO_SHAPE,
                                  .calls = 1,
                                  .collective = ALLFOLD_ALLREDUCE,
                                  .is_recorded = true};
}

/* When three ranks began: the others both at one time. */
static struct allfold_latest latest_of(double own_s, double others_s)
{
    struct allfold_latest latest = allfold_latest_of(true, 1, own_s);
    for (int r = 0; r < 3; r += 2) {
        const struct allfold_latest other = allfold_latest_of(true, r, others_s);
        allfold_latest_merge(&latest, &other);
    }
    return latest;
}

static const struct allfold_shared_clock clock = {.error_s = 1e-7};
static const struct allfold_log_caller caller = {
    .rank = 1, .size = 3, .clock = &clock, .line = {.tick_s = 1e-9}};

static void assert_near(double value, double expected)
{
    assert_true(value > expected - 1e-8 && value < expected + 1e-8);
}

static void test_blocked(void **state)
{
    (void)state;
    const uint32_t row = row_of(8, NULL);
    /* waits for the others, is waited for, is apart, and stands for four calls that are not split
     */
    struct allfold_event events[] = {event_of(row, 1, 3), event_of(row, 5, 6), event_of(row, 7, 9)};
    const struct allfold_latest latest[] = {latest_of(1, 2.5), latest_of(5, 4), latest_of(7, 7)};
    events[2].apart_s = 0.25;
    allfold_log_end(events, 3, latest, &caller);
    events[0].calls = 4;
    allfold_log_end(events, 1, NULL, &caller);
    struct allfold_log *log = allfold_log_lock();
    const struct allfold_sums *of[] = {&log->rows[row].sums, &log->own.sums};
    for (int i = 0; i < 2; i++) {
        assert_near(of[i]->calls, 7);
        assert_near(of[i]->bytes, 56);
        assert_near(of[i]->waiting_s, 1.5 + 0 + 0);
        assert_near(of[i]->moving_s, 0.5 + 1 + 0.25);
        assert_near(of[i]->seconds, 2 + 1 + 0.25 + 4 * 2);
    }
    assert_near(log->own.sums.split, 3);
    assert_near(log->own.sums.last, 1);
    assert_near(log->own.sums.behind_s, 1);
    assert_true(log->own.error_s == clock.error_s);
    assert_int_equal(log->worst.count, 1);
    assert_near(log->worst.calls[0].when_s, 5);
    assert_int_equal(log->worst.calls[0].rank, 1);
    assert_null(log->seen);
    allfold_log_unlock();
}

static void test_seen(void **state)
{
    (void)state;
    struct allfold_log *log = allfold_log_lock();
    assert_true(allfold_log_watch(log));
    allfold_log_unlock();
    const struct allfold_event event = event_of(row_of(8, NULL), 1, 3);
    struct allfold_latest latest = allfold_latest_of(true, 1, 1);
    const struct allfold_latest early = allfold_latest_of(true, 0, 1),
                                late = allfold_latest_of(true, 2, 2);
    allfold_latest_merge(&latest, &early);
    allfold_latest_merge(&latest, &late);
    allfold_log_end(&event, 1, &latest, &caller);
    assert_int_equal(log->seen->of[2].last, 1);
    assert_near(log->seen->of[2].behind_s, 1);
    assert_near(log->seen->worst.calls[0].when_s, 2);
    assert_int_equal(log->worst.count, 0);
}

static void test_in_flight(void **state)
{
    (void)state;
    const uint32_t row = row_of(8, allfold_mode_nonblocking);
    struct allfold_event event = event_of(row, 1, 5);
    event.kind = ALLFOLD_CALL_IN_FLIGHT;
    event.starting_s = 0.125;
    event.awaited_s = 3.5;
    allfold_log_end(&event, 1, NULL, NULL);
    const struct allfold_log *log = allfold_log_lock();
    allfold_log_unlock();
    const struct allfold_sums *of = &log->rows[row].sums;
    assert_near(of->calls, 1);
    assert_near(of->seconds, 3.625);
    assert_near(of->flight_s, 4);
    assert_near(of->awaited_s, 3.5);
    assert_near(log->own.sums.calls, 0);
    assert_near(log->own.sums.flight_s, 4);
}

/* Of those that do not block, the rank's own sums have nothing. */
static void test_passed(void **state)
{
    (void)state;
    const uint32_t row = row_of(8, NULL), started = row_of(8, allfold_mode_nonblocking);
    struct allfold_event event = event_of(row, 1, 1.5);
    assert_int_not_equal(row, started);
    allfold_log_end(&event, 1, NULL, NULL);
    event.row = started;
    event.kind = ALLFOLD_CALL_STARTED;
    allfold_log_end(&event, 1, NULL, NULL);
    event.row = ALLFOLD_NO_ROW;
    allfold_log_end(&event, 1, NULL, NULL);
    const struct allfold_log *log = allfold_log_lock();
    allfold_log_unlock();
    assert_near(log->rows[row].sums.seconds, 0.5);
    assert_near(log->rows[started].sums.seconds, 0.5);
    assert_near(log->own.sums.calls, 1);
    assert_near(log->own.sums.seconds, 0.5);
}

static void test_rows(void **state)
{
    (void)state;
    assert_int_equal(row_of(600, NULL), row_of(1000, NULL));
    assert_int_not_equal(row_of(600, NULL), row_of(1100, NULL));
    allfold_log_enter("solve");
    const uint32_t solve = row_of(600, NULL);
    assert_int_not_equal(solve, 0);
    allfold_log_enter(NULL);
    assert_int_equal(row_of(600, NULL), 0);
    allfold_log_record(false);
    assert_int_equal(row_of(600, NULL), ALLFOLD_NO_ROW);
    allfold_log_record(true);
    struct allfold_log *log = allfold_log_lock();
    const uint32_t count = log->row_count;
    char phase[] = "solve", site[] = "main (a+0x1)", source[] = "why"; /* which do not last */
    struct allfold_report_row row = log->rows[solve];
    row.ranks = 2;
    row.all_ranks = (struct allfold_sums){.calls = 5};
    row.phase = phase;
    row.source = source;
    allfold_log_merge_row(log, &row);
    assert_int_equal(log->row_count, count);
    assert_int_equal(log->rows[solve].ranks, 2);
    row.site = site;
    allfold_log_merge_row(log, &row);
    allfold_log_merge_row(log, &row);
    memset(site, 0, sizeof site);
    assert_int_equal(log->row_count, count + 1);
    assert_int_equal(log->rows[count].ranks, 4);
    assert_near(log->rows[count].all_ranks.calls, 10);
    assert_string_equal(log->rows[count].site, "main (a+0x1)");
    allfold_log_unlock();
}

static int end(void **state)
{
    (void)state;
    allfold_log_free(allfold_log_lock());
    allfold_log_unlock();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_blocked, begin), cmocka_unit_test_setup(test_seen, begin),
        cmocka_unit_test_setup(test_in_flight, begin), cmocka_unit_test_setup(test_passed, begin),
        cmocka_unit_test_setup(test_rows, begin)};
    return cmocka_run_group_tests(tests, NULL, end);
}
