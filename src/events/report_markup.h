/* Text of the report's page. */
#ifndef ALLFOLD_EVENTS_REPORT_MARKUP_H
#define ALLFOLD_EVENTS_REPORT_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* Writes text with what means something in HTML escaped. */
void allfold_markup_text(const char *text, size_t length, FILE *stream);

/* A cell of a table with words in it. */
void allfold_markup_cell(const char *text, FILE *stream);

#endif
