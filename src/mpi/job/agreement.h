/* What the ranks of a communicator agree on: settings, tables (tables.h) and the placement. Ranks
 * that chose by different settings or tables would wait for each other for ever. The placement
 * comes from the names of the ranks' processors, or from ALLFOLD_NETWORK.
 *
 * Nothing here knows communicators' states. */
#ifndef ALLFOLD_MPI_JOB_AGREEMENT_H
#define ALLFOLD_MPI_JOB_AGREEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology/nodes.h"
#include "select/choose.h"
#include "select/settings.h"

/* Alike on all ranks. The agreement owns what was received. */
struct allfold_agreement {
    const struct allfold_settings *settings;
    struct allfold_settings *received_settings; /* rank 0's, where this rank's differ; else NULL */
    const struct allfold_table *tables[ALLFOLD_TABLE_KINDS];    /* NULL: none */
    struct allfold_table *received_tables[ALLFOLD_TABLE_KINDS]; /* likewise rank 0's */
};

/* What else the ranks find out when they agree on settings. */
struct allfold_findings {
    bool one_node;       /* their keys are all the same */
    int cores;           /* of the machine that all are on; 0: of several, or not known */
    int64_t socket;      /* of this rank (nodes.h in mpi/transport) */
    bool has_sockets;    /* theirs are not all the same */
    bool tables_differ;  /* their fingerprints of tables are not */
    bool any_configured; /* the place of some of them in the network is configured */
    bool has_threads;    /* threads of at least one rank may call MPI at the same time */
    bool offers_vectors; /* each rank's own can be read by its node (vector_access.h) */
};

/* What ranks of one node have in common, as far as MPI tells. */
int64_t allfold_node_key(void);

/* What a rank brings along. The ranks compare these numbers by their minimum: a value is the same
 * on all ranks if the minimum of it and the minimum of its complement belong together. */
enum { ALLFOLD_OFFERED_NUMBERS = 14 };

struct allfold_agreement_offer {
    int64_t node_key;   /* allfold_node_key() */
    int64_t tables;     /* the fingerprint of its tables */
    bool is_configured; /* its place in the network is configured */
    bool offers_vectors;
};

/* Writes the numbers of this rank. Local. */
void allfold_agreement_write_offer(const struct allfold_agreement_offer *offer,
                                   int64_t numbers[ALLFOLD_OFFERED_NUMBERS]);

/* Takes the process's settings or, where they differ, those of rank 0. `least` are the minima of
 * all ranks' numbers. Collective. Returns an MPI error code, the same on all ranks. */
int allfold_agree_on_settings(struct allfold_agreement *agreed, MPI_Comm comm,
                              const int64_t least[ALLFOLD_OFFERED_NUMBERS],
                              struct allfold_findings *findings);

/* Makes *nodes from the ranks' keys, with their sockets, order and cores. This rank's key is `key`;
 * where they found one node, all ranks have the same. If ALLFOLD_NETWORK cannot be read and `says`
 * is true, rank 0 says so. Returns an MPI error code. Collective. */
int allfold_agree_on_nodes(const struct allfold_agreement *agreed, MPI_Comm comm, int64_t key,
                           const struct allfold_findings *found, bool says,
                           const struct allfold_nodes **nodes);

/* Gathers `count` words of each rank into `all`. *all_have is whether this rank has memory for
 * these; it becomes whether all ranks have, and otherwise nothing is gathered. Returns an MPI error
 * code. Collective. */
int allfold_gather_words(MPI_Comm comm, const int64_t *mine, int count, int64_t *all,
                         int *all_have);

/* Frees what was received. */
void allfold_agreement_free(struct allfold_agreement *agreed);

#endif
