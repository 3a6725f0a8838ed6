/* Reads the live pages of other processes (see live_page.h).
 *
 * The content of a page is not trusted: another program may have written or damaged it. Numbers are
 * checked, and control characters are removed from texts. The file is read and not mapped, so a
 * file that shrinks causes an error and not a signal. One thread at a time. */
#ifndef ALLFOLD_EVENTS_PAGE_READER_H
#define ALLFOLD_EVENTS_PAGE_READER_H

#include "events/live_page.h"

enum allfold_page_state {
    ALLFOLD_PAGE_RUNS,
    ALLFOLD_PAGE_STALE,    /* its process has ended without removing it */
    ALLFOLD_PAGE_STARTING, /* its process has not filled it yet, or is removing it */
    ALLFOLD_PAGE_BROKEN    /* it is not a page, or must not be read */
};

/* A page as it was at one moment. Of a stale page only the head is valid. */
struct allfold_page_copy {
    struct allfold_page_head head;
    uint64_t calls;
    double in_call_s; /* how long the process has been in a call; negative: it is in none */
    const char *call; /* name of that call's collective */
    double age_s;     /* how old the figures are */
    double run_s;     /* time since the process started */
    struct allfold_page_figures figures;
};

/* Reads the page `name` in a directory (a descriptor). If it is broken, *why is the reason. */
enum allfold_page_state allfold_page_read(int directory, const char *name,
                                          struct allfold_page_copy *copy, const char **why);

#endif
