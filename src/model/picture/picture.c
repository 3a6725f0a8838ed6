/* Pictures (see picture.h). */
#include "model/picture/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/verify/values.h"
#include "util/memory.h"

struct painter {
    const struct allfold_case *of;
    struct allfold_schedule **schedules;
    struct allfold_values *values;
    struct allfold_picture *picture;
    uint32_t *memory;
    uint32_t *base[ALLFOLD_PICTURE_RANKS][ALLFOLD_MAX_BUFFERS];
};

/* "A-D", or "0-3" where there are more elements than letters. */
static size_t name_elements(const struct painter *painter, char *text, size_t at, size_t first,
                            size_t last)
{
    const bool letters = allfold_case_elements(painter->of) <= 26;
    char range[48];
    if (letters && first == last)
        snprintf(range, sizeof range, "%c", (char)('A' + first));
    else if (letters)
        snprintf(range, sizeof range, "%c-%c", (char)('A' + first), (char)('A' + last));
    else if (first == last)
        snprintf(range, sizeof range, "[%zu]", first);
    else
        snprintf(range, sizeof range, "[%zu-%zu]", first, last);
    at += (size_t)snprintf(text + at, ALLFOLD_LABEL_BYTES - at, "%s%s", at > 0 ? " " : "", range);
    return at < ALLFOLD_LABEL_BYTES ? at : ALLFOLD_LABEL_BYTES - 1;
}

/* "0-1", "0,4": the ranks of a set. */
static size_t name_ranks(char *text, size_t at, uint64_t ranks)
{
    const char *before = " ";
    for (int r = 0; r < 64; r++) {
        int last = r;
        if ((ranks >> r & 1) == 0)
            continue;
        while (last < 63 && (ranks >> (last + 1) & 1) != 0)
            last++;
        if (at < ALLFOLD_LABEL_BYTES)
            at += (size_t)(last == r
                               ? snprintf(text + at, ALLFOLD_LABEL_BYTES - at, "%s%d", before, r)
                               : snprintf(text + at, ALLFOLD_LABEL_BYTES - at, "%s%d-%d", before, r,
                                          last));
        before = ",";
        r = last;
    }
    return at < ALLFOLD_LABEL_BYTES ? at : ALLFOLD_LABEL_BYTES - 1;
}

/* Elements next to each other over the same ranks are named together. */
static void name_values(const struct painter *painter, const uint32_t *values, size_t length,
                        char *text)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < length;) {
        const uint64_t ranks = allfold_values_ranks(painter->values, values[i]);
        const size_t first = allfold_values_element(painter->values, values[i]);
        size_t j = i + 1;
        while (j < length && allfold_values_ranks(painter->values, values[j]) == ranks &&
               allfold_values_element(painter->values, values[j]) == first + (j - i))
            j++;
        at = name_elements(painter, text, at, first, first + (j - i) - 1);
        at = name_ranks(text, at, ranks);
        i = j;
    }
}

static bool add_mark(struct painter *painter, int from, int to, size_t round,
                     const uint32_t *values, size_t length)
{
    struct allfold_picture *picture = painter->picture;
    void *marks = allfold_make_room(picture->marks, picture->mark_count, &picture->mark_capacity,
                                    sizeof *picture->marks);
    if (marks == NULL)
        return false;
    picture->marks = marks;
    struct allfold_mark *mark = &picture->marks[picture->mark_count++];
    *mark = (struct allfold_mark){.from = from, .to = to, .round = round, .elements = length};
    name_values(painter, values, length, mark->label);
    return true;
}

static uint32_t *operand(struct painter *painter, int rank, const struct allfold_step *step,
                         int which)
{
    return painter->base[rank][step->buffer[which]] + step->offset[which];
}

static bool on_local(void *context, int rank, const struct allfold_step *step, size_t time)
{
    struct painter *painter = context;
    uint32_t *to = operand(painter, rank, step, 0);
    const uint32_t *left = operand(painter, rank, step, 1);
    if (step->kind == ALLFOLD_STEP_COPY) {
        memmove(to, left, step->length * sizeof *to);
        return true;
    }
    const uint32_t *right = operand(painter, rank, step, 2);
    const char *why;
    for (size_t i = 0; i < step->length; i++)
        to[i] = allfold_values_combine(painter->values, left[i], right[i], &why);
    return add_mark(painter, rank, rank, time, to, step->length);
}

static bool on_message(void *context, int from, const struct allfold_step *send, int to,
                       const struct allfold_step *receive, size_t time)
{
    struct painter *painter = context;
    const uint32_t *data = operand(painter, from, send, 0);
    memcpy(operand(painter, to, receive, 0), data, send->length * sizeof *data);
    return add_mark(painter, from, to, time, data, send->length);
}

static enum allfold_error give_memory(struct painter *painter)
{
    size_t length = 0;
    for (int r = 0; r < painter->of->p; r++)
        for (uint32_t b = 0; b < painter->schedules[r]->buffer_count; b++)
            length += painter->schedules[r]->buffer_length[b];
    painter->memory = allfold_allocate_zeroed(length * sizeof *painter->memory);
    if (painter->memory == NULL)
        return ALLFOLD_NO_MEMORY;
    uint32_t *at = painter->memory;
    for (int r = 0; r < painter->of->p; r++) {
        const struct allfold_schedule *schedule = painter->schedules[r];
        for (uint32_t b = 0; b < schedule->buffer_count; b++) {
            painter->base[r][b] = at;
            at += schedule->buffer_length[b];
        }
        for (size_t e = 0; e < schedule->buffer_length[ALLFOLD_IN]; e++)
            painter->base[r][ALLFOLD_IN][e] = allfold_values_leaf(painter->values, r, e);
    }
    return ALLFOLD_OK;
}

static int compare_marks(const void *left, const void *right)
{
    const struct allfold_mark *a = left, *b = right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if ((a->from == a->to) != (b->from == b->to))
        return a->from == a->to ? 1 : -1;
    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

static enum allfold_error paint(struct painter *painter, char *message, size_t message_bytes)
{
    const struct allfold_case *of = painter->of;
    const struct allfold_claim claim = allfold_case_claim(of);
    const struct allfold_walk_observer observer = {
        .on_local = on_local, .on_message = on_message, .context = painter};
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    painter->values = allfold_values_create();
    if (painter->values != NULL)
        error = allfold_values_begin(painter->values, of->p, allfold_case_elements(of), false);
    if (error == ALLFOLD_OK)
        error = give_memory(painter);
    if (error == ALLFOLD_OK)
        error = allfold_walk_observed((const struct allfold_schedule *const *)painter->schedules,
                                      of->p, allfold_claim_ports(&claim), &observer,
                                      &painter->picture->cost, message, message_bytes);
    return error;
}

enum allfold_error allfold_picture_make(const struct allfold_case *of,
                                        struct allfold_picture *picture, char *message,
                                        size_t message_bytes)
{
    struct painter painter = {.of = of, .picture = picture};
    *picture = (struct allfold_picture){.marks = NULL};
    snprintf(message, message_bytes, "no memory");
    enum allfold_error error = allfold_case_build(of, &painter.schedules, message, message_bytes);
    if (error == ALLFOLD_OK)
        error = paint(&painter, message, message_bytes);
    if (error == ALLFOLD_OK && picture->mark_count > 0)
        qsort(picture->marks, picture->mark_count, sizeof *picture->marks, compare_marks);
    allfold_case_free(of, painter.schedules);
    allfold_values_free(painter.values);
    allfold_free(painter.memory);
    return error;
}

void allfold_picture_free(struct allfold_picture *picture)
{
    allfold_free(picture->marks);
}
