/* Places: what drivers and those who ask them share. */
#ifndef ALLFOLD_MPI_DEVICE_PLACE_H
#define ALLFOLD_MPI_DEVICE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allfold_driver;

/* Memory that the processor cannot read. */
struct allfold_place {
    const struct allfold_driver *driver; /* NULL: the processor can read it */
    void *context;                       /* what the driver needs to reach it; NULL: nobody knows */
};

/* Rows of bytes that lie alike on both sides: row i begins at `at + i * stride_bytes` from each
 * side's address. */
struct allfold_rows {
    ptrdiff_t at, stride_bytes;
    size_t bytes, count;
};

/* What an event that has not come returns; no driver has such an error code. */
enum { ALLFOLD_DEVICE_NOT_YET = -1 };

#endif
