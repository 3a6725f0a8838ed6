/* Kernels against the definitions of the operations, an element at a time.
 *
 * Elements are decoded to long double, which holds every value of every type here; what is expected
 * is computed there, or for integers in __int128. Floating-point inputs have so few bits that no
 * operation rounds, so the expectation knows nothing of types; rounding has a test of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/kernel_variants.h"
#include "support_kernels.h"

enum { GUARD_BYTES = 128, MAX_BYTES = 1000 * 32, ALLOWED = 130, COUNT = 37 };

static const size_t counts[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 1000};
/* Of dst, left, right: bytes from an aligned address. */
static const size_t shifts[][3] = {{0, 0, 0}, {8, 0, 8}, {1, 4, 7}, {7, 7, 7}};

static __int128 expected_integer(enum allfold_operation operation, __int128 a, __int128 b)
{
    const __int128 results[ALLFOLD_OPERATION_COUNT] = {
        [ALLFOLD_SUM] = a + b,
        [ALLFOLD_PROD] = (__int128)((unsigned __int128)a * (unsigned __int128)b),
        [ALLFOLD_MAX] = a < b ? b : a,
        [ALLFOLD_MIN] = b < a ? b : a,
        [ALLFOLD_LAND] = a && b,
        [ALLFOLD_LOR] = a || b,
        [ALLFOLD_LXOR] = !a != !b,
        [ALLFOLD_BAND] = a & b,
        [ALLFOLD_BOR] = a | b,
        [ALLFOLD_BXOR] = a ^ b,
    };
    return results[operation];
}

static struct number expected(const struct layout *layout, enum allfold_operation operation,
                              struct number left, struct number right)
{
    const long double *a = left.part, *b = right.part;
    bool is_minimum = operation == ALLFOLD_MINLOC || operation == ALLFOLD_MIN;
    bool is_pair = layout->operations[0] == 'g';
    if (is_pair && a[0] == b[0])
        return (struct number){{a[0], fminl(a[1], b[1])}};
    if (!is_pair && layout->parts[0].form < REAL) {
        __int128 value = expected_integer(operation, (__int128)a[0], (__int128)b[0]);
        return (struct number){{(long double)wrapped(value, &layout->parts[0])}};
    }
    if (operation == ALLFOLD_SUM)
        return (struct number){{a[0] + b[0], a[1] + b[1]}};
    if (operation == ALLFOLD_PROD && layout->parts[1].form == NONE)
        return (struct number){{a[0] * b[0]}};
    if (operation == ALLFOLD_PROD)
        return (struct number){{a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]}};
    return (a[0] < b[0]) == is_minimum ? left : right;
}

/* As the type holds it: some results of float16 have too many bits. */
static struct number rounded(const struct layout *layout, struct number number)
{
    unsigned char element[MAX_ELEMENT_BYTES];
    encode(layout, number, element);
    return decode(layout, element);
}

/* Few values for pairs, so that there are ties. Eighths below 128, not 0, for floating point: their
 * products and sums of products fit a float. For integers zeros, 2^k, 2^k - 1 and random ones. */
static long double random_part(const struct part *part, bool is_pair)
{
    uint64_t bits = (uint64_t)mrand48() << 32 ^ (uint64_t)mrand48();
    if (is_pair)
        return (long double)(bits % 5) - 2;
    if (part->form == REAL || part->form == QUAD)
        return ((long double)(bits % 1023) + 1) / (bits & (uint64_t)1 << 40 ? 8 : -8);
    if (bits % 8 == 1)
        return 0;
    if (bits % 4 == 0)
        bits = ((uint64_t)1 << (bits >> 8) % 64) - (bits >> 4) % 2;
    return (long double)wrapped((__int128)bits, part);
}

/* Memory of one call: dst, left and right, each between guards; and what it was before. */
static _Alignas(16) unsigned char now[3 * (MAX_BYTES + 2 * GUARD_BYTES)], before[sizeof now];

static void fill(const struct layout *layout, size_t count, unsigned char *to)
{
    bool is_pair = layout->operations[0] == 'g';
    for (size_t i = 0; i < count; i++) {
        long double first = random_part(&layout->parts[0], is_pair);
        long double second = random_part(&layout->parts[1], is_pair);
        encode(layout, (struct number){{first, second}}, to + i * layout->bytes);
    }
}

static void check_result(enum allfold_type type, enum allfold_operation operation, size_t count,
                         const unsigned char *dst, const unsigned char *left,
                         const unsigned char *right)
{
    const struct layout *layout = &layouts[type];
    for (size_t at = 0; at < count * layout->bytes; at += layout->bytes) {
        struct number a = decode(layout, left + at), b = decode(layout, right + at);
        struct number want = rounded(layout, expected(layout, operation, a, b));
        struct number got = decode(layout, dst + at);
        if (!is_same(got, want))
            fail_msg("%s %c, element %zu of %zu: (%Lg, %Lg) o (%Lg, %Lg) gave (%Lg, %Lg)",
                     layout->name, letters[operation], at / layout->bytes, count, a.part[0],
                     a.part[1], b.part[0], b.part[1], got.part[0], got.part[1]);
    }
}

/* dst, left and right are the arrays alias[0], [1] and [2], each shifted by its own shift. */
static void check_call(enum allfold_type type, enum allfold_operation operation, size_t count,
                       const size_t shift[3], const size_t alias[3])
{
    const struct layout *layout = &layouts[type];
    size_t bytes = count * layout->bytes, stride = (bytes + 2 * GUARD_BYTES) / 16 * 16;
    size_t offset[3];
    memset(now, 0xa5, 3 * stride);
    for (size_t k = 0; k < 3; k++) {
        offset[k] = k * stride + GUARD_BYTES / 2 + shift[k];
        fill(layout, count, now + offset[k]);
    }
    memcpy(before, now, 3 * stride);
    size_t d = offset[alias[0]], l = offset[alias[1]], r = offset[alias[2]];

    allfold_kernel_find(type, operation)(now + d, now + l, now + r, count);

    check_result(type, operation, count, now + d, before + l, before + r);
    memcpy(now + d, before + d, bytes);
    assert_memory_equal(now, before, 3 * stride); /* guards, inputs */
}

static bool is_allowed(enum allfold_type type, enum allfold_operation operation)
{
    return strchr(layouts[type].operations, letters[operation]) != NULL;
}

static void check_kernel(enum allfold_type type, enum allfold_operation operation)
{
    static const size_t aliases[][3] = {{0, 1, 2}, {1, 1, 2}, {2, 1, 2}, {0, 1, 1}, {1, 1, 1}};
    for (size_t c = 0; c < LENGTH(counts); c++)
        for (size_t s = 0; s < LENGTH(shifts); s++)
            for (size_t a = 0; a < LENGTH(aliases); a++)
                check_call(type, operation, counts[c], shifts[s], aliases[a]);
}

static void test_every_kernel(void **state)
{
    (void)state;
    for (enum allfold_type type = 0; type < ALLFOLD_TYPE_COUNT; type++)
        for (enum allfold_operation o = 0; o < ALLFOLD_OPERATION_COUNT; o++)
            if (is_allowed(type, o))
                check_kernel(type, o);
}

static void test_allowed_combinations(void **state)
{
    (void)state;
    int allowed = 0;
    for (enum allfold_type type = 0; type < ALLFOLD_TYPE_COUNT; type++) {
        for (enum allfold_operation o = 0; o < ALLFOLD_OPERATION_COUNT; o++) {
            allfold_kernel *kernel = allfold_kernel_find(type, o);
            assert_int_equal(kernel != NULL, is_allowed(type, o));
            assert_int_equal(allfold_reduction_is_exact(type, o),
                             kernel != NULL && layouts[type].is_exact);
            allowed += kernel != NULL;
            if (kernel != NULL)
                kernel(NULL, NULL, NULL, 0);
        }
    }
    assert_int_equal(allowed, ALLOWED);
}

static void test_names_and_sizes(void **state)
{
    (void)state;
    static const char *const operations[] = {"sum",  "prod", "max", "min",  "land",   "lor",
                                             "lxor", "band", "bor", "bxor", "maxloc", "minloc"};
    for (enum allfold_type type = 0; type < ALLFOLD_TYPE_COUNT; type++) {
        assert_string_equal(allfold_type_name(type), layouts[type].name);
        assert_int_equal(allfold_type_bytes(type), layouts[type].bytes);
    }
    assert_int_equal(LENGTH(operations), ALLFOLD_OPERATION_COUNT);
    assert_null(allfold_operation_name(ALLFOLD_OPERATION_COUNT));
    assert_null(allfold_kernel_find(ALLFOLD_INT32, ALLFOLD_OPERATION_COUNT));
    for (enum allfold_operation o = 0; o < ALLFOLD_OPERATION_COUNT; o++)
        assert_string_equal(allfold_operation_name(o), operations[o]);
}

static void test_out_of_range(void **state)
{
    (void)state;
    static const int beyond[] = {-1, INT_MIN, INT_MAX, ALLFOLD_TYPE_COUNT};
    for (size_t i = 0; i < LENGTH(beyond); i++) {
        enum allfold_type type = (enum allfold_type)beyond[i];
        enum allfold_operation operation = (enum allfold_operation)beyond[i];
        assert_null(allfold_type_name(type));
        assert_int_equal(allfold_type_bytes(type), 0);
        assert_null(allfold_operation_name(operation));
        assert_null(allfold_kernel_find(type, ALLFOLD_SUM));
        assert_null(allfold_kernel_find(ALLFOLD_INT32, operation));
        assert_false(allfold_reduction_is_exact(type, ALLFOLD_SUM));
        assert_false(allfold_reduction_is_exact(ALLFOLD_INT32, operation));
    }
}

/* Applies a kernel to enough equal elements that both a vector loop and its rest see them. */
static struct number apply(enum allfold_type type, enum allfold_operation operation,
                           struct number left, struct number right)
{
    const struct layout *layout = &layouts[type];
    size_t bytes = COUNT * layout->bytes; /* exactly, for the address sanitizer */
    unsigned char l[bytes], r[bytes], d[bytes];
    for (size_t i = 0; i < COUNT; i++) {
        encode(layout, left, l + i * layout->bytes);
        encode(layout, right, r + i * layout->bytes);
    }
    allfold_kernel_find(type, operation)(d, l, r, COUNT);
    for (size_t i = 1; i < COUNT; i++)
        assert_true(is_same(decode(layout, d), decode(layout, d + i * layout->bytes)));
    return decode(layout, d);
}

static const struct special {
    enum allfold_type type;
    enum allfold_operation operation;
    struct number left, right, want;
} specials[] = {
    /* Integers wrap. */
    {ALLFOLD_INT8, ALLFOLD_SUM, {{127}}, {{1}}, {{-128}}},
    {ALLFOLD_UINT16, ALLFOLD_PROD, {{65535}}, {{65535}}, {{1}}},
    {ALLFOLD_INT32, ALLFOLD_SUM, {{INT32_MIN}}, {{-1}}, {{INT32_MAX}}},
    {ALLFOLD_INT32, ALLFOLD_PROD, {{65536}}, {{32768}}, {{INT32_MIN}}},
    {ALLFOLD_UINT32, ALLFOLD_PROD, {{UINT32_MAX}}, {{UINT32_MAX}}, {{1}}},
    {ALLFOLD_INT64, ALLFOLD_SUM, {{INT64_MAX}}, {{1}}, {{INT64_MIN}}},
    {ALLFOLD_INT64, ALLFOLD_PROD, {{INT64_MIN}}, {{-1}}, {{INT64_MIN}}},
    {ALLFOLD_UINT64, ALLFOLD_PROD, {{UINT64_MAX}}, {{UINT64_MAX}}, {{1}}},
    /* Signs decide. */
    {ALLFOLD_UINT64, ALLFOLD_MAX, {{UINT64_MAX}}, {{1}}, {{UINT64_MAX}}},
    /* Smaller indices win ties, also where -0.0 meets 0.0. */
    {ALLFOLD_INT_INT, ALLFOLD_MAXLOC, {{5, 1}}, {{5, 2}}, {{5, 1}}},
    {ALLFOLD_INT_INT, ALLFOLD_MAXLOC, {{5, 2}}, {{5, 1}}, {{5, 1}}},
    {ALLFOLD_INT_INT, ALLFOLD_MINLOC, {{5, -1}}, {{5, -2}}, {{5, -2}}},
    {ALLFOLD_LONG_INT, ALLFOLD_MAXLOC, {{LONG_MIN, 1}}, {{LONG_MAX, 2}}, {{LONG_MAX, 2}}},
    {ALLFOLD_DOUBLE_INT, ALLFOLD_MAXLOC, {{-0.0L, 1}}, {{0.0L, 2}}, {{-0.0L, 1}}},
    {ALLFOLD_DOUBLE_INT, ALLFOLD_MAXLOC, {{-0.0L, 2}}, {{0.0L, 1}}, {{0.0L, 1}}},
    {ALLFOLD_FLOAT_INT, ALLFOLD_MINLOC, {{0.0L, 1}}, {{-0.0L, 2}}, {{0.0L, 1}}},
    /* NaN: right, whole. */
    {ALLFOLD_FLOAT_INT, ALLFOLD_MAXLOC, {{NAN, 1}}, {{3, 2}}, {{3, 2}}},
    {ALLFOLD_FLOAT_INT, ALLFOLD_MINLOC, {{3, 1}}, {{NAN, 2}}, {{NAN, 2}}},
    /* Each operation rounds once, to the type. */
    {ALLFOLD_FLOAT, ALLFOLD_SUM, {{0x1p24L}}, {{1}}, {{0x1p24L}}},
    {ALLFOLD_FLOAT, ALLFOLD_PROD, {{0x1.000002p0L}}, {{0x1.000002p0L}}, {{0x1.000004p0L}}},
    {ALLFOLD_DOUBLE, ALLFOLD_SUM, {{0x1p53L}}, {{1}}, {{0x1p53L}}},
    {ALLFOLD_DOUBLE, ALLFOLD_SUM, {{1}}, {{0x1.0000008p-53L}}, {{0x1.0000000000001p0L}}},
    {ALLFOLD_FLOAT16, ALLFOLD_SUM, {{2048}}, {{1}}, {{2048}}},
    {ALLFOLD_FLOAT16, ALLFOLD_SUM, {{65504}}, {{16}}, {{INFINITY}}},
    /* Products round before they are summed: fused, the real part would be odd. */
    {ALLFOLD_COMPLEX_FLOAT, ALLFOLD_PROD, {{4097, 4099}}, {{4097, 4099}}, {{-16392, 33587208}}},
    /* An infinity times what is not zero is infinite (C11, Annex G). */
    {ALLFOLD_COMPLEX_DOUBLE, ALLFOLD_PROD, {{INFINITY, NAN}}, {{1, 1}}, {{INFINITY, INFINITY}}},
};

static void test_special_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(specials); i++) {
        const struct special *s = &specials[i];
        struct number got = apply(s->type, s->operation, s->left, s->right);
        if (!is_same(got, s->want))
            fail_msg("%s %s, case %zu: got (%Lg, %Lg)", allfold_type_name(s->type),
                     allfold_operation_name(s->operation), i, got.part[0], got.part[1]);
    }
}

/* max and min take `right` unless left is strictly better. */
static void test_order_of_nan_and_zeros(void **state)
{
    (void)state;
    static const long double pairs[][2] = {{NAN, 1}, {1, NAN}, {-0.0L, 0.0L}, {0.0L, -0.0L}};
    for (enum allfold_type type = ALLFOLD_FLOAT16; type <= ALLFOLD_LONG_DOUBLE; type++)
        for (enum allfold_operation o = ALLFOLD_MAX; o <= ALLFOLD_MIN; o++)
            for (size_t i = 0; i < LENGTH(pairs); i++) {
                struct number left = {{pairs[i][0]}}, right = {{pairs[i][1]}};
                assert_true(is_same(apply(type, o, left, right), right));
            }
}

/* All variants of the kernels give the bits of the plain one, also where results are streamed, and
 * folds give the bits of the kernels. */

enum { MOST = 1100, OPERANDS = ALLFOLD_FOLD_OPERANDS, SPACE = MOST * 32 + 2 * GUARD_BYTES };

/* Around the widths of vectors, of lines and of blocks. */
static const size_t counts_variants[] = {0,  1,  2,  3,  4,  5,  7,   8,   9,   15,  16,  17,  31,
                                         32, 33, 63, 64, 65, 66, 127, 128, 129, 255, 257, MOST};
static const size_t shifts_variants[][3] = {
    {0, 0, 0}, {16, 8, 0}, {32, 0, 8}, {48, 48, 48}, {1, 4, 7}};
static const size_t aliases[][3] = {{0, 1, 2}, {1, 1, 2}, {2, 1, 2}, {0, 1, 1}, {1, 1, 1}};

/* dst, left, right; what they were before; what the plain variant made of them. */
static _Alignas(64) unsigned char now_variants[3][SPACE],
    before_variants[3][SPACE], plain[3][SPACE];

static uint64_t seed = 5;

static uint64_t random_bits(void)
{
    return (uint64_t)random_below(&seed, UINT32_MAX) << 32 | random_below(&seed, UINT32_MAX);
}

/* Bits of floating point that are not like others: zeros, NaN of both kinds and signs, infinities,
 * the smallest and the largest numbers. By the bytes of the type: 2, 4, 8. */
static const uint64_t special_bits[3][12] = {
    {0, 0x8000, 0x7e01, 0xfe02, 0x7c01, 0x7c00, 0xfc00, 1, 0x8001, 0x3ff, 0x400, 0x7bff},
    {0, 0x80000000, 0x7fc00001, 0xffc00002, 0x7f800001, 0x7f800000, 0xff800000, 1, 0x80000001,
     0x7fffff, 0x800000, 0x7f7fffff},
    {0, 1ull << 63, 0x7ff8ull << 48 | 1, 0xfff8ull << 48 | 2, 0x7ff0ull << 48 | 1, 0x7ffull << 52,
     0xfffull << 52, 1, 1ull << 63 | 1, (1ull << 52) - 1, 1ull << 52, (0x7ffull << 52) - 1},
};

/* long double has bits that are no number; from a double there come only those that are. */
static void fill_part(const struct part *part, unsigned char *element)
{
    const bool is_real = part->form >= REAL;
    const size_t bytes = part->bytes == 16 ? sizeof(double) : part->bytes;
    uint64_t bits = random_bits();
    if (is_real && random_below(&seed, 3) == 0)
        bits = special_bits[bytes / 4][random_below(&seed, LENGTH(special_bits[0]))];
    else if (random_below(&seed, 3) == 0)
        bits = is_real && bytes == 8 ? 0x3ffull << 52 : is_real ? 0x3f803c00 : bits % 3;
    if (part->bytes != 16) {
        memcpy(element + part->offset, &bits, bytes);
        return;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    const long double wide = (long double)value;
    const quad wider = (quad)value;
    if (part->form == QUAD)
        memcpy(element + part->offset, &wider, sizeof wider);
    else
        memcpy(element + part->offset, &wide, 10);
}

static void fill_variants(const struct layout *layout, unsigned char *to, size_t count)
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
            if (part->form >= REAL && isnan(number.part[k]))
                memcpy(at, nan + part->offset, part->bytes);
            if (part->bytes == 16 && part->form != QUAD)
                memset(at + 10, 0, 6);
        }
}

/* Calls the kernel in use on what was before. */
static void call(enum allfold_type type, enum allfold_operation operation, size_t count,
                 const size_t shift[3], const size_t alias[3])
{
    unsigned char *at[3];
    memcpy(now_variants, before_variants, sizeof now_variants);
    for (size_t k = 0; k < 3; k++)
        at[k] = now_variants[alias[k]] + GUARD_BYTES + shift[alias[k]];
    allfold_kernel_find(type, operation)(at[0], at[1], at[2], count);
    make_nan_alike(type, operation, at[0], count);
}

static void check_call_variants(enum allfold_type type, enum allfold_operation operation,
                                size_t count, const size_t shift[3], const size_t alias[3])
{
    for (size_t k = 0; k < 3; k++) {
        memset(before_variants[k], 0xa5 + (int)k,
               sizeof before_variants[k]); /* other padding in each */
        fill_variants(&layouts[type], before_variants[k] + GUARD_BYTES + shift[k], count);
    }
    assert_true(allfold_simd_use("plain"));
    allfold_stream_bytes = SIZE_MAX;
    call(type, operation, count, shift, alias);
    memcpy(plain, now_variants, sizeof plain);

    for (int i = 0; allfold_simd_name(i) != NULL; i++)
        for (size_t streams = 0; allfold_simd_use(allfold_simd_name(i)) && streams < 2; streams++) {
            allfold_stream_bytes = streams ? 0 : SIZE_MAX;
            call(type, operation, count, shift, alias);
            if (memcmp(now_variants, plain, sizeof plain) != 0)
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
            for (size_t c = 0; allfold_kernel_find(type, o) != NULL && c < LENGTH(counts_variants);
                 c++)
                for (size_t s = 0; s < LENGTH(shifts_variants); s++)
                    check_call_variants(type, o, counts_variants[c], shifts_variants[s],
                                        aliases[(c + s) % LENGTH(aliases)]);
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
        fill_variants(&layouts[type], inputs[j] + GUARD_BYTES, count);
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

/* binary128 has 113 bits, and rounds there: more than long double holds. */
static void test_float128(void **state)
{
    (void)state;
    quad left[5], right[5], sums[5], products[5];
    for (int i = 0; i < 5; i++) {
        left[i] = 1 + (quad)0x1p-112L * (quad)i;
        right[i] = 1 - (quad)0x1p-56L;
    }
    allfold_kernel_find(ALLFOLD_FLOAT128, ALLFOLD_SUM)(sums, left, left, 5);
    allfold_kernel_find(ALLFOLD_FLOAT128, ALLFOLD_PROD)(products, right, right, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(sums[i] == 2 + (quad)0x1p-111L * (quad)i);
        assert_true(sums[i] != 2 || i == 0);
        assert_true(products[i] == 1 - (quad)0x1p-55L + (quad)0x1p-112L);
    }
    const quad one = 1, less = 1 - (quad)0x1p-113L;
    allfold_kernel_find(ALLFOLD_FLOAT128, ALLFOLD_MAX)(sums, &less, &one, 1);
    allfold_kernel_find(ALLFOLD_FLOAT128, ALLFOLD_MIN)(products, &one, &less, 1);
    assert_true(sums[0] == one && products[0] == less && one != less);
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
        cmocka_unit_test(test_every_kernel),    cmocka_unit_test(test_allowed_combinations),
        cmocka_unit_test(test_names_and_sizes), cmocka_unit_test(test_out_of_range),
        cmocka_unit_test(test_special_values),  cmocka_unit_test(test_order_of_nan_and_zeros),
        cmocka_unit_test(test_folds),           cmocka_unit_test(test_all_of_float16),
        cmocka_unit_test(test_float128),
    };
    static const struct CMUnitTest once[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(once, NULL, NULL) + run_with_each_variant(each, LENGTH(each));
}
