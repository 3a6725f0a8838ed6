/* The report as a page (see report_html.h). Bars are parts of table cells, so that the figures are
 * beside them, for those who do not see the bars, too. */
#include "events/report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events/lateness_format.h"
#include "events/report_lines.h"
#include "events/report_markup.h"
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
                allfold_markup_text(line, length, stream);
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

/* Waiting and moving; all of it in one color where it is not known who waited. */
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
        fputs("<td></td><td></td><td></td><td></td><td></td><td></td>", stream);
    else
        fprintf(stream,
                "<td>%.6f</td><td>%.6f</td><td>%.0f %%</td><td>%.0f</td><td>%.6f</td><td>%.6f</td>",
                of->flight_s, of->awaited_s, 100 * allfold_report_overlapped(of), of->start_calls,
                of->start_before_s, of->start_awaited_s);
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
        allfold_markup_cell(row->phase == NULL ? "" : row->phase, stream);
    allfold_markup_cell(name, stream);
    fprintf(stream, "<td>%d</td><td>%s</td><td>%.0f</td><td>%s</td>", row->p, sizes, sums->calls,
            moved);
    allfold_markup_cell(row->algorithm, stream);
    allfold_markup_cell(row->source, stream);
    put_split(sums, columns->longest_s, stream);
    fprintf(stream, "<td>%.2f</td>", sums->calls <= 0 ? 0 : 1e6 * sums->seconds / sums->calls);
    if (columns->comparisons)
        put_compared(&row->figures, stream);
    if (columns->flights)
        put_flight(sums, stream);
    if (columns->sites)
        allfold_markup_cell(row->site == NULL ? "" : row->site, stream);
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
        columns.flights ? "<th>in flight</th><th>awaited</th><th>overlapped</th>"
                          "<th>last start known</th><th>in flight before</th>"
                          "<th>awaited before</th>"
                        : "",
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
        allfold_markup_cell(rank->node, stream);
        fprintf(stream, "<td>%.0f</td><td>%.0f</td><td>", of->split, of->last);
        put_bar("w", of->behind_s, summary->latest[0].figures.sums.behind_s, stream);
        fprintf(stream, "</td><td>%.2f</td><td>%.6f</td><td>%.6f</td></tr>\n",
                of->last <= 0 ? 0 : 1e6 * of->behind_s / of->last, of->waiting_s, of->moving_s);
    }
    fputs("</tbody></table></div>\n", stream);
}

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
    allfold_lateness_print_html(head, stream);
    fputs("<h2>More</h2>\n", stream);
    put_lines(allfold_report_print_more, "p", head, rows, count, stream);
    fputs("</body>\n</html>\n", stream);
}
