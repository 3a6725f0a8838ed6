/* The network topology of the job: below which switches its ranks are, and which of its nodes are
 * linked directly by cables, as ALLFOLD_NETWORK or Slurm reports.
 *
 * Each rank reads its own configuration, and only what all ranks of the job agree on is used.
 * Switches: each rank knows one, and the ranks of a node must know the same. Cables: the ranks of a
 * node must know the same neighbors, each host must have one neighbor at least, and a cable is
 * accepted if the hosts of two nodes name each other. If the ranks do not agree on switches or on
 * cables, that part is unknown; rank 0 prints why if the other part is unknown, too. Communicators
 * hand the groups of ranks to algorithms and to the cost model together with their nodes
 * (struct allfold_nodes_facts). The cables are stored in the job's nodes. */
#ifndef ALLFOLD_MPI_JOB_JOB_TOPOLOGY_H
#define ALLFOLD_MPI_JOB_JOB_TOPOLOGY_H

#include <mpi.h>
#include <stdbool.h>

#include "topology/nodes.h"
#include "select/settings.h"
#include "topology/switches.h"

struct allfold_job_topology {
    struct allfold_switches mine; /* this rank's switches */
    int depth;                    /* levels of switches that all ranks know; 0: none */
    const struct allfold_nodes *groups[ALLFOLD_SWITCH_LEVELS]; /* groups of the ranks by their
                                                                  switch, nearest level first */
    /* of a switch, and from a switch to another one of its level, in network cards of a host; 0:
     * not known */
    double uplinks[ALLFOLD_SWITCH_LEVELS], pair_uplinks[ALLFOLD_SWITCH_LEVELS];
    /* Why no switches or no cables are known although a rank's configuration has some; else "". A
     * configuration that no rank could read counts for switches. */
    char why[ALLFOLD_MESSAGE_BYTES], no_cables[ALLFOLD_MESSAGE_BYTES];
};

/* Reads this rank's configuration. Returns false if there is none. Local. */
bool allfold_job_topology_look(struct allfold_job_topology *topology, int rank);

/* Finds what the ranks agree on, if any of them has a configuration, and replaces *nodes
 * by nodes with the cables, if there are any. Returns an MPI error code: MPI_ERR_NO_MEM if this
 * rank alone is out of memory, any other code on all ranks. Collective over `comm`. */
int allfold_job_topology_agree(struct allfold_job_topology *topology, MPI_Comm comm,
                               const struct allfold_nodes **nodes);

/* Frees the groups. */
void allfold_job_topology_free(struct allfold_job_topology *topology);

#endif
