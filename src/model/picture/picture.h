/* Pictures: what each message of a collective carries and when, found by walking the schedules with
 * symbolic values. */
#ifndef ALLFOLD_MODEL_PICTURE_H
#define ALLFOLD_MODEL_PICTURE_H

#include <stdio.h>

#include "model/verify/verify.h"
#include "model/cost/walk.h"

enum { ALLFOLD_LABEL_BYTES = 64, ALLFOLD_PICTURE_RANKS = 64 };

/* A message (from != to) or a local reduction (from == to) with what it yields. */
struct allfold_mark {
    int from, to;
    size_t round; /* in which it ends, from 1; a reduction: after which */
    size_t elements;
    char label[ALLFOLD_LABEL_BYTES]; /* "A-D 0-1": elements A to D, reduced over ranks 0 to 1 */
};

struct allfold_picture {
    struct allfold_cost cost;
    uint32_t mark_count;
    uint32_t mark_capacity;
    struct allfold_mark *marks; /* in the order of the rounds */
};

/* Draws a case with at most ALLFOLD_PICTURE_RANKS ranks (mode, seed and window do not matter).
 * Freed with allfold_picture_free, also after an error. */
enum allfold_error allfold_picture_make(const struct allfold_case *of,
                                        struct allfold_picture *picture, char *message,
                                        size_t message_bytes);
void allfold_picture_free(struct allfold_picture *picture);

/* One line: rounds, and what the busiest rank sends and reduces. */
void allfold_cost_print(const struct allfold_cost *cost, FILE *stream);

/* The picture as text, round by round, or as a drawing with a column for each rank. */
void allfold_picture_write_text(const struct allfold_case *of,
                                const struct allfold_picture *picture, FILE *stream);
void allfold_picture_write_svg(const struct allfold_case *of, const struct allfold_picture *picture,
                               FILE *stream);

#endif
