/* The results of `allfold bench`: reads them from the part with MPI (see
 * src/programs/bench_ranks.c), computes statistics, and writes them as table, OSU format, CSV, JSON
 * or picture. */
#ifndef ALLFOLD_BENCH_BENCH_REPORT_H
#define ALLFOLD_BENCH_BENCH_REPORT_H

#include <stdio.h>

#include "json.h"
#include "lab/measure/measurement_plan.h"

/* The result of an algorithm at one size. Times are in seconds. */
struct allfold_bench_row {
    enum allfold_collective collective;
    int series, algorithm; /* indices in the plan */
    size_t bytes;          /* of whole elements */
    enum allfold_bench_plan_outcome outcome;
    char message[512]; /* why it was not measured */
    int late;
    double ranks_mean_s, ranks_least_s, ranks_most_s;
    double *samples_s;
    struct allfold_statistics statistics;
    bool is_precise;
    double to_native, to_copy; /* ratios of medians; 0: not measured */
    bool is_best;              /* fastest of this size */
    double clock_error_s;
};

struct allfold_bench_report {
    const struct allfold_bench_plan *plan;
    char mpi[256];
    const char *mpi_file; /* path of the MPI library; the text stays valid */
    char host[256], system[256], processor[256], date[64];
    int p, nodes, most, least;
    char start[16];
    int clocks;
    bool clock_error_is_known;
    char error[1024]; /* why nothing was measured, or "" */
    int count;
    struct allfold_bench_row *rows;
    enum allfold_collective collective; /* of the next rows */
    int local_count;                    /* number of measured local reductions, one for each size */
    struct allfold_bench_local {
        size_t bytes;
        double seconds;
    } locals[ALLFOLD_SIZE_LIST];

    /* Called when a size is complete, with the index of its first row; and to show the progress. */
    void (*show_size)(const struct allfold_bench_report *report, int first);
    void (*show_progress)(const struct allfold_bench_report *report, double share, int series,
                          size_t bytes);
};

/* Reads until the stream ends. Returns false if out of memory, or if the stream has a wrong format.
 * The caller frees the report with allfold_bench_report_free. */
bool allfold_bench_read(struct allfold_bench_report *report, FILE *stream);
void allfold_bench_report_free(struct allfold_bench_report *report);

/* Describes a series, without its collective: "double, sum, to rank 0". */
void allfold_bench_series_text(const struct allfold_bench_plan *plan, int series, char *text,
                               size_t text_bytes);

/* Print the report in each format. The table is printed size by size. */
void allfold_bench_print_head(const struct allfold_bench_report *report);
void allfold_bench_print_size(const struct allfold_bench_report *report, int first);
void allfold_bench_print_foot(const struct allfold_bench_report *report);
void allfold_bench_write_osu(const struct allfold_bench_report *report, FILE *file);
void allfold_bench_write_csv(const struct allfold_bench_report *report, FILE *file);
void allfold_bench_write_json(const struct allfold_bench_report *report, FILE *file);

/* A value of CSV and JSON: a text, or a number if `text` is NULL. */
struct allfold_bench_cell {
    const char *name;
    const char *text;
    double number;
};

enum { ALLFOLD_BENCH_SETTING_CELLS = 27 };

/* Fills in what was measured on, and how. Returns the number of cells. */
int allfold_bench_setting(const struct allfold_bench_report *report,
                          struct allfold_bench_cell cells[ALLFOLD_BENCH_SETTING_CELLS]);

/* Writes cells to a line of CSV, without the end of the line: their names, or else their values. */
void allfold_bench_write_csv_cells(FILE *file, const struct allfold_bench_cell *cells, int count,
                                   bool names);

/* Adds cells to a JSON object. */
void allfold_bench_set_cells(json_t *object, const struct allfold_bench_cell *cells, int count);

/* Draws time against size, and the ratio to native below it. Returns false with `message` if that
 * fails. */
bool allfold_bench_plot(const struct allfold_bench_report *report, const char *path, char *message,
                        size_t message_bytes);

/* Draws which algorithm is fastest at which p and size, from CSV files. Returns false with
 * `message` if that fails. */
bool allfold_bench_map(char *const *files, int count, const char *path, char *message,
                       size_t message_bytes);

/* Returns gnuplot's terminal for a picture, by the ending of its file; NULL if the format is not
 * supported. */
const char *allfold_bench_terminal(const char *path);

#endif
