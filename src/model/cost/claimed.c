/* Costs on a placement by claims alone (see claimed.h). */
#include "model/cost/claimed.h"

#include "algorithms/nodes.h"
#include "algorithms/peers.h"

enum { MOST_PORTS = 16 };

static size_t at_least_one(size_t count)
{
    return count > 0 ? count : 1;
}

enum allfold_leaving allfold_neighbors_leave(const struct allfold_algorithm *algorithm,
                                             const struct allfold_problem *problem,
                                             const struct allfold_claim *claim)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const bool is_in_order = claim->far_lanes > 0 && nodes->groups != NULL
                                 ? nodes->groups->is_in_order
                                 : nodes->is_in_order;
    return algorithm->renumbers || claim->far_along || is_in_order ? ALLFOLD_ONE_NODE
                                                                   : ALLFOLD_ALL_NODES;
}

/* How many others a group has below the same next one. */
static size_t other_groups(const struct allfold_nodes *groups)
{
    const int above = groups->groups == NULL ? 1 : groups->groups->count;
    return ceil_divide((size_t)groups->count, (size_t)above) - 1;
}

static void guess_groups(const struct allfold_nodes *nodes, enum allfold_leaving leaving,
                         struct allfold_round *round)
{
    const struct allfold_nodes *groups = nodes->groups;
    for (int l = 0; l < ALLFOLD_GROUP_LEVELS && groups != NULL; l++, groups = groups->groups) {
        if (leaving == ALLFOLD_NOT_SAID)
            return;
        round->group[l] = round->node;
        round->pair[l] = round->node.length;
        if (leaving == ALLFOLD_ALL_NODES) {
            round->group[l].length *= (size_t)allfold_most_nodes(nodes, l);
            round->pair[l] = round->group[l].length / at_least_one(other_groups(groups));
        }
    }
}

/* Those of a rank on its node, at least one a round. A composition's rounds between the nodes may
 * have more or fewer messages at a time than the others. */
static size_t near_messages_of(const struct allfold_claim *claim)
{
    const size_t near = claim->rounds - claim->far_rounds;
    const size_t far_messages = claim->far_rounds * at_least_one(claim->far_ports);
    if (claim->messages == 0)
        return near * allfold_claim_ports(claim);
    return claim->messages > far_messages + near ? claim->messages - far_messages : near;
}

void allfold_note_claim(struct allfold_profile *profile, const struct allfold_claim *claim)
{
    profile->streams = claim->streams;
    profile->to_neighbors = claim->far_to_next || claim->far_apart;
}

static double rounds_cost_s(const struct allfold_problem *problem,
                            const struct allfold_claim *claim, struct allfold_round *rounds,
                            uint32_t count)
{
    struct allfold_profile profile = {.rounds = rounds, .count = count};
    allfold_note_claim(&profile, claim);
    return allfold_profiled_cost_s(problem, &profile);
}

/* Does the claim say which rounds leave no socket, where that matters? An algorithm of the node
 * that knows no sockets does not. */
static bool says_sockets(const struct allfold_problem *problem, const struct allfold_claim *claim)
{
    return claim->within_rounds > 0 || problem->nodes->sockets == NULL ||
           !allfold_knows_sockets(problem);
}

double allfold_claimed_on_nodes_s(const struct allfold_problem *problem,
                                  const struct allfold_claim *claim, enum allfold_leaving leaving)
{
    const size_t ports = at_least_one(claim->far_ports), lanes = claim->far_lanes;
    const size_t far = at_least_one(claim->far_rounds), near = claim->rounds - claim->far_rounds;
    const size_t sent = claim->far_sent / far, sent_by_rank = claim->far_sent / lanes;
    const size_t serial = allfold_claim_serial(claim);
    const bool has_other_ranks = claim->far_beside && lanes < (size_t)problem->nodes->most;
    const size_t beyond = has_other_ranks ? 0 : sent_by_rank; /* these send on their node alone */
    const size_t all_own = serial > beyond ? serial - beyond : 0;
    const size_t own = all_own > claim->again / 2 ? all_own - claim->again / 2 : 0;
    const size_t near_messages =
        has_other_ranks ? allfold_claim_messages(claim) : near_messages_of(claim);
    const struct allfold_load on_node = {ceil_divide(near_messages, at_least_one(near)),
                                         own / at_least_one(near)};
    const size_t worked = claim->reduced + claim->copied; /* both go through the rank's core */
    const bool has_sockets = problem->nodes->sockets != NULL;
    const size_t across = lesser(claim->across_rounds, near);
    const size_t within = claim->within_rounds > 0 ? claim->within_rounds : near - across;
    struct allfold_round rounds[] = {
        {.far = {ports, sent / lanes},
         .node = {ports * lanes, sent},
         .cables = claim->far_apart ? ports : 1, /* which all lanes share */
         .times = claim->far_rounds},
        {.near = on_node, .reduced = worked / at_least_one(near), .times = within},
        {.across = on_node, .reduced = worked / at_least_one(near), .times = near - within},
    };
    if (claim->far_beside) {
        *(has_sockets ? &rounds[0].across : &rounds[0].near) =
            (struct allfold_load){ceil_divide(near_messages, far), own / far};
        rounds[0].beside = worked / far;
        rounds[1].times = rounds[2].times = 0;
    }
    guess_groups(problem->nodes, leaving, &rounds[0]);
    return rounds_cost_s(problem, claim, rounds, 3);
}

bool allfold_are_rounds_bound(const struct allfold_problem *problem)
{
    return problem->begins != NULL;
}

/* What an algorithm that knows no nodes takes at least. A node has to get what it lacks, once, and
 * a rank cannot have more rounds on its node than halving and doubling have there. */
static double least_s(const struct allfold_problem *problem, const struct allfold_claim *claim)
{
    const size_t claimed = at_least_one(claim->rounds), vector = allfold_problem_length(problem);
    const size_t rounds = allfold_are_rounds_bound(problem)
                              ? lesser(claimed, (size_t)ceil_log2(problem->group.size))
                              : claimed;
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
    return rounds_cost_s(problem, claim, parts, 2);
}

double allfold_claimed_between_s(const struct allfold_problem *problem,
                                 const struct allfold_claim *claim, enum allfold_leaving leaving)
{
    const size_t ports = allfold_claim_ports(claim), ranks = (size_t)problem->nodes->most;
    const size_t length = allfold_claim_carried(claim) / claim->rounds;
    struct allfold_round round = {.far = {ports, length},
                                  .node = {ports * ranks, length * ranks},
                                  .beside = claim->reduced / claim->rounds,
                                  .times = claim->rounds};
    guess_groups(problem->nodes, leaving, &round);
    return rounds_cost_s(problem, claim, &round, 1);
}

/* Do ranks send to so many at a time that nearly all of these are on other nodes? */
static bool is_wide(const struct allfold_claim *claim)
{
    return claim->far_lanes == 0 && allfold_claim_ports(claim) > MOST_PORTS;
}

/* Of uneven nodes a claim of an algorithm that knows nodes is a bound; what it is taken for then,
 * as long as nobody looks. */
static const double bound_s = 0.7;

bool allfold_is_claim_enough(const struct allfold_problem *problem,
                             const struct allfold_claim *claim)
{
    const struct allfold_nodes *nodes = problem->nodes;
    return claim->far_lanes > 0 && allfold_nodes_are_like(nodes) && nodes->most > 1 &&
           says_sockets(problem, claim);
}

double allfold_by_claim_s(const struct allfold_problem *problem, const struct allfold_claim *claim,
                          bool *is_all)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const bool is_even = allfold_nodes_are_like(nodes);
    *is_all = is_wide(claim) || (nodes->groups == NULL && allfold_is_claim_enough(problem, claim));
    if (claim->far_lanes == 0)
        return *is_all ? allfold_claimed_between_s(problem, claim, ALLFOLD_ALL_NODES)
                       : least_s(problem, claim);
    return (is_even ? 1 : bound_s) * allfold_claimed_on_nodes_s(problem, claim, ALLFOLD_NOT_SAID);
}
