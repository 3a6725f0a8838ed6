/* Costs on a placement by claims alone: what algorithms say of themselves, with no program asked.
 */
#ifndef ALLFOLD_MODEL_CLAIMED_H
#define ALLFOLD_MODEL_CLAIMED_H

#include "algorithms/costs.h"
#include "model/cost/price.h"

/* How many nodes of a group send beyond it in a round, where nobody counts them. */
enum allfold_leaving { ALLFOLD_NOT_SAID, ALLFOLD_ONE_NODE, ALLFOLD_ALL_NODES };

/* In so many rounds that nobody counts them, ranks mostly go on to their neighbors. What knows
 * nodes goes from node to node, whatever the order of the ranks. */
enum allfold_leaving allfold_neighbors_leave(const struct allfold_algorithm *algorithm,
                                             const struct allfold_problem *problem,
                                             const struct allfold_claim *claim);

/* What a claim says of all rounds of a profile. Neighbors are those in the order of the nodes, and
 * those at the end of a cable. */
void allfold_note_claim(struct allfold_profile *profile, const struct allfold_claim *claim);

/* Are the claim's rounds only a bound? Blocks of any lengths flow, and have mostly fewer. */
bool allfold_are_rounds_bound(const struct allfold_problem *problem);

/* Does the claim say as much of the nodes as a profile does? */
bool allfold_is_claim_enough(const struct allfold_problem *problem,
                             const struct allfold_claim *claim);

/* What an algorithm that knows nodes says of them: the rounds between nodes, and the others before
 * and behind or beside these. Half of what an element takes on a node is to write it, and half to
 * read it. What goes to several peers is written once. An algorithm of the node that knows no
 * sockets does not say which of its rounds leave them, and as few as can be are taken to. */
double allfold_claimed_on_nodes_s(const struct allfold_problem *problem,
                                  const struct allfold_claim *claim, enum allfold_leaving leaving);

/* As if all ranks of a node sent beyond it in each round. For so many rounds, or messages at a
 * time, that counting them would take longer than many calls. */
double allfold_claimed_between_s(const struct allfold_problem *problem,
                                 const struct allfold_claim *claim, enum allfold_leaving leaving);

/* By its claim; *is_all: that says as much as a profile does (unit.test_profile). Of groups claims
 * say nothing. */
double allfold_by_claim_s(const struct allfold_problem *problem, const struct allfold_claim *claim,
                          bool *is_all);

#endif
