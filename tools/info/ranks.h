/* The placement of the ranks of this job. The command does not use MPI: it starts a helper program
 * that uses the MPI library of the job, and reads the placement from its output. */
#ifndef ALLFOLD_INFO_RANKS_H
#define ALLFOLD_INFO_RANKS_H

#include <stdbool.h>

#include "topology/cables.h"
#include "launcher.h"
#include "machine.h"
#include "select/settings.h"
#include "topology/switches.h"

enum { ALLFOLD_HOST_BYTES = 256, ALLFOLD_WHY_BYTES = 128 };

struct allfold_rank {
    int node;
    int socket; /* on its node; -1: the node has no sockets, or they are not known */
    char host[ALLFOLD_HOST_BYTES];
    char binding[ALLFOLD_BINDING_BYTES];
    char why[ALLFOLD_WHY_BYTES]; /* why it shares no memory; or "" */
    char switches[ALLFOLD_SWITCH_LEVELS * ALLFOLD_SWITCH_BYTES]; /* nearest level first; or "" */
};

struct allfold_ranks {
    char mpi[256];                        /* version of the MPI library */
    const char *mpi_file;                 /* path of the MPI library; the text stays valid */
    char messages[ALLFOLD_MESSAGE_BYTES]; /* what carries messages that do not go through node
                                             memory */
    char libfabric[80];                   /* version of libfabric that Allfold's library can use */
    int count; /* number of ranks; 0 on all ranks but 0, and if the ranks could not be queried */
    int nodes;
    int most, least; /* maximum and minimum number of ranks on a node */
    int cores;       /* number of cores, if all of several nodes are on one machine; otherwise 0 */
    int card_mbit;   /* rate of a node's network card in Mbit/s; 0: not known */
    bool hosts_in_order; /* nodes are numbered in the order of their hosts, as far as it is known */
    int sockets;         /* maximum number on a node; 0: not known */
    int levels;          /* levels of switches that all ranks know */
    int switches[ALLFOLD_SWITCH_LEVELS]; /* number of switches on each level, nearest first */
    /* Bandwidth of a switch's uplinks, and from a switch to another one of the same level, in
     * multiples of the bandwidth of a host's network card; 0: not known. */
    double uplinks[ALLFOLD_SWITCH_LEVELS], pair_uplinks[ALLFOLD_SWITCH_LEVELS];
    char no_switches[ALLFOLD_MESSAGE_BYTES]; /* why no switches are known although a rank's
                                                configuration has some; or "" */
    int cables, trees; /* cables between nodes; spanning trees without a common cable */
    char no_cables[ALLFOLD_MESSAGE_BYTES]; /* why no cables are known although a rank's
                                              configuration has some; or "" */
    struct allfold_cable *cable;           /* the two nodes of each cable */
    struct allfold_rank *ranks;
};

/* Queries the ranks. `mpi` is the argument of --mpi, or NULL. Returns false with `message` if that
 * failed. The caller frees the result with allfold_ranks_free. Collective over the job. */
bool allfold_ranks_ask(struct allfold_ranks *ranks, const char *mpi,
                       const struct allfold_launcher *launcher, const char *binding, char *message,
                       int message_bytes);
void allfold_ranks_free(struct allfold_ranks *ranks);

/* Prints a table. Ranks that differ only by their numbers share a line. */
void allfold_ranks_print(const struct allfold_ranks *ranks);

#endif
