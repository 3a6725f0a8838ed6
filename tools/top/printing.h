/* Prints running programs for `allfold top`. */
#ifndef ALLFOLD_TOP_PRINTING_H
#define ALLFOLD_TOP_PRINTING_H

#include <stdbool.h>

#include "running.h"

/* Prints a line for each program, to choose from. */
void top_print_list(const struct top_running *running);

/* Prints one program as text. */
void top_print_program(const struct top_program *program);

/* Prints all programs as JSON, or only the program that has process `pid`, if that is not 0.
 * Returns false if out of memory. */
bool top_print_json(const struct top_running *running, int pid);

#endif
