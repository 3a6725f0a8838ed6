/* How a report shows when ranks were late (see lateness_format.h). */
#include "events/lateness_format.h"

#include <math.h>
#include <string.h>

#include "events/report_markup.h"
#include "events/report_words.h"
#include "util/quantity.h"

enum { NAME_BYTES = 96, BRIEF_ROWS = 16, BRIEF_CALLS = 10 };

/* Levels of a bin: from that share of its time on. A page shows the first as ground. */
enum { LEVELS = 6 };
static const struct {
    float least;
    char sign;
    const char *opacity;
} levels[LEVELS] = {{0, ' ', "0"},       {0.01F, '.', "0.15"}, {0.05F, ':', "0.35"},
                    {0.15F, '+', "0.6"}, {0.4F, '*', "0.8"},   {0.7F, '#', "1"}};

static int level_of(float share)
{
    int level = LEVELS - 1;
    while (share < levels[level].least)
        level--;
    return level;
}

static bool has_lateness(const struct allfold_report_head *head)
{
    return head->late.rows > 0 && allfold_report_has_waiting(&head->summary);
}

/* Both pictures end with the last bin that the run has reached. */
static int bins_of(const struct allfold_report_head *head)
{
    return allfold_late_bins_reached(&head->late, head->run_s);
}

static const char *name_row(const struct allfold_late_map *map, int r, char name[NAME_BYTES])
{
    const struct allfold_late_row *row = &map->list[r];
    const char *what = map->is_by_node ? "node" : "rank";
    int length;
    if (row->first == row->last)
        length = snprintf(name, NAME_BYTES, "%s %d", what, row->first);
    else
        length = snprintf(name, NAME_BYTES, "%ss %d-%d", what, row->first, row->last);
    if (*row->node != '\0')
        snprintf(name + length, NAME_BYTES - (size_t)length, " (%s)", row->node);
    return name;
}

/* What a row stands for, and what a figure in it is. */
static void print_meaning(const struct allfold_late_map *map, FILE *stream)
{
    char bin[ALLFOLD_TIME_BYTES];
    const bool is_joint = map->is_by_node || map->list[0].first < map->list[0].last;
    fprintf(
        stream,
        "Each column is %s; a figure is the part of it that %s was behind the mean of the others.",
        allfold_report_time(map->bin_s, bin), is_joint ? "the latest rank of a row" : "a rank");
}

static bool is_quiet(const struct allfold_late_map *map, int row)
{
    for (int b = 0; b < ALLFOLD_LATE_BINS; b++)
        if (level_of(map->late[row][b]) > 0)
            return false;
    return true;
}

/* --- as text --- */

static void print_map(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_late_map *map = &head->late;
    const int bins = bins_of(head);
    int left_out = 0;
    char name[NAME_BYTES];
    fputs("When ranks were late. ", stream);
    print_meaning(map, stream);
    for (int l = 1; l < LEVELS; l++)
        fprintf(stream, "%s %c from %.0f %%", l == 1 ? "" : ",", levels[l].sign,
                100.0 * (double)levels[l].least);
    fputc('\n', stream);
    for (int r = 0, shown = 0; r < map->rows; r++) {
        if (head->is_brief && (is_quiet(map, r) || shown == BRIEF_ROWS)) {
            left_out++;
            continue;
        }
        shown++;
        fprintf(stream, "%-38s |", name_row(map, r, name));
        for (int b = 0; b < bins; b++)
            fputc(levels[level_of(map->late[r][b])].sign, stream);
        fputs("|\n", stream);
    }
    if (left_out > 0)
        fprintf(stream, "(left out: %d row%s; --report=FILE has all)\n", left_out,
                left_out == 1 ? "" : "s");
}

static void print_calls(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_worst *worst = &head->worst;
    const uint32_t count =
        head->is_brief && worst->count > BRIEF_CALLS ? BRIEF_CALLS : worst->count;
    if (count == 0)
        return;
    fprintf(stream,
            "The worst calls: when the last rank came, what all ranks waited for it in sum.\n"
            "%12s %-20s %6s %9s %6s %12s %12s %12s  %s\n",
            "at second", "collective", "p", "bytes", "last", "us behind", "us in sum", "us moving",
            "phase");
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_worst_call *call = &worst->calls[i];
        char size[32];
        allfold_size_write(call->bytes, size, sizeof size);
        fprintf(stream, "%12.6f %-20s %6d %9s %6d %12.2f %12.2f %12.2f  %s\n", call->when_s,
                allfold_collective_name(call->collective), call->p, size, call->rank,
                1e6 * call->behind_s, 1e6 * call->lost_s, 1e6 * call->moving_s, call->phase);
    }
    if (count < worst->count)
        fprintf(stream, "(%u more; --report=FILE has all)\n", worst->count - count);
}

void allfold_lateness_print(const struct allfold_report_head *head, FILE *stream)
{
    if (!has_lateness(head))
        return;
    print_map(head, stream);
    print_calls(head, stream);
}

/* --- as JSON --- */

static void print_json_map(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_late_map *map = &head->late;
    const int bins = bins_of(head);
    fprintf(stream, ",\n  \"late\": {\"by\": \"%s\", \"bin_seconds\": %.9f, \"rows\": [",
            map->is_by_node ? "node" : "rank", map->bin_s);
    for (int r = 0; r < map->rows; r++) {
        const struct allfold_late_row *row = &map->list[r];
        fprintf(stream, "%s\n    {\"first\": %d, \"last\": %d, \"node\": \"%s\", \"shares\": [",
                r == 0 ? "" : ",", row->first, row->last, row->node);
        for (int b = 0; b < bins; b++)
            fprintf(stream, "%s%.4f", b == 0 ? "" : ", ", (double)map->late[r][b]);
        fputs("]}", stream);
    }
    fputs("\n  ]}", stream);
}

void allfold_lateness_print_json(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_worst *worst = &head->worst;
    if (!has_lateness(head))
        return;
    print_json_map(head, stream);
    fprintf(stream, ",\n  \"worst_calls\": [");
    for (uint32_t i = 0; i < worst->count; i++) {
        const struct allfold_worst_call *call = &worst->calls[i];
        fprintf(stream,
                "%s\n    {\"at_seconds\": %.9f, \"collective\": \"%s\", \"p\": %d, "
                "\"bytes\": %zu, \"last_rank\": %d, \"behind_seconds\": %.9f, "
                "\"waiting_seconds\": %.9f, \"moving_seconds\": %.9f, \"phase\": \"%s\"}",
                i == 0 ? "" : ",", call->when_s, allfold_collective_name(call->collective), call->p,
                call->bytes, call->rank, call->behind_s, call->lost_s, call->moving_s, call->phase);
    }
    fprintf(stream, "%s]", worst->count == 0 ? "" : "\n  ");
}

/* --- as pictures --- */

/* Pixels: room for names, then columns; below, the times. */
enum { LEFT = 210, CELL = 9, WIDTH = ALLFOLD_LATE_BINS * CELL, ROW = 13, AXIS = 22, HEIGHT = 180 };

static void put_axis(double seconds, int y, FILE *stream)
{
    enum { TICKS = 4 };
    char time[ALLFOLD_TIME_BYTES];
    fprintf(stream, "<path class=\"a\" d=\"M%d %dh%d\"/>\n", LEFT, y, WIDTH);
    for (int i = 0; i <= TICKS; i++)
        fprintf(stream, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n",
                i == 0       ? ""
                : i == TICKS ? "e"
                             : "c",
                LEFT + WIDTH * i / TICKS, y + 14,
                i == 0 ? "0" : allfold_report_time(seconds * i / TICKS, time));
}

/* Cells of one level are one path, and those beside each other one part of it, so the page stays
 * small. */
static void put_level(const struct allfold_late_map *map, int level, int bins, double width,
                      FILE *stream)
{
    bool is_open = false;
    for (int r = 0; r < map->rows; r++)
        for (int b = 0, end; b < bins; b = end) {
            for (end = b; end < bins && level_of(map->late[r][end]) == level; end++)
                continue;
            if (end == b) {
                end++;
                continue;
            }
            if (!is_open)
                fprintf(stream, "<path opacity=\"%s\" d=\"", levels[level].opacity);
            is_open = true;
            fprintf(stream, "M%.1f %dh%.1fv%dh%.1fz", LEFT + width * b, r * ROW, width * (end - b),
                    ROW - 1, -width * (end - b));
        }
    if (is_open)
        fputs("\"/>\n", stream);
}

/* Where the map is darkest, for those who do not see it. */
static void put_darkest(const struct allfold_late_map *map, int bins, FILE *stream)
{
    int row = 0, bin = 0;
    char name[NAME_BYTES], time[ALLFOLD_TIME_BYTES];
    for (int r = 0; r < map->rows; r++)
        for (int b = 0; b < bins; b++)
            if (map->late[r][b] > map->late[row][bin]) {
                row = r;
                bin = b;
            }
    name_row(map, row, name);
    fputs("Latest of all: ", stream);
    allfold_markup_text(name, strlen(name), stream);
    fprintf(stream, ", %.0f %% of the time in the column at %s.",
            100.0 * (double)map->late[row][bin], allfold_report_time(bin * map->bin_s, time));
}

static void put_row_names(const struct allfold_late_map *map, FILE *stream)
{
    char name[NAME_BYTES];
    for (int r = 0; r < map->rows; r++) {
        fprintf(stream, "<text class=\"e\" x=\"%d\" y=\"%d\">", LEFT - 6, r * ROW + ROW - 3);
        name_row(map, r, name);
        allfold_markup_text(name, strlen(name), stream);
        fputs("</text>\n", stream);
    }
}

static void put_map_table(const struct allfold_late_map *map, int bins, FILE *stream)
{
    char name[NAME_BYTES], time[ALLFOLD_TIME_BYTES];
    fputs("<details><summary>The map as a table, in percent</summary>\n<div class=\"wide\" "
          "tabindex=\"0\"><table><thead><tr><th class=\"t\">from</th>",
          stream);
    for (int b = 0; b < bins; b++)
        fprintf(stream, "<th>%s</th>", allfold_report_time(b * map->bin_s, time));
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (int r = 0; r < map->rows; r++) {
        fputs("<tr>", stream);
        allfold_markup_cell(name_row(map, r, name), stream);
        for (int b = 0; b < bins; b++)
            fprintf(stream, "<td>%.0f</td>", 100.0 * (double)map->late[r][b]);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div></details>\n", stream);
}

static void put_map_key(FILE *stream)
{
    fputs("<div class=\"key\" aria-hidden=\"true\">behind", stream);
    for (int l = 1; l < LEVELS; l++)
        fprintf(stream, "<i class=\"w\" style=\"opacity:%s\"></i>from %.0f %%", levels[l].opacity,
                100.0 * (double)levels[l].least);
    fputs("</div>\n", stream);
}

static void put_map(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_late_map *map = &head->late;
    const int bins = bins_of(head), height = map->rows * ROW;
    const double width = (double)WIDTH / bins;
    fputs("<h2>When ranks were late</h2>\n<p>", stream);
    print_meaning(map, stream);
    fputs("</p>\n", stream);
    put_map_key(stream);
    fprintf(stream,
            "<div class=\"wide\" tabindex=\"0\"><svg role=\"img\" aria-labelledby=\"lt\" "
            "aria-describedby=\"ld\" viewBox=\"0 0 %d %d\"><title id=\"lt\">Heat map: lateness by "
            "%s and time</title>"
            "<desc id=\"ld\">",
            LEFT + WIDTH + 10, height + AXIS, map->is_by_node ? "node" : "rank");
    put_darkest(map, bins, stream);
    fprintf(stream,
            "</desc>\n<rect class=\"g\" x=\"%d\" width=\"%d\" height=\"%d\"/>\n<g class=\"h\">\n",
            LEFT, WIDTH, height);
    for (int level = 1; level < LEVELS; level++)
        put_level(map, level, bins, width, stream);
    fputs("</g>\n", stream);
    put_row_names(map, stream);
    put_axis(bins * map->bin_s, height, stream);
    fputs("</svg></div>\n", stream);
    put_map_table(map, bins, stream);
}

static void put_call_table(const struct allfold_worst *worst, FILE *stream)
{
    fputs("<details><summary>The worst calls as a table</summary>\n<div class=\"wide\" "
          "tabindex=\"0\"><table>\n<thead><tr><th>at second</th><th class=\"t\">collective</th>"
          "<th>p</th><th>bytes</th><th>last rank</th><th>us behind</th><th>us waited in sum</th>"
          "<th>us moving</th><th class=\"t\">phase</th></tr></thead>\n<tbody>\n",
          stream);
    for (uint32_t i = 0; i < worst->count; i++) {
        const struct allfold_worst_call *call = &worst->calls[i];
        char size[32];
        allfold_size_write(call->bytes, size, sizeof size);
        fprintf(stream, "<tr><td>%.6f</td>", call->when_s);
        allfold_markup_cell(allfold_collective_name(call->collective), stream);
        fprintf(stream, "<td>%d</td><td>%s</td><td>%d</td><td>%.2f</td><td>%.2f</td><td>%.2f</td>",
                call->p, size, call->rank, 1e6 * call->behind_s, 1e6 * call->lost_s,
                1e6 * call->moving_s);
        allfold_markup_cell(call->phase, stream);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div></details>\n", stream);
}

/* A pin for each call: where it was, and as long as the last rank was behind. */
static void put_pins(const struct allfold_report_head *head, double end_s, double most_s,
                     FILE *stream)
{
    const struct allfold_worst *worst = &head->worst;
    const int ground = HEIGHT + 10;
    for (uint32_t i = 0; i < worst->count; i++) {
        const struct allfold_worst_call *call = &worst->calls[i];
        const double part = end_s > 0 ? call->when_s / end_s : 0;
        const double x = LEFT + WIDTH * (part < 1 ? part : 1);
        const double up = HEIGHT * call->behind_s / most_s;
        char behind[ALLFOLD_TIME_BYTES], size[32];
        allfold_size_write(call->bytes, size, sizeof size);
        fprintf(stream,
                "<g><title>%s of %s bytes on %d ranks: rank %d %s behind</title><path class=\"s\" "
                "d=\"M%.1f %dv%.1f\"/><circle class=\"k\" r=\"3\" cx=\"%.1f\" cy=\"%.1f\"/></g>\n",
                allfold_collective_name(call->collective), size, call->p, call->rank,
                allfold_report_time(call->behind_s, behind), x, ground, -up, x, ground - up);
    }
}

static void put_calls(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_worst *worst = &head->worst;
    char most[ALLFOLD_TIME_BYTES], when[ALLFOLD_TIME_BYTES];
    const double end_s = bins_of(head) * head->late.bin_s;
    double most_s = 0;
    for (uint32_t i = 0; i < worst->count; i++)
        most_s = fmax(most_s, worst->calls[i].behind_s);
    if (most_s <= 0)
        return;
    fprintf(stream,
            "<h2>The worst calls</h2>\n<p>Of all calls, these %u made ranks wait longest in sum. A "
            "pin is as long as the last rank was behind the mean of the others.</p>\n"
            "<div class=\"wide\" tabindex=\"0\"><svg role=\"img\" aria-labelledby=\"wt\" "
            "aria-describedby=\"wd\" viewBox=\"0 0 %d %d\"><title id=\"wt\">Timeline of the worst "
            "calls</title>"
            "<desc id=\"wd\">",
            worst->count, LEFT + WIDTH + 10, HEIGHT + 10 + AXIS);
    fprintf(stream, "The worst, %s, came at %s: rank %d was last.</desc>\n",
            allfold_collective_name(worst->calls[0].collective),
            allfold_report_time(worst->calls[0].when_s, when), worst->calls[0].rank);
    fprintf(stream, "<text class=\"e\" x=\"%d\" y=\"14\">%s</text>\n", LEFT - 6,
            allfold_report_time(most_s, most));
    fprintf(stream, "<text class=\"e\" x=\"%d\" y=\"%d\">0 behind</text>\n", LEFT - 6, HEIGHT + 10);
    put_pins(head, end_s, most_s, stream);
    put_axis(end_s, HEIGHT + 10, stream);
    fputs("</svg></div>\n", stream);
    put_call_table(worst, stream);
}

void allfold_lateness_print_html(const struct allfold_report_head *head, FILE *stream)
{
    if (!has_lateness(head))
        return;
    put_map(head, stream);
    put_calls(head, stream);
}
