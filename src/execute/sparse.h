/* Compression of messages that hold repeated values, with a run-length code (kernels/rle.h). After
 * Hofmann and Ruenger, MPI Reduction Operations for Sparse Floating-Point Data, section 3; here for
 * any schedule.
 *
 * An encoded vector that would not be shorter is sent as the vector itself. So each sender decides
 * for each message, and a receiver finds out from the length of the message. Ranks need not agree
 * on anything, and the results are bitwise identical.
 *
 * If is_auto is false, encoding is always tried. Otherwise a sample of each message is inspected
 * first. If the network's rate is known, it decides. If it is unknown, runs of a shape are timed,
 * compressed and uncompressed ones in turn, until one of them is clearly faster; the other is timed
 * again now and then. One thread at a time. */
#ifndef ALLFOLD_EXECUTE_SPARSE_H
#define ALLFOLD_EXECUTE_SPARSE_H

#include <stdint.h>

#include "kernels/rle.h"

/* The state of compression of a communicator's runs. */
struct allfold_sparse {
    enum allfold_type type; /* type and operation must be supported (allfold_sparse_serves) */
    enum allfold_operation operation;
    bool is_auto;
    int malformed; /* the error of a run that receives an invalid block, as transports return it */
    size_t least;  /* minimum length in elements of messages that are encoded */

    /* The current run and the statistics of earlier ones; 0 before the first run. */
    bool is_plain; /* messages of the current run are not encoded */
    double begin_s;
    size_t looked, worth; /* words of its messages, and how many of them encoding would save */
    uint64_t runs[2];     /* by is_plain: runs that have words to save, since the last reset */
    double least_s[2];    /* by is_plain: minimum time of these runs */
    uint64_t since;       /* runs since the last reset */
    /* Times in a row that encoding saved nothing although the sample promised it. */
    unsigned misled;
    unsigned rest; /* number of messages that are not tried for this reason */
    /* Of all messages that could have been encoded: their length, and what was sent. */
    uint64_t words, sent;
};

/* Returns whether messages of this type may be compressed for this operation. */
bool allfold_sparse_serves(enum allfold_type type, enum allfold_operation operation);

/* Must be called before each run. */
void allfold_sparse_begin(struct allfold_sparse *sparse);

/* Must be called after each run that succeeded. */
void allfold_sparse_end(struct allfold_sparse *sparse);

/* Returns the block to send for a vector of `count` words: the vector itself, or a shorter block in
 * `room`, which has memory for `count` words. */
struct allfold_rle_block allfold_sparse_encode(struct allfold_sparse *sparse, void *room,
                                               const void *vector, size_t count);

/* Decodes a block of `length` words in place into a vector of `count` words, both at `vector`.
 * False if the block is invalid; see allfold_rle_decode. */
bool allfold_sparse_expand(const struct allfold_sparse *sparse, void *vector, size_t length,
                           size_t count);

/* Computes to = left o right for `count` words. One of the operands is a block shorter than
 * `count`, which may start at `to`; the other one is a vector. False if the block is invalid. */
bool allfold_sparse_reduce(const struct allfold_sparse *sparse, void *to,
                           struct allfold_rle_block left, struct allfold_rle_block right,
                           size_t count);

#endif
