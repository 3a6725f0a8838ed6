/* Pictures as text and as SVG (see picture.h). */
#include "model/picture/picture.h"

#include <math.h>
#include <stdio.h>

void allfold_cost_print(const struct allfold_cost *cost, FILE *stream)
{
    fprintf(stream, "%zu rounds; the busiest rank sends %zu elements and reduces %zu\n",
            cost->rounds, cost->sent, cost->reduced);
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
        if (mark->from == mark->to)
            fprintf(stream, "  %8d has   %s\n", mark->from, mark->label);
        else
            fprintf(stream, "  %3d -> %-3d sends %s\n", mark->from, mark->to, mark->label);
    }
}

/* Ranks are columns and rounds are rows; all in pixels. */
enum { LEFT = 60, TOP = 70, COLUMN = 84, ROW = 96, TEXT = 11 };

static int column(int rank)
{
    return LEFT + COLUMN / 2 + rank * COLUMN;
}

static double row(double round)
{
    return TOP + round * ROW;
}

static void draw_frame(const struct allfold_case *of, const struct allfold_picture *picture,
                       FILE *stream)
{
    char title[200];
    const double bottom = row((double)picture->cost.rounds) + 30;
    allfold_case_title(of, title, sizeof title);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "font-family=\"sans-serif\" font-size=\"%d\">\n",
            LEFT + of->p * COLUMN + 40, bottom + 20, TEXT);
    fprintf(stream,
            "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
            "markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#06c\"/>"
            "</marker></defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
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
    for (size_t i = 1; i <= picture->cost.rounds; i++)
        fprintf(stream, "<text x=\"12\" y=\"%.0f\" fill=\"#666\">%zu</text>\n",
                row((double)i - 0.4), i);
}

/* An arrow, with its label beside its begin. */
static void draw_message(const struct allfold_mark *mark, FILE *stream)
{
    const double x1 = column(mark->from), x2 = column(mark->to);
    const double y1 = row((double)mark->round - 1) + 12, y2 = row((double)mark->round) - 14;
    const double side = x2 > x1 ? 1 : -1, share = 18 / fmax(18, fabs(x2 - x1));
    fprintf(stream,
            "<line x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" stroke=\"#06c\" "
            "marker-end=\"url(#tip)\"/>"
            "<text x=\"%.0f\" y=\"%.0f\" fill=\"#06c\" text-anchor=\"%s\">%s</text>\n",
            x1, y1, x2, y2, x1 + side * 4, y1 + share * (y2 - y1) + (side > 0 ? -3 : 10),
            side > 0 ? "start" : "end", mark->label);
}

static void draw_reduction(const struct allfold_mark *mark, int before, FILE *stream)
{
    const double y = row((double)mark->round) - 8 + 11 * before;
    fprintf(stream,
            "<rect x=\"%d\" y=\"%.0f\" width=\"6\" height=\"6\" fill=\"#c30\"/>"
            "<text x=\"%d\" y=\"%.0f\" fill=\"#c30\">%s</text>\n",
            column(mark->to) - 3, y - 1, column(mark->to) + 6, y + 6, mark->label);
}

void allfold_picture_write_svg(const struct allfold_case *of, const struct allfold_picture *picture,
                               FILE *stream)
{
    int before = 0; /* reductions of the same rank after the same round */
    draw_frame(of, picture, stream);
    for (uint32_t i = 0; i < picture->mark_count; i++) {
        const struct allfold_mark *mark = &picture->marks[i];
        if (mark->from != mark->to) {
            draw_message(mark, stream);
            continue;
        }
        const struct allfold_mark *last = i > 0 ? mark - 1 : NULL;
        const bool again = last != NULL && last->from == mark->from && last->to == mark->to &&
                           last->round == mark->round;
        before = again ? before + 1 : 0;
        draw_reduction(mark, before, stream);
    }
    fprintf(stream, "</svg>\n");
}
