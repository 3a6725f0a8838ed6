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

bool fails_in_some_run(const struct set *set, unsigned seeds)
{
    struct allfold_case of = set->of;
    char message[400] = "";
    of.window = ALLFOLD_MAX_WINDOW; /* orders least */
    for (unsigned mode = 0; mode < ALLFOLD_VIRTUAL_MODE_COUNT; mode++) {
        of.mode = (enum allfold_virtual_mode)mode;
        for (of.seed = 0; of.seed < (of.mode == ALLFOLD_VIRTUAL_REORDERED ? seeds : 1); of.seed++)
            if (is_caught(
                    allfold_verify_results(verifier, &of, set->schedules, message, sizeof message),
                    message))
                return true;
    }
    return false;
}

bool breaks_a_claim(const struct set *set)
{
    char message[400] = "";
    return is_caught(allfold_verify_claims(&set->of, set->schedules, message, sizeof message),
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

bool ends_before(const struct set *set, int r, uint32_t from, uint32_t to, bool own_only)
{
    uint32_t first[64] = {0}, count = 0;
    for (int k = 0; k < set->of.p; k++)
        first[k + 1] = first[k] + set->schedules[k]->step_count;
    bool *seen = calloc(first[set->of.p], sizeof *seen);
    struct place {
        int rank;
        uint32_t step;
    } *stack = calloc(first[set->of.p], sizeof *stack);
    assert_true(seen != NULL && stack != NULL);
    bool found = false;
    stack[count++] = (struct place){r, from}; /* steps whose end is known to come after */
    while (count > 0 && !found) {
        const struct place at = stack[--count];
        const struct allfold_schedule *schedule = set->schedules[at.rank];
        for (uint32_t e = schedule->first_edge[at.step]; e < schedule->first_edge[at.step + 1];
             e++) {
            /* this step starts, so it ends too, and so does the receive of what it sends */
            struct place next[2] = {{at.rank, schedule->edges[e]}};
            const struct allfold_step *step = &schedule->steps[next[0].step];
            const int reached = 1 + (step->kind == ALLFOLD_STEP_SEND && !own_only);
            if (reached == 2)
                next[1] = (struct place){step->peer, other_side(set, at.rank, step)};
            found = found || (at.rank == r && next[0].step == to);
            for (int k = 0; k < reached; k++)
                if (!seen[first[next[k].rank] + next[k].step]) {
                    seen[first[next[k].rank] + next[k].step] = true;
                    stack[count++] = next[k];
                }
        }
    }
    free(seen);
    free(stack);
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
