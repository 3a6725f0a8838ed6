/* Types that the drivers and their callers share: where memory is, and rows of bytes to copy. */
#ifndef ALLFOLD_MPI_DEVICE_PLACE_H
#define ALLFOLD_MPI_DEVICE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allfold_driver;

/* Where memory is: in host memory, or in the memory of a device, which the processor cannot
 * read. */
struct allfold_place {
    const struct allfold_driver *driver; /* NULL: host memory */
    void *context;                       /* what the driver needs to access it; NULL: not known */
};

/* Rows of bytes with the same layout on both sides of a copy: row i begins `at + i * stride_bytes`
 * bytes after each side's address. */
struct allfold_rows {
    ptrdiff_t at, stride_bytes;
    size_t bytes, count;
};

/* Returned for an event that has not happened yet. No driver has this error code. */
enum { ALLFOLD_DEVICE_NOT_YET = -1 };

#endif
