/* Checks for output that cannot be written: stdout when the program exits, and output files before
 * the work begins. */
#ifndef ALLFOLD_OUTPUT_H
#define ALLFOLD_OUTPUT_H

/* Checks stdout when the program exits, also after `--help`: if it cannot be written, prints a
 * message and exits with status 1. */
void allfold_tool_check_output(void);

/* Returns the errno that prevents writing a file of this name; 0 if it can probably be written. */
int allfold_tool_write_error(const char *path);

#endif
