/* How a report looks (see report_format.h). */
#include "events/report_format.h"

#include <string.h>

#include "events/lateness_format.h"
#include "events/report_html.h"
#include "events/report_lines.h"
#include "events/report_words.h"
#include "util/quantity.h"
#include "util/number.h"

enum allfold_report_format allfold_report_format_of(const char *path)
{
    const char *end = strrchr(path, '.');
    if (end != NULL && strcmp(end, ".csv") == 0)
        return ALLFOLD_REPORT_CSV;
    if (end != NULL && strcmp(end, ".json") == 0)
        return ALLFOLD_REPORT_JSON;
    if (end != NULL && strcmp(end, ".html") == 0)
        return ALLFOLD_REPORT_HTML;
    return ALLFOLD_REPORT_TABLE;
}

/* Open MPI says "Open MPI v4.1.4, package: ...", MPICH "MPICH Version:\t4.0.2\nMPICH ...". */
static void name_version(const char *version, char *name, size_t name_bytes)
{
    static const char mpich[] = "MPICH Version:";
    if (strncmp(version, mpich, sizeof mpich - 1) == 0) {
        version += sizeof mpich - 1;
        version += strspn(version, " \t");
        snprintf(name, name_bytes, "MPICH %.*s", (int)strcspn(version, "\n\""), version);
        return;
    }
    int length = (int)strcspn(version, ",\n\"");
    snprintf(name, name_bytes, "%.*s", length, version);
    char *v = strstr(name, " v");
    if (v != NULL && v[2] >= '0' && v[2] <= '9')
        memmove(v + 1, v + 2, strlen(v + 2) + 1);
}

void allfold_report_name_mpi(const char *version, char *name, size_t name_bytes)
{
    name_version(version, name, name_bytes);
    allfold_report_make_plain(name);
}

static double per_call_us(double seconds, uint64_t calls)
{
    return calls == 0 ? 0 : 1e6 * seconds / (double)calls;
}

/* Nothing where it is not known who waited. */
static void print_split(const struct allfold_figures *figures, FILE *stream)
{
    if (figures->waiting_s + figures->moving_s > 0)
        fprintf(stream, "%10.6f %10.6f", figures->waiting_s, figures->moving_s);
    else
        fprintf(stream, "%10s %10s", "-", "-");
}

static void print_row(const struct allfold_report_head *head, const struct allfold_report_row *own,
                      FILE *stream)
{
    const struct allfold_report_row mean = allfold_report_mean_row(own), *row = &mean;
    char least[32], most[32], size[80], moved[32], name[ALLFOLD_CALL_NAME_BYTES];
    allfold_report_name_call(row, name);
    allfold_size_write(row->least_bytes, least, sizeof least);
    allfold_size_write(row->most_bytes, most, sizeof most);
    allfold_size_write((size_t)row->moved_bytes, moved, sizeof moved);
    const bool one = row->least_bytes == row->most_bytes;
    snprintf(size, sizeof size, "%s%s%s", least, one ? "" : "-", one ? "" : most);
    fprintf(stream, "%-20s %4d %13s %9llu %11s %10.6f ", name, row->p, size,
            (unsigned long long)row->figures.calls, moved, row->figures.seconds);
    print_split(&row->figures, stream);
    fprintf(stream, " %11.2f  %-26s %-8s", per_call_us(row->figures.seconds, row->figures.calls),
            row->algorithm, row->source);
    const struct allfold_comparison c = allfold_report_compare(&row->figures);
    if (head->compares && row->figures.samples > 0)
        fprintf(stream, " %9.2f %9.2f %6.2f (%u)", c.ours_us, c.native_us, c.gain,
                row->figures.samples);
    if (row->site != NULL)
        fprintf(stream, "  %s", row->site);
    fprintf(stream, "\n");
}

/* Of several rows: means over all ranks of the job, of which some lack some of the rows. */
struct total {
    double calls;
    struct allfold_figures figures;
};

static void add_mean(const struct allfold_report_head *head, struct total *total,
                     const struct allfold_report_row *row)
{
    const struct allfold_row_sums *all = &row->all_ranks;
    const struct allfold_figures *own = &row->figures;
    const double p = head->p;
    const bool is_known = all->ranks > 0;
    total->calls += is_known ? (double)all->calls / p : (double)own->calls;
    total->figures.seconds += is_known ? all->seconds / p : own->seconds;
    total->figures.waiting_s += is_known ? all->waiting_s / p : own->waiting_s;
    total->figures.moving_s += is_known ? all->moving_s / p : own->moving_s;
}

/* A line where a phase begins, if the program names any: what was called in it. */
static void print_phase(const struct allfold_report_head *head,
                        const struct allfold_report_row *rows, uint32_t count, uint32_t first,
                        FILE *stream)
{
    const char *phase = rows[first].phase;
    struct total all = {.calls = 0};
    if (first == 0 ? rows[count - 1].phase == NULL : phase == rows[first - 1].phase)
        return;
    for (uint32_t i = first; i < count && rows[i].phase == phase; i++)
        add_mean(head, &all, &rows[i]);
    fprintf(stream, "phase %-33s %9.0f %11s %10.6f ", phase == NULL ? "(none)" : phase, all.calls,
            "", all.figures.seconds);
    print_split(&all.figures, stream);
    fprintf(stream, "\n");
}

/* The ranks that the others waited for most. */
static void print_latest(const struct allfold_report_summary *summary, FILE *stream)
{
    if (!allfold_report_has_waiting(summary))
        return;
    fprintf(stream, "%-6s %-31s %9s %9s %12s %10s %10s\n", "rank", "node", "calls", "last in",
            "us behind", "waiting", "moving");
    for (int i = 0; i < summary->latest_count; i++) {
        const struct allfold_report_rank *rank = &summary->latest[i].figures;
        fprintf(stream, "%-6d %-31s %9llu %9llu %12.2f %10.6f %10.6f\n", summary->latest[i].rank,
                rank->node, (unsigned long long)rank->split, (unsigned long long)rank->last,
                per_call_us(rank->behind_s, rank->last), rank->waiting_s, rank->moving_s);
    }
}

static void print_advice(const struct allfold_report_head *head,
                         const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    struct allfold_advice advice[ALLFOLD_MOST_ADVICE];
    const int pieces = allfold_report_advise(head, rows, count, advice);
    for (int i = 0; i < pieces; i++)
        fprintf(stream, "* %s\n", advice[i].text);
}

/* Rows of calls that do not block. */
static void print_flights(const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    bool has_head = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_report_row mean = allfold_report_mean_row(&rows[i]);
        const struct allfold_figures *of = &mean.figures;
        char name[ALLFOLD_CALL_NAME_BYTES], least[32];
        if (of->flight_s <= 0)
            continue;
        if (!has_head)
            fprintf(stream,
                    "Calls that do not block: time in flight and what the program waited of it; of "
                    "calls whose last start is known, both before that.\n"
                    "%-20s %4s %13s %9s %10s %10s %10s %10s %10s %10s\n",
                    "collective", "p", "from bytes", "calls", "in flight", "awaited", "overlapped",
                    "known", "before", "awaited");
        has_head = true;
        allfold_report_name_call(&rows[i], name);
        allfold_size_write(rows[i].least_bytes, least, sizeof least);
        fprintf(stream, "%-20s %4d %13s %9llu %10.6f %10.6f %8.0f %% %10llu %10.6f %10.6f\n", name,
                rows[i].p, least, (unsigned long long)of->calls, of->flight_s, of->awaited_s,
                100 * allfold_report_overlapped(of), (unsigned long long)of->starts.calls,
                of->starts.before_s, of->starts.awaited_s);
    }
}

static void print_table(const struct allfold_report_head *head,
                        const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    fprintf(stream, "\n");
    allfold_report_print_title(head, rows, count, stream);
    allfold_report_print_words(head, rows, count, stream);
    fprintf(stream,
            "The table has %s: seconds in the calls, waiting for late ranks, and "
            "moving data.%s\n",
            count > 0 && rows[0].all_ranks.ranks > 0 ? "means over the ranks that made a call"
                                                     : "the figures of rank 0",
            head->compares ? " ours, native: microseconds a call, measured one after the other in "
                             "(samples) calls; gain: native / ours. Medians."
                           : "");
    if (count == 0) {
        fprintf(stream, "No collective that Allfold knows was called.\n");
        return;
    }
    fprintf(stream, "%-20s %4s %13s %9s %11s %10s %10s %10s %11s  %-26s %-8s%s\n", "collective",
            "p", "bytes", "calls", "total bytes", "seconds", "waiting", "moving", "us a call",
            "algorithm", "chosen", head->compares ? "      ours    native   gain" : "");
    struct total all = {.calls = 0};
    for (uint32_t i = 0; i < count; i++) {
        print_phase(head, rows, count, i, stream);
        print_row(head, &rows[i], stream);
        add_mean(head, &all, &rows[i]);
    }
    fprintf(stream, "%-20s %4s %13s %9.0f %11s %10.6f ", "all", "", "", all.calls, "",
            all.figures.seconds);
    print_split(&all.figures, stream);
    fprintf(stream, "\n");
    print_flights(rows, count, stream);
    print_latest(&head->summary, stream);
    allfold_lateness_print(head, stream);
    allfold_report_print_more(head, rows, count, stream);
    print_advice(head, rows, count, stream);
}

/* Over the ranks that have the row; else of rank 0 alone. */
static struct total mean_of(const struct allfold_report_row *row)
{
    const struct allfold_row_sums *all = &row->all_ranks;
    return (struct total){.calls = all->ranks > 0 ? (double)all->calls / all->ranks
                                                  : (double)row->figures.calls,
                          .figures = allfold_report_mean_row(row).figures};
}

static const char *mode_of(const struct allfold_report_row *row)
{
    return row->mode == NULL ? "blocking" : row->mode;
}

static const char *phase_of(const struct allfold_report_row *row)
{
    return row->phase == NULL ? "" : row->phase;
}

static const char *site_of(const struct allfold_report_row *row)
{
    return row->site == NULL ? "" : row->site;
}

static void print_csv(const struct allfold_report_head *head, const struct allfold_report_row *rows,
                      uint32_t count, FILE *stream)
{
    fprintf(stream,
            "version,machine,mpi,world,nodes,least_per_node,most_per_node,collective,p,"
            "least_bytes,most_bytes,calls,all_bytes,seconds,algorithm,chosen,samples,"
            "ours_us,native_us,gain,waiting_seconds,moving_seconds,bits_compared,bits_differ,"
            "mode,phase,flight_seconds,awaited_seconds,last_start_calls,"
            "before_last_start_seconds,awaited_before_seconds,site,ranks,mean_calls,mean_seconds,"
            "mean_waiting_seconds,mean_moving_seconds\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_report_row *row = &rows[i];
        const struct allfold_comparison c = allfold_report_compare(&row->figures);
        const struct total mean = mean_of(row);
        fprintf(stream,
                "%s,\"%s\",\"%s\",%d,%d,%d,%d,%s,%d,%zu,%zu,%llu,%.0f,%.9f,\"%s\",\"%s\","
                "%u,%.3f,%.3f,%.3f,%.9f,%.9f,%llu,%llu,%s,\"%s\",%.9f,%.9f,%llu,%.9f,%.9f,\"%s\",%"
                "d,%.3f,%.9f,%.9f,%.9f\n",
                ALLFOLD_VERSION, head->machine, head->mpi, head->p, head->nodes,
                head->least_per_node, head->most_per_node,
                allfold_report_collective_name(row->collective), row->p, row->least_bytes,
                row->most_bytes, (unsigned long long)row->figures.calls, row->moved_bytes,
                row->figures.seconds, row->algorithm, row->source, row->figures.samples, c.ours_us,
                c.native_us, c.gain, row->figures.waiting_s, row->figures.moving_s,
                (unsigned long long)row->figures.bits_compared,
                (unsigned long long)row->figures.bits_differ, mode_of(row), phase_of(row),
                row->figures.flight_s, row->figures.awaited_s,
                (unsigned long long)row->figures.starts.calls, row->figures.starts.before_s,
                row->figures.starts.awaited_s, site_of(row), row->all_ranks.ranks, mean.calls,
                mean.figures.seconds, mean.figures.waiting_s, mean.figures.moving_s);
    }
}

static void print_json_findings(const struct allfold_report_findings *found, FILE *stream)
{
    const struct allfold_report_guard *guard = &found->guard;
    if (guard->state == NULL)
        return;
    fprintf(stream,
            ",\n  \"guard\": {\"state\": \"%s\", \"looks\": %u, \"seconds\": %.9f, "
            "\"run_seconds\": %.9f, \"found\": [",
            guard->state, guard->looks, guard->spent_s, guard->run_s);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct allfold_report_finding *one = &found->list[i];
        fprintf(
            stream,
            "%s\n    {\"collective\": \"%s\", \"p\": %d, \"bytes\": %zu, \"algorithm\": \"%s\", "
            "\"chosen\": \"%s\", \"better\": \"%s\", \"factor\": %.3f, \"outcome\": \"%s\"}",
            i == 0 ? "" : ",", allfold_collective_name(one->collective), one->p, one->bytes,
            one->chosen, one->source, one->better, one->factor, one->outcome);
    }
    fprintf(stream, "%s]}", found->count == 0 ? "" : "\n  ");
}

static void print_json_operations(const struct allfold_report_row *rows, uint32_t count,
                                  FILE *stream)
{
    bool has_head = false;
    for (uint32_t i = 0; i < count; i++) {
        if (allfold_report_pieces(&rows[i]) <= 0)
            continue;
        fprintf(stream,
                "%s\n    {\"collective\": \"%s\", \"p\": %d, \"most_bytes\": %zu, "
                "\"algorithm\": \"%s\", \"calls\": %llu, \"operation_calls\": %llu, "
                "\"pieces\": %.6f}",
                has_head ? "," : ",\n  \"operations\": [",
                allfold_collective_name(rows[i].collective), rows[i].p, rows[i].most_bytes,
                rows[i].algorithm, (unsigned long long)rows[i].figures.calls,
                (unsigned long long)rows[i].figures.op_calls, allfold_report_pieces(&rows[i]));
        has_head = true;
    }
    if (has_head)
        fprintf(stream, "\n  ]");
}

static void print_json_staged(const struct allfold_report_head *head, FILE *stream)
{
    if (allfold_report_has_staged(head))
        fprintf(stream,
                ",\n  \"device_memory\": {\"to_host_bytes\": %llu, \"to_device_bytes\": %llu, "
                "\"not_pinned_bytes\": %llu}",
                (unsigned long long)head->staged_to_host,
                (unsigned long long)head->staged_to_device,
                (unsigned long long)head->staged_pageable);
}

static void print_json_starts(const struct allfold_report_summary *of, FILE *stream)
{
    const struct allfold_starts_sum *all = &of->starts, *one = &of->last_starter.starts;
    if (all->calls == 0)
        return;
    fprintf(stream,
            ",\n  \"last_starts\": {\"calls\": %llu, \"seconds\": %.9f, "
            "\"before_seconds\": %.9f, \"awaited_before_seconds\": %.9f",
            (unsigned long long)all->calls, all->flight_s, all->before_s, all->awaited_s);
    if (one->last > 0)
        fprintf(stream,
                ", \"rank\": %d, \"node\": \"%s\", \"last\": %llu, \"behind_seconds\": %.9f",
                of->last_starter.rank, of->last_starter.node, (unsigned long long)one->last,
                one->behind_s);
    fputc('}', stream);
}

static void print_json_advice(const struct allfold_advice *advice, int pieces, FILE *stream)
{
    fprintf(stream, ",\n  \"advice\": [");
    for (int i = 0; i < pieces; i++)
        fprintf(stream, "%s\n    {\"kind\": \"%s\", \"text\": \"%s\"}", i == 0 ? "" : ",",
                advice[i].kind, advice[i].text);
    fprintf(stream, "%s]", pieces == 0 ? "" : "\n  ");
}

/* Sums over all ranks; the latest ranks, that one first whom the others waited for most; advice. */
static void print_json_summary(const struct allfold_report_head *head,
                               const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    const struct allfold_report_summary *of = &head->summary;
    struct allfold_advice advice[ALLFOLD_MOST_ADVICE];
    const int pieces = allfold_report_advise(head, rows, count, advice);
    if (head->is_incomplete)
        fprintf(stream, ",\n  \"incomplete\": true");
    if (of->flight_s > 0)
        fprintf(stream, ",\n  \"in_flight\": {\"seconds\": %.9f, \"awaited_seconds\": %.9f}",
                of->flight_s, of->awaited_s);
    print_json_starts(of, stream);
    if (of->split == 0) {
        if (pieces > 0)
            print_json_advice(advice, pieces, stream);
        return;
    }
    fprintf(stream,
            ",\n  \"run_seconds\": %.6f,\n  \"%s\": {\"calls\": %llu, \"split_calls\": "
            "%llu, \"seconds\": %.9f, \"waiting_seconds\": %.9f, \"moving_seconds\": %.9f, "
            "\"clock_error_seconds\": %.9f, \"involuntary_switches\": %llu, "
            "\"ranks_sharing_cores\": %d},\n  \"latest_ranks\": [",
            head->run_s, head->is_incomplete ? "rank_0" : "all_ranks",
            (unsigned long long)of->calls, (unsigned long long)of->split, of->seconds,
            of->waiting_s, of->moving_s, of->error_s, (unsigned long long)of->switches,
            of->sharing);
    for (int i = 0; i < of->latest_count; i++) {
        const struct allfold_report_rank *rank = &of->latest[i].figures;
        fprintf(stream,
                "%s\n    {\"rank\": %d, \"node\": \"%s\", \"calls\": %llu, \"last\": %llu, "
                "\"behind_seconds\": %.9f, \"behind_by_chance_seconds\": %.9f, "
                "\"is_above_chance\": %s, \"waiting_seconds\": %.9f, \"moving_seconds\": %.9f}",
                i == 0 ? "" : ",", of->latest[i].rank, rank->node, (unsigned long long)rank->split,
                (unsigned long long)rank->last, rank->behind_s, rank->chance_s,
                allfold_report_is_blamed(head, rank) ? "true" : "false", rank->waiting_s,
                rank->moving_s);
    }
    fprintf(stream, "\n  ]");
    allfold_lateness_print_json(head, stream);
    print_json_advice(advice, pieces, stream);
}

/* By hand, unlike the command's JSON: this library brings no other library, such as jansson, into
 * programs. No string needs escapes. Names of machines and algorithms have no quote or control
 * character. The MPI's version is its first line, cut at a quote. */
static void print_json(const struct allfold_report_head *head,
                       const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    fprintf(stream,
            "{\n  \"version\": \"%s\",\n  \"machine\": \"%s\",\n  \"mpi\": \"%s\",\n"
            "  \"world\": %d,\n  \"nodes\": %d,\n  \"least_per_node\": %d,\n"
            "  \"most_per_node\": %d,\n  \"switches\": %d,\n  \"rows\": [",
            ALLFOLD_VERSION, head->machine, head->mpi, head->p, head->nodes, head->least_per_node,
            head->most_per_node, head->switches);
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_report_row *row = &rows[i];
        const struct allfold_comparison c = allfold_report_compare(&row->figures);
        const struct total mean = mean_of(row);
        fprintf(stream,
                "%s\n    {\"collective\": \"%s\", \"p\": %d, \"least_bytes\": %zu, "
                "\"most_bytes\": %zu, \"calls\": %llu, \"all_bytes\": %.0f, \"seconds\": %.9f, "
                "\"algorithm\": \"%s\", \"chosen\": \"%s\", \"samples\": %u, "
                "\"ours_us\": %.3f, \"native_us\": %.3f, \"gain\": %.3f, "
                "\"waiting_seconds\": %.9f, \"moving_seconds\": %.9f, "
                "\"bits_compared\": %llu, \"bits_differ\": %llu, \"mode\": \"%s\", "
                "\"phase\": \"%s\", \"flight_seconds\": %.9f, \"awaited_seconds\": %.9f, "
                "\"last_start_calls\": %llu, \"before_last_start_seconds\": %.9f, "
                "\"awaited_before_seconds\": %.9f, \"site\": \"%s\", "
                "\"ranks\": %d, \"mean_calls\": %.3f, \"mean_seconds\": %.9f, "
                "\"mean_waiting_seconds\": %.9f, \"mean_moving_seconds\": %.9f}",
                i == 0 ? "" : ",", allfold_report_collective_name(row->collective), row->p,
                row->least_bytes, row->most_bytes, (unsigned long long)row->figures.calls,
                row->moved_bytes, row->figures.seconds, row->algorithm, row->source,
                row->figures.samples, c.ours_us, c.native_us, c.gain, row->figures.waiting_s,
                row->figures.moving_s, (unsigned long long)row->figures.bits_compared,
                (unsigned long long)row->figures.bits_differ, mode_of(row), phase_of(row),
                row->figures.flight_s, row->figures.awaited_s,
                (unsigned long long)row->figures.starts.calls, row->figures.starts.before_s,
                row->figures.starts.awaited_s, site_of(row), row->all_ranks.ranks, mean.calls,
                mean.figures.seconds, mean.figures.waiting_s, mean.figures.moving_s);
    }
    fprintf(stream, "\n  ]");
    if (head->copies) {
        const struct allfold_report_one_copy sum = allfold_report_one_copy(rows, count);
        fprintf(stream,
                ",\n  \"one_copy\": {\"calls\": %llu, \"seconds\": %.9f, \"saved_seconds\": %.9f}",
                (unsigned long long)sum.calls, sum.seconds, sum.saved_s);
    }
    if (head->no_lines != NULL)
        fprintf(stream, ",\n  \"no_source_lines\": \"%s\"", head->no_lines);
    print_json_operations(rows, count, stream);
    print_json_findings(&head->found, stream);
    print_json_staged(head, stream);
    print_json_summary(head, rows, count, stream);
    fprintf(stream, "\n}\n");
}

void allfold_report_print(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count,
                          enum allfold_report_format format, FILE *stream)
{
    static void (*const printers[])(const struct allfold_report_head *,
                                    const struct allfold_report_row *, uint32_t, FILE *) = {
        [ALLFOLD_REPORT_TABLE] = print_table,
        [ALLFOLD_REPORT_CSV] = print_csv,
        [ALLFOLD_REPORT_JSON] = print_json,
        [ALLFOLD_REPORT_HTML] = allfold_report_print_html,
    };
    /* CSV and JSON have a decimal point, whatever locale the program has chosen */
    const locale_t before = allfold_numbers_plain();
    printers[format](head, rows, count, stream);
    allfold_numbers_restore(before);
}
