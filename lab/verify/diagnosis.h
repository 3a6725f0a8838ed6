/* The diagnosis of wrong schedules (struct allfold_blame): the error, the step that causes it, and
 * what was expected.
 *
 * A blame holds no pointers: it may be copied and outlives the case and the schedules. It names
 * ranks; steps, by the lines of a printed schedule, from 0; and messages, by their numbers between
 * two ranks in one direction, from 0. */
#ifndef ALLFOLD_LAB_VERIFY_DIAGNOSIS_H
#define ALLFOLD_LAB_VERIFY_DIAGNOSIS_H

#include "allfold_core.h"

/* Searches the schedules of all ranks for an error, and prefers a cause to its consequences. Checks
 * messages, the order of steps, data and results. If the case is synchronous and has a window, it
 * then checks for a deadlock with that window. Claims are not checked. Returns ALLFOLD_OK with the
 * kind ALLFOLD_BLAME_NOTHING if there is no error, ALLFOLD_DISPROVED with a blame, or
 * ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_blame_find(const struct allfold_case *of,
                                      struct allfold_schedule *const *schedules,
                                      struct allfold_blame *blame);

/* Makes a blame that consists of its kind and `text` only. */
void allfold_blame_say(struct allfold_blame *blame, enum allfold_blame_kind kind,
                       const struct allfold_case *of, const char *text);

#endif
