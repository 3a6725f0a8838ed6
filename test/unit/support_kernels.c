/* Types and elements for the tests of kernels (see support_kernels.h). */
#include "support_kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(long double) == 16 && sizeof(long) == 8, "the table of types says so");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "decoding takes the low bytes first");

const struct layout layouts[ALLFOLD_TYPE_COUNT] = {
    [ALLFOLD_INT8] = {"int8", 1, "+*><alxAOX", true, {{SIGNED, 1, 0}}},
    [ALLFOLD_UINT8] = {"uint8", 1, "+*><alxAOX", true, {{UNSIGNED, 1, 0}}},
    [ALLFOLD_INT16] = {"int16", 2, "+*><alxAOX", true, {{SIGNED, 2, 0}}},
    [ALLFOLD_UINT16] = {"uint16", 2, "+*><alxAOX", true, {{UNSIGNED, 2, 0}}},
    [ALLFOLD_INT32] = {"int32", 4, "+*><alxAOX", true, {{SIGNED, 4, 0}}},
    [ALLFOLD_UINT32] = {"uint32", 4, "+*><alxAOX", true, {{UNSIGNED, 4, 0}}},
    [ALLFOLD_INT64] = {"int64", 8, "+*><alxAOX", true, {{SIGNED, 8, 0}}},
    [ALLFOLD_UINT64] = {"uint64", 8, "+*><alxAOX", true, {{UNSIGNED, 8, 0}}},
    [ALLFOLD_BOOL] = {"bool", 1, "alx", true, {{UNSIGNED, 1, 0}}},
    [ALLFOLD_BYTE] = {"byte", 1, "AOX", true, {{UNSIGNED, 1, 0}}},
    [ALLFOLD_FLOAT16] = {"float16", 2, "+*><", false, {{REAL, 2, 0}}},
    [ALLFOLD_FLOAT] = {"float", 4, "+*><", false, {{REAL, 4, 0}}},
    [ALLFOLD_DOUBLE] = {"double", 8, "+*><", false, {{REAL, 8, 0}}},
    [ALLFOLD_LONG_DOUBLE] = {"long_double", 16, "+*><", false, {{REAL, 16, 0}}},
    [ALLFOLD_COMPLEX_FLOAT] = {"complex_float", 8, "+*", false, {{REAL, 4, 0}, {REAL, 4, 4}}},
    [ALLFOLD_COMPLEX_DOUBLE] = {"complex_double", 16, "+*", false, {{REAL, 8, 0}, {REAL, 8, 8}}},
    [ALLFOLD_COMPLEX_LONG_DOUBLE] =
        {"complex_long_double", 32, "+*", false, {{REAL, 16, 0}, {REAL, 16, 16}}},
    [ALLFOLD_FLOAT128] = {"float128", 16, "+*><", false, {{QUAD, 16, 0}}},
    [ALLFOLD_COMPLEX_FLOAT128] =
        {"complex_float128", 32, "+*", false, {{QUAD, 16, 0}, {QUAD, 16, 16}}},
    [ALLFOLD_FLOAT_INT] = {"float_int", 8, "gs", false, {{REAL, 4, 0}, {SIGNED, 4, 4}}},
    [ALLFOLD_DOUBLE_INT] = {"double_int", 16, "gs", false, {{REAL, 8, 0}, {SIGNED, 4, 8}}},
    [ALLFOLD_LONG_INT] = {"long_int", 16, "gs", true, {{SIGNED, 8, 0}, {SIGNED, 4, 8}}},
    [ALLFOLD_INT_INT] = {"int_int", 8, "gs", true, {{SIGNED, 4, 0}, {SIGNED, 4, 4}}},
    [ALLFOLD_SHORT_INT] = {"short_int", 8, "gs", true, {{SIGNED, 2, 0}, {SIGNED, 4, 4}}},
    [ALLFOLD_LONG_DOUBLE_INT] =
        {"long_double_int", 32, "gs", false, {{REAL, 16, 0}, {SIGNED, 4, 16}}},
    [ALLFOLD_FLOAT_FLOAT] = {"float_float", 8, "gs", false, {{REAL, 4, 0}, {REAL, 4, 4}}},
    [ALLFOLD_DOUBLE_DOUBLE] = {"double_double", 16, "gs", false, {{REAL, 8, 0}, {REAL, 8, 8}}},
};

const char letters[] = "+*><alxAOXgs";

long double half_number(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    long double number =
        ldexpl(fraction + (exponent > 0 ? 1024 : 0), (exponent > 0 ? exponent : 1) - 25);
    if (exponent == 31)
        number = fraction == 0 ? INFINITY : NAN;
    return bits & 0x8000 ? -number : number;
}

/* By search among the finite ones, which lie in the order of their bits. */
uint16_t nearest_half(long double number)
{
    const uint16_t sign = signbit(number) ? 0x8000 : 0;
    const long double magnitude = fabsl(number);
    uint16_t low = 0, high = 0x7c00;
    if (isnan(number))
        return 0x7e00;
    while (high - low > 1) {
        const uint16_t middle = (uint16_t)((low + high) / 2);
        *(half_number(middle) <= magnitude ? &low : &high) = middle;
    }
    const long double limit = high == 0x7c00 ? 65536 : half_number(high);
    const long double before = magnitude - half_number(low), after = limit - magnitude;
    const bool is_up = after < before || (after == before && low % 2 == 1);
    return (uint16_t)(sign | (is_up ? high : low));
}

__int128 wrapped(__int128 value, const struct part *part)
{
    unsigned __int128 range = (unsigned __int128)1 << 8 * part->bytes;
    __int128 low = (__int128)((unsigned __int128)value & (range - 1));
    bool is_negative = part->form == SIGNED && low >= (__int128)(range / 2);
    return is_negative ? low - (__int128)range : low;
}

static long double decode_part(const struct part *part, const unsigned char *element)
{
    union {
        float f;
        double d;
        long double l;
        quad q;
        __int128 i;
    } u = {.i = 0};
    memcpy(&u, element + part->offset, part->bytes);
    if (part->form == QUAD)
        return (long double)u.q;
    if (part->form != REAL)
        return (long double)wrapped(u.i, part);
    if (part->bytes == 2)
        return half_number((uint16_t)u.i);
    return part->bytes == 4 ? u.f : part->bytes == 8 ? u.d : u.l;
}

static void encode_part(const struct part *part, long double value, unsigned char *element)
{
    float f = (float)value;
    double d = (double)value;
    quad q = (quad)value;
    if (part->form == QUAD) {
        memcpy(element + part->offset, &q, sizeof q);
        return;
    }
    __int128 i = part->form != REAL ? (__int128)value : part->bytes == 2 ? nearest_half(value) : 0;
    const void *real = part->bytes == 4 ? &f : part->bytes == 8 ? (void *)&d : (void *)&value;
    memcpy(element + part->offset, part->form == REAL && part->bytes > 2 ? real : &i, part->bytes);
}

struct number decode(const struct layout *layout, const unsigned char *element)
{
    return (struct number){
        {decode_part(&layout->parts[0], element), decode_part(&layout->parts[1], element)}};
}

void encode(const struct layout *layout, struct number number, unsigned char *element)
{
    for (int k = 0; k < 2; k++)
        encode_part(&layout->parts[k], number.part[k], element);
}

bool is_same(struct number a, struct number b)
{
    bool is_same = true;
    for (int k = 0; k < 2; k++) {
        long double x = a.part[k], y = b.part[k];
        is_same = is_same && (isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y));
    }
    return is_same;
}

int run_with_each_variant(const struct CMUnitTest *tests, size_t count)
{
    int failed = 0;
    for (int i = 0; allfold_simd_name(i) != NULL; i++) {
        const char *name = allfold_simd_name(i);
        if (allfold_simd_use(name))
            failed += _cmocka_run_group_tests(name, tests, count, NULL, NULL);
        else
            printf("skipped: %s (this processor does not have it)\n", name);
    }
    return failed;
}
