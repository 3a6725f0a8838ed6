/* Edge-disjoint spanning trees of a graph of cables: a maximum number of trees, with heights that a
 * bounded search reduces. Deterministic: the same cables give the same trees on all ranks.
 *
 * The maximum number is the base packing of the graph's cycle matroid (Tutte 1961, Nash-Williams
 * 1961). The trees are found by augmenting paths: Roskind and Tarjan, A note on finding
 * minimum-cost edge-disjoint spanning trees (1985). */
#ifndef ALLFOLD_TOPOLOGY_SPANNING_TREES_H
#define ALLFOLD_TOPOLOGY_SPANNING_TREES_H

#include "topology/cables.h"

/* Lists the cables of the nodes as allfold_cables_list does, and finds their trees. Returns false
 * if out of memory. The caller frees *cables with allfold_cables_free. */
bool allfold_cables_make(int nodes, const struct allfold_cable *pairs, int count,
                         struct allfold_cables **cables);

#endif
