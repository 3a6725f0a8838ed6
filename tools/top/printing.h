/* How `allfold top` shows a running program. */
#ifndef ALLFOLD_TOP_PRINTING_H
#define ALLFOLD_TOP_PRINTING_H

#include <stdbool.h>

#include "running.h"

/* A line for each program, to choose from. */
void top_print_list(const struct top_running *running);

/* What is known of a program, for eyes. */
void top_print_program(const struct top_program *program);

/* The same of all programs as JSON, or with a process of that program alone (0: all). False without
 * memory. */
bool top_print_json(const struct top_running *running, int pid);

#endif
