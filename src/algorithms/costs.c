/* The cost model of the papers and its constants (see costs.h). */
#include "algorithms/costs.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algorithms/peers.h"

/* Rough figures: what matters is that latency is long next to a byte, and longer between nodes than
 * on one. Only what long messages between nodes lose was seen. With messages of more than 32 KiB
 * links were busy for 0.7 to 0.85 of the time; with shorter ones nearly always (bench/README.md).
 * A round on a node takes 0.27 us. With up to 2 KiB that makes choices in SimGrid worse. */
static const struct allfold_costs node_costs = {.latency_s = 0.15e-6,
                                                .message_s = 0.10e-6,
                                                .send_s_per_byte = 0.10e-9,
                                                .reduce_s_per_byte = 0.10e-9,
                                                .longer = {2 << 10, 0.27e-6, 0.10e-9}};
static const struct allfold_costs network_costs = {.latency_s = 1.0e-6,
                                                   .message_s = 0.30e-6,
                                                   .send_s_per_byte = 0.20e-9,
                                                   .reduce_s_per_byte = 0.10e-9,
                                                   .longer = {40 << 10, 1.0e-6, 0.25e-9}};

const struct allfold_costs *allfold_costs_of(const struct allfold_problem *problem)
{
    return problem->one_node ? &node_costs : &network_costs;
}

struct allfold_longer allfold_costs_at(const struct allfold_costs *costs, double bytes)
{
    return costs->longer.above_bytes > 0 && bytes > costs->longer.above_bytes
               ? costs->longer
               : (struct allfold_longer){0, costs->latency_s, costs->send_s_per_byte};
}

double allfold_cost_s(const struct allfold_costs *costs, const struct allfold_claim *claim,
                      size_t element_bytes)
{
    const double bytes = (double)element_bytes;
    const double serial = (double)allfold_claim_serial(claim) * bytes;
    const double messages = (double)claim->rounds * allfold_claim_ports(claim);
    const struct allfold_longer at = allfold_costs_at(costs, messages > 0 ? serial / messages : 0);
    const double round_s = at.latency_s + (allfold_claim_ports(claim) - 1) * costs->message_s;
    return (double)claim->rounds * round_s + serial * at.send_s_per_byte +
           (double)(claim->reduced + claim->copied) * bytes * costs->reduce_s_per_byte;
}

struct pipeline {
    double count, fixed, slope;
};

/* Of the blocks of more than `above` elements and at most `most`, all sent in one way, the best;
 * *time_s is what all of it takes. (fixed + slope b) (latency + bytes/b x time per byte) is least
 * at b = sqrt(fixed x bytes x time per byte / (slope x latency)). */
static double best_of_class(const struct pipeline *line, double latency_s, double element_s,
                            double above, double most, double *time_s)
{
    double blocks = sqrt(line->fixed * line->count * element_s / (line->slope * latency_s));
    blocks = blocks < 1 ? 1 : blocks > line->count ? line->count : blocks;
    double block = ceil(line->count / floor(blocks));
    block = fmax(fmin(block, most), above + 1);
    blocks = ceil(line->count / block);
    *time_s = (line->fixed + line->slope * blocks) * (latency_s + line->count / blocks * element_s);
    return block;
}

size_t allfold_best_segment(const struct allfold_problem *problem, double fixed, double slope)
{
    const struct allfold_costs *costs = allfold_costs_of(problem);
    const double bytes = (double)problem->element_bytes;
    struct pipeline line = {(double)problem->count, fixed, slope};
    double short_s, long_s;
    if (problem->count == 0)
        return 1;
    if (fixed <= 0 || slope <= 0)
        line = (struct pipeline){(double)problem->count, 0, 1}; /* as few blocks as can be */
    const double most = fmin(floor(costs->longer.above_bytes / bytes), line.count);
    const double short_block =
        best_of_class(&line, costs->latency_s, costs->send_s_per_byte * bytes, 0, most, &short_s);
    if (most == line.count)
        return (size_t)short_block;
    const double long_block =
        best_of_class(&line, costs->longer.latency_s, costs->longer.send_s_per_byte * bytes, most,
                      line.count, &long_s);
    return (size_t)(most == 0 || long_s < short_s ? long_block : short_block);
}

/* Rounds between nodes, and what the busiest node sends in them. */
struct far_part {
    double rounds, elements;
};

static struct far_part far_part_of(const struct allfold_problem *problem,
                                   const struct allfold_claim *claim)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const double carried = (double)allfold_claim_carried(claim), rounds = (double)claim->rounds;
    if (claim->far_lanes > 0)
        return (struct far_part){(double)claim->far_rounds, (double)claim->far_sent};
    const bool in_blocks = nodes->arrangement == ALLFOLD_IN_BLOCKS;
    if (rounds >=
        problem->group.size - 1) /* round a ring: in blocks one rank of a node sends out */
        return (struct far_part){rounds, in_blocks ? carried : carried * nodes->most};
    const double near = in_blocks ? fmin(rounds - 1, ceil_log2(nodes->most)) : 0;
    return (struct far_part){rounds - near, carried * nodes->most};
}

double allfold_price_s(const struct allfold_algorithm *algorithm,
                       const struct allfold_problem *problem,
                       const struct allfold_parameters *parameters)
{
    const struct allfold_claim claim = algorithm->claim(problem, parameters);
    if (problem->nodes == NULL || problem->nodes->count == 1 || problem->one_node)
        return allfold_cost_s(allfold_costs_of(problem), &claim, problem->element_bytes);
    const double bytes = (double)problem->element_bytes, rounds = (double)claim.rounds;
    const struct far_part far = far_part_of(problem, &claim);
    const double more = (double)allfold_claim_messages(&claim) - rounds;
    return far.rounds * network_costs.latency_s + (rounds - far.rounds) * node_costs.latency_s +
           more * network_costs.message_s + far.elements * bytes * network_costs.send_s_per_byte +
           (double)allfold_claim_carried(&claim) * bytes * node_costs.send_s_per_byte +
           (double)claim.reduced * bytes * node_costs.reduce_s_per_byte;
}

bool allfold_wins_tie(const struct allfold_problem *problem, const struct allfold_named *one,
                      const struct allfold_named *other)
{
    const size_t rounds = one->algorithm->claim(problem, &one->parameters).rounds;
    const size_t others = other->algorithm->claim(problem, &other->parameters).rounds;
    if (rounds != others)
        return rounds < others;
    return strcmp(one->algorithm->name, other->algorithm->name) < 0;
}
