/* The report in words: what the figures say, and what would help. */
#ifndef ALLFOLD_EVENTS_REPORT_WORDS_H
#define ALLFOLD_EVENTS_REPORT_WORDS_H

#include <stdio.h>

#include "events/report_figures.h"

enum { ALLFOLD_MOST_ADVICE = 8, ALLFOLD_WORDS_BYTES = 320, ALLFOLD_TIME_BYTES = 32 };

/* A sentence with its reason and the figure that it rests on. */
struct allfold_advice {
    const char *kind; /* "nonblocking", "cores", "balance", "tune", "row", "one-copy", "compare",
                         "nothing" */
    char text[ALLFOLD_WORDS_BYTES];
};

/* Writes a time with its unit, and returns it. */
const char *allfold_report_time(double seconds, char text[ALLFOLD_TIME_BYTES]);

/* Do ranks wait for late ones, and longer than their clocks are off? */
bool allfold_report_has_waiting(const struct allfold_report_summary *summary);

/* Was the rank late by clearly more than chance (util/above_chance.h)? */
bool allfold_report_is_blamed(const struct allfold_report_head *head,
                              const struct allfold_report_rank *rank);

/* What the MPI library would need for what was moved, where some calls were compared; else less
 * than 0. */
double allfold_report_native_s(const struct allfold_report_row *rows, uint32_t count);

/* Lines that say what the figures mean; none where nothing is known of waiting. */
void allfold_report_print_words(const struct allfold_report_head *head,
                                const struct allfold_report_row *rows, uint32_t count,
                                FILE *stream);

/* Returns how many. */
int allfold_report_advise(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count,
                          struct allfold_advice advice[ALLFOLD_MOST_ADVICE]);

#endif
