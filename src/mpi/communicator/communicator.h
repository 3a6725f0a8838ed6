/* What the library keeps of each communicator, as an attribute of it. Made at the first call of a
 * collective that is ours to serve; freed with the communicator.
 *
 * A communicator inherits what the job agreed on (job.h), so its state is made without a word to
 * the other ranks. Its messages take the job's lane where the lane may be shared. Otherwise, or
 * once a plan needs lanes, the communicator gets a private one: a communicator of MPI's and node
 * memory of its own.
 *
 * The state is what the communicator inherits, what carries its messages, and parts. A part belongs
 * to the room that makes and frees it. This file knows only the part's descriptor. */
#ifndef ALLFOLD_MPI_COMMUNICATOR_COMMUNICATOR_H
#define ALLFOLD_MPI_COMMUNICATOR_COMMUNICATOR_H

#include <mpi.h>

#include "mpi/job/job.h"
#include "select/choose.h"
#include "select/settings.h"

struct allfold_communicator;
struct allfold_private_lane;

/* The parts, in the order in which they are made; they are freed the other way round. */
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

/* A part: each function may be NULL. `allfold_part_NAME` is defined by the part's room. */
struct allfold_part {
    size_t bytes;      /* of its memory, which is zeroed: state->parts[NUMBER] */
    size_t rank_bytes; /* of that for each rank besides, and once more */
    /* The state is new. Local. */
    void (*make)(struct allfold_communicator *state);
    /* The ranks wait for each other to get a private lane, or have it. Local. */
    void (*wait_private)(struct allfold_communicator *state, bool begins);
    /* What carries messages is there, or has changed. Local. */
    void (*carry)(struct allfold_communicator *state);
    /* Rules for a collective have changed on all ranks, so what was chosen by those before is to
     * go; ALLFOLD_COLLECTIVE_COUNT: only how messages go. Local. */
    void (*change_rules)(struct allfold_communicator *state, enum allfold_collective collective);
    /* The communicator is freed, and the state kept for the next one of the same processes: the
     * part gives back all memory but a little. Local. */
    void (*shrink)(struct allfold_communicator *state);
    /* The state goes, and with it the part's memory. Local. */
    void (*close)(struct allfold_communicator *state);
};

/* What carries the messages of blocking calls. */
struct allfold_carrier {
    MPI_Comm comm; /* MPI_COMM_NULL where native serves all */
    int rank;      /* this one's there */
    struct allfold_point_to_point *messages;
    struct allfold_fabric_stream *stream; /* NULL: `messages` carries what node memory does not */
    const struct allfold_node *node;
    const int *rank_of;  /* of each rank: its rank in comm; NULL: the same */
    const int *index_of; /* of each rank: its index in the node's memory, or -1 elsewhere */
    bool is_whole;       /* that memory reaches all ranks */
};

struct allfold_communicator {
    MPI_Comm user;
    int size, rank;
    bool is_private;  /* the carrier is this communicator's own */
    bool is_watched;  /* calls are watched or checked: see observer_list.c */
    bool is_noted;    /* for the report: see notes.h */
    uint32_t unnoted; /* calls before the next one that is noted */
    const char *native_reason[ALLFOLD_COLLECTIVE_COUNT]; /* why native serves all calls, or NULL */
    struct allfold_agreement agreed;                     /* the job's */
    struct allfold_nodes *nodes; /* the placement; NULL where native serves all */
    struct allfold_rules *rules[ALLFOLD_COLLECTIVE_COUNT]; /* of its own; else NULL */
    enum allfold_sparse_mode sparse;                       /* likewise; else UNSET */
    enum allfold_reproducible reproducible;                /* likewise */
    struct allfold_carrier carrier;
    int *members; /* of each rank: its rank in the job, and behind these its index_of */
    struct allfold_private_lane *own; /* what a private carrier consists of; else NULL */
    void *parts[ALLFOLD_PART_COUNT];
    atomic_int retainers;                      /* plans, and the program's communicator */
    bool is_orphan;                            /* that one is freed */
    struct allfold_communicator *next, **link; /* all there are, the newest first */
};

/* The state of a communicator (not MPI_COMM_NULL), or NULL where there can be none: out of memory.
 * Collective over it at the first call. Thread-safe for different communicators. */
struct allfold_communicator *allfold_communicator_of(MPI_Comm comm);

/* The same where there is one already; else NULL, and none is made. Local. */
struct allfold_communicator *allfold_communicator_known(MPI_Comm comm);

/* The same; else *is_new says whether no call on the communicator was passed as below. */
struct allfold_communicator *allfold_communicator_known_or_new(MPI_Comm comm, bool *is_new);

/* Whether the first call on a new communicator may be passed through before it has a state, because
 * the state would need an agreement. The next call makes the state. Never with
 * ALLFOLD_NONBLOCKING=1, where nonblocking calls wait for that state. Local; all ranks come to the
 * same. */
bool allfold_communicator_pass_first(MPI_Comm comm);

/* A plan needs the state, or no longer does. The state outlives its communicator as long as a plan
 * needs it. */
void allfold_communicator_retain(struct allfold_communicator *state);
void allfold_communicator_release(struct allfold_communicator *state);

/* Gives the communicator a private lane, unless it has one. False where none can be made, on all
 * ranks alike. Collective. */
bool allfold_communicator_make_private(struct allfold_communicator *state);

/* A stream of the job's fabric for a lane of the communicator, with the same messages on all its
 * ranks. NULL without memory. The job has a fabric, and the communicator a private lane. Local. */
struct allfold_fabric_stream *allfold_communicator_stream(const struct allfold_communicator *state,
                                                          int lane);

/* The communicator for collectives of our own within a call of the program's. The program's
 * communicator serves without a private one: all ranks make the same calls there in the same order,
 * so none is mistaken for another. */
static inline MPI_Comm
allfold_communicator_for_collectives(const struct allfold_communicator *state)
{
    return state->is_private ? state->carrier.comm : state->user;
}

/* What carries the messages of the next run. Elements travel as `travels_as` and have
 * `element_bytes` each; messages have at most `most_bytes`. Node memory and fabric only where
 * elements `are_contiguous`. */
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
 * Collective over communicators with a private lane. While MPI deletes the attributes of
 * MPI_COMM_SELF, that one's attribute is left to MPI. */
void allfold_communicators_free(bool leaves_self);

/* A problem of the collective on the communicator, seen from this rank: all but root, count,
 * element size, operation and whether it is in place. */
struct allfold_problem allfold_communicator_problem(const struct allfold_communicator *state,
                                                    enum allfold_collective collective);

/* The guides of choices on the communicator, except for rules of the call's own. */
struct allfold_guides allfold_communicator_guides(const struct allfold_communicator *state,
                                                  enum allfold_collective collective);

/* The rules that hold on the communicator: its own, else those of the settings. */
const struct allfold_rules *allfold_communicator_rules(const struct allfold_communicator *state,
                                                       enum allfold_collective collective);

/* What is wrong with the communicator's rules, or NULL. */
const char *allfold_communicator_rule_error(const struct allfold_communicator *state,
                                            enum allfold_collective collective);

/* Whether the communicator's reductions are sparse: as the program said of it, else as the settings
 * say. */
static inline enum allfold_sparse_mode
allfold_communicator_sparse(const struct allfold_communicator *state)
{
    return state->sparse != ALLFOLD_SPARSE_UNSET ? state->sparse
                                                 : state->agreed.settings->common.sparse;
}

/* Whether the canonical tree brackets the communicator's sums, likewise. */
static inline enum allfold_reproducible
allfold_communicator_reproducible(const struct allfold_communicator *state)
{
    return state->reproducible != ALLFOLD_REPRODUCIBLE_UNSET
               ? state->reproducible
               : state->agreed.settings->common.reproducible;
}

/* Gives it rules of its own, whose memory becomes the communicator's, or with NULL takes them away,
 * and forgets what was chosen by those before. All ranks do the same. */
void allfold_communicator_set_rules(struct allfold_communicator *state,
                                    enum allfold_collective collective,
                                    struct allfold_rules *rules);

/* Has its reductions be sparse or not from now on, likewise. */
void allfold_communicator_set_sparse(struct allfold_communicator *state,
                                     enum allfold_sparse_mode mode);

/* Has its sums be bracketed by the canonical tree or not from now on, and forgets what was chosen
 * before. All ranks do the same. */
void allfold_communicator_set_reproducible(struct allfold_communicator *state,
                                           enum allfold_reproducible mode);

#endif
