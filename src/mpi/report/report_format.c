/* How a report looks (see report_format.h). */
#include "mpi/report/report_format.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/quantity.h"
#include "util/number.h"

enum allfold_report_format allfold_report_format_of(const char *path)
{
    const char *end = strrchr(path, '.');
    if (end != NULL && strcmp(end, ".csv") == 0)
        return ALLFOLD_REPORT_CSV;
    if (end != NULL && strcmp(end, ".json") == 0)
        return ALLFOLD_REPORT_JSON;
    return ALLFOLD_REPORT_TABLE;
}

void allfold_report_merge(struct allfold_report_row *into, const struct allfold_report_row *row)
{
    assert(row->collective == into->collective && row->p == into->p);
    if (row->least_bytes < into->least_bytes)
        into->least_bytes = row->least_bytes;
    if (row->most_bytes > into->most_bytes)
        into->most_bytes = row->most_bytes;
    into->moved_bytes += row->moved_bytes;
    into->figures.calls += row->figures.calls;
    into->figures.seconds += row->figures.seconds;
    struct allfold_figures *figures = &into->figures;
    for (uint32_t i = 0; i < row->figures.samples && figures->samples < ALLFOLD_MAX_SAMPLES; i++) {
        figures->ours_us[figures->samples] = row->figures.ours_us[i];
        figures->native_us[figures->samples] = row->figures.native_us[i];
        figures->samples++;
    }
}

void allfold_report_add_finding(struct allfold_report_findings *found,
                                const struct allfold_report_finding *finding)
{
    uint32_t i = 0;
    while (i < found->count &&
           (found->list[i].collective != finding->collective || found->list[i].p != finding->p ||
            found->list[i].bytes != finding->bytes ||
            strcmp(found->list[i].chosen, finding->chosen) != 0 ||
            strcmp(found->list[i].better, finding->better) != 0))
        i++;
    if (i == ALLFOLD_MOST_FINDINGS)
        return;
    found->list[i] = *finding;
    found->count += i == found->count;
}

static int compare_rows(const void *left, const void *right)
{
    const struct allfold_report_row *a = left, *b = right;
    if (a->collective != b->collective)
        return a->collective < b->collective ? -1 : 1;
    if (a->p != b->p)
        return a->p < b->p ? 1 : -1;
    return a->least_bytes < b->least_bytes ? -1 : a->least_bytes > b->least_bytes;
}

void allfold_report_sort(struct allfold_report_row *rows, uint32_t count)
{
    if (count > 0)
        qsort(rows, count, sizeof *rows, compare_rows);
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
    for (char *c = name; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || (*c >= 0 && *c < ' '))
            *c = ' '; /* it goes into CSV and JSON as it is */
}

static double per_call_us(double seconds, uint64_t calls)
{
    return calls == 0 ? 0 : 1e6 * seconds / (double)calls;
}

static int compare_floats(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

static double median(const float *values, uint32_t count)
{
    float sorted[ALLFOLD_MAX_SAMPLES];
    if (count == 0)
        return 0;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_floats);
    return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2.0;
}

/* Medians over the samples. The gain is the median of the samples' ratios, not the ratio of the
 * medians: what disturbs the machine disturbs both calls of a sample. */
struct comparison {
    double ours_us, native_us, gain;
};

static struct comparison compare(const struct allfold_figures *figures)
{
    float gains[ALLFOLD_MAX_SAMPLES];
    for (uint32_t i = 0; i < figures->samples; i++)
        gains[i] = figures->ours_us[i] > 0 ? figures->native_us[i] / figures->ours_us[i] : 0;
    return (struct comparison){
        .ours_us = median(figures->ours_us, figures->samples),
        .native_us = median(figures->native_us, figures->samples),
        .gain = median(gains, figures->samples),
    };
}

/* How many times as long a call takes whose vectors of so many bytes and more are copied: the less
 * of what docs/one_copy.md measures under the two MPI libraries. */
static double factor_of_copies(enum allfold_collective collective, double bytes)
{
    static const struct {
        double least_bytes, factor;
    } factors[] = {{32 << 20, 1.2}, {4 << 20, 1.9}, {1 << 20, 1.3}, {256 << 10, 1.4}, {0, 1}};
    const struct allfold_traits *traits = allfold_traits(collective);
    if (traits->has_root)
        return 1; /* hardly anything is won */
    int i = 0;
    while (bytes < factors[i].least_bytes)
        i++;
    return factors[i].factor;
}

struct allfold_report_one_copy allfold_report_one_copy(const struct allfold_report_row *rows,
                                                       uint32_t count)
{
    struct allfold_report_one_copy sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_figures *figures = &rows[i].figures;
        const double bytes = rows[i].moved_bytes / (double)figures->calls;
        const double factor = factor_of_copies(rows[i].collective, bytes);
        if (factor <= 1 || strcmp(rows[i].algorithm, "native") == 0)
            continue;
        sum.calls += figures->calls;
        sum.seconds += figures->seconds;
        sum.saved_s += figures->seconds * (1 - 1 / factor);
    }
    return sum;
}

static void print_one_copy(const struct allfold_report_head *head,
                           const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    const struct allfold_report_one_copy sum = allfold_report_one_copy(rows, count);
    if (head->copies && sum.calls > 0)
        fprintf(stream,
                "One copy: %llu calls copied long vectors, %.6f seconds. `allfold run --one-copy` "
                "may save up to %.6f of them.\n",
                (unsigned long long)sum.calls, sum.seconds, sum.saved_s);
}

static void print_nodes(const struct allfold_report_head *head, FILE *stream)
{
    if (head->nodes == 0)
        fprintf(stream, "nodes not known");
    else if (head->least_per_node == head->most_per_node)
        fprintf(stream, "%d x %d (nodes x ranks per node)", head->nodes, head->most_per_node);
    else
        fprintf(stream, "%d nodes with %d to %d ranks", head->nodes, head->least_per_node,
                head->most_per_node);
    if (head->switches > 0)
        fprintf(stream, ", %d switch%s", head->switches, head->switches == 1 ? "" : "es");
}

static void print_row(const struct allfold_report_head *head, const struct allfold_report_row *row,
                      FILE *stream)
{
    char least[32], most[32], size[80], moved[32];
    allfold_size_write(row->least_bytes, least, sizeof least);
    allfold_size_write(row->most_bytes, most, sizeof most);
    allfold_size_write((size_t)row->moved_bytes, moved, sizeof moved);
    const bool one = row->least_bytes == row->most_bytes;
    snprintf(size, sizeof size, "%s%s%s", least, one ? "" : "-", one ? "" : most);
    fprintf(stream, "%-20s %4d %13s %9llu %8s %10.6f %11.2f  %-26s %-8s",
            allfold_collective_name(row->collective), row->p, size,
            (unsigned long long)row->figures.calls, moved, row->figures.seconds,
            per_call_us(row->figures.seconds, row->figures.calls), row->algorithm, row->source);
    const struct comparison c = compare(&row->figures);
    if (head->compares && row->figures.samples > 0)
        fprintf(stream, " %9.2f %9.2f %6.2f (%u)", c.ours_us, c.native_us, c.gain,
                row->figures.samples);
    fprintf(stream, "\n");
}

static void print_findings(const struct allfold_report_findings *found, FILE *stream)
{
    const struct allfold_report_guard *guard = &found->guard;
    if (guard->state == NULL)
        return;
    fprintf(stream, "Guard (%s): %u looks; %.6f of %.3f seconds.%s\n", guard->state, guard->looks,
            guard->spent_s, guard->run_s, found->count == 0 ? "" : " Slower choices:");
    for (uint32_t i = 0; i < found->count; i++) {
        const struct allfold_report_finding *one = &found->list[i];
        char size[32];
        allfold_size_write(one->bytes, size, sizeof size);
        fprintf(stream, "%-20s %4d %13s  %s is %.2f times as fast as %s (%s): %s\n",
                allfold_collective_name(one->collective), one->p, size, one->better, one->factor,
                one->chosen, one->source, one->outcome);
    }
}

static bool has_staged(const struct allfold_report_head *head)
{
    return head->staged_to_host > 0 || head->staged_to_device > 0;
}

static void print_staged(const struct allfold_report_head *head, FILE *stream)
{
    char to_host[32], to_device[32], pageable[32];
    if (!has_staged(head))
        return;
    allfold_size_write(head->staged_to_host, to_host, sizeof to_host);
    allfold_size_write(head->staged_to_device, to_device, sizeof to_device);
    allfold_size_write(head->staged_pageable, pageable, sizeof pageable);
    fprintf(stream, "Device memory: %s staged to the host, %s back; %s of it not pinned.\n",
            to_host, to_device, pageable);
}

static void print_table(const struct allfold_report_head *head,
                        const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    fprintf(stream, "\nAllfold %s report: %s, %s, p = %d, ", ALLFOLD_VERSION, head->machine,
            head->mpi, head->p);
    print_nodes(head, stream);
    fprintf(stream, "\nTimes are rank 0's, waiting for other ranks included.%s\n",
            head->compares ? " ours, native: microseconds a call, measured one after the other in "
                             "(samples) calls; gain: native / ours. Medians."
                           : "");
    if (count == 0) {
        fprintf(stream, "No collective that Allfold knows was called.\n");
        return;
    }
    fprintf(stream, "%-20s %4s %13s %9s %8s %10s %11s  %-26s %-8s%s\n", "collective", "p", "bytes",
            "calls", "in all", "seconds", "us a call", "algorithm", "chosen",
            head->compares ? "      ours    native   gain" : "");
    double seconds = 0;
    uint64_t calls = 0;
    for (uint32_t i = 0; i < count; i++) {
        print_row(head, &rows[i], stream);
        seconds += rows[i].figures.seconds;
        calls += rows[i].figures.calls;
    }
    fprintf(stream, "%-20s %4s %13s %9llu %8s %10.6f\n", "all", "", "", (unsigned long long)calls,
            "", seconds);
    print_one_copy(head, rows, count, stream);
    print_findings(&head->found, stream);
    print_staged(head, stream);
}

static void print_csv(const struct allfold_report_head *head, const struct allfold_report_row *rows,
                      uint32_t count, FILE *stream)
{
    fprintf(stream, "version,machine,mpi,world,nodes,least_per_node,most_per_node,collective,p,"
                    "least_bytes,most_bytes,calls,all_bytes,seconds,algorithm,chosen,samples,"
                    "ours_us,native_us,gain\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_report_row *row = &rows[i];
        const struct comparison c = compare(&row->figures);
        fprintf(stream,
                "%s,\"%s\",\"%s\",%d,%d,%d,%d,%s,%d,%zu,%zu,%llu,%.0f,%.9f,\"%s\",\"%s\","
                "%u,%.3f,%.3f,%.3f\n",
                ALLFOLD_VERSION, head->machine, head->mpi, head->p, head->nodes,
                head->least_per_node, head->most_per_node, allfold_collective_name(row->collective),
                row->p, row->least_bytes, row->most_bytes, (unsigned long long)row->figures.calls,
                row->moved_bytes, row->figures.seconds, row->algorithm, row->source,
                row->figures.samples, c.ours_us, c.native_us, c.gain);
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

static void print_json_staged(const struct allfold_report_head *head, FILE *stream)
{
    if (has_staged(head))
        fprintf(stream,
                ",\n  \"device_memory\": {\"to_host_bytes\": %llu, \"to_device_bytes\": %llu, "
                "\"not_pinned_bytes\": %llu}",
                (unsigned long long)head->staged_to_host,
                (unsigned long long)head->staged_to_device,
                (unsigned long long)head->staged_pageable);
}

/* By hand, unlike the command's JSON: this library brings no other one, as jansson, into programs.
 * None of the strings has a quote or a control character in it: names of machines, of algorithms,
 * and the first line of the MPI's version, cut at a quote. */
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
        const struct comparison c = compare(&row->figures);
        fprintf(stream,
                "%s\n    {\"collective\": \"%s\", \"p\": %d, \"least_bytes\": %zu, "
                "\"most_bytes\": %zu, \"calls\": %llu, \"all_bytes\": %.0f, \"seconds\": %.9f, "
                "\"algorithm\": \"%s\", \"chosen\": \"%s\", \"samples\": %u, "
                "\"ours_us\": %.3f, \"native_us\": %.3f, \"gain\": %.3f}",
                i == 0 ? "" : ",", allfold_collective_name(row->collective), row->p,
                row->least_bytes, row->most_bytes, (unsigned long long)row->figures.calls,
                row->moved_bytes, row->figures.seconds, row->algorithm, row->source,
                row->figures.samples, c.ours_us, c.native_us, c.gain);
    }
    fprintf(stream, "\n  ]");
    if (head->copies) {
        const struct allfold_report_one_copy sum = allfold_report_one_copy(rows, count);
        fprintf(stream,
                ",\n  \"one_copy\": {\"calls\": %llu, \"seconds\": %.9f, \"saved_seconds\": %.9f}",
                (unsigned long long)sum.calls, sum.seconds, sum.saved_s);
    }
    print_json_findings(&head->found, stream);
    print_json_staged(head, stream);
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
    };
    /* CSV and JSON have a decimal point, whatever locale the program has chosen */
    const locale_t before = allfold_numbers_plain();
    printers[format](head, rows, count, stream);
    allfold_numbers_restore(before);
}
