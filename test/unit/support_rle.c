/* The run-length code word by word, and vectors for it (see support_rle.h). */
#include "support_rle.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

const struct code codes[CODES] = {{ALLFOLD_FLOAT, 4, 22}, {ALLFOLD_DOUBLE, 8, 51}};

uint64_t quiet_of(const struct code *code)
{
    return (uint64_t)1 << code->fraction;
}

uint64_t sign_of(const struct code *code)
{
    return (uint64_t)1 << (8 * code->bytes - 1);
}

uint64_t infinity_of(const struct code *code)
{
    return sign_of(code) - 2 * quiet_of(code);
}

bool is_nan(const struct code *code, uint64_t word)
{
    return (word & (sign_of(code) - 1)) > infinity_of(code);
}

static bool is_marker(const struct code *code, uint64_t word)
{
    return is_nan(code, word) && word < sign_of(code) &&
           word != (infinity_of(code) | quiet_of(code));
}

size_t slow_encode(const struct code *code, enum allfold_rle_runs runs, uint64_t *to,
                   const uint64_t *vector, size_t count)
{
    const uint64_t most = quiet_of(code) - 1, infinity = infinity_of(code);
    size_t n = 0;
    for (size_t i = 0, end; i < count && runs != ALLFOLD_RLE_NONE; i = end) {
        for (end = i + 1; end < count && vector[end] == vector[i];)
            end++;
        const bool is_zero = vector[i] == 0;
        const size_t least = is_zero ? 2 : runs == ALLFOLD_RLE_VALUES ? 3 : count + 1;
        size_t left = end - i;
        for (; left >= least; left -= left < most ? left : most) {
            to[n++] = infinity | (is_zero ? quiet_of(code) : 0) | (left < most ? left : most);
            if (!is_zero)
                to[n++] = vector[i];
        }
        if (left > 0 && is_marker(code, vector[i]))
            break;
        for (; left > 0; left--)
            to[n++] = vector[i];
        if (end == count)
            return n;
    }
    for (size_t i = 0; i < count; i++)
        to[i] = vector[i];
    return count;
}

bool slow_decode(const struct code *code, uint64_t *to, size_t count, const uint64_t *words,
                 size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        const bool is_zero = (words[i] & quiet_of(code)) != 0;
        uint64_t run = 1, value = words[i];
        if (length != count && is_marker(code, words[i])) {
            run = words[i] & (quiet_of(code) - 1);
            value = 0;
            if (!is_zero && ++i == length)
                return false;
            if (!is_zero)
                value = words[i];
            if (run < (is_zero ? 2 : 3))
                return false;
        }
        if (run > count - n)
            return false;
        while (run-- > 0)
            to[n++] = value;
    }
    return n == count;
}

uint64_t random_word(const struct code *code, uint64_t *seed)
{
    const uint64_t all = sign_of(code) | (sign_of(code) - 1), infinity = infinity_of(code);
    const uint64_t any =
        ((uint64_t)random_below(seed, 1u << 31) << 33 ^
         (uint64_t)random_below(seed, 1u << 31) << 16 ^ random_below(seed, 1u << 31)) &
        all;
    const uint64_t words[] = {
        0,
        0,
        sign_of(code),
        1,
        infinity,
        infinity | sign_of(code),
        all,
        all >> 1,
        infinity | quiet_of(code),
        infinity | quiet_of(code) | sign_of(code),
        infinity | (any & (2 * quiet_of(code) - 1)), /* NaNs */
        infinity | sign_of(code) | (any & (2 * quiet_of(code) - 1)),
        infinity | (any & 15),
        infinity | quiet_of(code) | (any & 15), /* short runs */
        any,
        any,
    };
    return words[random_below(seed, LENGTH(words))];
}

/* A number of no special kind. */
static uint64_t random_number(const struct code *code, uint64_t *seed)
{
    const uint64_t one = infinity_of(code) / 2 & ~(quiet_of(code) - 1);
    return one ^ random_below(seed, 1u << 20) ^ (random_below(seed, 2) ? sign_of(code) : 0);
}

void random_vector(const struct code *code, uint64_t *seed, uint64_t *vector, size_t count)
{
    static const uint32_t shares[] = {0, 1, 10, 100, 500, 900, 990, 1000}; /* in thousand */
    const uint32_t numbers = shares[random_below(seed, LENGTH(shares))];
    const uint32_t specials = random_below(seed, 3) == 0 ? shares[random_below(seed, 4)] : 0;
    const uint32_t longest = 1 + random_below(seed, 3) * random_below(seed, 200);
    const uint64_t rest = random_below(seed, 4) == 0 ? random_word(code, seed) : 0;
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t word = rest;
        if (random_below(seed, 1000) < numbers)
            word = random_number(code, seed);
        if (random_below(seed, 1000) < specials)
            word = random_word(code, seed);
        end = i + 1 + random_below(seed, longest);
        for (size_t j = i; j < end && j < count; j++)
            vector[j] = word;
    }
}

void *pack(const struct code *code, const uint64_t *words, size_t count)
{
    unsigned char *packed = malloc(1 + count * code->bytes);
    assert_non_null(packed);
    for (size_t i = 0; i < count; i++)
        memcpy(packed + 1 + i * code->bytes, &words[i], code->bytes);
    return packed + 1;
}

void unpack(const struct code *code, uint64_t *words, const void *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        words[i] = 0;
        memcpy(&words[i], (const unsigned char *)from + i * code->bytes, code->bytes);
    }
}

void free_packed(void *packed)
{
    free((unsigned char *)packed - 1);
}
