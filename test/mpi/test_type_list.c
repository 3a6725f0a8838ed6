/*
 * test_type_list.c: the list of MPI's own datatypes against the MPI library. Each type has the size
 * that the kernels take it for. For all operations that the list has, MPI_Reduce_local and ours
 * make the same of an element, bit for bit. A program's MPI_Reduce_local is ours where there are
 * kernels, and else native, with native errors. Handles of MPI_Type_create_f90_real, _complex and
 * _integer are known as types of their size. With --names it prints the list's names.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "mpi/call/reduce_local.h"
#include "mpi/handles/operands.h"
#include "mpi/handles/predefined.h"

enum { BYTES = 64, TRIES = 200 };

static int passed, failed;

static void expect(bool holds, const char *what, const char *type, const char *operation)
{
    holds ? passed++ : failed++;
    if (!holds)
        printf("FAILED: %s: %s %s\n", what, type, operation);
}

/* A number of few bits in the format of the kernels' type, so that no sum or product rounds and
 * none is a NaN. */
static void fill(enum allfold_type type, size_t bytes, unsigned char *element)
{
    const int number = rand() % 7 - 3;
    const bool is_complex = type == ALLFOLD_COMPLEX_FLOAT || type == ALLFOLD_COMPLEX_DOUBLE ||
                            type == ALLFOLD_COMPLEX_LONG_DOUBLE;
    const size_t part = is_complex ? bytes / 2 : bytes;
    float single = (float)number;
    double twice = number;
    long double most = number;
    memset(element, 0, BYTES);
    for (size_t at = 0; at < bytes; at += part, single++, twice++, most++)
        if (type == ALLFOLD_FLOAT || type == ALLFOLD_COMPLEX_FLOAT)
            memcpy(element + at, &single, sizeof single);
        else if (type == ALLFOLD_DOUBLE || type == ALLFOLD_COMPLEX_DOUBLE)
            memcpy(element + at, &twice, sizeof twice);
        else if (type == ALLFOLD_LONG_DOUBLE || type == ALLFOLD_COMPLEX_LONG_DOUBLE)
            memcpy(element + at, &most, 10);
        else if (type == ALLFOLD_BOOL)
            element[at] = number > 0;
        else
            for (size_t i = 0; i < part; i++)
                element[at + i] = (unsigned char)rand();
}

/* Padding belongs to no element. */
static void clear_padding(enum allfold_type type, unsigned char *element)
{
    if (type == ALLFOLD_LONG_DOUBLE || type == ALLFOLD_COMPLEX_LONG_DOUBLE)
        memset(element + 10, 0, 6);
    if (type == ALLFOLD_COMPLEX_LONG_DOUBLE)
        memset(element + 26, 0, 6);
}

static bool is_pair(const struct allfold_known_type *known)
{
    return (known->operations & 1u << ALLFOLD_MAXLOC) != 0;
}

/* test_types.c shows that ours is right. Open MPI 4.1.4 orders MPI_UNSIGNED_LONG as signed and
 * MPI_OFFSET as unsigned, and MPICH 4.0.2 all unsigned types as signed. */
static bool orders_integers(const struct allfold_known_type *known, MPI_Op op)
{
    return known->type <= ALLFOLD_UINT64 && (op == MPI_MAX || op == MPI_MIN);
}

/* Ours and MPI_Reduce_local's of the same elements. Pairs have tests of their own values. */
static void compare(const struct allfold_known_type *known, MPI_Datatype datatype, MPI_Op op,
                    const char *type, const char *operation)
{
    static struct allfold_operands operands;
    operands.is_predefined = false;
    const bool is_found = allfold_operands_find(&operands, datatype, op);
    expect(is_found, "is found", type, operation);
    if (!is_found || allfold_native_is_wrong(known))
        return;
    bool is_same = true;
    for (int i = 0; i < TRIES && is_same && !is_pair(known); i++) {
        _Alignas(16) unsigned char left[BYTES], right[BYTES], ours[BYTES];
        const struct allfold_elements *elements = &operands.elements;
        fill(known->type, (size_t)elements->extent_bytes, left);
        fill(known->type, (size_t)elements->extent_bytes, right);
        is_same = elements->reduce(elements, ours, left, right, 1) == MPI_SUCCESS &&
                  PMPI_Reduce_local(left, right, 1, datatype, op) == MPI_SUCCESS;
        clear_padding(known->type, ours);
        clear_padding(known->type, right);
        is_same = is_same && memcmp(ours, right, (size_t)elements->extent_bytes) == 0;
    }
    if (!is_same && orders_integers(known, op))
        printf("native has another order: %s %s\n", type, operation);
    else
        expect(is_same, "has native bits", type, operation);
}

static void check_type(const struct allfold_known_type *known, MPI_Datatype datatype,
                       const char *name)
{
    MPI_Aint lower, extent;
    expect(PMPI_Type_get_extent(datatype, &lower, &extent) == MPI_SUCCESS, "has an extent", name,
           "");
    if (known->type != ALLFOLD_TYPE_COUNT)
        expect(lower == 0 && (size_t)extent == allfold_type_bytes(known->type), "has the size",
               name, allfold_type_name(known->type));
    for (int o = 0; o < ALLFOLD_OPERATION_COUNT; o++) {
        const enum allfold_operation operation = (enum allfold_operation)o;
        const MPI_Op op = allfold_op_of(operation);
        struct allfold_operands operands = {.is_predefined = false};
        if (allfold_reducer_of(known, operation) != ALLFOLD_BY_NATIVE)
            compare(known, datatype, op, name, allfold_operation_name(operation));
        else
            expect(!allfold_operands_find(&operands, datatype, op), "passes through", name,
                   allfold_operation_name(operation));
    }
}

/* A program's call does what the kernel does, for some lengths; every other one passes through. */
static void check_program(const struct allfold_known_type *known, enum allfold_operation operation)
{
    enum { LENGTHS = 3, MOST = 1000 };
    static const int lengths[LENGTHS] = {1, 3, MOST};
    static _Alignas(16) unsigned char left[MOST * BYTES], right[MOST * BYTES], ours[MOST * BYTES];
    const MPI_Op op = allfold_op_of(operation);
    const bool has_kernel = allfold_reducer_of(known, operation) == ALLFOLD_BY_KERNEL;
    const char *name = allfold_operation_name(operation);
    memset(left, 1, sizeof left);
    memset(right, 1, sizeof right);
    expect(allfold_reduce_local(left, right, 1, known->datatype, op) == has_kernel,
           "MPI_Reduce_local is ours", known->name, name);
    for (int i = 0; i < LENGTHS && has_kernel; i++) {
        memset(right, 2, sizeof right);
        memcpy(ours, right, sizeof ours);
        allfold_kernel_find(known->type, operation)(ours, left, ours, (size_t)lengths[i]);
        const int code = MPI_Reduce_local(left, right, lengths[i], known->datatype, op);
        expect(code == MPI_SUCCESS && memcmp(ours, right, sizeof ours) == 0,
               "MPI_Reduce_local is right", known->name, name);
    }
}

static void add_twice(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += 2 * ((int *)in)[i];
}

static void check_programs(void)
{
    const struct allfold_known_type *known;
    int left[2] = {1, 2}, right[2] = {3, 4};
    MPI_Op twice;
    for (size_t i = 0; (known = allfold_listed_type(i)) != NULL; i++)
        for (int o = 0; o < ALLFOLD_OPERATION_COUNT && known->datatype != MPI_DATATYPE_NULL; o++)
            check_program(known, (enum allfold_operation)o);
    MPI_Op_create(add_twice, 1, &twice);
    expect(MPI_Reduce_local(left, right, 2, MPI_INT, twice) == MPI_SUCCESS && right[0] == 5 &&
               right[1] == 8,
           "MPI_Reduce_local", "int", "of a user");
    MPI_Op_free(&twice);
    expect(MPI_Reduce_local(left, right, 0, MPI_INT, MPI_SUM) == MPI_SUCCESS && right[0] == 5,
           "MPI_Reduce_local of no elements", "int", "sum");
    /* MPICH 4.0.2 does not look at the count itself, and crashes */
    expect(!allfold_reduce_local(left, right, -1, MPI_INT, MPI_SUM), "passes through", "int",
           "a count of -1");
    expect(MPI_Reduce_local(left, right, 1, MPI_DATATYPE_NULL, MPI_SUM) != MPI_SUCCESS,
           "is refused", "no type", "sum");
    expect(MPI_Reduce_local(left, right, 1, MPI_DOUBLE, MPI_BAND) != MPI_SUCCESS, "is refused",
           "double", "band");
}

static void check_sized(const char *name, MPI_Datatype datatype, enum allfold_type type)
{
    const struct allfold_known_type *known = allfold_basic_type(datatype);
    expect(known != NULL && known->type == type, "is known by its size", name,
           allfold_type_name(type));
    if (known != NULL)
        check_type(known, datatype, name);
}

/* An MPI library may lack a type: then it reports an error. */
static void check_sized_types(void)
{
    static const struct {
        int integer_digits, digits;
        enum allfold_type integer, real, complex;
    } sizes[] = {
        {2, 6, ALLFOLD_INT8, ALLFOLD_FLOAT, ALLFOLD_COMPLEX_FLOAT},
        {4, 15, ALLFOLD_INT16, ALLFOLD_DOUBLE, ALLFOLD_COMPLEX_DOUBLE},
        {9, 18, ALLFOLD_INT32, ALLFOLD_LONG_DOUBLE, ALLFOLD_COMPLEX_LONG_DOUBLE},
        {18, 33, ALLFOLD_INT64, ALLFOLD_FLOAT128, ALLFOLD_COMPLEX_FLOAT128},
    };
    MPI_Datatype made;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (MPI_Type_create_f90_integer(sizes[i].integer_digits, &made) == MPI_SUCCESS)
            check_sized("integer", made, sizes[i].integer);
        if (MPI_Type_create_f90_real(sizes[i].digits, MPI_UNDEFINED, &made) == MPI_SUCCESS)
            check_sized("real", made, sizes[i].real);
        if (MPI_Type_create_f90_complex(sizes[i].digits, MPI_UNDEFINED, &made) == MPI_SUCCESS)
            check_sized("complex", made, sizes[i].complex);
    }
    MPI_Type_contiguous(2, MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    expect(allfold_basic_type(made) == NULL, "is a derived type", "contiguous", "");
    MPI_Type_free(&made);
}

int main(int argc, char **argv)
{
    const struct allfold_known_type *known;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const bool prints_names = argc > 1 && strcmp(argv[1], "--names") == 0;
    for (size_t i = 0; (known = allfold_listed_type(i)) != NULL; i++)
        if (prints_names)
            printf("%s\n", known->name);
        else if (known->datatype != MPI_DATATYPE_NULL)
            check_type(known, known->datatype, known->name);
    if (!prints_names) {
        check_sized_types();
        check_programs();
        printf("%d passed, %d failed\n", passed, failed);
    }
    MPI_Finalize();
    return failed > 0;
}
