/* The critical path of made-up events, in picoseconds: what the end waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <cmocka.h>

#include "lab/simulate/critical.h"

static struct allfold_budget budget;
static struct allfold_critical *critical;
static struct allfold_simulated simulated;
static const struct allfold_network flat = {.sockets = 1, .cards = 1};

/* Two ranks of four steps each. */
static int begin(void **context)
{
    (void)context;
    budget = (struct allfold_budget){.limit_bytes = 1 << 20};
    simulated = (struct allfold_simulated){.steps = 0};
    critical = allfold_critical_create(2, &budget);
    return !(critical != NULL && allfold_critical_add(critical, 0, 4) &&
             allfold_critical_add(critical, 1, 4));
}

static int end(void **context)
{
    (void)context;
    allfold_critical_free(critical);
    return 0;
}

static void send(uint32_t step, uint32_t receive, uint64_t now)
{
    allfold_critical_sends(critical,
                           (struct allfold_critical_message){.from = 0,
                                                             .send = step,
                                                             .to = 1,
                                                             .receive = receive,
                                                             .level = ALLFOLD_LEVEL_NETWORK,
                                                             .bytes = 100},
                           now);
}

static void assert_path(uint32_t messages, double messages_ps, double work_ps)
{
    allfold_critical_fill(critical, &flat, &simulated);
    const struct allfold_simulated_level *level = &simulated.levels[ALLFOLD_LEVEL_NETWORK];
    assert_int_equal(simulated.level_count, 3);
    assert_string_equal(level->name, "network");
    assert_int_equal(level->path_messages, messages);
    assert_true(fabs(1e12 * level->path_s - messages_ps) < 1e-3);
    assert_true(fabs(1e12 * simulated.path_work_s - work_ps) < 1e-3);
}

/* The receiver waits: the path leads to the sender. */
static void a_message_leads_to_its_sender(void **context)
{
    (void)context;
    allfold_critical_works(critical, 0, 0, 0, 0);
    allfold_critical_ready(critical, 1, 0, 0);
    allfold_critical_ended(critical, 0, 0, 40);
    allfold_critical_ready(critical, 0, 1, 40);
    send(1, 0, 40);
    allfold_critical_ended(critical, 1, 0, 100);
    assert_path(1, 60, 40);
    assert_int_equal(simulated.levels[ALLFOLD_LEVEL_NETWORK].bytes, 100);
}

/* The message waits: the path stays on the receiver. */
static void an_early_message_costs_nothing(void **context)
{
    (void)context;
    allfold_critical_ready(critical, 0, 0, 0);
    send(0, 1, 0);
    allfold_critical_works(critical, 1, 0, 0, 0);
    allfold_critical_ended(critical, 1, 0, 70);
    allfold_critical_ready(critical, 1, 1, 70);
    allfold_critical_early(critical, 1, 1);
    allfold_critical_ended(critical, 1, 1, 70);
    allfold_critical_works(critical, 1, 2, 70, 70);
    allfold_critical_ended(critical, 1, 2, 100);
    assert_path(0, 0, 100);
}

/* What is ready, but behind another message of its rank, waited for that one. */
static void messages_of_a_rank_go_one_after_the_other(void **context)
{
    (void)context;
    for (uint32_t step = 0; step < 2; step++) {
        allfold_critical_ready(critical, 0, step, 0);
        allfold_critical_ready(critical, 1, step, 0);
    }
    send(0, 0, 0);
    send(1, 1, 30);
    allfold_critical_ended(critical, 1, 0, 50);
    allfold_critical_ended(critical, 1, 1, 80);
    assert_path(2, 80, 0);
}

/* So do reductions. */
static void work_of_a_rank_goes_one_after_the_other(void **context)
{
    (void)context;
    allfold_critical_ready(critical, 0, 0, 0);
    allfold_critical_works(critical, 1, 0, 0, 0);
    send(0, 1, 0);
    allfold_critical_ended(critical, 1, 1, 10);
    allfold_critical_works(critical, 1, 2, 10, 60);
    allfold_critical_ended(critical, 1, 0, 60);
    allfold_critical_ended(critical, 1, 2, 90);
    assert_path(0, 0, 90);
}

static void without_memory_there_is_none(void **context)
{
    struct allfold_budget small = {.limit_bytes = 10};
    (void)context;
    assert_null(allfold_critical_create(2, &small));
    assert_true(small.is_over);
    small = (struct allfold_budget){.limit_bytes = budget.used_bytes};
    struct allfold_critical *of = allfold_critical_create(2, &small);
    assert_non_null(of);
    assert_false(allfold_critical_add(of, 0, 1 << 20));
    allfold_critical_free(of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_message_leads_to_its_sender, begin, end),
        cmocka_unit_test_setup_teardown(an_early_message_costs_nothing, begin, end),
        cmocka_unit_test_setup_teardown(messages_of_a_rank_go_one_after_the_other, begin, end),
        cmocka_unit_test_setup_teardown(work_of_a_rank_goes_one_after_the_other, begin, end),
        cmocka_unit_test_setup_teardown(without_memory_there_is_none, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
