/* Compositions: algorithms that let others work on parts of the ranks. Bienz et al. 2019, section
 * III; multi-lane: Traeff and Hunold, arXiv 1910.13373.
 *
 * The others are called inner: their descriptors say so (`is_inner`), and parameters choose among
 * them. What an inner algorithm needs is needed of the composition. */
#ifndef ALLFOLD_ALGORITHMS_COMPOSED_H
#define ALLFOLD_ALGORITHMS_COMPOSED_H

#include "algorithms/algorithm.h"

/* A part of the ranks and what they do. Spans are of the outer algorithm's buffers. */
struct inner {
    struct allfold_named named;
    struct allfold_group group;
    const struct allfold_nodes *nodes; /* of the group, as the sockets of a node; NULL: none */
    int root;                          /* index in the group */
    size_t count; /* of the vector; of a collective of blocks, of all of them */
    struct allfold_span in, out;
    const size_t *begins; /* of blocks that may differ: where each begins, and last the vector's
                             length. NULL: their lengths differ by one at most, the longer first */
};

/* All ranks of a node, rank r's own; all ranks of a lane, as one of node n sees it; the leaders. */
struct allfold_group allfold_node_group(const struct allfold_nodes *nodes, int r);
struct allfold_group allfold_lane_group(const struct allfold_nodes *nodes, int lane, int n);
struct allfold_group allfold_leader_group(const struct allfold_nodes *nodes, int n);

/* What `size` ranks with `count` elements ask of it, seen from index 0. Of nodes the inner
 * algorithm knows `nodes` alone: the sockets of the node that these ranks are, or NULL. */
struct allfold_problem allfold_inner_problem(const struct allfold_problem *problem,
                                             const struct allfold_algorithm *algorithm, int size,
                                             size_t count, const struct allfold_nodes *nodes);

/* Writes the inner algorithm's program. A span that a rank has no use for may be of length 0. */
void allfold_build_inner(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct inner *inner);

/* The same for a group of one rank of each node, in the order of the nodes. An inner algorithm that
 * needs cables sees those of the nodes; `inner->nodes` is of no use. */
void allfold_build_between_nodes(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct inner *inner);

/* The same on this rank's node, whose sockets the inner algorithm sees. Where it has a root, that
 * is the lowest rank. */
void allfold_build_on_node(struct allfold_builder *s, const struct allfold_problem *problem,
                           struct allfold_named named, size_t count, struct allfold_span in,
                           struct allfold_span out);

/* What `size` ranks need for it, in words, or NULL; for the `unmet` of descriptors. */
const char *allfold_inner_unmet(const struct allfold_problem *problem, struct allfold_named named,
                                int size, size_t count, const struct allfold_nodes *nodes);

/* The same for one rank of each node. */
const char *allfold_inner_unmet_between_nodes(const struct allfold_problem *problem,
                                              struct allfold_named named, size_t count);

/* The same for each node on its own. */
const char *allfold_inner_unmet_on_nodes(const struct allfold_problem *problem,
                                         struct allfold_named named, size_t count);

/* What `size` ranks claim of it. */
struct allfold_claim allfold_inner_claim(const struct allfold_problem *problem,
                                         struct allfold_named named, int size, int root,
                                         size_t count, const struct allfold_nodes *nodes);

/* Adds what `size` ranks claim of it: rounds one after the other, the rest on top. */
void allfold_add_claim(struct allfold_claim *claim, const struct allfold_problem *problem,
                       struct allfold_named named, int size, size_t count,
                       const struct allfold_nodes *nodes);

/* Adds the claim of an algorithm that `lanes` ranks of each node run at a time, each with those of
 * its number on the other nodes. */
void allfold_add_far_claim(struct allfold_claim *claim, const struct allfold_problem *problem,
                           struct allfold_named named, int lanes, int root, size_t count);

/* The same for the most that any node claims of it on its own. The root is its index on the node,
 * or, above, that of its node. */
void allfold_add_claim_of_nodes(struct allfold_claim *claim, const struct allfold_problem *problem,
                                struct allfold_named named, int root, size_t count);

/* Who does an allreduce of what some ranks of a node contribute. All nodes have to sum in the
 * same order. Where all ranks of a node contribute, and all nodes have the same sockets, `sees`
 * does it and sees these sockets. Else `blind` does it and knows no sockets. */
struct partial_allreduce {
    struct allfold_named sees, blind;
};

/* An allreduce of what the first `size` ranks of this rank's node contribute, into OUT of all of
 * its ranks. The others get it from the first ones. This rank contributes `mine`. Nodes have as
 * many ranks each. */
void allfold_build_partial_allreduce(struct allfold_builder *s,
                                     const struct allfold_problem *problem,
                                     const struct partial_allreduce *by, int size,
                                     struct allfold_span mine);

/* Adds the most that this claims for any size from the least, 2 or more, to the most. */
void allfold_add_partial_claim(struct allfold_claim *claim, const struct allfold_problem *problem,
                               const struct partial_allreduce *by, int least_size, int most_size);

/* What this needs for some size from 2 on, or `sees` on some node with its sockets; in words, or
 * NULL. */
const char *allfold_partial_unmet(const struct allfold_problem *problem,
                                  const struct partial_allreduce *by);

/* Where operations do not commute, the ranks of a node have to be next to each other. */
const char *allfold_unmet_blocks(const struct allfold_problem *problem);

/* The parameters of a collective of blocks that goes by lanes: an algorithm on each node, and one
 * among the ranks with one number on their nodes. Nodes have as many ranks each. */
enum { ALLFOLD_BY_LANES_NODE, ALLFOLD_BY_LANES_LANE };
const char *allfold_by_lanes_unmet(const struct allfold_problem *problem,
                                   const struct allfold_parameters *parameters);

/* The same of a collective of whole vectors with a root. */
const char *allfold_lanes_of_root_unmet(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters);

/* For the `keeps_tree` of compositions by nodes, whose parts keep the canonical tree. On each node
 * the same number 2^k of ranks next to each other is a subtree of that tree. The nodes are the
 * leaves of what is left.
 */
bool allfold_nodes_keep_tree(const struct allfold_problem *problem,
                             const struct allfold_parameters *parameters);

/* The same of 2^k nodes, so that parts of equally many nodes are subtrees, too. */
bool allfold_like_nodes_keep_tree(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters);

/* What the SMP algorithms share: one rank of each node deals with the other nodes. Bienz et al.
 * 2019, section II.
 *
 * The number of these ranks on their nodes: the root's, so that the root is one of them. It is 0
 * where a node has too few ranks for that number. */
int allfold_smp_lane(const struct allfold_problem *problem);

/* What `on_nodes` on each node and `between` among these ranks claim together. The root may not be
 * the one of its node; then the message between the two is claimed, too. */
struct allfold_claim allfold_smp_claim(const struct allfold_problem *problem,
                                       struct allfold_named on_nodes, struct allfold_named between);

/* For the `unmet` of descriptors: what their parameters need together. */
enum { ALLFOLD_SMP_NODE, ALLFOLD_SMP_LEADERS };
const char *allfold_smp_unmet(const struct allfold_problem *problem,
                              const struct allfold_parameters *parameters);

#endif
