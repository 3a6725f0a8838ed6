/* The figures of a comparison: medians with their quartiles, as tables for people, CSV and JSON. */
#ifndef ALLFOLD_BENCH_COMPARISON_H
#define ALLFOLD_BENCH_COMPARISON_H

#include <stdio.h>

#include "contenders.h"

enum { BENCH_ROUNDS = 61, BENCH_SIZES = 40 };

struct bench_quartiles {
    double median, first, third;
};

/* What one contender showed at one size. Ratios are of the times of one round. */
struct bench_figures {
    bool is_there;
    double samples_s[BENCH_ROUNDS]; /* seconds a call, of the slowest rank */
    struct bench_quartiles time_s;
    struct bench_quartiles to_native;
    struct bench_quartiles to_forced; /* to the best of the MPI library's algorithms */
    double busiest_bytes;             /* a call, one way of the busiest link */
    double mean_bytes;                /* a call, one way, mean of all links */
};

struct bench_size {
    size_t bytes;
    int rounds;
    int forced; /* the best of the MPI library's algorithms, or -1 */
    int ours;   /* the best of ours, or -1 */
    struct bench_figures figures[BENCH_CONTENDERS];
};

/* What the figures were measured on. */
struct bench_setting {
    const char *mpi;
    const char *machine;
    const char *link;  /* NULL: bytes were not counted */
    bool keeps_inputs; /* from call to call; else they are written anew */
    double mbit;       /* of a link; 0: not known */
    int p, nodes, ranks_per_node;
};

struct bench_comparison {
    struct bench_setting setting;
    const struct bench_contenders *contenders;
    int sizes;
    struct bench_size size[BENCH_SIZES];
};

/* The collective of that name; false where there is none. */
bool bench_collective_find(const char *name, enum bench_collective *collective);

/* From samples to medians, ratios and the best. */
void bench_evaluate(const struct bench_contenders *contenders, struct bench_size *size);

/* The heading and, size by size, the lines of the table of ratios. */
void bench_print_heading(const struct bench_comparison *comparison);
void bench_print_ratios(const struct bench_comparison *comparison, const struct bench_size *size);

/* The tables that need all sizes: of all medians, and of bytes through links. */
void bench_print_medians(const struct bench_comparison *comparison);
void bench_print_links(const struct bench_comparison *comparison);

/* One line for each size and contender; JSON is one object a line. */
void bench_write_csv(const struct bench_comparison *comparison, FILE *file);
void bench_write_json(const struct bench_comparison *comparison, FILE *file);

#endif
