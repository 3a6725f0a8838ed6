/* The results of a comparison: medians and quartiles, printed as tables, CSV and JSON. */
#ifndef ALLFOLD_BENCH_COMPARISON_H
#define ALLFOLD_BENCH_COMPARISON_H

#include <stdio.h>

#include "contenders.h"

enum { BENCH_ROUNDS = 61, BENCH_SIZES = 40 };

struct bench_quartiles {
    double median, first, third;
};

/* The results of one contender at one size. Ratios are between times of the same round. */
struct bench_figures {
    bool is_there;                  /* false: not measured */
    double samples_s[BENCH_ROUNDS]; /* seconds per call, of the slowest rank */
    struct bench_quartiles time_s;
    struct bench_quartiles to_native; /* ratio to the native contender */
    struct bench_quartiles to_forced; /* ratio to the best of the MPI library's algorithms */
    double busiest_bytes;             /* per call and direction, of the busiest link */
    double mean_bytes;                /* per call and direction, mean of all links */
};

struct bench_size {
    size_t bytes;
    int rounds;
    int forced; /* index of the best of the MPI library's algorithms, or -1 */
    int ours;   /* index of the best of Allfold's contenders, or -1 */
    struct bench_figures figures[BENCH_CONTENDERS];
};

/* The system and the setup of the measurement. */
struct bench_setting {
    const char *mpi;
    const char *machine;
    const char *link;  /* NULL: bytes were not counted */
    bool keeps_inputs; /* false: inputs are rewritten before each call */
    double mbit;       /* the rate of a link in Mbit/s; 0: unknown */
    int p, nodes, ranks_per_node;
};

struct bench_comparison {
    struct bench_setting setting;
    const struct bench_contenders *contenders;
    int sizes;
    struct bench_size size[BENCH_SIZES];
};

/* Finds the collective of that name. Returns false if there is none. */
bool bench_collective_find(const char *name, enum bench_collective *collective);

/* Computes medians, ratios and the best contenders from the samples. */
void bench_evaluate(const struct bench_contenders *contenders, struct bench_size *size);

/* Prints the heading. */
void bench_print_heading(const struct bench_comparison *comparison);

/* Prints the lines of the table of ratios for one size. */
void bench_print_ratios(const struct bench_comparison *comparison, const struct bench_size *size);

/* Prints the table of all medians. */
void bench_print_medians(const struct bench_comparison *comparison);

/* Prints the table of the bytes through links. */
void bench_print_links(const struct bench_comparison *comparison);

/* Writes one line of CSV for each size and contender. */
void bench_write_csv(const struct bench_comparison *comparison, FILE *file);

/* Writes one JSON object, on a line of its own, for each size and contender. */
void bench_write_json(const struct bench_comparison *comparison, FILE *file);

#endif
