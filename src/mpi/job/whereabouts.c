/* Where the ranks of the job are (see whereabouts.h). */
#include "mpi/job/whereabouts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/job/agreement.h"
#include "mpi/process/runtime.h"
#include "util/hash.h"
#include "util/memory.h"

bool allfold_whereabouts_look(struct allfold_whereabouts *whereabouts, int rank)
{
    const char *path = allfold_settings()->network;
    const char *address = getenv("SLURM_TOPOLOGY_ADDR");
    const char *pattern = getenv("SLURM_TOPOLOGY_ADDR_PATTERN");
    char host[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    *whereabouts = (struct allfold_whereabouts){.depth = 0};
    if (allfold_network_is_off(allfold_settings()) ||
        PMPI_Get_processor_name(host, &length) != MPI_SUCCESS)
        return false;
    if (path != NULL)
        allfold_switches_read(path, host, rank, &whereabouts->mine, whereabouts->why,
                              sizeof whereabouts->why);
    else if (address != NULL && pattern != NULL && strstr(pattern, "switch") != NULL)
        allfold_switches_of_slurm(address, pattern, host, &whereabouts->mine, whereabouts->why,
                                  sizeof whereabouts->why);
    else
        return false;
    return true;
}

/* What each rank sends of itself: its depth, and for each level what stands for its switch, and a
 * thousand times a switch's uplinks, and its uplinks to one other. */
enum {
    UPLINKS = 1 + ALLFOLD_SWITCH_LEVELS,
    PAIR_UPLINKS = UPLINKS + ALLFOLD_SWITCH_LEVELS,
    WORDS = PAIR_UPLINKS + ALLFOLD_SWITCH_LEVELS
};

static void describe(const struct allfold_switches *switches, int64_t words[WORDS])
{
    memset(words, 0, WORDS * sizeof *words);
    words[0] = switches->depth;
    for (int i = 0; i < switches->depth; i++)
        words[1 + i] = (int64_t)(allfold_hash(allfold_hash_of_nothing, switches->name[i],
                                              strlen(switches->name[i])) >>
                                 1);
    for (int i = 0; i < ALLFOLD_SWITCH_LEVELS; i++) {
        words[UPLINKS + i] = (int64_t)(switches->uplinks[i] * 1000);
        words[PAIR_UPLINKS + i] = (int64_t)(switches->pair_uplinks[i] * 1000);
    }
}

/* Why the ranks know nothing together, for rank 0 to say; or *depth is what they know. */
static void judge(const int64_t *all, const struct allfold_nodes *nodes, int p, int *depth,
                  char *why, size_t why_bytes)
{
    *depth = ALLFOLD_SWITCH_LEVELS;
    for (int r = 0; r < p; r++) {
        const int64_t *words = all + (size_t)r * WORDS;
        const int leader = nodes->leaders[nodes->node_of[r]];
        if (words[0] == 0) {
            *depth = 0;
            if (why[0] == '\0')
                snprintf(why, why_bytes, "rank %d was told no switch of its host", r);
            return;
        }
        if (words[1] != all[(size_t)leader * WORDS + 1]) {
            *depth = 0;
            snprintf(why, why_bytes,
                     "ranks %d and %d are of one node, but below different switches", leader, r);
            return;
        }
        *depth = words[0] < *depth ? (int)words[0] : *depth;
    }
    why[0] = '\0';
}

/* Is each group of a level below one switch of the next level? */
static bool are_nested(const struct allfold_nodes *lower, const struct allfold_nodes *upper, int p)
{
    for (int r = 0; r < p; r++)
        if (upper->node_of[r] != upper->node_of[lower->leaders[lower->node_of[r]]])
            return false;
    return true;
}

/* Groups of levels that do not nest are left out, with all above. */
static bool make_groups(struct allfold_whereabouts *whereabouts, const int64_t *all, int p)
{
    int64_t *keys = allfold_allocate((size_t)p * sizeof *keys);
    bool has_all = keys != NULL;
    for (int i = 0; i < whereabouts->depth && has_all; i++) {
        for (int r = 0; r < p; r++)
            keys[r] = all[(size_t)r * WORDS + 1 + (size_t)i];
        whereabouts->groups[i] = allfold_nodes_make(keys, p);
        has_all = whereabouts->groups[i] != NULL;
        if (has_all && i > 0 && !are_nested(whereabouts->groups[i - 1], whereabouts->groups[i], p))
            whereabouts->depth = i;
        whereabouts->uplinks[i] = (double)all[UPLINKS + i] / 1000; /* as rank 0 was told */
        whereabouts->pair_uplinks[i] = (double)all[PAIR_UPLINKS + i] / 1000;
    }
    allfold_free(keys);
    return has_all;
}

static void say_why(const char *why, int rank)
{
    char line[ALLFOLD_MESSAGE_BYTES + 80];
    snprintf(line, sizeof line, "where the job is in its network is not known: %s", why);
    if (rank == 0)
        allfold_warn(line);
}

int allfold_whereabouts_agree(struct allfold_whereabouts *whereabouts, MPI_Comm comm,
                              const struct allfold_nodes *nodes)
{
    int p, rank;
    int64_t mine[WORDS];
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &rank);
    int64_t *all = allfold_allocate((size_t)p * sizeof mine);
    int has_memory = all != NULL;
    describe(&whereabouts->mine, mine);
    if (whereabouts->why[0] != '\0')
        allfold_say("rank %d of the job: %s", rank, whereabouts->why);
    const int error = allfold_gather_words(comm, mine, WORDS, all, &has_memory);
    bool has_groups = true;
    if (error == MPI_SUCCESS && has_memory) {
        judge(all, nodes, p, &whereabouts->depth, whereabouts->why, sizeof whereabouts->why);
        if (whereabouts->depth == 0)
            say_why(whereabouts->why, rank);
        has_groups = make_groups(whereabouts, all, p);
    }
    allfold_free(all);
    if (error != MPI_SUCCESS)
        return error;
    return has_groups ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void allfold_whereabouts_free(struct allfold_whereabouts *whereabouts)
{
    for (int i = 0; i < ALLFOLD_SWITCH_LEVELS; i++)
        allfold_nodes_free(whereabouts->groups[i]);
    *whereabouts = (struct allfold_whereabouts){.depth = 0};
}
