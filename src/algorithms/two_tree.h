/* Two binary trees over n ranks, each with one half of the segments, so that every rank is busy:
 * no rank has children in both. Sanders, Speck and Traeff 2009. Pure functions.
 *
 * The first tree numbers its ranks in order: a rank lies between its children's subtrees. The
 * second is its mirror image. Where n is odd, rank n - 1 has no children and is no rank's mirror
 * image.
 *
 * Invariant: as each second child's subtree has an even number of ranks with children, the times
 * at which a rank receives in the two trees differ by an odd number. So with a segment of each tree
 * every two rounds, a rank sends one message and receives one in a round. */
#ifndef ALLFOLD_ALGORITHMS_TWO_TREE_H
#define ALLFOLD_ALGORITHMS_TWO_TREE_H

#include <stdbool.h>

/* A rank's place in one of the trees. */
struct two_tree_place {
    int parent; /* n at the root; -1 at n */
    int time;   /* the round in which it receives the first segment: at the root 1 + tree */
    int child_count;
    int children[2]; /* in the order in which they are sent to */
    int times[2];    /* theirs */
};

/* The place of rank i in tree 0 or 1; i = n is the parent of both roots, if there is one. n > 0. */
struct two_tree_place allfold_two_tree(int n, int tree, int i);

/* The rounds after which all n ranks of a tree have a segment that its root receives in round 1; at
 * most 1.45 lg n + 2. */
int allfold_two_tree_rounds(int n);

/* No tree over more ranks takes as few rounds, or none with an even number of ranks with children.
 */
bool allfold_two_tree_is_full(int n);

#endif
