/* The most edge-disjoint spanning trees of a graph of cables, made as shallow as a bounded search
 * finds. Pure functions: the same cables give the same trees everywhere.
 *
 * How many there are is the base packing of the graph's cycle matroid (Tutte 1961, Nash-Williams
 * 1961). They are found by augmenting paths: Roskind and Tarjan, A note on finding minimum-cost
 * edge-disjoint spanning trees (1985). */
#ifndef ALLFOLD_TOPOLOGY_SPANNING_TREES_H
#define ALLFOLD_TOPOLOGY_SPANNING_TREES_H

#include "topology/cables.h"

/* Lists the cables of the nodes (allfold_cables_list), and deals them out to trees. False
 * without memory. */
bool allfold_cables_make(int nodes, const struct allfold_cable *pairs, int count,
                         struct allfold_cables **cables);

#endif
