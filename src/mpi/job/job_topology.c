/* The network topology of the job: agreement of the ranks on switches and cables (see
 * job_topology.h). */
#include "mpi/job/job_topology.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "topology/cables.h"
#include "mpi/job/agreement.h"
#include "mpi/process/runtime.h"
#include "util/hash.h"
#include "util/memory.h"

bool allfold_job_topology_look(struct allfold_job_topology *topology, int rank)
{
    const char *path = allfold_settings()->network;
    const char *address = getenv("SLURM_TOPOLOGY_ADDR");
    const char *pattern = getenv("SLURM_TOPOLOGY_ADDR_PATTERN");
    char host[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    *topology = (struct allfold_job_topology){.depth = 0};
    if (allfold_network_is_off(allfold_settings()) ||
        PMPI_Get_processor_name(host, &length) != MPI_SUCCESS)
        return false;
    if (path != NULL)
        allfold_switches_read(path, host, rank, &topology->mine, topology->why,
                              sizeof topology->why);
    else if (address != NULL && pattern != NULL && strstr(pattern, "switch") != NULL)
        allfold_switches_of_slurm(address, pattern, host, &topology->mine, topology->why,
                                  sizeof topology->why);
    else
        return false;
    return true;
}

/* What each rank sends of itself: its depth, and for each level what stands for its switch, and a
 * thousand times a switch's uplinks, and its uplinks to one other. Then what stands for its host,
 * and how many neighbors that has. */
enum {
    UPLINKS = 1 + ALLFOLD_SWITCH_LEVELS,
    PAIR_UPLINKS = UPLINKS + ALLFOLD_SWITCH_LEVELS,
    HOST = PAIR_UPLINKS + ALLFOLD_SWITCH_LEVELS,
    NEIGHBORS,
    WORDS
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
    words[HOST] = switches->host;
    words[NEIGHBORS] = switches->neighbors;
}

/* Returns the maximum of a number over all ranks; 0 if no rank has it configured. */
static int most_of(const int64_t *all, int p, int word)
{
    int64_t most = 0;
    for (int r = 0; r < p; r++)
        most = all[(size_t)r * WORDS + (size_t)word] > most ? all[(size_t)r * WORDS + (size_t)word]
                                                            : most;
    return (int)most;
}

/* Sets *depth to the levels that all ranks agree on, or writes why they do not agree, for rank 0 to
 * print. */
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
static bool make_groups(struct allfold_job_topology *topology, const int64_t *all, int p)
{
    int64_t *keys = allfold_allocate((size_t)p * sizeof *keys);
    bool has_all = keys != NULL;
    for (int i = 0; i < topology->depth && has_all; i++) {
        for (int r = 0; r < p; r++)
            keys[r] = all[(size_t)r * WORDS + 1 + (size_t)i];
        topology->groups[i] = allfold_nodes_make(keys, p);
        has_all = topology->groups[i] != NULL;
        if (has_all && i > 0 && !are_nested(topology->groups[i - 1], topology->groups[i], p))
            topology->depth = i;
        topology->uplinks[i] = (double)all[UPLINKS + i] / 1000; /* as rank 0's configuration says */
        topology->pair_uplinks[i] = (double)all[PAIR_UPLINKS + i] / 1000;
    }
    allfold_free(keys);
    return has_all;
}

/* --- cables --- */

/* The ranks' configurations of cables. */
struct told {
    const int64_t *all;       /* WORDS of each rank */
    const int64_t *neighbors; /* `most` numbers of each rank; unused ones are 0 */
    int most;
    const struct allfold_nodes *nodes;
};

static const int64_t *neighbors_of(const struct told *told, int rank)
{
    return told->neighbors + (size_t)rank * (size_t)told->most;
}

static int64_t word_of(const struct told *told, int rank, int word)
{
    return told->all[(size_t)rank * WORDS + (size_t)word];
}

/* Returns whether each rank knows neighbors, and the ranks of a node know the same. If not, `why`
 * says what is wrong. */
static bool are_alike(const struct told *told, int p, char *why, size_t why_bytes)
{
    const size_t bytes = (size_t)told->most * sizeof(int64_t);
    for (int r = 0; r < p; r++) {
        const int leader = told->nodes->leaders[told->nodes->node_of[r]];
        if (word_of(told, r, NEIGHBORS) == 0) {
            snprintf(why, why_bytes, "rank %d was told no host that its own is linked to", r);
            return false;
        }
        if (word_of(told, r, HOST) != word_of(told, leader, HOST) ||
            memcmp(neighbors_of(told, r), neighbors_of(told, leader), bytes) != 0) {
            snprintf(why, why_bytes,
                     "ranks %d and %d are of one node, but were told different hosts that it is "
                     "linked to",
                     leader, r);
            return false;
        }
    }
    return true;
}

struct named {
    int64_t host;
    int node;
};

static int by_host(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    if (a->host != b->host)
        return a->host < b->host ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static int to_host(const void *host, const void *of)
{
    const int64_t sought = *(const int64_t *)host;
    const struct named *named = of;
    return (sought > named->host) - (sought < named->host);
}

static int to_neighbor(const void *host, const void *of)
{
    const int64_t sought = *(const int64_t *)host, found = *(const int64_t *)of;
    if (found == 0) /* these are sorted last */
        return -1;
    return (sought > found) - (sought < found);
}

/* Lists the pairs of nodes whose hosts name each other, of hosts in order. */
static int list_pairs(const struct told *told, const struct named *named,
                      struct allfold_cable *pairs)
{
    const struct allfold_nodes *nodes = told->nodes;
    int count = 0;
    for (int a = 0; a < nodes->count; a++) {
        const int rank = nodes->leaders[a];
        const int64_t own = word_of(told, rank, HOST);
        for (int i = 0; i < word_of(told, rank, NEIGHBORS); i++) {
            const struct named *other = bsearch(&neighbors_of(told, rank)[i], named,
                                                (size_t)nodes->count, sizeof *named, to_host);
            if (other != NULL && a < other->node &&
                bsearch(&own, neighbors_of(told, nodes->leaders[other->node]), (size_t)told->most,
                        sizeof own, to_neighbor) != NULL)
                pairs[count++] = (struct allfold_cable){a, other->node};
        }
    }
    return count;
}

/* Returns whether hosts of two nodes have the same name. Then `why` says so. */
static bool are_twins(const struct told *told, const struct named *named, char *why,
                      size_t why_bytes)
{
    for (int n = 1; n < told->nodes->count; n++)
        if (named[n].host == named[n - 1].host) {
            snprintf(why, why_bytes,
                     "ranks %d and %d are of different nodes, but on hosts of one name",
                     told->nodes->leaders[named[n - 1].node], told->nodes->leaders[named[n].node]);
            return true;
        }
    return false;
}

/* Replaces *nodes by nodes with cables. If they get none, `why` has the reason. Returns false if
 * out of memory. */
static bool cable(const struct allfold_nodes **nodes, const struct told *told, char *why,
                  size_t why_bytes)
{
    const size_t n = (size_t)told->nodes->count, most = (size_t)told->most;
    const struct allfold_nodes *made = NULL;
    struct named *named = allfold_allocate(n * sizeof *named);
    struct allfold_cable *pairs = allfold_allocate(n * most * sizeof *pairs);
    bool fits = named != NULL && pairs != NULL;
    for (size_t node = 0; fits && node < n; node++)
        named[node] = (struct named){word_of(told, told->nodes->leaders[node], HOST), (int)node};
    if (fits)
        qsort(named, n, sizeof *named, by_host);
    if (fits && !are_twins(told, named, why, why_bytes)) {
        const int count = list_pairs(told, named, pairs);
        made = allfold_nodes_create(&(const struct allfold_nodes_facts){
            .cables = pairs, .cable_count = count, .like = told->nodes});
        fits = made != NULL;
        if (count == 0)
            snprintf(why, why_bytes, "no two nodes of the job are linked directly");
        else if (fits && made->cables == NULL)
            snprintf(why, why_bytes,
                     "%zu nodes with %d cables are more than the limits of %d and %d", n, count,
                     ALLFOLD_MOST_CABLED_NODES, ALLFOLD_MOST_CABLES);
    }
    if (made != NULL) {
        allfold_nodes_free(*nodes);
        *nodes = made;
    }
    allfold_free(named);
    allfold_free(pairs);
    return fits;
}

/* Finds the cables; `most` is the maximum number of neighbors that a rank has configured. Returns
 * an MPI error code as allfold_job_topology_agree does. Collective. */
static int find_cables(struct allfold_job_topology *topology, MPI_Comm comm,
                       const struct allfold_nodes **nodes, const int64_t *all, int most)
{
    char *why = topology->no_cables;
    const size_t why_bytes = sizeof topology->no_cables;
    const int p = (*nodes)->first[(*nodes)->count];
    int64_t *neighbors = allfold_allocate((size_t)p * (size_t)most * sizeof *neighbors);
    int has_memory = neighbors != NULL;
    bool fits = true;
    const int error =
        allfold_gather_words(comm, topology->mine.neighbor, most, neighbors, &has_memory);
    const struct told told = {all, neighbors, most, *nodes};
    if (error == MPI_SUCCESS && has_memory && are_alike(&told, p, why, why_bytes))
        fits = cable(nodes, &told, why, why_bytes);
    allfold_free(neighbors);
    return error != MPI_SUCCESS || (fits && has_memory) ? error : MPI_ERR_NO_MEM;
}

/* --- */

/* On rank 0: what is not known is complained of if nothing is known. */
static void say(const struct allfold_job_topology *topology, const struct allfold_nodes *nodes)
{
    char line[ALLFOLD_MESSAGE_BYTES + 80];
    const struct allfold_cables *cables = nodes->cables;
    const bool has_cables = cables != NULL, has_switches = topology->depth > 0;
    const char *why = topology->no_cables[0] != '\0' ? topology->no_cables : topology->why;
    snprintf(line, sizeof line, "where the job is in its network is not known: %s", why);
    if (!has_cables && !has_switches)
        allfold_warn(line);
    else if (why[0] != '\0')
        allfold_say("%s of the job are not known: %s", has_switches ? "cables" : "switches", why);
    if (has_cables && cables->trees > 0)
        allfold_say("nodes are linked directly by %d cables; spanning trees that share none: %d",
                    cables->count, cables->trees);
    else if (has_cables)
        allfold_say("nodes are linked directly by %d cables, which do not connect all of them",
                    cables->count);
}

int allfold_job_topology_agree(struct allfold_job_topology *topology, MPI_Comm comm,
                               const struct allfold_nodes **nodes)
{
    int p, rank, most = 0;
    int64_t mine[WORDS];
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &rank);
    int64_t *all = allfold_allocate((size_t)p * sizeof mine);
    int has_memory = all != NULL;
    describe(&topology->mine, mine);
    if (topology->why[0] != '\0')
        allfold_say("rank %d of the job: %s", rank, topology->why);
    int error = allfold_gather_words(comm, mine, WORDS, all, &has_memory);
    bool fits = has_memory;
    if (error == MPI_SUCCESS && has_memory) {
        most = most_of(all, p, NEIGHBORS);
        judge(all, *nodes, p, &topology->depth, topology->why, sizeof topology->why);
        fits = make_groups(topology, all, p);
        if (most > 0 && most_of(all, p, 0) == 0)
            topology->why[0] = '\0'; /* no rank has switches configured */
    }
    if (error == MPI_SUCCESS && most > 0) {
        error = find_cables(topology, comm, nodes, all, most);
        fits = fits && error != MPI_ERR_NO_MEM;
        error = error == MPI_ERR_NO_MEM ? MPI_SUCCESS : error;
    }
    if (error == MPI_SUCCESS && has_memory && fits && rank == 0)
        say(topology, *nodes);
    allfold_free(all);
    if (error != MPI_SUCCESS)
        return error;
    return fits ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void allfold_job_topology_free(struct allfold_job_topology *topology)
{
    for (int i = 0; i < ALLFOLD_SWITCH_LEVELS; i++)
        allfold_nodes_free(topology->groups[i]);
    *topology = (struct allfold_job_topology){.depth = 0};
}
