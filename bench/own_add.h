/* The machine's own add bandwidth: c = a + b of doubles, written by hand in several forms, of which
 * the best counts. What the library's kernels are measured against. */
#ifndef OWN_ADD_H
#define OWN_ADD_H

#include <stdbool.h>
#include <stddef.h>

/* Arrays are aligned to 64 bytes and `count` is a multiple of 16. */
struct own_add {
    const char *name;
    bool is_streamed; /* past the caches: no measure of them */
    bool (*is_supported)(void);
    void (*add)(double *c, const double *a, const double *b, size_t count);
};

/* All forms; a name of NULL ends them. */
extern const struct own_add own_adds[];

#endif
