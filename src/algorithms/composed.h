/* Compositions: algorithms that let other algorithms, called inner, work on parts of the ranks.
 * Bienz et al. 2019, section III; multi-lane: Traeff and Hunold, arXiv 1910.13373.
 *
 * The descriptor of an inner algorithm sets `is_inner`, and parameters of the composition select
 * one. The composition needs what its inner algorithms need. */
#ifndef ALLFOLD_ALGORITHMS_COMPOSED_H
#define ALLFOLD_ALGORITHMS_COMPOSED_H

#include "algorithms/algorithm.h"

/* An inner algorithm, its group of ranks and its data. Spans are in the outer algorithm's buffers.
 */
struct inner {
    struct allfold_named named;
    struct allfold_group group;
    /* Of the group, for example the sockets of a node; NULL: none. */
    const struct allfold_nodes *nodes;
    int root;     /* index in the group */
    size_t count; /* length of the vector; if it consists of blocks, of all blocks */
    struct allfold_span in, out;
    /* For blocks of different lengths: the offset of each block, and at the end the vector's
     * length; NULL: lengths differ by at most one, longer blocks first. */
    const size_t *begins;
};

/* Returns the group of all ranks of rank r's node. */
struct allfold_group allfold_node_group(const struct allfold_nodes *nodes, int r);

/* Returns the group of all ranks of a lane, seen from its rank on node n. */
struct allfold_group allfold_lane_group(const struct allfold_nodes *nodes, int lane, int n);

/* Returns the group of the leaders of all nodes, seen from that of node n. */
struct allfold_group allfold_leader_group(const struct allfold_nodes *nodes, int n);

/* Returns the problem of the inner algorithm on `size` ranks with `count` elements, seen from index
 * 0. Its nodes are `nodes`: the sockets of the node of these ranks, or NULL. */
struct allfold_problem allfold_inner_problem(const struct allfold_problem *problem,
                                             const struct allfold_algorithm *algorithm, int size,
                                             size_t count, const struct allfold_nodes *nodes);

/* Writes the inner algorithm's program. A span that the rank does not use may have length 0. */
void allfold_build_inner(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct inner *inner);

/* Writes the inner algorithm's program for a group of one rank per node, in the order of the nodes.
 * An inner algorithm that needs cables gets those between the nodes; `inner->nodes` is ignored. */
void allfold_build_between_nodes(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct inner *inner);

/* Writes the inner algorithm's program on this rank's node, with the node's sockets as its nodes.
 * If it has a root, that is the lowest rank. */
void allfold_build_on_node(struct allfold_builder *s, const struct allfold_problem *problem,
                           struct allfold_named named, size_t count, struct allfold_span in,
                           struct allfold_span out);

/* Returns the need of the inner algorithm on `size` ranks that is not met, or NULL; for the `unmet`
 * of descriptors. */
const char *allfold_inner_unmet(const struct allfold_problem *problem, struct allfold_named named,
                                int size, size_t count, const struct allfold_nodes *nodes);

/* Returns the unmet need of the inner algorithm in a group of one rank per node, or NULL. */
const char *allfold_inner_unmet_between_nodes(const struct allfold_problem *problem,
                                              struct allfold_named named, size_t count);

/* Returns the unmet need of the inner algorithm on any node on its own, or NULL. */
const char *allfold_inner_unmet_on_nodes(const struct allfold_problem *problem,
                                         struct allfold_named named, size_t count);

/* Returns the claim of the inner algorithm on `size` ranks. */
struct allfold_claim allfold_inner_claim(const struct allfold_problem *problem,
                                         struct allfold_named named, int size, int root,
                                         size_t count, const struct allfold_nodes *nodes);

/* Adds the claim of the inner algorithm on `size` ranks: its rounds follow the other rounds. */
void allfold_add_claim(struct allfold_claim *claim, const struct allfold_problem *problem,
                       struct allfold_named named, int size, size_t count,
                       const struct allfold_nodes *nodes);

/* Adds the claim of an inner algorithm between nodes that `lanes` ranks of each node run at a time,
 * each of them with the ranks of its lane. */
void allfold_add_far_claim(struct allfold_claim *claim, const struct allfold_problem *problem,
                           struct allfold_named named, int lanes, int root, size_t count);

/* Adds the maximum of the claims of an inner algorithm on each node. `root` is the index of the
 * root on its node or, between nodes, that of its node. */
void allfold_add_claim_of_nodes(struct allfold_claim *claim, const struct allfold_problem *problem,
                                struct allfold_named named, int root, size_t count);

/* The inner allreduces of ranks of a node, if only some ranks contribute. All nodes must use the
 * same order of summation. If all ranks of a node contribute, and all nodes have the same sockets,
 * `sees` is used, with these sockets. Otherwise `blind` is used, without sockets. */
struct partial_allreduce {
    struct allfold_named sees, blind;
};

/* Writes an allreduce of the contributions of the first `size` ranks of this rank's node, into OUT
 * of all ranks of the node. The other ranks get the result from the first ones. `mine` is this
 * rank's contribution. All nodes must have the same number of ranks. */
void allfold_build_partial_allreduce(struct allfold_builder *s,
                                     const struct allfold_problem *problem,
                                     const struct partial_allreduce *by, int size,
                                     struct allfold_span mine);

/* Adds the maximum claim of that allreduce over all sizes from least_size, 2 or more, to most_size.
 */
void allfold_add_partial_claim(struct allfold_claim *claim, const struct allfold_problem *problem,
                               const struct partial_allreduce *by, int least_size, int most_size);

/* Returns the need of that allreduce for any size from 2 on, or of `sees` on any node with its
 * sockets, that is not met, or NULL. */
const char *allfold_partial_unmet(const struct allfold_problem *problem,
                                  const struct partial_allreduce *by);

/* Returns the need that ranks of a node are consecutive, if the operation is not commutative and
 * they are not; otherwise NULL. */
const char *allfold_unmet_blocks(const struct allfold_problem *problem);

/* The parameters of a collective of blocks that works by lanes: an algorithm on each node, and one
 * on each lane. All nodes must have the same number of ranks. */
enum { ALLFOLD_BY_LANES_NODE, ALLFOLD_BY_LANES_LANE };

/* Returns the need of these parameters that is not met, or NULL. */
const char *allfold_by_lanes_unmet(const struct allfold_problem *problem,
                                   const struct allfold_parameters *parameters);

/* Returns the unmet need of these parameters for a collective of whole vectors with a root, or
 * NULL. */
const char *allfold_lanes_of_root_unmet(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters);

/* For the `keeps_tree` of compositions by nodes whose parts keep the canonical tree. If each node
 * has the same number 2^k of consecutive ranks, its ranks are a subtree of the canonical tree, and
 * the nodes are the leaves of the rest. */
bool allfold_nodes_keep_tree(const struct allfold_problem *problem,
                             const struct allfold_parameters *parameters);

/* For the `keeps_tree` of compositions that also need 2^k nodes, so that parts with the same number
 * of nodes are subtrees, too. */
bool allfold_like_nodes_keep_tree(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters);

/* The shared part of the SMP algorithms, in which one rank of each node communicates with the other
 * nodes: Bienz et al. 2019, section II.
 *
 * Returns the index on its node of these ranks: that of the root, so that the root is one of them.
 * 0 if a node has too few ranks for that index. */
int allfold_smp_lane(const struct allfold_problem *problem);

/* Returns the claim of `on_nodes` on each node and `between` among these ranks. If the root is not
 * such a rank, the message between the two is included. */
struct allfold_claim allfold_smp_claim(const struct allfold_problem *problem,
                                       struct allfold_named on_nodes, struct allfold_named between);

/* The parameters of the SMP algorithms. */
enum { ALLFOLD_SMP_NODE, ALLFOLD_SMP_LEADERS };

/* Returns the need of these parameters that is not met, or NULL; for the `unmet` of descriptors. */
const char *allfold_smp_unmet(const struct allfold_problem *problem,
                              const struct allfold_parameters *parameters);

#endif
