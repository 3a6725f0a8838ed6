/* Reads the results of `allfold bench`, and writes them in each format (see bench_report.h). */
#include "bench/bench_report.h"

#include <stdlib.h>
#include <string.h>

#include "util/csv.h"
#include "util/number.h"

/* --- reading ---------------------------------------------------------------------------------- */

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
    struct allfold_bench_row row = {.collective = report->collective,
                                    .series = (int)take_number(&line)};
    const size_t size = (size_t)take_number(&line);
    row.algorithm = (int)take_number(&line);
    const char *outcome = strsep(&line, "\t");
    if (row.series < 0 || row.series >= plan->series_count || row.algorithm < 0 ||
        row.algorithm >= plan->algorithm_count || outcome == NULL)
        return false;
    const struct allfold_bench_plan_series *series = &plan->series[row.series];
    row.bytes = size / allfold_type_bytes(series->type) * allfold_type_bytes(series->type);
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

static enum allfold_bench_plan_kind kind_of(const struct allfold_bench_report *report,
                                            const struct allfold_bench_row *row)
{
    return report->plan->algorithms[row->algorithm].kind;
}

/* The rows of a size, from its first, compared with each other. A copy is no collective, so it is
 * never the best. */
static void end_size(struct allfold_bench_report *report, int first, double clock_error_s)
{
    double native_s = 0, copy_s = 0;
    struct allfold_bench_row *best = NULL;
    for (int i = first; i < report->count; i++) {
        struct allfold_bench_row *row = &report->rows[i];
        row->clock_error_s = clock_error_s;
        if (row->statistics.count == 0)
            continue;
        if (kind_of(report, row) == ALLFOLD_PLAN_NATIVE)
            native_s = row->statistics.median;
        if (kind_of(report, row) == ALLFOLD_PLAN_COPY)
            copy_s = row->statistics.median;
        else if (best == NULL || row->statistics.median < best->statistics.median)
            best = row;
    }
    if (best != NULL)
        best->is_best = true;
    for (int i = first; i < report->count; i++) {
        const double median_s = report->rows[i].statistics.median;
        report->rows[i].to_native = native_s > 0 ? median_s / native_s : 0;
        report->rows[i].to_copy = copy_s > 0 ? median_s / copy_s : 0;
    }
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

/* Returns false for unknown lines. */
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
    } else if (strcmp(word, "collective") == 0) {
        report->collective = allfold_collective_find(line);
    } else if (strcmp(word, "local") == 0 && report->local_count < ALLFOLD_SIZE_LIST) {
        struct allfold_bench_local *local = &report->locals[report->local_count++];
        local->bytes = (size_t)take_number(&line);
        local->seconds = take_number(&line);
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

/* --- forms: for people, as of the OSU micro-benchmarks, CSV and JSON -------------------------- */

static const char *name_of(const struct allfold_bench_report *report,
                           const struct allfold_bench_row *row)
{
    return report->plan->algorithms[row->algorithm].name;
}

/* --- the table --- */

static bool has_copy(const struct allfold_bench_plan *plan)
{
    bool has = false;
    for (int i = 0; i < plan->algorithm_count; i++)
        has |= plan->algorithms[i].kind == ALLFOLD_PLAN_COPY;
    return has;
}

static const char *inputs_of(const struct allfold_bench_plan *plan)
{
    return plan->is_in_place ? "in place" : plan->keeps_inputs ? "kept" : "rewritten";
}

void allfold_bench_print_head(const struct allfold_bench_report *report)
{
    const struct allfold_bench_plan *plan = report->plan;
    printf("Allfold " ALLFOLD_VERSION " bench: %s, %s, %s, p = %d, %d x %d (nodes x ranks per "
           "node)\n",
           allfold_collective_name(plan->collective), report->host, report->mpi, report->p,
           report->nodes, report->most);
    printf("MPI library: %s\n", report->mpi_file);
    printf("Microseconds of the slowest rank; %s start, caches %s", report->start,
           plan->cold_bytes > 0 ? "cold" : "warm");
    printf(", inputs %s", inputs_of(plan));
    if (plan->allocates_by_mpi)
        printf(", memory of MPI_Alloc_mem");
    if (plan->skew_s > 0)
        printf(", ranks up to %g us late, time from the last one's arrival", 1e6 * plan->skew_s);
    printf(". The median lies within %g %% where the interval says;\n~: wider than %g %% of it. "
           "out: outliers, which are not left out. native: median / native's. *: fastest\n",
           100 * plan->effort.confidence, 100 * plan->effort.width);
    if (has_copy(plan))
        printf("copy: median / that of all ranks copying their vectors, the floor of memory\n");
}

static void print_row(const struct allfold_bench_report *report,
                      const struct allfold_bench_row *row)
{
    const struct allfold_statistics *s = &row->statistics;
    char interval[64] = "-", ratio[32] = "-", to_copy[32] = "";
    printf("%10zu %c %-28s ", row->bytes, row->is_best ? '*' : ' ', name_of(report, row));
    if (row->outcome == ALLFOLD_PLAN_WRONG) {
        printf("WRONG: %s\n", row->message);
        return;
    }
    if (s->count == 0) {
        printf("%s\n", row->outcome == ALLFOLD_PLAN_REFUSED ? row->message
                                                            : "a rank was late for each call");
        return;
    }
    if (s->has_interval)
        snprintf(interval, sizeof interval, "%.2f-%.2f", 1e6 * s->from, 1e6 * s->to);
    if (row->to_native > 0)
        snprintf(ratio, sizeof ratio, "%.2f", row->to_native);
    if (row->to_copy > 0)
        snprintf(to_copy, sizeof to_copy, " %7.2f", row->to_copy);
    printf("%10.2f %c %-20s %10.2f %10.2f %10.2f %5d %4d %7s%s\n", 1e6 * s->median,
           row->is_precise ? ' ' : '~', interval, 1e6 * s->least, 1e6 * s->mean, 1e6 * s->deviation,
           s->count, s->low + s->high, ratio, to_copy);
}

void allfold_bench_print_size(const struct allfold_bench_report *report, int first)
{
    char text[120];
    const int series = report->rows[first].series;
    if (first == 0)
        allfold_bench_print_head(report);
    if (first == 0 || report->rows[first - 1].series != series) {
        allfold_bench_series_text(report->plan, series, text, sizeof text);
        printf("\n%s of %s\n%10s   %-28s %10s   %-20s %10s %10s %10s %5s %4s %7s%s\n",
               allfold_collective_name(report->plan->collective), text, "bytes", "algorithm",
               "median", "interval", "least", "mean", "deviation", "calls", "out", "native",
               has_copy(report->plan) ? "    copy" : "");
    }
    for (int i = first; i < report->count; i++)
        print_row(report, &report->rows[i]);
    fflush(stdout);
}

void allfold_bench_print_foot(const struct allfold_bench_report *report)
{
    double most_s = 0;
    int late = 0;
    for (int i = 0; i < report->count; i++) {
        late += report->rows[i].late;
        if (report->rows[i].clock_error_s > most_s)
            most_s = report->rows[i].clock_error_s;
    }
    if (report->clocks > 1)
        printf("\nClocks: %d, compared by messages; off by %s %.2f us\n", report->clocks,
               report->clock_error_is_known ? "up to" : "less than", 1e6 * most_s);
    if (late > 0)
        printf("\n%d calls, for which a rank came too late, were made again\n", late);
}

/* --- OSU --- */

/* Writes a line: the size, the mean of the ranks' mean times, and their minimum and maximum. */
static void write_osu_row(const struct allfold_bench_report *report,
                          const struct allfold_bench_row *row, FILE *file)
{
    if (row->statistics.count == 0) {
        fprintf(file, "# %zu: %s: %s\n", row->bytes,
                allfold_bench_plan_outcome_name((int)row->outcome), row->message);
        return;
    }
    if (report->plan->collective == ALLFOLD_BARRIER)
        fprintf(file, "%17.2f", 1e6 * row->ranks_mean_s);
    else
        fprintf(file, "%-10zu%20.2f", row->bytes, 1e6 * row->ranks_mean_s);
    fprintf(file, "%20.2f%20.2f%12d\n", 1e6 * row->ranks_least_s, 1e6 * row->ranks_most_s,
            row->statistics.count);
}

void allfold_bench_write_osu(const struct allfold_bench_report *report, FILE *file)
{
    const struct allfold_bench_plan *plan = report->plan;
    char text[120];
    for (int s = 0; s < plan->series_count; s++)
        for (int a = 0; a < plan->algorithm_count; a++) {
            allfold_bench_series_text(plan, s, text, sizeof text);
            fprintf(file, "\n# Allfold " ALLFOLD_VERSION " %s Latency Test, %s\n# %s, p = %d, %s\n",
                    allfold_traits(plan->collective)->mpi_name, plan->algorithms[a].name,
                    report->mpi, report->p, text);
            if (plan->collective == ALLFOLD_BARRIER)
                fprintf(file, "# Avg Latency(us)");
            else
                fprintf(file, "%-10s%20s", "# Size", "Avg Latency(us)");
            fprintf(file, "%20s%20s%12s\n", "Min Latency(us)", "Max Latency(us)", "Iterations");
            for (int i = 0; i < report->count; i++)
                if (report->rows[i].series == s && report->rows[i].algorithm == a)
                    write_osu_row(report, &report->rows[i], file);
        }
}

/* --- CSV and JSON: the same columns, of what was measured on and of what was measured --- */

enum { ROW_CELLS = 28 };

int allfold_bench_setting(const struct allfold_bench_report *report,
                          struct allfold_bench_cell cells[ALLFOLD_BENCH_SETTING_CELLS])
{
    const struct allfold_bench_plan *plan = report->plan;
    const struct allfold_effort *effort = &plan->effort;
    const struct allfold_bench_cell all[] = {
        {"version", ALLFOLD_VERSION, 0},
        {"mpi", report->mpi, 0},
        {"mpi_library", report->mpi_file, 0},
        {"host", report->host, 0},
        {"system", report->system, 0},
        {"processor", report->processor, 0},
        {"date", report->date, 0},
        {"p", NULL, report->p},
        {"nodes", NULL, report->nodes},
        {"ranks_per_node", NULL, report->most},
        {"least_per_node", NULL, report->least},
        {"collective",
         plan->checks_guidelines ? "guidelines" : allfold_collective_name(plan->collective), 0},
        {"start", report->start, 0},
        {"clocks", NULL, report->clocks},
        {"warmup", NULL, plan->warmup},
        {"cold_bytes", NULL, (double)plan->cold_bytes},
        {"inputs", inputs_of(plan), 0},
        {"memory", plan->allocates_by_mpi ? "mpi" : "malloc", 0},
        {"skew_us", NULL, 1e6 * plan->skew_s},
        {"confidence", NULL, 100 * effort->confidence},
        {"precision", NULL, 100 * effort->width},
        {"least_repetitions", NULL, effort->least},
        {"most_repetitions", NULL, effort->most},
        {"time_s", NULL, effort->longest_s},
        {"seed", NULL, plan->seed},
    };
    memcpy(cells, all, sizeof all);
    return sizeof all / sizeof *all;
}

static int set_row(const struct allfold_bench_report *report, const struct allfold_bench_row *row,
                   struct allfold_bench_cell cells[ROW_CELLS])
{
    const struct allfold_bench_plan_series *series = &report->plan->series[row->series];
    const struct allfold_statistics *s = &row->statistics;
    const char *operation = allfold_operation_name(series->operation);
    const struct allfold_bench_cell all[] = {
        {"type", allfold_type_name(series->type), 0},
        {"operation", operation == NULL ? "" : operation, 0},
        {"root", NULL, series->root},
        {"bytes", NULL, (double)row->bytes},
        {"algorithm", name_of(report, row), 0},
        {"outcome", allfold_bench_plan_outcome_name((int)row->outcome), 0},
        {"message", row->message, 0},
        {"repetitions", NULL, s->count},
        {"late", NULL, row->late},
        {"median_us", NULL, 1e6 * s->median},
        {"from_us", NULL, s->has_interval ? 1e6 * s->from : 0},
        {"to_us", NULL, s->has_interval ? 1e6 * s->to : 0},
        {"precise", NULL, row->is_precise},
        {"mean_us", NULL, 1e6 * s->mean},
        {"deviation_us", NULL, 1e6 * s->deviation},
        {"least_us", NULL, 1e6 * s->least},
        {"most_us", NULL, 1e6 * s->most},
        {"first_quartile_us", NULL, 1e6 * s->first},
        {"third_quartile_us", NULL, 1e6 * s->third},
        {"p99_us", NULL, 1e6 * s->most_of_99},
        {"outliers_low", NULL, s->low},
        {"outliers_high", NULL, s->high},
        {"to_native", NULL, row->to_native},
        {"to_copy", NULL, row->to_copy},
        {"ranks_mean_us", NULL, 1e6 * row->ranks_mean_s},
        {"ranks_least_us", NULL, 1e6 * row->ranks_least_s},
        {"ranks_most_us", NULL, 1e6 * row->ranks_most_s},
        {"clock_error_us", NULL, 1e6 * row->clock_error_s},
    };
    memcpy(cells, all, sizeof all);
    return sizeof all / sizeof *all;
}

void allfold_bench_write_csv_cells(FILE *file, const struct allfold_bench_cell *cells, int count,
                                   bool names)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            putc(',', file);
        if (names)
            fprintf(file, "%s", cells[i].name);
        else if (cells[i].text != NULL)
            allfold_csv_write_text(file, cells[i].text);
        else
            fprintf(file, "%.10g", cells[i].number);
    }
}

void allfold_bench_write_csv(const struct allfold_bench_report *report, FILE *file)
{
    struct allfold_bench_cell setting[ALLFOLD_BENCH_SETTING_CELLS], cells[ROW_CELLS];
    const int settings = allfold_bench_setting(report, setting);
    for (int i = -1; i < report->count; i++) { /* first the names */
        const bool names = i < 0;
        if (report->count == 0)
            break;
        const int count = set_row(report, &report->rows[names ? 0 : i], cells);
        allfold_bench_write_csv_cells(file, setting, settings, names);
        putc(',', file);
        allfold_bench_write_csv_cells(file, cells, count, names);
        putc('\n', file);
    }
}

void allfold_bench_set_cells(json_t *object, const struct allfold_bench_cell *cells, int count)
{
    for (int i = 0; i < count; i++)
        if (cells[i].text != NULL)
            allfold_json_set_text(object, cells[i].name, cells[i].text);
        else
            allfold_json_set_number(object, cells[i].name, cells[i].number);
}

static json_t *json_points(const struct allfold_bench_report *report)
{
    struct allfold_bench_cell cells[ROW_CELLS];
    json_t *list = json_array();
    for (int i = 0; i < report->count; i++) {
        const struct allfold_bench_row *row = &report->rows[i];
        json_t *point = json_object(), *samples = json_array();
        allfold_bench_set_cells(point, cells, set_row(report, row, cells));
        for (int k = 0; k < row->statistics.count; k++)
            json_array_append_new(samples, allfold_json_number(1e6 * row->samples_s[k]));
        json_object_set_new(point, "samples_us", samples);
        json_array_append_new(list, point);
    }
    return list;
}

void allfold_bench_write_json(const struct allfold_bench_report *report, FILE *file)
{
    struct allfold_bench_cell cells[ALLFOLD_BENCH_SETTING_CELLS];
    json_t *object = json_object(), *setting = json_object();
    allfold_bench_set_cells(setting, cells, allfold_bench_setting(report, cells));
    json_object_set_new(object, "setting", setting);
    json_object_set_new(object, "points", json_points(report));
    allfold_json_print(object, file);
}
