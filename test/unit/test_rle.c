/* The run-length code: blocks are those that it describes, word by word; vectors come back bit for
 * bit; what is no block is found out. Everything lies in just its memory, so that sanitizers see
 * every byte too far; without them the bytes around are looked at. */
#include "support_rle.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { COUNT = 1200, VECTORS = 4000, BLOCKS = 60000, GUARD = 64 };

static uint64_t seed;

static int set_seed(void **state)
{
    (void)state;
    seed = 1;
    return 0;
}

/* Memory of `bytes` between bytes that must stay. */
static unsigned char *guarded(size_t bytes)
{
    unsigned char *memory = malloc(bytes + 2 * GUARD);
    assert_non_null(memory);
    memset(memory, 0xa5, bytes + 2 * GUARD);
    return memory + GUARD;
}

static void free_guarded(unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(memory[bytes + i], 0xa5);
        assert_int_equal((memory - GUARD)[i], 0xa5);
    }
    free(memory - GUARD);
}

/* Decodes into memory of its own, and in place, the block at the end. */
static bool decode_both(const struct code *code, uint64_t *to, size_t count, const uint64_t *words,
                        size_t length)
{
    const size_t bytes = count * code->bytes;
    unsigned char *apart = guarded(bytes), *place = guarded(bytes);
    void *block = pack(code, words, length);
    const bool is_right =
        allfold_rle_decode(code->type, apart, count, (struct allfold_rle_block){block, length});
    if (length <= count && bytes > 0) {
        unsigned char *end = place + (count - length) * code->bytes;
        memcpy(end, block, length * code->bytes);
        assert_int_equal(
            allfold_rle_decode(code->type, place, count, (struct allfold_rle_block){end, length}),
            is_right);
        if (is_right)
            assert_memory_equal(apart, place, bytes);
    }
    unpack(code, to, apart, count);
    free_packed(block);
    free_guarded(apart, bytes);
    free_guarded(place, bytes);
    return is_right;
}

static void check_vector(const struct code *code, const uint64_t *vector, size_t count)
{
    uint64_t *wanted = calloc(3 * (count + 1), sizeof *wanted);
    uint64_t *words = wanted + count + 1, *back = words + count + 1;
    for (int runs = ALLFOLD_RLE_NONE; runs <= ALLFOLD_RLE_VALUES; runs++) {
        const size_t bytes = count * code->bytes;
        void *from = pack(code, vector, count);
        unsigned char *to = guarded(bytes);
        const size_t length = allfold_rle_encode(code->type, runs, to, from, count);
        assert_int_equal(length, slow_encode(code, runs, wanted, vector, count));
        unpack(code, words, to, length);
        assert_memory_equal(words, wanted, length * sizeof *words);
        assert_true(decode_both(code, back, count, words, length));
        assert_memory_equal(back, vector, count * sizeof *back);
        free_packed(from);
        free_guarded(to, bytes);
    }
    free(wanted);
}

static void test_random_vectors(void **state)
{
    (void)state;
    uint64_t vector[COUNT];
    for (int i = 0; i < VECTORS; i++) {
        const struct code *code = &codes[i % CODES];
        const size_t count = random_below(&seed, i % 3 == 0 ? COUNT : 150);
        random_vector(code, &seed, vector, count);
        check_vector(code, vector, count);
    }
}

/* Vectors of `period` elements, `words` in turn. */
static void check_pattern(const struct code *code, const uint64_t *words, size_t period)
{
    static const size_t counts[] = {0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1100};
    uint64_t vector[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        vector[i] = words[i % period];
    for (size_t i = 0; i < LENGTH(counts); i++)
        check_vector(code, vector, counts[i]);
}

static void test_patterns(void **state)
{
    (void)state;
    for (const struct code *code = codes; code < codes + CODES; code++) {
        const uint64_t infinity = infinity_of(code), quiet = quiet_of(code), sign = sign_of(code);
        const uint64_t words[] = {0,
                                  sign, /* -0.0 */
                                  1,
                                  infinity,
                                  infinity | 1, /* NaNs */
                                  infinity | (quiet - 1),
                                  infinity | quiet,
                                  infinity | quiet | 1,
                                  infinity | quiet | 2,
                                  sign - 1,
                                  sign | infinity,
                                  sign | infinity | 1,
                                  sign | infinity | quiet,
                                  sign | (sign - 1)};
        for (size_t a = 0; a < LENGTH(words); a++)
            for (size_t b = 0; b < LENGTH(words); b++) {
                const uint64_t pattern[] = {words[a], words[b], words[b], words[a], words[a],
                                            words[a], words[b], words[b], words[b]};
                check_pattern(code, pattern, 1 + a % 2);
                check_pattern(code, pattern, 2 + b % 8);
            }
    }
}

/* A run of each length at each place of a vector of other numbers. */
static void test_each_run(void **state)
{
    (void)state;
    enum { MOST = 134 };
    uint64_t vector[MOST];
    for (size_t begin = 0; begin < MOST; begin++)
        for (size_t end = begin; end <= MOST; end += end - begin > 5 && end % 64 > 3 ? 8 : 1) {
            const struct code *code = &codes[(begin + end) % CODES];
            for (size_t i = 0; i < MOST; i++)
                vector[i] = 3 + i % 2;
            for (size_t i = begin; i < end; i++)
                vector[i] = begin % 3 == 0 ? 77 : 0;
            check_vector(code, vector, MOST);
        }
}

/* Runs around 2^22, where those of floats are split; and in front of something and after it. */
static void test_long_runs(void **state)
{
    (void)state;
    enum { SPLIT = (1 << 22) - 1 };
    const size_t counts[] = {SPLIT - 1, SPLIT, SPLIT + 1, SPLIT + 2, SPLIT + 3, 2 * SPLIT + 1};
    const size_t most = 2 * SPLIT + 5;
    uint32_t *vector = malloc(most * sizeof *vector), *back = malloc(most * sizeof *back),
             block[20];
    const uint32_t values[] = {0, 5};
    for (size_t i = 0; i < LENGTH(counts) * 4; i++) {
        const uint32_t value = values[i / 2 % 2];
        const size_t before = i % 2, run = counts[i / 4], count = run + 2 * before;
        vector[0] = vector[count - 1] = 9;
        for (size_t j = before; j < before + run; j++)
            vector[j] = value;
        uint32_t *to = malloc(count * sizeof *to);
        const size_t length =
            allfold_rle_encode(ALLFOLD_FLOAT, ALLFOLD_RLE_VALUES, to, vector, count);
        const size_t full = run / SPLIT, rest = run % SPLIT, words = value == 0 ? 1 : 2;
        const bool is_run = rest >= words + 1;
        assert_int_equal(length, 2 * before + full * words + (is_run ? words : rest));
        assert_true(length <= LENGTH(block));
        memcpy(block, to, length * sizeof *block);
        free(to);
        assert_true(allfold_rle_decode(ALLFOLD_FLOAT, back, count,
                                       (struct allfold_rle_block){block, length}));
        assert_memory_equal(back, vector, count * sizeof *back);
    }
    free(vector);
    free(back);
}

/* Any words; or a block, as it is, or longer or shorter, or some of its words changed. Returns how
 * many. */
static size_t random_block(const struct code *code, uint64_t *words, size_t count)
{
    uint64_t vector[COUNT];
    for (size_t i = 0; i < count + 3; i++)
        words[i] = random_word(code, &seed);
    const uint32_t kind = random_below(&seed, 4), few = random_below(&seed, 3);
    if (kind == 0)
        return random_below(&seed, (uint32_t)count + 3);
    random_vector(code, &seed, vector, count);
    const enum allfold_rle_runs runs =
        few == 0 ? ALLFOLD_RLE_ZEROS : ALLFOLD_RLE_VALUES; /* the latter are harder to read */
    const size_t length = slow_encode(code, runs, words, vector, count);
    words[length] = random_word(code, &seed);
    for (uint32_t i = 0; kind == 3 && length > 0 && i < few; i++) {
        uint64_t *word = &words[random_below(&seed, (uint32_t)length)];
        *word = i == 0 ? random_word(code, &seed) : *word ^ (uint64_t)1 << random_below(&seed, 32);
    }
    return kind == 1 || (kind == 3 && length < few) ? length + few : length - few % (length + 1);
}

/* A decoder that believes all it reads fails here: hundreds of each are right and wrong. */
static void test_hostile_blocks(void **state)
{
    (void)state;
    uint64_t words[COUNT + 8], wanted[COUNT], back[COUNT];
    int right = 0, wrong = 0;
    for (int i = 0; i < BLOCKS; i++) {
        const struct code *code = &codes[i % CODES];
        const size_t count = random_below(&seed, i % 50 == 0 ? COUNT : 90);
        const size_t length = random_block(code, words, count);
        const bool is_right = slow_decode(code, wanted, count, words, length);
        assert_int_equal(decode_both(code, back, count, words, length), is_right);
        if (is_right)
            assert_memory_equal(back, wanted, count * sizeof *back);
        *(is_right ? &right : &wrong) += 1;
    }
    assert_true(right > BLOCKS / 100 && wrong > BLOCKS / 100);
}

/* A double's run may be longer than any memory. */
static void test_runs_beyond_memory(void **state)
{
    (void)state;
    const struct code *code = &codes[1];
    uint64_t back[100], marker = infinity_of(code) | quiet_of(code) | (quiet_of(code) - 1);
    const uint64_t blocks[][3] = {{marker, 1, 1},
                                  {1, marker, marker},
                                  {1, 2, marker},
                                  {infinity_of(code) | (quiet_of(code) - 1), 3, 3}};
    for (size_t i = 0; i < LENGTH(blocks); i++)
        for (size_t length = 0; length <= 3; length++)
            assert_false(decode_both(code, back, 100, blocks[i], length));
    assert_true(decode_both(code, back, 0, blocks[0], 0));
    assert_false(decode_both(code, back, 0, blocks[0], 1));
}

static void test_types(void **state)
{
    (void)state;
    for (enum allfold_type type = 0; type < ALLFOLD_TYPE_COUNT; type++) {
        const bool is_served = type == ALLFOLD_FLOAT || type == ALLFOLD_DOUBLE;
        unsigned char byte[32] = {0}, to[32];
        const struct allfold_rle_block block = {byte, 1};
        assert_int_equal(allfold_rle_serves(type), is_served);
        assert_int_equal(allfold_rle_decode(type, to, 1, block), is_served);
        assert_int_equal(allfold_rle_reduce(type, ALLFOLD_SUM, to, block, block, 1), is_served);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_random_vectors, set_seed),
        cmocka_unit_test_setup(test_patterns, set_seed),
        cmocka_unit_test_setup(test_each_run, set_seed),
        cmocka_unit_test_setup(test_long_runs, set_seed),
        cmocka_unit_test_setup(test_hostile_blocks, set_seed),
        cmocka_unit_test_setup(test_runs_beyond_memory, set_seed),
        cmocka_unit_test_setup(test_types, set_seed),
    };
    return run_with_each_variant(tests, LENGTH(tests));
}
