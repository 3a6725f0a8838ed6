/* Placing ranks on hosts (see placing.h). */
#include "placing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/nodes.h"

bool allfold_tool_check_placement(const char *command, const char *how)
{
    static const char *const words[] = {"block",  "block:cyclic",  "cyclic",
                                        "random", "cyclic:cyclic", "random:cyclic"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(how, words[i]) == 0)
            return true;
    fprintf(stderr,
            "allfold %s: --placement: '%s'; expected block, cyclic or random, maybe with :cyclic "
            "for the sockets\n",
            command, how);
    return false;
}

/* Shuffled alike in every run. */
static void shuffle(int64_t *keys, int count)
{
    uint64_t seed = 1;
    for (int r = count - 1; r > 0; r--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int other = (int)((seed >> 33) % (uint64_t)(r + 1));
        const int64_t kept = keys[r];
        keys[r] = keys[other];
        keys[other] = kept;
    }
}

bool allfold_tool_place(const char *command, const char *how, int nodes, int ppn,
                        struct allfold_tool_placed *placed)
{
    const int p = nodes * ppn;
    int64_t *keys = malloc((size_t)p * sizeof *keys);
    *placed = (struct allfold_tool_placed){.hosts = malloc((size_t)nodes * sizeof(uint32_t))};
    for (int r = 0; keys != NULL && r < p; r++)
        keys[r] = how[0] == 'c' ? r % nodes : r / ppn;
    if (keys != NULL && how[0] == 'r')
        shuffle(keys, p);
    if (keys != NULL && placed->hosts != NULL)
        placed->nodes = allfold_nodes_make(keys, p);
    for (int r = 0; placed->nodes != NULL && r < p; r++)
        placed->hosts[placed->nodes->node_of[r]] = (uint32_t)keys[r];
    const bool fits = placed->nodes != NULL && allfold_nodes_order(placed->nodes, keys) &&
                      allfold_nodes_add_ordered(placed->nodes);
    if (!fits)
        fprintf(stderr, "allfold %s: no memory for %d ranks\n", command, p);
    free(keys);
    return fits;
}

/* Groups the ranks by a number of their nodes. False with a message for the user. */
static bool group_by(const char *command, struct allfold_nodes *nodes,
                     int64_t (*group_of)(const void *context, int node), const void *context,
                     struct allfold_group_links links)
{
    const int p = nodes->first[nodes->count];
    int64_t *keys = malloc((size_t)p * sizeof *keys);
    for (int r = 0; keys != NULL && r < p; r++)
        keys[r] = group_of(context, nodes->node_of[r]);
    const bool fits = keys != NULL && allfold_nodes_group_linked(nodes, keys, links) &&
                      allfold_nodes_add_ordered(nodes);
    free(keys);
    if (!fits)
        fprintf(stderr, "allfold %s: no memory for %d ranks\n", command, p);
    return fits;
}

bool allfold_tool_divide(const char *command, const char *how, int sockets,
                         struct allfold_nodes *nodes)
{
    const bool in_turn = how != NULL && strchr(how, ':') != NULL;
    const bool fits =
        allfold_nodes_divide_evenly(nodes, sockets, in_turn) && allfold_nodes_add_ordered(nodes);
    if (!fits)
        fprintf(stderr, "allfold %s: no memory for %d ranks\n", command,
                nodes->first[nodes->count]);
    return fits;
}

struct on_hosts {
    const struct allfold_graph *graph;
    const uint32_t *hosts;
    int level;
};

static uint32_t host_of(const struct on_hosts *on, int node)
{
    return on->hosts != NULL ? on->hosts[node] : (uint32_t)node;
}

static int64_t group_on_hosts(const void *context, int node)
{
    const struct on_hosts *on = context;
    return allfold_graph_group_of(on->graph, on->level, host_of(on, node));
}

/* Where a node is behind the network's hosts, nothing is said of any. */
bool allfold_tool_group(const char *command, const char *how, const struct allfold_network *network,
                        const uint32_t *hosts, struct allfold_nodes *nodes)
{
    struct on_hosts on = {.graph = network->graph, .hosts = hosts};
    if (!allfold_tool_divide(command, how, network->sockets, nodes))
        return false;
    if (on.graph == NULL)
        return true;
    for (int n = 0; n < nodes->count; n++)
        if (host_of(&on, n) >= allfold_graph_host_count(on.graph))
            return true;
    bool fits = true;
    for (; fits && on.level < allfold_graph_group_levels(on.graph); on.level++) {
        const struct allfold_graph_uplinks of = allfold_graph_uplinks_of(on.graph, on.level);
        if (of.cards <= 0) /* the next level has the same groups, and links */
            continue;
        fits = group_by(command, nodes, group_on_hosts, &on,
                        (struct allfold_group_links){of.cards, of.pair_cards, of.farther_s});
    }
    return fits;
}

static int64_t half_of(const void *context, int node)
{
    (void)context;
    return node / 2;
}

bool allfold_tool_group_by_two(const char *command, const struct allfold_algorithm *algorithm,
                               struct allfold_nodes *nodes)
{
    return (algorithm->needs & ALLFOLD_NEEDS_GROUPS) == 0 ||
           group_by(command, nodes, half_of, NULL, (struct allfold_group_links){0, 0, 0});
}

void allfold_tool_placed_free(struct allfold_tool_placed *placed)
{
    allfold_nodes_free(placed->nodes);
    free(placed->hosts);
    *placed = (struct allfold_tool_placed){.hosts = NULL};
}
