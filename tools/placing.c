/* Places ranks on the hosts of a network (see placing.h). */
#include "placing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "topology/cables.h"
#include "topology/nodes.h"
#include "topology/nodes_make.h"

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

/* Shuffles in the same order in every run. */
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
        placed->nodes = allfold_nodes_create(
            &(const struct allfold_nodes_facts){.p = p, .keys = keys, .order = keys});
    for (int r = 0; placed->nodes != NULL && r < p; r++)
        placed->hosts[placed->nodes->node_of[r]] = (uint32_t)keys[r];
    if (placed->nodes == NULL)
        fprintf(stderr, "allfold %s: no memory for %d ranks\n", command, p);
    free(keys);
    return placed->nodes != NULL;
}

bool allfold_tool_extend(const char *command, struct allfold_nodes_facts facts,
                         const struct allfold_nodes **nodes)
{
    *nodes = allfold_nodes_extended(*nodes, facts);
    if (*nodes == NULL)
        fprintf(stderr, "allfold %s: no memory for what is known of the nodes\n", command);
    return *nodes != NULL;
}

/* Groups the ranks by a number of their nodes. Prints a message and returns false if out of
 * memory. */
static bool group_by(const char *command, const struct allfold_nodes **nodes,
                     int64_t (*group_of)(const void *context, int node), const void *context,
                     struct allfold_group_level level)
{
    const int p = (*nodes)->first[(*nodes)->count];
    int64_t *keys = malloc((size_t)p * sizeof *keys);
    for (int r = 0; keys != NULL && r < p; r++)
        keys[r] = group_of(context, (*nodes)->node_of[r]);
    level.keys = keys;
    const struct allfold_nodes_facts facts = {.groups = &level, .levels = 1};
    const bool fits = keys != NULL && allfold_tool_extend(command, facts, nodes);
    free(keys);
    return fits;
}

bool allfold_tool_divide(const char *command, const char *how, int sockets,
                         const struct allfold_nodes **nodes)
{
    const struct allfold_nodes_facts facts = {.even_sockets = sockets,
                                              .in_turn = how != NULL && strchr(how, ':') != NULL};
    return allfold_tool_extend(command, facts, nodes);
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

/* Adds cables between the nodes whose hosts the graph links directly. */
static bool cable(const char *command, const struct on_hosts *on,
                  const struct allfold_nodes **nodes)
{
    const uint32_t hosts = allfold_graph_host_count(on->graph);
    const uint32_t links = allfold_graph_link_count(on->graph);
    int count = 0;
    struct allfold_cable *pairs = malloc((size_t)links * sizeof *pairs);
    int *node_of = malloc((size_t)hosts * sizeof *node_of);
    for (uint32_t h = 0; node_of != NULL && h < hosts; h++)
        node_of[h] = -1;
    for (int n = 0; node_of != NULL && n < (*nodes)->count; n++)
        node_of[host_of(on, n)] = n;
    for (uint32_t i = 0; node_of != NULL && pairs != NULL && i < links; i++) {
        const struct allfold_graph_link link = allfold_graph_link(on->graph, i);
        if (link.from < hosts && link.to < hosts && node_of[link.from] >= 0 &&
            node_of[link.to] >= 0)
            pairs[count++] = (struct allfold_cable){node_of[link.from], node_of[link.to]};
    }
    const struct allfold_nodes_facts facts = {.cables = pairs, .cable_count = count};
    const bool fits =
        pairs != NULL && node_of != NULL && allfold_tool_extend(command, facts, nodes);
    free(pairs);
    free(node_of);
    return fits;
}

/* If a node is beyond the network's hosts, nothing is added for any node. */
bool allfold_tool_add_graph(const char *command, const struct allfold_network *network,
                            const uint32_t *hosts, const struct allfold_nodes **nodes)
{
    struct on_hosts on = {.graph = network->graph, .hosts = hosts};
    if (on.graph == NULL)
        return true;
    for (int n = 0; n < (*nodes)->count; n++)
        if (host_of(&on, n) >= allfold_graph_host_count(on.graph))
            return true;
    bool fits = true;
    for (; fits && on.level < allfold_graph_group_levels(on.graph); on.level++) {
        const struct allfold_graph_uplinks of = allfold_graph_uplinks_of(on.graph, on.level);
        if (of.cards <= 0) /* the next level has the same groups, and links */
            continue;
        fits = group_by(command, nodes, group_on_hosts, &on,
                        (struct allfold_group_level){NULL, of.cards, of.pair_cards, of.farther_s});
    }
    return fits && cable(command, &on, nodes);
}

bool allfold_tool_group(const char *command, const char *how, const struct allfold_network *network,
                        const uint32_t *hosts, const struct allfold_nodes **nodes)
{
    return allfold_tool_divide(command, how, network->sockets, nodes) &&
           allfold_tool_add_graph(command, network, hosts, nodes);
}

static int64_t half_of(const void *context, int node)
{
    (void)context;
    return node / 2;
}

/* As square as the nodes' number is; of a prime number it is a ring. */
static bool cable_as_torus(const char *command, const struct allfold_nodes **nodes)
{
    char words[40], message[200] = "no memory";
    struct on_hosts on = {.hosts = NULL};
    struct allfold_graph *graph;
    int short_side = 1;
    for (int side = 1; side * side <= (*nodes)->count; side++)
        short_side = (*nodes)->count % side == 0 ? side : short_side;
    if ((*nodes)->count == 1)
        return true;
    if (short_side > 1)
        snprintf(words, sizeof words, "torus %dx%d", (*nodes)->count / short_side, short_side);
    else
        snprintf(words, sizeof words, "torus %d", (*nodes)->count);
    const enum allfold_error error = allfold_graph_generate(words, &graph, message, sizeof message);
    on.graph = graph;
    const bool fits = error == ALLFOLD_OK && cable(command, &on, nodes);
    if (error != ALLFOLD_OK)
        fprintf(stderr, "allfold %s: %s: %s\n", command, words, message);
    allfold_graph_free(graph);
    return fits;
}

bool allfold_tool_assume_network(const char *command, const struct allfold_algorithm *algorithm,
                                 const struct allfold_parameters *parameters,
                                 const struct allfold_nodes **nodes)
{
    if (allfold_needs_cables(algorithm, parameters))
        return cable_as_torus(command, nodes);
    return (algorithm->needs & ALLFOLD_NEEDS_GROUPS) == 0 ||
           group_by(command, nodes, half_of, NULL, (struct allfold_group_level){.keys = NULL});
}

void allfold_tool_placed_free(struct allfold_tool_placed *placed)
{
    allfold_nodes_free(placed->nodes);
    free(placed->hosts);
    *placed = (struct allfold_tool_placed){.hosts = NULL};
}
