/* The data of a report: rows for calls, sums for ranks, and what the guard found. */
#ifndef ALLFOLD_EVENTS_REPORT_FIGURES_H
#define ALLFOLD_EVENTS_REPORT_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "algorithms/problem.h"
#include "events/lateness.h"
#include "events/sums.h"

enum { ALLFOLD_MAX_SAMPLES = 32, ALLFOLD_SITE_BYTES = 128, ALLFOLD_REPORT_NAME_BYTES = 128 };

/* Measurements of calls of one shape. Samples are calls for which the MPI library's collective was
 * timed, too. */
struct allfold_figures {
    uint32_t samples;
    float ours_us[ALLFOLD_MAX_SAMPLES];
    float native_us[ALLFOLD_MAX_SAMPLES];
    /* Results on this rank that were compared with those of the MPI library. */
    uint64_t bits_compared;
    uint64_t bits_differ; /* the part of bits_compared in which some bit differs */
};

/* How a call is made, if it does not block. */
extern const char allfold_mode_nonblocking[], allfold_mode_persistent[];

/* The reason why such a call was passed through to the MPI library, if the program can change that.
 */
extern const char allfold_needs_nonblocking[];

/* Numbers of collectives that are always passed through, in rows of the report. They follow those
 * of the other collectives. */
enum allfold_passed_collective {
    ALLFOLD_BEFORE_PASSED = ALLFOLD_COLLECTIVE_COUNT - 1,
#define PASSED(name, Name, NAME, destinations, send, receive) ALLFOLD_PASSED_##name,
#include "mpi/collectives.def"
    ALLFOLD_ALL_COLLECTIVES
};

/* Returns the name of a collective of either kind. */
const char *allfold_report_collective_name(enum allfold_collective collective);

/* Calls of one collective with the same number of ranks, size class, algorithm and source, in one
 * phase of the program. */
struct allfold_report_row {
    const char *phase; /* NULL: the program has set none */
    const char *
        site; /* the place in the program that makes the calls (call_sites.h); NULL: not recorded */
    enum allfold_collective collective; /* or an enum allfold_passed_collective */
    const char *mode;                   /* one of the two texts above; NULL: blocking */
    int p;
    size_t least_bytes, most_bytes; /* shortest and longest vector */
    char algorithm[ALLFOLD_REPORT_NAME_BYTES];
    const char *source;
    struct allfold_sums sums;      /* of this rank */
    struct allfold_sums shown;     /* the part of `sums` that `allfold top` has already shown */
    int ranks;                     /* number of ranks that have the row; 0: unknown */
    struct allfold_sums all_ranks; /* sums over these ranks */
    struct allfold_figures figures;
};

/* The sums of a rank of MPI_COMM_WORLD over all its calls. */
struct allfold_report_rank {
    struct allfold_sums sums;
    double error_s;    /* maximum error of its clock */
    uint64_t switches; /* involuntary context switches since MPI_Init */
    /* It shares its cores with other ranks, and there are fewer cores than ranks. */
    bool shares_cores;
    char node[32];
};

enum { ALLFOLD_LATEST_RANKS = 5 };

/* Sums over all ranks. */
struct allfold_report_summary {
    int ranks; /* 0: unknown */
    struct allfold_sums sums;
    double error_s; /* maximum over the ranks */
    uint64_t switches;
    int sharing; /* number of ranks with shares_cores */
    struct {
        int rank;
        struct allfold_report_rank figures;
    } latest[ALLFOLD_LATEST_RANKS]; /* the ranks with the greatest behind_s, in descending order */
    int latest_count;
};

/* A choice that the guard found to be slower than another one. */
struct allfold_report_finding {
    enum allfold_collective collective;
    int p;
    size_t bytes;
    char chosen[ALLFOLD_REPORT_NAME_BYTES], better[ALLFOLD_REPORT_NAME_BYTES];
    const char *source;  /* of the choice: "table", "built-in" and so on */
    const char *outcome; /* "switched", or why it was kept */
    double factor;       /* speedup of the better one */
};

/* What the guard did in all (docs/guard.md). */
struct allfold_report_guard {
    const char *state; /* the mode, or the reason why the guard is off */
    unsigned looks;
    double spent_s, run_s;
};

enum { ALLFOLD_MOST_FINDINGS = 64 };

/* What the guard did and found. */
struct allfold_report_findings {
    struct allfold_report_guard guard;
    uint32_t count;
    struct allfold_report_finding list[ALLFOLD_MOST_FINDINGS];
};

/* All of a report but its rows. */
struct allfold_report_head {
    char machine[96];
    char mpi[64];
    int p;
    int nodes; /* 0: unknown */
    int least_per_node, most_per_node;
    int switches;    /* number of switches that connect the nodes; 0: unknown */
    char fabric[48]; /* the provider that carries messages between nodes; "": MPI does */
    bool compares;
    bool copies; /* some long vectors were copied that --one-copy would read in place */
    struct allfold_report_findings found;
    struct allfold_report_summary summary;
    struct allfold_late_map late;
    struct allfold_worst worst; /* sorted */
    bool is_brief;              /* long lists are shortened, as on a terminal */
    double run_s;               /* since MPI_Init */
    bool is_incomplete;         /* the program is still running, or was killed */
    const char *no_lines;       /* why call sites have no source lines; NULL: they have them */
    /* Bytes of GPU buffers copied to the host and back; and the part of both copied through memory
     * that is not pinned. */
    uint64_t staged_to_host, staged_to_device, staged_pageable;
};

/* What reading in place would save: calls whose long vectors were copied. */
struct allfold_report_one_copy {
    uint64_t calls;
    double seconds, saved_s; /* their time moving data; the part of it that would be saved */
};

/* Returns the size class of a vector. A class goes from just above a power of two to the next power
 * of two. */
int allfold_report_size_class(size_t bytes);

/* Returns the row with means over its ranks instead of this rank's calls, bytes and times, if the
 * sums over ranks are known. */
struct allfold_report_row allfold_report_mean_row(const struct allfold_report_row *row);

/* Adds a row to one with the same key. */
void allfold_report_merge(struct allfold_report_row *into, const struct allfold_report_row *row);

/* Adds a finding. It replaces a finding for the same shape and algorithms. If the list is full, the
 * finding is dropped. */
void allfold_report_add_finding(struct allfold_report_findings *found,
                                const struct allfold_report_finding *finding);

/* Adds a rank to the summary. Ranks must come in ascending order. */
void allfold_report_add_rank(struct allfold_report_summary *summary, int rank,
                             const struct allfold_report_rank *figures);

/* Adds only the sums of a rank to the summary. */
void allfold_report_add_sums(struct allfold_report_summary *summary,
                             const struct allfold_report_rank *figures);

/* Adds a rank to the latest ranks of the summary, if it is one of them. */
void allfold_report_add_latest(struct allfold_report_summary *summary, int rank,
                               const struct allfold_report_rank *figures);

/* Sorts rows by phase (in their order in time), collective, number of ranks and size. */
void allfold_report_sort(struct allfold_report_row *rows, uint32_t count);

/* Returns the name of the call in programs: "allreduce", "iallreduce", "allreduce_init". */
enum { ALLFOLD_CALL_NAME_BYTES = 48 };
void allfold_report_name_call(const struct allfold_report_row *row,
                              char name[ALLFOLD_CALL_NAME_BYTES]);

/* Returns the sizes of the row's vectors: "8", "1K-1.5K". */
enum { ALLFOLD_SIZES_BYTES = 80 };
void allfold_report_name_sizes(const struct allfold_report_row *row,
                               char sizes[ALLFOLD_SIZES_BYTES]);

/* Replaces quotes and control characters in a name by spaces, because names are written to CSV and
 * JSON without escapes. */
void allfold_report_make_plain(char *name);

/* Medians over the samples, 0 if there are none. `gain` and saved_us are medians of the samples'
 * ratios and differences, not ratio and difference of the medians, because noise affects both calls
 * of a sample. */
struct allfold_comparison {
    double ours_us, native_us, gain, saved_us;
};

/* Compares the samples of a row. */
struct allfold_comparison allfold_report_compare(const struct allfold_figures *figures);

/* Returns how often the program's own operation was called for each vector, on average; 0: it was
 * not called. */
double allfold_report_pieces(const struct allfold_report_row *row);

/* Returns the share of the time in flight in which the program did not wait; 0 if there was no call
 * in flight. */
double allfold_report_overlapped(const struct allfold_sums *sums);

/* Estimates for all rows together what reading in place would save, as if all ranks were on one
 * node and no vector came from MPI_Alloc_mem. */
struct allfold_report_one_copy allfold_report_one_copy(const struct allfold_report_row *rows,
                                                       uint32_t count);

#endif
