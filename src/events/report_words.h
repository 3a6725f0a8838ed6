/* The sentences of a report, which the text and the HTML format share: what the figures mean, and
 * advice. */
#ifndef ALLFOLD_EVENTS_REPORT_WORDS_H
#define ALLFOLD_EVENTS_REPORT_WORDS_H

#include <stdio.h>

#include "events/report_figures.h"

enum { ALLFOLD_MOST_ADVICE = 8, ALLFOLD_WORDS_BYTES = 320, ALLFOLD_TIME_BYTES = 32 };

/* An advice with its reason, and the value that supports it. */
struct allfold_advice {
    const char *kind; /* "nonblocking", "cores", "balance", "tune", "row", "one-copy", "compare",
                         "nothing" */
    char text[ALLFOLD_WORDS_BYTES];
};

/* Writes a time with its unit, and returns `text`. */
const char *allfold_report_time(double seconds, char text[ALLFOLD_TIME_BYTES]);

/* Returns whether ranks wait for late ones for longer than the error of their clocks. */
bool allfold_report_has_waiting(const struct allfold_report_summary *summary);

/* Returns whether the rank was late significantly more than by chance (events/late_test.h). */
bool allfold_report_is_blamed(const struct allfold_report_head *head,
                              const struct allfold_report_rank *rank);

/* Prints lines that say what the figures mean; no line if waiting times are unknown. */
void allfold_report_print_words(const struct allfold_report_head *head,
                                const struct allfold_report_row *rows, uint32_t count,
                                FILE *stream);

/* Fills in the advice for the user, and returns the number of sentences. */
int allfold_report_advise(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count,
                          struct allfold_advice advice[ALLFOLD_MOST_ADVICE]);

/* Prints a line with the machine, the MPI library, ranks and nodes. */
void allfold_report_print_title(const struct allfold_report_head *head,
                                const struct allfold_report_row *rows, uint32_t count,
                                FILE *stream);

/* Prints lines about bits, one copy, the guard and device memory, if the report has such data. */
void allfold_report_print_more(const struct allfold_report_head *head,
                               const struct allfold_report_row *rows, uint32_t count, FILE *stream);

/* Returns whether buffers in device memory were copied through the host. */
bool allfold_report_has_staged(const struct allfold_report_head *head);

/* Returns whether the report shows when ranks were late. It does not if no rank waited, or if that
 * is unknown. */
bool allfold_report_has_lateness(const struct allfold_report_head *head);

/* The map shows in levels for which share of a bin's time a rank was late. A level starts at its
 * minimum share. The HTML page does not draw the first level. */
enum { ALLFOLD_LATE_LEVELS = 6, ALLFOLD_LATE_ROW_BYTES = 96 };
struct allfold_late_level {
    float least;
    char sign;
    const char *opacity;
};
extern const struct allfold_late_level allfold_late_levels[ALLFOLD_LATE_LEVELS];

/* Returns the level of a share. */
int allfold_late_level(float share);

/* Writes the name of row r of the map, such as "rank 3 (node1)", and returns it. */
const char *allfold_late_row_name(const struct allfold_late_map *map, int r,
                                  char name[ALLFOLD_LATE_ROW_BYTES]);

/* Prints what a column of the map is, and what a value in it means. */
void allfold_report_print_late_words(const struct allfold_late_map *map, FILE *stream);

#endif
