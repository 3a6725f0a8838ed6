/*
 * test_gaps.c: datatypes that do not lie in memory as they travel: gaps inside and between
 * elements, negative bounds and extents, elements that lie between each other. Each collective runs
 * with vectors (or blocks) of 1 byte to 1 MiB: as many elements as fit into a power of two, and one
 * more. What the library does inside changes at powers of two.
 */
#include "calls.h"

#include <stdio.h>
#include <string.h>

static int forms, largest = 1 << 20;

/* --- the elements: bytes, and exclusive or --- */

static void input_bytes(void *element, uint64_t random)
{
    unsigned char *bytes = element;
    for (int i = 0; i < ELEMENT_BYTES_LIMIT; i++)
        bytes[i] = (unsigned char)(random >> i % 8 * 8 ^ (uint64_t)i);
}

static void combine_bytes(void *left, const void *right)
{
    for (int i = 0; i < ELEMENT_BYTES_LIMIT; i++)
        ((unsigned char *)left)[i] ^= ((const unsigned char *)right)[i];
}

static void print_bytes(char *text, size_t size, const void *element)
{
    const unsigned char *b = element;
    snprintf(text, size, "%02x %02x %02x %02x ...", b[0], b[1], b[2], b[3]);
}

/* --- the datatypes --- */

/* Of MPI's own types `type` is given. Else the pieces are blocks of `base`. */
struct shape {
    struct layout layout;
    int lower_bound;
    MPI_Datatype base;
};

static struct shape shapes[] = {
    {{"MPI_SHORT_INT", MPI_SHORT_INT, 8, 3, 2, {0, 4, 6}, false}, 0, MPI_DATATYPE_NULL},
    {{"MPI_DOUBLE_INT", MPI_DOUBLE_INT, 16, 3, 4, {0, 4, 8}, false}, 0, MPI_DATATYPE_NULL},
    {{"MPI_LONG_INT", MPI_LONG_INT, 16, 3, 4, {0, 4, 8}, false}, 0, MPI_DATATYPE_NULL},
    {{"MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, 32, 5, 4, {0, 4, 8, 12, 16}, false},
     0,
     MPI_DATATYPE_NULL},
    {{"a double and an int", MPI_DATATYPE_NULL, 16, 3, 4, {0, 4, 8}, false}, 0, MPI_DOUBLE},
    {{"a byte of three", MPI_DATATYPE_NULL, 3, 1, 1, {0}, false}, 0, MPI_BYTE},
    {{"one piece, displaced", MPI_DATATYPE_NULL, 24, 1, 8, {8}, false}, 0, MPI_INT64_T},
    {{"a negative bound", MPI_DATATYPE_NULL, 64, 2, 8, {-24, 8}, false}, -32, MPI_INT64_T},
    {{"data below and beyond the bounds", MPI_DATATYPE_NULL, 24, 2, 4, {-4, 24}, false},
     0,
     MPI_INT32_T},
    {{"elements between each other", MPI_DATATYPE_NULL, 8, 2, 4, {0, 12}, false}, 0, MPI_INT32_T},
    {{"a negative extent", MPI_DATATYPE_NULL, -16, 2, 4, {0, 8}, false}, 0, MPI_INT32_T},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool is_mpis_own(const struct shape *shape)
{
    return shape->base == MPI_DATATYPE_NULL;
}

static void make_shape(struct shape *shape)
{
    struct layout *layout = &shape->layout;
    const int lengths[PIECES_LIMIT] = {1, 1, 1, 1, 1};
    int pieces = layout->pieces;
    MPI_Aint at[PIECES_LIMIT];
    MPI_Datatype types[PIECES_LIMIT], whole;

    memcpy(at, layout->at, sizeof at);
    for (int i = 0; i < pieces; i++)
        types[i] = shape->base;
    if (shape->base == MPI_DOUBLE) { /* of pieces of 4 bytes two are the double */
        at[1] = at[2];
        types[1] = MPI_INT;
        pieces = 2;
    }
    MPI_Type_create_struct(pieces, lengths, at, types, &whole);
    MPI_Type_create_resized(whole, shape->lower_bound, layout->extent, &layout->type);
    MPI_Type_commit(&layout->type);
    MPI_Type_free(&whole);
}

static const struct layout *layout_of(MPI_Datatype type)
{
    for (int i = 0; i < SHAPES; i++)
        if (shapes[i].layout.type == type)
            return &shapes[i].layout;
    return NULL;
}

static void user_xor(void *in, void *inout, int *count, MPI_Datatype *type)
{
    unsigned char left[ELEMENT_BYTES_LIMIT] = {0}, right[ELEMENT_BYTES_LIMIT] = {0};
    const struct layout *layout = layout_of(*type);

    if (!layout) {
        check_fail("the user operation was called with another datatype than the call's");
        return;
    }
    for (int i = 0; i < *count; i++) {
        layout_gather(layout, in, i, left);
        layout_gather(layout, inout, i, right);
        combine_bytes(left, right);
        layout_scatter(layout, inout, i, left);
    }
}

/* --- the cases --- */

static void test_count(enum collective collective, const struct subject *subject, int count)
{
    const int root = count % check_size();
    /* MPI_Reduce in place is left to test_reductions: MPICH 4.0.2 dies of it */
    const bool in_place = count % 3 == 0 && collective != REDUCE;

    if (!check_case("%s of %s, count %d, root %d%s", collective_names[collective],
                    subject->layout->name, count, root, in_place ? ", in place" : ""))
        return;
    struct call call = call_of(collective, subject, MPI_COMM_WORLD, count, root);
    call.in_place = in_place;
    call_run(&call);
    if (forms)
        call_run_forms(&call);
}

static void test_shape(const struct shape *shape, MPI_Op op)
{
    const struct layout *layout = &shape->layout;
    const size_t bytes = (size_t)layout->pieces * layout->piece_bytes;
    const struct kind kind = {"bytes", bytes, input_bytes, combine_bytes, NULL, print_bytes};
    const struct subject subject = {&kind, layout, op};

    for (int c = 0; c < COLLECTIVES; c++)
        for (size_t power = 1; power <= (size_t)largest && c != BARRIER; power *= 2) {
            const int count = (int)(power / bytes);
            if (count > 0 && 2 * (size_t)count * bytes > power)
                test_count((enum collective)c, &subject, count);
            test_count((enum collective)c, &subject, count + 1);
        }
}

static void run(void)
{
    MPI_Op op;

    MPI_Op_create(user_xor, 1, &op);
    for (int i = 0; i < SHAPES; i++)
        if (!is_mpis_own(&shapes[i]))
            make_shape(&shapes[i]);
    for (int i = 0; i < SHAPES; i++)
        test_shape(&shapes[i], op);
    for (int i = 0; i < SHAPES; i++)
        if (!is_mpis_own(&shapes[i]))
            MPI_Type_free(&shapes[i].layout.type);
    MPI_Op_free(&op);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"forms", "1: nonblocking and persistent collectives too", &forms, 0, NULL},
        {"largest", "bytes of the longest vectors", &largest, 1, NULL},
    };
    static const struct check_program program = {
        .doc = "Checks all collectives with datatypes that have gaps, of many lengths.",
        .run = run,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .raises_none = true,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
