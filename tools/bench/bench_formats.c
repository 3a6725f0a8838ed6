/* The forms of a measurement (see bench_report.h): a table for people, the OSU micro-benchmarks'
 * table, CSV and JSON. */
#include <string.h>

#include "bench/bench_report.h"
#include "util/csv.h"
#include "json.h"

static const char *name_of(const struct allfold_bench_report *report,
                           const struct allfold_bench_row *row)
{
    return report->plan->algorithms[row->algorithm].name;
}

/* --- the table --- */

void allfold_bench_print_head(const struct allfold_bench_report *report)
{
    const struct allfold_bench_plan *plan = report->plan;
    printf("Allfold " ALLFOLD_VERSION " bench: %s, %s, %s, p = %d, %d x %d (nodes x ranks per "
           "node)\n",
           allfold_collective_name(plan->collective), report->host, report->mpi, report->p,
           report->nodes, report->most);
    printf("Microseconds of the slowest rank; %s start, caches %s", report->start,
           plan->cold_bytes > 0 ? "cold" : "warm");
    if (plan->allocates_by_mpi)
        printf(", memory of MPI_Alloc_mem");
    if (plan->skew_s > 0)
        printf(", ranks up to %g us late, time from the last one's arrival", 1e6 * plan->skew_s);
    printf(". The median lies within %g %% where the interval says;\n~: wider than %g %% of it. "
           "out: outliers, which are not left out. native: median / native's. *: fastest\n",
           100 * plan->effort.confidence, 100 * plan->effort.width);
}

static void print_row(const struct allfold_bench_report *report,
                      const struct allfold_bench_row *row)
{
    const struct allfold_statistics *s = &row->statistics;
    char interval[64] = "-", ratio[32] = "-";
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
    printf("%10.2f %c %-20s %10.2f %10.2f %10.2f %5d %4d %7s\n", 1e6 * s->median,
           row->is_precise ? ' ' : '~', interval, 1e6 * s->least, 1e6 * s->mean, 1e6 * s->deviation,
           s->count, s->low + s->high, ratio);
}

void allfold_bench_print_size(const struct allfold_bench_report *report, int first)
{
    char text[120];
    const int series = report->rows[first].series;
    if (first == 0)
        allfold_bench_print_head(report);
    if (first == 0 || report->rows[first - 1].series != series) {
        allfold_bench_series_text(report->plan, series, text, sizeof text);
        printf("\n%s of %s\n%10s   %-28s %10s   %-20s %10s %10s %10s %5s %4s %7s\n",
               allfold_collective_name(report->plan->collective), text, "bytes", "algorithm",
               "median", "interval", "least", "mean", "deviation", "calls", "out", "native");
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

/* A line: sizes in the first column, the ranks' mean times, and their mean, least and most. */
static void write_osu_row(const struct allfold_bench_report *report,
                          const struct allfold_bench_row *row, FILE *file)
{
    if (row->statistics.count == 0) {
        fprintf(file, "# %zu: %s: %s\n", row->bytes, allfold_bench_plan_outcome_name(row->outcome),
                row->message);
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

/* A text, or else a number. */
struct cell {
    const char *name;
    const char *text;
    double number;
};

enum { SETTING_CELLS = 26, ROW_CELLS = 28 };

static int set_setting(const struct allfold_bench_report *report, struct cell cells[SETTING_CELLS])
{
    const struct allfold_bench_plan *plan = report->plan;
    const struct allfold_effort *effort = &plan->effort;
    const struct cell all[] = {
        {"version", ALLFOLD_VERSION, 0},
        {"mpi", report->mpi, 0},
        {"host", report->host, 0},
        {"system", report->system, 0},
        {"processor", report->processor, 0},
        {"date", report->date, 0},
        {"p", NULL, report->p},
        {"nodes", NULL, report->nodes},
        {"ranks_per_node", NULL, report->most},
        {"least_per_node", NULL, report->least},
        {"collective", allfold_collective_name(plan->collective), 0},
        {"start", report->start, 0},
        {"clocks", NULL, report->clocks},
        {"warmup", NULL, plan->warmup},
        {"cold_bytes", NULL, (double)plan->cold_bytes},
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
                   struct cell cells[ROW_CELLS])
{
    const struct allfold_bench_plan_series *series = &report->plan->series[row->series];
    const struct allfold_statistics *s = &row->statistics;
    const char *operation = allfold_operation_name(series->operation);
    const struct cell all[] = {
        {"type", allfold_type_name(series->type), 0},
        {"operation", operation == NULL ? "" : operation, 0},
        {"root", NULL, series->root},
        {"bytes", NULL, (double)row->bytes},
        {"algorithm", name_of(report, row), 0},
        {"outcome", allfold_bench_plan_outcome_name(row->outcome), 0},
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
        {"ranks_mean_us", NULL, 1e6 * row->ranks_mean_s},
        {"ranks_least_us", NULL, 1e6 * row->ranks_least_s},
        {"ranks_most_us", NULL, 1e6 * row->ranks_most_s},
        {"clock_error_us", NULL, 1e6 * row->clock_error_s},
    };
    memcpy(cells, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void write_csv_cells(FILE *file, const struct cell *cells, int count, bool names)
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
    struct cell setting[SETTING_CELLS], cells[ROW_CELLS];
    const int settings = set_setting(report, setting);
    for (int i = -1; i < report->count; i++) { /* first the names */
        const bool names = i < 0;
        if (report->count == 0)
            break;
        const int count = set_row(report, &report->rows[names ? 0 : i], cells);
        write_csv_cells(file, setting, settings, names);
        putc(',', file);
        write_csv_cells(file, cells, count, names);
        putc('\n', file);
    }
}

static void write_json_cells(FILE *file, const struct cell *cells, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s\"%s\": ", i == 0 ? "" : ", ", cells[i].name);
        if (cells[i].text != NULL)
            allfold_json_text(file, cells[i].text);
        else
            fprintf(file, "%.10g", cells[i].number);
    }
}

void allfold_bench_write_json(const struct allfold_bench_report *report, FILE *file)
{
    struct cell cells[ROW_CELLS];
    fprintf(file, "{\n  \"setting\": {");
    write_json_cells(file, cells, set_setting(report, cells));
    fprintf(file, "},\n  \"points\": [");
    for (int i = 0; i < report->count; i++) {
        const struct allfold_bench_row *row = &report->rows[i];
        fprintf(file, "%s\n    {", i == 0 ? "" : ",");
        write_json_cells(file, cells, set_row(report, row, cells));
        fprintf(file, ", \"samples_us\": [");
        for (int k = 0; k < row->statistics.count; k++)
            fprintf(file, "%s%.6g", k == 0 ? "" : ", ", 1e6 * row->samples_s[k]);
        fprintf(file, "]}");
    }
    fprintf(file, "]\n}\n");
}
