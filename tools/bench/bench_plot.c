/* Draws pictures of measurements with gnuplot (see bench_report.h). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_report.h"
#include "library_directory.h"
#include "util/csv.h"
#include "util/number.h"

const char *allfold_bench_terminal(const char *path)
{
    static const char *const terminals[][2] = {
        {".svg", "svg size 960,1000 font 'sans,13' background '#ffffff'"},
        {".png", "pngcairo size 960,1000 font 'sans,11'"},
    };
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++)
        if (length > 4 && strcmp(path + length - 4, terminals[i][0]) == 0)
            return terminals[i][1];
    return NULL;
}

/* A text in single quotes; `quote` is how the reader wants one that is in the text. */
static void write_in_quotes(FILE *file, const char *text, const char *quote)
{
    putc('\'', file);
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs(quote, file);
        else
            putc(*text, file);
    putc('\'', file);
}

/* The name of a file or a curve, for gnuplot. */
static void write_quoted(FILE *file, const char *text)
{
    write_in_quotes(file, text, "''");
}

/* An argument of the shell. */
static void write_argument(FILE *file, const char *text)
{
    write_in_quotes(file, text, "'\\''");
}

/* Returns the command that draws its input in the common style of plots; NULL if out of memory. */
static char *drawing_command(const char *path)
{
    char directory[PATH_MAX], *command = NULL;
    size_t bytes;
    if (!allfold_tool_library_directory(directory, sizeof directory))
        return NULL;
    FILE *file = open_memstream(&command, &bytes);
    if (file == NULL)
        return NULL;
    write_argument(file, directory);
    fprintf(file, "/plot ");
    write_argument(file, path);
    fprintf(file, " -- -");
    if (fclose(file) == 0)
        return command;
    free(command);
    return NULL;
}

static FILE *begin(const char *path)
{
    char *command = drawing_command(path);
    FILE *gnuplot = command == NULL ? NULL : popen(command, "w");
    free(command);
    if (gnuplot == NULL)
        return NULL;
    fprintf(gnuplot, "set terminal %s\nset output ", allfold_bench_terminal(path));
    write_quoted(gnuplot, path);
    fprintf(gnuplot, "\nset logscale xy\nset format x '%%.0b%%B'\nset xtics 4 out\n"
                     "set ytics out\n");
    return gnuplot;
}

static bool end(FILE *gnuplot, const char *path, char *message, size_t message_bytes)
{
    if (gnuplot != NULL && pclose(gnuplot) == 0)
        return true;
    snprintf(message, message_bytes, "%s: gnuplot could not draw it; is it installed?", path);
    return false;
}

/* --- time against size --- */

static bool is_drawn(const struct allfold_bench_row *row, int series, int algorithm)
{
    return row->series == series && row->algorithm == algorithm && row->statistics.count > 0 &&
           row->bytes > 0;
}

/* The data of a curve; returns its points. */
static int write_curve(const struct allfold_bench_report *report, FILE *file, int series,
                       int algorithm)
{
    int points = 0;
    fprintf(file, "$c%d_%d << END\n", series, algorithm);
    for (int i = 0; i < report->count; i++) {
        const struct allfold_bench_row *row = &report->rows[i];
        const struct allfold_statistics *s = &row->statistics;
        if (!is_drawn(row, series, algorithm))
            continue;
        fprintf(file, "%zu %.6g %.6g %.6g %.6g\n", row->bytes, 1e6 * s->median, 1e6 * s->from,
                1e6 * s->to, row->to_native);
        points++;
    }
    fprintf(file, "END\n");
    return points;
}

/* One panel with all curves that have points. */
static void write_panel(const struct allfold_bench_report *report, FILE *file, const int *points,
                        bool ratio)
{
    const struct allfold_bench_plan *plan = report->plan;
    char series[120], name[300];
    const char *before = "plot ";
    for (int s = 0; s < plan->series_count; s++)
        for (int a = 0; a < plan->algorithm_count; a++) {
            const int index = s * plan->algorithm_count + a;
            if (points[index] == 0)
                continue;
            allfold_bench_series_text(plan, s, series, sizeof series);
            snprintf(name, sizeof name, "%s%s%s", plan->algorithms[a].name,
                     plan->series_count > 1 ? ", " : "", plan->series_count > 1 ? series : "");
            fprintf(file, "%s$c%d_%d using %s linetype %d title ", before, s, a,
                    ratio ? "1:5 with linespoints" : "1:2:3:4 with yerrorlines", index + 1);
            write_quoted(file, name);
            fprintf(file, " noenhanced");
            before = ", ";
        }
    fprintf(file, "\n");
}

static void write_plot(const struct allfold_bench_report *report, FILE *file, const int *points,
                       bool has_ratios)
{
    char series[120] = "";
    if (report->plan->series_count == 1)
        allfold_bench_series_text(report->plan, 0, series, sizeof series);
    fprintf(file, "set key outside right top\nset multiplot layout %d,1 title ",
            has_ratios ? 2 : 1);
    char title[900];
    snprintf(title, sizeof title, "Time of %s%s%s by size: %s, %s, p = %d, %d x %d",
             allfold_collective_name(report->plan->collective), series[0] == '\0' ? "" : " of ",
             series, report->host, report->mpi, report->p, report->nodes, report->most);
    write_quoted(file, title);
    fprintf(file, " noenhanced\nset ylabel 'microseconds, median and its interval'\n"
                  "set xlabel 'bytes'\n");
    write_panel(report, file, points, false);
    if (has_ratios) {
        fprintf(file, "set ylabel 'median / native''s'\n");
        write_panel(report, file, points, true);
    }
    fprintf(file, "unset multiplot\n");
}

bool allfold_bench_plot(const struct allfold_bench_report *report, const char *path, char *message,
                        size_t message_bytes)
{
    const struct allfold_bench_plan *plan = report->plan;
    static int points[ALLFOLD_PLAN_SERIES * ALLFOLD_PLAN_ALGORITHMS];
    int all = 0;
    bool has_ratios = false;
    for (int i = 0; i < report->count; i++) {
        has_ratios |= report->rows[i].to_native > 0;
        all += is_drawn(&report->rows[i], report->rows[i].series, report->rows[i].algorithm);
    }
    if (all == 0) {
        snprintf(message, message_bytes, "%s: there is nothing to draw", path);
        return false;
    }
    FILE *gnuplot = begin(path);
    if (gnuplot != NULL) {
        for (int s = 0; s < plan->series_count; s++)
            for (int a = 0; a < plan->algorithm_count; a++)
                points[s * plan->algorithm_count + a] = write_curve(report, gnuplot, s, a);
        write_plot(report, gnuplot, points, has_ratios);
    }
    return end(gnuplot, path, message, message_bytes);
}

/* --- the map --- */

enum { MOST_NAMES = 64, MOST_CELLS = 65536 };

/* The fastest algorithm at one p and size. */
struct fastest {
    int p, name;
    size_t bytes;
    double median_us;
};

struct map {
    char collective[64];
    int names, count;
    char name[MOST_NAMES][ALLFOLD_PLAN_NAME_BYTES];
    struct fastest *cells;
};

static int find_name(struct map *map, const char *text)
{
    int i = 0;
    while (i < map->names && i < MOST_NAMES - 1 && strcmp(map->name[i], text) != 0)
        i++;
    if (i == MOST_NAMES - 1)
        text = "others";
    if (i == map->names)
        snprintf(map->name[map->names++], ALLFOLD_PLAN_NAME_BYTES, "%s", text);
    return i;
}

static void add(struct map *map, int p, size_t bytes, double median_us, const char *name)
{
    int i = 0;
    while (i < map->count && (map->cells[i].p != p || map->cells[i].bytes != bytes))
        i++;
    if (i == MOST_CELLS || (i < map->count && map->cells[i].median_us <= median_us))
        return;
    map->count += i == map->count;
    map->cells[i] = (struct fastest){p, find_name(map, name), bytes, median_us};
}

enum { COLLECTIVE, RANKS, BYTES, ALGORITHM, OUTCOME, MEDIAN, COLUMNS };

static const char *const columns[COLUMNS] = {"collective", "p",       "bytes",
                                             "algorithm",  "outcome", "median_us"};

static bool take_row(void *context, int line, const char *const *cells, char *message,
                     size_t message_bytes)
{
    struct map *map = context;
    (void)line;
    if (map->collective[0] == '\0')
        snprintf(map->collective, sizeof map->collective, "%s", cells[COLLECTIVE]);
    double median_us, bytes;
    long p;
    if (strcmp(cells[OUTCOME], "measured") == 0 && strcmp(cells[ALGORITHM], "copy") != 0 &&
        allfold_number_is(cells[MEDIAN], &median_us) && allfold_number_is(cells[BYTES], &bytes) &&
        allfold_whole_is(cells[RANKS], 1, INT_MAX, &p) && median_us > 0 && bytes >= 1)
        add(map, (int)p, (size_t)bytes, median_us, cells[ALGORITHM]);
    if (strcmp(map->collective, cells[COLLECTIVE]) == 0)
        return true;
    snprintf(message, message_bytes, "it is of %s; expected %s, as before", cells[COLLECTIVE],
             map->collective);
    return false;
}

static void write_map(const struct map *map, FILE *file)
{
    const char *before = "plot ";
    for (int n = 0; n < map->names; n++) {
        fprintf(file, "$n%d << END\n", n);
        for (int i = 0; i < map->count; i++)
            if (map->cells[i].name == n)
                fprintf(file, "%zu %d\n", map->cells[i].bytes, map->cells[i].p);
        fprintf(file, "END\n");
    }
    fprintf(file,
            "set title '%s: the fastest algorithm' noenhanced\nset xlabel 'bytes'\n"
            "set ylabel 'ranks'\nset key outside right top\nset offsets graph 0.08, graph 0.08, "
            "graph 0.08, graph 0.08\n"
            "set logscale x 2\nset logscale y 2\nset format y '%%g'\nset pointsize 2.2\n"
            "set xtics auto\n",
            map->collective);
    for (int n = 0; n < map->names; n++) {
        bool is_there = false;
        for (int i = 0; i < map->count; i++)
            is_there |= map->cells[i].name == n;
        if (!is_there)
            continue;
        fprintf(file, "%s$n%d using 1:2 with points pointtype %d linecolor %d title ", before, n,
                n % 15 + 4, n + 1);
        write_quoted(file, map->name[n]);
        fprintf(file, " noenhanced");
        before = ", ";
    }
    fprintf(file, "\n");
}

bool allfold_bench_map(char *const *files, int count, const char *path, char *message,
                       size_t message_bytes)
{
    static struct map map;
    bool is_right = true;
    map.cells = calloc(MOST_CELLS, sizeof *map.cells);
    for (int i = 0; map.cells != NULL && is_right && i < count; i++)
        is_right = allfold_csv_read(files[i], "allfold bench", columns, COLUMNS, take_row, &map,
                                    message, message_bytes);
    if (is_right && map.count == 0) {
        snprintf(message, message_bytes, "%s: there is nothing to draw", path);
        is_right = false;
    }
    if (is_right) {
        FILE *gnuplot = begin(path);
        if (gnuplot != NULL)
            write_map(&map, gnuplot);
        is_right = end(gnuplot, path, message, message_bytes);
    }
    free(map.cells);
    return is_right;
}
