/* Words on stderr. */
#ifndef ALLFOLD_MPI_PROCESS_COMPLAIN_H
#define ALLFOLD_MPI_PROCESS_COMPLAIN_H

/* Writes "allfold: MESSAGE" to stderr. */
void allfold_warn(const char *message);

/* The same, but only where this is the first rank of the job. */
void allfold_complain(const char *message);

#endif
