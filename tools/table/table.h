/* The actions of `allfold table` that have a file of their own. */
#ifndef ALLFOLD_TABLE_TABLE_H
#define ALLFOLD_TABLE_TABLE_H

#include "lab/export/export.h"
#include "options.h"

/* Makes a table from the CSV files of several launches. Returns the exit status. */
int allfold_tool_table_pool(const struct allfold_options *options);

/* Writes the table that the second argument names as another library's tuning file. Returns the
 * exit status. */
int allfold_tool_table_export(const struct allfold_options *options,
                              const struct allfold_peer *peer);

#endif
