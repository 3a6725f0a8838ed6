/* The figures of a report, as they are gathered: of rows, of ranks, of the guard. */
#ifndef ALLFOLD_EVENTS_REPORT_FIGURES_H
#define ALLFOLD_EVENTS_REPORT_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "algorithms/problem.h"
#include "events/lateness.h"
#include "events/sums.h"

enum { ALLFOLD_MAX_SAMPLES = 32, ALLFOLD_SITE_BYTES = 128, ALLFOLD_REPORT_NAME_BYTES = 128 };

/* What was measured beside calls of one shape. Samples are calls beside which the native collective
 * was timed. */
struct allfold_figures {
    uint32_t samples;
    float ours_us[ALLFOLD_MAX_SAMPLES];
    float native_us[ALLFOLD_MAX_SAMPLES];
    uint64_t bits_compared; /* results on this rank that were compared with native ones, */
    uint64_t bits_differ;   /* and of these how many differ in some bit */
};

/* How a call is made, where it does not block. */
extern const char allfold_mode_nonblocking[], allfold_mode_persistent[];

/* Why such a call went to the MPI library, if the program can change that. */
extern const char allfold_needs_nonblocking[];

/* In rows of the report, collectives that pass through have numbers behind those of the others. */
enum allfold_passed_collective {
    ALLFOLD_BEFORE_PASSED = ALLFOLD_COLLECTIVE_COUNT - 1,
#define PASSED(name, Name, NAME, destinations, send, receive) ALLFOLD_PASSED_##name,
#include "mpi/collectives.def"
    ALLFOLD_ALL_COLLECTIVES
};

/* The name of a collective of either kind. */
const char *allfold_report_collective_name(enum allfold_collective collective);

/* Calls of one collective, p, size class, algorithm and source, in one phase of the program. */
struct allfold_report_row {
    const char *phase;                  /* NULL: the program names none */
    const char *site;                   /* where it was called (call_sites.h); NULL: not told */
    enum allfold_collective collective; /* or an enum allfold_passed_collective */
    const char *mode;                   /* one of those; NULL: blocking */
    int p;
    size_t least_bytes, most_bytes; /* vectors of the calls */
    char algorithm[ALLFOLD_REPORT_NAME_BYTES];
    const char *source;
    struct allfold_sums sums;      /* of this rank */
    struct allfold_sums shown;     /* of that, what `allfold top` was shown the last time */
    int ranks;                     /* that have the row; 0: not known */
    struct allfold_sums all_ranks; /* of these */
    struct allfold_figures figures;
};

/* What a rank of MPI_COMM_WORLD did in all. */
struct allfold_report_rank {
    struct allfold_sums sums;
    double error_s;    /* how far off its clock may have been */
    uint64_t switches; /* how often it lost its core involuntarily since MPI_Init */
    bool shares_cores; /* with other ranks, which are more than their cores */
    char node[32];
};

enum { ALLFOLD_LATEST_RANKS = 5 };

/* Of all ranks. */
struct allfold_report_summary {
    int ranks; /* 0: nothing is known */
    struct allfold_sums sums;
    double error_s; /* the greatest */
    uint64_t switches;
    int sharing; /* ranks that share their cores with others */
    struct {
        int rank;
        struct allfold_report_rank figures;
    } latest[ALLFOLD_LATEST_RANKS]; /* those that were behind for the longest, that one first */
    int latest_count;
};

/* A choice that the guard found to be slower than another one. */
struct allfold_report_finding {
    enum allfold_collective collective;
    int p;
    size_t bytes;
    char chosen[ALLFOLD_REPORT_NAME_BYTES], better[ALLFOLD_REPORT_NAME_BYTES];
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
    int switches;    /* that nodes are on; 0: not known */
    char fabric[48]; /* which carries messages beyond node memory; "": MPI does */
    bool compares;
    bool copies; /* long vectors, which --one-copy would read where they lie */
    struct allfold_report_findings found;
    struct allfold_report_summary summary;
    struct allfold_late_map late;
    struct allfold_worst worst; /* sorted */
    bool is_brief;              /* long lists are cut, as on a terminal */
    double run_s;               /* since MPI_Init */
    bool is_incomplete;         /* the program still runs, or was killed */
    const char *no_lines;       /* why places of calls have no source lines; NULL: they have */
    /* bytes of buffers in device memory that went through the host; and of these through memory
     * that is not pinned */
    uint64_t staged_to_host, staged_to_device, staged_pageable;
};

/* What reading in place would have brought: of calls whose long vectors were copied. */
struct allfold_report_one_copy {
    uint64_t calls;
    double seconds, saved_s; /* in which they moved data; and what would be saved of that */
};

/* Sizes are in one class from just above a power of two to the next. */
int allfold_report_size_class(size_t bytes);

/* The row with means over the ranks that have it in place of this rank's calls, bytes and times, if
 * these are known. */
struct allfold_report_row allfold_report_mean_row(const struct allfold_report_row *row);

/* Adds a row to one that is alike. */
void allfold_report_merge(struct allfold_report_row *into, const struct allfold_report_row *row);

/* Adds a finding; one for the same shape and algorithms gives way to it. What is too much is left
 * out. */
void allfold_report_add_finding(struct allfold_report_findings *found,
                                const struct allfold_report_finding *finding);

/* Adds a rank to the summary of those before it. */
void allfold_report_add_rank(struct allfold_report_summary *summary, int rank,
                             const struct allfold_report_rank *figures);

/* The parts of that: sums alone, and whether it is among the latest. */
void allfold_report_add_sums(struct allfold_report_summary *summary,
                             const struct allfold_report_rank *figures);
void allfold_report_add_latest(struct allfold_report_summary *summary, int rank,
                               const struct allfold_report_rank *figures);

/* By phase, in their order, collective, p and size. */
void allfold_report_sort(struct allfold_report_row *rows, uint32_t count);

/* What programs call it: "allreduce", "iallreduce", "allreduce_init". */
enum { ALLFOLD_CALL_NAME_BYTES = 48 };
void allfold_report_name_call(const struct allfold_report_row *row,
                              char name[ALLFOLD_CALL_NAME_BYTES]);

/* The sizes of its vectors: "8", "1K-1.5K". */
enum { ALLFOLD_SIZES_BYTES = 80 };
void allfold_report_name_sizes(const struct allfold_report_row *row,
                               char sizes[ALLFOLD_SIZES_BYTES]);

/* Names go into CSV and JSON as they are, so quotes and control characters become spaces. */
void allfold_report_make_plain(char *name);

/* Medians over the samples, 0 where there are none. The gain and what a call saves are medians of
 * the samples' ratios and differences, not of the medians: what disturbs the machine disturbs both
 * calls of a sample. */
struct allfold_comparison {
    double ours_us, native_us, gain, saved_us;
};

struct allfold_comparison allfold_report_compare(const struct allfold_figures *figures);

/* The number of calls of the program's operation for each vector; 0: it was not called. */
double allfold_report_pieces(const struct allfold_report_row *row);

/* The part of the time in flight that the program did not wait; 0 where nothing was in flight. */
double allfold_report_overlapped(const struct allfold_sums *sums);

/* Of all rows, as if all ranks were on one node and no vector were of MPI_Alloc_mem. */
struct allfold_report_one_copy allfold_report_one_copy(const struct allfold_report_row *rows,
                                                       uint32_t count);

#endif
