/* Sparse runs: messages that are shorter where their data repeats itself, by the run-length code
 * (kernels/rle.h). After Hofmann and Ruenger, MPI Reduction Operations for Sparse Floating-Point
 * Data, section 3; here for any schedule.
 *
 * A block that is as long as its vector is the vector. So each sender decides about each message by
 * itself, and a receiver tells by the length that came. Ranks need not agree on anything, and
 * results are bitwise identical, whoever decides what.
 *
 * What is asked for is always tried (`is_auto` false). Else a message is looked at in a few places
 * first. Where the network's rate is known, that decides. Where it is not, runs of a shape are
 * timed: short ones and uncompressed ones in turn until it is clear which take less. The others are
 * timed again now and then. */
#ifndef ALLFOLD_EXECUTE_SPARSE_H
#define ALLFOLD_EXECUTE_SPARSE_H

#include <stdint.h>

#include "kernels/rle.h"

struct allfold_sparse {
    enum allfold_type type; /* and operation: those that allfold_sparse_serves */
    enum allfold_operation operation;
    bool is_auto;
    int malformed; /* what a run returns where a message is no block; an error as transports' */
    size_t least;  /* elements; shorter messages go as they are */

    /* Of the run in hand, and of those before; 0 before the first. */
    bool is_plain; /* no message of it is short */
    double begin_s;
    size_t looked, worth; /* words of its messages, and how many of them encoding would save */
    uint64_t runs[2];     /* with something worth it, by is_plain, since the last time ... */
    double least_s[2];    /* ... that these were forgotten */
    uint64_t since;       /* runs since then */
    unsigned misled;      /* times in a row that encoding saved nothing after all */
    unsigned rest;        /* messages that therefore are not tried */
    uint64_t words, sent; /* of all messages that might have been short, and what was sent */
};

bool allfold_sparse_serves(enum allfold_type type, enum allfold_operation operation);

/* Around each run that ends well. */
void allfold_sparse_begin(struct allfold_sparse *sparse);
void allfold_sparse_end(struct allfold_sparse *sparse);

/* The block to send for a vector: the vector itself, or a shorter one in `room`, which has room for
 * `count` words. */
struct allfold_rle_block allfold_sparse_encode(struct allfold_sparse *sparse, void *room,
                                               const void *vector, size_t count);

/* Puts the vector in the place of its block, where both begin. False where that is none; see
 * allfold_rle_decode. */
bool allfold_sparse_expand(const struct allfold_sparse *sparse, void *vector, size_t length,
                           size_t count);

/* to = left o right, of which one is a block that is shorter than `count`, and may begin where `to`
 * does, and the other one is plain. Else like allfold_sparse_expand. */
bool allfold_sparse_reduce(const struct allfold_sparse *sparse, void *to,
                           struct allfold_rle_block left, struct allfold_rle_block right,
                           size_t count);

#endif
