/* Exact sums as sums of integers: random cases on virtual ranks, whose integers are added in any
 * order. The reference is an accumulator, whose cases test/tools/accumulator.py holds against
 * Python's exact fractions. Breaking the sticky bit, a limb's width or the -0 rule makes it fail.
 */
#include "kernels/exact_format.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allfold_accumulator.h"
#include "support_kernels.h"

enum { MOST_RANKS = 64, MOST_NUMBERS = 40, CASES = 12000, KINDS = 8 };

static uint64_t seed = 21;

static int below(int n)
{
    return (int)random_below(&seed, (uint32_t)n);
}

static double fraction(void)
{
    const double high = random_below(&seed, UINT32_MAX), low = random_below(&seed, 1 << 21);
    return (high * 0x1p-32 + low * 0x1p-53) * (below(2) ? 1 : -1);
}

static double draw(int kind, bool is_float)
{
    const int least = is_float ? -149 : -1074, top = is_float ? 128 : 1024;
    switch (kind) {
    case 0:
        return fraction();
    case 1: /* wide exponents */
        return ldexp(fraction(), least + below(top - least));
    case 2: /* subnormal */
        return ldexp(below(1 << 20) - (1 << 19), least);
    case 3: /* ties */
        return ldexp(below(2) ? 1 : -1, below(120) - 60);
    case 4: /* the greatest */
        return (below(2) ? 1 : -1) * (is_float ? (double)FLT_MAX : DBL_MAX);
    case 5: /* zeros of both signs */
        return below(3) ? -0.0 : 0.0;
    case 6: /* integers, some far apart */
        return below(4) ? below(1000) - 500 : ldexp(below(9) - 4, 45);
    default: /* half of a last digit, and what is below it */
        return below(2) ? 1 + below(8) : ldexp(below(3) - 1, -53 - below(60));
    }
}

struct sums {
    bool is_float;
    int ranks;
    size_t n;
    double numbers[MOST_RANKS][MOST_NUMBERS];
    float floats[MOST_RANKS][MOST_NUMBERS];
};

static void draw_sums(struct sums *sums, int kind)
{
    sums->is_float = below(2);
    sums->ranks = 1 + below(MOST_RANKS);
    sums->n = (size_t)(1 + below(below(4) ? 4 : MOST_NUMBERS));
    const bool cancels = below(2), has_specials = below(20) == 0;
    for (int r = 0; r < sums->ranks; r++)
        for (size_t i = 0; i < sums->n; i++) {
            double x = draw(kind, sums->is_float);
            if (cancels && r % 2 == 1 && below(5))
                x = -sums->numbers[r - 1][i];
            if (has_specials && below(20) == 0)
                x = (double[]){INFINITY, -INFINITY, NAN}[below(3)];
            sums->floats[r][i] = (float)x;
            sums->numbers[r][i] = sums->is_float ? (double)(float)x : x;
        }
}

static const void *numbers_of(const struct sums *sums, int rank)
{
    return sums->is_float ? (const void *)sums->floats[rank] : sums->numbers[rank];
}

static struct allfold_exact_need greatest(struct allfold_exact_need a, struct allfold_exact_need b)
{
    return (struct allfold_exact_need){
        a.top > b.top ? a.top : b.top, a.depth > b.depth ? a.depth : b.depth,
        a.has_specials > b.has_specials ? a.has_specials : b.has_specials};
}

static double reference(const struct sums *sums, size_t i)
{
    struct allfold_accumulator sum = {0};
    for (int r = 0; r < sums->ranks; r++)
        allfold_accumulate(&sum, &sums->numbers[r][i], 1);
    return sums->is_float ? (double)allfold_accumulator_round_float(&sum)
                          : allfold_accumulator_round(&sum);
}

static void assert_same(double got, double expected, const struct sums *sums, int kind)
{
    if (isnan(got) ? !isnan(expected) : memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("kind %d, %s of %d ranks: %a instead of %a", kind,
                 sums->is_float ? "float" : "double", sums->ranks, got, expected);
}

static double number_at(const struct sums *sums, const void *at, size_t i)
{
    return sums->is_float ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

/* All ranks' numbers in one memory are added there. */
static void check_added(const struct sums *sums, int kind)
{
    static double got[MOST_NUMBERS];
    const enum allfold_type type = sums->is_float ? ALLFOLD_FLOAT : ALLFOLD_DOUBLE;
    const size_t stride = sums->is_float ? sizeof sums->floats[0] : sizeof sums->numbers[0];
    allfold_exact_add(type, got, numbers_of(sums, 0), stride, sums->ranks, sums->n);
    for (size_t i = 0; i < sums->n; i++)
        assert_same(number_at(sums, got, i), reference(sums, i), sums, kind);
}

/* Two numbers need no integers. */
static void check_plain(const struct sums *sums, int kind)
{
    static double got[MOST_NUMBERS];
    const enum allfold_type type = sums->is_float ? ALLFOLD_FLOAT : ALLFOLD_DOUBLE;
    if (sums->ranks != 2)
        return;
    memcpy(got, numbers_of(sums, 0), sums->n * allfold_type_bytes(type));
    allfold_kernel_find(type, ALLFOLD_SUM)(got, got, numbers_of(sums, 1), sums->n);
    for (size_t i = 0; i < sums->n; i++)
        assert_same(number_at(sums, got, i), reference(sums, i), sums, kind);
}

/* Adds the ranks' integers from any rank on, and rounds; at an odd address now and then. */
static void check_format(const struct sums *sums, struct allfold_exact_format format, int kind)
{
    static int64_t planes[(ALLFOLD_EXACT_LIMBS + 1) * MOST_NUMBERS],
        all[(ALLFOLD_EXACT_LIMBS + 1) * MOST_NUMBERS];
    static unsigned char from[8 * MOST_NUMBERS + 1], to[8 * MOST_NUMBERS + 1];
    const enum allfold_type type = sums->is_float ? ALLFOLD_FLOAT : ALLFOLD_DOUBLE;
    const size_t bytes = allfold_type_bytes(type), length = allfold_exact_planes(&format) * sums->n;
    const int first = below(sums->ranks), odd = below(2);
    memset(all, 0, sizeof all);
    for (int i = 0; i < sums->ranks; i++) {
        memcpy(from + odd, numbers_of(sums, (first + i) % sums->ranks), sums->n * bytes);
        allfold_exact_encode(type, &format, planes, from + odd, sums->n);
        for (size_t k = 0; k < length; k++)
            assert_false(__builtin_add_overflow(all[k], planes[k], &all[k]));
    }
    allfold_exact_decode(type, &format, to + odd, all, sums->n);
    for (size_t i = 0; i < sums->n; i++) {
        float got_float;
        double got;
        memcpy(sums->is_float ? (void *)&got_float : &got, to + odd + i * bytes, bytes);
        assert_same(sums->is_float ? (double)got_float : got, reference(sums, i), sums, kind);
    }
}

static void check_sums(const struct sums *sums, int kind)
{
    const enum allfold_type type = sums->is_float ? ALLFOLD_FLOAT : ALLFOLD_DOUBLE;
    struct allfold_exact_need need = allfold_exact_look(type, numbers_of(sums, 0), sums->n);
    for (int r = 1; r < sums->ranks; r++)
        need = greatest(need, allfold_exact_look(type, numbers_of(sums, r), sums->n));
    const struct allfold_exact_need any = allfold_exact_any(type);
    assert_true(need.top <= any.top && need.depth <= any.depth);
    check_format(sums, allfold_exact_format(&need, sums->ranks), kind);
    check_format(sums, allfold_exact_format(&any, sums->ranks), kind);
    check_added(sums, kind);
    check_plain(sums, kind);
    /* limbs as narrow as those of many more ranks */
    check_format(sums, allfold_exact_format(&need, 1 << (6 + below(15))), kind);
}

static void test_random_sums(void **state)
{
    (void)state;
    struct sums *sums = malloc(sizeof *sums);
    assert_non_null(sums);
    for (int i = 0; i < CASES; i++) {
        draw_sums(sums, i % KINDS);
        check_sums(sums, i % KINDS);
    }
    free(sums);
}

/* What the numbers need, no more. */
static void test_needs(void **state)
{
    (void)state;
    static const struct {
        double numbers[3];
        struct allfold_exact_need need;
    } cases[] = {
        {{0, 0, 0}, {INT16_MIN, INT16_MIN, 0}},
        {{1, 0, 0}, {1, 0, 0}},
        {{-1, 6, 0}, {3, 0, 0}},
        {{0.75, 1024, -3}, {11, 2, 0}},
        {{DBL_MAX, 1, 1}, {1024, 0, 0}},
        {{DBL_MIN, 0, 0}, {-1021, 1022, 0}},
        {{0x1p-1074, 0x1p-1070, 0}, {-1021, 1074, 0}},
        {{1 + DBL_EPSILON, 0, 0}, {1, 52, 0}},
        {{-0.0, 1, 0}, {1, 0, 1}},
        {{INFINITY, -2.5, 0}, {2, 1, 1}},
        {{NAN, 0, 0}, {INT16_MIN, INT16_MIN, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct allfold_exact_need need =
            allfold_exact_look(ALLFOLD_DOUBLE, cases[i].numbers, 3);
        if (memcmp(&need, &cases[i].need, sizeof need) != 0)
            fail_msg("case %zu: top %d, depth %d, specials %d", i, need.top, need.depth,
                     need.has_specials);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needs),
        cmocka_unit_test(test_random_sums),
    };
    return run_with_each_variant(tests, sizeof tests / sizeof *tests);
}
