/* The log of this process's collective calls.
 *
 * Each call has one record. allfold_log_end takes the records of completed calls and updates all
 * data that are derived from them: the rows of the report (which the pages of `allfold top` show as
 * well), the sums of this rank, the lateness statistics, and the trace.
 *
 * Functions whose names begin with allfold_report_ handle rows. The caller of a function that takes
 * the log must have locked it; all other functions are thread-safe. */
#ifndef ALLFOLD_EVENTS_LOG_H
#define ALLFOLD_EVENTS_LOG_H

#include "events/lateness.h"
#include "events/report_figures.h"
#include "events/shared_clock.h"
#include "events/split.h"
#include "events/tracer.h"
#include "util/ticks.h"

/* Instead of a row's number: there is no row, so the call is dropped. */
#define ALLFOLD_NO_ROW UINT32_MAX

enum allfold_event_kind {
    ALLFOLD_CALL_BLOCKED,
    ALLFOLD_CALL_STARTED,  /* nonblocking, and its completion cannot be observed */
    ALLFOLD_CALL_IN_FLIGHT /* nonblocking or persistent, observed from start to completion */
};

/* The record of a call. */
struct allfold_event {
    uint64_t begin, end; /* in ticks of allfold_log_caller.line */
    union {
        double apart_s;    /* blocking: see split.h */
        double starting_s; /* in flight: time spent in the function that started the call */
    };
    double awaited_s; /* in flight: time that the program waited for completion */
    size_t bytes;     /* of the vector */
    uint32_t row;     /* of the report, or ALLFOLD_NO_ROW */
    uint32_t shape;   /* of the trace, or ALLFOLD_NO_SHAPE */
    uint32_t calls;   /* number of calls that this record represents */
    int root;
    enum allfold_collective collective;
    enum allfold_event_kind kind;
    bool is_recorded; /* whether it is counted in the report; the trace has all blocking calls */
};

/* The rank of a communicator that made the calls, and its clock. */
struct allfold_log_caller {
    int rank, size;
    const int *members; /* rank in the communicator -> rank in the job; NULL: the same */
    const struct allfold_shared_clock *clock;
    struct allfold_tick_line line;
};

/* The clock of records whose ticks are nanoseconds. */
extern const struct allfold_tick_line allfold_log_ns;

/* Converts seconds to such nanoseconds. */
static inline uint64_t allfold_log_ns_of(double seconds)
{
    return (uint64_t)(int64_t)(1e9 * seconds);
}

/* The log: everything that is derived from records. */
struct allfold_log {
    int rank, size;                    /* of the job */
    double begin_s;                    /* of the job, on this rank's clock */
    const struct allfold_nodes *nodes; /* of the job; NULL: not known */
    struct allfold_report_row *rows;
    uint32_t row_count, row_capacity;
    struct allfold_report_rank own;  /* sums of this rank */
    struct allfold_sums own_shown;   /* the part of `own` that `allfold top` has already shown */
    struct allfold_late_bins late;   /* when this rank was late */
    struct allfold_worst worst;      /* calls to which this rank came last */
    struct allfold_latecomers *seen; /* lateness of other ranks; NULL: not recorded */
    bool shows_late;                 /* whether `allfold top` shows `seen` */
    struct allfold_report_findings found; /* by the guard */
    struct allfold_tracer *tracer;        /* NULL: there is no trace */
    struct allfold_log_text *texts;       /* texts of rows from other ranks, which the log owns */
};

/* Locks the log for the calling thread, until allfold_log_unlock. */
struct allfold_log *allfold_log_lock(void);

/* Unlocks the log. */
void allfold_log_unlock(void);

/* Frees all memory of the log. */
void allfold_log_free(struct allfold_log *log);

/* From now on, records which ranks came last to this rank's calls. log->size must be set. False if
 * out of memory. */
bool allfold_log_watch(struct allfold_log *log);

/* Adds completed calls of one rank, in the order in which it made them. latest[i] says when the
 * last rank began call i; `latest` may be NULL: unknown.
 *
 * If `caller` is NULL, the times are nanoseconds, and only the row and the sums of this rank are
 * updated. */
void allfold_log_end(const struct allfold_event *events, uint32_t count,
                     const struct allfold_latest *latest, const struct allfold_log_caller *caller);

/* Adds sums to a row without a call. */
void allfold_log_add(uint32_t row, const struct allfold_sums *sums);

/* Returns whether a row of the map of late ranks is a node, or several nodes, because there are too
 * many ranks. */
bool allfold_log_is_by_node(const struct allfold_log *log);

/* Returns the row in that map of a rank of the job. */
int allfold_log_late_row(const struct allfold_log *log, int rank);

/* --- rows --- */

/* The phase that the program is in: a name that is valid until the process ends. NULL: none. */
extern const char *allfold_report_phase_now;

/* Sets the phase of the program; NULL or "" ends the current phase. After 63 different names, new
 * ones become "other". */
void allfold_log_enter(const char *name);

/* Returns whether this process's calls are counted in the report. Ranks exchange the data of calls
 * in any case, because this is a local decision. */
bool allfold_report_records(void);

/* Enables or disables the counting. */
void allfold_log_record(bool is_on);

/* Adds the row's figures to the row with the same key, which is added if it is missing, and returns
 * its number; ALLFOLD_NO_ROW if out of memory. */
uint32_t allfold_log_row(const struct allfold_report_row *row);

/* Does what allfold_log_row does, but returns ALLFOLD_NO_ROW if calls are not counted. */
uint32_t allfold_report_find_row(const struct allfold_report_row *row);

/* Returns a row without figures for calls that were passed through to the MPI library for this
 * reason. `bytes` is the vector's size, if known. `reason` must be static; `site` is from
 * call_sites.h. */
struct allfold_report_row allfold_report_native_row(enum allfold_collective collective, int p,
                                                    size_t bytes, const char *reason,
                                                    const char *site);

/* Adds `ranks` and `all_ranks` of another rank's row to the row with the same names, which is added
 * if it is missing. Copies the texts. */
void allfold_log_merge_row(struct allfold_log *log, const struct allfold_report_row *row);

/* Adds a choice that the guard found to be slower than another one. */
void allfold_report_found(const struct allfold_report_finding *finding);

/* Sets what the guard did in all. */
void allfold_report_guard(const struct allfold_report_guard *guard);

#endif
