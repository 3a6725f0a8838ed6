/* Pictures of a collective, as text, SVG or HTML: the content and the round of each message, found
 * by a trace of the schedules with symbolic values. Schedules that deadlock are drawn, too, with
 * the messages that are never transferred in red. */
#ifndef ALLFOLD_LAB_PICTURE_PICTURE_H
#define ALLFOLD_LAB_PICTURE_PICTURE_H

#include "cost/walk.h"
#include "lab/picture/element_names.h"
#include "lab/verify/verifier.h"

/* The meaning of a mark in the picture: an arrow or a label. */
enum allfold_mark_kind {
    ALLFOLD_MARK_MESSAGE,   /* a message from one rank to another */
    ALLFOLD_MARK_REDUCTION, /* a reduction of one rank: from == to */
    ALLFOLD_MARK_LOST,      /* a message that is sent and never received */
    ALLFOLD_MARK_UNSENT,    /* a message that `to` waits for and `from` never sends */
    ALLFOLD_MARK_STUCK,     /* a message that is never transferred, because one side is blocked */
};

/* A message with its content, or a reduction with its result. */
struct allfold_mark {
    enum allfold_mark_kind kind;
    int from, to;
    uint32_t number;  /* of a message: its number among the messages from `from` to `to` */
    int blocked_rank; /* of ALLFOLD_MARK_STUCK: the rank that waits for something else */
    size_t round;     /* the round, from 1, in which a message ends, or before a reduction */
    size_t elements;
    char label[ALLFOLD_LABEL_BYTES]; /* "A-D 0-1": elements A to D, reduced over ranks 0 and 1 */
};

/* A value of an element that a rank has from the end of a round on. */
struct allfold_holding {
    int rank;
    size_t round;   /* 0: from the start */
    size_t row;     /* the row of the element in the picture, see element_names.h */
    uint64_t ranks; /* bit r is set if the value includes the contribution of rank r or, in a
                       collective that does not reduce, comes from rank r */
};

struct allfold_picture {
    struct allfold_cost cost;
    uint32_t holding_count, holding_capacity;
    struct allfold_holding *holdings; /* sorted by round */
    uint32_t mark_count;
    uint32_t mark_capacity;
    struct allfold_mark *marks; /* sorted by round */
    bool in_color;              /* set by the caller: color the text for a terminal */
    struct allfold_blame blame; /* the error of the schedules, if there is one */
};

/* Returns whether a mark is red: a message that is never transferred. */
static inline bool allfold_mark_is_red(const struct allfold_mark *mark)
{
    return mark->kind >= ALLFOLD_MARK_LOST;
}

/* Makes the picture of a case with at most ALLFOLD_PICTURE_RANKS ranks. Wrong schedules are drawn
 * and are no error. In synchronous mode the picture shows a deadlock that the window of the case
 * causes. A window of 0 means no limit here; in allfold_verify_case it means the default. Returns
 * ALLFOLD_OK or an error of allfold_case_build, with its message. The caller frees the picture with
 * allfold_picture_free, also on errors. */
enum allfold_error allfold_picture_make(const struct allfold_case *of,
                                        struct allfold_picture *picture, char *message,
                                        size_t message_bytes);

/* Makes the picture from existing schedules, one for each rank of the case. Returns ALLFOLD_OK or
 * ALLFOLD_NO_MEMORY. The caller frees the picture with allfold_picture_free, also on errors. */
enum allfold_error allfold_picture_make_from_schedules(const struct allfold_case *of,
                                                       struct allfold_schedule *const *schedules,
                                                       struct allfold_picture *picture);

void allfold_picture_free(struct allfold_picture *picture);

/* Prints a line with the rounds, and what the busiest rank sends and reduces. */
void allfold_cost_print(const struct allfold_cost *cost, FILE *stream);

/* Returns the last round that has something to draw. */
size_t allfold_picture_last_round(const struct allfold_picture *picture);

/* Writes the picture as text, round by round. Returns false if out of memory; the output is then
 * incomplete. */
bool allfold_picture_write_text(const struct allfold_case *of,
                                const struct allfold_picture *picture, FILE *stream);

/* Writes the picture as an SVG drawing, with a column for each rank and a row for each round.
 * Returns false if out of memory; the output is then incomplete. */
bool allfold_picture_write_svg(const struct allfold_case *of, const struct allfold_picture *picture,
                               FILE *stream);

/* Writes an HTML page that steps through the drawing, with a sentence for each round. Returns false
 * if out of memory; the output is then incomplete. */
bool allfold_picture_write_html(const struct allfold_case *of,
                                const struct allfold_picture *picture, FILE *stream);

#endif
