/* The state that the library attaches to each communicator, as an MPI attribute. It is made at the
 * first call of a collective that Allfold handles, and freed with the communicator.
 *
 * A communicator inherits what the job agreed on (job.h), so its state is made without messages.
 * Its calls use the job's lane if that may be shared. Otherwise, or once a plan needs lanes, the
 * communicator gets a private lane: an MPI communicator and node memory of its own.
 *
 * The state consists of what is inherited, of what carries the messages, and of parts. A part is
 * made and freed by the room that it belongs to. This file knows only the part's descriptor. */
#ifndef ALLFOLD_MPI_COMMUNICATOR_COMMUNICATOR_H
#define ALLFOLD_MPI_COMMUNICATOR_COMMUNICATOR_H

#include <mpi.h>

#include "mpi/job/job.h"
#include "select/choose.h"
#include "select/settings.h"

struct allfold_communicator;
struct allfold_private_lane;

/* The parts, in the order in which they are made; they are freed in reverse order. */
#define ALLFOLD_PARTS(X)                                                                           \
    X(NOTES, notes)                                                                                \
    X(ARRIVALS, arrivals)                                                                          \
    X(CALL, call)                                                                                  \
    X(PLAN, plan)

enum allfold_part_number {
#define ALLFOLD_PART_NUMBER(NUMBER, name) ALLFOLD_PART_##NUMBER,
    ALLFOLD_PARTS(ALLFOLD_PART_NUMBER)
#undef ALLFOLD_PART_NUMBER
        ALLFOLD_PART_COUNT
};

/* The descriptor of a part, `allfold_part_NAME`, defined by the part's room. Each function may be
 * NULL. */
struct allfold_part {
    size_t bytes;      /* size of the part's memory, state->parts[NUMBER], which is zeroed */
    size_t rank_bytes; /* added to `bytes` size + 1 times, for a communicator of `size` ranks */
    /* Called when the state is new. Local. */
    void (*make)(struct allfold_communicator *state);
    /* Called before and after the ranks wait for each other to get a private lane; `begins` is true
     * before. Local. */
    void (*wait_private)(struct allfold_communicator *state, bool begins);
    /* Called when the carrier of messages is made or has changed. Local. */
    void (*carry)(struct allfold_communicator *state);
    /* Called when the rules of a collective have changed on all ranks, so that earlier choices must
     * be dropped. ALLFOLD_COLLECTIVE_COUNT: only the transport of messages has changed. Local. */
    void (*change_rules)(struct allfold_communicator *state, enum allfold_collective collective);
    /* Called when the communicator is freed and its state is kept for the next communicator of the
     * same processes. The part frees all but a little of its memory. Local. */
    void (*shrink)(struct allfold_communicator *state);
    /* Called before the state is freed, and with it the part's memory. Local. */
    void (*close)(struct allfold_communicator *state);
};

/* What carries the messages of blocking calls. */
struct allfold_carrier {
    MPI_Comm comm; /* MPI_COMM_NULL if all calls are native */
    int rank;      /* this rank's in `comm` */
    struct allfold_point_to_point *messages;
    /* NULL: `messages` carries what does not go through node memory. */
    struct allfold_fabric_stream *stream;
    const struct allfold_node *node;
    const int *rank_of;  /* rank_of[r]: rank r's rank in `comm`; NULL: the same */
    const int *index_of; /* index_of[r]: rank r's index in the node's memory; -1: on another node */
    bool is_whole;       /* the node's memory reaches all ranks */
};

struct allfold_communicator {
    MPI_Comm user;
    int size, rank;
    bool is_private;  /* the carrier belongs to this communicator alone */
    bool is_watched;  /* calls are watched or checked: see observer_list.c */
    bool is_noted;    /* calls are noted for the report: see call_times.h */
    uint32_t unnoted; /* number of calls before the next one that is noted */
    const char *native_reason[ALLFOLD_COLLECTIVE_COUNT]; /* why all calls are native, or NULL */
    struct allfold_agreement agreed;                     /* inherited from the job */
    const struct allfold_nodes *nodes; /* placement of the ranks; NULL if all calls are native */
    struct allfold_rules *rules[ALLFOLD_COLLECTIVE_COUNT]; /* the communicator's own rules; NULL:
                                                              those of the settings */
    enum allfold_sparse_mode sparse;        /* the communicator's own mode, or UNSET */
    enum allfold_reproducible reproducible; /* the communicator's own mode, or UNSET */
    struct allfold_carrier carrier;
    int *members; /* each rank's rank in the job, followed by the array `index_of` of the carrier */
    struct allfold_private_lane *own; /* the parts of a private carrier; else NULL */
    void *parts[ALLFOLD_PART_COUNT];
    /* Number of plans that use the state, plus 1 for the program's communicator. */
    atomic_int retainers;
    bool is_orphan;                            /* the program's communicator is freed */
    struct allfold_communicator *next, **link; /* list of all states, newest first */
};

/* Returns the state of a communicator (not MPI_COMM_NULL); makes it at the first call. Returns NULL
 * if out of memory. Collective over `comm` at the first call. Thread-safe for different
 * communicators. */
struct allfold_communicator *allfold_communicator_of(MPI_Comm comm);

/* Returns the state of the communicator if it has one; else NULL. Local. */
struct allfold_communicator *allfold_communicator_known(MPI_Comm comm);

/* Like allfold_communicator_known. If there is no state, *is_new is true if
 * allfold_communicator_pass_first has not passed a call on the communicator yet. */
struct allfold_communicator *allfold_communicator_known_or_new(MPI_Comm comm, bool *is_new);

/* Returns whether the first call on a new communicator may be passed through before it has a state,
 * because making the state would need an agreement. The next call makes the state. Returns false
 * with ALLFOLD_NONBLOCKING=1, because nonblocking calls need the state. Returns the same on all
 * ranks. Local. */
bool allfold_communicator_pass_first(MPI_Comm comm);

/* Record that a plan needs the state, and that it no longer does. The state outlives its
 * communicator as long as a plan needs it. */
void allfold_communicator_retain(struct allfold_communicator *state);
void allfold_communicator_release(struct allfold_communicator *state);

/* Gives the communicator a private lane, unless it has one. Returns false on all ranks if none can
 * be made. Collective over the communicator. */
bool allfold_communicator_make_private(struct allfold_communicator *state);

/* Makes a stream of the job's fabric for lane `lane` of the communicator; the stream's messages
 * match on all its ranks. Returns NULL if out of memory. The job must have a fabric, and the
 * communicator a private lane. Local. */
struct allfold_fabric_stream *allfold_communicator_stream(const struct allfold_communicator *state,
                                                          int lane);

/* Returns the communicator for Allfold's own collectives within a call of the program. Without a
 * private communicator this is the program's: all ranks make the same calls on it in the same
 * order, so messages cannot be confused. */
static inline MPI_Comm
allfold_communicator_for_collectives(const struct allfold_communicator *state)
{
    return state->is_private ? state->carrier.comm : state->user;
}

/* Prepares the transport for the next run, and returns it. Elements travel as `travels_as` and have
 * `element_bytes` bytes each; messages have at most `most_bytes` bytes. Node memory and fabric are
 * used only if elements `are_contiguous`. */
static inline struct allfold_transport *
allfold_communicator_begin_run(const struct allfold_communicator *state, MPI_Datatype travels_as,
                               size_t element_bytes, size_t most_bytes, bool are_contiguous)
{
    const struct allfold_carrier *carrier = &state->carrier;
    struct allfold_shared_memory *shared = are_contiguous ? carrier->node->shared : NULL;
    struct allfold_fabric_stream *stream = are_contiguous ? carrier->stream : NULL;
    if (stream != NULL && (shared == NULL || !carrier->is_whole)) {
        allfold_fabric_begin(stream, element_bytes, state->members);
    } else if (shared == NULL || !carrier->is_whole) {
        carrier->messages->rank_of = carrier->rank_of;
        allfold_point_to_point_begin(carrier->messages, travels_as, most_bytes);
    }
    if (shared == NULL)
        return stream != NULL ? allfold_fabric_transport(stream) : &carrier->messages->transport;
    allfold_shared_set_group(shared, carrier->index_of, carrier->is_whole);
    allfold_shared_begin(shared, element_bytes);
    return allfold_shared_transport(shared);
}

/* Calls `visit` for all states. None of them may be freed meanwhile. */
void allfold_communicators_visit(void (*visit)(struct allfold_communicator *state));

/* Frees the states of all communicators, oldest first, and the kept states of freed communicators.
 * With `leaves_self`, the attribute of MPI_COMM_SELF is left to MPI, which is deleting that
 * communicator's attributes. Collective over communicators with a private lane. */
void allfold_communicators_free(bool leaves_self);

/* Returns the problem of a collective on the communicator for this rank; root, count, element size,
 * operation and in-place are not set. */
struct allfold_problem allfold_communicator_problem(const struct allfold_communicator *state,
                                                    enum allfold_collective collective);

/* Returns the inputs of a choice on the communicator, except for rules of a plan's own. */
struct allfold_choice_inputs allfold_communicator_inputs(const struct allfold_communicator *state,
                                                         enum allfold_collective collective);

/* Returns the rules that are in force on the communicator: its own, or else those of the
 * settings. */
const struct allfold_rules *allfold_communicator_rules(const struct allfold_communicator *state,
                                                       enum allfold_collective collective);

/* Returns what is wrong with the communicator's rules, or NULL. */
const char *allfold_communicator_rule_error(const struct allfold_communicator *state,
                                            enum allfold_collective collective);

/* Returns whether the communicator's reductions are sparse: by its own mode, or else by the
 * settings. */
static inline enum allfold_sparse_mode
allfold_communicator_sparse(const struct allfold_communicator *state)
{
    return state->sparse != ALLFOLD_SPARSE_UNSET ? state->sparse
                                                 : state->agreed.settings->common.sparse;
}

/* Returns whether the communicator's sums are reproducible: by its own mode, or else by the
 * settings. */
static inline enum allfold_reproducible
allfold_communicator_reproducible(const struct allfold_communicator *state)
{
    return state->reproducible != ALLFOLD_REPRODUCIBLE_UNSET
               ? state->reproducible
               : state->agreed.settings->common.reproducible;
}

/* Sets the communicator's own rules, whose memory it then owns; NULL removes them. Drops earlier
 * choices. Must be called on all ranks. Local. */
void allfold_communicator_set_rules(struct allfold_communicator *state,
                                    enum allfold_collective collective,
                                    struct allfold_rules *rules);

/* Sets whether reductions are sparse. Must be called on all ranks. Local. */
void allfold_communicator_set_sparse(struct allfold_communicator *state,
                                     enum allfold_sparse_mode mode);

/* Sets whether sums are reproducible, and drops earlier choices. Must be called on all ranks.
 * Local. */
void allfold_communicator_set_reproducible(struct allfold_communicator *state,
                                           enum allfold_reproducible mode);

#endif
