/* Reads the page of another process (see live_page.h).
 *
 * Nothing of a page is believed: another program may have written it, or damaged it. Numbers are
 * checked, and texts lose what a terminal would obey. The file is read and never mapped, so a file
 * that shrinks is an error and no signal. */
#ifndef ALLFOLD_EVENTS_PAGE_READER_H
#define ALLFOLD_EVENTS_PAGE_READER_H

#include "events/live_page.h"

enum allfold_page_state {
    ALLFOLD_PAGE_RUNS,
    ALLFOLD_PAGE_STALE,    /* its process is gone, and did not remove it */
    ALLFOLD_PAGE_STARTING, /* its process has not filled it yet, or is removing it */
    ALLFOLD_PAGE_BROKEN    /* it is no page that may be read */
};

/* A page as it was at one moment. Of a stale page the head alone counts. */
struct allfold_page_copy {
    struct allfold_page_head head;
    uint64_t calls;
    double in_call_s; /* how long it has been in a call; less than 0: it is in none */
    const char *call; /* the name of that call's collective */
    double age_s;     /* of the figures */
    double run_s;     /* since the process began */
    struct allfold_page_figures figures;
};

/* Reads the page of that name in a directory. Of a broken one *why says what is wrong. */
enum allfold_page_state allfold_page_read(int directory, const char *name,
                                          struct allfold_page_copy *copy, const char **why);

#endif
