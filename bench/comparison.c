/* The results of a comparison (see comparison.h). */
#include "comparison.h"

#include <stdlib.h>
#include <string.h>

#include "allfold.h"

static const char *const collective_names[] = {
    [BENCH_ALLREDUCE] = "allreduce",
    [BENCH_REDUCE] = "reduce",
    [BENCH_BCAST] = "bcast",
};

bool bench_collective_find(const char *name, enum bench_collective *collective)
{
    for (size_t i = 0; i < sizeof collective_names / sizeof *collective_names; i++)
        if (strcmp(name, collective_names[i]) == 0) {
            *collective = (enum bench_collective)i;
            return true;
        }
    return false;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Of samples, or of their ratios to others where there are. */
static struct bench_quartiles quartiles(const double *samples, const double *others, int count)
{
    double sorted[BENCH_ROUNDS];
    for (int i = 0; i < count; i++)
        sorted[i] = others == NULL ? samples[i] : samples[i] / others[i];
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return (struct bench_quartiles){sorted[count / 2], sorted[count / 4], sorted[3 * count / 4]};
}

static int best(const struct bench_contenders *contenders, const struct bench_size *size,
                enum bench_kind kind)
{
    int found = -1;
    for (int i = 1; i < contenders->count; i++)
        if (contenders->list[i].kind == kind && size->figures[i].is_there &&
            (found < 0 || size->figures[i].time_s.median < size->figures[found].time_s.median))
            found = i;
    return found;
}

void bench_evaluate(const struct bench_contenders *contenders, struct bench_size *size)
{
    for (int i = 0; i < contenders->count; i++) {
        struct bench_figures *figures = &size->figures[i];
        if (!figures->is_there)
            continue;
        figures->time_s = quartiles(figures->samples_s, NULL, size->rounds);
        figures->to_native =
            quartiles(figures->samples_s, size->figures[0].samples_s, size->rounds);
    }
    size->forced = best(contenders, size, BENCH_NATIVE);
    size->ours = best(contenders, size, BENCH_OURS);
    for (int i = 0; size->forced >= 0 && i < contenders->count; i++)
        if (size->figures[i].is_there)
            size->figures[i].to_forced = quartiles(
                size->figures[i].samples_s, size->figures[size->forced].samples_s, size->rounds);
}

/* The first of ours: the one that the table of ratios is about. */
static int subject(const struct bench_contenders *contenders)
{
    for (int i = 1; i < contenders->count; i++)
        if (contenders->list[i].kind == BENCH_OURS)
            return i;
    return 0;
}

void bench_print_heading(const struct bench_comparison *comparison)
{
    const struct bench_setting *setting = &comparison->setting;
    const struct bench_contenders *contenders = comparison->contenders;
    printf("Allfold %s, %s, %s: %s of doubles, sum, p = %d", allfold_version(), setting->mpi,
           setting->machine, collective_names[contenders->collective], setting->p);
    if (setting->mbit > 0)
        printf(", %g Mbit/s a link", setting->mbit);
    printf("\nMicroseconds a call of the slowest rank; medians; ratios in brackets with their "
           "quartiles, less than 1 is faster.\n"
           "%9s %10s %10s  %-22s%-40s %s\n",
           "bytes", "native", contenders->list[subject(contenders)].name, "to native",
           "to the best native algorithm", "best of ours, to native");
}

void bench_print_ratios(const struct bench_comparison *comparison, const struct bench_size *size)
{
    const struct bench_contenders *contenders = comparison->contenders;
    const struct bench_figures *ours = &size->figures[subject(contenders)];
    char forced[128] = "-", text[128];
    if (size->forced >= 0)
        snprintf(forced, sizeof forced, "%.2f (%.2f-%.2f) %s", ours->to_forced.median,
                 ours->to_forced.first, ours->to_forced.third,
                 strchr(contenders->list[size->forced].name, ':') + 1);
    snprintf(text, sizeof text, "%.2f (%.2f-%.2f)", ours->to_native.median, ours->to_native.first,
             ours->to_native.third);
    printf("%9zu %10.1f %10.1f  %-22s%-40s ", size->bytes, 1e6 * size->figures[0].time_s.median,
           1e6 * ours->time_s.median, text, forced);
    if (size->ours >= 0)
        printf("%.2f (%.2f-%.2f) %s", size->figures[size->ours].to_native.median,
               size->figures[size->ours].to_native.first, size->figures[size->ours].to_native.third,
               contenders->list[size->ours].name);
    printf("\n");
    fflush(stdout);
}

void bench_print_medians(const struct bench_comparison *comparison)
{
    const struct bench_contenders *contenders = comparison->contenders;
    printf("\nAll medians, microseconds\n%-32s", "bytes");
    for (int k = 0; k < comparison->sizes; k++)
        printf(" %9zu", comparison->size[k].bytes);
    printf("\n");
    for (int i = 0; i < contenders->count; i++) {
        printf("%-32s", contenders->list[i].name);
        for (int k = 0; k < comparison->sizes; k++)
            if (comparison->size[k].figures[i].is_there)
                printf(" %9.1f", 1e6 * comparison->size[k].figures[i].time_s.median);
            else
                printf(" %9s", "-");
        printf("\n");
    }
}

/* What must leave and enter each node's link in any allreduce that does not compress. The factor is
 * that of Patarasuk and Yuan 2009 with nodes for ranks. In a reduce, the vector must enter the
 * root's link; in a broadcast, all others'. */
static double least_bytes(const struct bench_comparison *comparison, size_t bytes)
{
    const double nodes = comparison->setting.nodes;
    return comparison->contenders->collective == BENCH_ALLREDUCE
               ? 2 * (nodes - 1) / nodes * (double)bytes
               : (double)bytes;
}

void bench_print_links(const struct bench_comparison *comparison)
{
    enum { LARGE = 64 << 10 };
    const struct bench_contenders *contenders = comparison->contenders;
    if (comparison->setting.link == NULL || comparison->setting.nodes < 2 ||
        comparison->size[comparison->sizes - 1].bytes < LARGE)
        return;
    printf("\nBytes of a call through the busiest link, one way (mean of all), with headers, in "
           "percent of %s\n%-32s",
           contenders->collective == BENCH_ALLREDUCE ? "2 (N-1)/N n" : "n", "bytes");
    for (int k = 0; k < comparison->sizes; k++)
        if (comparison->size[k].bytes >= LARGE)
            printf(" %11zu", comparison->size[k].bytes);
    printf("\n");
    for (int i = 0; i < contenders->count; i++) {
        printf("%-32s", contenders->list[i].name);
        for (int k = 0; k < comparison->sizes; k++) {
            const struct bench_size *size = &comparison->size[k];
            const double percent = 100 / least_bytes(comparison, size->bytes);
            char text[32] = "-";
            if (size->figures[i].is_there)
                snprintf(text, sizeof text, "%.0f (%.0f)", percent * size->figures[i].busiest_bytes,
                         percent * size->figures[i].mean_bytes);
            if (size->bytes >= LARGE)
                printf(" %11s", text);
        }
        printf("\n");
    }
}

/* The columns, in both forms: text, then numbers. */
static const char *const text_columns[] = {"version",    "mpi",    "machine",
                                           "collective", "inputs", "contender"};
static const char *const number_columns[] = {
    "mbit",      "p",         "nodes",     "ranks_per_node",  "bytes",       "rounds",
    "time_us",   "time_q1",   "time_q3",   "to_native",       "native_q1",   "native_q3",
    "to_forced", "forced_q1", "forced_q3", "busiest_percent", "mean_percent"};
enum {
    TEXTS = sizeof text_columns / sizeof *text_columns,
    NUMBERS = sizeof number_columns / sizeof *number_columns
};

static void fill(const struct bench_comparison *comparison, const struct bench_size *size, int i,
                 const char *texts[TEXTS], double numbers[NUMBERS])
{
    const struct bench_setting *setting = &comparison->setting;
    const struct bench_figures *figures = &size->figures[i];
    const double percent = 100 / least_bytes(comparison, size->bytes);
    const char *const all_texts[TEXTS] = {allfold_version(),
                                          setting->mpi,
                                          setting->machine,
                                          collective_names[comparison->contenders->collective],
                                          setting->keeps_inputs ? "kept" : "rewritten",
                                          comparison->contenders->list[i].name};
    const double all_numbers[NUMBERS] = {setting->mbit,
                                         setting->p,
                                         setting->nodes,
                                         setting->ranks_per_node,
                                         (double)size->bytes,
                                         size->rounds,
                                         1e6 * figures->time_s.median,
                                         1e6 * figures->time_s.first,
                                         1e6 * figures->time_s.third,
                                         figures->to_native.median,
                                         figures->to_native.first,
                                         figures->to_native.third,
                                         figures->to_forced.median,
                                         figures->to_forced.first,
                                         figures->to_forced.third,
                                         setting->nodes < 2 ? 0 : percent * figures->busiest_bytes,
                                         setting->nodes < 2 ? 0 : percent * figures->mean_bytes};
    memcpy(texts, all_texts, sizeof all_texts);
    memcpy(numbers, all_numbers, sizeof all_numbers);
}

void bench_write_csv(const struct bench_comparison *comparison, FILE *file)
{
    const char *texts[TEXTS];
    double numbers[NUMBERS];
    for (int c = 0; c < TEXTS; c++)
        fprintf(file, "%s,", text_columns[c]);
    for (int c = 0; c < NUMBERS; c++)
        fprintf(file, "%s%s", number_columns[c], c + 1 < NUMBERS ? "," : "\n");
    for (int k = 0; k < comparison->sizes; k++)
        for (int i = 0; i < comparison->contenders->count; i++) {
            if (!comparison->size[k].figures[i].is_there)
                continue;
            fill(comparison, &comparison->size[k], i, texts, numbers);
            for (int c = 0; c < TEXTS; c++)
                fprintf(file, "\"%s\",", texts[c]);
            for (int c = 0; c < NUMBERS; c++)
                fprintf(file, "%.10g%s", numbers[c], c + 1 < NUMBERS ? "," : "\n");
        }
}

void bench_write_json(const struct bench_comparison *comparison, FILE *file)
{
    const char *texts[TEXTS];
    double numbers[NUMBERS];
    for (int k = 0; k < comparison->sizes; k++)
        for (int i = 0; i < comparison->contenders->count; i++) {
            if (!comparison->size[k].figures[i].is_there)
                continue;
            fill(comparison, &comparison->size[k], i, texts, numbers);
            for (int c = 0; c < TEXTS; c++)
                fprintf(file, "%s\"%s\": \"%s\"", c == 0 ? "{" : ", ", text_columns[c], texts[c]);
            for (int c = 0; c < NUMBERS; c++)
                fprintf(file, ", \"%s\": %.10g", number_columns[c], numbers[c]);
            fprintf(file, "}\n");
        }
}
