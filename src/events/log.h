/* The log of this process's collective calls.
 *
 * Each call has one record. allfold_log_end takes the records of completed calls and updates
 * everything that is derived from them: the rows of the report (which the pages of `allfold top`
 * show as well), the sums of this rank, the lateness statistics, and the trace.
 *
 * Functions whose names begin with allfold_report_ handle rows. Functions that take the log require
 * that the caller has locked it; all others are thread-safe. */
#ifndef ALLFOLD_EVENTS_LOG_H
#define ALLFOLD_EVENTS_LOG_H

#include "events/lateness.h"
#include "events/report_figures.h"
#include "events/shared_clock.h"
#include "events/split.h"
#include "events/tracer.h"
#include "util/ticks.h"

/* In place of a row's number: there is no row, so the call is dropped. */
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
    bool is_recorded; /* in the report; the trace has all blocking calls */
};

/* The rank of a communicator that made the calls, and its clock. */
struct allfold_log_caller {
    int rank, size;
    const int *members; /* rank in the communicator -> rank in the job; NULL: the same */
    const struct allfold_shared_clock *clock;
    struct allfold_tick_line line;
};

/* The line of records whose ticks are nanoseconds. */
extern const struct allfold_tick_line allfold_log_ns;

static inline uint64_t allfold_log_ns_of(double seconds)
{
    return (uint64_t)(int64_t)(1e9 * seconds);
}

struct allfold_log {
    int rank, size;                    /* of the job */
    double begin_s;                    /* of the job, on this rank's clock */
    const struct allfold_nodes *nodes; /* of the job; NULL: not known */
    struct allfold_report_row *rows;
    uint32_t row_count, row_capacity;
    struct allfold_report_rank own;       /* what this rank did in all */
    struct allfold_sums own_shown;        /* of that, what `allfold top` was shown the last time */
    struct allfold_late_bins late;        /* when this rank was late */
    struct allfold_worst worst;           /* calls to which it came last */
    struct allfold_latecomers *seen;      /* NULL: not kept */
    bool shows_late;                      /* `allfold top` is shown those */
    struct allfold_report_findings found; /* by the guard */
    struct allfold_tracer *tracer;        /* NULL: nothing is traced */
    struct allfold_log_text *texts;       /* of rows of other ranks */
};

/* Gives the calling thread exclusive access to the log until it unlocks it. */
struct allfold_log *allfold_log_lock(void);
void allfold_log_unlock(void);

/* Frees everything that the log holds. */
void allfold_log_free(struct allfold_log *log);

/* From now on, records which ranks came last to this rank's calls. log->size must be set. Returns
 * false if there is no memory. */
bool allfold_log_watch(struct allfold_log *log);

/* Adds completed calls of one rank, in the order in which it made them. `latest` says for each call
 * when the last rank began it; NULL: unknown.
 *
 * Without a caller the times are nanoseconds, and only the row and the sums of this rank are
 * updated.
 */
void allfold_log_end(const struct allfold_event *events, uint32_t count,
                     const struct allfold_latest *latest, const struct allfold_log_caller *caller);

/* Adds sums to a row without a call. */
void allfold_log_add(uint32_t row, const struct allfold_sums *sums);

/* Whether the map of late ranks has a row for each node (or several), as there are too many ranks;
 * and the row of a rank of the job. */
bool allfold_log_is_by_node(const struct allfold_log *log);
int allfold_log_late_row(const struct allfold_log *log, int rank);

/* --- rows --- */

/* The phase that the program is in: a name that lives as long as the process. NULL: none. */
extern const char *allfold_report_phase_now;

/* The program enters a phase of that name; with NULL or "" it leaves. Names past the 63rd are
 * "other". */
void allfold_log_enter(const char *name);

/* Are this process's calls recorded? Ranks exchange what their reports need all the same, as each
 * of them answers this for itself. */
bool allfold_report_records(void);
void allfold_log_record(bool is_on);

/* Adds the row's figures to the row with the same key, which is made if it is missing, and returns
 * its number; ALLFOLD_NO_ROW without memory. */
uint32_t allfold_log_row(const struct allfold_report_row *row);

/* The same; ALLFOLD_NO_ROW where nothing is recorded. */
uint32_t allfold_report_find_row(const struct allfold_report_row *row);

/* The row of calls that were passed through for this reason, without figures. `bytes` is the
 * vector's size if it is known. `reason` is static; `site` is of call_sites.h. */
struct allfold_report_row allfold_report_native_row(enum allfold_collective collective, int p,
                                                    size_t bytes, const char *reason,
                                                    const char *site);

/* Adds `ranks` and `all_ranks` of another rank's row to the row with the same names, which is made
 * if there is none. Copies the texts. */
void allfold_log_merge_row(struct allfold_log *log, const struct allfold_report_row *row);

/* Adds a choice that the guard found to be slower than need be, and what the guard did in all. */
void allfold_report_found(const struct allfold_report_finding *finding);
void allfold_report_guard(const struct allfold_report_guard *guard);

#endif
