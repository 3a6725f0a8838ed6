/* The report as an HTML page (see report_html.h). Bars are parts of table cells that also contain
 * the numbers, for readers who do not see the bars. */
#include "events/report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events/report_words.h"
#include "util/quantity.h"

/* Colors that color-blind people tell apart (Okabe and Ito), lighter ones on dark ground. */
static const char style[] =
    ":root{--ground:#fff;--ink:#222;--soft:#f3f5f7;--line:#d5d9de;--wait:#d55e00;--move:#0072b2;"
    "--other:#8a8f98}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#16181c;--ink:#ddd;--soft:#1f2329;"
    "--line:#3a4048;--wait:#f0914a;--move:#56b4e9;--other:#9aa0a8}}\n"
    "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:95em;padding:1em;"
    "color:var(--ink);background:var(--ground)}\n"
    "h1{font-size:1.4em}h2{font-size:1.15em;margin-top:1.6em}\n"
    "div.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9em}\n"
    "th,td{padding:.25em .6em;border-bottom:1px solid var(--line);text-align:right;"
    "white-space:nowrap}\n"
    "th.t,td.t{text-align:left}thead th{background:var(--soft)}\n"
    "div.bar{display:flex;width:9em;height:.9em;background:var(--soft)}div.bar i{display:block}\n"
    "i.w{background:var(--wait)}i.m{background:var(--move)}i.o{background:var(--other)}\n"
    "div.key i{display:inline-block;width:.9em;height:.9em;margin:0 .3em 0 1em}\n"
    "svg{display:block;width:100%;min-width:44em;font:11px system-ui,sans-serif}"
    "svg text{fill:var(--ink)}svg .e{text-anchor:end}svg .c{text-anchor:middle}"
    "svg .g{fill:var(--soft)}svg .h path,svg .k{fill:var(--wait)}svg .s{stroke:var(--wait);"
    "stroke-width:2}svg .a{stroke:var(--line)}summary{cursor:pointer}\n"
    "@media print{svg{min-width:0;print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "body{max-width:none;font-size:11px}div.wide{overflow:visible}"
    "div.bar,div.bar i,div.key i{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

static void put_text(const char *text, size_t length, FILE *stream)
{
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        default:
            fputc(text[i], stream);
        }
}

static void put_cell(const char *text, FILE *stream)
{
    fputs("<td class=\"t\">", stream);
    put_text(text, strlen(text), stream);
    fputs("</td>", stream);
}

typedef void print_text(const struct allfold_report_head *head,
                        const struct allfold_report_row *rows, uint32_t count, FILE *stream);

/* Each line that `print` prints as an element. Without memory there are none. */
static void put_lines(print_text *print, const char *element,
                      const struct allfold_report_head *head, const struct allfold_report_row *rows,
                      uint32_t count, FILE *stream)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *lines = open_memstream(&text, &bytes);
    if (lines == NULL)
        return;
    print(head, rows, count, lines);
    if (fclose(lines) == 0)
        for (const char *line = text; *line != '\0';) {
            const size_t length = strcspn(line, "\n");
            if (length > 0) {
                fprintf(stream, "<%s>", element);
                put_text(line, length, stream);
                fprintf(stream, "</%s>\n", element);
            }
            line += length + (line[length] == '\n');
        }
    free(text);
}

static void put_part(const char *class, double part, double whole, FILE *stream)
{
    fprintf(stream, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", class,
            whole > 0 ? 100 * part / whole : 0);
}

/* A bar of the room's length for `whole`. */
static void put_bar(const char *class, double part, double whole, FILE *stream)
{
    fputs("<div class=\"bar\">", stream);
    put_part(class, part, whole, stream);
    fputs("</div>", stream);
}

/* Waiting and moving; in one color if it is unknown which ranks waited. */
static void put_split(const struct allfold_sums *sums, double whole, FILE *stream)
{
    const bool is_known = sums->waiting_s + sums->moving_s > 0;
    fputs("<td><div class=\"bar\">", stream);
    if (is_known)
        put_part("w", sums->waiting_s, whole, stream);
    put_part(is_known ? "m" : "o", is_known ? sums->moving_s : sums->seconds, whole, stream);
    fputs("</div></td>", stream);
    fprintf(stream, "<td>%.6f</td>", sums->seconds);
    if (is_known)
        fprintf(stream, "<td>%.6f</td><td>%.6f</td>", sums->waiting_s, sums->moving_s);
    else
        fputs("<td>-</td><td>-</td>", stream);
}

static void put_compared(const struct allfold_figures *figures, FILE *stream)
{
    const struct allfold_comparison c = allfold_report_compare(figures);
    const double most = c.ours_us > c.native_us ? c.ours_us : c.native_us;
    if (figures->samples == 0) {
        fputs("<td></td><td></td><td></td><td></td>", stream);
        return;
    }
    fputs("<td>", stream);
    put_bar("m", c.ours_us, most, stream);
    put_bar("o", c.native_us, most, stream);
    fprintf(stream, "</td><td>%.2f</td><td>%.2f</td><td>%.2f (%u)</td>", c.ours_us, c.native_us,
            c.gain, figures->samples);
}

/* Columns that only some reports need. */
struct columns {
    bool phases, flights, comparisons, sites;
    double longest_s; /* of a row */
};

static struct columns columns_of(const struct allfold_report_head *head,
                                 const struct allfold_report_row *rows, uint32_t count)
{
    struct columns columns = {.comparisons = head->compares};
    for (uint32_t i = 0; i < count; i++) {
        columns.phases |= rows[i].phase != NULL;
        columns.sites |= rows[i].site != NULL;
        columns.flights |= rows[i].sums.flight_s + rows[i].all_ranks.flight_s > 0;
        columns.longest_s = fmax(columns.longest_s, allfold_report_mean_row(&rows[i]).sums.seconds);
    }
    return columns;
}

static void put_flight(const struct allfold_sums *of, FILE *stream)
{
    if (of->flight_s <= 0)
        fputs("<td></td><td></td><td></td>", stream);
    else
        fprintf(stream, "<td>%.6f</td><td>%.6f</td><td>%.0f %%</td>", of->flight_s, of->awaited_s,
                100 * allfold_report_overlapped(of));
}

static void put_row(const struct columns *columns, const struct allfold_report_row *own,
                    FILE *stream)
{
    const struct allfold_report_row mean = allfold_report_mean_row(own), *row = &mean;
    char sizes[ALLFOLD_SIZES_BYTES], moved[32], name[ALLFOLD_CALL_NAME_BYTES];
    const struct allfold_sums *sums = &row->sums;
    allfold_report_name_call(row, name);
    allfold_report_name_sizes(row, sizes);
    allfold_size_write((size_t)sums->bytes, moved, sizeof moved);
    fputs("<tr>", stream);
    if (columns->phases)
        put_cell(row->phase == NULL ? "" : row->phase, stream);
    put_cell(name, stream);
    fprintf(stream, "<td>%d</td><td>%s</td><td>%.0f</td><td>%s</td>", row->p, sizes, sums->calls,
            moved);
    put_cell(row->algorithm, stream);
    put_cell(row->source, stream);
    put_split(sums, columns->longest_s, stream);
    fprintf(stream, "<td>%.2f</td>", sums->calls <= 0 ? 0 : 1e6 * sums->seconds / sums->calls);
    if (columns->comparisons)
        put_compared(&row->figures, stream);
    if (columns->flights)
        put_flight(sums, stream);
    if (columns->sites)
        put_cell(row->site == NULL ? "" : row->site, stream);
    fputs("</tr>\n", stream);
}

static void put_rows(const struct allfold_report_head *head, const struct allfold_report_row *rows,
                     uint32_t count, FILE *stream)
{
    const struct columns columns = columns_of(head, rows, count);
    fprintf(
        stream,
        "<h2>What was called</h2>\n<p>%s, in seconds if no unit is named.</p>\n<div class=\"key\" "
        "aria-hidden=\"true\"><i class=\"w\"></i>waiting for late "
        "ranks<i class=\"m\"></i>moving data%s<i class=\"o\"></i>not split%s</div>\n"
        "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>%s<th class=\"t\">collective"
        "</th><th>p</th><th>bytes</th><th>calls</th><th>total bytes</th><th class=\"t\">algorithm"
        "</th><th class=\"t\">chosen</th><th class=\"t\">waiting, moving</th><th>time</th>"
        "<th>waiting</th><th>moving</th><th>us a call</th>%s%s%s</tr></thead>\n<tbody>\n",
        count > 0 && rows[0].ranks > 0 ? "Means over the ranks that made a call"
                                       : "Figures of rank 0",
        columns.comparisons ? "; ours" : "", columns.comparisons ? "; native" : "",
        columns.phases ? "<th class=\"t\">phase</th>" : "",
        columns.comparisons ? "<th class=\"t\">ours, native</th><th>ours, us</th>"
                              "<th>native, us</th><th>gain (samples)</th>"
                            : "",
        columns.flights ? "<th>in flight</th><th>awaited</th><th>overlapped</th>" : "",
        columns.sites ? "<th class=\"t\">called in</th>" : "");
    for (uint32_t i = 0; i < count; i++)
        put_row(&columns, &rows[i], stream);
    fputs("</tbody></table></div>\n", stream);
}

/* The ranks that the others waited for most. */
static void put_latest(const struct allfold_report_summary *summary, FILE *stream)
{
    if (!allfold_report_has_waiting(summary))
        return;
    fputs("<h2>The latest ranks</h2>\n<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>"
          "<th>rank</th><th class=\"t\">node</th><th>calls</th><th>last in</th>"
          "<th class=\"t\">behind in all</th><th>us behind</th><th>waiting</th><th>moving</th>"
          "</tr></thead>\n<tbody>\n",
          stream);
    for (int i = 0; i < summary->latest_count; i++) {
        const struct allfold_report_rank *rank = &summary->latest[i].figures;
        const struct allfold_sums *of = &rank->sums;
        fprintf(stream, "<tr><td>%d</td>", summary->latest[i].rank);
        put_cell(rank->node, stream);
        fprintf(stream, "<td>%.0f</td><td>%.0f</td><td>", of->split, of->last);
        put_bar("w", of->behind_s, summary->latest[0].figures.sums.behind_s, stream);
        fprintf(stream, "</td><td>%.2f</td><td>%.6f</td><td>%.6f</td></tr>\n",
                of->last <= 0 ? 0 : 1e6 * of->behind_s / of->last, of->waiting_s, of->moving_s);
    }
    fputs("</tbody></table></div>\n", stream);
}

/* --- when ranks were late --- */

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
            for (end = b; end < bins && allfold_late_level(map->late[r][end]) == level; end++)
                continue;
            if (end == b) {
                end++;
                continue;
            }
            if (!is_open)
                fprintf(stream, "<path opacity=\"%s\" d=\"", allfold_late_levels[level].opacity);
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
    char name[ALLFOLD_LATE_ROW_BYTES], time[ALLFOLD_TIME_BYTES];
    for (int r = 0; r < map->rows; r++)
        for (int b = 0; b < bins; b++)
            if (map->late[r][b] > map->late[row][bin]) {
                row = r;
                bin = b;
            }
    allfold_late_row_name(map, row, name);
    fputs("Latest of all: ", stream);
    put_text(name, strlen(name), stream);
    fprintf(stream, ", %.0f %% of the time in the column at %s.",
            100.0 * (double)map->late[row][bin], allfold_report_time(bin * map->bin_s, time));
}

static void put_row_names(const struct allfold_late_map *map, FILE *stream)
{
    char name[ALLFOLD_LATE_ROW_BYTES];
    for (int r = 0; r < map->rows; r++) {
        fprintf(stream, "<text class=\"e\" x=\"%d\" y=\"%d\">", LEFT - 6, r * ROW + ROW - 3);
        allfold_late_row_name(map, r, name);
        put_text(name, strlen(name), stream);
        fputs("</text>\n", stream);
    }
}

static void put_map_table(const struct allfold_late_map *map, int bins, FILE *stream)
{
    char name[ALLFOLD_LATE_ROW_BYTES], time[ALLFOLD_TIME_BYTES];
    fputs("<details><summary>The map as a table, in percent</summary>\n<div class=\"wide\" "
          "tabindex=\"0\"><table><thead><tr><th class=\"t\">from</th>",
          stream);
    for (int b = 0; b < bins; b++)
        fprintf(stream, "<th>%s</th>", allfold_report_time(b * map->bin_s, time));
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (int r = 0; r < map->rows; r++) {
        fputs("<tr>", stream);
        put_cell(allfold_late_row_name(map, r, name), stream);
        for (int b = 0; b < bins; b++)
            fprintf(stream, "<td>%.0f</td>", 100.0 * (double)map->late[r][b]);
        fputs("</tr>\n", stream);
    }
    fputs("</tbody></table></div></details>\n", stream);
}

static void put_map_key(FILE *stream)
{
    fputs("<div class=\"key\" aria-hidden=\"true\">behind", stream);
    for (int l = 1; l < ALLFOLD_LATE_LEVELS; l++)
        fprintf(stream, "<i class=\"w\" style=\"opacity:%s\"></i>from %.0f %%",
                allfold_late_levels[l].opacity, 100.0 * (double)allfold_late_levels[l].least);
    fputs("</div>\n", stream);
}

static void put_map(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_late_map *map = &head->late;
    const int bins = allfold_late_bins_reached(&head->late, head->run_s), height = map->rows * ROW;
    const double width = (double)WIDTH / bins;
    fputs("<h2>When ranks were late</h2>\n<p>", stream);
    allfold_report_print_late_words(map, stream);
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
    for (int level = 1; level < ALLFOLD_LATE_LEVELS; level++)
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
        put_cell(allfold_collective_name(call->collective), stream);
        fprintf(stream, "<td>%d</td><td>%s</td><td>%d</td><td>%.2f</td><td>%.2f</td><td>%.2f</td>",
                call->p, size, call->rank, 1e6 * call->behind_s, 1e6 * call->lost_s,
                1e6 * call->moving_s);
        put_cell(call->phase, stream);
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
    const double end_s = allfold_late_bins_reached(&head->late, head->run_s) * head->late.bin_s;
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

static void put_lateness(const struct allfold_report_head *head, FILE *stream)
{
    if (!allfold_report_has_lateness(head))
        return;
    put_map(head, stream);
    put_calls(head, stream);
}

/* --- the page --- */

static void print_advice(const struct allfold_report_head *head,
                         const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    struct allfold_advice advice[ALLFOLD_MOST_ADVICE];
    const int pieces = allfold_report_advise(head, rows, count, advice);
    for (int i = 0; i < pieces; i++)
        fprintf(stream, "%s\n", advice[i].text);
}

void allfold_report_print_html(const struct allfold_report_head *head,
                               const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
          "<title>Allfold's report</title>\n<style>\n",
          stream);
    fputs(style, stream);
    fputs("</style></head>\n<body>\n", stream);
    put_lines(allfold_report_print_title, "h1", head, rows, count, stream);
    put_lines(allfold_report_print_words, "p", head, rows, count, stream);
    put_lines(print_advice, "p", head, rows, count, stream);
    if (count > 0)
        put_rows(head, rows, count, stream);
    else
        fputs("<p>No collective that Allfold knows was called.</p>\n", stream);
    put_latest(&head->summary, stream);
    put_lateness(head, stream);
    fputs("<h2>More</h2>\n", stream);
    put_lines(allfold_report_print_more, "p", head, rows, count, stream);
    fputs("</body>\n</html>\n", stream);
}
