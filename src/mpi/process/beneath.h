/* The MPI library beneath this one: is it of the kind that this library was built with?
 *
 * Another kind has other handles, so nothing of it may be touched. Where it is found before the
 * program starts, and LD_PRELOAD brought us, the program starts again without us. Otherwise every
 * call passes through untouched. One warning says what was found, what was expected, and what to
 * do. */
#ifndef ALLFOLD_MPI_PROCESS_BENEATH_H
#define ALLFOLD_MPI_PROCESS_BENEATH_H

#include <stdbool.h>

/* Whether calls may be served. Any thread; the first one looks, and warns. */
bool allfold_beneath_fits(void);

/* Whether this process has an MPI library at all. */
bool allfold_beneath_is_there(void);

/* The file of the library that our calls go to; NULL where there is none. It stays. */
const char *allfold_beneath_path(void);

/* Warns if the program has loaded another MPI library than the one that our calls go to: then
 * somebody named the wrong MPI. */
void allfold_beneath_look_beside(void);

#endif
