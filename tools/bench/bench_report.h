/* What `allfold bench` measured: read from the part of it that has MPI (see
 * src/programs/bench_ranks.c), with statistics, for its forms. */
#ifndef ALLFOLD_BENCH_BENCH_REPORT_H
#define ALLFOLD_BENCH_BENCH_REPORT_H

#include <stdio.h>

#include "json.h"
#include "lab/measure/measurement_plan.h"

/* An algorithm at a size. Seconds. */
struct allfold_bench_row {
    enum allfold_collective collective;
    int series, algorithm; /* of the plan */
    size_t bytes;          /* of whole elements */
    enum allfold_bench_plan_outcome outcome;
    char message[512]; /* where it was not measured */
    int late;
    double ranks_mean_s, ranks_least_s, ranks_most_s;
    double *samples_s;
    struct allfold_statistics statistics;
    bool is_precise;
    double to_native, to_copy; /* the medians' ratios; 0 where there is none */
    bool is_best;              /* of this size */
    double clock_error_s;
};

struct allfold_bench_report {
    const struct allfold_bench_plan *plan;
    char mpi[256];
    const char *mpi_file; /* its library, which stays */
    char host[256], system[256], processor[256], date[64];
    int p, nodes, most, least;
    char start[16];
    int clocks;
    bool clock_error_is_known;
    char error[1024]; /* why nothing was measured, or "" */
    int count;
    struct allfold_bench_row *rows;
    enum allfold_collective collective; /* of the next rows */
    int local_count;                    /* of local reductions, one for each size */
    struct allfold_bench_local {
        size_t bytes;
        double seconds;
    } locals[ALLFOLD_SIZE_LIST];

    /* Called when a size is complete, with its first row; and to say how far it is. */
    void (*show_size)(const struct allfold_bench_report *report, int first);
    void (*show_progress)(const struct allfold_bench_report *report, double share, int series,
                          size_t bytes);
};

/* Reads until the stream ends. False without memory, or where it is not what it should be. */
bool allfold_bench_read(struct allfold_bench_report *report, FILE *stream);
void allfold_bench_report_free(struct allfold_bench_report *report);

/* "double, sum, to rank 0": what a series is, beside the collective. */
void allfold_bench_series_text(const struct allfold_bench_plan *plan, int series, char *text,
                               size_t text_bytes);

/* The forms. The table's lines come size by size. */
void allfold_bench_print_head(const struct allfold_bench_report *report);
void allfold_bench_print_size(const struct allfold_bench_report *report, int first);
void allfold_bench_print_foot(const struct allfold_bench_report *report);
void allfold_bench_write_osu(const struct allfold_bench_report *report, FILE *file);
void allfold_bench_write_csv(const struct allfold_bench_report *report, FILE *file);
void allfold_bench_write_json(const struct allfold_bench_report *report, FILE *file);

/* A text, or else a number, of CSV and JSON. */
struct allfold_bench_cell {
    const char *name;
    const char *text;
    double number;
};

enum { ALLFOLD_BENCH_SETTING_CELLS = 27 };

/* What was measured on, and how; returns how many cells there are. */
int allfold_bench_setting(const struct allfold_bench_report *report,
                          struct allfold_bench_cell cells[ALLFOLD_BENCH_SETTING_CELLS]);

/* Cells of a line of CSV, their names or what they hold, without the line's end. */
void allfold_bench_write_csv_cells(FILE *file, const struct allfold_bench_cell *cells, int count,
                                   bool names);

/* Cells as members of a JSON object. */
void allfold_bench_set_cells(json_t *object, const struct allfold_bench_cell *cells, int count);

/* Draws time against size, and the ratio to native below it. False with a message. */
bool allfold_bench_plot(const struct allfold_bench_report *report, const char *path, char *message,
                        size_t message_bytes);

/* Draws which algorithm is fastest at which p and size, from CSV files. False with a message. */
bool allfold_bench_map(char *const *files, int count, const char *path, char *message,
                       size_t message_bytes);

/* The picture formats, by the ending of the file; NULL for others. */
const char *allfold_bench_terminal(const char *path);

#endif
