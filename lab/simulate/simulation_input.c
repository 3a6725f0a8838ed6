/* The problem of a simulation (see simulation_input.h). */
#include "lab/simulate/simulation_input.h"

#include <stdio.h>

#include "algorithms/peers.h"
#include "util/memory.h"

struct allfold_problem allfold_simulation_problem(const struct allfold_simulation *of, int r)
{
    const int p = of->nodes->first[of->nodes->count];
    const enum allfold_collective collective = of->algorithm->collective;
    const bool is_barrier = allfold_traits(collective)->may_repeat;
    const size_t length = is_barrier ? 1 : of->bytes / of->element_bytes;
    struct allfold_problem problem = {
        .collective = collective,
        .group = allfold_group_all(p, r),
        .root = of->root,
        .count = allfold_has_blocks(collective) ? ceil_divide(length, (size_t)p) : length,
        .element_bytes = is_barrier ? 1 : of->element_bytes,
        .commutative = !of->keeps_order && !of->keeps_tree,
        .canonical = of->keeps_tree,
        .exact = !of->algorithm->consistent,
        .one_node = of->nodes->count == 1,
    };
    problem.nodes = allfold_nodes_for(&problem, of->nodes);
    return problem;
}

int allfold_simulation_sockets(const struct allfold_simulation *of)
{
    const int placed = allfold_most_sockets(of->nodes);
    return placed > of->network->sockets ? placed : of->network->sockets;
}

/* That each node has a host of its own on the graph. */
static bool fits(const struct allfold_simulation *of, char *message, size_t message_bytes)
{
    const uint32_t hosts = allfold_graph_host_count(of->network->graph);
    const int nodes = of->nodes->count;
    bool *is_taken = allfold_allocate_zeroed(hosts * sizeof *is_taken);
    bool fits = true;
    if (is_taken == NULL) {
        snprintf(message, message_bytes, "no memory");
        return false;
    }
    if ((uint32_t)nodes > hosts) {
        snprintf(message, message_bytes, "%d nodes are more than the network's %u hosts", nodes,
                 hosts);
        fits = false;
    }
    for (int i = 0; i < nodes && of->hosts != NULL && fits; i++) {
        const uint32_t host = of->hosts[i];
        if (host >= hosts || is_taken[host]) {
            snprintf(message, message_bytes,
                     "node %d on host %u: expected a host of its own below %u", i, host, hosts);
            fits = false;
            break;
        }
        is_taken[host] = true;
    }
    allfold_free(is_taken);
    return fits;
}

bool allfold_simulation_complete(struct allfold_simulation *of, char *message, size_t message_bytes)
{
    const int p = of->nodes->first[of->nodes->count];
    if (of->window == 0)
        of->window = ALLFOLD_SIMULATED_WINDOW;
    if (of->memory_bytes == 0)
        of->memory_bytes = SIZE_MAX;
    if (of->network->graph != NULL && !fits(of, message, message_bytes))
        return false;
    if (of->root < 0 || of->root >= p) {
        snprintf(message, message_bytes, "root %d is not one of %d ranks", of->root, p);
        return false;
    }
    if (of->window > ALLFOLD_MAX_SIMULATED_WINDOW || (of->window & (of->window - 1)) != 0) {
        snprintf(message, message_bytes, "a window of %u: expected a power of two up to %d",
                 of->window, ALLFOLD_MAX_SIMULATED_WINDOW);
        return false;
    }
    return true;
}
