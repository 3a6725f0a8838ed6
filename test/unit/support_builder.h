/* What the tests of the schedule language share: builders, and what is expected of them. */
#ifndef ALLFOLD_TEST_SUPPORT_BUILDER_H
#define ALLFOLD_TEST_SUPPORT_BUILDER_H

#include "schedule/schedule.h"

/* A rank of p with that much of IN and OUT. */
struct allfold_builder *builder_of(int p, int r, size_t in, size_t out, bool in_place);

/* Rank 1 of 4, with 10 elements of each. */
struct allfold_builder *plain_builder(void);

/* The schedule. Frees the builder first, so that nothing of it can be in use afterwards. */
struct allfold_schedule *frozen(struct allfold_builder *s);

/* That the schedule prints as this text. Frees the builder. */
void assert_prints(struct allfold_builder *s, const char *text);

/* That the builder failed with these words, stays so, and gives no schedule. Frees it. */
void assert_refused(struct allfold_builder *s, const char *words);

#endif
