/* Is a rank the last one clearly more often, or by more, than chance would have it?
 *
 * In each call some rank comes last, so one of two ranks is behind in half of the lateness even if
 * nothing sets it apart. The statistic: over the calls in which the rank came last, by d behind the
 * mean of the others each, S = sum of d; the chance that it was one of the n ranks of each call
 * gives the expected value E = sum of d / n over all its calls; the standard error of S is
 * sqrt(sum of d * d), as of a sum of independent events, so that a few long delays prove nothing.
 * Of p ranks the latest one is looked at, so the bound grows with p: S - E must be at least
 * sqrt(9 + 2 ln p) standard errors. That is three for one rank, and with equal delays 41 calls for
 * the one of two ranks that is always last. Besides, S must be a quarter more than E, as many calls
 * make any small difference significant. */
#ifndef ALLFOLD_EVENTS_LATE_TEST_H
#define ALLFOLD_EVENTS_LATE_TEST_H

#include <stdbool.h>

/* S, E and the sum of squares, of one of several ranks. */
bool allfold_is_above_chance(double behind_s, double chance_s, double squares, int ranks);

#endif
