/* The built-in table, which determines the choice if no rule and no other table does.
 *
 * Its rows (built_in_rows.inc) were computed by simulation (`make tables`) of several classes of
 * networks, which are described in tables/. A row is for one collective, one kind of operation, one
 * class of network, one arrangement of the ranks and one shape, from a number of bytes on. Ranks of
 * a single node have classes of their own, by how they access each other's memory. For other shapes
 * the nearest shape is used, by the logarithms of the number of nodes and of ranks per node. If the
 * class "untold" has a nearer shape than one of the classes that it was computed from, the row of
 * "untold" is used.
 *
 * If ranks in block order are on nodes that are not in the order of the network, an algorithm that
 * does not use the placement runs over renumbered ranks. If an algorithm cannot handle a problem,
 * the runner-up of its row is tried, then the next nearest shape. Nothing here allocates memory.
 * Thread-safe. */
#ifndef ALLFOLD_SELECT_SIMULATED_H
#define ALLFOLD_SELECT_SIMULATED_H

#include "algorithms/algorithm.h"

/* The class of a job's network, or of its single node. */
enum allfold_network_class {
    ALLFOLD_NETWORK_UNTOLD, /* unknown: rows with the minimum regret on the next three classes */
    ALLFOLD_NETWORK_FAT_TREE,
    ALLFOLD_NETWORK_DRAGONFLY,
    ALLFOLD_NETWORK_TORUS,
    ALLFOLD_NETWORK_ETHERNET,    /* cards of at most 25 Gbit/s, or nodes that are containers of one
                                    machine: messages cost their ranks much time */
    ALLFOLD_NETWORK_NODE_COPIES, /* one node whose ranks copy vectors through shared memory */
    ALLFOLD_NETWORK_NODE_NEAR, /* one node whose ranks read vectors in place, on cores that share a
                                  cache */
    ALLFOLD_NETWORK_NODE_FAR,  /* as NODE_NEAR, on cores that share no cache */
    ALLFOLD_NETWORK_NODE_CROWDED, /* one node with more ranks than cores */
    ALLFOLD_NETWORK_CLASSES
};

/* The kind of the operation. */
enum allfold_operation_class {
    ALLFOLD_COMMUTATIVE, /* also if there is no operation */
    ALLFOLD_ORDERED,
    ALLFOLD_CANONICAL,
    ALLFOLD_OPERATION_CLASSES
};

/* A row. The times are microseconds for vectors of at_bytes bytes, the first size at which the row
 * was simulated; for several networks, geometric means. */
struct allfold_simulated_row {
    unsigned char collective, operation, network, in_blocks;
    unsigned short nodes, ppn;
    unsigned int from_bytes, at_bytes;
    float us, runner_up_us;
    unsigned short algorithm, runner_up; /* indices of names; the runner-up is the best other
                                            algorithm, "" if there is none */
};

/* A choice from the table. */
struct allfold_simulated_choice {
    const struct allfold_simulated_row *row;
    bool is_runner_up;
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
};

/* Returns "untold", "fat_tree", "node_copies" and so on. */
const char *allfold_network_class_name(enum allfold_network_class network);

/* Returns the class of the network of a problem's ranks. If their placement is unknown, each rank
 * counts as a node. */
enum allfold_network_class allfold_network_class_of(const struct allfold_problem *problem);

/* Finds the choice for a problem. False if no row can handle it. */
bool allfold_simulated_find(const struct allfold_problem *problem,
                            struct allfold_simulated_choice *choice);

/* Finds the runner-up of a row. False if there is none that can handle the problem. The row's first
 * algorithm must be able to handle it. */
bool allfold_simulated_runner_up(const struct allfold_problem *problem,
                                 const struct allfold_simulated_row *row,
                                 struct allfold_simulated_choice *choice);

/* Returns the name with that index, in the syntax of rules. */
const char *allfold_simulated_name(unsigned number);

/* Returns all rows, to print or check them. */
const struct allfold_simulated_row *allfold_simulated_rows(uint32_t *count);

#endif
