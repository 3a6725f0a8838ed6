/* The guard's findings, kept for later runs (ALLFOLD_GUARD=learn): rows of a table, each for the
 * one shape and size that was measured. */
#ifndef ALLFOLD_MPI_CALL_LEARN_H
#define ALLFOLD_MPI_CALL_LEARN_H

#include <stdint.h>

#include "algorithms/algorithm.h"

/* The algorithm that was found to be faster for a problem. Times are in microseconds; 0: not
 * known. */
struct allfold_learned {
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    double us, native_us;
    uint32_t samples;
};

/* Keeps a finding; of several for one problem, the fastest. Thread-safe. */
void allfold_learn(const struct allfold_problem *problem, const struct allfold_learned *learned);

/* Writes all findings to the file of ALLFOLD_GUARD=learn, on rank 0 of MPI_COMM_WORLD. */
void allfold_learn_finish(void);

#endif
