/* Pictures: what each message of a collective carries and when, found by a trace of the schedules
 * with symbolic values. Schedules that wait forever are drawn, too: what they do, and in red what
 * never comes. */
#ifndef ALLFOLD_LAB_PICTURE_PICTURE_H
#define ALLFOLD_LAB_PICTURE_PICTURE_H

#include "cost/walk.h"
#include "lab/picture/element_names.h"
#include "lab/verify/verifier.h"

enum allfold_mark_kind {
    ALLFOLD_MARK_MESSAGE,   /* from one rank to another */
    ALLFOLD_MARK_REDUCTION, /* of one rank: from == to */
    ALLFOLD_MARK_LOST,      /* a message that is sent and that nobody receives */
    ALLFOLD_MARK_UNSENT,    /* a message for which `to` waits and that `from` never sends */
    ALLFOLD_MARK_STUCK,     /* a message that never goes, as one side waits for something else */
};

/* A message or a reduction, with what it carries or yields. */
struct allfold_mark {
    enum allfold_mark_kind kind;
    int from, to;
    uint32_t number;  /* of a message, between these two ranks */
    int blocked_rank; /* of one that is stuck: the rank that waits for something else */
    size_t round;     /* in which it ends, from 1; a reduction: after which */
    size_t elements;
    char label[ALLFOLD_LABEL_BYTES]; /* "A-D 0-1": elements A to D, reduced over ranks 0 to 1 */
};

/* From a round on a rank holds a value of an element: reduced over these ranks, or given by them
 * where data is moved. */
struct allfold_holding {
    int rank;
    size_t round; /* 0: from the start */
    size_t row;   /* which of the elements that are shown, see element_names.h */
    uint64_t ranks;
};

struct allfold_picture {
    struct allfold_cost cost;
    uint32_t holding_count, holding_capacity;
    struct allfold_holding *holdings; /* in the order of the rounds */
    uint32_t mark_count;
    uint32_t mark_capacity;
    struct allfold_mark *marks; /* in the order of the rounds */
    bool in_color;              /* set by the caller: text gets a terminal's colors */
    struct allfold_blame blame; /* where something is wrong, what */
};

/* Whether a mark is of what never comes. */
static inline bool allfold_mark_is_red(const struct allfold_mark *mark)
{
    return mark->kind >= ALLFOLD_MARK_LOST;
}

/* Draws a case with at most ALLFOLD_PICTURE_RANKS ranks. Of mode and window only this matters: in
 * synchronous mode ranks may wait forever because of the window (0: none). Freed with
 * allfold_picture_free, also after an error. A picture of schedules that are wrong is no error. */
enum allfold_error allfold_picture_make(const struct allfold_case *of,
                                        struct allfold_picture *picture, char *message,
                                        size_t message_bytes);

/* The same of schedules that are there already, one for each rank of the case. */
enum allfold_error allfold_picture_make_from_schedules(const struct allfold_case *of,
                                                       struct allfold_schedule *const *schedules,
                                                       struct allfold_picture *picture);

void allfold_picture_free(struct allfold_picture *picture);

/* One line: rounds, and what the busiest rank sends and reduces. */
void allfold_cost_print(const struct allfold_cost *cost, FILE *stream);

/* The last round of which there is something to draw. */
size_t allfold_picture_last_round(const struct allfold_picture *picture);

/* The picture as text, round by round, or as a drawing, ranks across and rounds down. Or as a page
 * that steps through this drawing, with a sentence for each round. False without memory: then the
 * output is not whole. */
bool allfold_picture_write_text(const struct allfold_case *of,
                                const struct allfold_picture *picture, FILE *stream);
bool allfold_picture_write_svg(const struct allfold_case *of, const struct allfold_picture *picture,
                               FILE *stream);
bool allfold_picture_write_html(const struct allfold_case *of,
                                const struct allfold_picture *picture, FILE *stream);

#endif
