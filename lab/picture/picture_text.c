/* Pictures as text (see picture.h). */
#include "lab/picture/picture.h"

#include <stdio.h>

void allfold_cost_print(const struct allfold_cost *cost, FILE *stream)
{
    fprintf(stream, "%zu rounds; the busiest rank sends %zu elements and reduces %zu\n",
            cost->rounds, cost->sent, cost->reduced);
}

/* In red, where the picture has colors. */
static const char *red(const struct allfold_picture *picture)
{
    return picture->in_color ? "\033[31m" : "";
}

static const char *plain(const struct allfold_picture *picture)
{
    return picture->in_color ? "\033[0m" : "";
}

/* A message that never comes, or comes to nobody. */
static void write_red(const struct allfold_picture *picture, const struct allfold_mark *mark,
                      FILE *stream)
{
    fprintf(stream, "%s  %3d %s %-3d ", red(picture), mark->from,
            mark->kind == ALLFOLD_MARK_UNSENT ? "x>" : "->", mark->to);
    if (mark->kind == ALLFOLD_MARK_LOST)
        fprintf(stream, "sends %s, and nobody receives it", mark->label);
    else if (mark->kind == ALLFOLD_MARK_UNSENT)
        fprintf(stream, "never sends message %u, for which %d waits", mark->number, mark->to);
    else
        fprintf(stream, "message %u never goes, as %d waits for something else", mark->number,
                mark->blocked_rank);
    fprintf(stream, "%s\n", plain(picture));
}

bool allfold_picture_write_text(const struct allfold_case *of,
                                const struct allfold_picture *picture, FILE *stream)
{
    char title[400];
    size_t round = 0;
    allfold_case_title(of, title, sizeof title);
    fprintf(stream, "%s\n", title);
    allfold_cost_print(&picture->cost, stream);
    for (uint32_t i = 0; i < picture->mark_count; i++) {
        const struct allfold_mark *mark = &picture->marks[i];
        if (mark->round != round)
            fprintf(stream, "\nround %zu\n", mark->round);
        round = mark->round;
        if (allfold_mark_is_red(mark))
            write_red(picture, mark, stream);
        else if (mark->kind == ALLFOLD_MARK_REDUCTION)
            fprintf(stream, "  %8d has   %s\n", mark->from, mark->label);
        else
            fprintf(stream, "  %3d -> %-3d sends %s\n", mark->from, mark->to, mark->label);
    }
    if (picture->blame.kind != ALLFOLD_BLAME_NOTHING)
        fprintf(stream, "\n%s%s%s\n", red(picture), picture->blame.text, plain(picture));
    return true;
}

enum allfold_error allfold_picture_draw(const struct allfold_case *of,
                                        enum allfold_picture_format format, FILE *stream,
                                        char *message, size_t message_bytes)
{
    static bool (*const writes[])(const struct allfold_case *, const struct allfold_picture *,
                                  FILE *) = {
        [ALLFOLD_PICTURE_TEXT] = allfold_picture_write_text,
        [ALLFOLD_PICTURE_SVG] = allfold_picture_write_svg,
        [ALLFOLD_PICTURE_HTML] = allfold_picture_write_html,
    };
    struct allfold_picture picture;
    if (of->p > ALLFOLD_PICTURE_RANKS) {
        snprintf(message, message_bytes, "%d ranks: a picture is drawn for up to %d", of->p,
                 ALLFOLD_PICTURE_RANKS);
        return ALLFOLD_BAD_INPUT;
    }
    enum allfold_error error = allfold_picture_make(of, &picture, message, message_bytes);
    if (error == ALLFOLD_OK && !writes[format](of, &picture, stream)) {
        snprintf(message, message_bytes, "no memory");
        error = ALLFOLD_NO_MEMORY;
    }
    allfold_picture_free(&picture);
    return error;
}
