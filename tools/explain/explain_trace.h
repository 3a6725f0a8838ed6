/* `allfold explain --trace`: what a program's calls were served by, and what a table should have.
 */
#ifndef ALLFOLD_EXPLAIN_EXPLAIN_TRACE_H
#define ALLFOLD_EXPLAIN_EXPLAIN_TRACE_H

#include "replay.h"

/* Reads the trace, holds what served its calls against the best, and prints it. Returns the exit
 * status. */
int allfold_explain_trace(const char *path, const struct allfold_replay_machine *machine,
                          bool as_json, bool as_csv);

#endif
