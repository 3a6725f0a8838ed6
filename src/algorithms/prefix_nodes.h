/* Scan and exscan in which one rank of each node communicates with the other nodes.
 *
 * Each node does the collective on its own. Then its last rank has the reduction over the node.
 * These last ranks do an exscan, and send its result to all ranks of their node, which put it
 * before their own result.
 *
 * Invariant: nodes consist of consecutive ranks. So the ranks below a node are those of the
 * previous nodes, and operands stay in rank order. */
#ifndef ALLFOLD_ALGORITHMS_PREFIX_NODES_H
#define ALLFOLD_ALGORITHMS_PREFIX_NODES_H

#include "algorithms/algorithm.h"

/* For descriptors whose parameters are the collective on a node and the exscan between nodes. */
void allfold_build_prefix_on_nodes(struct allfold_builder *s, const struct allfold_problem *problem,
                                   const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_prefix_on_nodes(const struct allfold_problem *problem,
                                                   const struct allfold_parameters *parameters);
const char *allfold_unmet_prefix_on_nodes(const struct allfold_problem *problem,
                                          const struct allfold_parameters *parameters);

#endif
