/* Where the ranks of this job live, found out by a part of ours that has their MPI. */
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
    int socket; /* on its node; -1: that has none, or nothing is known */
    char host[ALLFOLD_HOST_BYTES];
    char binding[ALLFOLD_BINDING_BYTES];
    char why[ALLFOLD_WHY_BYTES];                                 /* it shares no memory; or "" */
    char switches[ALLFOLD_SWITCH_LEVELS * ALLFOLD_SWITCH_BYTES]; /* the nearest first; or "" */
};

struct allfold_ranks {
    char mpi[256];                        /* its version */
    const char *mpi_file;                 /* its library, which stays */
    char messages[ALLFOLD_MESSAGE_BYTES]; /* what carries them beyond node memory */
    char libfabric[80];                   /* which one the library can use */
    int count; /* 0 on all ranks but 0, and where the ranks could not be asked */
    int nodes;
    int most, least; /* ranks on a node */
    int cores;       /* of the machine that all nodes are on, if it has fewer than ranks; else 0 */
    int card_mbit;   /* what a node's network card carries, in Mbit a second; 0: not known */
    bool hosts_in_order; /* nodes are numbered in the order of their hosts, as far as is known */
    int sockets;         /* of a node, at most; 0: nothing is known of any */
    int levels;          /* of switches that all ranks know */
    int switches[ALLFOLD_SWITCH_LEVELS]; /* on each, the nearest first */
    /* of such a switch, and to one other of its level, in cards of a host; 0: not known */
    double uplinks[ALLFOLD_SWITCH_LEVELS], pair_uplinks[ALLFOLD_SWITCH_LEVELS];
    char no_switches[ALLFOLD_MESSAGE_BYTES]; /* why none are known though a rank was told; or "" */
    int cables, trees;                       /* between nodes; spanning trees that share none */
    char no_cables[ALLFOLD_MESSAGE_BYTES];   /* likewise */
    struct allfold_cable *cable;             /* which nodes each of them links */
    struct allfold_rank *ranks;
};

/* Asks the ranks. Collective over the job. Returns false with `message` where that failed; the
 * memory is freed by allfold_ranks_free. `mpi` is what --mpi says, or NULL. */
bool allfold_ranks_ask(struct allfold_ranks *ranks, const char *mpi,
                       const struct allfold_launcher *launcher, const char *binding, char *message,
                       int message_bytes);
void allfold_ranks_free(struct allfold_ranks *ranks);

/* The table for people: ranks that have all but their number in common share a line. */
void allfold_ranks_print(const struct allfold_ranks *ranks);

#endif
