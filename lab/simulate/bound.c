/* Lower bounds on simulated times (see bound.h). */
#include "lab/simulate/bound.h"

#include <math.h>
#include <string.h>

#include "algorithms/problem.h"
#include "util/memory.h"

/* The simulator ends a flow up to 1/2048 of its time too early (flows.h). */
static const double flow_rounding = 1 - 1.0 / 1024;

/* With more nodes, routes between all of them would take long. */
enum { MOST_ROUTED = 1024 };

/* The problem and the network of the bounds. */
struct bounded {
    const struct allfold_simulation *of;
    const struct allfold_nodes *nodes;
    const struct allfold_network *network;
    enum allfold_collective collective;
    int p;
    double bytes;      /* of the vector, or of all blocks */
    double rank_bytes; /* of a block */
};

/* --- latency ---------------------------------------------------------------------------------- */

/* What the fastest message of some levels takes: its latency, and how long its rank can start no
 * other one. */
struct fastest {
    double latency_s, overhead_s;
};

/* Messages have at most as many bytes as all data, so later ranges of sizes do not count. */
static struct fastest fastest_of(const struct bounded *b, enum allfold_level first,
                                 enum allfold_level last)
{
    const struct allfold_network *network = b->network;
    const double factor = fmin(network->one_way_latency, 1);
    struct fastest fastest = {HUGE_VAL, HUGE_VAL};
    for (int level = first; level <= (int)last; level++)
        for (int i = 0; i < network->link_count[level]; i++) {
            const struct allfold_link *link = &network->links[level][i];
            if (i > 0 && (double)link->from_bytes > b->bytes)
                continue;
            fastest.latency_s = fmin(fastest.latency_s, factor * link->latency_s);
            fastest.overhead_s = fmin(fastest.overhead_s, factor * link->overhead_s);
        }
    return fastest;
}

static uint32_t host_of(const struct bounded *b, int node)
{
    return b->of->hosts != NULL ? b->of->hosts[node] : (uint32_t)node;
}

/* The links from or to hosts: their rates, and the least latency of one of them. */
struct host_links {
    double out, in, latency_s;
};

/* Of the host with the fastest links; a rate is infinite where it is not known. */
static struct host_links host_links_of(const struct bounded *b)
{
    const struct allfold_graph *graph = b->network->graph;
    const uint32_t hosts = allfold_graph_host_count(graph);
    double *rates = allfold_allocate_zeroed(2 * (size_t)hosts * sizeof *rates);
    struct host_links links = {0, 0, HUGE_VAL};
    bool is_known = rates != NULL;
    for (uint32_t i = 0; i < allfold_graph_link_count(graph) && is_known; i++) {
        const struct allfold_graph_link link = allfold_graph_link(graph, i);
        const uint32_t ends[] = {link.from, link.to};
        is_known = link.from != ALLFOLD_NO_VERTEX && link.to != ALLFOLD_NO_VERTEX;
        for (int end = 0; end < 2 && is_known; end++) {
            if (ends[end] >= hosts)
                continue;
            rates[2 * ends[end] + (uint32_t)end] += link.bandwidth;
            rates[2 * ends[end] + (uint32_t)!end] += link.both_ways ? link.bandwidth : 0;
            links.latency_s = fmin(links.latency_s, link.latency_s);
        }
    }
    for (int node = 0; node < b->nodes->count && is_known; node++) {
        links.out = fmax(links.out, rates[2 * host_of(b, node)]);
        links.in = fmax(links.in, rates[2 * host_of(b, node) + 1]);
    }
    allfold_free(rates);
    if (is_known && links.out > 0 && links.in > 0)
        return links;
    return (struct host_links){HUGE_VAL, HUGE_VAL, 0};
}

/* What the links between the two nearest hosts take. */
static double least_way_s(const struct bounded *b, const struct host_links *links)
{
    const struct allfold_graph *graph = b->network->graph;
    if (graph == NULL)
        return 0;
    const int longest = allfold_graph_longest_route(graph);
    uint32_t *way = allfold_allocate(sizeof *way * ((size_t)longest + 1));
    double least_s = HUGE_VAL;
    for (int i = 0; way != NULL && b->nodes->count <= MOST_ROUTED && i < b->nodes->count; i++)
        for (int k = 0; k < b->nodes->count; k++) {
            double way_s = 0;
            const int count =
                i == k ? 0 : allfold_graph_route(graph, host_of(b, i), host_of(b, k), way, longest);
            for (int l = 0; l < count; l++)
                way_s += allfold_graph_link(graph, way[l]).latency_s;
            least_s = count > 0 ? fmin(least_s, way_s) : least_s;
        }
    allfold_free(way);
    return isinf(least_s) ? links->latency_s : least_s;
}

/* Time in steps. slots[t] counts the messages that all ranks together can have started by then. */
struct spreading {
    int near, far;         /* latencies */
    int near_gap, far_gap; /* overheads; 0: no bound */
    double *near_slots, *far_slots;
    int channels; /* messages that a rank takes in at a time */
};

static double slots_at(const double *slots, int step)
{
    return step < 0 ? 0 : slots[step];
}

/* The first step at which all ranks may have the data; a rank has it from the beginning. By a step,
 * each started message that can be there has brought it to a rank, and all ranks of a node have it
 * where one may. */
static int spread(const struct bounded *b, const struct spreading *s, int most)
{
    for (int t = 0; t < most; t++) {
        const double reached = 1 + slots_at(s->far_slots, t - s->far);
        const double ranks =
            fmin(1 + s->channels * slots_at(s->near_slots, t - s->near), reached * b->nodes->most);
        if (ranks >= b->p)
            return t;
        s->near_slots[t] =
            s->near_gap > 0 ? ranks + slots_at(s->near_slots, t - s->near_gap) : b->p;
        s->far_slots[t] = s->far_gap > 0 ? ranks + slots_at(s->far_slots, t - s->far_gap) : b->p;
    }
    return most;
}

static int in_steps(double seconds, double step_s)
{
    const double steps = seconds / step_s;
    return fabs(steps - round(steps)) < 1e-6 ? (int)round(steps) : (int)floor(steps);
}

static double latency_of(const struct bounded *b, const struct host_links *links)
{
    enum { STEPS = 1 << 16 };
    const bool is_far = b->nodes->count > 1, is_near = b->nodes->most > 1;
    struct fastest near = fastest_of(b, ALLFOLD_LEVEL_SOCKET, ALLFOLD_LEVEL_NODE);
    struct fastest far = fastest_of(b, ALLFOLD_LEVEL_NETWORK, ALLFOLD_LEVEL_NETWORK);
    far.latency_s += is_far ? least_way_s(b, links) : 0;
    if (!is_near)
        near = far;
    if (!is_far)
        far = near;
    /* If a message between nodes is the faster one, the bound uses its times on the node, too. */
    near.latency_s = fmin(near.latency_s, far.latency_s);
    near.overhead_s = fmin(near.overhead_s, far.overhead_s);
    if (b->p == 1 || near.latency_s <= 0)
        return b->p == 1 || !is_far ? 0 : far.latency_s;
    const int rounds = (int)ceil(log2(b->p)) + 1;
    const double step_s = far.latency_s / (STEPS / rounds);
    double *slots = allfold_allocate((size_t)2 * STEPS * sizeof *slots);
    if (slots == NULL)
        return 0;
    const struct spreading spreading = {
        .near = in_steps(near.latency_s, step_s),
        .far = in_steps(far.latency_s, step_s),
        .near_gap = in_steps(near.overhead_s, step_s),
        .far_gap = in_steps(far.overhead_s, step_s),
        .near_slots = slots,
        .far_slots = slots + STEPS,
        /* without a graph, a rank takes in messages from its node and from others at a time */
        .channels = b->collective == ALLFOLD_REDUCE && b->network->graph == NULL ? 2 : 1};
    const int steps = spreading.near > 0 ? spread(b, &spreading, STEPS) : spreading.far;
    allfold_free(slots);
    return steps * step_s;
}

/* --- bandwidth -------------------------------------------------------------------------------- */

/* The fewest bytes that all parts send together, if the ranks are divided into `parts`. */
static double total_of(const struct bounded *b, int parts)
{
    const bool is_twice = b->collective == ALLFOLD_ALLREDUCE;
    return (is_twice ? 2 : 1) * b->bytes * (parts - 1);
}

/* The fewest bytes that a part of `ranks` ranks has to send (`out`) or to receive. */
static double part_of(const struct bounded *b, int ranks, bool has_root, bool out)
{
    const double own = ranks * b->rank_bytes;
    switch (b->collective) {
    case ALLFOLD_ALLREDUCE:
        return b->bytes;
    case ALLFOLD_REDUCE:
        return has_root != out ? b->bytes : 0;
    case ALLFOLD_BCAST:
    case ALLFOLD_SCAN:
    case ALLFOLD_EXSCAN:
        return has_root == out ? b->bytes : 0;
    case ALLFOLD_ALLGATHER:
    case ALLFOLD_ALLGATHERV:
        return out ? own : b->bytes - own;
    case ALLFOLD_REDUCE_SCATTER:
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return out ? b->bytes - own : own;
    default:
        return 0;
    }
}

/* The rank from which all get something, or that gets something of all. */
static int root_of(const struct bounded *b)
{
    return allfold_traits(b->collective)->has_root ? b->of->root : 0;
}

static double over(double bytes, double rate)
{
    return bytes > 0 && rate > 0 ? bytes / rate : 0;
}

/* The greatest rate of some levels' links for messages that there may be; infinite: one has no
 * bound. */
static double rate_of(const struct bounded *b, enum allfold_level first, enum allfold_level last,
                      bool of_limit)
{
    double rate = 0;
    for (int level = first; level <= (int)last; level++)
        for (int i = 0; i < b->network->link_count[level]; i++) {
            const struct allfold_link *link = &b->network->links[level][i];
            const double its = of_limit ? link->limit : link->bandwidth;
            if (i == 0 || (double)link->from_bytes <= b->bytes)
                rate = fmax(rate, its > 0 ? its : HUGE_VAL);
        }
    return of_limit ? rate : rate / fmin(b->network->one_way_byte, 1);
}

static bool may_offload(const struct bounded *b)
{
    for (int level = 0; level < ALLFOLD_LEVEL_NETWORK; level++)
        for (int i = 0; i < b->network->link_count[level]; i++)
            if (b->network->links[level][i].offloaded)
                return true;
    return false;
}

/* What leaves and enters a node's cards. */
static struct host_links cards_of(const struct bounded *b)
{
    const struct allfold_network *network = b->network;
    if (network->graph != NULL)
        return host_links_of(b);
    const double ranks =
        b->nodes->most * rate_of(b, ALLFOLD_LEVEL_NETWORK, ALLFOLD_LEVEL_NETWORK, false);
    const double limit =
        network->cards * rate_of(b, ALLFOLD_LEVEL_NETWORK, ALLFOLD_LEVEL_NETWORK, true);
    return (struct host_links){fmin(ranks, limit), network->ejection ? fmin(ranks, limit) : ranks,
                               0};
}

static double nodes_s(const struct bounded *b, const struct host_links *cards)
{
    const int root_node = b->nodes->node_of[root_of(b)];
    double longest_s = over(total_of(b, b->nodes->count), b->nodes->count * cards->out);
    longest_s = fmax(longest_s, over(total_of(b, b->nodes->count), b->nodes->count * cards->in));
    for (int node = 0; node < b->nodes->count; node++) {
        const int ranks = b->nodes->first[node + 1] - b->nodes->first[node];
        const bool has_root = node == root_node;
        longest_s = fmax(longest_s, over(part_of(b, ranks, has_root, true), cards->out));
        longest_s = fmax(longest_s, over(part_of(b, ranks, has_root, false), cards->in));
    }
    return longest_s;
}

/* What all ranks send, over what cards and cores move. With a graph, a core is busy with each byte
 * on a node twice, at its sender and at its receiver, and cards work beside it. Without one, each
 * rank sends one message at a time. */
static double ranks_s(const struct bounded *b, const struct host_links *cards)
{
    const double near = rate_of(b, ALLFOLD_LEVEL_SOCKET, ALLFOLD_LEVEL_NODE, false);
    const double far = rate_of(b, ALLFOLD_LEVEL_NETWORK, ALLFOLD_LEVEL_NETWORK, false);
    const bool is_far = b->nodes->count > 1;
    const double all_cards = is_far ? b->nodes->count * cards->out : 0;
    const double fastest = is_far ? fmax(near, far) : near;
    if (b->network->graph == NULL)
        return over(total_of(b, b->p), b->p * fastest);
    return may_offload(b) ? 0 : over(total_of(b, b->p), b->p * near / 2 + all_cards);
}

/* --- groups of nodes -------------------------------------------------------------------------- */

/* A group's links: those of the farthest class on its routes to other groups, the first on the way
 * out and the last on the way in. Each route passes one of them. */
struct cut {
    const struct bounded *b;
    int level;
    uint32_t *way, *marks; /* marks[link]: the number of the last cut that it was in */
    uint32_t number;
    double rate;
};

static void cut_route(struct cut *cut, uint32_t from, uint32_t to, bool is_last)
{
    const struct allfold_graph *graph = cut->b->network->graph;
    const int count =
        allfold_graph_route(graph, from, to, cut->way, allfold_graph_longest_route(graph));
    struct allfold_graph_link chosen = {.link_class = -1};
    uint32_t number = 0;
    for (int i = 0; i < count; i++) {
        const struct allfold_graph_link link = allfold_graph_link(graph, cut->way[i]);
        if (link.link_class < chosen.link_class + (is_last ? 0 : 1))
            continue;
        chosen = link;
        number = cut->way[i];
    }
    if (count == 0 || cut->marks[number] == cut->number)
        return;
    cut->marks[number] = cut->number;
    cut->rate += chosen.bandwidth;
}

static double group_rate(struct cut *cut, uint32_t group, bool out)
{
    const struct bounded *b = cut->b;
    const struct allfold_graph *graph = b->network->graph;
    cut->number++;
    cut->rate = 0;
    for (int i = 0; i < b->nodes->count; i++) {
        if (allfold_graph_group_of(graph, cut->level, host_of(b, i)) != group)
            continue;
        for (int k = 0; k < b->nodes->count; k++)
            if (allfold_graph_group_of(graph, cut->level, host_of(b, k)) != group)
                cut_route(cut, host_of(b, out ? i : k), host_of(b, out ? k : i), !out);
    }
    return cut->rate;
}

/* Of the group of this node. */
static double group_s(struct cut *cut, int node)
{
    const struct bounded *b = cut->b;
    const struct allfold_graph *graph = b->network->graph;
    const uint32_t group = allfold_graph_group_of(graph, cut->level, host_of(b, node));
    const int root_node = b->nodes->node_of[root_of(b)];
    const bool has_root = allfold_graph_group_of(graph, cut->level, host_of(b, root_node)) == group;
    int ranks = 0;
    for (int i = 0; i < b->nodes->count; i++)
        if (allfold_graph_group_of(graph, cut->level, host_of(b, i)) == group)
            ranks += b->nodes->first[i + 1] - b->nodes->first[i];
    if (ranks == b->p)
        return 0;
    return fmax(over(part_of(b, ranks, has_root, true), group_rate(cut, group, true)),
                over(part_of(b, ranks, has_root, false), group_rate(cut, group, false)));
}

static bool is_first_of_group(const struct cut *cut, int node)
{
    const struct bounded *b = cut->b;
    const struct allfold_graph *graph = b->network->graph;
    const uint32_t group = allfold_graph_group_of(graph, cut->level, host_of(b, node));
    for (int i = 0; i < node; i++)
        if (allfold_graph_group_of(graph, cut->level, host_of(b, i)) == group)
            return false;
    return true;
}

static double groups_s(const struct bounded *b)
{
    const struct allfold_graph *graph = b->network->graph;
    if (graph == NULL || b->nodes->count == 1 || b->nodes->count > MOST_ROUTED)
        return 0;
    struct cut cut = {.b = b};
    cut.way = allfold_allocate(sizeof *cut.way * ((size_t)allfold_graph_longest_route(graph) + 1));
    cut.marks = allfold_allocate_zeroed(sizeof *cut.marks * allfold_graph_link_count(graph));
    double longest_s = 0;
    const int levels = cut.way != NULL && cut.marks != NULL ? allfold_graph_group_levels(graph) : 0;
    for (cut.level = 0; cut.level < levels; cut.level++)
        for (int node = 0; node < b->nodes->count; node++)
            if (is_first_of_group(&cut, node))
                longest_s = fmax(longest_s, group_s(&cut, node));
    allfold_free(cut.way);
    allfold_free(cut.marks);
    return longest_s;
}

/* --- all -------------------------------------------------------------------------------------- */

static double bandwidth_of(const struct bounded *b, const struct host_links *cards)
{
    double longest_s = ranks_s(b, cards);
    if (b->nodes->count > 1)
        longest_s = fmax(longest_s, fmax(nodes_s(b, cards), groups_s(b)));
    return flow_rounding * longest_s;
}

static double work_of(const struct bounded *b)
{
    const bool reduces = allfold_has_operation(b->collective) && b->collective != ALLFOLD_EXSCAN;
    return reduces ? b->network->reduce_s * b->bytes * (b->p - 1) / b->p : 0;
}

struct allfold_bound allfold_bound_of(const struct allfold_simulation *of)
{
    const struct allfold_problem problem = allfold_simulation_problem(of, 0);
    const size_t length = allfold_problem_length(&problem);
    struct bounded b = {.of = of,
                        .nodes = of->nodes,
                        .network = of->network,
                        .collective = problem.collective,
                        .p = problem.group.size,
                        .bytes = (double)(length * problem.element_bytes)};
    b.rank_bytes = b.bytes / b.p;
    struct allfold_bound bound = {0, 0, 0};
    if (length == 0 || b.p == 1)
        return bound;
    const struct host_links cards = cards_of(&b);
    bound.latency_s = latency_of(&b, &cards);
    bound.bandwidth_s = bandwidth_of(&b, &cards);
    bound.work_s = work_of(&b);
    return bound;
}

double allfold_bound_s(const struct allfold_bound *bound)
{
    return fmax(bound->latency_s, fmax(bound->bandwidth_s, bound->work_s));
}
