/* The drivers of CUDA and of HIP, which have the same functions under different names. The context
 * of a place is the context in which its memory was allocated, or the device's primary context. It
 * is NULL if it is not known, and for HIP, which needs none. */
#include "mpi/device/driver.h"

#include <stdint.h>

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
    int (*make_event)(void **event, unsigned flags);
    int (*free_event)(void *event);
    int (*record)(void *event, void *stream);
    int (*ask_event)(void *event);
    int (*wait_event)(void *event);
    int (*make_stream)(void **stream, unsigned flags);
    int (*free_stream)(void *stream);
};

enum { NEEDED = 6, FUNCTIONS = sizeof(struct functions) / sizeof(void *) };
enum { EVENT_WITHOUT_TIME = 2, STREAM_ALONE = 1 };
enum { NOT_READY = 600, INVALID_HANDLE = 400, CONTEXT_IS_DESTROYED = 709 };

/* What a driver calls the types of memory, too. */
struct own {
    struct functions functions;
    unsigned host_type, device_type;
};

static struct own own_cuda, own_hip;

static const char *const names_cuda[FUNCTIONS] = {"cuPointerGetAttribute",
                                                  "cuMemcpyDtoHAsync_v2",
                                                  "cuMemcpyHtoDAsync_v2",
                                                  "cuStreamSynchronize",
                                                  "cuMemHostAlloc",
                                                  "cuMemFreeHost",
                                                  "cuMemcpy2DAsync_v2",
                                                  "cuCtxPushCurrent_v2",
                                                  "cuCtxPopCurrent_v2",
                                                  NULL,
                                                  NULL,
                                                  "cuDevicePrimaryCtxGetState",
                                                  "cuDevicePrimaryCtxRetain",
                                                  "cuDevicePrimaryCtxRelease_v2",
                                                  "cuEventCreate",
                                                  "cuEventDestroy_v2",
                                                  "cuEventRecord",
                                                  "cuEventQuery",
                                                  "cuEventSynchronize",
                                                  "cuStreamCreate",
                                                  "cuStreamDestroy_v2"};

static const char *const names_hip[FUNCTIONS] = {"hipPointerGetAttribute",
                                                 "hipMemcpyDtoHAsync",
                                                 "hipMemcpyHtoDAsync",
                                                 "hipStreamSynchronize",
                                                 "hipHostMalloc",
                                                 "hipHostFree",
                                                 "hipMemcpyParam2DAsync",
                                                 NULL,
                                                 NULL,
                                                 "hipGetLastError",
                                                 "hipRuntimeGetVersion",
                                                 NULL,
                                                 NULL,
                                                 NULL,
                                                 "hipEventCreateWithFlags",
                                                 "hipEventDestroy",
                                                 "hipEventRecord",
                                                 "hipEventQuery",
                                                 "hipEventSynchronize",
                                                 "hipStreamCreateWithFlags",
                                                 "hipStreamDestroy"};

static const struct own *own_of(const struct allfold_driver *driver)
{
    return driver->functions;
}

static const struct functions *functions_of(const struct allfold_place *place)
{
    return &own_of(place->driver)->functions;
}

/* HIP's types of memory were less by 1 than CUDA's before its version 6. */
static bool open_driver(struct allfold_driver *driver)
{
    enum { SAME_AS_CUDA = 60000000 };
    struct own *own = driver->functions;
    int version = SAME_AS_CUDA;
    if (own->functions.version != NULL)
        own->functions.version(&version);
    const unsigned less = version < SAME_AS_CUDA ? 1 : 0;
    own->host_type = TYPE_HOST - less;
    own->device_type = TYPE_DEVICE - less;
    return true;
}

/* Returns false if the driver does not know the address. */
static bool ask(const struct functions *functions, void *answer, int attribute, const void *address)
{
    if (functions->ask(answer, attribute, address) == 0)
        return true;
    if (functions->forget_error != NULL)
        functions->forget_error();
    return false;
}

/* Returns the primary context of the device at an address; NULL if no code uses one. It is retained
 * only to get its handle, which stays valid as long as the program itself retains it. */
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
    const struct functions *functions = &own_of(driver)->functions;
    unsigned type = 0;
    uint64_t is_managed = 0; /* drivers write from one byte to four */
    if (!ask(functions, &type, ATTRIBUTE_MEMORY_TYPE, address) ||
        type != own_of(driver)->device_type)
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

/* Each thread's own stream, which needs not be made and waits for no kernel of other streams. */
static void *own_stream(void)
{
    return (void *)(uintptr_t)2;
}

/* Has a program that resets its device taken a stream away? */
static bool is_gone(int code)
{
    return code == INVALID_HANDLE || code == CONTEXT_IS_DESTROYED;
}

static bool enter(const struct allfold_place *place)
{
    const struct functions *functions = functions_of(place);
    return place->context != NULL && functions->enter != NULL && functions->leave != NULL &&
           functions->enter(place->context) == 0;
}

static void leave(const struct allfold_place *place, bool has_entered)
{
    void *context;
    if (has_entered)
        functions_of(place)->leave(&context);
}

static struct side side_of(const struct own *own, const void *at, bool is_device,
                           ptrdiff_t stride_bytes)
{
    return (struct side){.type = is_device ? own->device_type : own->host_type,
                         .host = is_device ? NULL : at,
                         .device = is_device ? at : NULL,
                         .pitch_bytes = (size_t)stride_bytes};
}

static int copy_rows(const struct own *own, void *stream, char *to, const char *from,
                     bool to_device, const struct allfold_rows *rows)
{
    const struct functions *functions = &own->functions;
    int (*copy)(void *, const void *, size_t, void *) =
        to_device ? functions->to_device : functions->to_host;
    const bool are_apart =
        rows->stride_bytes > 0 && (size_t)rows->stride_bytes >= rows->bytes && rows->count > 1;
    int code = 0;
    to += rows->at;
    from += rows->at;
    if (are_apart && functions->rows != NULL) {
        const struct rows_copy all = {.from = side_of(own, from, !to_device, rows->stride_bytes),
                                      .to = side_of(own, to, to_device, rows->stride_bytes),
                                      .width_bytes = rows->bytes,
                                      .height = rows->count};
        return functions->rows(&all, stream);
    }
    for (size_t i = 0; i < rows->count && code == 0; i++)
        code = copy(to + (ptrdiff_t)i * rows->stride_bytes,
                    from + (ptrdiff_t)i * rows->stride_bytes, rows->bytes, stream);
    return code;
}

static int copy_all(const struct allfold_place *place, void *stream, void *to, const void *from,
                    bool to_device, const struct allfold_rows *rows, size_t count)
{
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        code = copy_rows(own_of(place->driver), stream, to, from, to_device, &rows[i]);
    return code;
}

/* Uses the thread's own stream if the other one is gone. */
static int begin(const struct allfold_place *place, void *stream, void *to, const void *from,
                 bool to_device, const struct allfold_rows *rows, size_t count)
{
    const bool has_entered = enter(place);
    int code = INVALID_HANDLE;
    if (stream != NULL)
        code = copy_all(place, stream, to, from, to_device, rows, count);
    if (stream == NULL || is_gone(code))
        code = copy_all(place, own_stream(), to, from, to_device, rows, count);
    leave(place, has_entered);
    return code;
}

static int finish(const struct allfold_place *place, void *stream)
{
    const bool has_entered = enter(place);
    const int of_own = functions_of(place)->wait(own_stream());
    const int of_other = stream == NULL ? 0 : functions_of(place)->wait(stream);
    leave(place, has_entered);
    return of_own != 0 || is_gone(of_other) ? of_own : of_other;
}

static void *make_stream(const struct allfold_place *place)
{
    const struct functions *functions = functions_of(place);
    void *stream = NULL;
    if (functions->make_stream == NULL || functions->free_stream == NULL)
        return NULL;
    const bool has_entered = enter(place);
    if (functions->make_stream(&stream, STREAM_ALONE) != 0) {
        stream = NULL;
        if (functions->forget_error != NULL)
            functions->forget_error();
    }
    leave(place, has_entered);
    return stream;
}

static void free_stream(const struct allfold_place *place, void *stream)
{
    const bool has_entered = enter(place);
    functions_of(place)->free_stream(stream);
    leave(place, has_entered);
}

/* --- events --- */

static void *make_event(const struct allfold_place *place)
{
    const struct functions *functions = functions_of(place);
    void *event = NULL;
    if (functions->make_event == NULL || functions->free_event == NULL ||
        functions->record == NULL || functions->ask_event == NULL || functions->wait_event == NULL)
        return NULL;
    const bool has_entered = enter(place);
    if (functions->make_event(&event, EVENT_WITHOUT_TIME) != 0)
        event = NULL;
    leave(place, has_entered);
    return event;
}

static void free_event(const struct allfold_place *place, void *event)
{
    const bool has_entered = enter(place);
    functions_of(place)->free_event(event);
    leave(place, has_entered);
}

static int record(const struct allfold_place *place, void *stream, void *event)
{
    const bool has_entered = enter(place);
    const int code = functions_of(place)->record(event, stream == NULL ? own_stream() : stream);
    leave(place, has_entered);
    return code;
}

static int ask_event(const struct allfold_place *place, void *event, bool waits)
{
    const struct functions *functions = functions_of(place);
    const bool has_entered = enter(place);
    const int code = waits ? functions->wait_event(event) : functions->ask_event(event);
    if (code == NOT_READY && functions->forget_error != NULL)
        functions->forget_error();
    leave(place, has_entered);
    return code == NOT_READY ? ALLFOLD_DEVICE_NOT_YET : code;
}

/* --- pinned memory --- */

static void *allocate(const struct allfold_place *place, size_t bytes)
{
    const struct functions *functions = functions_of(place);
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

static bool is_pinned(const struct allfold_place *place, const void *memory)
{
    unsigned type = 0;
    return ask(functions_of(place), &type, ATTRIBUTE_MEMORY_TYPE, memory) &&
           type == own_of(place->driver)->host_type;
}

static void release(const struct allfold_place *place, void *memory)
{
    const bool has_entered = enter(place);
    functions_of(place)->release(memory);
    leave(place, has_entered);
}

static const struct allfold_driver_operations operations = {.open = open_driver,
                                                            .is_own = is_own,
                                                            .make_stream = make_stream,
                                                            .free_stream = free_stream,
                                                            .begin = begin,
                                                            .finish = finish,
                                                            .make_event = make_event,
                                                            .free_event = free_event,
                                                            .record = record,
                                                            .ask = ask_event,
                                                            .allocate = allocate,
                                                            .is_pinned = is_pinned,
                                                            .release = release};

struct allfold_driver allfold_driver_cuda = {.operations = &operations,
                                             .libraries = {"libcuda.so.1"},
                                             .queries = {"MPIX_Query_cuda_support"},
                                             .names = names_cuda,
                                             .name_count = FUNCTIONS,
                                             .needed = NEEDED,
                                             .functions = &own_cuda};

struct allfold_driver allfold_driver_hip = {
    .operations = &operations,
    .libraries = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"},
    .queries = {"MPIX_Query_rocm_support", "MPIX_Query_hip_support"},
    .names = names_hip,
    .name_count = FUNCTIONS,
    .needed = NEEDED,
    .functions = &own_hip};
