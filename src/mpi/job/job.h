/* The job: what all communicators of MPI_COMM_WORLD's processes have in common, agreed on once.
 *
 * At MPI_Init the ranks find out whether all of them run Allfold (presence.h), and agree on
 * settings, tables and placement. They make one private communicator, and share the memory of each
 * node. A communicator of these processes inherits all of that and agrees on nothing.
 *
 * It may even share the job's private communicator and node memory for its messages, with nothing
 * that tells them from another communicator's. The reason: messages of a pair of ranks stay in
 * order. Two ranks of the same two communicators call blocking collectives on both in the same
 * order. Otherwise each could wait for the other for ever (MPI 4.0, section 6.14). This order holds
 * for one thread. So communicators share where MPI_THREAD_MULTIPLE was not granted, calls are not
 * watched, and nonblocking calls, which need lanes of their own, are native. Where these conditions
 * do not hold on all ranks, the job's lane is made with streams for plans, and MPI_COMM_WORLD has
 * it.
 *
 * Whatever is wrong is a reason why all collectives are native, never an error. */
#ifndef ALLFOLD_MPI_JOB_JOB_H
#define ALLFOLD_MPI_JOB_JOB_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/job/agreement.h"
#include "mpi/job/job_topology.h"
#include "mpi/transport/fabrics.h"
#include "mpi/transport/node_memory.h"
#include "mpi/transport/point_to_point.h"

struct allfold_job {
    const char *native_reason; /* why no communicator is served, or NULL */
    double begin_s;            /* when it began, on this rank's clock */
    int size, rank;            /* of MPI_COMM_WORLD */
    MPI_Comm comm;             /* private, of the same ranks */
    MPI_Group group;           /* theirs */
    struct allfold_agreement agreed;
    const struct allfold_nodes *nodes; /* the placement */
    int card_mbit;                     /* a second, of each node's network card; 0: not known */
    struct allfold_job_topology where; /* its place in the network */
    bool is_watched;                   /* calls are watched or checked */
    bool is_shared;                    /* communicators may share `messages` and `node` */
    struct allfold_point_to_point messages;
    struct allfold_fabric *fabric;          /* NULL: MPI carries the messages, as ... */
    char no_fabric[ALLFOLD_MESSAGE_BYTES];  /* ... this says; "": nobody wants a fabric */
    struct allfold_fabric_gain fabric_gain; /* of a trial; 0: there was none */
    struct allfold_fabric_stream *stream;   /* over it, which goes with `messages` */
    struct allfold_node node; /* node.shared is NULL where the node's ranks share no memory, ... */
    const char *unshared_reason;  /* ... which is why, in words; else NULL */
    bool shares_cores;            /* all ranks share this memory, and are more than their cores */
    enum allfold_reading reading; /* copies, but where they share it and have cores enough */
};

/* The job of this process. Its native_reason says whether it is of use. */
struct allfold_job *allfold_job(void);

/* Looks up the functions that come next. Before PMPI_Init. Local. */
void allfold_job_prepare(void);

/* Begins the job, where PMPI_Init returned MPI_SUCCESS. Right after it. Collective over
 * MPI_COMM_WORLD where all its ranks run Allfold. */
void allfold_job_begin(int code_of_init);

/* Begins the job at the first call on a communicator of all ranks, where MPI was initialized past
 * this library; else does nothing, and says so if `comm` has several ranks. Collective over such a
 * communicator. */
void allfold_job_begin_late(MPI_Comm comm);

/* What the rooms above do when the job has begun late, and before MPI_Finalize ends, which then
 * need not come to this library. */
struct allfold_job_hooks {
    void (*begin)(void), (*finish)(void);
};
void allfold_job_set_hooks(const struct allfold_job_hooks *of_upper_rooms);

/* Ends it. Collective over MPI_COMM_WORLD, after all communicators are gone. */
void allfold_job_end(void);

/* Shares a node's memory among the ranks of `comm` as allfold_node_open does, where the settings
 * want it; what keeps a rank from that is said. Returns why there is none, in words, or NULL.
 * Collective. */
const char *allfold_share_memory(struct allfold_node *node, MPI_Comm comm,
                                 const struct allfold_nodes *nodes, int streams,
                                 struct allfold_transport *beyond);

/* Says a message on the first rank of the job, once for each `said`. */
void allfold_say_once(bool *said, const char *message);

#endif
