/* `allfold explain --trace`: which algorithms handled a program's calls, and which rows a table
 * should have for them. */
#ifndef ALLFOLD_EXPLAIN_EXPLAIN_TRACE_H
#define ALLFOLD_EXPLAIN_EXPLAIN_TRACE_H

#include "replay.h"

/* Reads the trace, compares the algorithms of its calls with the best, and prints the result.
 * Returns the exit status. */
int allfold_explain_trace(const char *path, const struct allfold_replay_machine *machine,
                          bool as_json, bool as_csv);

#endif
