/* Pictures as SVG (see picture.h).
 *
 * Ranks are columns and rounds are rows. Between two rounds each rank has a grid that shows its
 * holdings (holdings.h), with a row for each element and a column for each contributing rank.
 * Arrows are messages, in the color of the topology level that they cross. A label is drawn next to
 * its arrow only if it overlaps no other label or arrow. The tooltip of an arrow always shows what
 * it carries. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/picture/element_names.h"
#include "lab/picture/holdings.h"
#include "lab/picture/picture.h"
#include "util/memory.h"

/* All in pixels. Text has a fixed width, so that its boxes are known. */
enum {
    LEFT = 78,
    MARGIN = 12,
    GRID = 56,  /* the most a grid takes, each way */
    CELL = 8,   /* the most a cell of it takes */
    ALONE = 24, /* the width of the only column */
    ARROWS = 66,
    TEXT = 11,
    TITLE = 13,
    LINE = 16,
    LEAST_WIDTH = 560,
};

static double letter_width(int font)
{
    return 0.61 * font;
}

/* Labels are looked for only where few enough arrows are in a round. */
enum { MOST_LABELED = 100 };

struct box {
    double x0, y0, x1, y1;
};

struct arrow {
    const struct allfold_mark *mark;
    double x1, y1, x2, y2;
};

struct page {
    const struct allfold_case *of;
    const struct allfold_picture *picture;
    FILE *stream;
    int cell_width, cell_height, grid_width, grid_height, column;
    int top; /* of the first grids */
    int width;

    /* Of the round that is being drawn. */
    struct arrow *arrows;
    struct box *labels;
    uint32_t arrow_count, label_count;
};

/* --- words ------------------------------------------------------------------------------------ */

static void write_escaped(const char *words, size_t length, FILE *stream)
{
    for (size_t i = 0; i < length; i++)
        if (words[i] == '<' || words[i] == '>' || words[i] == '&')
            fprintf(stream, "&#%d;", words[i]);
        else
            fputc(words[i], stream);
}

static void write_words(const char *element, const char *words, FILE *stream)
{
    fprintf(stream, "<%s>", element);
    write_escaped(words, strlen(words), stream);
    fprintf(stream, "</%s>", element);
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

/* Writes a text in lines from y on, or only measures it where there is no stream. Gives the y of
 * the line after it. */
static int write_lines(const struct page *page, FILE *stream, const char *class, int font, int x,
                       int y, const char *text)
{
    const size_t letters = (size_t)((page->width - x - MARGIN) / letter_width(font));
    while (*text != '\0') {
        const size_t length = line_length(text, letters);
        if (stream != NULL) {
            fprintf(stream, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
            write_escaped(text, length, stream);
            fprintf(stream, "</text>\n");
        }
        text += length;
        text += *text == ' ';
        y += LINE;
    }
    return y;
}

/* --- where things are --------------------------------------------------------------------------
 */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int greater(int a, int b)
{
    return a > b ? a : b;
}

static bool is_bcast(const struct allfold_case *of)
{
    const struct allfold_traits *traits = allfold_traits(of->algorithm->collective);
    return traits->has_root && !traits->reduces;
}

/* The ranks whose contributions have columns: where only the root gives anything, it alone. */
static int grid_columns(const struct allfold_case *of)
{
    return is_bcast(of) ? 1 : of->p;
}

static int middle(const struct page *page, int rank)
{
    return LEFT + page->column / 2 + rank * page->column;
}

/* The y of the grids after a round. */
static int grid_top(const struct page *page, size_t round)
{
    return page->top + (int)round * (page->grid_height + ARROWS);
}

/* Are two labels less than some pixels apart? */
static bool meets(const struct box *a, const struct box *b)
{
    enum { APART = 4 };
    return a->x0 < b->x1 + APART && b->x0 < a->x1 + APART && a->y0 < b->y1 && b->y0 < a->y1;
}

/* Does an arrow touch a box? Clips it against the box's sides (Liang and Barsky 1984). */
static bool touches(const struct arrow *arrow, const struct box *box)
{
    const double dx = arrow->x2 - arrow->x1, dy = arrow->y2 - arrow->y1;
    const double along[4] = {-dx, dx, -dy, dy};
    const double room[4] = {arrow->x1 - box->x0, box->x1 - arrow->x1, arrow->y1 - box->y0,
                            box->y1 - arrow->y1};
    double begin = 0, end = 1;
    for (int side = 0; side < 4; side++) {
        if (along[side] == 0 && room[side] < 0)
            return false;
        if (along[side] < 0)
            begin = fmax(begin, room[side] / along[side]);
        if (along[side] > 0)
            end = fmin(end, room[side] / along[side]);
    }
    return begin <= end;
}

/* --- the frame ---------------------------------------------------------------------------------
 */

static void title_of(const struct page *page, char *text, size_t bytes)
{
    allfold_case_title(page->of, text, bytes);
}

static void cost_of(const struct page *page, char *text, size_t bytes)
{
    const struct allfold_cost *cost = &page->picture->cost;
    snprintf(text, bytes, "%zu round%s; the busiest rank sends %zu element%s and reduces %zu",
             cost->rounds, cost->rounds == 1 ? "" : "s", cost->sent, cost->sent == 1 ? "" : "s",
             cost->reduced);
}

static int write_head(const struct page *page, FILE *stream)
{
    char title[400], cost[120];
    title_of(page, title, sizeof title);
    cost_of(page, cost, sizeof cost);
    const int y = write_lines(page, stream, "t", TITLE, MARGIN, 22, title);
    return write_lines(page, stream, "s", TEXT, MARGIN, y, cost) + 20;
}

/* The levels that messages may cross here. */
static bool has_levels(const struct page *page)
{
    return page->of->nodes != NULL && page->of->nodes->count > 1;
}

static void legend_of(const struct page *page, char *text, size_t bytes)
{
    const struct allfold_traits *traits = allfold_traits(page->of->algorithm->collective);
    const size_t rows = allfold_row_count(page->of), elements = allfold_case_elements(page->of);
    char spread[80] = "";
    if (rows < elements)
        snprintf(spread, sizeof spread, " (%zu of %zu are shown)", rows, elements);
    if (is_bcast(page->of))
        snprintf(text, bytes, "A grid is what a rank holds: a row for each element%s.", spread);
    else
        snprintf(text, bytes,
                 "A grid is what a rank holds: a row for each element%s, a column for each rank "
                 "that %s.",
                 spread, traits->reduces ? "contributes to it" : "gives it");
}

/* A sample of a color with its words: a cell, or a line. Gives the x behind them. */
static int write_sample(FILE *stream, const char *class, bool is_line, int x, int y,
                        const char *words)
{
    const int wide = is_line ? 22 : 10, after = x + wide + 6;
    if (stream != NULL && is_line)
        fprintf(stream, "<path class=\"%s\" d=\"M%d %dh%d\"/>", class, x, y - 4, wide);
    else if (stream != NULL)
        fprintf(stream, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"10\"/>", class,
                x, y - 9, wide);
    if (stream != NULL)
        fprintf(stream, "<text class=\"s\" x=\"%d\" y=\"%d\">%s</text>\n", after, y, words);
    return after + (int)(letter_width(TEXT) * (double)strlen(words)) + 24;
}

/* Gives the y below it. */
static int write_legend(const struct page *page, FILE *stream, int y)
{
    char words[240];
    int x = MARGIN;
    legend_of(page, words, sizeof words);
    y = write_lines(page, stream, "s", TEXT, MARGIN, y, words);
    if (allfold_traits(page->of->algorithm->collective)->reduces) {
        x = write_sample(stream, "part", false, x, y, "part of a result");
        x = write_sample(stream, "whole", false, x, y, "a whole result");
    } else {
        x = write_sample(stream, "whole", false, x, y, "held");
    }
    if (has_levels(page)) {
        x = MARGIN;
        y += LINE;
        x = write_sample(stream, "node", true, x, y, "message on a node");
        write_sample(stream, "net", true, x, y, "between nodes");
    } else {
        write_sample(stream, "net", true, x, y, "message");
    }
    y += LINE;
    if (page->picture->blame.kind != ALLFOLD_BLAME_NOTHING)
        y = write_lines(page, stream, "r", TEXT, MARGIN, y + 6, page->picture->blame.text);
    return y;
}

static void write_style(const struct page *page)
{
    fprintf(
        page->stream,
        "<style>text{font:%dpx ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;"
        "fill:#222}.t{font-size:%dpx;font-weight:bold}.m{fill:#555}.c{text-anchor:middle}"
        ".r{fill:#b3261e}.bg{fill:#fff}.grid{fill:#e9ebee}.part{fill:#56b4e9}.whole{fill:#009e73}"
        "line,path.net,path.node{fill:none;stroke-width:1.3}.net{stroke:#0072b2}"
        ".node{stroke:#c77700}.never,.lost{stroke:#b3261e}.never{stroke-dasharray:5,4}"
        ".net-tip{fill:#0072b2}.node-tip{fill:#c77700}.red-tip{fill:#b3261e}"
        "@media(prefers-color-scheme:dark){text{fill:#ddd}.m{fill:#aaa}.r{fill:#ff8a80}"
        ".bg{fill:#16181c}.grid{fill:#2b2f36}.net{stroke:#6cb6ff}.node{stroke:#ffb454}"
        ".net-tip{fill:#6cb6ff}.node-tip{fill:#ffb454}.never,.lost{stroke:#ff8a80}"
        ".red-tip{fill:#ff8a80}}</style>\n<defs>",
        TEXT, TITLE);
    static const char *const tips[] = {"net", "node", "red"};
    for (int i = 0; i < 3; i++)
        fprintf(page->stream,
                "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
                "markerHeight=\"7\" orient=\"auto\"><path class=\"%s-tip\" d=\"M0,0 L8,4 L0,8 z\"/>"
                "</marker>",
                tips[i], tips[i]);
    fprintf(page->stream, "</defs>\n");
}

static void write_ranks(const struct page *page)
{
    const int y = page->top - 6;
    for (int r = 0; r < page->of->p; r++) {
        fprintf(page->stream, "<text class=\"c\" x=\"%d\" y=\"%d\">P%d</text>", middle(page, r),
                has_levels(page) ? y - 12 : y, r);
        if (has_levels(page))
            fprintf(page->stream, "<text class=\"c m\" x=\"%d\" y=\"%d\">node %d</text>",
                    middle(page, r), y, page->of->nodes->node_of[r]);
        fputc('\n', page->stream);
    }
}

static void lay_out(struct page *page)
{
    const size_t rows = allfold_row_count(page->of);
    const int columns = grid_columns(page->of);
    page->cell_width = columns == 1 ? ALONE : greater(1, smaller(CELL, GRID / columns));
    page->cell_height = greater(1, smaller(CELL, rows == 0 ? CELL : GRID / (int)rows));
    page->grid_width = page->cell_width * columns;
    page->grid_height = page->cell_height * (int)(rows == 0 ? 1 : rows);
    page->column = greater(64, page->grid_width + 30);
    page->width = greater(LEAST_WIDTH, LEFT + page->of->p * page->column + MARGIN);
    page->top = write_head(page, NULL) + (has_levels(page) ? 12 : 0);
}

/* --- what the ranks hold -----------------------------------------------------------------------
 */

/* "A-D 0-1; E 0": rows next to each other with the same ranks together; the first few. */
static void describe(const struct page *page, const struct allfold_holdings *holdings, int rank)
{
    enum { MOST = 8 };
    const bool letters = allfold_names_are_letters(page->of);
    int named = 0;
    for (size_t row = 0, next; row < holdings->rows; row = next) {
        const uint64_t held = allfold_held(holdings, rank, row);
        char text[ALLFOLD_LABEL_BYTES] = "";
        next = row + 1;
        while (next < holdings->rows && allfold_held(holdings, rank, next) == held)
            next++;
        if (held == 0)
            continue;
        allfold_name_ranks(text,
                           allfold_name_elements(letters, text, 0,
                                                 allfold_row_element(page->of, row),
                                                 allfold_row_element(page->of, next - 1)),
                           held);
        fprintf(page->stream, "%s%s", named > 0 ? "; " : ": ", named < MOST ? text : "...");
        if (named++ == MOST)
            return;
    }
    if (named == 0)
        fprintf(page->stream, ": nothing");
}

/* The cells of one color, as one path; runs of ranks are one rectangle. */
static void write_cells(const struct page *page, const struct allfold_holdings *holdings, int rank,
                        int y, bool whole)
{
    const int x = middle(page, rank) - page->grid_width / 2, h = page->cell_height;
    const int columns = grid_columns(page->of), shift = is_bcast(page->of) ? page->of->root : 0;
    bool any = false;
    for (size_t row = 0; row < holdings->rows; row++) {
        const uint64_t held = allfold_held(holdings, rank, row) >> shift;
        if (held == 0 || allfold_held_is_whole(holdings, rank, row) != whole)
            continue;
        for (int c = 0, end; c < columns; c = end) {
            const bool is_in = (held >> c & 1) != 0;
            for (end = c + 1; end < columns && (held >> end & 1) == (uint64_t)is_in; end++)
                ;
            if (!is_in)
                continue;
            if (!any)
                fprintf(page->stream, "<path class=\"%s\" d=\"", whole ? "whole" : "part");
            any = true;
            fprintf(page->stream, "M%d %dh%dv%dh-%dz", x + c * page->cell_width, y + (int)row * h,
                    (end - c) * page->cell_width, h, (end - c) * page->cell_width);
        }
    }
    if (any)
        fprintf(page->stream, "\"/>");
}

static void write_holdings(const struct page *page, const struct allfold_holdings *holdings,
                           size_t round)
{
    const int y = grid_top(page, round);
    fprintf(page->stream, "<g class=\"holdings\" data-round=\"%zu\">\n", round);
    for (int r = 0; r < page->of->p; r++) {
        fprintf(page->stream, "<g><title>Rank %d ", r);
        if (round == 0)
            fprintf(page->stream, "at the start");
        else
            fprintf(page->stream, "after round %zu", round);
        describe(page, holdings, r);
        fprintf(page->stream,
                "</title><rect class=\"grid\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                middle(page, r) - page->grid_width / 2, y, page->grid_width, page->grid_height);
        write_cells(page, holdings, r, y, false);
        write_cells(page, holdings, r, y, true);
        fprintf(page->stream, "</g>\n");
    }
    fprintf(page->stream, "</g>\n");
}

/* --- messages ----------------------------------------------------------------------------------
 */

static const char *level_of(const struct page *page, const struct allfold_mark *mark)
{
    return has_levels(page) &&
                   page->of->nodes->node_of[mark->from] == page->of->nodes->node_of[mark->to]
               ? "node"
               : "net";
}

static void words_of(const struct allfold_mark *mark, char *text, size_t bytes)
{
    static const char *const words[] = {[ALLFOLD_MARK_MESSAGE] = "",
                                        [ALLFOLD_MARK_LOST] = ": to nobody",
                                        [ALLFOLD_MARK_UNSENT] = "never sent",
                                        [ALLFOLD_MARK_STUCK] = " never goes"};
    snprintf(text, bytes, "%s%s", mark->label, words[mark->kind]);
}

static void write_arrow(const struct page *page, const struct arrow *arrow)
{
    const struct allfold_mark *mark = arrow->mark;
    const bool is_red = allfold_mark_is_red(mark);
    const char *class = !is_red                           ? level_of(page, mark)
                        : mark->kind == ALLFOLD_MARK_LOST ? "lost"
                                                          : "never";
    char words[ALLFOLD_LABEL_BYTES + 20];
    words_of(mark, words, sizeof words);
    fprintf(page->stream,
            "<line class=\"%s\" x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" "
            "marker-end=\"url(#%s)\"><title>Round %zu, rank %d to rank %d: %s</title></line>\n",
            class, arrow->x1, arrow->y1, arrow->x2, arrow->y2, is_red ? "red" : class, mark->round,
            mark->from, mark->to, words);
}

/* Where a label of so many letters may stand: beside, above or below a point of its arrow. */
static struct box beside(const struct arrow *arrow, double share, int side, double width)
{
    enum { HEIGHT = TEXT + 1, AWAY = 3 };
    const double dx = arrow->x2 - arrow->x1, dy = arrow->y2 - arrow->y1;
    const double x = arrow->x1 + share * dx, y = arrow->y1 + share * dy;
    const double sideways = AWAY + fabs(dx / dy) * HEIGHT / 2;
    const double upwards = AWAY + (dx == 0 ? dy : fabs(dy / dx) * width / 2);
    const double x0 = side == 0 ? x + sideways : side == 1 ? x - sideways - width : x - width / 2;
    const double y0 = side == 2 ? y - upwards - HEIGHT : side == 3 ? y + upwards : y - HEIGHT / 2.0;
    return (struct box){x0, y0, x0 + width, y0 + HEIGHT};
}

/* Is a box in its round, with no label in it and, unless it may lie on arrows, none of these? */
static bool is_free(const struct page *page, const struct box *box, size_t round, bool on_arrows)
{
    if (box->x0 < LEFT || box->x1 > page->width - MARGIN ||
        box->y0 < grid_top(page, round - 1) + page->grid_height + 1 ||
        box->y1 > grid_top(page, round) - 1)
        return false;
    for (uint32_t i = 0; i < page->label_count; i++)
        if (meets(box, &page->labels[i]))
            return false;
    for (uint32_t i = 0; i < page->arrow_count && !on_arrows; i++)
        if (touches(&page->arrows[i], box))
            return false;
    return true;
}

/* Looks for a place for a label. False where there is none. */
static bool place(const struct page *page, const struct arrow *arrow, double width, bool on_arrows,
                  struct box *box)
{
    static const double shares[] = {0.5, 0.36, 0.64, 0.22, 0.78, 0.12, 0.88};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        for (int side = 0; side < 4; side++) {
            *box = beside(arrow, shares[i], side, width);
            if (is_free(page, box, arrow->mark->round, on_arrows))
                return true;
        }
    return false;
}

/* What never comes is the point of a picture, so its label may lie on arrows. */
static void write_label(struct page *page, const struct arrow *arrow)
{
    const bool is_red = allfold_mark_is_red(arrow->mark);
    char words[ALLFOLD_LABEL_BYTES + 20];
    struct box box;
    words_of(arrow->mark, words, sizeof words);
    const double width = letter_width(TEXT) * (double)strlen(words);
    if (words[0] == '\0' || (!place(page, arrow, width, false, &box) &&
                             (!is_red || !place(page, arrow, width, true, &box))))
        return;
    page->labels[page->label_count++] = box;
    fprintf(page->stream, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            is_red ? "r" : "s", box.x0, box.y1 - 3, words);
}

static struct arrow arrow_of(const struct page *page, const struct allfold_mark *mark)
{
    return (struct arrow){
        .mark = mark,
        .x1 = middle(page, mark->from),
        .y1 = grid_top(page, mark->round - 1) + page->grid_height + 3,
        .x2 = middle(page, mark->to),
        .y2 = grid_top(page, mark->round) - 4,
    };
}

/* The messages of a round, from mark `first` on; gives the first mark of the next round. */
static uint32_t write_round(struct page *page, size_t round, uint32_t first)
{
    const struct allfold_picture *picture = page->picture;
    page->arrow_count = page->label_count = 0;
    fprintf(page->stream, "<g class=\"round\" data-round=\"%zu\">\n", round);
    fprintf(page->stream, "<text class=\"m\" x=\"%d\" y=\"%d\">round %zu</text>\n", MARGIN,
            grid_top(page, round - 1) + page->grid_height + ARROWS / 2 + 4, round);
    for (; first < picture->mark_count && picture->marks[first].round <= round; first++)
        if (picture->marks[first].kind != ALLFOLD_MARK_REDUCTION &&
            picture->marks[first].round == round)
            page->arrows[page->arrow_count++] = arrow_of(page, &picture->marks[first]);
    for (uint32_t i = 0; i < page->arrow_count; i++)
        write_arrow(page, &page->arrows[i]);
    for (int red = 1; red >= 0 && page->arrow_count <= MOST_LABELED; red--)
        for (uint32_t i = 0; i < page->arrow_count; i++)
            if (allfold_mark_is_red(page->arrows[i].mark) == (red == 1))
                write_label(page, &page->arrows[i]);
    fprintf(page->stream, "</g>\n");
    return first;
}

static void write_page(struct page *page, struct allfold_holdings *holdings)
{
    const size_t last = allfold_picture_last_round(page->picture);
    const int bottom = grid_top(page, last) + page->grid_height + 30;
    char title[400];
    uint32_t mark = 0;
    title_of(page, title, sizeof title);
    fprintf(page->stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" role=\"img\">\n",
            page->width, write_legend(page, NULL, bottom));
    write_words("title", title, page->stream);
    if (page->picture->blame.kind != ALLFOLD_BLAME_NOTHING)
        write_words("desc", page->picture->blame.text, page->stream);
    write_style(page);
    fprintf(page->stream, "<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n");
    write_head(page, page->stream);
    write_ranks(page);
    fprintf(page->stream, "<text class=\"m\" x=\"%d\" y=\"%d\">start</text>\n", MARGIN,
            page->top + page->grid_height / 2 + 4);
    write_holdings(page, holdings, 0);
    for (size_t round = 1; round <= last; round++) {
        mark = write_round(page, round, mark);
        allfold_holdings_advance(holdings, page->picture, round);
        write_holdings(page, holdings, round);
    }
    write_legend(page, page->stream, bottom);
    fprintf(page->stream, "</svg>\n");
}

bool allfold_picture_write_svg(const struct allfold_case *of, const struct allfold_picture *picture,
                               FILE *stream)
{
    struct page page = {.of = of, .picture = picture, .stream = stream};
    struct allfold_holdings holdings;
    const size_t marks = picture->mark_count + 1;
    page.arrows = allfold_allocate(marks * sizeof *page.arrows);
    page.labels = allfold_allocate(marks * sizeof *page.labels);
    const bool has_memory = allfold_holdings_begin(&holdings, of, picture) && page.arrows != NULL &&
                            page.labels != NULL;
    if (has_memory) {
        lay_out(&page);
        write_page(&page, &holdings);
    }
    allfold_holdings_free(&holdings);
    allfold_free(page.arrows);
    allfold_free(page.labels);
    return has_memory;
}
