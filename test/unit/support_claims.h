/* What the tests of the papers' formulas share: an algorithm's schedules, built and walked.
 *
 * test/project/test_formulas.sh looks for each algorithm in test_claims*.c by its collective and
 * name: ALLFOLD_REDUCE, "ring". */
#ifndef ALLFOLD_TEST_SUPPORT_CLAIMS_H
#define ALLFOLD_TEST_SUPPORT_CLAIMS_H

#include "lab/verify/verifier.h"
#include "cost/walk.h"

/* floor(lg p), ceil(lg p) and ceil(log_base p), from their definitions and not from peers.h. */
size_t floor_lg(size_t p);
size_t ceil_lg(size_t p);
size_t ceil_log(size_t base, size_t p);
bool is_power_of_two(size_t p);

/* For a parameter: its preset. */
static const size_t PRESET = SIZE_MAX;

/* What is built. */
struct built {
    enum allfold_collective collective;
    const char *name;
    size_t p, root, n;
    size_t parameter; /* the value of the first one, or PRESET */
    unsigned ports;   /* 0 for those that the algorithm claims */
};

struct walked {
    struct allfold_cost cost;
    size_t messages; /* of the rank that sends most of them */
    struct allfold_claim claim;
};

/* Fails the test where it cannot be built. */
struct walked walked(struct built built);

/* An algorithm with its presets, for n elements on such nodes and an operation that commutes. */
struct allfold_case case_on(const struct allfold_nodes *nodes, enum allfold_collective collective,
                            const char *name, int root, size_t n);

void assert_cost(struct allfold_cost cost, size_t p, size_t root, size_t rounds, size_t sent,
                 size_t reduced);

#endif
