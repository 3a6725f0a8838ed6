/* All variants of the kernels give the bits of the plain one, also where results are streamed, and
 * folds give those of the kernels. What the plain one gives is right: test_kernels.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support_kernels.h"
#include "kernels/variants.h"

enum {
    MOST = 1100,
    GUARD_BYTES = 128,
    OPERANDS = ALLFOLD_FOLD_OPERANDS,
    SPACE = MOST * 32 + 2 * GUARD_BYTES
};

/* Around the widths of vectors, of lines and of blocks. */
static const size_t counts[] = {0,  1,  2,  3,  4,  5,  7,   8,   9,   15,  16,  17,  31,
                                32, 33, 63, 64, 65, 66, 127, 128, 129, 255, 257, MOST};
static const size_t shifts[][3] = {{0, 0, 0}, {16, 8, 0}, {32, 0, 8}, {48, 48, 48}, {1, 4, 7}};
static const size_t aliases[][3] = {{0, 1, 2}, {1, 1, 2}, {2, 1, 2}, {0, 1, 1}, {1, 1, 1}};

/* dst, left, right; what they were before; what the plain variant made of them. */
static _Alignas(64) unsigned char now[3][SPACE], before[3][SPACE], plain[3][SPACE];

static uint64_t seed = 5;

static uint64_t random_bits(void)
{
    return (uint64_t)random_below(&seed, UINT32_MAX) << 32 | random_below(&seed, UINT32_MAX);
}

/* Bits of floating point that are not like others: zeros, NaN of both kinds and signs, infinities,
 * the smallest and the largest numbers. By the bytes of the type: 2, 4, 8. */
static const uint64_t specials[3][12] = {
    {0, 0x8000, 0x7e01, 0xfe02, 0x7c01, 0x7c00, 0xfc00, 1, 0x8001, 0x3ff, 0x400, 0x7bff},
    {0, 0x80000000, 0x7fc00001, 0xffc00002, 0x7f800001, 0x7f800000, 0xff800000, 1, 0x80000001,
     0x7fffff, 0x800000, 0x7f7fffff},
    {0, 1ull << 63, 0x7ff8ull << 48 | 1, 0xfff8ull << 48 | 2, 0x7ff0ull << 48 | 1, 0x7ffull << 52,
     0xfffull << 52, 1, 1ull << 63 | 1, (1ull << 52) - 1, 1ull << 52, (0x7ffull << 52) - 1},
};

/* long double has bits that are no number; from a double there come only those that are. */
static void fill_part(const struct part *part, unsigned char *element)
{
    const bool is_real = part->form == REAL;
    const size_t bytes = part->bytes == 16 ? sizeof(double) : part->bytes;
    uint64_t bits = random_bits();
    if (is_real && random_below(&seed, 3) == 0)
        bits = specials[bytes / 4][random_below(&seed, LENGTH(specials[0]))];
    else if (random_below(&seed, 3) == 0)
        bits = is_real && bytes == 8 ? 0x3ffull << 52 : is_real ? 0x3f803c00 : bits % 3;
    if (part->bytes != 16) {
        memcpy(element + part->offset, &bits, bytes);
        return;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    const long double wide = (long double)value;
    memcpy(element + part->offset, &wide, 10);
}

static void fill(const struct layout *layout, unsigned char *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            if (layout->parts[k].form != NONE)
                fill_part(&layout->parts[k], to + i * layout->bytes);
}

/* Which NaN comes out of two is not said for sums and products, nor what becomes of the padding of
 * long double. */
static void make_nan_alike(enum allfold_type type, enum allfold_operation operation,
                           unsigned char *elements, size_t count)
{
    const struct layout *layout = &layouts[type];
    unsigned char nan[MAX_ELEMENT_BYTES];
    encode(layout, (struct number){{NAN, NAN}}, nan);
    for (size_t i = 0; operation <= ALLFOLD_PROD && i < count; i++)
        for (int k = 0; k < 2; k++) {
            const struct part *part = &layout->parts[k];
            unsigned char *at = elements + i * layout->bytes + part->offset;
            const struct number number = decode(layout, elements + i * layout->bytes);
            if (part->form == REAL && isnan(number.part[k]))
                memcpy(at, nan + part->offset, part->bytes);
            if (part->bytes == 16)
                memset(at + 10, 0, 6);
        }
}

/* Calls the kernel in use on what was before. */
static void call(enum allfold_type type, enum allfold_operation operation, size_t count,
                 const size_t shift[3], const size_t alias[3])
{
    unsigned char *at[3];
    memcpy(now, before, sizeof now);
    for (size_t k = 0; k < 3; k++)
        at[k] = now[alias[k]] + GUARD_BYTES + shift[alias[k]];
    allfold_kernel_find(type, operation)(at[0], at[1], at[2], count);
    make_nan_alike(type, operation, at[0], count);
}

static void check_call(enum allfold_type type, enum allfold_operation operation, size_t count,
                       const size_t shift[3], const size_t alias[3])
{
    for (size_t k = 0; k < 3; k++) {
        memset(before[k], 0xa5 + (int)k, sizeof before[k]); /* other padding in each */
        fill(&layouts[type], before[k] + GUARD_BYTES + shift[k], count);
    }
    assert_true(allfold_simd_use("plain"));
    allfold_stream_bytes = SIZE_MAX;
    call(type, operation, count, shift, alias);
    memcpy(plain, now, sizeof plain);

    for (int i = 0; allfold_simd_name(i) != NULL; i++)
        for (size_t streams = 0; allfold_simd_use(allfold_simd_name(i)) && streams < 2; streams++) {
            allfold_stream_bytes = streams ? 0 : SIZE_MAX;
            call(type, operation, count, shift, alias);
            if (memcmp(now, plain, sizeof plain) != 0)
                fail_msg("%s %c, %zu elements, %s%s: other bits than plain", layouts[type].name,
                         letters[operation], count, allfold_simd_used(),
                         streams ? ", streamed" : "");
        }
}

/* x86 and others without the instructions to skip say so in test_kernels. */
static void test_same_bits(void **state)
{
    (void)state;
    for (enum allfold_type type = 0; type < ALLFOLD_TYPE_COUNT; type++)
        for (enum allfold_operation o = 0; o < ALLFOLD_OPERATION_COUNT; o++)
            for (size_t c = 0; allfold_kernel_find(type, o) != NULL && c < LENGTH(counts); c++)
                for (size_t s = 0; s < LENGTH(shifts); s++)
                    check_call(type, o, counts[c], shifts[s], aliases[(c + s) % LENGTH(aliases)]);
    assert_true(allfold_simd_use(NULL));
}

/* Operands of folds: the first is dst where dst is apart. */
static _Alignas(64) unsigned char folded[OPERANDS + 1][SPACE], inputs[OPERANDS + 1][SPACE];

static void check_sum(enum allfold_type type, size_t k, size_t alias, size_t count)
{
    const enum allfold_operation operation = ALLFOLD_SUM;
    const void *operands[OPERANDS];
    const size_t bytes = count * layouts[type].bytes;
    memset(inputs, 0x5a, sizeof inputs);
    for (size_t j = 0; j <= k; j++)
        fill(&layouts[type], inputs[j] + GUARD_BYTES, count);
    memcpy(folded, inputs, sizeof folded);
    for (size_t j = 0; j < k; j++)
        operands[j] = folded[j + 1] + GUARD_BYTES;
    unsigned char *want = inputs[0] + GUARD_BYTES;
    for (size_t j = 1; j < k; j++)
        allfold_kernel_find(type, operation)(want, j == 1 ? inputs[1] + GUARD_BYTES : want,
                                             inputs[j + 1] + GUARD_BYTES, count);

    allfold_folds_find(type, operation)[k](folded[alias] + GUARD_BYTES, operands, count);

    make_nan_alike(type, operation, want, count);
    make_nan_alike(type, operation, folded[alias] + GUARD_BYTES, count);
    if (memcmp(folded[alias] + GUARD_BYTES, want, bytes) != 0)
        fail_msg("%s: the sum of %zu into %zu has other bits than its steps", layouts[type].name, k,
                 alias);
    memcpy(folded[alias] + GUARD_BYTES, inputs[alias] + GUARD_BYTES, bytes);
    memcpy(inputs[0] + GUARD_BYTES, folded[0] + GUARD_BYTES, bytes); /* `want` */
    assert_memory_equal(folded, inputs, sizeof folded);
}

static void test_folds(void **state)
{
    (void)state;
    static const size_t some[] = {0, 1, 33, MOST};
    int types = 0;
    for (enum allfold_type type = 0; type < ALLFOLD_TYPE_COUNT; type++) {
        for (enum allfold_operation o = 0; o < ALLFOLD_OPERATION_COUNT; o++)
            assert_true(o == ALLFOLD_SUM || allfold_folds_find(type, o) == NULL);
        if (allfold_folds_find(type, ALLFOLD_SUM) == NULL)
            continue;
        types++;
        for (size_t k = 3; k <= OPERANDS; k++)
            for (size_t c = 0; c < LENGTH(some); c++)
                for (size_t alias = 0; alias <= k; alias++)
                    check_sum(type, k, alias, some[c]);
    }
    assert_int_equal(types, 6);
    assert_null(allfold_folds_find(ALLFOLD_TYPE_COUNT, ALLFOLD_SUM));
}

/* Each number plus nothing, plus its half, and times itself: all of them, and all that rounds. */
static void test_all_of_float16(void **state)
{
    (void)state;
    enum { NUMBERS = 1 << 16 };
    static uint16_t all[NUMBERS], other[NUMBERS], sums[NUMBERS], products[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        all[i] = (uint16_t)i;
        other[i] = (uint16_t)((unsigned)i * 40503u);
    }
    allfold_kernel_find(ALLFOLD_FLOAT16, ALLFOLD_SUM)(sums, all, other, NUMBERS);
    allfold_kernel_find(ALLFOLD_FLOAT16, ALLFOLD_PROD)(products, all, other, NUMBERS);
    for (int i = 0; i < NUMBERS; i++) {
        const long double a = half_number(all[i]), b = half_number(other[i]);
        if (isnan(a + b))
            assert_true(isnan(half_number(sums[i])));
        else
            assert_int_equal(sums[i], nearest_half(a + b));
        if (isnan(a * b))
            assert_true(isnan(half_number(products[i])));
        else
            assert_int_equal(products[i], nearest_half(a * b));
    }
}

static void test_choice(void **state)
{
    (void)state;
    const char *used = allfold_simd_used();
    assert_true(allfold_simd_is_supported(used));
    assert_string_equal(allfold_simd_name(0), "plain");
    assert_null(allfold_simd_name(-1));
    assert_false(allfold_simd_use("none"));
    assert_false(allfold_simd_is_supported("none"));
    assert_string_equal(allfold_simd_used(), used);
    assert_true(allfold_simd_use("plain"));
    assert_string_equal(allfold_simd_used(), "plain");
    assert_ptr_equal(allfold_kernel_find(ALLFOLD_FLOAT, ALLFOLD_SUM),
                     allfold_kernels_plain[ALLFOLD_FLOAT].kernels[ALLFOLD_SUM]);
    assert_true(allfold_simd_use(NULL));
    for (int i = 0; allfold_simd_name(i) != NULL; i++)
        if (allfold_simd_is_supported(allfold_simd_name(i)))
            used = allfold_simd_name(i); /* the best one comes last */
    assert_string_equal(allfold_simd_used(), used);
    assert_true(allfold_simd_use(used));
}

int main(void)
{
    static const struct CMUnitTest each[] = {
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_all_of_float16),
    };
    static const struct CMUnitTest once[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(once, NULL, NULL) + run_with_each_variant(each, LENGTH(each));
}
