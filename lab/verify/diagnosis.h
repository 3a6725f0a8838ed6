/* Blames: what is wrong with the schedules of a case, whose step it is, and what was expected.
 *
 * A blame holds no pointers: it may be copied, and outlives the case and the schedules. It speaks
 * of ranks, of steps (the lines of a printed schedule, from 0) and of message numbers (of a pair of
 * ranks, in one direction, from 0). */
#ifndef ALLFOLD_LAB_VERIFY_DIAGNOSIS_H
#define ALLFOLD_LAB_VERIFY_DIAGNOSIS_H

#include "allfold_core.h"

/* Looks at the schedules of all ranks for what is wrong, the cause before what follows from it. It
 * looks at messages, data, results and the order of steps, then for waiting forever in the case's
 * mode with its window. Claims are not looked at. ALLFOLD_OK with kind NOTHING where nothing was
 * found, ALLFOLD_DISPROVED with a blame, or ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_blame_find(const struct allfold_case *of,
                                      struct allfold_schedule *const *schedules,
                                      struct allfold_blame *blame);

/* A blame of which `text` alone is known. */
void allfold_blame_say(struct allfold_blame *blame, enum allfold_blame_kind kind,
                       const struct allfold_case *of, const char *text);

#endif
