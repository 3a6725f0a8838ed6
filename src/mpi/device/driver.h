/* A driver, as the files of this room have it: its library's functions, and what to do by them. */
#ifndef ALLFOLD_MPI_DEVICE_DRIVER_H
#define ALLFOLD_MPI_DEVICE_DRIVER_H

#include <stdatomic.h>

#include "mpi/device/place.h"

enum { ALLFOLD_MOST_NAMES = 4 };

/* What drivers.h says of these. Where a driver copies nothing, they are not called. */
struct allfold_driver_operations {
    /* Once its functions are known, under a mutex; false: there is no device. */
    bool (*open)(struct allfold_driver *driver);
    /* Is an address in its memory? Then sets what it needs to reach the memory. */
    bool (*is_own)(const struct allfold_driver *driver, const void *address, void **context);

    /* A stream NULL is this thread's own, or the device's. */
    void *(*make_stream)(const struct allfold_place *place); /* NULL: it has none */
    void (*free_stream)(const struct allfold_place *place, void *stream);
    int (*begin)(const struct allfold_place *place, void *stream, void *to, const void *from,
                 bool to_device, const struct allfold_rows *rows, size_t count);
    int (*finish)(const struct allfold_place *place, void *stream); /* what this thread began */
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
    const char *libraries[ALLFOLD_MOST_NAMES]; /* the first one that is loaded is taken */
    const char *queries[ALLFOLD_MOST_NAMES];   /* of MPI libraries: do they handle such memory? */
    const char *const *names;                  /* of functions; NULL: it has no such function */
    int name_count, needed;                    /* the first `needed` ones must be there */
    void *functions;                           /* as many pointers to functions; NULL: not there */

    bool is_asked; /* the MPI library handles such memory */
    atomic_bool is_loaded;
    const char *library; /* that is loaded */
};

extern struct allfold_driver allfold_driver_cuda, allfold_driver_hip, allfold_driver_level_zero;

#endif
