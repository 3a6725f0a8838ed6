/* The built-in table: what is chosen where no rule and no table of the user's holds.
 *
 * Its rows (built_in_rows.inc) were computed by simulation (`make tables`) on networks of a few
 * classes, whose texts are in tables/. A row holds for one collective, one kind of operation,
 * one class of network, one arrangement of the ranks and one shape, from a number of bytes on.
 * Ranks of one node are a class by how they reach each other's memory. Between shapes the nearest
 * one holds, by the logarithms of nodes and of ranks on a node. Where untold has a nearer shape
 * than a class of the networks that it was computed on, the row of untold holds.
 *
 * Where ranks in blocks are on nodes in another order than the network's, an algorithm that does
 * not use the placement runs over renumbered ranks. An algorithm that cannot serve a problem gives
 * way to the row's runner-up, then to the next nearest shape. Nothing here allocates. */
#ifndef ALLFOLD_SELECT_SIMULATED_H
#define ALLFOLD_SELECT_SIMULATED_H

#include "algorithms/algorithm.h"

/* What is known of a job's network, or of its one node. */
enum allfold_network_class {
    ALLFOLD_NETWORK_UNTOLD, /* nothing: the rows are of least regret on the next three */
    ALLFOLD_NETWORK_FAT_TREE,
    ALLFOLD_NETWORK_DRAGONFLY,
    ALLFOLD_NETWORK_TORUS,
    ALLFOLD_NETWORK_ETHERNET,     /* cards of at most 25 Gbit/s, or nodes that are containers of one
                                     machine: messages take their ranks much time */
    ALLFOLD_NETWORK_NODE_COPIES,  /* one node, whose ranks copy vectors through shared memory */
    ALLFOLD_NETWORK_NODE_NEAR,    /* they read vectors in place, on cores that are near */
    ALLFOLD_NETWORK_NODE_FAR,     /* or far */
    ALLFOLD_NETWORK_NODE_CROWDED, /* it has more ranks than cores */
    ALLFOLD_NETWORK_CLASSES
};

enum allfold_operation_class {
    ALLFOLD_COMMUTATIVE, /* or there is no operation */
    ALLFOLD_ORDERED,
    ALLFOLD_CANONICAL,
    ALLFOLD_OPERATION_CLASSES
};

/* Times are microseconds at `at_bytes`, the first size at which the row was simulated; of several
 * networks their geometric means. */
struct allfold_simulated_row {
    unsigned char collective, operation, network, in_blocks;
    unsigned short nodes, ppn;
    unsigned int from_bytes, at_bytes;
    float us, runner_up_us;
    unsigned short algorithm, runner_up; /* numbers of names; the runner-up is the best of another
                                            algorithm, and its name is "" where there is none */
};

struct allfold_simulated_choice {
    const struct allfold_simulated_row *row;
    bool is_runner_up;
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
};

/* "untold", "fat_tree", "node_copies" and so on. */
const char *allfold_network_class_name(enum allfold_network_class network);

/* The class that a problem's ranks are of. Ranks of unknown nodes count as one a node. */
enum allfold_network_class allfold_network_class_of(const struct allfold_problem *problem);

/* The choice for a problem; false where no row serves. */
bool allfold_simulated_find(const struct allfold_problem *problem,
                            struct allfold_simulated_choice *choice);

/* The runner-up of a row, for a problem that the row's first serves; false where it has none that
 * serves. */
bool allfold_simulated_runner_up(const struct allfold_problem *problem,
                                 const struct allfold_simulated_row *row,
                                 struct allfold_simulated_choice *choice);

/* A name by its number, as rules have it. */
const char *allfold_simulated_name(unsigned number);

/* All rows, for those who print or check them. */
const struct allfold_simulated_row *allfold_simulated_rows(uint32_t *count);

#endif
