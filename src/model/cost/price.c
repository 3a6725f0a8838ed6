/* The time of profiles (see price.h). */
#include "model/cost/price.h"

#include <assert.h>
#include <math.h>

#include "algorithms/peers.h"

struct network {
    double latency_s, message_s, send_s_per_byte;
};

/* Networks that stand for all those of which something is known, or nothing. More of them, or
 * others of their range, change few choices (bench/robust, bench/links). */
struct family {
    int count; /* a power of two */
    struct network networks[8];
};

static const struct family families[] = {
    /* from 100 Mbit/s to 100 Gbit/s, with 3 and 30 us */
    {8,
     {{3e-6, 0.9e-6, 80e-9},
      {30e-6, 3e-6, 80e-9},
      {3e-6, 0.9e-6, 8e-9},
      {30e-6, 3e-6, 8e-9},
      {3e-6, 0.9e-6, 0.8e-9},
      {30e-6, 3e-6, 0.8e-9},
      {3e-6, 0.9e-6, 0.08e-9},
      {30e-6, 3e-6, 0.08e-9}}},
    /* whose switches somebody has described: a cluster's own, of 10 and 100 Gbit/s, with 1 and 5 us
     * (docs/decisions/2026-11-25-networks-with-known-switches.md) */
    {4,
     {{1e-6, 0.3e-6, 0.8e-9},
      {5e-6, 0.6e-6, 0.8e-9},
      {1e-6, 0.3e-6, 0.08e-9},
      {5e-6, 0.6e-6, 0.08e-9}}},
};

bool allfold_knows_groups(const struct allfold_nodes *nodes)
{
    return nodes != NULL && nodes->groups != NULL && nodes->groups->farther_s > 0;
}

/* A card of which the system says its rate is one of a cluster, whose messages take 1 to 5 us.
 * Links that several cards share leave each a part of its rate
 * (docs/decisions/2026-11-26-rate-of-the-card.md). Cables between two nodes nobody shares with
 * them, if their messages go no farther (docs/decisions/2026-11-26-edge-disjoint-trees.md). */
static struct family family_of_card(int mbit, bool has_own_cables)
{
    const double alone = 8e-6 / mbit, shared = has_own_cables ? alone : 4 * alone;
    return (struct family){4,
                           {{1e-6, 0.3e-6, alone},
                            {5e-6, 0.6e-6, alone},
                            {1e-6, 0.3e-6, shared},
                            {5e-6, 0.6e-6, shared}}};
}

static struct family family_of(const struct allfold_problem *problem, bool to_neighbors)
{
    const struct allfold_nodes *nodes = problem->nodes;
    if (nodes != NULL && nodes->card_mbit > 0)
        return family_of_card(nodes->card_mbit, to_neighbors && nodes->cables != NULL);
    return families[allfold_knows_groups(nodes)];
}

/* Of numbers: fmax asks for more, and is no instruction. */
static double longer(double a, double b)
{
    return a > b ? a : b;
}

/* The executor has 16 messages in flight, sent and received ones together. What a round has more of
 * waits for older ones: so many latencies, one after the other. */
enum { IN_FLIGHT = 16 / 2 };

static double latencies_of(const struct allfold_load *load)
{
    return (double)ceil_divide(load->messages, IN_FLIGHT);
}

/* What messages of a rank take: they are on their way, and somebody is busy with them. */
struct taken {
    double latency_s, busy_s;
};

/* How many cables share what a node sends in a round. */
static double cables_of(const struct allfold_round *round)
{
    return round->cables > 1 ? (double)round->cables : 1;
}

/* One load after the other: its messages have the mean length. A rank sends its own one by one, and
 * while it begins one the others of its node go on, and those on other cables. What takes longer
 * counts: its own messages, the bytes of all, or the turns that messages wait for. */
static struct taken taken_by(const struct allfold_costs *costs, const struct allfold_load *load,
                             double turns, double shared_length, double cables,
                             double element_bytes)
{
    if (load->messages == 0)
        return (struct taken){0, 0};
    const double messages = (double)load->messages;
    const double bytes = (double)load->length * element_bytes;
    const struct allfold_longer at = allfold_costs_at(costs, bytes / messages);
    return (struct taken){
        latencies_of(load) * at.latency_s,
        longer(longer((messages - 1) * costs->message_s + bytes / cables * at.send_s_per_byte,
                      shared_length * element_bytes * at.send_s_per_byte),
               (turns - latencies_of(load)) * at.latency_s)};
}

static double load_s(const struct allfold_costs *costs, const struct allfold_load *load,
                     double element_bytes)
{
    const struct taken taken = taken_by(costs, load, 0, (double)load->length, 1, element_bytes);
    return taken.latency_s + taken.busy_s;
}

/* How many messages of a rank are on their way at a time, of those that need nothing of each other.
 */
static double streams_of(const struct allfold_profile *profile)
{
    return profile->streams < IN_FLIGHT ? profile->streams : IN_FLIGHT;
}

/* What a round takes: messages on the node beside those that leave it, and then reducing. Rounds
 * that need nothing of each other go on meanwhile: what is busy all the time counts, or as many
 * rounds at a time as there are streams. */
static double round_s(double near_s, struct taken far, double message_s, double reduce_s,
                      double streams)
{
    const double far_s = far.latency_s + far.busy_s;
    if (streams <= 1 || far_s == 0)
        return longer(near_s, far_s) + reduce_s;
    return longer(longer(near_s, reduce_s),
                  longer(message_s + far.busy_s, (far_s + reduce_s) / streams));
}

/* Elements that a card takes as long for as what the nodes share takes: their card or cables, and
 * the links that lead out of their groups. */
static double shared_length(const struct allfold_nodes *nodes, const struct allfold_round *round)
{
    double most = (double)round->node.length / cables_of(round);
    const struct allfold_nodes *groups = nodes == NULL ? NULL : nodes->groups;
    for (int l = 0; l < ALLFOLD_GROUP_LEVELS && groups != NULL; l++, groups = groups->groups)
        most = longer(most, longer((double)round->group[l].length / groups->uplinks,
                                   (double)round->pair[l] / groups->pair_uplinks));
    return most;
}

/* How much later a round's messages come that leave groups. */
static double farther_s(const struct allfold_nodes *nodes, const struct allfold_round *round)
{
    double all_s = 0;
    const struct allfold_nodes *groups = nodes == NULL ? NULL : nodes->groups;
    for (int l = 0; l < ALLFOLD_GROUP_LEVELS && groups != NULL; l++, groups = groups->groups)
        all_s += round->group[l].messages > 0 ? groups->farther_s : 0;
    return all_s;
}

/* How many latencies the messages of a round take where all nodes are on one machine. There is no
 * wire between them, so half of a message's latency is work: of the cores that ranks share, or of
 * the node that it leaves. A rank with a core of its own has nearly all of it to do
 * (docs/decisions/2026-11-25-nodes-of-one-machine.md). */
static double turns_of(const struct allfold_nodes *nodes, const struct allfold_round *round)
{
    const double of_node = (double)round->node.messages;
    if (nodes == NULL || nodes->cores == 0)
        return 0;
    return nodes->is_crowded ? (double)nodes->count * of_node / (2.0 * nodes->cores)
                             : longer((double)round->far.messages, (1 + of_node) / 2);
}

/* What a rank does in a round on its node: with others of its socket, and with other sockets, one
 * after the other, beside what it reduces meanwhile. */
static double near_s(const struct allfold_cost_model *model, const struct allfold_round *round,
                     double element_bytes)
{
    const struct allfold_costs *sockets = allfold_costs_of_sockets(model);
    const double here_s = load_s(&model->node, &round->near, element_bytes);
    const double there_s = load_s(sockets, &round->across, element_bytes);
    const double both_s = here_s > 0 && there_s > 0 ? model->node.latency_s : 0;
    return longer(here_s + there_s - both_s,
                  (double)round->beside * element_bytes * model->node.reduce_s_per_byte);
}

static double known_cost_s(const struct allfold_cost_model *model,
                           const struct allfold_costs *beyond, const struct allfold_nodes *nodes,
                           double element_bytes, const struct allfold_profile *profile)
{
    const double reduce_s = element_bytes * model->node.reduce_s_per_byte;
    const double streams = streams_of(profile);
    double all_s = 0;
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct allfold_round *round = &profile->rounds[i];
        if (round->times == 0)
            continue;
        struct taken far = taken_by(beyond, &round->far, turns_of(nodes, round),
                                    shared_length(nodes, round), cables_of(round), element_bytes);
        far.latency_s += farther_s(nodes, round);
        all_s += (double)round->times * round_s(near_s(model, round, element_bytes), far,
                                                beyond->message_s,
                                                (double)round->reduced * reduce_s, streams);
    }
    return all_s;
}

/* The root of the product. */
static double mean_of(const double *times_s, int count)
{
    double product = 1;
    for (int i = 0; i < count; i++)
        product *= times_s[i];
    for (; count > 1; count /= 2)
        product = sqrt(product);
    assert(count == 1);
    return product;
}

static double unknown_cost_s(const struct allfold_cost_model *model, const struct family *family,
                             const struct allfold_nodes *nodes, double element_bytes,
                             const struct allfold_profile *profile)
{
    double times_s[sizeof family->networks / sizeof *family->networks] = {0};
    const double streams = streams_of(profile);
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct allfold_round *round = &profile->rounds[i];
        if (round->times == 0)
            continue;
        const double times = (double)round->times;
        const double reduce_s = element_bytes * model->node.reduce_s_per_byte;
        const double on_node_s = near_s(model, round, element_bytes);
        const double reduced_s = (double)round->reduced * reduce_s;
        const double latencies = latencies_of(&round->far);
        const double turns = turns_of(nodes, round) - latencies;
        const double more = round->far.messages > 0 ? (double)round->far.messages - 1 : 0;
        const double bytes = shared_length(nodes, round) * element_bytes;
        const double later_s = farther_s(nodes, round);
        const double own_bytes = (double)round->far.length * element_bytes / cables_of(round);
        for (int k = 0; k < family->count; k++) {
            const struct network *network = &family->networks[k];
            const struct taken far = {
                latencies * network->latency_s + later_s,
                longer(longer(turns * network->latency_s,
                              more * network->message_s + own_bytes * network->send_s_per_byte),
                       bytes * network->send_s_per_byte)};
            times_s[k] += times * round_s(on_node_s, far, network->message_s, reduced_s, streams);
        }
    }
    return mean_of(times_s, family->count);
}

double allfold_profiled_cost_on_s(const struct allfold_problem *problem,
                                  const struct allfold_nodes *nodes,
                                  const struct allfold_profile *profile)
{
    const struct allfold_cost_model *model = allfold_cost_model_of(problem);
    const double element_bytes = (double)problem->element_bytes;
    if (problem->costs != NULL || problem->one_node)
        return known_cost_s(model, allfold_costs_beyond(problem), nodes, element_bytes, profile);
    const struct family family = family_of(problem, profile->to_neighbors);
    return unknown_cost_s(model, &family, nodes, element_bytes, profile);
}

double allfold_profiled_cost_s(const struct allfold_problem *problem,
                               const struct allfold_profile *profile)
{
    return allfold_profiled_cost_on_s(problem, problem->nodes, profile);
}
