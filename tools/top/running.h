/* Finds the programs that run on this node with ALLFOLD_WATCH, by the pages of their ranks. */
#ifndef ALLFOLD_TOP_RUNNING_H
#define ALLFOLD_TOP_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include "events/page_reader.h"

/* All pages of a directory. They are sorted by job and rank, so the pages of a program are
 * consecutive. */
struct top_running {
    struct allfold_page_copy *pages;
    int count;
    uint32_t capacity;
    int skipped; /* files that are no pages of this user */
    int removed; /* pages of processes that were killed */
    struct allfold_page_copy *killed;
    int killed_count;
    uint32_t killed_capacity;
};

/* A program's ranks on this node; the page of the first one has rows and late ranks. */
struct top_program {
    const struct allfold_page_copy *pages;
    int count;
};

/* Reads all pages, and removes stale ones. With `says` the first file that is no page is named on
 * stderr. Prints a message and returns false if the pages cannot be read. */
bool top_running_read(struct top_running *running, const char *directory, bool says);

void top_running_free(struct top_running *running);

/* Finds the program whose pages begin at *at, and advances *at past it. Returns false if there is
 * none. */
bool top_running_next(const struct top_running *running, int *at, struct top_program *program);

/* Finds the program with process `pid`, and, if `job` is not 0, with that job. Returns false if
 * there is none. */
bool top_running_find(const struct top_running *running, int pid, uint64_t job,
                      struct top_program *program);

#endif
