/* Evaluates guidelines that a job's calls should meet (see bench_guidelines.h). */
#include "bench/bench_guidelines.h"

#include <stdlib.h>
#include <string.h>

#include "lab/measure/guidelines.h"

/* A call beside the others that do the same. Seconds. */
struct comparison {
    char guideline[ALLFOLD_GUIDELINE_TEXT];
    const struct allfold_bench_row *call;
    double than_s, than_to_s; /* the others' medians, and the upper ends of their intervals */
    bool is_broken;
};

/* What is done with each comparison. */
struct visitor {
    const struct allfold_bench_report *report;
    void (*visit)(struct visitor *visitor, const struct comparison *comparison);
    FILE *file;
    json_t *list;
    int count, broken;
};

static size_t whole_bytes(const struct allfold_bench_report *report,
                          const struct allfold_bench_row *row)
{
    return row->bytes * (allfold_has_blocks(row->collective) ? (size_t)report->p : 1);
}

/* The call of another collective on as many bytes by the same algorithm. A barrier has none, and is
 * compared with the fewest. NULL: it was not measured. */
static const struct allfold_bench_row *find(const struct allfold_bench_report *report,
                                            enum allfold_collective collective,
                                            const struct allfold_bench_row *row)
{
    for (int i = 0; i < report->count; i++) {
        const struct allfold_bench_row *one = &report->rows[i];
        if (one->collective == collective && one->algorithm == row->algorithm &&
            (row->collective == ALLFOLD_BARRIER ||
             whole_bytes(report, one) == whole_bytes(report, row)))
            return one->statistics.has_interval ? one : NULL;
    }
    return NULL;
}

/* Returns a negative number if it was not measured. */
static double local_s(const struct allfold_bench_report *report, size_t bytes)
{
    for (int i = 0; i < report->local_count; i++)
        if (report->locals[i].bytes == bytes)
            return report->locals[i].seconds;
    return -1;
}

static void visit(struct visitor *visitor, struct comparison *comparison)
{
    const struct allfold_statistics *call = &comparison->call->statistics;
    const double precision = visitor->report->plan->effort.width;
    comparison->is_broken =
        call->from > comparison->than_to_s && call->median > (1 + precision) * comparison->than_s;
    visitor->count++;
    visitor->broken += comparison->is_broken;
    if (visitor->visit != NULL)
        visitor->visit(visitor, comparison);
}

static void compare_collectives(struct visitor *visitor, const struct allfold_guideline *guideline,
                                const struct allfold_bench_row *row)
{
    struct comparison comparison = {.call = row};
    for (int i = 0; i < guideline->part_count; i++) {
        const struct allfold_bench_row *part = find(visitor->report, guideline->parts[i], row);
        if (part == NULL)
            return;
        comparison.than_s += part->statistics.median;
        comparison.than_to_s += part->statistics.to;
    }
    if (guideline->reduces_locally) {
        const double seconds = local_s(visitor->report, row->bytes);
        if (seconds < 0)
            return;
        comparison.than_s += seconds;
        comparison.than_to_s += seconds;
    }
    allfold_guideline_text(guideline, comparison.guideline, sizeof comparison.guideline);
    visit(visitor, &comparison);
}

/* The call of the same collective and algorithm on the next size, or the one before. */
static const struct allfold_bench_row *neighbor(const struct allfold_bench_report *report,
                                                const struct allfold_bench_row *row, bool is_next)
{
    const struct allfold_bench_row *found = NULL;
    for (int i = 0; i < report->count; i++) {
        const struct allfold_bench_row *one = &report->rows[i];
        if (one->collective != row->collective || one->algorithm != row->algorithm ||
            (is_next ? one->bytes <= row->bytes : one->bytes >= row->bytes || one->bytes == 0))
            continue;
        if (found == NULL || (is_next ? one->bytes < found->bytes : one->bytes > found->bytes))
            found = one;
    }
    return found != NULL && found->statistics.has_interval ? found : NULL;
}

static void compare_sizes(struct visitor *visitor, const struct allfold_bench_row *row)
{
    const struct allfold_bench_row *more = neighbor(visitor->report, row, true);
    const struct allfold_bench_row *less = neighbor(visitor->report, row, false);
    const char *name = allfold_collective_name(row->collective);
    struct comparison comparison = {.call = row};
    if (more != NULL) {
        snprintf(comparison.guideline, sizeof comparison.guideline, "%s of n <= of more", name);
        comparison.than_s = more->statistics.median;
        comparison.than_to_s = more->statistics.to;
        visit(visitor, &comparison);
    }
    if (less != NULL) {
        const double parts = (double)((row->bytes + less->bytes - 1) / less->bytes);
        snprintf(comparison.guideline, sizeof comparison.guideline, "%s of n <= in parts", name);
        comparison.than_s = parts * less->statistics.median;
        comparison.than_to_s = parts * less->statistics.to;
        visit(visitor, &comparison);
    }
}

static void compare(struct visitor *visitor)
{
    const struct allfold_bench_report *report = visitor->report;
    for (int i = 0; i < report->count; i++) {
        const struct allfold_bench_row *row = &report->rows[i];
        if (!row->statistics.has_interval)
            continue;
        for (int g = 0; g < ALLFOLD_GUIDELINES; g++)
            if (allfold_guidelines[g].collective == row->collective)
                compare_collectives(visitor, &allfold_guidelines[g], row);
        if (row->collective != ALLFOLD_BARRIER)
            compare_sizes(visitor, row);
    }
}

static const char *algorithm_of(const struct visitor *visitor, const struct comparison *comparison)
{
    return visitor->report->plan->algorithms[comparison->call->algorithm].name;
}

/* --- forms ------------------------------------------------------------------------------------ */

static void print_broken(struct visitor *visitor, const struct comparison *comparison)
{
    const struct allfold_statistics *call = &comparison->call->statistics;
    if (!comparison->is_broken)
        return;
    if (visitor->broken == 1)
        printf("%-8s %-46s %10s %12s %12s %7s\n", "who", "guideline", "bytes", "takes us",
               "others us", "times");
    printf("%-8s %-46s %10zu %12.2f %12.2f %7.2f\n", algorithm_of(visitor, comparison),
           comparison->guideline, whole_bytes(visitor->report, comparison->call),
           1e6 * call->median, 1e6 * comparison->than_s, call->median / comparison->than_s);
}

void allfold_guidelines_print(const struct allfold_bench_report *report)
{
    struct visitor visitor = {.report = report, .visit = print_broken};
    printf("Allfold " ALLFOLD_VERSION " bench: guidelines, %s, %s, p = %d, %d x %d (nodes x ranks "
           "per node)\nMPI library: %s\n",
           report->host, report->mpi, report->p, report->nodes, report->most, report->mpi_file);
    compare(&visitor);
    printf(
        "%d of %d guidelines are broken: beyond the intervals of %g %%, and by more than %g %%\n",
        visitor.broken, visitor.count, 100 * report->plan->effort.confidence,
        100 * report->plan->effort.width);
}

enum { COMPARISON_CELLS = 9 };

static void set_comparison(const struct visitor *visitor, const struct comparison *comparison,
                           struct allfold_bench_cell cells[COMPARISON_CELLS])
{
    const struct allfold_statistics *call = &comparison->call->statistics;
    const struct allfold_bench_cell all[COMPARISON_CELLS] = {
        {"algorithm", algorithm_of(visitor, comparison), 0},
        {"guideline", comparison->guideline, 0},
        {"bytes", NULL, (double)whole_bytes(visitor->report, comparison->call)},
        {"median_us", NULL, 1e6 * call->median},
        {"from_us", NULL, 1e6 * call->from},
        {"others_us", NULL, 1e6 * comparison->than_s},
        {"others_to_us", NULL, 1e6 * comparison->than_to_s},
        {"times", NULL, call->median / comparison->than_s},
        {"broken", NULL, comparison->is_broken},
    };
    memcpy(cells, all, sizeof all);
}

static void write_csv_line(struct visitor *visitor, const struct comparison *comparison)
{
    struct allfold_bench_cell setting[ALLFOLD_BENCH_SETTING_CELLS], cells[COMPARISON_CELLS];
    const int settings = allfold_bench_setting(visitor->report, setting);
    set_comparison(visitor, comparison, cells);
    for (int names = visitor->count == 1; names >= 0; names--) { /* first the names */
        allfold_bench_write_csv_cells(visitor->file, setting, settings, names != 0);
        putc(',', visitor->file);
        allfold_bench_write_csv_cells(visitor->file, cells, COMPARISON_CELLS, names != 0);
        putc('\n', visitor->file);
    }
}

void allfold_guidelines_write_csv(const struct allfold_bench_report *report, FILE *file)
{
    struct visitor visitor = {.report = report, .visit = write_csv_line, .file = file};
    compare(&visitor);
}

static void add_json(struct visitor *visitor, const struct comparison *comparison)
{
    struct allfold_bench_cell cells[COMPARISON_CELLS];
    json_t *object = json_object();
    set_comparison(visitor, comparison, cells);
    allfold_bench_set_cells(object, cells, COMPARISON_CELLS);
    json_array_append_new(visitor->list, object);
}

void allfold_guidelines_write_json(const struct allfold_bench_report *report, FILE *file)
{
    struct allfold_bench_cell cells[ALLFOLD_BENCH_SETTING_CELLS];
    struct visitor visitor = {.report = report, .visit = add_json, .list = json_array()};
    json_t *object = json_object(), *setting = json_object();
    allfold_bench_set_cells(setting, cells, allfold_bench_setting(report, cells));
    json_object_set_new(object, "setting", setting);
    compare(&visitor);
    json_object_set_new(object, "guidelines", visitor.list);
    allfold_json_print(object, file);
}
