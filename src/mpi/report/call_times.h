/* Times of blocking calls for the report: a note of each call, with its start and end on this rank.
 *
 * From time to time the ranks of the communicator determine when the last of them began each call.
 * They do so within a call that all ranks make anyway: after the first call, then after 16, 32 and
 * so on, up to ALLFOLD_NOTES. With ALLFOLD_WATCH they exchange after fewer calls if that many calls
 * take longer than a second. So each rank learns how long it waited and how long its data moved
 * (split.h).
 *
 * If only `allfold top` wants notes and calls are short, one call of up to 16 is noted, chosen at
 * random, and stands for the calls before it. Windows then have ALLFOLD_NOTES_FOR_TOP notes, so
 * that a program whose calls become slow soon shows it.
 *
 * Invariant: all ranks of a communicator have notes of the same calls. Every call that reaches the
 * communicator's state is noted, unless it is skipped by that sampling, whoever serves it and
 * whether it fails. Without a report nothing is noted. */
#ifndef ALLFOLD_MPI_REPORT_CALL_TIMES_H
#define ALLFOLD_MPI_REPORT_CALL_TIMES_H

#include "events/shared_clock.h"
#include "events/split.h"
#include "mpi/communicator/communicator.h"
#include "mpi/report/report.h"
#include "mpi/report/tracing.h"
#include "util/ticks.h"

enum { ALLFOLD_NOTES = 256, ALLFOLD_NOTES_FOR_TOP = 64 };

/* Numbers that the ranks exchange after their notes: whether a fit of clocks is due, the size of
 * the next window, and whether a rank lacks the memory for an exchange of a whole window. */
enum allfold_note_word {
    ALLFOLD_NOTE_FIT,
    ALLFOLD_NOTE_WINDOW,
    ALLFOLD_NOTE_LACKS,
    ALLFOLD_NOTE_WORDS
};

/* Which algorithm or library handled the current call. */
struct allfold_served {
    uint32_t row;     /* row of the report; ALLFOLD_NO_ROW: the call failed before it was handled */
    const char *site; /* call site in the program */
    uint32_t shape;   /* number in the trace; ALLFOLD_NO_SHAPE: not traced */
    size_t bytes;
    double apart_s;
};

/* The last call that was passed through. */
struct allfold_passed {
    enum allfold_collective collective;
    size_t bytes;
    const char *why; /* NULL: no call was passed through */
    int root;
    uint32_t shape; /* number in the trace */
};

struct allfold_exchange;

/* The notes of a communicator: its part ALLFOLD_PART_NOTES. */
struct allfold_notes {
    struct allfold_event *list; /* a window of notes; NULL: out of memory */
    /* One for each note, then the numbers of enum allfold_note_word. */
    struct allfold_latest *latest;
    uint32_t count, window; /* notes in `list`; number after which the ranks exchange them */
    uint32_t calls;         /* number of calls that the notes stand for */
    uint32_t stride, draw; /* one call of `stride` is noted; random number that chooses which one */
    uint32_t stands_for;   /* number of calls that the next note stands for */
    uint32_t room;         /* capacity of `list` */
    struct allfold_moment since;   /* a moment before all notes of the window */
    struct allfold_tick_line line; /* converts ticks of the notes to this rank's time */
    struct allfold_shared_clock clock;
    double first_fit_s;
    struct allfold_served served;
    struct allfold_passed passed;
    struct allfold_exchange *own; /* for a whole window; NULL: not made */
    bool uses_own;                /* all ranks have `own` */
    MPI_Request exchange;         /* in MPI_Finalize */
    bool is_exchanging;
};

static inline struct allfold_notes *allfold_notes_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_NOTES];
}

/* Records which row and shape the current call belongs to. */
static inline void allfold_notes_serve(const struct allfold_communicator *state, uint32_t row,
                                       uint32_t shape, size_t bytes)
{
    struct allfold_served *served = &allfold_notes_of(state)->served;
    served->row = row;
    served->shape = shape;
    served->bytes = bytes;
}

/* Records that the current call is passed through, and why; `why` must be static. */
void allfold_notes_serve_native(const struct allfold_communicator *state,
                                enum allfold_collective collective, int root, size_t bytes,
                                const char *why);

/* Records that the ranks have synchronized in the current call, and how long its data then
 * moved. */
static inline void allfold_notes_apart(const struct allfold_communicator *state, double apart_s)
{
    allfold_notes_of(state)->served.apart_s = apart_s;
}

/* Records that a call begins, at the call site `site`. */
static inline void allfold_notes_begin(const struct allfold_communicator *state, const char *site)
{
    allfold_notes_of(state)->served = (struct allfold_served){
        .row = ALLFOLD_NO_ROW, .site = site, .shape = ALLFOLD_NO_SHAPE, .apart_s = -1};
}

/* Records that the call has ended. Collective over the communicator, like the call. */
void allfold_notes_end(struct allfold_communicator *state, enum allfold_collective collective,
                       int root, uint64_t begin, uint64_t end);

/* Makes what the exchanges need, if a report is wanted. Must be called right after the job has
 * begun. Collective over MPI_COMM_WORLD. */
void allfold_notes_open(void);

/* Exchanges the remaining notes, in MPI_Finalize. Collective over MPI_COMM_WORLD. */
void allfold_notes_close(void);

#endif
