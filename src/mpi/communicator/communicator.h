/* What the library keeps of each communicator, as an attribute of it.
 *
 * Made at the first call of a collective that is ours to serve, with a private communicator for
 * the messages, so that no receive of the program can catch them; freed with the communicator.
 *
 * The state is what the ranks agree on, what messages go through, and parts. A part belongs to the
 * room that makes and frees it, and nothing is known of it here but its descriptor. */
#ifndef ALLFOLD_MPI_COMMUNICATOR_H
#define ALLFOLD_MPI_COMMUNICATOR_H

#include <mpi.h>

#include "mpi/communicator/agreement.h"
#include "mpi/transport/nodes.h"
#include "mpi/transport/point_to_point.h"
#include "select/choose.h"
#include "select/settings.h"

struct allfold_communicator;

/* The parts, in the order in which they are made; they are freed the other way round. */
#define ALLFOLD_PARTS(X)                                                                           \
    X(REPORT, report)                                                                              \
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
    size_t bytes; /* of its memory, which is zeroed: state->parts[NUMBER] */
    /* The state is new. Local. */
    void (*make)(struct allfold_communicator *state);
    /* The state's first wait for the other ranks begins, or is over. */
    void (*wait_first)(struct allfold_communicator *state, bool begins);
    /* The ranks have agreed on settings, tables and placement. Collective; returns an MPI error
     * code. */
    int (*open)(struct allfold_communicator *state);
    /* The node's memory is there now, where there is any. Local. */
    void (*share)(struct allfold_communicator *state);
    /* Rules for a collective have changed on all ranks, so what was chosen by those before is to
     * go; ALLFOLD_COLLECTIVE_COUNT: only how messages go. Local. */
    void (*change_rules)(struct allfold_communicator *state, enum allfold_collective collective);
    /* The state goes, and with it the part's memory. Local. */
    void (*free)(struct allfold_communicator *state);
};

struct allfold_communicator {
    MPI_Comm user;
    MPI_Comm comm; /* the private one; MPI_COMM_NULL where native serves all */
    int size, rank;
    bool is_guarded; /* calls are watched or checked: see collective.c */
    const char *native_reason[ALLFOLD_COLLECTIVE_COUNT]; /* why native serves all calls, or NULL */
    struct allfold_agreement agreed;
    struct allfold_nodes *nodes;            /* the placement; NULL without memory for it */
    const struct allfold_cost_model *costs; /* of the machine; NULL: the presets */
    struct allfold_rules *rules[ALLFOLD_COLLECTIVE_COUNT]; /* of its own; else NULL */
    enum allfold_sparse_mode sparse;                       /* likewise; else UNSET */
    struct allfold_point_to_point transport; /* of blocking calls, as are streams ... */
    struct allfold_node node;                /* ... through the node's memory */
    bool is_sharing_tried;                   /* of that memory */
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

/* A plan needs the state, or no longer: it outlives its communicator as long as one does. */
void allfold_communicator_retain(struct allfold_communicator *state);
void allfold_communicator_release(struct allfold_communicator *state);

/* A communicator of the same ranks, for messages of our own: without the program's attributes, and
 * its errors come back as codes. MPI_COMM_NULL with an error. Collective. */
int allfold_communicator_copy(MPI_Comm comm, MPI_Comm *copy);

/* Shares memory on the node, unless that was tried already. Collective. */
void allfold_communicator_share(struct allfold_communicator *state);

/* Has `visit` look at all states there are, none of which may go meanwhile. */
void allfold_communicators_visit(void (*visit)(struct allfold_communicator *state));

/* Frees the states of all communicators, oldest first. Collective over all of them. */
void allfold_communicators_free(void);

/* A problem of the collective on the communicator, seen from this rank: all but root, count,
 * element size, operation and whether it is in place. */
struct allfold_problem allfold_communicator_problem(const struct allfold_communicator *state,
                                                    enum allfold_collective collective);

/* What choices on the communicator go by, but for rules of the call's own. */
struct allfold_guides allfold_communicator_guides(const struct allfold_communicator *state,
                                                  enum allfold_collective collective);

/* The rules that hold on the communicator: its own, else those of the settings. */
const struct allfold_rules *allfold_communicator_rules(const struct allfold_communicator *state,
                                                       enum allfold_collective collective);

/* What is wrong with those rules, or NULL. */
const char *allfold_communicator_rule_error(const struct allfold_communicator *state,
                                            enum allfold_collective collective);

/* Whether its reductions are sparse: as the program said of it, else as the settings say. */
static inline enum allfold_sparse_mode
allfold_communicator_sparse(const struct allfold_communicator *state)
{
    return state->sparse != ALLFOLD_SPARSE_UNSET ? state->sparse
                                                 : state->agreed.settings->common.sparse;
}

/* Gives it rules of its own, whose memory becomes the communicator's, or with NULL takes them away,
 * and forgets what was chosen by those before. All ranks do the same. */
void allfold_communicator_set_rules(struct allfold_communicator *state,
                                    enum allfold_collective collective,
                                    struct allfold_rules *rules);

/* Has its reductions be sparse or not from now on, likewise. */
void allfold_communicator_set_sparse(struct allfold_communicator *state,
                                     enum allfold_sparse_mode mode);

#endif
