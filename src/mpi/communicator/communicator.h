/* What the library keeps of each communicator, as an attribute of it.
 *
 * Made at the first call of a collective that is ours to serve, with a private communicator for
 * the messages, so that no receive of the program can catch them; freed with the communicator. */
#ifndef ALLFOLD_MPI_COMMUNICATOR_H
#define ALLFOLD_MPI_COMMUNICATOR_H

#include <mpi.h>

#include "mpi/call/cache.h"
#include "mpi/transport/lanes.h"
#include "mpi/transport/nodes.h"
#include "mpi/handles/operands.h"
#include "mpi/transport/point_to_point.h"
#include "select/choose.h"
#include "select/settings.h"

/* The last call, where another one like it needs nothing found out again: see collective.c. */
struct allfold_repeat {
    struct allfold_entry *entry; /* NULL: there is none */
    enum allfold_collective collective;
    int root;
    size_t count;
    MPI_Datatype datatype;
    MPI_Op op;
    bool in_place;
    struct allfold_binding binding; /* of whatever run was last, also where there is no repeat */
};

struct allfold_communicator {
    MPI_Comm user;
    MPI_Comm comm; /* the private one; MPI_COMM_NULL where native serves all */
    const char *native_reason[ALLFOLD_COLLECTIVE_COUNT]; /* why native serves all calls, or NULL */
    int size, rank;
    const struct allfold_cost_model *costs;  /* of the machine; NULL: the presets */
    struct allfold_nodes *nodes;             /* where the ranks live; NULL without memory for it */
    const struct allfold_settings *settings; /* agreed on by all ranks */
    struct allfold_settings *own_settings;   /* where this rank's own differ from them; else NULL */
    struct allfold_rules *rules[ALLFOLD_COLLECTIVE_COUNT];   /* of its own; else NULL */
    enum allfold_sparse_mode sparse;                         /* likewise; else UNSET */
    const struct allfold_table *tables[ALLFOLD_TABLE_KINDS]; /* agreed on, too; NULL: none */
    struct allfold_table *heard[ALLFOLD_TABLE_KINDS]; /* where they are rank 0's, as it told them */
    struct allfold_point_to_point transport;
    bool is_guarded;          /* calls are watched or checked: see collective.c */
    uint64_t calls;           /* where they are, blocking ones so far */
    atomic_uint_least64_t at; /* where this rank is in their order: see roll_call.h */
    uint64_t served;          /* calls, counted until the node's memory was tried for */
    bool is_sharing_tried;    /* that was done */
    struct allfold_node node;
    struct allfold_operands operands; /* of the last call */
    struct allfold_cache cache;
    struct allfold_repeat repeat;
    struct allfold_online_all *trials; /* see online.h; NULL: none */
    bool is_tuned;                     /* room for them was tried for */
    void *scratch;                     /* of whatever run is on */
    size_t scratch_bytes;
    void *packed; /* bytes that travel, where they lie otherwise; or a sample's result */
    size_t packed_bytes;
    char tokens[2]; /* a barrier's input and result */
    struct allfold_lanes lanes;
    struct allfold_plan *spares; /* of nonblocking calls, the newest first */
    int spare_count;
    uint64_t turn;                             /* of the next nonblocking call */
    atomic_int holders;                        /* plans, and the program's communicator */
    bool is_orphan;                            /* that one is freed */
    struct allfold_communicator *next, **link; /* all there are, the newest first */
};

/* The state of a communicator (not MPI_COMM_NULL), or NULL where there can be none: out of memory.
 * Collective over it at the first call. Thread-safe for different communicators. */
struct allfold_communicator *allfold_communicator_of(MPI_Comm comm);

/* The same where there is one already; else NULL, and none is made. Local. */
struct allfold_communicator *allfold_communicator_known(MPI_Comm comm);

/* A plan needs the state, or no longer: it outlives its communicator as long as one does. */
void allfold_communicator_hold(struct allfold_communicator *state);
void allfold_communicator_let_go(struct allfold_communicator *state);

/* A communicator of the same ranks, for messages of our own: without the program's attributes, and
 * its errors come back as codes. MPI_COMM_NULL with an error. Collective. */
int allfold_communicator_copy(MPI_Comm comm, MPI_Comm *copy);

/* Shares memory on the node, unless that was tried already. Collective. */
void allfold_communicator_share(struct allfold_communicator *state);

/* Has `visit` look at all states there are, none of which may go meanwhile. */
void allfold_communicators_visit(void (*visit)(struct allfold_communicator *state));

/* Frees the states of all communicators, oldest first. Collective over all of them. */
void allfold_communicators_free(void);

/* The problem that a shape is on the communicator, seen from this rank. */
struct allfold_problem allfold_communicator_problem(const struct allfold_communicator *state,
                                                    const struct allfold_shape_key *key);

/* What choices on the communicator go by, but for rules of the call's own. */
struct allfold_guides allfold_communicator_guides(const struct allfold_communicator *state,
                                                  enum allfold_collective collective);

/* The rules that hold on the communicator: its own, else those of the settings. */
const struct allfold_rules *allfold_communicator_rules(const struct allfold_communicator *state,
                                                       enum allfold_collective collective);

/* What is wrong with those rules, or NULL. */
const char *allfold_communicator_rule_error(const struct allfold_communicator *state,
                                            enum allfold_collective collective);

/* Whether its reductions are sparse: as it was told itself, else as the settings say. */
static inline enum allfold_sparse_mode
allfold_communicator_sparse(const struct allfold_communicator *state)
{
    return state->sparse != ALLFOLD_SPARSE_UNSET ? state->sparse : state->settings->common.sparse;
}

/* Gives it rules of its own, whose memory becomes the communicator's, or with NULL takes them away,
 * and forgets what was chosen by those before. All ranks do the same. */
void allfold_communicator_set_rules(struct allfold_communicator *state,
                                    enum allfold_collective collective,
                                    struct allfold_rules *rules);

/* Grows *memory to at least `bytes`; false without memory (then *memory is as before). */
bool allfold_reserve(void **memory, size_t *have_bytes, size_t bytes);

/* Frees what is kept of shapes, where memory is short. */
void allfold_communicator_drop_entries(struct allfold_communicator *state);

#endif
