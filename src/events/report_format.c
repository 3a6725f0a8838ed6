/* Text tables, CSV and JSON of a report (see report_format.h). */
#include "events/report_format.h"

#include <string.h>

#include "events/report_html.h"
#include "events/report_words.h"
#include "util/memory.h"
#include "util/number.h"
#include "util/quantity.h"

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

enum { BRIEF_ROWS = 16, BRIEF_CALLS = 10 };

static double per_call_us(double seconds, double calls)
{
    return calls <= 0 ? 0 : 1e6 * seconds / calls;
}

/* Prints nothing if it is unknown which ranks waited. */
static void print_split(const struct allfold_sums *sums, FILE *stream)
{
    if (sums->waiting_s + sums->moving_s > 0)
        fprintf(stream, "%10.6f %10.6f", sums->waiting_s, sums->moving_s);
    else
        fprintf(stream, "%10s %10s", "-", "-");
}

static void print_row(const struct allfold_report_head *head, const struct allfold_report_row *own,
                      FILE *stream)
{
    const struct allfold_report_row mean = allfold_report_mean_row(own), *row = &mean;
    const struct allfold_sums *sums = &row->sums;
    char size[ALLFOLD_SIZES_BYTES], moved[32], name[ALLFOLD_CALL_NAME_BYTES];
    allfold_report_name_call(row, name);
    allfold_report_name_sizes(row, size);
    allfold_size_write((size_t)sums->bytes, moved, sizeof moved);
    fprintf(stream, "%-20s %4d %13s %9.0f %11s %10.6f ", name, row->p, size, sums->calls, moved,
            sums->seconds);
    print_split(sums, stream);
    fprintf(stream, " %11.2f  %-26s %-8s", per_call_us(sums->seconds, sums->calls), row->algorithm,
            row->source);
    const struct allfold_comparison c = allfold_report_compare(&row->figures);
    if (head->compares && row->figures.samples > 0)
        fprintf(stream, " %9.2f %9.2f %6.2f (%u)", c.ours_us, c.native_us, c.gain,
                row->figures.samples);
    if (row->site != NULL)
        fprintf(stream, "  %s", row->site);
    fprintf(stream, "\n");
}

/* Adds the means over all ranks of the job, of which some may lack the row. */
static void add_mean(const struct allfold_report_head *head, struct allfold_sums *total,
                     const struct allfold_report_row *row)
{
    if (row->ranks > 0)
        allfold_sums_add(total, &row->all_ranks, 1.0 / head->p);
    else
        allfold_sums_add(total, &row->sums, 1);
}

/* Prints a line at the start of a phase, if the program names phases. */
static void print_phase(const struct allfold_report_head *head,
                        const struct allfold_report_row *rows, uint32_t count, uint32_t first,
                        FILE *stream)
{
    const char *phase = rows[first].phase;
    struct allfold_sums all = {.calls = 0};
    if (first == 0 ? rows[count - 1].phase == NULL : phase == rows[first - 1].phase)
        return;
    for (uint32_t i = first; i < count && rows[i].phase == phase; i++)
        add_mean(head, &all, &rows[i]);
    fprintf(stream, "phase %-33s %9.0f %11s %10.6f ", phase == NULL ? "(none)" : phase, all.calls,
            "", all.seconds);
    print_split(&all, stream);
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
        fprintf(stream, "%-6d %-31s %9.0f %9.0f %12.2f %10.6f %10.6f\n", summary->latest[i].rank,
                rank->node, rank->sums.split, rank->sums.last,
                per_call_us(rank->sums.behind_s, rank->sums.last), rank->sums.waiting_s,
                rank->sums.moving_s);
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
        const struct allfold_sums *of = &mean.sums;
        char name[ALLFOLD_CALL_NAME_BYTES], least[32];
        if (of->flight_s <= 0)
            continue;
        if (!has_head)
            fprintf(stream,
                    "Calls that do not block: time in flight and what the program waited of it.\n"
                    "%-20s %4s %13s %9s %10s %10s %10s\n",
                    "collective", "p", "from bytes", "calls", "in flight", "awaited", "overlapped");
        has_head = true;
        allfold_report_name_call(&rows[i], name);
        allfold_size_write(rows[i].least_bytes, least, sizeof least);
        fprintf(stream, "%-20s %4d %13s %9.0f %10.6f %10.6f %8.0f %%\n", name, rows[i].p, least,
                of->calls, of->flight_s, of->awaited_s, 100 * allfold_report_overlapped(of));
    }
}

/* --- when ranks were late --- */

static bool is_quiet(const struct allfold_late_map *map, int row)
{
    for (int b = 0; b < ALLFOLD_LATE_BINS; b++)
        if (allfold_late_level(map->late[row][b]) > 0)
            return false;
    return true;
}

static void print_map(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_late_map *map = &head->late;
    const int bins = allfold_late_bins_reached(&head->late, head->run_s);
    int left_out = 0;
    char name[ALLFOLD_LATE_ROW_BYTES];
    fputs("When ranks were late. ", stream);
    allfold_report_print_late_words(map, stream);
    for (int l = 1; l < ALLFOLD_LATE_LEVELS; l++)
        fprintf(stream, "%s %c from %.0f %%", l == 1 ? "" : ",", allfold_late_levels[l].sign,
                100.0 * (double)allfold_late_levels[l].least);
    fputc('\n', stream);
    for (int r = 0, shown = 0; r < map->rows; r++) {
        if (head->is_brief && (is_quiet(map, r) || shown == BRIEF_ROWS)) {
            left_out++;
            continue;
        }
        shown++;
        fprintf(stream, "%-38s |", allfold_late_row_name(map, r, name));
        for (int b = 0; b < bins; b++)
            fputc(allfold_late_levels[allfold_late_level(map->late[r][b])].sign, stream);
        fputs("|\n", stream);
    }
    if (left_out > 0)
        fprintf(stream, "(left out: %d row%s; --report=FILE has all)\n", left_out,
                left_out == 1 ? "" : "s");
}

static void print_worst(const struct allfold_report_head *head, FILE *stream)
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

static void print_lateness(const struct allfold_report_head *head, FILE *stream)
{
    if (!allfold_report_has_lateness(head))
        return;
    print_map(head, stream);
    print_worst(head, stream);
}

/* --- the table --- */

static void print_table(const struct allfold_report_head *head,
                        const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    fprintf(stream, "\n");
    allfold_report_print_title(head, rows, count, stream);
    allfold_report_print_words(head, rows, count, stream);
    fprintf(stream,
            "The table has %s: seconds in the calls, waiting for late ranks, and "
            "moving data.%s\n",
            count > 0 && rows[0].ranks > 0 ? "means over the ranks that made a call"
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
    struct allfold_sums all = {.calls = 0};
    for (uint32_t i = 0; i < count; i++) {
        print_phase(head, rows, count, i, stream);
        print_row(head, &rows[i], stream);
        add_mean(head, &all, &rows[i]);
    }
    fprintf(stream, "%-20s %4s %13s %9.0f %11s %10.6f ", "all", "", "", all.calls, "", all.seconds);
    print_split(&all, stream);
    fprintf(stream, "\n");
    print_flights(rows, count, stream);
    print_latest(&head->summary, stream);
    print_lateness(head, stream);
    allfold_report_print_more(head, rows, count, stream);
    print_advice(head, rows, count, stream);
}

/* A member of a row, in CSV and JSON: a text, or a number with `digits` decimals. */
struct member {
    const char *name, *text; /* NULL: a number */
    double number;
    int digits;    /* of a number */
    bool is_plain; /* a text that CSV needs no quotes around */
};

enum { MEMBERS = 27 };

/* Figures are rank 0's, and means are over the ranks that have the row; else of rank 0 alone. */
static void list_members(const struct allfold_report_row *row, struct member members[MEMBERS])
{
    const struct allfold_sums *own = &row->sums;
    const struct allfold_sums mean = allfold_report_mean_row(row).sums;
    const struct allfold_comparison c = allfold_report_compare(&row->figures);
    const struct member list[MEMBERS] = {
        {"collective", allfold_report_collective_name(row->collective), 0, 0, true},
        {"p", NULL, row->p, 0, 0},
        {"least_bytes", NULL, (double)row->least_bytes, 0, 0},
        {"most_bytes", NULL, (double)row->most_bytes, 0, 0},
        {"calls", NULL, own->calls, 0, 0},
        {"all_bytes", NULL, own->bytes, 0, 0},
        {"seconds", NULL, own->seconds, 9, 0},
        {"algorithm", row->algorithm, 0, 0, 0},
        {"chosen", row->source == NULL ? "" : row->source, 0, 0, 0},
        {"samples", NULL, row->figures.samples, 0, 0},
        {"ours_us", NULL, c.ours_us, 3, 0},
        {"native_us", NULL, c.native_us, 3, 0},
        {"gain", NULL, c.gain, 3, 0},
        {"waiting_seconds", NULL, own->waiting_s, 9, 0},
        {"moving_seconds", NULL, own->moving_s, 9, 0},
        {"bits_compared", NULL, (double)row->figures.bits_compared, 0, 0},
        {"bits_differ", NULL, (double)row->figures.bits_differ, 0, 0},
        {"mode", row->mode == NULL ? "blocking" : row->mode, 0, 0, true},
        {"phase", row->phase == NULL ? "" : row->phase, 0, 0, 0},
        {"flight_seconds", NULL, own->flight_s, 9, 0},
        {"awaited_seconds", NULL, own->awaited_s, 9, 0},
        {"site", row->site == NULL ? "" : row->site, 0, 0, 0},
        {"ranks", NULL, row->ranks, 0, 0},
        {"mean_calls", NULL, row->ranks > 0 ? row->all_ranks.calls / row->ranks : own->calls, 3, 0},
        {"mean_seconds", NULL, mean.seconds, 9, 0},
        {"mean_waiting_seconds", NULL, mean.waiting_s, 9, 0},
        {"mean_moving_seconds", NULL, mean.moving_s, 9, 0}};
    memcpy(members, list, sizeof list);
}

static void print_csv(const struct allfold_report_head *head, const struct allfold_report_row *rows,
                      uint32_t count, FILE *stream)
{
    const struct allfold_report_row none = {.p = 0};
    struct member members[MEMBERS];
    list_members(&none, members);
    fprintf(stream, "version,machine,mpi,world,nodes,least_per_node,most_per_node");
    for (int m = 0; m < MEMBERS; m++)
        fprintf(stream, ",%s", members[m].name);
    for (uint32_t i = 0; i < count; i++) {
        list_members(&rows[i], members);
        fprintf(stream, "\n%s,\"%s\",\"%s\",%d,%d,%d,%d", ALLFOLD_VERSION, head->machine, head->mpi,
                head->p, head->nodes, head->least_per_node, head->most_per_node);
        for (const struct member *m = members; m < members + MEMBERS; m++)
            if (m->text != NULL)
                fprintf(stream, m->is_plain ? ",%s" : ",\"%s\"", m->text);
            else
                fprintf(stream, ",%.*f", m->digits, m->number);
    }
    fputc('\n', stream);
}

static void print_json_row(const struct allfold_report_row *row, FILE *stream)
{
    struct member members[MEMBERS];
    list_members(row, members);
    for (const struct member *m = members; m < members + MEMBERS; m++) {
        fprintf(stream, "%s\"%s\": ", m == members ? "\n    {" : ", ", m->name);
        if (m->text != NULL)
            fprintf(stream, "\"%s\"", m->text);
        else
            fprintf(stream, "%.*f", m->digits, m->number);
    }
    fputc('}', stream);
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
                "\"algorithm\": \"%s\", \"calls\": %.0f, \"operation_calls\": %.0f, "
                "\"pieces\": %.6f}",
                has_head ? "," : ",\n  \"operations\": [",
                allfold_collective_name(rows[i].collective), rows[i].p, rows[i].most_bytes,
                rows[i].algorithm, rows[i].sums.calls, rows[i].sums.op_calls,
                allfold_report_pieces(&rows[i]));
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

static void print_json_map(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_late_map *map = &head->late;
    const int bins = allfold_late_bins_reached(&head->late, head->run_s);
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

static void print_json_lateness(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_worst *worst = &head->worst;
    if (!allfold_report_has_lateness(head))
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
    if (of->sums.flight_s > 0)
        fprintf(stream, ",\n  \"in_flight\": {\"seconds\": %.9f, \"awaited_seconds\": %.9f}",
                of->sums.flight_s, of->sums.awaited_s);
    if (of->sums.split <= 0) {
        if (pieces > 0)
            print_json_advice(advice, pieces, stream);
        return;
    }
    fprintf(stream,
            ",\n  \"run_seconds\": %.6f,\n  \"%s\": {\"calls\": %.0f, \"split_calls\": "
            "%.0f, \"seconds\": %.9f, \"waiting_seconds\": %.9f, \"moving_seconds\": %.9f, "
            "\"clock_error_seconds\": %.9f, \"involuntary_switches\": %llu, "
            "\"ranks_sharing_cores\": %d},\n  \"latest_ranks\": [",
            head->run_s, head->is_incomplete ? "rank_0" : "all_ranks", of->sums.calls,
            of->sums.split, of->sums.seconds, of->sums.waiting_s, of->sums.moving_s, of->error_s,
            (unsigned long long)of->switches, of->sharing);
    for (int i = 0; i < of->latest_count; i++) {
        const struct allfold_report_rank *rank = &of->latest[i].figures;
        fprintf(stream,
                "%s\n    {\"rank\": %d, \"node\": \"%s\", \"calls\": %.0f, \"last\": %.0f, "
                "\"behind_seconds\": %.9f, \"behind_by_chance_seconds\": %.9f, "
                "\"is_above_chance\": %s, \"waiting_seconds\": %.9f, \"moving_seconds\": %.9f}",
                i == 0 ? "" : ",", of->latest[i].rank, rank->node, rank->sums.split,
                rank->sums.last, rank->sums.behind_s, rank->sums.chance_s,
                allfold_report_is_blamed(head, rank) ? "true" : "false", rank->sums.waiting_s,
                rank->sums.moving_s);
    }
    fprintf(stream, "\n  ]");
    print_json_lateness(head, stream);
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
        fputs(i == 0 ? "" : ",", stream);
        print_json_row(&rows[i], stream);
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

/* A copy of the rows without those whose calls are not in the log yet, as in a report of a program
 * that still runs; NULL without memory, and then all of them count. */
static struct allfold_report_row *called_rows(const struct allfold_report_row *rows,
                                              uint32_t *count)
{
    uint32_t called = 0;
    struct allfold_report_row *copy = allfold_allocate((*count + (size_t)1) * sizeof *copy);
    for (uint32_t i = 0; copy != NULL && i < *count; i++)
        if (rows[i].sums.calls + rows[i].all_ranks.calls + rows[i].figures.samples > 0)
            copy[called++] = rows[i];
    *count = copy != NULL ? called : *count;
    return copy;
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
    struct allfold_report_row *called = called_rows(rows, &count);
    printers[format](head, called != NULL ? called : rows, count, stream);
    allfold_free(called);
    allfold_numbers_restore(before);
}
