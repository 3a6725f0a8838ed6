/* Offers (see offers.h). */
#include "algorithms/offers.h"

#include <assert.h>
#include <stdio.h>

#include "util/quantity.h"

static bool is_there(enum allfold_offer_place place, const struct allfold_problem *problem)
{
    switch (place) {
    case ALLFOLD_BETWEEN_NODES:
        return problem->canonical || (problem->nodes != NULL && !problem->one_node);
    case ALLFOLD_ON_ONE_NODE:
        return problem->one_node && !problem->shares_cores;
    case ALLFOLD_ON_SHARED_CORES:
        return problem->shares_cores;
    case ALLFOLD_IN_PLACE:
        return problem->reading != ALLFOLD_READS_COPIES;
    default:
        assert(place == ALLFOLD_CANONICAL_SUMS);
        return problem->canonical;
    }
}

static bool holds(const struct allfold_offer *offer, const struct allfold_problem *problem)
{
    return is_there(offer->place, problem) &&
           (offer->most_ranks == 0 || problem->group.size <= offer->most_ranks) &&
           allfold_problem_length(problem) * problem->element_bytes >= offer->from_bytes;
}

const struct allfold_offer *allfold_missing_offer(const struct allfold_algorithm *algorithm,
                                                  const struct allfold_problem *problem)
{
    const struct allfold_offer *offer = algorithm->offers;
    while (offer != NULL && offer->place != ALLFOLD_OFFERS_END && !holds(offer, problem))
        offer++;
    return offer == NULL || offer->place != ALLFOLD_OFFERS_END ? NULL : algorithm->offers;
}

void allfold_offer_write(const struct allfold_offer *offer, char *text, size_t text_bytes)
{
    static const char *const places[] = {
        [ALLFOLD_BETWEEN_NODES] = "between nodes",
        [ALLFOLD_ON_ONE_NODE] = "on one node",
        [ALLFOLD_ON_SHARED_CORES] = "where ranks share cores",
        [ALLFOLD_IN_PLACE] = "where ranks of a node read vectors in place",
        [ALLFOLD_CANONICAL_SUMS] = "to sums by the canonical tree",
    };
    char size[32], from[48] = "", most[48] = "";
    allfold_size_write(offer->from_bytes, size, sizeof size);
    if (offer->from_bytes > 0)
        snprintf(from, sizeof from, " from %s on", size);
    if (offer->most_ranks > 0)
        snprintf(most, sizeof most, "%s to %d ranks at most", offer->from_bytes > 0 ? "," : "",
                 offer->most_ranks);
    snprintf(text, text_bytes, "%s%s%s", places[offer->place], from, most);
}
