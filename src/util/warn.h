/* Warnings on stderr. */
#ifndef ALLFOLD_UTIL_WARN_H
#define ALLFOLD_UTIL_WARN_H

/* Writes "allfold: MESSAGE" to stderr. */
void allfold_warn(const char *message);

/* Writes "allfold: MESSAGE" to stderr if this is the first rank of the job (launcher_rank.h). */
void allfold_complain(const char *message);

#endif
