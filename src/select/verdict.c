/* Medians, verdicts and the plan of measurements (see verdict.h). */
#include "select/verdict.h"

#include <assert.h>

enum { MOST = 64 };

/* The value at a share of the way from the least to the greatest; the lower one of two. */
static double quantile(const double *values, int count, int stride, double share)
{
    double sorted[MOST] = {0};
    assert(count > 0 && count <= MOST);
    for (int i = 0; i < count; i++) {
        int place = i;
        for (; place > 0 && sorted[place - 1] > values[i * stride]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = values[i * stride];
    }
    return sorted[(int)((count - 1) * share)];
}

double allfold_verdict_median(const double *values, int count, int stride)
{
    return quantile(values, count, stride, 0.5);
}

/* How many times as fast as the first contender this one was in each round; returns the rounds. */
static int find_factors(const struct allfold_looks *looks, int contender, double *factors)
{
    const int rounds = looks->count * ALLFOLD_LOOK_ROUNDS;
    for (int i = 0; i < rounds; i++) {
        const double *times = &looks->times[i * looks->contenders];
        factors[i] = times[contender] > 0 ? times[0] / times[contender] : 0;
    }
    return rounds;
}

/* Was it clearly faster in each look so far? */
static bool may_be_better(const double *factors, int looks)
{
    const double clear_loss = 1.1;
    for (int i = 0; i < looks; i++)
        if (quantile(factors + i * ALLFOLD_LOOK_ROUNDS, ALLFOLD_LOOK_ROUNDS, 1, 0.5) < clear_loss)
            return false;
    return quantile(factors, looks * ALLFOLD_LOOK_ROUNDS, 1, 1.0 / 3) > 1;
}

/* Is it so much faster in each round that no disturbance explains it? */
static bool is_beyond_doubt(const double *factors, int rounds)
{
    const double great_loss = 1.5;
    return quantile(factors, rounds, 1, 0) >= great_loss;
}

struct allfold_verdict allfold_verdict_of(const struct allfold_looks *looks)
{
    const bool are_all = looks->count == ALLFOLD_LOOKS;
    struct allfold_verdict verdict = {.factor = 1};
    bool one_may = false;
    assert(looks->count > 0 && looks->count <= ALLFOLD_LOOKS &&
           looks->contenders <= ALLFOLD_LOOK_CONTENDERS);
    for (int i = 1; i < looks->contenders; i++) {
        double factors[ALLFOLD_LOOKS * ALLFOLD_LOOK_ROUNDS];
        const int rounds = find_factors(looks, i, factors);
        if (!may_be_better(factors, looks->count))
            continue;
        one_may = true;
        const double factor = quantile(factors, rounds, 1, 0.5);
        if ((are_all || is_beyond_doubt(factors, rounds)) && factor > verdict.factor) {
            verdict.better = i;
            verdict.factor = factor;
        }
    }
    verdict.is_over = are_all || !one_may || verdict.better > 0;
    return verdict;
}

uint64_t allfold_guard_first(const struct allfold_guard_limits *limits, uint64_t vector_bytes)
{
    enum { LEAST = 256, MOST_CALLS = 1024, BYTES = 1 << 26 };
    const uint64_t calls = BYTES / (vector_bytes + 1);
    if (limits->first_calls > 0)
        return limits->first_calls;
    return calls < LEAST ? LEAST : calls > MOST_CALLS ? MOST_CALLS : calls;
}

int allfold_guard_batch(double call_s)
{
    const double batch_s = 25e-6;
    enum { MOST_CALLS = 16 };
    if (call_s * MOST_CALLS <= batch_s)
        return MOST_CALLS;
    return call_s >= batch_s ? 1 : (int)(batch_s / call_s);
}

double allfold_guard_look_s(const double *call_s, int contenders, double barrier_s)
{
    double sum_s = 3 * barrier_s; /* agreements on memory, the first times, all times */
    for (int i = 0; i < contenders; i++)
        sum_s +=
            (ALLFOLD_LOOK_ROUNDS + 1) * (barrier_s + call_s[i] * allfold_guard_batch(call_s[i]));
    return sum_s;
}

/* A first look times each contender twice, and then knows what a look takes as a whole. A contender
 * that was never timed may well be slower; the barriers before them take less than the calls. */
static double expected_look_s(const struct allfold_guard_facts *facts)
{
    const double slower = 2;
    if (facts->look_s > 0)
        return facts->look_s;
    return 3 * facts->agreement_s + 4 * (1 + slower * (facts->contenders - 1)) * facts->call_s;
}

/* When the job will have run for so long, if calls go on at their rate as yet. The answer is from a
 * quarter more calls to twice as many, so that the number of agreements grows with the logarithm of
 * the calls. A job that has overspent waits until the run has paid for it, up to 16 times as many
 * calls. On cores that others load a single agreement may take milliseconds. */
static uint64_t calls_until(const struct allfold_guard_facts *facts, double run_s,
                            bool is_overspent)
{
    const double least = 0.25, most = is_overspent ? 15 : 1;
    const double more = facts->run_s > 0 ? run_s / facts->run_s - 1 : 1;
    const double share = more < least ? least : more < most ? more : most;
    const double calls = share * (double)facts->calls;
    return calls < 1 ? 1 : (uint64_t)calls;
}

struct allfold_guard_plan allfold_guard_plan(const struct allfold_guard_limits *limits,
                                             const struct allfold_guard_facts *facts)
{
    const double worth = 1.0 / 500; /* of the run: less is not worth a look */
    const bool is_worth =
        facts->call_s > 0 && (double)facts->calls * facts->call_s >= worth * facts->run_s;
    const double look_s = expected_look_s(facts);
    struct allfold_guard_plan plan = {.budget_s = limits->share * facts->run_s - facts->spent_s,
                                      .next = facts->calls < 1 ? 1 : facts->calls};
    plan.looks = is_worth && look_s <= plan.budget_s;
    if (facts->call_s > 0 && (!is_worth || facts->is_looked_after))
        return plan;
    const double run_s = (facts->spent_s + look_s * (plan.looks ? 2 : 1)) / limits->share;
    plan.next = calls_until(facts, run_s, plan.budget_s < 0);
    return plan;
}
