/*
 * test_canonical.c: with ALLFOLD_REPRODUCIBLE=canonical every reduction has the bits of the
 * canonical tree. This program computes the tree itself in plain C. Algorithms and counts differ,
 * in place or not, blocking or not. The same program runs under both MPIs, on several placements,
 * with shared memory and without. So a result depends on data and ranks alone.
 *
 * Algorithms that bracket otherwise are forced, too: that is an error, and no other bits.
 *
 * With --lengths the sums are those of one vector of 10^6 doubles and of its beginnings. The free
 * choice has lengths drawn evenly by their logarithm, and 10^6. Each algorithm has two such
 * lengths, and one in four of them has 10^6, others for each p.
 */
#include "check.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "comm_set.h"
#include "forms.h"

enum { WIDEST = sizeof(long double _Complex) };

static int large = 20011, lengths;
static MPI_Comm comm;
static MPI_Op skewed; /* says that it commutes, but not to the last bit */

/* A type, and o = l op r of an operation that is 's'um, 'p'roduct, 'm'ax or the s'k'ewed one. */
struct real {
    const char *name;
    MPI_Datatype type;
    size_t bytes;
    const char *operations;
    void (*put)(void *to, double value);
    void (*reduce)(char operation, void *o, const void *l, const void *r);
};

#define REAL(NAME, TYPE)                                                                           \
    static void put_##NAME(void *to, double value)                                                 \
    {                                                                                              \
        const TYPE v = (TYPE)value;                                                                \
        memcpy(to, &v, sizeof v);                                                                  \
    }                                                                                              \
    static void reduce_##NAME(char operation, void *o, const void *l, const void *r)               \
    {                                                                                              \
        TYPE a, b;                                                                                 \
        memcpy(&a, l, sizeof a);                                                                   \
        memcpy(&b, r, sizeof b);                                                                   \
        const TYPE v = operation == 's' ? a + b : a * b;                                           \
        memcpy(o, &v, sizeof v);                                                                   \
    }
REAL(float, float)
REAL(long_double, long double)
REAL(complex, double _Complex)

#if defined MPIX_C_FLOAT16 && defined __FLT16_MAX__
REAL(float16, _Float16)

/* Within the range: products take numbers near 1, sums small ones besides. */
static void put_half(void *to, double value)
{
    put_float16(to, fabs(value) < 2 ? value : value * 0x1p-20);
}
#endif

static double skew(double left, double right)
{
    const double shrunk = left * 0.999;
    return shrunk + right;
}

static void put_double(void *to, double value)
{
    memcpy(to, &value, sizeof value);
}

/* Of two zeros, max takes the right one. */
static void reduce_double(char operation, void *o, const void *l, const void *r)
{
    double a, b;
    memcpy(&a, l, sizeof a);
    memcpy(&b, r, sizeof b);
    const double v = operation == 's'   ? a + b
                     : operation == 'p' ? a * b
                     : operation == 'm' ? (a > b ? a : b)
                                        : skew(a, b);
    memcpy(o, &v, sizeof v);
}

static const struct real reals[] = {
    {"double", MPI_DOUBLE, sizeof(double), "spmk", put_double, reduce_double},
    {"float", MPI_FLOAT, sizeof(float), "sp", put_float, reduce_float},
    {"long double", MPI_LONG_DOUBLE, sizeof(long double), "sp", put_long_double,
     reduce_long_double},
    {"complex", MPI_C_DOUBLE_COMPLEX, sizeof(double _Complex), "s", put_complex, reduce_complex},
#if defined MPIX_C_FLOAT16 && defined __FLT16_MAX__
    {"float16", MPIX_C_FLOAT16, sizeof(_Float16), "sp", put_half, reduce_float16},
#endif
};

static void reduce_skewed(void *in, void *inout, int *count, MPI_Datatype *type)
{
    double *to = inout;
    const double *from = in;
    (void)type;
    for (int i = 0; i < *count; i++)
        to[i] = skew(from[i], to[i]);
}

static MPI_Op op_of(char operation)
{
    return operation == 's'   ? MPI_SUM
           : operation == 'p' ? MPI_PROD
           : operation == 'm' ? MPI_MAX
                              : skewed;
}

/* Numbers whose sums and products lose digits in every order; max sees zeros of both signs. */
static double input(char operation, int rank, int i)
{
    const uint64_t random = check_random((uint64_t)rank, (uint64_t)i, 5);
    const double mantissa = (double)(random >> 11) * 0x1p-53 + 0.5;
    if (operation == 'm')
        return random & 1 ? 0.0 : -0.0;
    if (operation == 'p')
        return random & 1 ? -mantissa - 0.25 : mantissa + 0.25;
    return ldexp(random & 1 ? -mantissa : mantissa, (int)(random >> 1 & 31));
}

/* Ranks of the left half of the tree, which is that of docs/reproducible.md. */
static int left_half(int ranks)
{
    int half = 1; /* leaves of the left half's last full level */
    while (4 * half <= ranks)
        half *= 2;
    const int more = ranks - 2 * half; /* leaves of the last level, from the left */
    return half + (more < half ? more : half);
}

/* Element i over `ranks` ranks from `first` on. */
static void expect(const struct real *real, char operation, bool is_prefix, int first, int ranks,
                   int i, void *to)
{
    unsigned char left[WIDEST], right[WIDEST];
    int low = 1;

    if (ranks == 1) {
        real->put(to, input(operation, first, i));
        return;
    }
    while (2 * low < ranks)
        low *= 2; /* the largest power of two below */
    if (!is_prefix)
        low = left_half(ranks);
    expect(real, operation, is_prefix, first, low, i, left);
    expect(real, operation, is_prefix, first + low, ranks - low, i, right);
    real->reduce(operation, to, left, right);
}

/* Padding of long double belongs to no element. */
static bool are_same(const struct real *real, const void *a, const void *b)
{
    return !memcmp(a, b, real->type == MPI_LONG_DOUBLE ? 10 : real->bytes);
}

/* Makes a call, and compares the bits where it succeeds; returns its code. */
static int run_call(const struct form *form, const struct real *real, char operation, int count)
{
    const int length = (int)vector_length(form, (size_t)count);
    const struct result result = result_of(form, (size_t)count);
    const int first = (int)result.first, own = (int)result.count;
    unsigned char *send = check_memory((size_t)length * real->bytes + 1);
    unsigned char *receive = check_memory((size_t)length * real->bytes + 1);
    unsigned char expected[WIDEST];

    for (int i = 0; i < length; i++)
        real->put((form->in_place ? receive : send) + (size_t)i * real->bytes,
                  input(operation, check_rank(), i));
    int code = make_call(form, form->in_place ? MPI_IN_PLACE : send, receive, count, real->type,
                         op_of(operation), comm);
    const bool is_prefix = form->collective == ALLFOLD_SCAN || form->collective == ALLFOLD_EXSCAN;
    for (int i = 0; i < own && code == MPI_SUCCESS; i++) {
        expect(real, operation, is_prefix, 0, result.ranks, first + i, expected);
        if (are_same(real, expected, receive + (size_t)i * real->bytes))
            continue;
        check_fail("%s %c: element %d of %d has other bits than the canonical tree gives",
                   real->name, operation, i, own);
        break;
    }
    free(send);
    free(receive);
    return code;
}

/* --- forced algorithms, and the free choice --- */

static void set_rule(enum allfold_collective collective, const char *rule)
{
    char name[64];

    snprintf(name, sizeof name, "ALLFOLD_%s", allfold_collective_name(collective));
    for (char *c = name; *c; c++)
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    check_equal("code of allfold_comm_set", MPI_SUCCESS, comm_set(comm, name, rule));
}

static void test_form(const struct form *form, const char *rule, bool may_fail)
{
    const int p = check_size();
    const int counts[] = {1, p - 1, p, p + 1, 77, 1000, large};
    int served = 0, refused = 0;

    for (size_t t = 0; t < sizeof reals / sizeof *reals; t++)
        for (const char *o = reals[t].operations; *o; o++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                /* long vectors of doubles' sums alone: the reference takes its time */
                if (counts[c] == large && (t > 0 || *o != 's'))
                    continue;
                const int code = run_call(form, &reals[t], *o, counts[c]);
                served += code == MPI_SUCCESS;
                refused += code != MPI_SUCCESS;
                if (code != MPI_SUCCESS)
                    check_error(code, "is forced, but it needs");
            }
    if (refused > 0 && !may_fail)
        check_fail("%s: %d calls were refused, %d served", rule, refused, served);
}

static void test_collective(enum allfold_collective collective, const char *rule, bool may_fail)
{
    const bool is_allreduce = collective == ALLFOLD_ALLREDUCE;

    for (int way = 0; way < (is_allreduce ? 3 : 1); way++) {
        const struct form form = {.collective = collective,
                                  .in_place = way == 1,
                                  .is_nonblocking = way == 2,
                                  .root = collective == ALLFOLD_REDUCE ? check_size() - 1 : 0};
        test_form(&form, rule, may_fail);
    }
}

static void test_roots(void)
{
    for (int root = 0; root < check_size(); root++) {
        const struct form form = {.collective = ALLFOLD_REDUCE, .root = root};
        test_form(&form, "free choice", false);
    }
}

/* A sum of floating point that cannot be bracketed by the tree is an error. Two ranks have one
 * bracketing alone, so more are needed. */
static void test_refused(const struct allfold_algorithm *algorithm)
{
    const struct form form = {.collective = algorithm->collective};

    if (check_size() <= 2)
        return;
    const int code = run_call(&form, &reals[0], 's', 5);
    if (code == MPI_SUCCESS)
        check_fail("a sum was served");
    else
        check_error(code, "canonical");
}

/* Does it keep the tree on that number of ranks? Unknown for those that need nodes. */
static bool keeps_tree(const struct allfold_algorithm *algorithm)
{
    const struct allfold_problem problem = {.collective = algorithm->collective,
                                            .group = allfold_group_all(check_size(), 0),
                                            .canonical = true};
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    return algorithm->keeps_tree != NULL &&
           (algorithm->needs != 0 || algorithm->keeps_tree(&problem, &presets));
}

static bool has_radix(const struct allfold_algorithm *algorithm)
{
    return algorithm->parameters[0].name != NULL &&
           strcmp(algorithm->parameters[0].name, "radix") == 0;
}

static void test_algorithm(const struct allfold_algorithm *algorithm)
{
    char name[100];
    const char *collective = allfold_collective_name(algorithm->collective);

    snprintf(name, sizeof name, "%s", algorithm->name);
    if (!allfold_has_operation(algorithm->collective) || !check_case("%s.%s", collective, name))
        return;
    set_rule(algorithm->collective, name);
    if (keeps_tree(algorithm))
        test_collective(algorithm->collective, name, algorithm->needs || algorithm->unmet);
    else if (!(algorithm->needs & ~(unsigned)ALLFOLD_NEEDS_COMMUTATIVE) && !algorithm->unmet)
        test_refused(algorithm);
    if (algorithm->keeps_tree != NULL && has_radix(algorithm)) { /* one round of all ranks */
        snprintf(name, sizeof name, "%s(radix=16)", algorithm->name);
        set_rule(algorithm->collective, name);
        test_collective(algorithm->collective, name, false);
    }
    set_rule(algorithm->collective, "");
}

/* --- lengths up to 10^6 --- */

enum { LONGEST = 1000000, DRAWN = 2, DRAWN_FREE = 8 };

static double *longest_input, *longest_sum; /* this rank's, and over all ranks by the tree */

/* The whole vector over `ranks` ranks from `first` on. */
static void expect_longest(int first, int ranks, double *to)
{
    if (ranks == 1) {
        for (int i = 0; i < LONGEST; i++)
            to[i] = input('s', first, i);
        return;
    }
    const int low = left_half(ranks);
    double *right = check_memory(LONGEST * sizeof *right);
    expect_longest(first, low, to);
    expect_longest(first + low, ranks - low, right);
    for (int i = 0; i < LONGEST; i++)
        to[i] += right[i];
    free(right);
}

static void test_length(const struct form *form, int length)
{
    int count = length;
    if (form->collective == ALLFOLD_REDUCE_SCATTER_BLOCK)
        count = length / check_size();
    while (vector_length(form, (size_t)count) > (size_t)length)
        count = count * 3 / 4;
    const struct result result = result_of(form, (size_t)count);
    double *out = check_memory((result.count + 1) * sizeof *out);
    const int code = make_call(form, longest_input, out, count, MPI_DOUBLE, MPI_SUM, comm);
    if (code != MPI_SUCCESS)
        check_error(code, "is forced, but it needs");
    else if (memcmp(out, longest_sum + result.first, result.count * sizeof *out) != 0)
        check_fail("the sum of %d elements has other bits than the canonical tree gives", count);
    free(out);
}

/* From 1 to 10^6. */
static int drawn_length(int number, int i)
{
    const uint64_t random = check_random((uint64_t)number, (uint64_t)i, (uint64_t)check_size());
    return (int)exp((double)(random >> 11) * 0x1p-53 * log(LONGEST + 0.5));
}

static void test_lengths_of(enum allfold_collective collective, int number, int drawn,
                            bool has_longest)
{
    const struct form form = {.collective = collective,
                              .root =
                                  collective == ALLFOLD_REDUCE ? (number + 1) % check_size() : 0};
    for (int i = 0; i < drawn; i++)
        test_length(&form, drawn_length(number, i));
    if (has_longest)
        test_length(&form, LONGEST);
}

static void test_lengths(void)
{
    static const enum allfold_collective collectives[] = {
        ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE, ALLFOLD_REDUCE_SCATTER_BLOCK, ALLFOLD_REDUCE_SCATTER};

    longest_input = check_memory(LONGEST * sizeof *longest_input);
    longest_sum = check_memory(LONGEST * sizeof *longest_sum);
    expect_longest(check_rank(), 1, longest_input);
    expect_longest(0, check_size(), longest_sum);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (check_case("%s, free choice", allfold_collective_name(collectives[i])))
            test_lengths_of(collectives[i], -1, DRAWN_FREE, true);
    for (int i = 0; allfold_algorithms[i]; i++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        const bool is_here = algorithm->collective == ALLFOLD_ALLREDUCE ||
                             algorithm->collective == ALLFOLD_REDUCE ||
                             algorithm->collective == ALLFOLD_REDUCE_SCATTER_BLOCK ||
                             algorithm->collective == ALLFOLD_REDUCE_SCATTER;
        if (!is_here || !keeps_tree(algorithm) ||
            !check_case("%s.%s", allfold_collective_name(algorithm->collective), algorithm->name))
            continue;
        set_rule(algorithm->collective, algorithm->name);
        test_lengths_of(algorithm->collective, i, DRAWN, i % 4 == check_size() % 4);
        set_rule(algorithm->collective, "");
    }
    free(longest_input);
    free(longest_sum);
}

/* The others' cases have it where they can. */
static void say_without_float16(void)
{
#if !defined MPIX_C_FLOAT16
    const char *reason = "this MPI has no such type";
#elif !defined __FLT16_MAX__
    const char *reason = "this compiler has no such type";
#else
    const char *reason = NULL;
#endif
    if (reason != NULL && check_rank() == 0)
        printf("skipped: float16, as %s\n", reason);
}

/* Native is refused, and integers are not. */
static void test_native(void)
{
    int one = 1, sum = 0;
    const struct allfold_algorithm *any = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat");

    if (!check_case("native"))
        return;
    set_rule(ALLFOLD_ALLREDUCE, "native");
    test_refused(any);
    check_equal("code of a sum of integers", MPI_SUCCESS,
                MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    check_equal("sum of integers", check_size(), sum);
    set_rule(ALLFOLD_ALLREDUCE, "");
}

/* A communicator may do without, and come back to it. */
static void test_switched_off(void)
{
    const struct form form = {.collective = ALLFOLD_ALLREDUCE};

    if (!check_case("switched off and on"))
        return;
    check_equal("off", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", "off"));
    set_rule(ALLFOLD_ALLREDUCE, "native");
    double in = 1, out = 0;
    check_equal("code of a native sum", MPI_SUCCESS,
                MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm));
    set_rule(ALLFOLD_ALLREDUCE, "");
    check_error(comm_set(comm, "ALLFOLD_REPRODUCIBLE", "sometimes"), "canonical:warn");
    check_equal("canonical", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", "canonical"));
    test_form(&form, "switched on", false);
    check_equal("as the job", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", ""));
}

/* What cannot keep the tree is served where a warning is enough. */
static void test_warned(void)
{
    double in = check_rank(), out = -1;

    if (!check_case("a warning"))
        return;
    check_equal("mode", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", "canonical:warn"));
    set_rule(ALLFOLD_ALLREDUCE, "native");
    check_equal("code of a native sum", MPI_SUCCESS,
                MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm));
    check_equal("sum", check_size() * (check_size() - 1) / 2, (int)out);
    set_rule(ALLFOLD_ALLREDUCE, "");
    check_equal("as the job", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", ""));
}

/* The same by the info of a communicator. */
static void test_info(void)
{
    MPI_Comm jobs = comm;
    const struct allfold_algorithm *any = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat");

    if (!check_case("info keys"))
        return;
    check_equal("off", MPI_SUCCESS, comm_set(jobs, "ALLFOLD_REPRODUCIBLE", "off"));
    comm = comm_with_mode(jobs, "canonical");
    set_rule(ALLFOLD_ALLREDUCE, "native");
    test_refused(any);
    MPI_Comm_free(&comm);
    comm = jobs;
    check_equal("as the job", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", ""));
}

static void run(void)
{
    static const enum allfold_collective collectives[] = {
        ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE_SCATTER_BLOCK, ALLFOLD_REDUCE_SCATTER, ALLFOLD_SCAN,
        ALLFOLD_EXSCAN};

    if (!comm_set_find())
        return;
    MPI_Op_create(reduce_skewed, 1, &skewed);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    if (lengths) {
        test_lengths();
        MPI_Comm_free(&comm);
        MPI_Op_free(&skewed);
        return;
    }
    say_without_float16();
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (check_case("%s, free choice", allfold_collective_name(collectives[i])))
            test_collective(collectives[i], "free choice", false);
    if (check_case("reduce, free choice"))
        test_roots();
    for (size_t i = 0; allfold_algorithms[i]; i++)
        test_algorithm(allfold_algorithms[i]);
    test_native();
    test_switched_off();
    test_warned();
    test_info();
    MPI_Comm_free(&comm);
    MPI_Op_free(&skewed);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"large", "elements of the longest vectors (preset: 20011)", &large, 1, NULL},
        {"lengths", "1: lengths up to 10^6 alone (preset: 0)", &lengths, 0, NULL},
    };
    static const struct check_program program = {
        .doc = "Checks that reductions have the bits of the canonical tree.",
        .run = run,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .least_ranks = 2,
    };
    return check_main(argc, argv, &program);
}
