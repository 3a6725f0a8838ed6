/* Pictures as text and as SVG (see picture.h). */
#include "model/picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
                mark->late);
    fprintf(stream, "%s\n", plain(picture));
}

void allfold_picture_write_text(const struct allfold_case *of,
                                const struct allfold_picture *picture, FILE *stream)
{
    char title[200];
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
}

/* Ranks are columns and rounds are rows; all in pixels. */
enum { LEFT = 60, TOP = 70, COLUMN = 84, ROW = 96, TEXT = 11, LINE = 14 };

/* Letters of a line of words, at most. */
enum { LONGEST_LINE = 120 };

static int column(int rank)
{
    return LEFT + COLUMN / 2 + rank * COLUMN;
}

static double row(double round)
{
    return TOP + round * ROW;
}

/* The last round of which something is drawn. */
static size_t last_round(const struct allfold_picture *picture)
{
    const size_t rounds = picture->cost.rounds;
    const size_t last =
        picture->mark_count == 0 ? 0 : picture->marks[picture->mark_count - 1].round;
    return last > rounds ? last : rounds;
}

/* What people hear who do not see the picture; and what is wrong, below it. */
static void write_words(const char *element, const char *words, FILE *stream)
{
    fprintf(stream, "<%s>", element);
    for (; *words != '\0'; words++)
        if (*words == '<' || *words == '>' || *words == '&')
            fprintf(stream, "&#%d;", *words);
        else
            fputc(*words, stream);
    fprintf(stream, "</%.*s>\n", (int)strcspn(element, " "), element);
}

/* How many letters of a text fit below a picture. */
static size_t letters_across(const struct allfold_case *of)
{
    enum { LETTER = 6, LEAST = 40 };
    const size_t letters = (size_t)(LEFT + of->p * COLUMN + 16) / LETTER;
    if (letters < LEAST)
        return LEAST;
    return letters < LONGEST_LINE ? letters : LONGEST_LINE;
}

/* How much of a text goes on a line: whole words, where they are not longer than it. */
static size_t line_length(const char *text, size_t width)
{
    const size_t length = strlen(text);
    if (length <= width)
        return length;
    size_t end = width;
    while (end > 0 && text[end] != ' ')
        end--;
    return end > 0 ? end : width;
}

static size_t blame_lines(const struct allfold_case *of, const struct allfold_picture *picture)
{
    size_t lines = 0;
    for (const char *line = picture->blame.text; *line != '\0'; lines++) {
        line += line_length(line, letters_across(of));
        line += *line == ' ';
    }
    return lines;
}

static void draw_frame(const struct allfold_case *of, const struct allfold_picture *picture,
                       FILE *stream)
{
    char title[200];
    const double bottom = row((double)last_round(picture)) + 30;
    allfold_case_title(of, title, sizeof title);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "role=\"img\" font-family=\"sans-serif\" font-size=\"%d\">\n",
            LEFT + of->p * COLUMN + 40,
            bottom + 20 +
                LINE * (double)(blame_lines(of, picture) + (blame_lines(of, picture) > 0)),
            TEXT);
    write_words("title", title, stream);
    if (picture->blame.kind != ALLFOLD_BLAME_NOTHING)
        write_words("desc", picture->blame.text, stream);
    fprintf(stream,
            "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
            "markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#06c\"/>"
            "</marker>%s</defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            picture->blame.kind == ALLFOLD_BLAME_NOTHING
                ? ""
                : "<marker id=\"red-tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
                  "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path "
                  "d=\"M0,0 L8,4 L0,8 z\" fill=\"#d00\"/></marker>");
    fprintf(
        stream,
        "<text x=\"12\" y=\"20\" font-size=\"14\">%s: %zu rounds, the busiest rank sends %zu and "
        "reduces %zu</text>\n",
        title, picture->cost.rounds, picture->cost.sent, picture->cost.reduced);
    for (int r = 0; r < of->p; r++)
        fprintf(stream,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">P%d</text>"
                "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%.0f\" stroke=\"#bbb\"/>\n",
                column(r), TOP - 24, r, column(r), TOP - 16, column(r), bottom);
    for (size_t i = 1; i <= last_round(picture); i++)
        fprintf(stream, "<text x=\"12\" y=\"%.0f\" fill=\"#666\">%zu</text>\n",
                row((double)i - 0.4), i);
}

/* An arrow, with its label beside its begin. What never comes is red and dashed; what is sent to
 * nobody is red. */
static void draw_message(const struct allfold_mark *mark, FILE *stream)
{
    const double x1 = column(mark->from), x2 = column(mark->to);
    const double y1 = row((double)mark->round - 1) + 12, y2 = row((double)mark->round) - 14;
    const double side = x2 > x1 ? 1 : -1, share = 18 / fmax(18, fabs(x2 - x1));
    static const char *const words[] = {[ALLFOLD_MARK_MESSAGE] = "",
                                        [ALLFOLD_MARK_LOST] = ": to nobody",
                                        [ALLFOLD_MARK_UNSENT] = "never sent",
                                        [ALLFOLD_MARK_STUCK] = " never goes"};
    const bool is_red = allfold_mark_is_red(mark);
    const char *color = is_red ? "#d00" : "#06c";
    fprintf(stream,
            "<line x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" stroke=\"%s\"%s "
            "marker-end=\"url(#%s)\"/>"
            "<text x=\"%.0f\" y=\"%.0f\" fill=\"%s\" text-anchor=\"%s\">%s%s</text>\n",
            x1, y1, x2, y2, color,
            is_red && mark->kind != ALLFOLD_MARK_LOST ? " stroke-dasharray=\"5,4\"" : "",
            is_red ? "red-tip" : "tip", x1 + side * 4,
            y1 + share * (y2 - y1) + (side > 0 ? -3 : 10), color, side > 0 ? "start" : "end",
            mark->label, words[mark->kind]);
}

static void draw_reduction(const struct allfold_mark *mark, int before, FILE *stream)
{
    const double y = row((double)mark->round) - 8 + 11 * before;
    fprintf(stream,
            "<rect x=\"%d\" y=\"%.0f\" width=\"6\" height=\"6\" fill=\"#c30\"/>"
            "<text x=\"%d\" y=\"%.0f\" fill=\"#c30\">%s</text>\n",
            column(mark->to) - 3, y - 1, column(mark->to) + 6, y + 6, mark->label);
}

/* What is wrong, below the picture and as wide. */
static void draw_blame(const struct allfold_case *of, const struct allfold_picture *picture,
                       FILE *stream)
{
    const size_t width = letters_across(of);
    double y = row((double)last_round(picture)) + 60;
    for (const char *line = picture->blame.text; *line != '\0'; y += LINE) {
        const size_t length = line_length(line, width);
        char words[LONGEST_LINE + 1];
        snprintf(words, sizeof words, "%.*s", (int)length, line);
        char head[80];
        snprintf(head, sizeof head, "text x=\"12\" y=\"%.0f\" fill=\"#d00\"", y);
        write_words(head, words, stream);
        line += length;
        line += *line == ' ';
    }
}

void allfold_picture_write_svg(const struct allfold_case *of, const struct allfold_picture *picture,
                               FILE *stream)
{
    int before = 0; /* reductions of the same rank after the same round */
    draw_frame(of, picture, stream);
    for (uint32_t i = 0; i < picture->mark_count; i++) {
        const struct allfold_mark *mark = &picture->marks[i];
        if (mark->kind != ALLFOLD_MARK_REDUCTION) {
            draw_message(mark, stream);
            continue;
        }
        const struct allfold_mark *last = i > 0 ? mark - 1 : NULL;
        const bool again = last != NULL && last->kind == mark->kind && last->from == mark->from &&
                           last->to == mark->to && last->round == mark->round;
        before = again ? before + 1 : 0;
        draw_reduction(mark, before, stream);
    }
    draw_blame(of, picture, stream);
    fprintf(stream, "</svg>\n");
}

enum allfold_error allfold_picture_draw(const struct allfold_case *of,
                                        enum allfold_picture_format format, FILE *stream,
                                        char *message, size_t message_bytes)
{
    struct allfold_picture picture;
    if (of->p > ALLFOLD_PICTURE_RANKS) {
        snprintf(message, message_bytes, "%d ranks: a picture is drawn for up to %d", of->p,
                 ALLFOLD_PICTURE_RANKS);
        return ALLFOLD_BAD_INPUT;
    }
    const enum allfold_error error = allfold_picture_make(of, &picture, message, message_bytes);
    if (error == ALLFOLD_OK && format == ALLFOLD_PICTURE_SVG)
        allfold_picture_write_svg(of, &picture, stream);
    else if (error == ALLFOLD_OK)
        allfold_picture_write_text(of, &picture, stream);
    allfold_picture_free(&picture);
    return error;
}
