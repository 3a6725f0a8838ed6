/* Collectives that Allfold has no algorithm for (collectives.def). They pass through to the MPI
 * library unchanged; for the report their calls are counted, without any messages. */
#ifndef ALLFOLD_MPI_CALL_PASSED_H
#define ALLFOLD_MPI_CALL_PASSED_H

#include <mpi.h>
#include <stdatomic.h>

#include "events/report_figures.h"

/* Which ranks send to which. */
enum allfold_passed_destinations {
    ALLFOLD_TO_ROOT,
    ALLFOLD_FROM_ROOT, /* from the root to all ranks */
    ALLFOLD_TO_ALL,
    ALLFOLD_TO_NEIGHBORS
};

/* What a rank sends or receives, as the program describes it: one count or a count for each block,
 * and one type or a type for each block. */
struct allfold_passed_side {
    const void *buffer;
    MPI_Count count;
    /* Of MPI_Count if the call has_large_counts, else of int; NULL: `count` is used. */
    const void *counts;
    const void *displacements;
    MPI_Datatype type;
    const void *types; /* NULL: `type` is used */
};

struct allfold_passed_call {
    enum allfold_passed_collective collective;
    enum allfold_passed_destinations destinations;
    const char *mode; /* allfold_mode_nonblocking, or NULL for a blocking call */
    bool has_large_counts;
    MPI_Datatype (*type_at)(
        const void *types,
        int block); /* reads an element of `types`; NULL: they are MPI_Datatype */
    struct allfold_passed_side send, receive;
    int root;
    MPI_Comm comm;
    void *narrowed[4]; /* arrays of allfold_passed_narrow */
};

extern atomic_bool allfold_passed_are_noted;

/* Returns whether these calls are noted for the report. */
static inline bool allfold_notes_passed(void)
{
    return atomic_load_explicit(&allfold_passed_are_noted, memory_order_relaxed);
}

/* Begin to note calls, if a report or `allfold top` is wanted, and end it. */
void allfold_passed_open(void);
void allfold_passed_close(void);

/* Records that a call begins, and returns the time. If it is blocking (`mode` is NULL), `allfold
 * top` shows it. */
double allfold_passed_begin(enum allfold_passed_collective collective, const char *mode);

/* Adds a call to the report if it was successful. It began at `begin_s`, and has just returned
 * `code`. */
void allfold_passed_note(const struct allfold_passed_call *call, int code, double begin_s);

/* Returns the MPI library's function `name`, or else `fallback`; NULL if there is neither. The
 * result is cached in *known. */
void *allfold_passed_native(_Atomic(void *) *known, const char *name, void *fallback);

/* Converts the counts and displacements of a call with large counts to ints, for an MPI library
 * that lacks `function`. The arrays of a nonblocking call stay until the process ends
 * (block_counts.h). Returns MPI_SUCCESS, or the error that was raised if a number does not fit an
 * int or memory is short. The caller calls allfold_passed_narrow_end in any case. */
int allfold_passed_narrow(struct allfold_passed_call *call, const char *function);
void allfold_passed_narrow_end(struct allfold_passed_call *call);

/* Raises the error of a call whose function this MPI library lacks, and returns its code. */
int allfold_passed_refuse(MPI_Comm comm, const char *function);

#endif
