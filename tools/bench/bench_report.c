/* What was measured (see bench_report.h). */
#include "bench/bench_report.h"
#include "util/number.h"

#include <stdlib.h>
#include <string.h>

void allfold_bench_series_text(const struct allfold_bench_plan *plan, int series, char *text,
                               size_t text_bytes)
{
    const struct allfold_bench_plan_series *s = &plan->series[series];
    char root[40] = "";
    if (allfold_traits(plan->collective)->has_root)
        snprintf(root, sizeof root, ", root %d", s->root);
    if (plan->collective == ALLFOLD_BARRIER)
        snprintf(text, text_bytes, "nothing");
    else if (s->operation == ALLFOLD_OPERATION_COUNT)
        snprintf(text, text_bytes, "%s%s", allfold_type_name(s->type), root);
    else
        snprintf(text, text_bytes, "%s, %s%s", allfold_type_name(s->type),
                 allfold_operation_name(s->operation), root);
}

/* The next field of a line as a number. */
static double take_number(char **line)
{
    const char *field = strsep(line, "\t");
    double number;
    return field != NULL && allfold_number_is(field, &number) ? number : 0;
}

static bool read_samples(struct allfold_bench_row *row, const char *text,
                         const struct allfold_effort *effort)
{
    int most = 1, count = 0;
    for (const char *c = text; *c != '\0'; c++)
        most += *c == ' ';
    row->samples_s = malloc((size_t)most * sizeof *row->samples_s);
    if (row->samples_s == NULL)
        return false;
    while (count < most && allfold_number_read(text, &row->samples_s[count], &text)) {
        count++;
        text += *text == ' ';
    }
    const bool fits =
        allfold_statistics_of(row->samples_s, count, effort->confidence, &row->statistics);
    row->is_precise = allfold_is_precise(&row->statistics, effort);
    return fits;
}

static bool read_point(struct allfold_bench_report *report, char *line)
{
    const struct allfold_bench_plan *plan = report->plan;
    struct allfold_bench_row row = {.series = (int)take_number(&line)};
    const size_t size = (size_t)take_number(&line);
    row.algorithm = (int)take_number(&line);
    const char *outcome = strsep(&line, "\t");
    if (row.series < 0 || row.series >= plan->series_count || row.algorithm < 0 ||
        row.algorithm >= plan->algorithm_count || outcome == NULL)
        return false;
    const struct allfold_bench_plan_series *series = &plan->series[row.series];
    row.bytes = allfold_bench_plan_count(plan, series, size) * allfold_type_bytes(series->type);
    while (strcmp(allfold_bench_plan_outcome_name((int)row.outcome), outcome) != 0)
        if (row.outcome++ == ALLFOLD_PLAN_WRONG)
            return false;
    row.late = (int)take_number(&line);
    row.ranks_mean_s = take_number(&line);
    row.ranks_least_s = take_number(&line);
    row.ranks_most_s = take_number(&line);
    if (line == NULL)
        return false;
    if (row.outcome != ALLFOLD_PLAN_MEASURED)
        snprintf(row.message, sizeof row.message, "%s", line);
    else if (!read_samples(&row, line, &plan->effort))
        return false;
    const size_t bytes = (size_t)(report->count + 1) * sizeof row;
    struct allfold_bench_row *grown = realloc(report->rows, bytes);
    if (grown == NULL) {
        free(row.samples_s);
        return false;
    }
    report->rows = grown;
    grown[report->count++] = row;
    return true;
}

/* The rows of a size, from its first, compared with each other. */
static void end_size(struct allfold_bench_report *report, int first, double clock_error_s)
{
    double native_s = 0;
    struct allfold_bench_row *best = NULL;
    for (int i = first; i < report->count; i++) {
        struct allfold_bench_row *row = &report->rows[i];
        row->clock_error_s = clock_error_s;
        if (row->statistics.count == 0)
            continue;
        if (report->plan->algorithms[row->algorithm].kind == ALLFOLD_PLAN_NATIVE)
            native_s = row->statistics.median;
        if (best == NULL || row->statistics.median < best->statistics.median)
            best = row;
    }
    if (best != NULL)
        best->is_best = true;
    for (int i = first; native_s > 0 && i < report->count; i++)
        report->rows[i].to_native = report->rows[i].statistics.median / native_s;
}

static void read_job(struct allfold_bench_report *report, char *line)
{
    report->p = (int)take_number(&line);
    report->nodes = (int)take_number(&line);
    report->most = (int)take_number(&line);
    report->least = (int)take_number(&line);
}

static void read_how(struct allfold_bench_report *report, char *line)
{
    const char *start = strsep(&line, "\t");
    snprintf(report->start, sizeof report->start, "%s", start == NULL ? "" : start);
    report->clocks = (int)take_number(&line);
    report->clock_error_is_known = take_number(&line) > 0;
}

static void read_progress(struct allfold_bench_report *report, char *line)
{
    const double share = take_number(&line);
    const int series = (int)take_number(&line);
    const size_t bytes = (size_t)take_number(&line);
    if (report->show_progress != NULL && series >= 0 && series < report->plan->series_count)
        report->show_progress(report, share, series, bytes);
}

/* Returns false for what it does not know. */
static bool read_line(struct allfold_bench_report *report, char *line, int *first)
{
    const char *word = strsep(&line, "\t");
    if (line == NULL)
        return false;
    if (strcmp(word, "point") == 0)
        return read_point(report, line);
    if (strcmp(word, "mpi") == 0) {
        snprintf(report->mpi, sizeof report->mpi, "%s", line);
    } else if (strcmp(word, "job") == 0) {
        read_job(report, line);
    } else if (strcmp(word, "how") == 0) {
        read_how(report, line);
    } else if (strcmp(word, "progress") == 0) {
        read_progress(report, line);
    } else if (strcmp(word, "error") == 0) {
        snprintf(report->error, sizeof report->error, "%s", line);
    } else if (strcmp(word, "size") == 0) {
        strsep(&line, "\t");
        strsep(&line, "\t");
        end_size(report, *first, take_number(&line));
        if (report->show_size != NULL)
            report->show_size(report, *first);
        *first = report->count;
    } else {
        return false;
    }
    return true;
}

bool allfold_bench_read(struct allfold_bench_report *report, FILE *stream)
{
    char *line = NULL;
    size_t line_bytes = 0;
    bool is_right = true;
    int first = 0; /* row of this size */
    while (is_right && getline(&line, &line_bytes, stream) > 0) {
        line[strcspn(line, "\n")] = '\0';
        is_right = read_line(report, line, &first);
    }
    free(line);
    return is_right;
}

void allfold_bench_report_free(struct allfold_bench_report *report)
{
    for (int i = 0; i < report->count; i++)
        free(report->rows[i].samples_s);
    free(report->rows);
}
