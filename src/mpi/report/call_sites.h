/* Call sites: where in the program a collective was called, for ALLFOLD_REPORT=sites.
 *
 * A site is found by walking up the stack to the first function that belongs neither to this
 * library nor to the MPI library. So a call through the MPI library's Fortran wrappers counts as
 * the program's own. All functions are thread-safe. */
#ifndef ALLFOLD_MPI_REPORT_CALL_SITES_H
#define ALLFOLD_MPI_REPORT_CALL_SITES_H

#include <stddef.h>

/* Returns the site of the current call: one pointer for each site, to text that lives as long as
 * the process. Returns NULL if sites are not wanted or the site cannot be found. The text is ""
 * until allfold_call_sites_name. */
const char *allfold_call_site(void);

/* Like allfold_call_site, with its text, and also if no report wants sites. It is slow, so only for
 * errors. */
const char *allfold_call_site_named(void);

/* Writes the text of all sites: "solve (app+0x1234)". */
void allfold_call_sites_name(void);

/* Adds source files and lines: "solve (app+0x1234, solve.c:42)". Returns NULL, or why a site has
 * none. Slow, so call it once. */
const char *allfold_call_sites_add_lines(void);

#endif
