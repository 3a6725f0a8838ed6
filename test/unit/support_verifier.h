/* What the tests of the verifier share: one verifier, and sets of schedules that they change. */
#ifndef ALLFOLD_TEST_SUPPORT_VERIFIER_H
#define ALLFOLD_TEST_SUPPORT_VERIFIER_H

#include "lab/verify/verifier.h"
#include "support.h"

/* There from verifier_set_up to verifier_tear_down, which are for cmocka. */
extern struct allfold_verifier *verifier;
int verifier_set_up(void **state);
int verifier_tear_down(void **state);

/* A case in program order with the default window. */
struct allfold_case case_of(const struct allfold_algorithm *algorithm, int p, size_t count);

/* A set of schedules, of which one rank's (or the other side's, too) is being changed. */
struct set {
    struct allfold_case of;
    struct allfold_schedule **schedules;
};

/* The schedules of an algorithm with preset parameters; freed with allfold_case_free. */
struct set set_of(enum allfold_collective collective, const char *name, int p, size_t count);

/* The first step of that kind from `from` on. */
uint32_t step_of(const struct draft *draft, enum allfold_step_kind kind, uint32_t from);

/* Puts what a draft says in place of rank r's schedule; gives that one back. */
struct allfold_schedule *put(struct set *set, int r, const struct draft *draft);
void put_back(struct set *set, int r, struct allfold_schedule *before);

/* Runs a set in order, with synchronous sends, and reordered with several seeds, until something is
 * found. */
bool fails_in_some_run(const struct set *set, unsigned seeds);
bool breaks_a_claim(const struct set *set);

/* Whether rank r's edges leave something in either order. */
bool breaks_the_order(const struct set *set, int r);

/* The step on the other side of a message. */
uint32_t other_side(const struct set *set, int r, const struct allfold_step *step);

/* Whether the edges of a schedule end a step before they start another. */
bool ends_before(const struct allfold_schedule *schedule, uint32_t from, uint32_t to);

#endif
