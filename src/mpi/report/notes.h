/* Notes of blocking calls: when this rank began and ended each, for the report.
 *
 * Now and then the ranks of the communicator exchange when the last of them began each call. They
 * do so within a call that all make anyway: after the first call, then after 16, 32 and so on, up
 * to ALLFOLD_NOTES. With ALLFOLD_WATCH they do so after fewer calls where that many take longer
 * than a second. So each rank knows how long it waited and how long its data moved (split.h).
 *
 * If `allfold top` alone wants notes and calls are short, one call of up to 16 is noted, chosen at
 * random, and stands for those before it. Windows then have ALLFOLD_NOTES_FOR_TOP notes, so that a
 * program whose calls become slow soon shows it.
 *
 * Invariant: all ranks of a communicator have notes of the same calls. Each other call that comes
 * to its state is noted, whoever serves it and whether it fails. Without a report nothing is noted.
 */
#ifndef ALLFOLD_MPI_REPORT_NOTES_H
#define ALLFOLD_MPI_REPORT_NOTES_H

#include "events/shared_clock.h"
#include "events/split.h"
#include "mpi/communicator/communicator.h"
#include "mpi/report/report.h"
#include "mpi/report/tracing.h"
#include "util/ticks.h"

enum { ALLFOLD_NOTES = 256, ALLFOLD_NOTES_FOR_TOP = 64 };

/* What ranks exchange behind their notes: whether a fit of clocks is due, the next window, and
 * whether a rank lacks what a whole window's own exchange needs. */
enum allfold_note_word {
    ALLFOLD_NOTE_FIT,
    ALLFOLD_NOTE_WINDOW,
    ALLFOLD_NOTE_LACKS,
    ALLFOLD_NOTE_WORDS
};

/* Who served the call that is on. */
struct allfold_served {
    uint32_t row;     /* of the report; ALLFOLD_NO_ROW: it failed before anyone did */
    const char *site; /* where the program called */
    uint32_t shape;   /* of the trace; ALLFOLD_NO_SHAPE: it has none */
    size_t bytes;
    double apart_s;
};

/* The last call that was passed through. */
struct allfold_passed {
    enum allfold_collective collective;
    size_t bytes;
    const char *why; /* NULL: there was none */
    int root;
    uint32_t shape; /* of the trace */
};

struct allfold_exchange;

/* A communicator's part. */
struct allfold_notes {
    struct allfold_event *list;    /* a window of them; NULL: without memory */
    struct allfold_latest *latest; /* as many and the words, behind these */
    uint32_t count, window;        /* how many there are; with how many the ranks exchange them */
    uint32_t calls;                /* they stand for so many */
    uint32_t stride, draw;         /* one call of so many is noted; the next one by this number */
    uint32_t stands_for;           /* the next one */
    uint32_t room;                 /* for how many there is memory */
    struct allfold_moment since;   /* before all of them */
    struct allfold_tick_line line; /* which turns their ticks into this rank's time */
    struct allfold_shared_clock clock;
    double first_fit_s;
    struct allfold_served served;
    struct allfold_passed passed;
    struct allfold_exchange *own; /* of a whole window; NULL: not made */
    bool uses_own;                /* all ranks have it */
    MPI_Request exchange;         /* of MPI_Finalize */
    bool is_exchanging;
};

static inline struct allfold_notes *allfold_notes_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_NOTES];
}

/* Says who serves the call that is on. */
static inline void allfold_notes_serve(const struct allfold_communicator *state, uint32_t row,
                                       uint32_t shape, size_t bytes)
{
    struct allfold_served *served = &allfold_notes_of(state)->served;
    served->row = row;
    served->shape = shape;
    served->bytes = bytes;
}

/* Says that the call that is on is passed through, and why; `why` is static. */
void allfold_notes_serve_native(const struct allfold_communicator *state,
                                enum allfold_collective collective, int root, size_t bytes,
                                const char *why);

/* Says that the ranks have synchronized in the call that is on, and how long its data then moved.
 */
static inline void allfold_notes_apart(const struct allfold_communicator *state, double apart_s)
{
    allfold_notes_of(state)->served.apart_s = apart_s;
}

/* A call begins, at that place. */
static inline void allfold_notes_begin(const struct allfold_communicator *state, const char *site)
{
    allfold_notes_of(state)->served = (struct allfold_served){
        .row = ALLFOLD_NO_ROW, .site = site, .shape = ALLFOLD_NO_SHAPE, .apart_s = -1};
}

/* The call has ended. Collective over the communicator, as the call is. */
void allfold_notes_end(struct allfold_communicator *state, enum allfold_collective collective,
                       int root, uint64_t begin, uint64_t end);

/* Makes what the exchanges need, where a report is wanted. Collective over MPI_COMM_WORLD, right
 * after the job has begun. */
void allfold_notes_open(void);

/* Exchanges what is left. Collective over MPI_COMM_WORLD, in MPI_Finalize. */
void allfold_notes_close(void);

#endif
