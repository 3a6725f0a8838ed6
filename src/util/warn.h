/* Messages on stderr. */
#ifndef ALLFOLD_UTIL_WARN_H
#define ALLFOLD_UTIL_WARN_H

#include <stdbool.h>

/* Is this the first rank of the job, or of those on its node? Launchers tell each process its rank;
 * without a launcher it is. */
bool allfold_is_first_rank(void);
bool allfold_is_first_on_node(void);

/* Writes "allfold: MESSAGE" to stderr. */
void allfold_warn(const char *message);

/* The same, but only if this is the first rank of the job. */
void allfold_complain(const char *message);

#endif
