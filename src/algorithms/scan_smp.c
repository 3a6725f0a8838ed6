/* SMP scan: one rank of each node communicates with the other nodes, as in Bienz et al. 2019,
 * section II.
 *
 * See prefix_nodes.h, which has one program for scan and exscan. */
#include "algorithms/all.h"
#include "algorithms/prefix_nodes.h"

const struct allfold_algorithm allfold_scan_smp = {
    .name = "smp",
    .collective = ALLFOLD_SCAN,
    .source = "Bienz et al. 2019, section II, for prefixes",
    .summary = "a scan on each node, an exscan of the nodes, and its result to all ranks of a node",
    .use = "short vectors on several nodes whose ranks are next to each other: rounds between "
           "nodes are lg(nodes), and each node sends one vector in each",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_INNER_ON_NODE("the scan on a node", &allfold_scan_simultaneous_trees),
                   ALLFOLD_INNER("lasts", "the exscan among the last ranks of the nodes",
                                 &allfold_exscan_doubling_123)},
    .build = allfold_build_prefix_on_nodes,
    .claim = allfold_claim_prefix_on_nodes,
    .unmet = allfold_unmet_prefix_on_nodes,
};
