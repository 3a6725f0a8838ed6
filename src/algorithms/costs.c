/* The papers' cost model (see costs.h). */
#include "algorithms/costs.h"

#include <math.h>

/* Rough figures, measured nowhere: what matters is that latency is long next to a byte, and longer
 * between nodes than on one. Only what long messages between nodes lose was seen: with messages of
 * more than 32 KiB links were busy for 0.7 to 0.85 of the time, with shorter ones nearly always
 * (bench/README.md). */
const struct allfold_cost_model allfold_preset_costs = {
    .node = {.latency_s = 0.15e-6,
             .message_s = 0.10e-6,
             .send_s_per_byte = 0.10e-9,
             .reduce_s_per_byte = 0.10e-9},
    .network = {.latency_s = 1.0e-6,
                .message_s = 0.30e-6,
                .send_s_per_byte = 0.20e-9,
                .reduce_s_per_byte = 0.10e-9},
    .long_bytes = 40 << 10,
    .long_factor = 1.25,
};

const struct allfold_cost_model *allfold_cost_model_of(const struct allfold_problem *problem)
{
    return problem->costs == NULL ? &allfold_preset_costs : problem->costs;
}

const struct allfold_costs *allfold_costs_of(const struct allfold_problem *problem)
{
    const struct allfold_cost_model *model = allfold_cost_model_of(problem);
    return problem->one_node ? &model->node : &model->network;
}

double allfold_cost_s(const struct allfold_costs *costs, const struct allfold_claim *claim,
                      size_t element_bytes)
{
    const double bytes = (double)element_bytes;
    const double round_s = costs->latency_s + (allfold_claim_ports(claim) - 1) * costs->message_s;
    return (double)claim->rounds * round_s + (double)claim->sent * bytes * costs->send_s_per_byte +
           (double)claim->reduced * bytes * costs->reduce_s_per_byte;
}

/* Algorithms send messages of many lengths, so the mean decides. */
static double waiting(const struct allfold_cost_model *model, const struct allfold_claim *far,
                      size_t element_bytes)
{
    const double messages = (double)far->rounds * allfold_claim_ports(far);
    const double bytes = (double)far->sent * (double)element_bytes;
    return bytes > model->long_bytes * messages ? model->long_factor : 1;
}

double allfold_placed_cost_s(const struct allfold_problem *problem,
                             const struct allfold_claim *claim)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct allfold_cost_model *model = allfold_cost_model_of(problem);
    struct allfold_claim near = *claim, far = *claim;
    if (nodes == NULL || nodes->count == 1)
        return allfold_cost_s(allfold_costs_of(problem), claim, problem->element_bytes);
    if (claim->far_lanes == 0) {
        far.far_lanes = (unsigned)nodes->most;
        far.sent = allfold_claim_carried(claim) * far.far_lanes;
        near.rounds = near.sent = 0;
    } else {
        far.rounds = claim->far_rounds;
        far.sent = claim->far_sent;
        near.rounds = claim->rounds - claim->far_rounds;
        near.sent = allfold_claim_carried(claim) - claim->far_sent / claim->far_lanes;
    }
    far.reduced = 0;
    far.ports = allfold_claim_ports(claim) * far.far_lanes; /* messages of a node at a time */
    struct allfold_costs between = model->network;
    between.send_s_per_byte *= waiting(model, &far, problem->element_bytes);
    const double near_s = allfold_cost_s(&model->node, &near, problem->element_bytes);
    const double far_s = allfold_cost_s(&between, &far, problem->element_bytes);
    return claim->far_beside ? fmax(near_s, far_s) : near_s + far_s;
}

/* No segment of a vector that goes to other nodes has to wait. */
static size_t longest_segment(const struct allfold_problem *problem)
{
    const struct allfold_cost_model *model = allfold_cost_model_of(problem);
    const double most = model->long_bytes / (double)problem->element_bytes;
    if (problem->one_node || model->long_factor <= 1 || (double)problem->count <= most)
        return problem->count;
    return most < 1 ? 1 : (size_t)most;
}

/* (fixed + slope b) (latency + bytes/b x time per byte) is least at
 * b = sqrt(fixed x bytes x time per byte / (slope x latency)). */
size_t allfold_best_segment(const struct allfold_problem *problem, double fixed, double slope)
{
    const double count = (double)problem->count;
    const struct allfold_costs *costs = allfold_costs_of(problem);
    const double transfer_s = count * (double)problem->element_bytes * costs->send_s_per_byte;
    const size_t longest = longest_segment(problem);
    if (problem->count == 0 || fixed <= 0 || slope <= 0)
        return problem->count == 0 ? 1 : longest;
    double blocks = sqrt(fixed * transfer_s / (slope * costs->latency_s));
    blocks = blocks < 1 ? 1 : blocks > count ? count : blocks;
    const size_t best = (size_t)ceil(count / floor(blocks));
    return best < longest ? best : longest;
}
