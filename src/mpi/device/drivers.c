/* Drivers of devices (see drivers.h).
 *
 * The drivers of CUDA and HIP have the same functions under different names, so one table serves
 * both. Level Zero's are others: it wants the program's own context for every question. */
#include "mpi/device/drivers.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "mpi/process/runtime.h"

/* What the drivers call these. */
enum {
    ATTRIBUTE_CONTEXT = 1,
    ATTRIBUTE_MEMORY_TYPE = 2,
    ATTRIBUTE_IS_MANAGED = 8,
    ATTRIBUTE_DEVICE = 9
};
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, ALLOCATED_FOR_ALL_CONTEXTS = 1 };

/* The arguments of a copy of rows, as the drivers have them. */
struct side {
    size_t x_bytes, y;
    unsigned type;
    const void *host, *device;
    void *array;
    size_t pitch_bytes;
};

struct rows_copy {
    struct side from, to;
    size_t width_bytes, height;
};

/* A driver's functions; all return 0 or an error code. */
struct functions {
    int (*ask)(void *answer, int attribute, const void *address);
    int (*to_host)(void *to, const void *from, size_t bytes, void *stream);
    int (*to_device)(void *to, const void *from, size_t bytes, void *stream);
    int (*wait)(void *stream);
    int (*allocate)(void **memory, size_t bytes, unsigned flags);
    int (*release)(void *memory);

    /* the others may be missing */
    int (*rows)(const struct rows_copy *copy, void *stream);
    int (*enter)(void *context);
    int (*leave)(void **context);
    int (*forget_error)(void); /* of this thread, which the program would see otherwise */
    int (*version)(int *version);
    int (*state)(int device, unsigned *flags, int *is_active); /* of its primary context */
    int (*retain)(void **context, int device);
    int (*release_context)(int device);
};

enum { NEEDED = 6, FUNCTIONS = sizeof(struct functions) / sizeof(void *), MOST_NAMES = 4 };

struct allfold_driver {
    const char *libraries[MOST_NAMES]; /* the first one that is loaded is taken */
    const char *queries[MOST_NAMES];   /* of MPI libraries: do they handle such memory? */
    const char *names[FUNCTIONS];
    int types_differ_before; /* this version: its types of memory are less by 1 than CUDA's */

    bool is_asked; /* the MPI library handles such memory */
    atomic_bool is_loaded;
    const char *library;
    unsigned host_type, device_type;
    struct functions functions;
};

static struct allfold_driver drivers[] = {
    {.libraries = {"libcuda.so.1"},
     .queries = {"MPIX_Query_cuda_support"},
     .names = {"cuPointerGetAttribute", "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2",
               "cuStreamSynchronize", "cuMemHostAlloc", "cuMemFreeHost", "cuMemcpy2DAsync_v2",
               "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", NULL, NULL,
               "cuDevicePrimaryCtxGetState", "cuDevicePrimaryCtxRetain",
               "cuDevicePrimaryCtxRelease_v2"}},
    {.libraries = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"},
     .queries = {"MPIX_Query_rocm_support", "MPIX_Query_hip_support"},
     .names = {"hipPointerGetAttribute", "hipMemcpyDtoHAsync", "hipMemcpyHtoDAsync",
               "hipStreamSynchronize", "hipHostMalloc", "hipHostFree", "hipMemcpyParam2DAsync",
               NULL, NULL, "hipGetLastError", "hipRuntimeGetVersion"},
     .types_differ_before = 60000000},
};
enum { DRIVERS = sizeof drivers / sizeof *drivers };

bool allfold_devices_are_asked;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_ullong libraries_seen; /* how many had been loaded when we looked last */

/* --- finding drivers --- */

static bool is_handled(const struct allfold_driver *driver)
{
    for (int i = 0; i < MOST_NAMES && driver->queries[i] != NULL; i++) {
        int (*query)(void) = NULL;
        void *found = dlsym(RTLD_DEFAULT, driver->queries[i]);
        memcpy(&query, &found, sizeof found);
        if (query != NULL && query() == 1)
            return true;
    }
    return false;
}

void allfold_devices_begin(void)
{
    const enum allfold_device_mode mode = allfold_settings()->device;
    bool are_asked = false;
    for (int i = 0; i < DRIVERS; i++) {
        drivers[i].is_asked =
            mode == ALLFOLD_DEVICE_ON || (mode == ALLFOLD_DEVICE_AUTO && is_handled(&drivers[i]));
        are_asked |= drivers[i].is_asked;
    }
    allfold_devices_are_asked = are_asked;
}

/* Looks its functions up; false where one is missing. */
static bool find_functions(struct allfold_driver *driver, void *library)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    for (int i = 0; i < FUNCTIONS; i++) {
        void *found = driver->names[i] == NULL ? NULL : dlsym(library, driver->names[i]);
        if (found == NULL && i < NEEDED) {
            snprintf(message, sizeof message,
                     "%s has no %s: vectors in its memory are not staged, and must not be passed "
                     "to collectives of Allfold's",
                     driver->library, driver->names[i]);
            allfold_complain(message);
            return false;
        }
        memcpy((char *)&driver->functions + (size_t)i * sizeof found, &found, sizeof found);
    }
    return true;
}

static void take(struct allfold_driver *driver, void *library)
{
    int version = 0;
    if (!find_functions(driver, library)) {
        driver->is_asked = false;
        return;
    }
    if (driver->functions.version != NULL)
        driver->functions.version(&version);
    const unsigned less = version < driver->types_differ_before ? 1 : 0;
    driver->host_type = TYPE_HOST - less;
    driver->device_type = TYPE_DEVICE - less;
    atomic_store_explicit(&driver->is_loaded, true, memory_order_release);
}

/* The handle stays ours, so the driver stays loaded. */
static void look_for(struct allfold_driver *driver)
{
    for (int i = 0; i < MOST_NAMES && driver->libraries[i] != NULL; i++) {
        void *library = dlopen(driver->libraries[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        if (library == NULL)
            continue;
        driver->library = driver->libraries[i];
        take(driver, library);
        return;
    }
}

static int count_libraries(struct dl_phdr_info *info, size_t bytes, void *count)
{
    (void)bytes;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1; /* of the first one: each says how many have been loaded so far */
}

/* A program may load a driver long after MPI_Init: with its first call of CUDA's runtime. */
static void look_for_new(void)
{
    unsigned long long count = 0;
    dl_iterate_phdr(count_libraries, &count);
    if (count == atomic_load_explicit(&libraries_seen, memory_order_acquire))
        return;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < DRIVERS; i++)
        if (drivers[i].is_asked && !drivers[i].is_loaded)
            look_for(&drivers[i]);
    atomic_store_explicit(&libraries_seen, count, memory_order_release);
    pthread_mutex_unlock(&mutex);
}

/* --- asking --- */

/* False where the driver does not know the address. */
static bool ask(const struct functions *functions, void *answer, int attribute, const void *address)
{
    if (functions->ask(answer, attribute, address) == 0)
        return true;
    if (functions->forget_error != NULL)
        functions->forget_error();
    return false;
}

/* The primary context of the device at an address; NULL where nobody uses one. It is retained to
 * get its handle alone, which stays good for as long as the program itself retains it. */
static void *primary_context(const struct functions *functions, const void *address)
{
    int device = 0, is_active = 0;
    unsigned flags = 0;
    void *context = NULL;
    if (functions->state == NULL || functions->retain == NULL ||
        functions->release_context == NULL || !ask(functions, &device, ATTRIBUTE_DEVICE, address) ||
        functions->state(device, &flags, &is_active) != 0 || !is_active ||
        functions->retain(&context, device) != 0)
        return NULL;
    functions->release_context(device);
    return context;
}

/* Managed memory can be read by the processor; what the driver does not know is the host's. */
static bool is_own(const struct allfold_driver *driver, const void *address, void **context)
{
    const struct functions *functions = &driver->functions;
    unsigned type = 0;
    uint64_t is_managed = 0; /* drivers write from one byte to four */
    if (!ask(functions, &type, ATTRIBUTE_MEMORY_TYPE, address) || type != driver->device_type)
        return false;
    if (ask(functions, &is_managed, ATTRIBUTE_IS_MANAGED, address) && is_managed != 0)
        return false;
    *context = NULL;
    if (functions->enter != NULL && !ask(functions, context, ATTRIBUTE_CONTEXT, address))
        *context = NULL;
    if (*context == NULL) /* memory of a pool, or pages that the program mapped itself */
        *context = primary_context(functions, address);
    return true;
}

struct allfold_place allfold_device_find(const void *address)
{
    struct allfold_place place = {NULL, NULL};
    look_for_new();
    for (int i = 0; i < DRIVERS && place.driver == NULL; i++)
        if (atomic_load_explicit(&drivers[i].is_loaded, memory_order_acquire) &&
            is_own(&drivers[i], address, &place.context))
            place.driver = &drivers[i];
    return place;
}

/* --- copying --- */

/* Each thread's own stream, which needs not be made and waits for no kernel of other streams. */
static void *stream(void)
{
    return (void *)(uintptr_t)2;
}

static bool enter(const struct allfold_place *place)
{
    const struct functions *functions = &place->driver->functions;
    return place->context != NULL && functions->enter != NULL && functions->leave != NULL &&
           functions->enter(place->context) == 0;
}

static void leave(const struct allfold_place *place, bool has_entered)
{
    void *context;
    if (has_entered)
        place->driver->functions.leave(&context);
}

static struct side side_of(const struct allfold_driver *driver, const void *at, bool is_device,
                           ptrdiff_t stride_bytes)
{
    return (struct side){.type = is_device ? driver->device_type : driver->host_type,
                         .host = is_device ? NULL : at,
                         .device = is_device ? at : NULL,
                         .pitch_bytes = (size_t)stride_bytes};
}

static int copy_rows(const struct allfold_driver *driver, char *to, const char *from,
                     bool to_device, const struct allfold_rows *rows)
{
    const struct functions *functions = &driver->functions;
    int (*copy)(void *, const void *, size_t, void *) =
        to_device ? functions->to_device : functions->to_host;
    const bool are_apart =
        rows->stride_bytes > 0 && (size_t)rows->stride_bytes >= rows->bytes && rows->count > 1;
    int code = 0;
    to += rows->at;
    from += rows->at;
    if (are_apart && functions->rows != NULL) {
        const struct rows_copy all = {.from = side_of(driver, from, !to_device, rows->stride_bytes),
                                      .to = side_of(driver, to, to_device, rows->stride_bytes),
                                      .width_bytes = rows->bytes,
                                      .height = rows->count};
        return functions->rows(&all, stream());
    }
    for (size_t i = 0; i < rows->count && code == 0; i++)
        code = copy(to + (ptrdiff_t)i * rows->stride_bytes,
                    from + (ptrdiff_t)i * rows->stride_bytes, rows->bytes, stream());
    return code;
}

int allfold_device_copy(const struct allfold_place *place, void *to, const void *from,
                        bool to_device, const struct allfold_rows *rows, size_t count)
{
    const struct functions *functions = &place->driver->functions;
    const bool has_entered = enter(place);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        code = copy_rows(place->driver, to, from, to_device, &rows[i]);
    const int waited =
        functions->wait(stream()); /* also after an error: nothing may be in flight */
    leave(place, has_entered);
    return code != 0 ? code : waited;
}

void allfold_device_message(const struct allfold_place *place, int code, bool to_device,
                            char *message, size_t message_bytes)
{
    snprintf(message, message_bytes,
             "a vector in device memory could not be copied %s the host: %s says error %d",
             to_device ? "from" : "to", place->driver->library, code);
}

void *allfold_device_allocate_pinned(const struct allfold_place *place, size_t bytes)
{
    const struct functions *functions = &place->driver->functions;
    const bool has_entered = enter(place);
    void *memory = NULL;
    if (functions->allocate(&memory, bytes, ALLOCATED_FOR_ALL_CONTEXTS) != 0) {
        memory = NULL;
        if (functions->forget_error != NULL)
            functions->forget_error();
    }
    leave(place, has_entered);
    return memory;
}

bool allfold_device_is_pinned(const struct allfold_place *place, const void *memory)
{
    unsigned type = 0;
    return ask(&place->driver->functions, &type, ATTRIBUTE_MEMORY_TYPE, memory) &&
           type == place->driver->host_type;
}

void allfold_device_free_pinned(const struct allfold_place *place, void *memory)
{
    const bool has_entered = enter(place);
    place->driver->functions.release(memory);
    leave(place, has_entered);
}
