/* Costs on a placement (see placed.h). */
#include "model/cost/placed.h"

#include <assert.h>
#include <math.h>

#include "algorithms/nodes.h"
#include "algorithms/peers.h"
#include "util/memory.h"

/* Networks that stand for all those of which nothing is known: from 100 Mbit/s to 100 Gbit/s, with
 * 3 and 30 us. More of them, or others of this range, change few choices (bench/robust). */
static const struct {
    double latency_s, message_s, send_s_per_byte;
} family[] = {
    {3e-6, 0.9e-6, 80e-9},  {30e-6, 3e-6, 80e-9},  {3e-6, 0.9e-6, 8e-9},    {30e-6, 3e-6, 8e-9},
    {3e-6, 0.9e-6, 0.8e-9}, {30e-6, 3e-6, 0.8e-9}, {3e-6, 0.9e-6, 0.08e-9}, {30e-6, 3e-6, 0.08e-9},
};
enum { FAMILY = sizeof family / sizeof *family };

/* The executor has 16 messages in flight, sent and received ones together. What a round has more of
 * waits for older ones: so many latencies, one after the other. */
enum { IN_FLIGHT = 16 / 2 };

static double latencies_of(const struct allfold_load *load)
{
    return (double)ceil_divide(load->messages, IN_FLIGHT);
}

/* One load after the other: its messages have the mean length. A rank sends its own one by one, and
 * while it begins one the others of its node go on: what takes longer counts, its own messages or
 * the bytes of all. */
static double load_s(const struct allfold_costs *costs, const struct allfold_load *load,
                     double shared_length, double element_bytes)
{
    if (load->messages == 0)
        return 0;
    const double messages = (double)load->messages;
    const double bytes = (double)load->length * element_bytes;
    const struct allfold_longer at = allfold_costs_at(costs, bytes / messages);
    return latencies_of(load) * at.latency_s +
           fmax((messages - 1) * costs->message_s + bytes * at.send_s_per_byte,
                shared_length * element_bytes * at.send_s_per_byte);
}

static double known_cost_s(const struct allfold_cost_model *model, double element_bytes,
                           const struct allfold_profile *profile)
{
    const double reduce_s = element_bytes * model->node.reduce_s_per_byte;
    double all_s = 0;
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct allfold_round *round = &profile->rounds[i];
        const double near_s =
            fmax(load_s(&model->node, &round->near, (double)round->near.length, element_bytes),
                 (double)round->beside * reduce_s);
        const double far_s =
            load_s(&model->network, &round->far, (double)round->node.length, element_bytes);
        all_s += (double)round->times * (fmax(near_s, far_s) + (double)round->reduced * reduce_s);
    }
    return all_s;
}

/* The eighth root of the product. */
static double mean_of(const double times_s[FAMILY])
{
    double product = 1;
    for (int i = 0; i < FAMILY; i++)
        product *= times_s[i];
    static_assert(FAMILY == 8, "three square roots are the eighth root");
    return sqrt(sqrt(sqrt(product)));
}

static double unknown_cost_s(const struct allfold_cost_model *model, double element_bytes,
                             const struct allfold_profile *profile)
{
    double times_s[FAMILY] = {0};
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct allfold_round *round = &profile->rounds[i];
        const double times = (double)round->times;
        const double reduce_s = element_bytes * model->node.reduce_s_per_byte;
        const double near_s =
            fmax(load_s(&model->node, &round->near, (double)round->near.length, element_bytes),
                 (double)round->beside * reduce_s);
        const double reduced_s = (double)round->reduced * reduce_s;
        const double latencies = latencies_of(&round->far);
        const double more = round->far.messages > 0 ? (double)round->far.messages - 1 : 0;
        const double bytes = (double)round->node.length * element_bytes;
        const double own_bytes = (double)round->far.length * element_bytes;
        for (int k = 0; k < FAMILY; k++) {
            const double far_s =
                latencies * family[k].latency_s +
                fmax(more * family[k].message_s + own_bytes * family[k].send_s_per_byte,
                     bytes * family[k].send_s_per_byte);
            times_s[k] += times * (fmax(near_s, far_s) + reduced_s);
        }
    }
    return mean_of(times_s);
}

double allfold_profiled_cost_s(const struct allfold_problem *problem,
                               const struct allfold_profile *profile)
{
    const struct allfold_cost_model *model = allfold_cost_model_of(problem);
    const double element_bytes = (double)problem->element_bytes;
    return problem->costs == NULL ? unknown_cost_s(model, element_bytes, profile)
                                  : known_cost_s(model, element_bytes, profile);
}

/* Ranks that stand for a node, and nodes for all; messages of a rank that stand for all those of an
 * algorithm that knows no nodes. With more rounds than SAMPLED_ROUNDS, four ranks stand for all,
 * and one that knows nodes is costed by its claim; with more than MOST_ROUNDS each one is. */
enum {
    SAMPLED_RANKS = 4,
    SAMPLED_NODES = 3,
    SAMPLED_MESSAGES = 32,
    SAMPLED_ROUNDS = 64,
    MOST_ROUNDS = 1 << 12,
    MOST_PORTS = 16,
    FEW_MESSAGES = 64,  /* of all ranks, which are counted as soon as those of some */
    MOST_MESSAGES = 512 /* up to which all are counted where ranks wait for others */
};

struct allfold_scales {
    struct allfold_profiler *profiler;
    const struct allfold_nodes *nodes;
    int count;
    struct allfold_standing sample[SAMPLED_RANKS * SAMPLED_NODES];
};

/* Adds a node's first and last rank and some between these, unless the node is there already. */
static void sample_node(struct allfold_scales *scales, int node)
{
    const struct allfold_nodes *nodes = scales->nodes;
    const int size = allfold_node_size(nodes, node);
    const int count = size < SAMPLED_RANKS ? size : SAMPLED_RANKS;
    for (int i = 0; i < scales->count; i++)
        if (nodes->node_of[scales->sample[i].rank] == node)
            return;
    for (int i = 0; i < count; i++) {
        const int inner = size - 2, of = count - 2; /* those between stand for the others between */
        const int at = i == 0 ? 0 : i == count - 1 ? size - 1 : 1 + (2 * i - 1) * inner / (2 * of);
        const int ranks = i == 0 || i == count - 1 ? 1 : i * inner / of - (i - 1) * inner / of;
        scales->sample[scales->count++] =
            (struct allfold_standing){allfold_rank_on(nodes, node, at), ranks};
    }
}

static int fullest_node(const struct allfold_nodes *nodes)
{
    int node = 0;
    while (allfold_node_size(nodes, node) != nodes->most)
        node++;
    return node;
}

/* A node in the middle, for the first ranks may be those that a core removes; with a root, its
 * node; and the fullest one. Of vectors that are shorter than p the first and the last node instead
 * of the middle one, as they get most elements. */
static void sample(struct allfold_scales *scales, const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const bool has_root = allfold_traits(problem->collective)->has_root;
    const bool is_short = allfold_problem_length(problem) < (size_t)problem->group.size;
    sample_node(scales, is_short && !has_root ? nodes->count - 1 : nodes->count / 2);
    if (has_root)
        sample_node(scales, nodes->node_of[problem->root]);
    else if (is_short)
        sample_node(scales, 0);
    if (nodes->most > nodes->least || nodes->most < SAMPLED_RANKS)
        sample_node(scales, fullest_node(nodes));
}

struct allfold_scales *allfold_scales_create(const struct allfold_problem *problem)
{
    struct allfold_scales *scales = allfold_allocate_zeroed(sizeof *scales);
    if (scales == NULL || problem->nodes == NULL || problem->nodes->count == 1)
        return scales;
    scales->nodes = problem->nodes;
    scales->profiler = allfold_profiler_create();
    if (scales->profiler == NULL) {
        allfold_free(scales);
        return NULL;
    }
    sample(scales, problem);
    return scales;
}

void allfold_scales_free(struct allfold_scales *scales)
{
    if (scales != NULL)
        allfold_profiler_free(scales->profiler);
    allfold_free(scales);
}

static size_t at_least_one(size_t count)
{
    return count > 0 ? count : 1;
}

/* What an algorithm that knows nodes says of them: the rounds between nodes, and the others before
 * and behind or beside these. */
static double claimed_s(const struct allfold_problem *problem, const struct allfold_claim *claim)
{
    const size_t ports = at_least_one(claim->far_ports), lanes = claim->far_lanes;
    const size_t far = at_least_one(claim->far_rounds), near = claim->rounds - claim->far_rounds;
    const size_t sent = claim->far_sent / far, sent_by_rank = claim->far_sent / lanes;
    const size_t carried = allfold_claim_carried(claim);
    const size_t own = carried > sent_by_rank ? carried - sent_by_rank : 0;
    const size_t near_ports = near > 0 ? allfold_claim_ports(claim) : 0;
    struct allfold_round rounds[] = {
        {.far = {ports, sent / lanes}, .node = {ports * lanes, sent}, .times = claim->far_rounds},
        {.near = {near_ports, own / at_least_one(near)},
         .reduced = claim->reduced / at_least_one(near),
         .times = near},
    };
    if (claim->far_beside) {
        rounds[0].near = (struct allfold_load){near_ports * ceil_divide(near, far), own / far};
        rounds[0].beside = claim->reduced / far;
        rounds[1].times = 0;
    }
    const struct allfold_profile profile = {.rounds = rounds, .count = 2};
    return allfold_profiled_cost_s(problem, &profile);
}

/* What one that knows no nodes takes at least: a node has to get what it lacks, once, and a rank
 * cannot have more rounds on its node than halving and doubling have there. */
static double least_s(const struct allfold_problem *problem, const struct allfold_claim *claim)
{
    const size_t rounds = at_least_one(claim->rounds), vector = allfold_problem_length(problem);
    const size_t lacking = allfold_has_blocks(problem->collective) ? vector / 2 : vector;
    const size_t on_node = 2 * (size_t)ceil_log2(problem->nodes->most);
    const size_t far = on_node < rounds ? rounds - on_node : 1;
    const size_t carried = allfold_claim_carried(claim);
    const bool is_alone = problem->nodes->most == 1; /* all that a rank sends leaves its node */
    const struct allfold_load own = {!is_alone, is_alone ? 0 : carried / rounds};
    const struct allfold_load out = {1, (is_alone ? carried : lacking) / far};
    const struct allfold_load one = {1, out.length / allfold_claim_ports(claim)};
    const size_t reduced = claim->reduced / rounds;
    struct allfold_round parts[] = {
        {.near = own, .far = one, .node = out, .reduced = reduced, .times = far},
        {.near = own, .reduced = reduced, .times = rounds - far},
    };
    const struct allfold_profile profile = {.rounds = parts, .count = 2};
    return allfold_profiled_cost_s(problem, &profile);
}

/* As if all ranks of a node sent beyond it in each round: of so many rounds, or messages at a time,
 * that counting them would take longer than many calls. */
static double far_cost_s(const struct allfold_problem *problem, const struct allfold_claim *claim)
{
    const size_t ports = allfold_claim_ports(claim), ranks = (size_t)problem->nodes->most;
    const size_t length = allfold_claim_carried(claim) / claim->rounds;
    struct allfold_round round = {.far = {ports, length},
                                  .node = {ports * ranks, length * ranks},
                                  .beside = claim->reduced / claim->rounds,
                                  .times = claim->rounds};
    const struct allfold_profile profile = {.rounds = &round, .count = 1};
    return allfold_profiled_cost_s(problem, &profile);
}

/* Do ranks send to so many at a time that nearly all of these are on other nodes? */
static bool is_wide(const struct allfold_claim *claim)
{
    return claim->far_lanes == 0 && allfold_claim_ports(claim) > MOST_PORTS;
}

/* Of uneven nodes a claim of an algorithm that knows nodes is a bound; what it is taken for then,
 * as long as nobody looks. */
static const double bound_s = 0.7;

/* By its claim; *is_all: that says as much as a profile does (unit.test_profile). */
static double by_claim_s(const struct allfold_problem *problem, const struct allfold_claim *claim,
                         bool *is_all)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const bool is_even = nodes->least == nodes->most;
    *is_all = is_wide(claim) || (claim->far_lanes > 0 && is_even && nodes->most > 1);
    if (claim->far_lanes == 0)
        return *is_all ? far_cost_s(problem, claim) : least_s(problem, claim);
    return (is_even ? 1 : bound_s) * claimed_s(problem, claim);
}

/* By some ranks; *is_all: none of them waits for others, or the others are too many. */
static double by_sample_s(struct allfold_scales *scales, const struct allfold_profiled *of,
                          const struct allfold_claim *claim, bool *is_all)
{
    struct allfold_profile profile;
    const uint32_t most = claim->far_lanes > 0 ? 0 : SAMPLED_MESSAGES * of->ports;
    const int few = scales->count < SAMPLED_RANKS ? scales->count : SAMPLED_RANKS;
    const int count = claim->rounds > SAMPLED_ROUNDS ? few : scales->count;
    if (allfold_profile_of(scales->profiler, scales->sample, count, most, of, &profile) !=
        ALLFOLD_OK)
        return -1;
    const double cost_s = allfold_profiled_cost_s(of->problem, &profile);
    const size_t messages = (profile.messages + profile.left_out) *
                            (size_t)of->problem->group.size / (size_t)count; /* of all ranks */
    *is_all =
        messages > MOST_MESSAGES || (messages > FEW_MESSAGES && profile.length >= claim->rounds);
    return profile.length > 0 && profile.length < claim->rounds
               ? cost_s * (double)claim->rounds / (double)profile.length
               : cost_s;
}

double allfold_placed_cost_s(struct allfold_scales *scales,
                             const struct allfold_algorithm *algorithm,
                             const struct allfold_problem *problem,
                             const struct allfold_parameters *parameters, enum allfold_care *care)
{
    struct allfold_profile profile;
    const struct allfold_claim claim = algorithm->claim(problem, parameters);
    const struct allfold_profiled of = {algorithm, problem, parameters,
                                        allfold_claim_ports(&claim)};
    const enum allfold_care wanted = *care;
    bool is_all = true;
    double cost_s = 0;
    if (scales == NULL || scales->nodes == NULL)
        cost_s = allfold_cost_s(allfold_costs_of(problem), &claim, problem->element_bytes);
    else if (wanted == ALLFOLD_BY_CLAIM)
        cost_s = by_claim_s(problem, &claim, &is_all);
    else if (claim.far_lanes > 0 && claim.rounds > SAMPLED_ROUNDS)
        cost_s = claimed_s(problem, &claim);
    else if (claim.rounds > MOST_ROUNDS)
        cost_s = far_cost_s(problem, &claim);
    else if (wanted == ALLFOLD_BY_SAMPLE)
        cost_s = by_sample_s(scales, &of, &claim, &is_all);
    else if (allfold_profile(scales->profiler, &of, &profile) == ALLFOLD_OK)
        cost_s = allfold_profiled_cost_s(problem, &profile);
    else
        cost_s = -1;
    *care = is_all ? ALLFOLD_BY_ALL : wanted;
    return cost_s;
}

double allfold_all_care_cost_s(struct allfold_scales *scales,
                               const struct allfold_algorithm *algorithm,
                               const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    double cost_s = 0;
    for (enum allfold_care care = ALLFOLD_BY_CLAIM;; care++) {
        const double more_s = allfold_placed_cost_s(scales, algorithm, problem, parameters, &care);
        cost_s = fmax(cost_s, more_s);
        if (more_s < 0 || care == ALLFOLD_BY_ALL)
            return more_s < 0 ? more_s : cost_s;
    }
}

double allfold_expected_s(const struct allfold_algorithm *algorithm,
                          const struct allfold_problem *problem,
                          const struct allfold_parameters *parameters)
{
    struct allfold_scales *scales = allfold_scales_create(problem);
    double cost_s = -1;
    if (scales != NULL)
        cost_s = allfold_all_care_cost_s(scales, algorithm, problem, parameters);
    allfold_scales_free(scales);
    return cost_s;
}
