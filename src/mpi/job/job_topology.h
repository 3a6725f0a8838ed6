/* The topology of the job: which switches the ranks of the job are below, and which of its nodes
 * are linked directly, as ALLFOLD_NETWORK or Slurm says.
 *
 * Each rank reads what it was told itself. Only what all ranks of the job agree on counts. Of
 * switches: each rank knows one, and those of a node know the same. Of cables: the ranks of a node
 * know the same neighbors, and each host has one; a cable lies between two nodes whose hosts name
 * each other. Otherwise nothing is known of these, and rank 0 says why if it knows nothing of the
 * other, either. Communicators hand the groups on to algorithms and to the cost model, with their
 * nodes (struct allfold_nodes_facts). The job's nodes have the cables. */
#ifndef ALLFOLD_MPI_JOB_JOB_TOPOLOGY_H
#define ALLFOLD_MPI_JOB_JOB_TOPOLOGY_H

#include <mpi.h>
#include <stdbool.h>

#include "topology/nodes.h"
#include "select/settings.h"
#include "topology/switches.h"

struct allfold_job_topology {
    struct allfold_switches mine; /* this rank's */
    int depth;                    /* levels of switches that all ranks know; 0: none */
    const struct allfold_nodes
        *groups[ALLFOLD_SWITCH_LEVELS]; /* ranks by their switch, nearest first */
    /* of a switch, and to one other of its level, in cards of a host; 0: not known */
    double uplinks[ALLFOLD_SWITCH_LEVELS], pair_uplinks[ALLFOLD_SWITCH_LEVELS];
    /* why no switches or no cables are known though a rank was told something of them; else "".
     * What no rank could read counts for switches. */
    char why[ALLFOLD_MESSAGE_BYTES], no_cables[ALLFOLD_MESSAGE_BYTES];
};

/* Reads what this rank was told; false where nobody told it anything. Local. */
bool allfold_job_topology_look(struct allfold_job_topology *topology, int rank);

/* Finds what the ranks agree on, where any of them was told something. Replaces *nodes by nodes
 * with cables, if there are any. Returns an MPI error code: MPI_ERR_NO_MEM where this rank alone
 * has no memory, any other on all ranks. Collective. */
int allfold_job_topology_agree(struct allfold_job_topology *topology, MPI_Comm comm,
                               const struct allfold_nodes **nodes);

/* Frees the groups. */
void allfold_job_topology_free(struct allfold_job_topology *topology);

#endif
