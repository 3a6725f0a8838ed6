/* Costs on a placement (see placed.h). */
#include "model/cost/placed.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algorithms/alone.h"
#include "algorithms/composed.h"
#include "algorithms/nodes.h"
#include "algorithms/peers.h"
#include "model/cost/claimed.h"
#include "util/memory.h"

/* What is taken for a network whose groups nobody knows: of n nodes, groups of sqrt(n) neighbors,
 * with two links up for three nodes. So many nodes may well be below one switch. The way to other
 * groups is no longer, which tells these groups from known ones
 * (docs/decisions/2026-11-25-thin-links-nobody-told.md). With one rank a node the links are
 * thinner, and groups are assumed for long vectors alone
 * (docs/decisions/2026-11-26-order-of-hosts.md). */
static const double assumed_taper = 1.5, assumed_taper_alone = 2.25;
enum { BELOW_ONE_SWITCH = 12, LONG_ALONE_BYTES = 128 << 10, COUNTED_BELOW_BYTES = 1 << 20 };

/* Ranks that stand for a node, nodes for a group, and nodes for all. Messages of a rank that stand
 * for all those of an algorithm that knows no nodes. With more rounds than SAMPLED_ROUNDS, four
 * ranks stand for all, and an algorithm that knows nodes is costed by its claim. With more than
 * MOST_ROUNDS each algorithm is. */
enum {
    SAMPLED_RANKS = 4,
    SAMPLED_ENDS = 2, /* ranks of further nodes of a group */
    SAMPLED_IN_GROUP = 3,
    SAMPLED_NODES = SAMPLED_IN_GROUP + 4,
    SAMPLED_MESSAGES = 32,
    SAMPLED_ROUNDS = 64,
    MOST_ROUNDS = 1 << 12,
    FEW_MESSAGES = 64,                /* of all ranks, which are counted as soon as those of some */
    MOST_MESSAGES = 512,              /* up to which all are counted where ranks wait for others */
    MOST_MESSAGES_OF_UNLIKE = 1 << 12 /* the same where no group stands for the others */
};

/* What goes between the nodes, and what it costs more for their groups. */
struct excess {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    size_t count;
    int lanes;
    double cost_s;
};

enum { KEPT_EXCESSES = 64 };

struct allfold_scales {
    struct allfold_profiler *profiler;
    const struct allfold_nodes *nodes;
    int count;
    int wider[ALLFOLD_GROUP_LEVELS]; /* so many groups of nodes a group of the level has */
    struct allfold_standing sample[SAMPLED_RANKS * SAMPLED_NODES];
    struct allfold_standing one; /* a rank in the middle */
    bool counts_all; /* groups are unlike in size, so none of them stands for the others */
    int few_count;
    struct allfold_standing few[SAMPLED_RANKS]; /* the first of a sample without groups */
    struct allfold_cost_model least;            /* the problem's constants, where they are known */
    struct allfold_nodes *alone;                /* the nodes with one rank each */
    struct allfold_nodes assuming;              /* the nodes, if groups are assumed; and these */
    struct allfold_nodes *assumed;
    int excess_count;
    struct excess excesses[KEPT_EXCESSES];
};

/* Of `size` in a row the first, the last and some between stand for all. Returns the place of
 * number i of `count`, and *stands is for how many. Those between stand for the others between;
 * where there are none, the last one does. */
static int place_in_sample(int i, int count, int size, int *stands)
{
    const int inner = size - 2, of = count - 2;
    const bool is_end = i == 0 || i == count - 1;
    if (is_end)
        *stands = i > 0 && of == 0 ? size - 1 : 1;
    else
        *stands = i * inner / of - (i - 1) * inner / of;
    return i == 0 ? 0 : is_end ? size - 1 : 1 + (2 * i - 1) * inner / (2 * of);
}

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

/* Adds some ranks of a node that stands for so many of its group, unless it is there already. */
static void sample_node(struct allfold_scales *scales, int node, int stands, int ranks)
{
    const struct allfold_nodes *nodes = scales->nodes;
    const int size = allfold_node_size(nodes, node);
    const int count = least_of(size, ranks);
    for (int i = 0; i < scales->count; i++)
        if (nodes->node_of[scales->sample[i].rank] == node)
            return;
    for (int i = 0; i < count; i++) {
        struct allfold_standing *one = &scales->sample[scales->count++];
        one->rank = allfold_rank_on(nodes, node, place_in_sample(i, count, size, &one->ranks));
        for (int l = 0; l < ALLFOLD_GROUP_LEVELS; l++)
            one->nodes[l] = stands * scales->wider[l];
    }
}

/* The node of that number in a group, in the order of `along`. */
static int node_along(const struct allfold_nodes *nodes, int group, int number)
{
    int node = -1;
    for (int i = 0; number >= 0; i++) {
        const int at = nodes->node_of[nodes->along[i]];
        if (at == node || nodes->groups->node_of[at] != group)
            continue;
        node = at;
        number--;
    }
    return node;
}

/* Adds the node, and where groups are known the ends of its group; the three stand for this. Of a
 * group that is assumed all have few ranks: with more a choice takes twice as long. */
static void sample_group(struct allfold_scales *scales, int node)
{
    const struct allfold_nodes *nodes = scales->nodes, *groups = nodes->groups;
    if (groups == NULL) {
        sample_node(scales, node, 0, SAMPLED_RANKS);
        return;
    }
    const int group = groups->node_of[node], size = allfold_node_size(groups, group);
    const int count = least_of(size, SAMPLED_IN_GROUP);
    const int first = node_along(nodes, group, 0), last = node_along(nodes, group, size - 1);
    for (int l = 0, fewest = 0; l < least_of(allfold_group_levels(nodes), ALLFOLD_GROUP_LEVELS);
         l++) {
        const int most = allfold_most_nodes(nodes, l);
        fewest = l == 0 ? most : fewest;
        scales->wider[l] = most / fewest;
    }
    for (int i = 0; i < count; i++) {
        int stands;
        const int at = place_in_sample(i, count, size, &stands);
        int other = node;
        if (at == 0 || at == size - 1)
            other = at == 0 ? first : last;
        else if (node == first || node == last)
            other = node_along(nodes, group, at);
        const bool has_more = other == node && allfold_knows_groups(nodes);
        sample_node(scales, other, stands, has_more ? SAMPLED_RANKS : SAMPLED_ENDS);
    }
}

/* Of several the one with the lowest rank. */
static int fullest_node(const struct allfold_nodes *nodes)
{
    int rank = 0;
    while (allfold_node_size(nodes, nodes->node_of[rank]) != nodes->most)
        rank++;
    return nodes->node_of[rank];
}

/* The one with the highest lowest rank. */
static int last_node(const struct allfold_nodes *nodes)
{
    int last = 0;
    for (int n = 1; n < nodes->count; n++)
        last = nodes->leaders[n] > nodes->leaders[last] ? n : last;
    return last;
}

/* In number, or in `along` where the ranks are in another order. */
static int middle_node(const struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    return nodes->is_in_order ? nodes->count / 2 : nodes->node_of[nodes->along[p / 2]];
}

/* The first and the last ranks along the nodes, as what goes along these sees them. */
static void sample_ends(struct allfold_scales *scales, bool also_last)
{
    const struct allfold_nodes *nodes = scales->nodes;
    const int p = nodes->first[nodes->count];
    if (nodes->is_in_order)
        return;
    sample_node(scales, nodes->node_of[nodes->along[0]], 0, SAMPLED_RANKS);
    if (also_last)
        sample_node(scales, nodes->node_of[nodes->along[p - 1]], 0, SAMPLED_RANKS);
}

/* A node in the middle, for the first ranks may be those that a core removes; with a root, its
 * node; and the fullest one. Of vectors that are shorter than p the first and the last node instead
 * of the middle one, as they get most elements. */
static void sample(struct allfold_scales *scales, const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = scales->nodes;
    const bool has_root = allfold_traits(problem->collective)->has_root;
    const bool is_short = allfold_problem_length(problem) < (size_t)problem->group.size;
    scales->count = 0;
    const int middle = middle_node(nodes), size = allfold_node_size(nodes, middle);
    scales->one = (struct allfold_standing){allfold_rank_on(nodes, middle, size / 2), size, {0}};
    sample_group(scales, is_short && !has_root ? last_node(nodes) : middle);
    if (has_root)
        sample_node(scales, nodes->node_of[problem->root], 0, SAMPLED_RANKS);
    else if (is_short)
        sample_node(scales, nodes->node_of[0], 0, SAMPLED_RANKS);
    if (nodes->most > nodes->least || nodes->most < SAMPLED_RANKS)
        sample_node(scales, fullest_node(nodes), 0, SAMPLED_RANKS);
    sample_ends(scales, is_short && !has_root);
}

/* For very many rounds. */
static void keep_few(struct allfold_scales *scales)
{
    scales->few_count = least_of(scales->count, SAMPLED_RANKS);
    memcpy(scales->few, scales->sample, (size_t)scales->few_count * sizeof *scales->few);
}

/* False without memory. */
static bool set_alone(struct allfold_scales *scales)
{
    const struct allfold_nodes *nodes = scales->nodes;
    if (nodes->groups == NULL)
        return true;
    struct allfold_nodes *alone =
        allfold_allocate(sizeof *alone + allfold_alone_room(nodes->count) * sizeof(int));
    if (alone == NULL)
        return false;
    *alone = allfold_nodes_alone(nodes->count, (int *)(alone + 1));
    alone->groups = nodes->groups;
    scales->alone = alone;
    return true;
}

static int whole_root(int of)
{
    int root = 1;
    while (root * root < of)
        root++;
    return root;
}

/* Not along trees and chains, where data mostly stay near. */
static bool has_assumed_groups(const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const size_t bytes = allfold_problem_length(problem) * problem->element_bytes;
    return nodes->groups == NULL && !problem->one_node && nodes->count > BELOW_ONE_SWITCH &&
           (nodes->most > 1 || bytes >= LONG_ALONE_BYTES) &&
           allfold_has_all_of_all(problem->collective);
}

/* Neighbors are those that are next to each other in `along`. */
static void assign_groups(struct allfold_nodes *assumed, const struct allfold_nodes *nodes)
{
    const int per = assumed->most;
    int at = 0;
    for (int i = 0; i < nodes->first[nodes->count]; i++) {
        const int node = nodes->node_of[nodes->along[i]];
        if (i > 0 && node == nodes->node_of[nodes->along[i - 1]])
            continue;
        assumed->node_of[node] = at / per;
        assumed->index_of[node] = at % per;
        assumed->members[at] = nodes->leaders[node];
        assumed->is_in_order = assumed->is_in_order && node == at;
        at++;
    }
    for (int g = 0; g <= assumed->count; g++)
        assumed->first[g] = least_of(g * per, at);
}

/* Takes nodes of which no groups are known for nodes in groups of neighbors, if they are many.
 * False without memory. */
static bool assume_groups(struct allfold_scales *scales, const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = scales->nodes;
    const int count = nodes->count, per = whole_root(count);
    const int groups = (int)ceil_divide((size_t)count, (size_t)per);
    const double uplinks = per / (nodes->most == 1 ? assumed_taper_alone : assumed_taper);
    if (!has_assumed_groups(problem))
        return true;
    struct allfold_nodes *assumed = allfold_allocate(
        sizeof *assumed + (3 * (size_t)count + (size_t)groups + 1) * sizeof *assumed->node_of);
    if (assumed == NULL)
        return false;
    int *const ints = (int *)(assumed + 1);
    *assumed = (struct allfold_nodes){.count = groups,
                                      .most = per,
                                      .least = count - (groups - 1) * per,
                                      .node_of = ints,
                                      .index_of = ints + count,
                                      .members = ints + 2 * count,
                                      .first = ints + 3 * count,
                                      .is_in_order = true,
                                      .uplinks = uplinks,
                                      .pair_uplinks = uplinks};
    assign_groups(assumed, nodes);
    scales->assumed = assumed;
    scales->assuming = *nodes;
    scales->assuming.groups = assumed;
    scales->nodes = &scales->assuming;
    return true;
}

/* With one rank a node. With several, what knows the nodes mostly wins, and claims say what that
 * takes; to count all takes a millisecond then (docs/decisions/2026-11-26-order-of-hosts.md). */
static bool must_count_all(const struct allfold_nodes *nodes)
{
    bool are_unlike = false;
    for (const struct allfold_nodes *at = nodes->groups; at != NULL; at = at->groups)
        are_unlike = are_unlike || at->most > at->least;
    return are_unlike && nodes->most == 1;
}

void allfold_scales_free(struct allfold_scales *scales)
{
    if (scales != NULL) {
        allfold_profiler_free(scales->profiler);
        allfold_free(scales->assumed);
        allfold_free(scales->alone);
    }
    allfold_free(scales);
}

/* For messages of whatever length is the best. */
static struct allfold_costs at_best(const struct allfold_costs *costs)
{
    struct allfold_costs best = *costs;
    for (int i = 0; i < allfold_longer_count(costs); i++) {
        best.latency_s = fmin(best.latency_s, costs->longer[i].latency_s);
        best.send_s_per_byte = fmin(best.send_s_per_byte, costs->longer[i].send_s_per_byte);
    }
    best.longer[0].above_bytes = 0;
    return best;
}

static struct allfold_cost_model least_costs(const struct allfold_cost_model *model)
{
    return (struct allfold_cost_model){.node = at_best(&model->node),
                                       .network = at_best(&model->network),
                                       .sockets = at_best(&model->sockets)};
}

struct allfold_scales *allfold_scales_create(const struct allfold_problem *problem)
{
    struct allfold_scales *scales = allfold_allocate_zeroed(sizeof *scales);
    if (scales == NULL || problem->nodes == NULL || problem->nodes->count == 1)
        return scales;
    scales->nodes = problem->nodes;
    scales->counts_all = must_count_all(problem->nodes);
    if (problem->costs != NULL)
        scales->least = least_costs(problem->costs);
    scales->profiler = allfold_profiler_create();
    sample(scales, problem);
    keep_few(scales);
    if (scales->profiler == NULL || !assume_groups(scales, problem) || !set_alone(scales)) {
        allfold_scales_free(scales);
        return NULL;
    }
    if (scales->assumed != NULL)
        sample(scales, problem);
    return scales;
}

/* So much of what one rank says is taken for sure: other ranks of its node may send less. With 0.7
 * six times as many choices change (docs/decisions/2026-11-23-parts-between-nodes.md). */
static const double one_s = 0.6;

/* Does the profile only say what the groups cost more than the claim knows? Where groups and
 * constants are both known, all that the profile says was better. Elsewhere its choices on the
 * nodes were worse (docs/decisions/2026-11-23-costs-by-groups.md). */
static bool adds_groups(const struct allfold_problem *problem, const struct allfold_claim *claim)
{
    const bool is_known = problem->costs != NULL && allfold_knows_groups(problem->nodes);
    return problem->nodes->groups != NULL && !is_known && allfold_is_claim_enough(problem, claim);
}

/* What goes between the nodes: one algorithm in so many lanes, or the whole one. What goes on the
 * nodes alone costs nothing more for groups. So it does not matter which algorithms it names for
 * these. */
static struct excess part_between(const struct allfold_profiled *of,
                                  const struct allfold_claim *claim)
{
    struct excess part = {.algorithm = of->algorithm, .parameters = *of->parameters, .lanes = 1};
    if (claim->between != NULL) {
        part.algorithm = claim->between;
        part.parameters = allfold_parameter_presets(claim->between);
        part.count = claim->between_count;
        part.lanes = (int)claim->far_lanes;
        return part;
    }
    for (int i = 0; of->algorithm->parameters[i].name != NULL; i++)
        if (of->algorithm->parameters[i].inner != NULL)
            part.parameters.value[i] = 0;
    return part;
}

static bool is_same_part(const struct excess *a, const struct excess *b)
{
    return a->algorithm == b->algorithm && a->count == b->count && a->lanes == b->lanes &&
           memcmp(&a->parameters, &b->parameters, sizeof a->parameters) == 0;
}

/* The profile of one algorithm of the nodes that each lane runs: from the first ranks of the
 * sample's nodes, which stand for those of all lanes. */
static enum allfold_error profile_lanes(struct allfold_scales *scales,
                                        const struct allfold_profiled *of,
                                        const struct excess *part, struct allfold_profile *profile)
{
    const struct allfold_nodes *nodes = scales->nodes;
    struct allfold_standing ranks[SAMPLED_NODES];
    struct allfold_problem problem =
        allfold_inner_problem(of->problem, part->algorithm, nodes->count, part->count, NULL);
    const struct allfold_claim claim = part->algorithm->claim(&problem, &part->parameters);
    const struct allfold_profiled inner = {.algorithm = part->algorithm,
                                           .problem = &problem,
                                           .parameters = &part->parameters,
                                           .ports = allfold_claim_ports(&claim),
                                           .nodes = scales->alone};
    int count = 0;
    problem.root = nodes->node_of[of->problem->root];
    for (int i = 0, last = -1; i < scales->count; i++) {
        const int node = nodes->node_of[scales->sample[i].rank];
        if (node == last)
            continue;
        ranks[count] = scales->sample[i];
        ranks[count].rank = last = node;
        ranks[count++].ranks = part->lanes;
    }
    return allfold_profile_of(scales->profiler, ranks, count, 0, &inner, profile);
}

/* What a profile costs more for the groups of nodes. */
static double more_for_groups_s(const struct allfold_problem *problem,
                                const struct allfold_profile *profile)
{
    struct allfold_nodes blind = *problem->nodes;
    blind.groups = NULL;
    return allfold_profiled_cost_s(problem, profile) -
           allfold_profiled_cost_on_s(problem, &blind, profile);
}

/* What an algorithm that knows nodes costs more for their groups. Negative without memory. */
static double excess_s(struct allfold_scales *scales, const struct allfold_profiled *of,
                       const struct allfold_claim *claim)
{
    struct allfold_profile profile;
    struct excess part = part_between(of, claim);
    for (int i = 0; i < scales->excess_count; i++)
        if (is_same_part(&scales->excesses[i], &part))
            return scales->excesses[i].cost_s;
    const enum allfold_error error =
        claim->between != NULL
            ? profile_lanes(scales, of, &part, &profile)
            : allfold_profile_of(scales->profiler, scales->sample, scales->count, 0, of, &profile);
    if (error != ALLFOLD_OK)
        return -1;
    allfold_note_claim(&profile, claim);
    part.cost_s = fmax(0, more_for_groups_s(of->problem, &profile));
    if (scales->excess_count < KEPT_EXCESSES)
        scales->excesses[scales->excess_count++] = part;
    return part.cost_s;
}

static void shorten(struct allfold_load *load, double to)
{
    load->length = (size_t)((double)load->length * to);
}

/* What the claim knows and the messages do not: how many rounds go on at a time, and that what goes
 * to several ranks of a node is written once. Half of what an element takes on a node is to write
 * it. */
static void apply_claim(struct allfold_profile *profile, const struct allfold_claim *claim)
{
    allfold_note_claim(profile, claim);
    size_t all = 0;
    for (uint32_t i = 0; i < profile->count; i++)
        all += profile->rounds[i].times *
               (profile->rounds[i].near.length + profile->rounds[i].across.length);
    const size_t spared = claim->far_lanes > 0 ? lesser(claim->again / 2, all) : 0;
    for (uint32_t i = 0; i < profile->count && spared > 0; i++) {
        shorten(&profile->rounds[i].near, (double)(all - spared) / (double)all);
        shorten(&profile->rounds[i].across, (double)(all - spared) / (double)all);
    }
}

/* The first messages of these ranks. */
static enum allfold_error profile_first(struct allfold_scales *scales,
                                        const struct allfold_profiled *of,
                                        const struct allfold_claim *claim,
                                        const struct allfold_standing *ranks, int count,
                                        struct allfold_profile *profile)
{
    const uint32_t most = claim->far_lanes > 0 ? 0 : SAMPLED_MESSAGES * of->ports;
    const enum allfold_error error =
        allfold_profile_of(scales->profiler, ranks, count, most, of, profile);
    if (error == ALLFOLD_OK)
        apply_claim(profile, claim);
    else
        *profile = (struct allfold_profile){.rounds = NULL};
    return error;
}

static double by_ranks_s(struct allfold_scales *scales, const struct allfold_profiled *of,
                         const struct allfold_claim *claim, const struct allfold_standing *ranks,
                         int count, struct allfold_profile *profile)
{
    if (profile_first(scales, of, claim, ranks, count, profile) != ALLFOLD_OK)
        return -1;
    const double cost_s = allfold_profiled_cost_s(of->problem, profile);
    if (profile->messages == 0)
        return cost_s;
    if (allfold_are_rounds_bound(of->problem))
        return cost_s * (double)(profile->messages + profile->left_out) / (double)profile->messages;
    return profile->length < claim->rounds
               ? cost_s * (double)claim->rounds / (double)profile->length
               : cost_s;
}

struct standings {
    const struct allfold_standing *ranks;
    int count;
};

static struct standings sample_for(const struct allfold_scales *scales,
                                   const struct allfold_claim *claim)
{
    const bool is_few = claim->rounds > SAMPLED_ROUNDS && !allfold_knows_groups(scales->nodes);
    return is_few ? (struct standings){scales->few, scales->few_count}
                  : (struct standings){scales->sample, scales->count};
}

/* How many ranks of the first node a sample has. */
static int first_of_sample(const struct allfold_scales *scales, struct standings sample)
{
    const int *node_of = scales->nodes->node_of;
    int count = 1;
    while (count < sample.count &&
           node_of[sample.ranks[count].rank] == node_of[sample.ranks[0].rank])
        count++;
    return count;
}

/* Would a sample say more than the ranks of its first node, and never less, and these more than one
 * rank? Between sockets a message may take less than on one, and streams hide rounds on nodes. */
static bool has_node(const struct allfold_scales *scales, const struct allfold_problem *problem,
                     const struct allfold_claim *claim)
{
    const struct standings sample = sample_for(scales, claim);
    return claim->streams <= 1 && scales->nodes->most > 1 && scales->nodes->sockets == NULL &&
           !adds_groups(problem, claim) && first_of_sample(scales, sample) < sample.count;
}

/* What a sample takes at least, by the ranks of its first node. More ranks make no round less, but
 * may make messages shorter in the mean, and the sums are rounded. */
static double by_node_s(struct allfold_scales *scales, const struct allfold_profiled *of,
                        const struct allfold_claim *claim)
{
    static const double rounded = 1 - 1e-9;
    struct allfold_profile profile;
    struct allfold_problem problem = *of->problem;
    const struct standings sample = sample_for(scales, claim);
    if (profile_first(scales, of, claim, sample.ranks, first_of_sample(scales, sample), &profile) !=
        ALLFOLD_OK)
        return -1;
    problem.costs = problem.costs == NULL ? NULL : &scales->least;
    return rounded * allfold_profiled_cost_s(&problem, &profile);
}

/* By some ranks; *is_all: none of them waits for others, or the others are too many. */
static double by_sample_s(struct allfold_scales *scales, const struct allfold_profiled *of,
                          const struct allfold_claim *claim, bool *is_all)
{
    struct allfold_profile profile;
    if (adds_groups(of->problem, claim)) {
        const double more_s = excess_s(scales, of, claim);
        *is_all = true;
        return more_s < 0
                   ? -1
                   : allfold_claimed_on_nodes_s(of->problem, claim, ALLFOLD_NOT_SAID) + more_s;
    }
    const struct standings sample = sample_for(scales, claim);
    struct allfold_profiled followed = *of; /* in trees; rounds of compositions are bounds */
    if (claim->far_lanes == 0 && !allfold_are_rounds_bound(of->problem) &&
        claim->rounds <= 2 * (size_t)ceil_log2(of->problem->group.size))
        followed.rounds = claim->rounds;
    const double cost_s =
        by_ranks_s(scales, &followed, claim, sample.ranks, sample.count, &profile);
    const size_t messages = (profile.messages + profile.left_out) *
                            (size_t)of->problem->group.size / (size_t)sample.count; /* of all */
    *is_all =
        messages > MOST_MESSAGES || (messages > FEW_MESSAGES && profile.length >= claim->rounds);
    return cost_s;
}

/* Are the messages of all ranks counted, as some ranks do not stand for them? Long vectors are left
 * to these: they fill links, whose routes collide, and so all of a group's messages take longer
 * than its links would together. */
static bool counts_all(const struct allfold_scales *scales, const struct allfold_problem *problem,
                       const struct allfold_claim *claim)
{
    const size_t messages = allfold_claim_messages(claim) * (size_t)problem->group.size;
    const size_t bytes = allfold_problem_length(problem) * problem->element_bytes;
    return scales->counts_all && messages <= MOST_MESSAGES_OF_UNLIKE && bytes < COUNTED_BELOW_BYTES;
}

/* Does one rank say something of an algorithm? Of one that knows nodes each has its own part. */
static bool has_one(const struct allfold_scales *scales, const struct allfold_claim *claim)
{
    return claim->far_lanes == 0 && scales->count > SAMPLED_ENDS;
}

/* What an algorithm that knows no nodes takes at least, by one rank, which stands for its node. Its
 * node may well send less than it says. */
static double by_one_s(struct allfold_scales *scales, const struct allfold_profiled *of,
                       const struct allfold_claim *claim)
{
    struct allfold_profile profile;
    const double cost_s = by_ranks_s(scales, of, claim, &scales->one, 1, &profile);
    return cost_s < 0 ? -1 : one_s * cost_s;
}

static double by_all_s(struct allfold_scales *scales, const struct allfold_profiled *of,
                       const struct allfold_claim *claim)
{
    struct allfold_profile profile;
    if (allfold_profile(scales->profiler, of, &profile) != ALLFOLD_OK)
        return -1;
    apply_claim(&profile, claim);
    return allfold_profiled_cost_s(of->problem, &profile);
}

static double scaled_cost_s(struct allfold_scales *scales,
                            const struct allfold_algorithm *algorithm,
                            const struct allfold_problem *problem,
                            const struct allfold_parameters *parameters, enum allfold_care *care)
{
    const struct allfold_claim claim = algorithm->claim(problem, parameters);
    const struct allfold_profiled of = {.algorithm = algorithm,
                                        .problem = problem,
                                        .parameters = parameters,
                                        .ports = allfold_claim_ports(&claim)};
    bool is_all = true;
    double cost_s = 0;
    if (*care == ALLFOLD_BY_ONE && !has_one(scales, &claim))
        *care = ALLFOLD_BY_NODE;
    if (*care == ALLFOLD_BY_NODE && !has_node(scales, problem, &claim))
        *care = ALLFOLD_BY_SAMPLE;
    if (*care == ALLFOLD_BY_SAMPLE && counts_all(scales, problem, &claim))
        *care = ALLFOLD_BY_ALL;
    if (*care == ALLFOLD_BY_CLAIM)
        cost_s = allfold_by_claim_s(problem, &claim, &is_all);
    else if (claim.far_apart) /* whatever groups there are: they share no link */
        cost_s = allfold_claimed_on_nodes_s(problem, &claim, ALLFOLD_NOT_SAID);
    else if (claim.far_lanes > 0 && (claim.far_to_next || claim.rounds > SAMPLED_ROUNDS))
        cost_s = allfold_claimed_on_nodes_s(problem, &claim,
                                            allfold_neighbors_leave(algorithm, problem, &claim));
    else if (claim.rounds > MOST_ROUNDS)
        cost_s = allfold_claimed_between_s(problem, &claim,
                                           allfold_neighbors_leave(algorithm, problem, &claim));
    else if (*care == ALLFOLD_BY_SAMPLE)
        cost_s = by_sample_s(scales, &of, &claim, &is_all);
    else if (*care == ALLFOLD_BY_ALL)
        cost_s = by_all_s(scales, &of, &claim);
    else {
        cost_s = (*care == ALLFOLD_BY_ONE ? by_one_s : by_node_s)(scales, &of, &claim);
        is_all = false;
    }
    *care = is_all ? ALLFOLD_BY_ALL : *care;
    return cost_s;
}

double allfold_placed_cost_s(struct allfold_scales *scales,
                             const struct allfold_algorithm *algorithm,
                             const struct allfold_problem *problem,
                             const struct allfold_parameters *parameters, enum allfold_care *care)
{
    if (scales != NULL && scales->nodes != NULL) {
        struct allfold_problem seen = *problem;
        seen.nodes = scales->nodes;
        return scaled_cost_s(scales, algorithm, &seen, parameters, care);
    }
    const struct allfold_claim claim = algorithm->claim(problem, parameters);
    *care = ALLFOLD_BY_ALL;
    return allfold_claimed_cost_s(problem, &claim);
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
