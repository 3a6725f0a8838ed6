/* How a report looks: as a table for eyes, as CSV or JSON for programs. */
#ifndef ALLFOLD_MPI_REPORT_FORMAT_H
#define ALLFOLD_MPI_REPORT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "algorithms/problem.h"

enum { ALLFOLD_MAX_SAMPLES = 32 };

/* Figures of all calls of one shape. Samples are calls beside which the native collective was
 * timed. */
struct allfold_figures {
    uint64_t calls;
    double seconds;
    uint32_t samples;
    float ours_us[ALLFOLD_MAX_SAMPLES];
    float native_us[ALLFOLD_MAX_SAMPLES];
};

/* Calls of one collective, p, size class, algorithm and source. */
struct allfold_report_row {
    enum allfold_collective collective;
    int p;
    size_t least_bytes, most_bytes; /* vectors of the calls */
    char algorithm[64];
    const char *source;
    double moved_bytes; /* all calls' vectors */
    struct allfold_figures figures;
};

/* A choice that the guard found to be slower than another one. */
struct allfold_report_finding {
    enum allfold_collective collective;
    int p;
    size_t bytes;
    char chosen[64], better[64];
    const char *source;  /* of the choice */
    const char *outcome; /* "switched", or why it was kept */
    double factor;       /* how many times as fast the better one is */
};

/* What the guard did (docs/guard.md). */
struct allfold_report_guard {
    const char *state; /* the mode, or why nobody looked */
    unsigned looks;
    double spent_s, run_s;
};

enum { ALLFOLD_MOST_FINDINGS = 64 };

struct allfold_report_findings {
    struct allfold_report_guard guard;
    uint32_t count;
    struct allfold_report_finding list[ALLFOLD_MOST_FINDINGS];
};

struct allfold_report_head {
    char machine[96];
    char mpi[64];
    int p;
    int nodes; /* 0: not known */
    int least_per_node, most_per_node;
    int switches; /* that nodes are on; 0: not known */
    bool compares;
    bool copies; /* long vectors, which --one-copy would read where they lie */
    struct allfold_report_findings found;
    /* bytes of buffers in device memory that went through the host; and of these through memory
     * that is not pinned */
    uint64_t staged_to_host, staged_to_device, staged_pageable;
};

/* What reading in place would have brought: of calls whose long vectors were copied. */
struct allfold_report_one_copy {
    uint64_t calls;
    double seconds, saved_s;
};

enum allfold_report_format { ALLFOLD_REPORT_TABLE, ALLFOLD_REPORT_CSV, ALLFOLD_REPORT_JSON };

/* By the end of the file's name: .csv, .json, else a table. */
enum allfold_report_format allfold_report_format_of(const char *path);

/* Adds a row to one that is alike. */
void allfold_report_merge(struct allfold_report_row *into, const struct allfold_report_row *row);

/* Adds a finding; one for the same shape and algorithms gives way to it. What is too much is left
 * out. */
void allfold_report_add_finding(struct allfold_report_findings *found,
                                const struct allfold_report_finding *finding);

/* By collective, p and size. */
void allfold_report_sort(struct allfold_report_row *rows, uint32_t count);

/* "Open MPI 4.1.4", "MPICH 4.0.2" from what MPI_Get_library_version gives. */
void allfold_report_name_mpi(const char *version, char *name, size_t name_bytes);

/* Of all rows, as if all ranks were on one node and no vector were of MPI_Alloc_mem. */
struct allfold_report_one_copy allfold_report_one_copy(const struct allfold_report_row *rows,
                                                       uint32_t count);

void allfold_report_print(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count,
                          enum allfold_report_format format, FILE *stream);

#endif
