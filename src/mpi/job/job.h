/* The job: what all communicators of MPI_COMM_WORLD's processes have in common, agreed on once.
 *
 * At MPI_Init the ranks detect whether all of them run Allfold (presence.h), and agree on settings,
 * tables and placement. They make one private communicator, and share the memory of each node.
 * Every communicator of these processes inherits the result without another agreement.
 *
 * A communicator may even send its messages through the job's private communicator and node memory,
 * with nothing that distinguishes them from messages of other communicators. This works because
 * messages between a pair of ranks stay in order, and because two ranks that belong to the same two
 * communicators call blocking collectives on both in the same order: otherwise they could deadlock
 * (MPI 4.0, section 6.14). The argument holds for one thread. So communicators share only if
 * MPI_THREAD_MULTIPLE was not granted, calls are not watched, and nonblocking calls, which need
 * lanes of their own, are native. If this is not so on all ranks, the job's lane is made with
 * streams for plans, and belongs to MPI_COMM_WORLD.
 *
 * A failure is never an error of the program: it becomes the reason why all collectives are
 * native. */
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
    const char *native_reason; /* why all collectives are native, or NULL */
    double begin_s;            /* time of the begin, on this rank's clock */
    int size, rank;            /* in MPI_COMM_WORLD */
    MPI_Comm comm;             /* private, with the ranks of MPI_COMM_WORLD */
    MPI_Group group;           /* of `comm` */
    struct allfold_agreement agreed;
    const struct allfold_nodes *nodes; /* placement of the ranks */
    int card_mbit;                     /* Mbit/s of each node's network card; 0: not known */
    struct allfold_job_topology where; /* switches and cables between the nodes */
    bool is_watched;                   /* calls are watched or checked */
    bool is_shared;                    /* communicators may share `messages` and `node` */
    struct allfold_point_to_point messages;
    struct allfold_fabric *fabric;          /* NULL: MPI carries the messages */
    char no_fabric[ALLFOLD_MESSAGE_BYTES];  /* why there is no fabric; "" if none was wanted */
    struct allfold_fabric_gain fabric_gain; /* measured by a trial; 0: there was no trial */
    struct allfold_fabric_stream *stream;   /* a stream of `fabric`, used in place of `messages` */
    struct allfold_node node;    /* node.shared is NULL if the node's ranks share no memory */
    const char *unshared_reason; /* why the node's ranks share no memory; NULL if they do */
    bool shares_cores; /* all ranks share this memory, and there are more ranks than cores */
    /* Other than copies only if all ranks share the memory and have enough cores. */
    enum allfold_reading reading;
};

/* Returns the job of this process. It can be used if its native_reason is NULL. */
struct allfold_job *allfold_job(void);

/* Looks up the underlying functions. Must be called before PMPI_Init. Local. */
void allfold_job_prepare(void);

/* Begins the job. Must be called right after PMPI_Init returned `code_of_init`; does nothing unless
 * that is MPI_SUCCESS. Collective over MPI_COMM_WORLD if all its ranks run Allfold. */
void allfold_job_begin(int code_of_init);

/* Begins the job at the first call on a communicator of all ranks, if MPI was initialized without
 * this library's MPI_Init. Otherwise does nothing, and prints a message if `comm` has several
 * ranks. Collective over such a communicator. */
void allfold_job_begin_late(MPI_Comm comm);

/* Functions of the rooms above this one. `begin` is called when the job has begun late, `finish`
 * before MPI_Finalize ends, because a late program's MPI_Finalize may not come to this library. */
struct allfold_job_hooks {
    void (*begin)(void), (*finish)(void);
};
void allfold_job_set_hooks(const struct allfold_job_hooks *of_upper_rooms);

/* Ends the job. Must be called after all communicators are freed. Collective over
 * MPI_COMM_WORLD. */
void allfold_job_end(void);

/* Shares a node's memory among the ranks of `comm` as allfold_node_open does, if the settings want
 * it, and prints what prevents this. Returns why there is no shared memory, or NULL. Collective
 * over `comm`. */
const char *allfold_share_memory(struct allfold_node *node, MPI_Comm comm,
                                 const struct allfold_nodes *nodes, int streams,
                                 struct allfold_transport *beyond);

/* Prints a message on the first rank of the job, once for each `said`. */
void allfold_say_once(bool *said, const char *message);

#endif
