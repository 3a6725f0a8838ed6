/* The interface between the files of this room: a driver's library, its functions, and Allfold's
 * operations on them. */
#ifndef ALLFOLD_MPI_DEVICE_DRIVER_H
#define ALLFOLD_MPI_DEVICE_DRIVER_H

#include <stdatomic.h>

#include "mpi/device/place.h"

enum { ALLFOLD_MOST_NAMES = 4 };

/* The operations; drivers.h describes them. If a driver cannot copy, only `open` and `is_own` are
 * called. */
struct allfold_driver_operations {
    /* Called with a mutex held, once the driver's functions are found. Returns false if there is no
     * device. */
    bool (*open)(struct allfold_driver *driver);
    /* Returns whether an address is in the device's memory. If it is, sets *context to what the
     * driver needs to access the memory. */
    bool (*is_own)(const struct allfold_driver *driver, const void *address, void **context);

    /* If `stream` is NULL, the copies use this thread's own stream, or else the device's default
     * stream. */
    void *(*make_stream)(
        const struct allfold_place *place); /* NULL: the driver has no other streams */
    void (*free_stream)(const struct allfold_place *place, void *stream);
    int (*begin)(const struct allfold_place *place, void *stream, void *to, const void *from,
                 bool to_device, const struct allfold_rows *rows, size_t count);
    int (*finish)(const struct allfold_place *place,
                  void *stream); /* waits for the copies that this thread began */
    void *(*make_event)(const struct allfold_place *place);
    void (*free_event)(const struct allfold_place *place, void *event);
    int (*record)(const struct allfold_place *place, void *stream, void *event);
    int (*ask)(const struct allfold_place *place, void *event, bool waits);

    void *(*allocate)(const struct allfold_place *place, size_t bytes);
    bool (*is_pinned)(const struct allfold_place *place, const void *memory);
    void (*release)(const struct allfold_place *place, void *memory);
};

struct allfold_driver {
    const struct allfold_driver_operations *operations;
    const char *libraries[ALLFOLD_MOST_NAMES]; /* the first one that is loaded is used */
    const char *queries[ALLFOLD_MOST_NAMES]; /* functions of MPI libraries that report whether they
                                                handle this memory */
    const char *const *names; /* of functions; NULL: the driver has no such function */
    int name_count, needed;   /* the first `needed` functions must exist */
    void *functions;          /* `name_count` pointers to functions; NULL: does not exist */

    bool is_asked; /* the MPI library handles this memory, so the driver is queried */
    atomic_bool is_loaded;
    const char *library; /* the loaded one */
};

extern struct allfold_driver allfold_driver_cuda, allfold_driver_hip, allfold_driver_level_zero;

#endif
