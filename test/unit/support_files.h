/* Files of a test, in a directory of its own. */
#ifndef ALLFOLD_TEST_SUPPORT_FILES_H
#define ALLFOLD_TEST_SUPPORT_FILES_H

/* Makes the directory, and returns its name. */
const char *files_begin(void);

/* Writes a file in it, with the directories on its way. */
void files_write(const char *name, const char *text);

/* Removes the directory. */
void files_end(void);

#endif
