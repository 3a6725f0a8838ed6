/* Problems, programs and claims of inner algorithms (see composed.h). */
#include "algorithms/composed.h"

#include <assert.h>
#include <string.h>

#include "topology/cables.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

struct allfold_group allfold_node_group(const struct allfold_nodes *nodes, int r)
{
    const int node = nodes->node_of[r];
    return (struct allfold_group){.size = allfold_node_size(nodes, node),
                                  .index = nodes->index_of[r],
                                  .ranks = nodes->members + nodes->first[node]};
}

struct allfold_group allfold_lane_group(const struct allfold_nodes *nodes, int lane, int n)
{
    const int first = nodes->lane_first[lane];
    return (struct allfold_group){.size = nodes->lane_first[lane + 1] - first,
                                  .index = n,
                                  .ranks = nodes->lane_members + first};
}

struct allfold_group allfold_leader_group(const struct allfold_nodes *nodes, int n)
{
    return (struct allfold_group){.size = nodes->count, .index = n, .ranks = nodes->leaders};
}

struct allfold_problem allfold_inner_problem(const struct allfold_problem *problem,
                                             const struct allfold_algorithm *algorithm, int size,
                                             size_t count, const struct allfold_nodes *nodes)
{
    const bool has_blocks = allfold_has_blocks(algorithm->collective);
    return (struct allfold_problem){
        .collective = algorithm->collective,
        .group = {.size = size, .stride = 1},
        .count = has_blocks ? ceil_divide(count, (size_t)size) : count,
        .length = has_blocks ? count : 0,
        .element_bytes = problem->element_bytes,
        .commutative = problem->commutative,
        .exact = problem->exact,
        .canonical = problem->canonical,
        .one_node = problem->one_node,
        .shares_cores = problem->shares_cores,
        .reading = problem->reading,
        .nodes = nodes,
    };
}

/* Are its indices the ranks of the whole group? Else it is of an inner algorithm that has others
 * work for it, whose ranks are then its indices. */
static bool is_whole(const struct allfold_group *group)
{
    return group->ranks == NULL && group->first == 0 && group->stride == 1 && group->within == NULL;
}

void allfold_build_inner(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct inner *inner)
{
    struct allfold_problem part = allfold_inner_problem(
        problem, inner->named.algorithm, inner->group.size, inner->count, inner->nodes);
    part.group = inner->group;
    part.group.within = is_whole(&problem->group) ? NULL : &problem->group;
    part.root = inner->root;
    part.begins = inner->begins;
    if (part.begins != NULL) {
        part.length = 0;
        part.count = allfold_longest_block(&part);
    }
    const struct allfold_frame outer = allfold_frame_enter(s, &part.group, inner->in, inner->out);
    inner->named.algorithm->build(s, &part, &inner->named.parameters);
    allfold_frame_leave(s, outer);
}

/* What an algorithm between the nodes knows of them. Only what needs cables knows anything: all
 * else serves whatever the nodes are. */
static const struct allfold_nodes *nodes_between(const struct allfold_problem *problem,
                                                 const struct allfold_algorithm *algorithm)
{
    const struct allfold_cables *cables = problem->nodes->cables;
    const bool needs_them = (algorithm->needs & ALLFOLD_NEEDS_CABLES) != 0;
    return needs_them && cables != NULL ? &cables->alone : NULL;
}

void allfold_build_between_nodes(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct inner *inner)
{
    struct inner between = *inner;
    assert(inner->group.size == problem->nodes->count);
    between.nodes = nodes_between(problem, inner->named.algorithm);
    allfold_build_inner(s, problem, &between);
}

void allfold_build_on_node(struct allfold_builder *s, const struct allfold_problem *problem,
                           struct allfold_named named, size_t count, struct allfold_span in,
                           struct allfold_span out)
{
    const int r = problem->group.index;
    allfold_build_inner(
        s, problem,
        &(struct inner){.named = named,
                        .group = allfold_node_group(problem->nodes, r),
                        .nodes = allfold_sockets_of(problem->nodes, problem->nodes->node_of[r]),
                        .count = count,
                        .in = in,
                        .out = out});
}

const char *allfold_inner_unmet(const struct allfold_problem *problem, struct allfold_named named,
                                int size, size_t count, const struct allfold_nodes *nodes)
{
    const struct allfold_algorithm *algorithm = named.algorithm;
    if (algorithm->needs == 0 && algorithm->unmet == NULL && !problem->canonical)
        return NULL; /* the most frequent answer, asked of each size at each choice */
    const struct allfold_problem part =
        allfold_inner_problem(problem, algorithm, size, count, nodes);
    return allfold_unmet_need(algorithm, &part, &named.parameters);
}

const char *allfold_inner_unmet_between_nodes(const struct allfold_problem *problem,
                                              struct allfold_named named, size_t count)
{
    return allfold_inner_unmet(problem, named, problem->nodes->count, count,
                               nodes_between(problem, named.algorithm));
}

static void add(struct allfold_claim *claim, const struct allfold_claim *more)
{
    const size_t serial = allfold_claim_serial(claim) + allfold_claim_serial(more);
    claim->got = allfold_claim_carried(claim) + allfold_claim_carried(more);
    claim->messages = allfold_claim_messages(claim) + allfold_claim_messages(more);
    claim->serial = serial;
    claim->rounds += more->rounds;
    claim->sent += more->sent;
    claim->reduced += more->reduced;
    claim->copied += more->copied;
    claim->ports = more->ports > claim->ports ? more->ports : claim->ports;
}

struct allfold_claim allfold_inner_claim(const struct allfold_problem *problem,
                                         struct allfold_named named, int size, int root,
                                         size_t count, const struct allfold_nodes *nodes)
{
    struct allfold_problem part =
        allfold_inner_problem(problem, named.algorithm, size, count, nodes);
    part.root = root;
    return named.algorithm->claim(&part, &named.parameters);
}

void allfold_add_claim(struct allfold_claim *claim, const struct allfold_problem *problem,
                       struct allfold_named named, int size, size_t count,
                       const struct allfold_nodes *nodes)
{
    const struct allfold_claim inner = allfold_inner_claim(problem, named, size, 0, count, nodes);
    add(claim, &inner);
    claim->again += inner.again;
}

void allfold_add_far_claim(struct allfold_claim *claim, const struct allfold_problem *problem,
                           struct allfold_named named, int lanes, int root, size_t count)
{
    const struct allfold_claim one =
        allfold_inner_claim(problem, named, problem->nodes->count, root, count,
                            nodes_between(problem, named.algorithm));
    add(claim, &one);
    claim->far_rounds += one.rounds;
    claim->far_sent += allfold_claim_carried(&one) * (size_t)lanes;
    claim->far_lanes = (unsigned)lanes;
}

/* So many nodes, the first ones, have all that nodes may differ in. */
static int unlike_nodes(const struct allfold_nodes *nodes)
{
    return allfold_nodes_are_like(nodes) && nodes->sockets == NULL ? 1 : nodes->count;
}

const char *allfold_inner_unmet_on_nodes(const struct allfold_problem *problem,
                                         struct allfold_named named, size_t count)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const char *unmet = NULL;
    for (int n = 0; unmet == NULL && n < unlike_nodes(nodes); n++)
        unmet = allfold_inner_unmet(problem, named, allfold_node_size(nodes, n), count,
                                    allfold_sockets_of(nodes, n));
    return unmet;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The larger of each. */
static struct allfold_claim most_of(struct allfold_claim a, const struct allfold_claim *b)
{
    a.messages = larger(allfold_claim_messages(&a), allfold_claim_messages(b));
    a.serial = larger(allfold_claim_serial(&a), allfold_claim_serial(b));
    a.again = larger(a.again, b->again);
    a.rounds = larger(a.rounds, b->rounds);
    a.got = larger(allfold_claim_carried(&a), allfold_claim_carried(b));
    a.sent = larger(a.sent, b->sent);
    a.reduced = larger(a.reduced, b->reduced);
    a.copied = larger(a.copied, b->copied);
    a.ports = a.ports > b->ports ? a.ports : b->ports;
    return a;
}

void allfold_add_claim_of_nodes(struct allfold_claim *claim, const struct allfold_problem *problem,
                                struct allfold_named named, int root, size_t count)
{
    const struct allfold_nodes *nodes = problem->nodes;
    struct allfold_claim most = {.rounds = 0};
    const struct allfold_nodes *last_sockets = NULL;
    for (int n = 0, last = 0; n < unlike_nodes(nodes); n++) {
        const int size = allfold_node_size(nodes, n);
        const struct allfold_nodes *sockets = allfold_sockets_of(nodes, n);
        if (size == last && sockets == last_sockets)
            continue;
        last = size;
        last_sockets = sockets;
        const struct allfold_claim one =
            allfold_inner_claim(problem, named, size, root, count, sockets);
        most = most_of(most, &one);
    }
    add(claim, &most);
    claim->again += most.again;
}

/* The sockets that an allreduce of some ranks of each node sees. */
static const struct allfold_nodes *partial_sockets(const struct allfold_nodes *nodes, int size)
{
    assert(allfold_nodes_are_like(nodes));
    return size == nodes->most ? allfold_sockets_of_all(nodes) : NULL;
}

static struct allfold_named partial_algorithm(const struct partial_allreduce *by,
                                              const struct allfold_nodes *sockets)
{
    return sockets != NULL ? by->sees : by->blind;
}

void allfold_build_partial_allreduce(struct allfold_builder *s,
                                     const struct allfold_problem *problem,
                                     const struct partial_allreduce *by, int size,
                                     struct allfold_span mine)
{
    const struct allfold_nodes *sockets = partial_sockets(problem->nodes, size);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);
    struct allfold_group group = allfold_node_group(problem->nodes, problem->group.index);
    const int i = group.index, ppn = group.size;
    if (i >= size) {
        recv_from(s, group.ranks[i % size], out);
        return;
    }
    group.size = size;
    allfold_build_inner(s, problem,
                        &(struct inner){.named = partial_algorithm(by, sockets),
                                        .group = group,
                                        .nodes = sockets,
                                        .count = problem->count,
                                        .in = mine,
                                        .out = out});
    for (int other = i + size; other < ppn; other += size)
        send_to(s, group.ranks[other], out);
}

void allfold_add_partial_claim(struct allfold_claim *claim, const struct allfold_problem *problem,
                               const struct partial_allreduce *by, int least_size, int most_size)
{
    const size_t count = problem->count;
    struct allfold_claim most = {.rounds = 0};
    for (int size = least_size > 2 ? least_size : 2; size <= most_size; size++) {
        const struct allfold_nodes *sockets = partial_sockets(problem->nodes, size);
        const size_t others = (size_t)((problem->nodes->most - 1) / size);
        struct allfold_claim one = {.rounds = others, .sent = others * count};
        allfold_add_claim(&one, problem, partial_algorithm(by, sockets), size, count, sockets);
        most = most_of(most, &one);
    }
    add(claim, &most);
    claim->again += most.again;
}

const char *allfold_partial_unmet(const struct allfold_problem *problem,
                                  const struct partial_allreduce *by)
{
    const char *unmet = allfold_inner_unmet_on_nodes(problem, by->sees, problem->count);
    for (int size = 2; unmet == NULL && size <= problem->nodes->most; size++) {
        const struct allfold_nodes *sockets = partial_sockets(problem->nodes, size);
        unmet = allfold_inner_unmet(problem, partial_algorithm(by, sockets), size, problem->count,
                                    sockets);
    }
    return unmet;
}

const char *allfold_unmet_blocks(const struct allfold_problem *problem)
{
    if (problem->commutative || allfold_nodes_are_blocks(problem->nodes))
        return NULL;
    return "a commutative operation, or the ranks of each node next to each other";
}

/* `on_node` and `on_lane`: the elements with which the inner algorithms of a node, and of a lane,
 * are called. */
static const char *lanes_unmet(const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters, size_t on_node,
                               size_t on_lane)
{
    const struct allfold_named node = allfold_named(parameters, ALLFOLD_BY_LANES_NODE);
    const struct allfold_named lane = allfold_named(parameters, ALLFOLD_BY_LANES_LANE);
    const char *unmet = NULL;
    if (!allfold_nodes_are_like(problem->nodes))
        return "as many ranks on each node";
    if (allfold_traits(problem->collective)->reduces)
        unmet = allfold_unmet_blocks(problem);
    if (unmet == NULL)
        unmet = allfold_inner_unmet_on_nodes(problem, node, on_node);
    if (unmet == NULL)
        unmet = allfold_inner_unmet_between_nodes(problem, lane, on_lane);
    return unmet;
}

const char *allfold_by_lanes_unmet(const struct allfold_problem *problem,
                                   const struct allfold_parameters *parameters)
{
    const size_t on_lane = (size_t)problem->nodes->count * problem->count;
    return lanes_unmet(problem, parameters, (size_t)problem->nodes->most * on_lane, on_lane);
}

const char *allfold_lanes_of_root_unmet(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters)
{
    return lanes_unmet(problem, parameters, problem->count,
                       ceil_divide(problem->count, (size_t)problem->nodes->most));
}

bool allfold_nodes_keep_tree(const struct allfold_problem *problem,
                             const struct allfold_parameters *parameters)
{
    (void)parameters;
    const struct allfold_nodes *nodes = problem->nodes;
    return allfold_nodes_are_like(nodes) && (nodes->most & (nodes->most - 1)) == 0 &&
           allfold_nodes_are_blocks(nodes);
}

bool allfold_like_nodes_keep_tree(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int nodes = problem->nodes->count;
    return (nodes & (nodes - 1)) == 0 && allfold_nodes_keep_tree(problem, parameters);
}

int allfold_smp_lane(const struct allfold_problem *problem)
{
    const int index = problem->nodes->index_of[problem->root];
    return index < problem->nodes->least ? index : 0;
}

struct allfold_claim allfold_smp_claim(const struct allfold_problem *problem,
                                       struct allfold_named on_nodes, struct allfold_named between)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const size_t n = problem->count;
    const int lane = allfold_smp_lane(problem);
    const bool hops = nodes->index_of[problem->root] != lane;
    struct allfold_claim claim = {
        .rounds = hops, .sent = hops ? n : 0, .divisor = 1, .is_bound = true};
    allfold_add_claim_of_nodes(&claim, problem, on_nodes, lane, n);
    allfold_add_far_claim(&claim, problem, between, 1, nodes->node_of[problem->root], n);
    return claim;
}

const char *allfold_smp_unmet(const struct allfold_problem *problem,
                              const struct allfold_parameters *parameters)
{
    const size_t n = problem->count;
    const char *unmet = allfold_unmet_blocks(problem);
    if (unmet == NULL)
        unmet =
            allfold_inner_unmet_on_nodes(problem, allfold_named(parameters, ALLFOLD_SMP_NODE), n);
    if (unmet == NULL)
        unmet = allfold_inner_unmet_between_nodes(
            problem, allfold_named(parameters, ALLFOLD_SMP_LEADERS), n);
    return unmet;
}
