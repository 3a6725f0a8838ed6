/* The run-length code: blocks are those that it describes, word by word; vectors come back bit for
 * bit; what is no block is found out. Everything lies in just its memory, so that sanitizers see
 * every byte too far; without them the bytes around are looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rle_fused/rle_fused.h"
#include "support.h"
#include "support_rle.h"

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
    for (enum allfold_rle_runs runs = ALLFOLD_RLE_NONE; runs <= ALLFOLD_RLE_VALUES; runs++) {
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

/* Reductions of blocks are decoding, the kernel and encoding, bit for bit. For all operations,
 * operands uncompressed or not, apart and in place. Blocks that are none are found out. Plain
 * results are the library's; those that are blocks are bench/rle_fused's. */

enum { COUNT_REDUCE = 1300, CASES = 8000, HOSTILE = 20000 };

static const enum allfold_operation operations[] = {ALLFOLD_SUM, ALLFOLD_PROD, ALLFOLD_MAX,
                                                    ALLFOLD_MIN};
/* Operands as elements and as words of blocks. */
struct operand {
    uint64_t elements[COUNT_REDUCE], words[COUNT_REDUCE];
    size_t length;
};

struct reduction {
    const struct code *code;
    enum allfold_operation operation;
    enum allfold_rle_runs runs;
    size_t count;
    struct operand left, right;
    int in_place; /* where `to` ends with an operand: 0 none, 1 left, 2 right */
};

static void random_operand(const struct reduction *r, struct operand *operand)
{
    random_vector(r->code, &seed, operand->elements, r->count);
    operand->length =
        slow_encode(r->code, random_below(&seed, 3), operand->words, operand->elements, r->count);
}

/* The library's for plain results, bench/rle_fused's for blocks. */
static bool reduce(const struct reduction *r, void *to, size_t *length,
                   struct allfold_rle_block left, struct allfold_rle_block right)
{
    if (r->runs != ALLFOLD_RLE_NONE)
        return allfold_rle_fused(r->code->type, r->operation, r->runs, to, length, left, right,
                                 r->count);
    *length = r->count;
    return allfold_rle_reduce(r->code->type, r->operation, to, left, right, r->count);
}

/* Runs it; what came out is in `words`. */
static bool run(const struct reduction *r, uint64_t *words, size_t *length)
{
    const size_t bytes = r->code->bytes;
    const uint64_t unset[COUNT_REDUCE] = {0};
    char *left = pack(r->code, r->left.words, r->left.length);
    char *right = pack(r->code, r->right.words, r->right.length);
    char *to = pack(r->code, unset, r->count);
    struct allfold_rle_block l = {left, r->left.length}, o = {right, r->right.length};
    if (r->in_place == 1 && l.length <= r->count)
        l.words = memcpy(to + (r->count - l.length) * bytes, left, l.length * bytes);
    if (r->in_place == 2 && o.length <= r->count)
        o.words = memcpy(to + (r->count - o.length) * bytes, right, o.length * bytes);
    const bool is_right = reduce(r, to, length, l, o);
    if (is_right)
        unpack(r->code, words, to, *length);
    free_packed(left);
    free_packed(right);
    free_packed(to);
    return is_right;
}

static void call_kernel(const struct reduction *r, uint64_t *elements)
{
    void *left = pack(r->code, r->left.elements, r->count);
    void *right = pack(r->code, r->right.elements, r->count);
    allfold_kernel_find(r->code->type, r->operation)(left, left, right, r->count);
    unpack(r->code, elements, left, r->count);
    free_packed(left);
    free_packed(right);
}

/* Of two NaN kernels may give either. Only where one came out that the kernel alone would not have
 * given, it is taken over. */
static void accept_either_nan(const struct reduction *r, uint64_t *wanted, const uint64_t *got)
{
    for (size_t i = 0; i < r->count; i++) {
        const uint64_t a = r->left.elements[i], b = r->right.elements[i], quiet = quiet_of(r->code);
        if (is_nan(r->code, a) && is_nan(r->code, b) &&
            (got[i] == (a | quiet) || got[i] == (b | quiet)) && r->operation <= ALLFOLD_PROD)
            wanted[i] = got[i];
    }
}

static void check(const struct reduction *r)
{
    uint64_t words[COUNT_REDUCE], got[COUNT_REDUCE], wanted[COUNT_REDUCE], block[COUNT_REDUCE];
    size_t length = 0;
    assert_true(run(r, words, &length));
    assert_true(slow_decode(r->code, got, r->count, words, length));
    call_kernel(r, wanted);
    accept_either_nan(r, wanted, got);
    assert_memory_equal(got, wanted, r->count * sizeof *got);
    assert_int_equal(slow_encode(r->code, r->runs, block, wanted, r->count), length);
    assert_memory_equal(block, words, length * sizeof *block);
}

static void test_random_operands(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct reduction r = {.code = &codes[i % CODES],
                              .operation = operations[random_below(&seed, LENGTH(operations))],
                              .runs = random_below(&seed, 3),
                              .count = random_below(&seed, i % 4 == 0 ? COUNT_REDUCE : 200),
                              .in_place = (int)random_below(&seed, 3)};
        random_operand(&r, &r.left);
        if (i % 5 == 0)
            r.right = r.left; /* runs at the same places */
        else
            random_operand(&r, &r.right);
        check(&r);
    }
}

/* Each special number with each, in runs and alone. */
static void test_special_numbers(void **state)
{
    (void)state;
    for (const struct code *code = codes; code < codes + CODES; code++) {
        const uint64_t infinity = infinity_of(code), quiet = quiet_of(code), sign = sign_of(code);
        const uint64_t one = (infinity >> 1) & ~(quiet - 1);
        const uint64_t words[] = {0,
                                  sign,
                                  one,
                                  one | sign,
                                  infinity,
                                  infinity | sign,
                                  infinity | 3,
                                  infinity | quiet,
                                  infinity | quiet | 3,
                                  infinity | quiet | sign};
        struct reduction r = {.code = code, .count = 700};
        for (size_t n = 0; n < LENGTH(words) * LENGTH(words) * 4 * 3 * 3; n++) {
            const size_t a = n % LENGTH(words), b = n / 10 % LENGTH(words), form = n / 1200;
            r.operation = operations[n / 100 % 4];
            r.runs = (enum allfold_rle_runs)(n / 400 % 3);
            for (size_t i = 0; i < r.count; i++) {
                r.left.elements[i] = i % 100 < 60 ? words[a] : one;
                r.right.elements[i] = i % 350 < 330 ? words[b] : 0;
            }
            r.left.length =
                slow_encode(code, form == 0 ? 2 : 1, r.left.words, r.left.elements, 700);
            r.right.length =
                slow_encode(code, form == 2 ? 2 : 0, r.right.words, r.right.elements, 700);
            check(&r);
        }
    }
}

/* A vector that no block can say until its last element, in place: what was written is taken back.
 */
static void test_plain_after_all(void **state)
{
    (void)state;
    for (size_t at = 0; at < 1100; at += 1 + at % 7) {
        const struct code *code = &codes[at % CODES];
        struct reduction r = {.code = code,
                              .operation = at % 3 == 0 ? ALLFOLD_MAX : ALLFOLD_SUM,
                              .runs = at % 2 == 0 ? ALLFOLD_RLE_ZEROS : ALLFOLD_RLE_VALUES,
                              .count = 1100,
                              .in_place = 1};
        for (size_t i = 0; i < r.count; i++)
            r.left.elements[i] = i % 50 < 20 ? 1 + i : 0;
        r.right.elements[at] = infinity_of(code) | quiet_of(code) | 7;
        r.left.length =
            slow_encode(code, ALLFOLD_RLE_ZEROS, r.left.words, r.left.elements, r.count);
        r.right.length = r.count;
        memcpy(r.right.words, r.right.elements, sizeof r.right.words);
        check(&r);
    }
}

/* Zeros of both in millions, of which nothing is looked at but markers. */
static void test_long_zeros(void **state)
{
    (void)state;
    enum { ZEROS = 9000000, SPLIT = (1 << 22) - 1 };
    const uint32_t marker = 0x7fc00000, full = marker | SPLIT, rest = marker | (ZEROS - 2 * SPLIT);
    const uint32_t left[] = {full, full, rest, 0x3f800000},
                   right[] = {0x40000000, full, full, rest};
    const uint32_t wanted[] = {0x40000000, full, full, rest - 1, 0x3f800000};
    uint32_t *to = malloc((ZEROS + 1) * sizeof *to);
    size_t length = 0;
    assert_true(allfold_rle_fused(ALLFOLD_FLOAT, ALLFOLD_SUM, ALLFOLD_RLE_ZEROS, to, &length,
                                  (struct allfold_rle_block){left, 4},
                                  (struct allfold_rle_block){right, 4}, ZEROS + 1));
    assert_int_equal(length, LENGTH(wanted));
    assert_memory_equal(to, wanted, sizeof wanted);
    free(to);
}

static void test_hostile_operands(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < HOSTILE; i++) {
        struct reduction r = {.code = &codes[i % CODES],
                              .operation = operations[random_below(&seed, LENGTH(operations))],
                              .runs = random_below(&seed, 3),
                              .count =
                                  1 + random_below(&seed, i % 20 == 0 ? COUNT_REDUCE - 8 : 100),
                              .in_place = (int)random_below(&seed, 3)};
        random_operand(&r, &r.left);
        random_operand(&r, &r.right);
        struct operand *bad = i % 3 == 0 ? &r.left : &r.right;
        for (uint32_t n = random_below(&seed, 4); n > 0 && bad->length > 0; n--)
            bad->words[random_below(&seed, (uint32_t)bad->length)] = random_word(r.code, &seed);
        if (bad->length > 0 && random_below(&seed, 3) == 0)
            bad->length -= 1;
        uint64_t words[COUNT_REDUCE];
        size_t length;
        if (slow_decode(r.code, bad->elements, r.count, bad->words, bad->length))
            check(&r);
        else
            assert_false(run(&r, words, &length));
        wrong += !slow_decode(r.code, words, r.count, bad->words, bad->length);
    }
    assert_true(wrong > HOSTILE / 10);
}

/* Both say more zeros than there are elements: nothing is written beyond. */
static void test_too_many_zeros(void **state)
{
    (void)state;
    for (int i = 0; i < 3 * CODES * 2; i++) {
        const struct code *code = &codes[i % CODES];
        const uint64_t zeros = infinity_of(code) | quiet_of(code) | 1000;
        struct reduction r = {.code = code, .runs = (enum allfold_rle_runs)(i % 3), .count = 999};
        uint64_t words[COUNT_REDUCE];
        size_t length;
        const size_t before = i < 3 * CODES ? 0 : 1;
        r.left.length = r.right.length = before + 1;
        r.left.words[before] = r.right.words[before] = zeros;
        assert_false(run(&r, words, &length));
    }
}

/* Numbers of which no two neighbors are the same, in both operands. */
static void fill_both(struct reduction *r)
{
    const uint64_t one = (infinity_of(r->code) >> 1) & ~(quiet_of(r->code) - 1);
    for (size_t i = 0; i < r->count; i++)
        r->left.elements[i] = r->right.elements[i] = one + i % 7 + 1;
}

static void set_both(struct reduction *r, size_t from, size_t end, uint64_t word)
{
    for (size_t i = from; i < end; i++)
        r->left.elements[i] = r->right.elements[i] = word;
}

static void encode_both(struct reduction *r, enum allfold_rle_runs left,
                        enum allfold_rle_runs right)
{
    r->left.length = slow_encode(r->code, left, r->left.words, r->left.elements, r->count);
    r->right.length = slow_encode(r->code, right, r->right.words, r->right.elements, r->count);
}

/* Short runs at each place around the ends of a chunk. Results have no other runs, or one at the
 * beginning or the end. */
static void test_runs_over_chunks(void **state)
{
    (void)state;
    for (size_t n = 0; n < 16000; n++) {
        const struct code *code = &codes[n % CODES];
        const size_t length = 1 + n / 2 % 4, chunk = 4096 / code->bytes;
        const size_t at = (n % 3 == 0 ? 1024 : chunk) - 6 + n / 8 % 10, again = at + n / 80 % 8;
        struct reduction r = {.code = code,
                              .operation = ALLFOLD_MAX,
                              .runs = n / 640 % 2 ? ALLFOLD_RLE_ZEROS : ALLFOLD_RLE_VALUES,
                              .count = (n % 3 == 0 ? 1024 : chunk) + 40 + n % 3,
                              .in_place = (int)(n / 2 % 3)};
        fill_both(&r);
        set_both(&r, at, at + length, n % 5 < 3 ? 0 : 5);
        if (n % 4 == 0)
            set_both(&r, again, again + 1, infinity_of(code) | 9);
        if (n % 7 < 2)
            set_both(&r, 3, 6, 0);
        if (n % 7 > 4)
            set_both(&r, r.count - 3, r.count, 0);
        encode_both(&r, n / 4 % 2, ALLFOLD_RLE_NONE);
        check(&r);
    }
}

/* Zeros of both from around the end of a chunk on, after numbers that are alone, in pairs, or
 * cannot be said. */
static void test_zeros_after_chunk(void **state)
{
    (void)state;
    for (size_t n = 0; n < 400; n++) {
        const struct code *code = &codes[n % CODES];
        const size_t at = 4096 / code->bytes - 4 + n / 2 % 8, alike = n / 16 % 4;
        struct reduction r = {.code = code,
                              .operation = n % 3 == 0 ? ALLFOLD_MIN : ALLFOLD_SUM,
                              .runs = n / 64 % 3,
                              .count = at + 150};
        fill_both(&r);
        set_both(&r, at - alike, at, n % 5 == 0 ? infinity_of(code) | quiet_of(code) | 9 : 5);
        set_both(&r, at, at + 120, 0);
        encode_both(&r, ALLFOLD_RLE_VALUES, ALLFOLD_RLE_ZEROS);
        check(&r);
    }
}

static void test_no_kernel(void **state)
{
    (void)state;
    const struct allfold_rle_block block = {&seed, 1};
    size_t length;
    uint64_t to;
    assert_false(allfold_rle_fused(ALLFOLD_DOUBLE, ALLFOLD_BAND, ALLFOLD_RLE_ZEROS, &to, &length,
                                   block, block, 1));
    assert_false(allfold_rle_fused(ALLFOLD_INT32, ALLFOLD_SUM, ALLFOLD_RLE_ZEROS, &to, &length,
                                   block, block, 1));
    assert_false(allfold_rle_reduce(ALLFOLD_DOUBLE, ALLFOLD_BAND, &to, block, block, 1));
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
        cmocka_unit_test_setup(test_random_operands, set_seed),
        cmocka_unit_test_setup(test_special_numbers, set_seed),
        cmocka_unit_test_setup(test_plain_after_all, set_seed),
        cmocka_unit_test_setup(test_long_zeros, set_seed),
        cmocka_unit_test_setup(test_hostile_operands, set_seed),
        cmocka_unit_test_setup(test_too_many_zeros, set_seed),
        cmocka_unit_test_setup(test_runs_over_chunks, set_seed),
        cmocka_unit_test_setup(test_zeros_after_chunk, set_seed),
        cmocka_unit_test_setup(test_no_kernel, set_seed),
    };
    return run_with_each_variant(tests, LENGTH(tests));
}
