/* Sets of schedules to be verified (see support_verifier.h). */
#include "support_verifier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct allfold_verifier *verifier;

int verifier_set_up(void **state)
{
    (void)state;
    verifier = allfold_verifier_create();
    return verifier == NULL;
}

int verifier_tear_down(void **state)
{
    (void)state;
    allfold_verifier_free(verifier);
    return 0;
}

static bool is_caught(enum allfold_error error, const char *message)
{
    if (error == ALLFOLD_OK)
        return false;
    assert_true(error == ALLFOLD_DISPROVED || error == ALLFOLD_NO_PROGRESS);
    assert_true(message[0] != '\0' && strstr(message, "no memory") == NULL);
    return true;
}

static bool fails(const struct set *set, enum allfold_virtual_mode mode, uint64_t seed)
{
    struct allfold_case of = set->of;
    char message[400] = "";
    of.window = ALLFOLD_MAX_WINDOW; /* orders least */
    of.mode = mode;
    of.seed = seed;
    return is_caught(allfold_verify_results(verifier, &of, set->schedules, message, sizeof message),
                     message);
}

bool fails_in_some_run(const struct set *set, unsigned seeds)
{
    if (fails(set, ALLFOLD_VIRTUAL_IN_ORDER, 0) || fails(set, ALLFOLD_VIRTUAL_SYNCHRONOUS, 0))
        return true;
    for (unsigned seed = 0; seed < seeds; seed++)
        if (fails(set, ALLFOLD_VIRTUAL_REORDERED, seed))
            return true;
    return false;
}

bool breaks_a_claim(const struct set *set)
{
    char message[400] = "";
    return is_caught(allfold_verify_claims(&set->of, set->schedules, message, sizeof message),
                     message);
}

bool breaks_the_order(const struct set *set, int r)
{
    char message[400] = "";
    return is_caught(
        allfold_verify_order(&set->of, set->schedules, r, set->of.p, message, sizeof message),
        message);
}

struct allfold_schedule *put(struct set *set, int r, const struct draft *draft)
{
    struct allfold_schedule *before = set->schedules[r];
    set->schedules[r] = schedule_of(draft);
    return before;
}

void put_back(struct set *set, int r, struct allfold_schedule *before)
{
    allfold_schedule_free(set->schedules[r]);
    set->schedules[r] = before;
}

uint32_t other_side(const struct set *set, int r, const struct allfold_step *step)
{
    const struct allfold_schedule *schedule = set->schedules[step->peer];
    uint32_t i = 0;
    while (schedule->steps[i].peer != r || schedule->steps[i].number != step->number ||
           schedule->steps[i].kind == step->kind)
        i++;
    return i;
}

bool ends_before(const struct allfold_schedule *schedule, uint32_t from, uint32_t to)
{
    bool *after = calloc(schedule->step_count, sizeof *after);
    assert_non_null(after);
    after[from] = true;
    for (uint32_t i = from; i < to; i++)
        for (uint32_t e = schedule->first_edge[i]; after[i] && e < schedule->first_edge[i + 1]; e++)
            after[schedule->edges[e]] = true;
    const bool found = after[to];
    free(after);
    return found;
}

struct allfold_case case_of(const struct allfold_algorithm *algorithm, int p, size_t count)
{
    return (struct allfold_case){.algorithm = algorithm,
                                 .p = p,
                                 .count = count,
                                 .mode = ALLFOLD_VIRTUAL_IN_ORDER,
                                 .window = ALLFOLD_WINDOW};
}

struct set set_of(enum allfold_collective collective, const char *name, int p, size_t count)
{
    struct set set = {.of = case_of(allfold_algorithm_find(collective, name), p, count)};
    char message[400] = "";
    set.of.parameters = allfold_parameter_presets(set.of.algorithm);
    assert_int_equal(allfold_case_build(&set.of, &set.schedules, message, sizeof message),
                     ALLFOLD_OK);
    return set;
}

uint32_t step_of(const struct draft *draft, enum allfold_step_kind kind, uint32_t from)
{
    uint32_t i = from;
    while (draft->steps[i].kind != kind)
        i++;
    return i;
}
