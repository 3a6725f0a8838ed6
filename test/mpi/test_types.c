/*
 * test_types.c: every predefined type with every operation that MPI 3.1, section 5.9.2, allows for
 * it.
 *
 * MPI_CHAR is tried too, as programs reduce it and both MPIs allow it. With --forms 1 each case
 * runs as a nonblocking and as a persistent collective, too.
 *
 * A type is one or two numbers (value; real and imaginary part; value and index). They are computed
 * with in 64-bit integers and long double; inputs are such that these are exact and nothing signed
 * overflows.
 */
#include "calls.h"
#include "types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "number_load takes the low bytes first");

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
typedef long double quad;
#endif

/* bits: of an integer, extended to 64 bits by its sign; real: of a floating number. */
struct number {
    uint64_t bits;
    long double real;
};

/* What is under test; the functions of struct kind get only elements. */
static const struct type *type;
static const struct operation *operation;

/* --- numbers and memory --- */

/* binary16, MPICH's MPIX_C_FLOAT16 */
static long double half_load(unsigned bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    long double value = ldexpl(fraction + (exponent ? 1024 : 0), (exponent ? exponent : 1) - 25);
    if (exponent == 31)
        value = INFINITY;
    return bits & 0x8000 ? -value : value;
}

/* The nearest one not beyond: inputs may be any, results are exact. */
static uint16_t half_store(long double value)
{
    unsigned low = 0, high = 0x7c00;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        *(half_load(middle) <= fabsl(value) ? &low : &high) = middle;
    }
    return (uint16_t)(low | (value < 0 ? 0x8000u : 0));
}

static struct number number_load(const struct part *part, const void *element)
{
    const char *from = (const char *)element + part->at;
    struct number number = {0, 0};
    uint16_t half;
    float single;
    double twice;

    if (part->form == QUAD) {
        quad wide;
        memcpy(&wide, from, sizeof wide);
        number.real = (long double)wide;
    } else if (part->form != REAL) {
        unsigned unused = (unsigned)(64 - 8 * part->bytes);
        memcpy(&number.bits, from, part->bytes);
        number.bits <<= unused;
        number.bits = part->form == SIGNED ? (uint64_t)((int64_t)number.bits >> unused)
                                           : number.bits >> unused;
    } else if (part->bytes == sizeof half) {
        memcpy(&half, from, sizeof half);
        number.real = half_load(half);
    } else if (part->bytes == sizeof single) {
        memcpy(&single, from, sizeof single);
        number.real = (long double)single;
    } else if (part->bytes == sizeof twice) {
        memcpy(&twice, from, sizeof twice);
        number.real = (long double)twice;
    } else {
        memcpy(&number.real, from, sizeof number.real);
    }
    return number;
}

static void number_store(const struct part *part, void *element, struct number number)
{
    char *to = (char *)element + part->at;
    uint16_t half = half_store(number.real);
    float single = (float)number.real;
    double twice = (double)number.real;
    quad wide = (quad)number.real;
    const void *from = &number.real;

    if (part->form == QUAD)
        from = &wide;
    else if (part->form != REAL)
        from = &number.bits;
    else if (part->bytes == sizeof half)
        from = &half;
    else if (part->bytes == sizeof single)
        from = &single;
    else if (part->bytes == sizeof twice)
        from = &twice;
    memcpy(to, from, part->bytes);
}

static bool number_less(enum form form, struct number a, struct number b)
{
    if (form >= REAL)
        return a.real < b.real;
    return form == SIGNED ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits;
}

/* A whole number in a part of any form. */
static struct number whole(int64_t value)
{
    return (struct number){(uint64_t)value, (long double)value};
}

/* --- the inputs: such that each result may still come out either way --- */

/* Small enough for the sums of 40 ranks. Unsigned ones wrap, so they take all values. */
static struct number input_sum(const struct part *part, uint64_t random)
{
    static const int64_t limits[] = {0, 3, 900, 0, 100000, 0, 0, 0, 100000};
    int64_t limit = part->bytes > 8 ? 1000000 : limits[part->bytes];

    if (part->form == UNSIGNED)
        return (struct number){random, 0};
    if (part->form == REAL && part->bytes == sizeof(uint16_t))
        limit = 50;
    return whole((int64_t)(random % (uint64_t)(2 * limit + 1)) - limit);
}

/* Signs, now and then a factor of 2; odd numbers if unsigned, as an even one would soon be zero. */
static struct number input_product(const struct part *part, uint64_t random)
{
    if (part->form == UNSIGNED)
        return (struct number){random | 1, 0};
    int64_t sign = random & 1 ? 1 : -1;
    return whole(random >> 8 & 15 ? sign : 2 * sign);
}

static struct number input_any(const struct part *part, uint64_t random)
{
    int64_t value = (int64_t)random >> 32;
    (void)part;
    return (struct number){random, (long double)value / 8};
}

/* A value that is true: of a C integer any but 0, also one with all its low bits 0. */
static struct number truth(const struct part *part, uint64_t random)
{
    if (type->group == LOGICAL || part->bytes == 0)
        return whole(1);
    return (struct number){random >> 40 & 1 ? (uint64_t)1 << (8 * part->bytes - 1) : random | 4, 0};
}

/* False in about every second result of a conjunction. */
static struct number input_land(const struct part *part, uint64_t random)
{
    return random % (uint64_t)(2 * check_size()) ? truth(part, random) : whole(0);
}

static struct number input_lor(const struct part *part, uint64_t random)
{
    return random % (uint64_t)(2 * check_size()) ? whole(0) : truth(part, random);
}

static struct number input_lxor(const struct part *part, uint64_t random)
{
    return random & 1 ? whole(0) : truth(part, random);
}

/* An eighth of the bits is set. */
static struct number input_bor(const struct part *part, uint64_t random)
{
    (void)part;
    return (struct number){random & check_random(random, 1, 6) & check_random(random, 2, 6), 0};
}

static struct number input_band(const struct part *part, uint64_t random)
{
    struct number number = input_bor(part, random);
    number.bits = ~number.bits;
    return number;
}

/* Few values, so there are ties, which the index decides. */
static struct number input_location(const struct part *part, uint64_t random)
{
    bool index = part == &type->parts[1];
    return whole(index ? (int64_t)(random % 1000) : (int64_t)(random % 4) - 2);
}

/* --- the operations: a becomes a op b, both parts --- */

static void sum(struct number a[2], const struct number b[2])
{
    for (int i = 0; i < 2; i++) {
        a[i].bits += b[i].bits;
        a[i].real += b[i].real;
    }
}

static void product(struct number a[2], const struct number b[2])
{
    struct number left[2] = {a[0], a[1]};

    a[0].bits *= b[0].bits;
    a[0].real = left[0].real * b[0].real - left[1].real * b[1].real;
    a[1].real = left[0].real * b[1].real + left[1].real * b[0].real;
}

static void max(struct number a[2], const struct number b[2])
{
    if (number_less(type->parts[0].form, a[0], b[0]))
        a[0] = b[0];
}

static void min(struct number a[2], const struct number b[2])
{
    if (number_less(type->parts[0].form, b[0], a[0]))
        a[0] = b[0];
}

static void land(struct number a[2], const struct number b[2])
{
    a[0].bits = a[0].bits && b[0].bits;
}

static void lor(struct number a[2], const struct number b[2])
{
    a[0].bits = a[0].bits || b[0].bits;
}

static void lxor(struct number a[2], const struct number b[2])
{
    a[0].bits = !a[0].bits != !b[0].bits;
}

static void band(struct number a[2], const struct number b[2])
{
    a[0].bits &= b[0].bits;
}

static void bor(struct number a[2], const struct number b[2])
{
    a[0].bits |= b[0].bits;
}

static void bxor(struct number a[2], const struct number b[2])
{
    a[0].bits ^= b[0].bits;
}

/* Takes b where it wins or ties with the lower index. */
static void take(struct number a[2], const struct number b[2], bool b_wins, bool a_wins)
{
    if (b_wins || (!a_wins && number_less(type->parts[1].form, b[1], a[1]))) {
        a[0] = b[0];
        a[1] = b[1];
    }
}

static void maxloc(struct number a[2], const struct number b[2])
{
    enum form form = type->parts[0].form;
    take(a, b, number_less(form, a[0], b[0]), number_less(form, b[0], a[0]));
}

static void minloc(struct number a[2], const struct number b[2])
{
    enum form form = type->parts[0].form;
    take(a, b, number_less(form, b[0], a[0]), number_less(form, a[0], b[0]));
}

struct operation {
    const char *name;
    MPI_Op op;
    unsigned groups;
    struct number (*input)(const struct part *part, uint64_t random);
    void (*combine)(struct number a[2], const struct number b[2]);
};

enum {
    ORDERED = C_INTEGER | FORTRAN_INTEGER | FLOATING | MULTI_LANGUAGE,
    ARITHMETIC = ORDERED | COMPLEX,
    TRUTHS = C_INTEGER | LOGICAL | MULTI_LANGUAGE, /* the last beyond the standard, like MPI_CHAR */
    BITS = C_INTEGER | FORTRAN_INTEGER | BYTES | MULTI_LANGUAGE
};

static const struct operation operations[] = {
    {"MPI_MAX", MPI_MAX, ORDERED, input_any, max},
    {"MPI_MIN", MPI_MIN, ORDERED, input_any, min},
    {"MPI_SUM", MPI_SUM, ARITHMETIC, input_sum, sum},
    {"MPI_PROD", MPI_PROD, ARITHMETIC, input_product, product},
    {"MPI_LAND", MPI_LAND, TRUTHS, input_land, land},
    {"MPI_LOR", MPI_LOR, TRUTHS, input_lor, lor},
    {"MPI_LXOR", MPI_LXOR, TRUTHS, input_lxor, lxor},
    {"MPI_BAND", MPI_BAND, BITS, input_band, band},
    {"MPI_BOR", MPI_BOR, BITS, input_bor, bor},
    {"MPI_BXOR", MPI_BXOR, BITS, input_any, bxor},
    {"MPI_MAXLOC", MPI_MAXLOC, INDEXED, input_location, maxloc},
    {"MPI_MINLOC", MPI_MINLOC, INDEXED, input_location, minloc},
};

static void load(struct number numbers[2], const void *element)
{
    for (int i = 0; i < 2; i++)
        numbers[i] = type->parts[i].bytes ? number_load(&type->parts[i], element) : whole(0);
}

static void store(void *element, const struct number numbers[2])
{
    for (int i = 0; i < 2 && type->parts[i].bytes; i++)
        number_store(&type->parts[i], element, numbers[i]);
}

static void element_input(void *element, uint64_t random)
{
    struct number numbers[2];
    for (uint64_t i = 0; i < 2; i++)
        numbers[i] = operation->input(&type->parts[i], check_random(random, i, 7));
    store(element, numbers);
}

static void element_combine(void *left, const void *right)
{
    struct number a[2], b[2];
    load(a, left);
    load(b, right);
    operation->combine(a, b);
    store(left, a);
}

/* By value: the padding of a pair or of a long double may be anything. */
static bool element_equal(const void *x, const void *y)
{
    struct number a[2], b[2];
    load(a, x);
    load(b, y);
    return a[0].bits == b[0].bits && a[1].bits == b[1].bits && a[0].real == b[0].real &&
           a[1].real == b[1].real;
}

static void element_print(char *text, size_t size, const void *element)
{
    struct number numbers[2];
    load(numbers, element);
    snprintf(text, size, "(%" PRId64 " or %.20Lg; %" PRId64 " or %.20Lg)", (int64_t)numbers[0].bits,
             numbers[0].real, (int64_t)numbers[1].bits, numbers[1].real);
}

static int forms;

static void test_combination(int number)
{
    static const int counts[] = {1, 7, 1000};
    const struct kind kind = {operation->name, type->extent,  element_input,
                              element_combine, element_equal, element_print};
    const struct layout layout = {type->name, type->type, (MPI_Aint)type->extent, 1, type->extent,
                                  {0},        false};
    const struct subject subject = {&kind, &layout, operation->op};

    for (int c = 0; c < 3; c++)
        for (int collective = ALLREDUCE; collective < COLLECTIVES; collective++) {
            if (!collective_reduces((enum collective)collective))
                continue;
            int root = (number + c) % check_size();
            bool in_place = (number + c + collective) % 2;
            /* MPI_Reduce in place is left to test_reductions: MPICH 4.0.2 dies of it. */
            in_place = in_place && collective != REDUCE;
            if (!check_case("%s %s, %s, count %d, root %d%s", collective_names[collective],
                            kind.name, layout.name, counts[c], root, in_place ? ", in place" : ""))
                continue;
            struct call call =
                call_of((enum collective)collective, &subject, MPI_COMM_WORLD, counts[c], root);
            call.in_place = in_place;
            call_run(&call);
            if (forms)
                call_run_forms(&call);
        }
}

static void test_type(const struct type *tested, int *number)
{
    type = tested;
    for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
        operation = &operations[o];
        if (type->type != MPI_DATATYPE_NULL && (type->group & operation->groups))
            test_combination((*number)++);
    }
}

/* Makes the type, if this MPI library has it. It stays: it must not be freed. */
static bool make_sized(const struct sized *one, struct type *made)
{
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        if (strcmp(types[t].name, one->like) == 0)
            *made = types[t];
    made->name = one->name;
    return (one->make == NULL ? MPI_Type_create_f90_integer(one->digits, &made->type)
                              : one->make(one->digits, one->range, &made->type)) == MPI_SUCCESS;
}

static void run(void)
{
    int number = 0;

    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        test_type(&types[t], &number);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (size_t s = 0; s < sizeof sized / sizeof sized[0]; s++) {
        struct type made = {0};
        if (make_sized(&sized[s], &made))
            test_type(&made, &number);
    }
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"forms", "1: nonblocking and persistent collectives too", &forms, 0, NULL}};
    static const struct check_program program = {
        .doc =
            "Checks MPI_Allreduce, MPI_Reduce and MPI_Reduce_scatter_block with every predefined "
            "type and operation.",
        .run = run,
        .flags = flags,
        .flag_count = 1,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
