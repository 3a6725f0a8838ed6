/* The log of this process's collective calls.
 *
 * Each call has one record. allfold_log_end takes the records of calls that have ended, and feeds
 * from them all that is kept: the rows of the report and the pages of `allfold top`, what this rank
 * did in all, who was late, and the trace. Rows and phases are kept here, too.
 *
 * Names that begin with allfold_report_ belong to rows. All functions are thread-safe, but for
 * those that take the log: the caller has locked it. */
#ifndef ALLFOLD_EVENTS_LOG_H
#define ALLFOLD_EVENTS_LOG_H

#include "events/latecomers.h"
#include "events/report_figures.h"
#include "events/shared_clock.h"
#include "events/split.h"
#include "events/tracer.h"
#include "util/ticks.h"

/* No row: its figures are dropped. */
#define ALLFOLD_NO_ROW UINT32_MAX

enum allfold_event_kind {
    ALLFOLD_CALL_BLOCKED,
    ALLFOLD_CALL_STARTED,  /* it does not block, and nobody sees its end */
    ALLFOLD_CALL_IN_FLIGHT /* it does not block, and was seen from start to end */
};

/* The record of a call. */
struct allfold_event {
    uint64_t begin, end; /* in ticks, which the caller's line turns into seconds */
    union {
        double apart_s;    /* of a call that blocked: see split.h */
        double starting_s; /* of one in flight: the time that its start took */
    };
    double awaited_s; /* of one in flight: the program waited so long */
    size_t bytes;     /* of the vector */
    uint32_t row;     /* of the report; ALLFOLD_NO_ROW: none */
    uint32_t shape;   /* of the trace; ALLFOLD_NO_SHAPE: none */
    uint32_t calls;   /* that this record represents */
    int root;
    enum allfold_collective collective;
    enum allfold_event_kind kind;
    bool is_recorded; /* in the report; all that block are in the trace */
};

/* Who made calls: a rank of a communicator. */
struct allfold_log_caller {
    int rank, size;
    const int *members; /* of each rank: its rank in the job; NULL: the same */
    const struct allfold_shared_clock *clock;
    struct allfold_tick_line line;
};

/* Records of times in seconds have nanoseconds as ticks, and this line. */
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

/* Until it is unlocked no other thread has the log. */
struct allfold_log *allfold_log_lock(void);
void allfold_log_unlock(void);

/* Forgets all of it. */
void allfold_log_free(struct allfold_log *log);

/* Has this rank keep who came last to its calls, from now on. The job's size is known; false
 * without memory. */
bool allfold_log_watch(struct allfold_log *log);

/* Calls have ended, which one rank made in this order. `latest` says when their last ranks began
 * them; NULL: that is not known. Of a call in flight it becomes known after the call was added, so
 * it is added alone.
 *
 * Without a caller, the call is of no communicator that has a state: nothing is known but its row
 * and its time in nanoseconds. */
void allfold_log_end(const struct allfold_event *events, uint32_t count,
                     const struct allfold_latest *latest, const struct allfold_log_caller *caller);

/* Adds to a row what is no call. */
void allfold_log_add(uint32_t row, const struct allfold_sums *sums);

/* A map of lateness has rows for nodes rather than for ranks where there are too many ranks. The
 * row of a rank of the job. */
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

/* The number of the row that is alike, which is made where there is none; ALLFOLD_NO_ROW without
 * memory. The row's own figures are added. */
uint32_t allfold_log_row(const struct allfold_report_row *row);

/* The same; ALLFOLD_NO_ROW where nothing is recorded. */
uint32_t allfold_report_find_row(const struct allfold_report_row *row);

/* The row of calls that were passed through for this reason, without figures. `bytes` is the
 * vector's size if it is known. `reason` is static; `site` is of call_sites.h. */
struct allfold_report_row allfold_report_native_row(enum allfold_collective collective, int p,
                                                    size_t bytes, const char *reason,
                                                    const char *site);

/* Adds a row of other ranks, with texts that do not last: its sums and ranks to those of all_ranks.
 */
void allfold_log_merge_row(struct allfold_log *log, const struct allfold_report_row *row);

/* Adds a choice that the guard found to be slower than need be, and what the guard did in all. */
void allfold_report_found(const struct allfold_report_finding *finding);
void allfold_report_guard(const struct allfold_report_guard *guard);

#endif
