/*
 * kinds.c: the element kinds, layouts and user operations of calls.h.
 *
 * Affine maps and matrices are associative, but not commutative, so the result shows the order of
 * the operands. All results are exact, so no association is an excuse.
 */
#include "calls.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* --- what the elements are --- */

/* Below 2^41: sums over 2^12 ranks are exact as double in any order. */
static void input_int64(void *element, uint64_t random)
{
    *(int64_t *)element = (int64_t)(random >> 23) - ((int64_t)1 << 40);
}

static void combine_int64(void *left, const void *right)
{
    *(int64_t *)left += *(const int64_t *)right;
}

static void print_int64(char *text, size_t size, const void *element)
{
    snprintf(text, size, "%" PRId64, *(const int64_t *)element);
}

static void input_double(void *element, uint64_t random)
{
    *(double *)element = (double)((int64_t)(random >> 23) - ((int64_t)1 << 40));
}

static void combine_double(void *left, const void *right)
{
    *(double *)left += *(const double *)right;
}

static void print_double(char *text, size_t size, const void *element)
{
    snprintf(text, size, "%.17g", *(const double *)element);
}

static const uint64_t mersenne = ((uint64_t)1 << 61) - 1;

static uint64_t product(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % mersenne);
}

/* The map x -> m[0] x + m[1] mod 2^61 - 1. */
static void input_affine(void *element, uint64_t random)
{
    uint64_t *map = element;
    map[0] = random % (mersenne - 1) + 1;
    map[1] = check_random(random, 0, 3) % mersenne;
}

/* The left map is applied first. */
static void combine_affine(void *left, const void *right)
{
    uint64_t *a = left;
    const uint64_t *b = right;
    a[1] = (product(b[0], a[1]) + b[1]) % mersenne;
    a[0] = product(b[0], a[0]);
}

static void input_mixed(void *element, uint64_t random)
{
    uint64_t *pair = element;
    pair[0] = random;
    pair[1] = check_random(random, 0, 4);
}

/* The sum modulo 2^64 of the first, the exclusive or of the second: commutative. */
static void combine_mixed(void *left, const void *right)
{
    uint64_t *a = left;
    const uint64_t *b = right;
    a[0] += b[0];
    a[1] ^= b[1];
}

static void print_pair(char *text, size_t size, const void *element)
{
    const uint64_t *pair = element;
    snprintf(text, size, "(%" PRIu64 ", %" PRIu64 ")", pair[0], pair[1]);
}

enum { PRIME = 32749 };

/* 2x2 matrices modulo a small prime, by rows. */
static void input_matrix(void *element, uint64_t random)
{
    int32_t *m = element;
    for (uint64_t i = 0; i < 4; i++)
        m[i] = (int32_t)(check_random(random, i, 5) % PRIME);
}

static void combine_matrix(void *left, const void *right)
{
    int32_t *a = left;
    const int32_t *b = right;
    int64_t c[4];
    for (int i = 0; i < 4; i++)
        c[i] = (int64_t)a[i & 2] * b[i & 1] + (int64_t)a[(i & 2) + 1] * b[2 + (i & 1)];
    for (int i = 0; i < 4; i++)
        a[i] = (int32_t)(c[i] % PRIME);
}

static void print_matrix(char *text, size_t size, const void *element)
{
    const int32_t *m = element;
    snprintf(text, size, "[%d %d; %d %d]", m[0], m[1], m[2], m[3]);
}

static void input_int32(void *element, uint64_t random)
{
    *(uint32_t *)element = (uint32_t)random;
}

static void print_int32(char *text, size_t size, const void *element)
{
    snprintf(text, size, "%d", *(const int32_t *)element);
}

static void combine_most(void *left, const void *right)
{
    if (*(const int32_t *)right > *(int32_t *)left)
        *(int32_t *)left = *(const int32_t *)right;
}

static void input_byte(void *element, uint64_t random)
{
    *(unsigned char *)element = (unsigned char)random;
}

static void combine_byte(void *left, const void *right)
{
    *(unsigned char *)left ^= *(const unsigned char *)right;
}

static void print_byte(char *text, size_t size, const void *element)
{
    snprintf(text, size, "%d", *(const unsigned char *)element);
}

const struct kind kind_int32 = {"int32", 4, input_int32, NULL, NULL, print_int32};

static const struct kind int64 = {"sum int64", 8, input_int64, combine_int64, NULL, print_int64};
static const struct kind float64 = {"sum double",   8,    input_double,
                                    combine_double, NULL, print_double};
static const struct kind affine = {"user affine",  16,   input_affine,
                                   combine_affine, NULL, print_pair};
static const struct kind matrix = {"user matrix",  16,   input_matrix,
                                   combine_matrix, NULL, print_matrix};
static const struct kind mixed = {"user mixed", 16, input_mixed, combine_mixed, NULL, print_pair};

static const struct kind most = {"max int32", 4, input_int32, combine_most, NULL, print_int32};
static const struct kind byte = {"xor byte", 1, input_byte, combine_byte, NULL, print_byte};

/* --- where they are --- */

static struct layout plain_int64 = {"plain", MPI_INT64_T, 8, 1, 8, {0}, false};
static struct layout plain_int32 = {"plain", MPI_INT32_T, 4, 1, 4, {0}, false};
static struct layout plain_byte = {"plain", MPI_BYTE, 1, 1, 1, {0}, false};
static struct layout plain_double = {"plain", MPI_DOUBLE, 8, 1, 8, {0}, false};

/* A type of two pieces: a vector of two blocks, displaced, resized. Blocks need not be one item of
 * the base type. */
struct recipe {
    struct layout layout;
    MPI_Datatype base;
    int per_block, stride; /* in items of base */
    MPI_Aint lower_bound;
};

enum { PAIR, PAIR_GAPS, PAIR_NEGATIVE, QUAD, QUAD_GAPS, RECIPES };

static struct recipe recipes[RECIPES] = {
    [PAIR] = {{"plain", 0, 16, 2, 8, {0, 8}, false}, MPI_INT64_T, 1, 1, 0},
    /* a gap between the pieces and one at the end, past the true extent */
    [PAIR_GAPS] = {{"gaps", 0, 40, 2, 8, {0, 24}, false}, MPI_INT64_T, 1, 3, 0},
    /* data before the address that the caller passes, gaps on all sides */
    [PAIR_NEGATIVE] = {{"negative bound", 0, 64, 2, 8, {-24, 8}, false}, MPI_INT64_T, 1, 4, -32},
    [QUAD] = {{"plain", 0, 16, 2, 8, {0, 8}, false}, MPI_INT32_T, 2, 2, 0},
    [QUAD_GAPS] = {{"gaps", 0, 28, 2, 8, {4, 16}, false}, MPI_INT32_T, 2, 3, -4},
};

static void make_type(struct recipe *recipe)
{
    struct layout *layout = &recipe->layout;
    MPI_Datatype vector, displaced;
    int one = 1;

    MPI_Type_vector(2, recipe->per_block, recipe->stride, recipe->base, &vector);
    MPI_Type_create_hindexed(1, &one, &layout->at[0], vector, &displaced);
    MPI_Type_create_resized(displaced, recipe->lower_bound, layout->extent, &layout->type);
    MPI_Type_commit(&layout->type);
    MPI_Type_free(&displaced);
    MPI_Type_free(&vector);
}

void layout_gather(const struct layout *layout, const void *buffer, int i, void *element)
{
    for (int k = 0; k < layout->pieces; k++)
        memcpy((char *)element + (size_t)k * layout->piece_bytes,
               (const char *)buffer + i * layout->extent + layout->at[k], layout->piece_bytes);
}

void layout_scatter(const struct layout *layout, void *buffer, int i, const void *element)
{
    for (int k = 0; k < layout->pieces; k++)
        memcpy((char *)buffer + i * layout->extent + layout->at[k],
               (const char *)element + (size_t)k * layout->piece_bytes, layout->piece_bytes);
}

/* --- the user operations --- */

static _Atomic(const struct layout *) expected_layout;

void kinds_expect(const struct layout *layout)
{
    expected_layout = layout;
}

static const struct layout *layout_of(MPI_Datatype type)
{
    for (int i = 0; i < RECIPES; i++)
        if (recipes[i].layout.type == type)
            return &recipes[i].layout;
    return NULL;
}

/* What an MPI_User_function does: inout = in op inout, where `in` comes from the lower ranks. */
static void apply(const struct kind *kind, const void *in, void *inout, int count,
                  MPI_Datatype type)
{
    _Alignas(max_align_t) unsigned char left[ELEMENT_BYTES_LIMIT], right[ELEMENT_BYTES_LIMIT];
    const struct layout *layout = layout_of(type), *expected = expected_layout;

    if (count <= 0)
        check_fail("the user operation was called with length %d", count);
    if (!layout || (expected && layout != expected)) {
        check_fail("the user operation was called with another datatype than the call's");
        return;
    }
    for (int i = 0; i < count; i++) {
        layout_gather(layout, in, i, left);
        layout_gather(layout, inout, i, right);
        kind->combine(left, right);
        layout_scatter(layout, inout, i, left);
    }
}

static void user_affine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    apply(&affine, in, inout, *count, *type);
}

static void user_matrix(void *in, void *inout, int *count, MPI_Datatype *type)
{
    apply(&matrix, in, inout, *count, *type);
}

static void user_mixed(void *in, void *inout, int *count, MPI_Datatype *type)
{
    apply(&mixed, in, inout, *count, *type);
}

struct subject subjects[SUBJECTS] = {
    [SUM_INT64] = {&int64, &plain_int64, MPI_SUM},
    [SUM_DOUBLE] = {&float64, &plain_double, MPI_SUM},
    [AFFINE] = {&affine, &recipes[PAIR].layout, MPI_OP_NULL},
    [AFFINE_GAPS] = {&affine, &recipes[PAIR_GAPS].layout, MPI_OP_NULL},
    [AFFINE_NEGATIVE] = {&affine, &recipes[PAIR_NEGATIVE].layout, MPI_OP_NULL},
    [MATRIX] = {&matrix, &recipes[QUAD].layout, MPI_OP_NULL},
    [MATRIX_GAPS] = {&matrix, &recipes[QUAD_GAPS].layout, MPI_OP_NULL},
    [MIXED] = {&mixed, &recipes[PAIR].layout, MPI_OP_NULL},
    [MIXED_NEGATIVE] = {&mixed, &recipes[PAIR_NEGATIVE].layout, MPI_OP_NULL},
};

const struct subject short_subjects[SHORT_SUBJECTS] = {
    {&most, &plain_int32, MPI_MAX},
    {&byte, &plain_byte, MPI_BXOR},
};

static struct {
    const struct kind *kind;
    MPI_User_function *function;
    int commutes;
    MPI_Op op;
} user_ops[] = {
    {&affine, user_affine, 0, MPI_OP_NULL},
    {&matrix, user_matrix, 0, MPI_OP_NULL},
    {&mixed, user_mixed, 1, MPI_OP_NULL},
};
enum { USER_OPS = sizeof user_ops / sizeof user_ops[0] };

void kinds_start(void)
{
    for (int i = 0; i < RECIPES; i++)
        make_type(&recipes[i]);
    for (int k = 0; k < USER_OPS; k++) {
        MPI_Op_create(user_ops[k].function, user_ops[k].commutes, &user_ops[k].op);
        for (int i = 0; i < SUBJECTS; i++)
            if (subjects[i].kind == user_ops[k].kind)
                subjects[i].op = user_ops[k].op;
    }
}

void kinds_end(void)
{
    for (int i = 0; i < RECIPES; i++)
        MPI_Type_free(&recipes[i].layout.type);
    for (int k = 0; k < USER_OPS; k++)
        MPI_Op_free(&user_ops[k].op);
}
