/* Messages on stderr. */
#ifndef ALLFOLD_UTIL_WARN_H
#define ALLFOLD_UTIL_WARN_H

/* Writes "allfold: MESSAGE" to stderr. */
void allfold_warn(const char *message);

/* The same, but only if this is the first rank of the job. */
void allfold_complain(const char *message);

#endif
