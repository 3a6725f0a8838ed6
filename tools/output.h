/* What a command prints must arrive, or the command fails. */
#ifndef ALLFOLD_OUTPUT_H
#define ALLFOLD_OUTPUT_H

/* From now on, when the program exits and its stdout cannot be written, it says so and its status
 * is 1: whatever ends it, `--help` too. */
void allfold_tool_check_output(void);

/* Why a file of this name cannot be written, as errno; 0: it seems that it can. */
int allfold_tool_write_error(const char *path);

#endif
