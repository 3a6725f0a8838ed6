/* The report in words, which the table and the page share: what the figures say, and what would
 * help.
 */
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

/* Was the rank late by clearly more than chance (events/late_test.h)? */
bool allfold_report_is_blamed(const struct allfold_report_head *head,
                              const struct allfold_report_rank *rank);

/* Lines that say what the figures mean; none where nothing is known of waiting. */
void allfold_report_print_words(const struct allfold_report_head *head,
                                const struct allfold_report_row *rows, uint32_t count,
                                FILE *stream);

/* Returns how many. */
int allfold_report_advise(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count,
                          struct allfold_advice advice[ALLFOLD_MOST_ADVICE]);

/* A line: the machine, the MPI library, ranks and nodes. */
void allfold_report_print_title(const struct allfold_report_head *head,
                                const struct allfold_report_row *rows, uint32_t count,
                                FILE *stream);

/* Lines about bits, one copy, the guard and device memory, as far as there is something to say. */
void allfold_report_print_more(const struct allfold_report_head *head,
                               const struct allfold_report_row *rows, uint32_t count, FILE *stream);

/* Did buffers in device memory go through the host? */
bool allfold_report_has_staged(const struct allfold_report_head *head);

/* Does the report show when ranks were late? It does not if no rank waited, or if this is not
 * known. */
bool allfold_report_has_lateness(const struct allfold_report_head *head);

/* The map shows the share of a bin's time that a rank was late in levels: each begins with its
 * least share. The page leaves out the first. */
enum { ALLFOLD_LATE_LEVELS = 6, ALLFOLD_LATE_ROW_BYTES = 96 };
struct allfold_late_level {
    float least;
    char sign;
    const char *opacity;
};
extern const struct allfold_late_level allfold_late_levels[ALLFOLD_LATE_LEVELS];
int allfold_late_level(float share);

/* "rank 3 (node1)"; returns the name. */
const char *allfold_late_row_name(const struct allfold_late_map *map, int r,
                                  char name[ALLFOLD_LATE_ROW_BYTES]);

/* Says what a column of the map is, and what a value in it means. */
void allfold_report_print_late_words(const struct allfold_late_map *map, FILE *stream);

#endif
