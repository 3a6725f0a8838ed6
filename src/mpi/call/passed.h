/* Collectives that pass through to the MPI library because Allfold has no algorithm for them
 * (collectives.def): their calls are counted for the report and change in nothing. Counting needs
 * no messages. */
#ifndef ALLFOLD_MPI_CALL_PASSED_H
#define ALLFOLD_MPI_CALL_PASSED_H

#include <mpi.h>
#include <stdatomic.h>

#include "events/report_figures.h"

/* Which ranks send to which. */
enum allfold_passed_destinations {
    ALLFOLD_TO_ROOT,
    ALLFOLD_FROM_ROOT, /* from the root to all */
    ALLFOLD_TO_ALL,
    ALLFOLD_TO_NEIGHBORS
};

/* What a rank sends or receives, as the program describes it: one count or a count for each block,
 * and one type or a type for each block. */
struct allfold_passed_side {
    const void *buffer;
    MPI_Count count;
    const void *counts; /* MPI_Count if the call has_large_counts, else int; NULL: `count` */
    const void *displacements;
    MPI_Datatype type;
    const void *types; /* NULL: `type` */
};

struct allfold_passed_call {
    enum allfold_passed_collective collective;
    enum allfold_passed_destinations destinations;
    const char *mode; /* allfold_mode_nonblocking, or NULL */
    bool has_large_counts;
    MPI_Datatype (*type_at)(const void *types, int block); /* NULL: types are MPI_Datatype */
    struct allfold_passed_side send, receive;
    int root;
    MPI_Comm comm;
    void *narrowed[4]; /* of allfold_passed_narrow */
};

extern atomic_bool allfold_passed_are_noted;

/* Are such calls to be noted? */
static inline bool allfold_notes_passed(void)
{
    return atomic_load_explicit(&allfold_passed_are_noted, memory_order_relaxed);
}

/* Notes them from now on, if a report or `allfold top` is wanted; or no longer. */
void allfold_passed_open(void);
void allfold_passed_close(void);

/* A call begins; returns when. `allfold top` shows one that blocks (mode NULL). */
double allfold_passed_begin(enum allfold_passed_collective collective, const char *mode);

/* Adds a call that began at begin_s and has just returned `code` to the report, if it was
 * successful. */
void allfold_passed_note(const struct allfold_passed_call *call, int code, double begin_s);

/* The MPI library's function of that name, or the fallback; NULL if there is neither. The first
 * call keeps its answer in *known. */
void *allfold_passed_native(_Atomic(void *) *known, const char *name, void *fallback);

/* Makes the counts and displacements of a call with large counts ints, for an MPI library that
 * lacks `function`. Arrays of a nonblocking call stay until the process ends (block_counts.h).
 * Returns the error that was raised where one does not fit an int or memory is lacking;
 * allfold_passed_narrow_end follows in any case. */
int allfold_passed_narrow(struct allfold_passed_call *call, const char *function);
void allfold_passed_narrow_end(struct allfold_passed_call *call);

/* The error of a call for which this MPI lacks the function. */
int allfold_passed_refuse(MPI_Comm comm, const char *function);

#endif
