/* What the tests of kernels share: types by their parts, and elements as numbers.
 *
 * Elements are decoded to long double, which holds every value of every type here. Of binary128
 * (QUAD) it holds every value that the tests of all types use. */
#ifndef ALLFOLD_TEST_SUPPORT_KERNELS_H
#define ALLFOLD_TEST_SUPPORT_KERNELS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/kernels.h"
#include "support.h"

enum { MAX_ELEMENT_BYTES = 32 };

enum form { NONE, SIGNED, UNSIGNED, REAL, QUAD };

/* The tests run where the compiler has it, see support_kernels.c. */
typedef __float128 quad;

struct part {
    enum form form;
    size_t bytes, offset; /* NONE has no bytes: decodes to 0, encodes nothing */
};

/* Types by their parts, one or two, and by the letters of their operations (below). */
struct layout {
    const char *name;
    size_t bytes;
    const char *operations;
    bool is_exact;
    struct part parts[2];
};

extern const struct layout layouts[ALLFOLD_TYPE_COUNT];

/* In the order of enum allfold_operation; g and s are maxloc and minloc. */
extern const char letters[];

struct number {
    long double part[2];
};

/* `value` modulo 2^bits, as a two's complement number where signed. */
__int128 wrapped(__int128 value, const struct part *part);

struct number decode(const struct layout *layout, const unsigned char *element);
void encode(const struct layout *layout, struct number number, unsigned char *element);
bool is_same(struct number a, struct number b);

/* IEEE 754 binary16 by its definition, and the nearest to a number, ties to even. */
long double half_number(uint16_t bits);
uint16_t nearest_half(long double number);

/* Runs the tests with each variant of the kernels; says which ones this processor has not. Returns
 * how many failed. */
int run_with_each_variant(const struct CMUnitTest *tests, size_t count);

#endif
