/*
 * device_functions.h: what device.c calls of a driver, as CUDA has it.
 */
#ifndef DEVICE_FUNCTIONS_H
#define DEVICE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct device_functions {
    int (*init)(unsigned);
    int (*allocate)(void **, size_t);
    int (*allocate_pool)(void **, size_t, void *);
    int (*allocate_managed)(void **, size_t, unsigned);
    int (*allocate_pinned)(void **, size_t, unsigned);
    int (*release)(void *);
    int (*release_pinned)(void *);
    int (*write)(void *, const void *, size_t, void *);
    int (*read)(void *, const void *, size_t, void *);
    int (*wait)(void *);
    int (*retain)(void **, int);
    int (*use)(void *);
};

/* The same of Level Zero's loader; false where there is no device. */
bool device_level_zero(void *library, struct device_functions *functions);

#endif
