/* The report: what was called, what was chosen, how long it took, and who waited for whom.
 *
 * Every rank gathers its own figures. At MPI_Finalize rank 0 of MPI_COMM_WORLD writes its rows, and
 * what all ranks waited. All functions are thread-safe. */
#ifndef ALLFOLD_MPI_REPORT_H
#define ALLFOLD_MPI_REPORT_H

#include <mpi.h>

#include "events/report_figures.h"

/* No row: its figures are dropped. */
#define ALLFOLD_NO_ROW UINT32_MAX

/* Figures of some calls. */
struct allfold_report_sum {
    uint64_t calls;
    double bytes; /* of their vectors */
    double seconds, waiting_s, moving_s;
    double flight_s, awaited_s; /* of calls that do not block */
    struct allfold_starts_sum starts;
    uint64_t op_calls; /* of an operation of the program's own */
    double op_bytes;
};

/* The phase that the program is in: a name that lives as long as the process. NULL: none. */
extern const char *allfold_report_phase_now;

/* The program enters a phase of that name; with NULL or "" it leaves. Names past the 63rd are
 * "other". Where no report is wanted, nothing happens. */
void allfold_report_enter(const char *name);

/* The same for what MPI_Pcontrol says: from 2 on the level is the name, and 1 leaves. From level 0
 * on nothing is recorded until another level comes. */
void allfold_report_enter_level(int level);

/* Are this process's calls recorded? Ranks exchange what their reports need all the same, as each
 * of them answers this for itself. */
bool allfold_report_records(void);

/* Says at once where the report cannot be written. After the job has begun. */
void allfold_report_begin(void);

/* Calls `visit` for each row, by its number. */
void allfold_report_visit(void (*visit)(uint32_t number, const struct allfold_report_row *row,
                                        void *context),
                          void *context);

/* What this rank did so far. */
struct allfold_report_rank allfold_report_own(void);

/* Adds the figures of calls that were alike. */
void allfold_report_add(const struct allfold_report_row *row);

/* The number of the row that is alike, which is made where there is none; ALLFOLD_NO_ROW without
 * memory, or where nothing is recorded. The row's own figures are not added. */
uint32_t allfold_report_find_row(const struct allfold_report_row *row);

/* Adds calls to the row of that number. */
void allfold_report_add_sum(uint32_t row, const struct allfold_report_sum *sum);

/* Adds to what this rank did in all. */
void allfold_report_add_own(const struct allfold_report_rank *own);

/* The row of calls that were passed through for this reason, without figures. `bytes` is the
 * vector's size if it is known. `reason` is static; `site` is of call_sites.h. */
struct allfold_report_row allfold_report_native_row(enum allfold_collective collective, int p,
                                                    size_t bytes, const char *reason,
                                                    const char *site);

/* Adds one such call. */
void allfold_report_native(enum allfold_collective collective, int p, size_t bytes,
                           const char *reason, double seconds);

/* Adds a choice that the guard found to be slower than need be, and what the guard did in all. */
void allfold_report_found(const struct allfold_report_finding *finding);
void allfold_report_guard(const struct allfold_report_guard *guard);

/* Writes what was gathered so far to the report's file, marked as incomplete, where that is due: a
 * program that is killed leaves it. */
void allfold_report_save(void);

/* Writes the report, if one is wanted, on rank 0 of MPI_COMM_WORLD, with what the others waited.
 * Collective over it. */
void allfold_report_write(void);

#endif
