/* The agreement of a communicator's ranks on settings, tables (tables.h) and placement. Ranks that
 * choose algorithms by different settings or tables would deadlock. The placement comes from the
 * processor names of the ranks, or from ALLFOLD_NETWORK.
 *
 * This file does not use the state of communicators (communicator.h). */
#ifndef ALLFOLD_MPI_JOB_AGREEMENT_H
#define ALLFOLD_MPI_JOB_AGREEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology/nodes.h"
#include "select/choose.h"
#include "select/settings.h"

/* The result, which is the same on all ranks. It owns the received settings and tables. */
struct allfold_agreement {
    const struct allfold_settings *settings;
    /* Rank 0's settings if this rank's differ; else NULL. */
    struct allfold_settings *received_settings;
    const struct allfold_table *tables[ALLFOLD_TABLE_KINDS]; /* NULL: no table */
    /* Rank 0's tables if the ranks' differ; else NULL. */
    struct allfold_table *received_tables[ALLFOLD_TABLE_KINDS];
};

/* Other properties that the ranks compare when they agree on settings. */
struct allfold_findings {
    bool one_node;    /* the node keys of all ranks are equal */
    int cores;        /* of the machine that all ranks run on; 0: several machines, or not known */
    int64_t socket;   /* this rank's, of allfold_node_socket (node_memory.h) */
    bool has_sockets; /* the sockets of the ranks differ */
    bool tables_differ;  /* the table fingerprints of the ranks differ */
    bool any_configured; /* the network location of at least one rank is configured */
    bool has_threads;    /* threads of at least one rank may call MPI at the same time */
    bool offers_vectors; /* the node's ranks can read the vectors of every rank (reading_trial.h) */
};

/* Returns a number that is the same for the ranks of one node: a hash of the processor's name. */
int64_t allfold_node_key(void);

/* What a rank contributes to the agreement. The ranks reduce these numbers by their minimum. A
 * value is contributed together with its negative: it is the same on all ranks if the two minima
 * are the negative of each other. */
enum { ALLFOLD_OFFERED_NUMBERS = 14 };

struct allfold_agreement_offer {
    int64_t node_key;   /* of allfold_node_key */
    int64_t tables;     /* fingerprint of this rank's tables */
    bool is_configured; /* this rank's network location is configured */
    bool offers_vectors;
};

/* Writes the numbers of this rank. Local. */
void allfold_agreement_write_offer(const struct allfold_agreement_offer *offer,
                                   int64_t numbers[ALLFOLD_OFFERED_NUMBERS]);

/* Uses the settings of this process or, if the ranks' settings differ, those of rank 0. `least` has
 * the minima of all ranks' numbers. Returns an MPI error code, the same on all ranks. Collective
 * over `comm`. */
int allfold_agree_on_settings(struct allfold_agreement *agreed, MPI_Comm comm,
                              const int64_t least[ALLFOLD_OFFERED_NUMBERS],
                              struct allfold_findings *findings);

/* Makes *nodes from the ranks' node keys, with their sockets, order and cores. `key` is the node
 * key of this rank. If ALLFOLD_NETWORK cannot be read and `says` is true, rank 0 prints a warning.
 * Returns an MPI error code. Collective over `comm`. */
int allfold_agree_on_nodes(const struct allfold_agreement *agreed, MPI_Comm comm, int64_t key,
                           const struct allfold_findings *found, bool says,
                           const struct allfold_nodes **nodes);

/* Gathers `count` numbers of each rank into `all`. On entry *all_have says whether this rank has
 * memory for them; on return it says whether all ranks have. If not, nothing is gathered. Returns
 * an MPI error code. Collective over `comm`. */
int allfold_gather_words(MPI_Comm comm, const int64_t *mine, int count, int64_t *all,
                         int *all_have);

/* Frees the received settings and tables. */
void allfold_agreement_free(struct allfold_agreement *agreed);

#endif
