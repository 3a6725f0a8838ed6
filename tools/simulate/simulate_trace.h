/* `allfold simulate --trace`: what a program's collectives would cost on a network. */
#ifndef ALLFOLD_SIMULATE_SIMULATE_TRACE_H
#define ALLFOLD_SIMULATE_SIMULATE_TRACE_H

#include "replay.h"

enum simulate_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

/* Reads the trace, replays it, and prints the result. Returns the exit status. */
int allfold_simulate_trace(const char *path, const struct allfold_replay_machine *machine,
                           enum simulate_format format);

#endif
