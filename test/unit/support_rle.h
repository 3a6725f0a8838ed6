/* What the tests of the run-length code share. It has the code once more, word by word as
 * kernels/rle.h describes it, and vectors that are hard on it. Elements and words of both types are
 * uint64_t here. */
#ifndef ALLFOLD_TEST_SUPPORT_RLE_H
#define ALLFOLD_TEST_SUPPORT_RLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/rle.h"
#include "support_kernels.h"

struct code {
    enum allfold_type type;
    size_t bytes;
    int fraction; /* bits */
};

enum { CODES = 2 };
extern const struct code codes[CODES];

uint64_t infinity_of(const struct code *code);
uint64_t quiet_of(const struct code *code); /* the quiet bit */
uint64_t sign_of(const struct code *code);
bool is_nan(const struct code *code, uint64_t word);

/* The block of a vector; returns its length. */
size_t slow_encode(const struct code *code, enum allfold_rle_runs runs, uint64_t *to,
                   const uint64_t *vector, size_t count);

/* Whether the words are a block of `count` elements, and which. */
bool slow_decode(const struct code *code, uint64_t *to, size_t count, const uint64_t *words,
                 size_t length);

/* Any word, more often those that are special to the code. */
uint64_t random_word(const struct code *code, uint64_t *seed);

/* A vector of one of many kinds: dense, sparse, runs of values, NaNs of all sorts, and mixed. */
void random_vector(const struct code *code, uint64_t *seed, uint64_t *vector, size_t count);

/* Words as wide as the code's in just their memory, not aligned to them; `unpack` reads them back.
 * `free_packed` frees it. */
void *pack(const struct code *code, const uint64_t *words, size_t count);
void unpack(const struct code *code, uint64_t *words, const void *from, size_t count);
void free_packed(void *packed);

#endif
