/* What the tests of the simulator share. */
#ifndef ALLFOLD_TEST_SUPPORT_SIMULATE_H
#define ALLFOLD_TEST_SUPPORT_SIMULATE_H

#include "lab/simulate/simulator.h"

/* What is simulated: an algorithm on nodes x ppn ranks. */
struct simulated_case {
    enum allfold_collective collective;
    const char *name;
    int nodes, ppn;
    size_t bytes;
    const struct allfold_network *network;
    size_t parameter[ALLFOLD_MAX_PARAMETERS]; /* 0: preset */
    size_t memory_bytes;                      /* 0: much */
    uint32_t window;                          /* 0: preset */
    int root;
};

/* A network from its text. */
struct allfold_network network_of(const char *text);

/* Simulates elements of one byte. Fails the test where that is not possible. */
struct allfold_simulated simulated(struct simulated_case of);

/* The same, but gives the error and its words. */
enum allfold_error try_simulated(struct simulated_case of, struct allfold_simulated *result,
                                 char *message, size_t message_bytes);

/* Ranks 0 .. nodes x ppn - 1 in blocks. Freed with allfold_nodes_free. */
const struct allfold_nodes *block_nodes(int nodes, int ppn);

/* Fails unless two times are the same but for some picoseconds in each step. */
void assert_time(const char *what, int p, double found_s, double expected_s);

#endif
