/* A significance test: is a rank the last one clearly more often, or by more time, than chance
 * would explain?
 *
 * In each call some rank comes last, so of two equal ranks each one is responsible for half of the
 * lateness. The statistic: over the calls in which the rank came last, each time by d behind the
 * mean of the others, S = sum of d. Under the hypothesis that each of the n ranks of a call is
 * equally likely to be the last one, the expected value of S is E = sum of d / n over all its
 * calls. The standard error of S is sqrt(sum of d * d), as for a sum of independent events, so that
 * a few long delays prove nothing. The test is applied to the latest of p ranks, so its bound grows
 * with p: S - E must be at least sqrt(9 + 2 ln p) standard errors. That is three for one rank, and
 * with equal delays it takes 42 calls if one of two ranks is always last. In addition, S must be at
 * least 1.25 E, because with many calls any small difference is significant. */
#ifndef ALLFOLD_EVENTS_LATE_TEST_H
#define ALLFOLD_EVENTS_LATE_TEST_H

#include <stdbool.h>

/* Returns whether the lateness of one of `ranks` ranks is significant. behind_s is S, chance_s is
 * E, `squares` is the sum of d * d. Thread-safe. */
bool allfold_is_above_chance(double behind_s, double chance_s, double squares, int ranks);

#endif
