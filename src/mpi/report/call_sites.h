/* Call sites: where in the program a collective was called, for a report by ALLFOLD_REPORT=sites.
 *
 * The stack is walked from here to the first function that is neither of this library nor of the
 * MPI library. So a call by Fortran's wrappers is the program's own. All functions are
 * thread-safe. */
#ifndef ALLFOLD_MPI_REPORT_CALL_SITES_H
#define ALLFOLD_MPI_REPORT_CALL_SITES_H

#include <stddef.h>

/* The place of the call that is on: one pointer for each place, to text that lives as long as the
 * process. NULL where sites are not wanted, or there is none. */
const char *allfold_call_site(void);

/* The same with its text, also where no report wants sites: for an error, as it takes long. */
const char *allfold_call_site_named(void);

/* Writes all places' text: "solve (app+0x1234)". Until then they are "". */
void allfold_call_sites_name(void);

/* Adds source files and lines: "solve (app+0x1234, solve.c:42)". Returns NULL, or why a place has
 * none. Takes long, so once. */
const char *allfold_call_sites_add_lines(void);

#endif
