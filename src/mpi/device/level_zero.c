/* The driver of Level Zero.
 *
 * Every query and every copy needs a context. The program's own contexts cannot be found, because
 * no function lists them, so Allfold makes one context for each driver. Intel's driver keeps one
 * table of allocations for all its contexts and answers queries with any of them; MPICH relies on
 * the same. With a driver that answered for its own context alone, the program's memory would be
 * unknown, which counts as host memory (docs/device_memory.md).
 *
 * Copies to and from a device use an immediate command list, which Allfold makes once for each
 * device. Only one thread may use a list at a time, so each driver has a mutex. If the device has
 * queues that only copy, the list is on one of them, and does not wait for kernels. Copies in it
 * may overlap, so it needs no further streams. */
#include "mpi/device/driver.h"

#include <pthread.h>

#include "mpi/device/level_zero_abi.h"
#include "util/memory.h"

/* All return 0 or an error code. */
struct functions {
    int (*init)(uint32_t flags);
    int (*get_drivers)(uint32_t *count, void **drivers);
    int (*make_context)(void *driver, const struct allfold_ze_plain *how, void **context);
    int (*ask)(void *context, const void *address, struct allfold_ze_memory *answer, void **device);
    int (*get_groups)(void *device, uint32_t *count, struct allfold_ze_group *groups);
    int (*make_list)(void *context, void *device, const struct allfold_ze_queue *how, void **list);
    int (*copy)(void *list, void *to, const void *from, size_t bytes, void *event, uint32_t waits,
                void *const *events);
    int (*barrier)(void *list, void *event, uint32_t waits, void *const *events);
    int (*make_pool)(void *context, const struct allfold_ze_event_pool *how, uint32_t devices,
                     void *const *device, void **pool);
    int (*make_event)(void *pool, const struct allfold_ze_event *how, void **event);
    int (*free_event)(void *event);
    int (*free_pool)(void *pool);
    int (*wait_event)(void *event, uint64_t most_ns);
    int (*reset_event)(void *event);
    int (*allocate)(void *context, const struct allfold_ze_plain *how, size_t bytes,
                    size_t alignment, void **memory);
    int (*release)(void *context, void *memory);
};

enum { FUNCTIONS = sizeof(struct functions) / sizeof(void *) };

static struct functions functions;

static const char *const names[FUNCTIONS] = {"zeInit",
                                             "zeDriverGet",
                                             "zeContextCreate",
                                             "zeMemGetAllocProperties",
                                             "zeDeviceGetCommandQueueGroupProperties",
                                             "zeCommandListCreateImmediate",
                                             "zeCommandListAppendMemoryCopy",
                                             "zeCommandListAppendBarrier",
                                             "zeEventPoolCreate",
                                             "zeEventCreate",
                                             "zeEventDestroy",
                                             "zeEventPoolDestroy",
                                             "zeEventHostSynchronize",
                                             "zeEventHostReset",
                                             "zeMemAllocHost",
                                             "zeMemFree"};

enum { MOST_DRIVERS = 8, MOST_DEVICES = 64, MOST_GROUPS = 16 };

/* An event, which has a pool of its own. */
struct event {
    void *pool, *event;
};

/* A device that memory was seen of: a place's context. */
struct device {
    void *context, *handle, *list;
    struct event end; /* of copies that somebody waits for at once */
};

static void *contexts[MOST_DRIVERS];
static int context_count;
static struct device devices[MOST_DEVICES];
static int device_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the devices and their lists */

/* The program may have initialized it before; doing so again is allowed. */
static bool open_driver(struct allfold_driver *driver)
{
    const struct allfold_ze_plain how = {.kind = ALLFOLD_ZE_CONTEXT};
    void *handles[MOST_DRIVERS];
    uint32_t count = MOST_DRIVERS;
    (void)driver;
    if (functions.init(0) != 0 || functions.get_drivers(&count, handles) != 0)
        return false;
    for (uint32_t i = 0; i < count && i < MOST_DRIVERS; i++)
        if (functions.make_context(handles[i], &how, &contexts[context_count]) == 0)
            context_count++;
    return context_count > 0;
}

/* --- devices --- */

static bool make_event_in(void *context, struct event *event)
{
    const struct allfold_ze_event_pool pool = {
        .kind = ALLFOLD_ZE_EVENT_POOL, .flags = ALLFOLD_ZE_SEEN_BY_HOST, .count = 1};
    const struct allfold_ze_event how = {
        .kind = ALLFOLD_ZE_EVENT, .signal = ALLFOLD_ZE_FOR_HOST, .wait = ALLFOLD_ZE_FOR_HOST};
    if (functions.make_pool(context, &pool, 0, NULL, &event->pool) != 0)
        return false;
    if (functions.make_event(event->pool, &how, &event->event) == 0)
        return true;
    functions.free_pool(event->pool);
    return false;
}

static void free_event_in(const struct event *event)
{
    functions.free_event(event->event);
    functions.free_pool(event->pool);
}

/* The group of queues that copies go through. */
static uint32_t group_of(void *handle)
{
    struct allfold_ze_group groups[MOST_GROUPS] = {{.kind = ALLFOLD_ZE_GROUP_PROPERTIES}};
    uint32_t count = MOST_GROUPS;
    for (int i = 1; i < MOST_GROUPS; i++)
        groups[i].kind = ALLFOLD_ZE_GROUP_PROPERTIES;
    if (functions.get_groups(handle, &count, groups) != 0)
        return 0;
    for (uint32_t i = 0; i < count && i < MOST_GROUPS; i++)
        if ((groups[i].flags & (ALLFOLD_ZE_COMPUTES | ALLFOLD_ZE_COPIES)) == ALLFOLD_ZE_COPIES)
            return i;
    return 0;
}

static bool add_device(struct device *device, void *context, void *handle)
{
    const struct allfold_ze_queue how = {
        .kind = ALLFOLD_ZE_QUEUE, .group = group_of(handle), .mode = ALLFOLD_ZE_ASYNCHRONOUS};
    *device = (struct device){.context = context, .handle = handle};
    if (!make_event_in(context, &device->end))
        return false;
    if (functions.make_list(context, handle, &how, &device->list) == 0)
        return true;
    free_event_in(&device->end); /* the next buffer tries again */
    return false;
}

/* Returns NULL if it cannot be found. */
static struct device *find_device(void *context, void *handle)
{
    struct device *found = NULL;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < device_count && found == NULL; i++)
        if (devices[i].handle == handle)
            found = &devices[i];
    if (found == NULL && device_count < MOST_DEVICES &&
        add_device(&devices[device_count], context, handle))
        found = &devices[device_count++];
    pthread_mutex_unlock(&mutex);
    return found;
}

/* Returns the kind of memory at an address; 0 if no context knows it. */
static uint32_t type_of(const void *address, void **context, void **handle)
{
    for (int i = 0; i < context_count; i++) {
        struct allfold_ze_memory answer = {.kind = ALLFOLD_ZE_MEMORY_PROPERTIES};
        *handle = NULL;
        *context = contexts[i];
        if (functions.ask(contexts[i], address, &answer, handle) == 0 && answer.type != 0)
            return answer.type;
    }
    return 0;
}

/* Memory that is shared between host and device can be read. */
static bool is_own(const struct allfold_driver *driver, const void *address, void **device)
{
    void *context, *handle;
    (void)driver;
    if (type_of(address, &context, &handle) != ALLFOLD_ZE_DEVICE)
        return false;
    *device = find_device(context, handle);
    return true;
}

/* --- copying --- */

static int begin(const struct allfold_place *place, void *stream, void *to, const void *from,
                 bool to_device, const struct allfold_rows *rows, size_t count)
{
    struct device *device = place->context;
    int code = device == NULL ? ALLFOLD_ZE_NO_DEVICE_MEMORY : 0;
    (void)stream;
    (void)to_device;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < count && code == 0; i++)
        for (size_t k = 0; k < rows[i].count && code == 0; k++) {
            const ptrdiff_t at = rows[i].at + (ptrdiff_t)k * rows[i].stride_bytes;
            code = functions.copy(device->list, (char *)to + at, (const char *)from + at,
                                  rows[i].bytes, NULL, 0, NULL);
        }
    pthread_mutex_unlock(&mutex);
    return code;
}

/* Records an event by a barrier after all copies that were begun, by any thread. */
static int record_in(struct device *device, const struct event *event)
{
    const int code = functions.reset_event(event->event);
    return code != 0 ? code : functions.barrier(device->list, event->event, 0, NULL);
}

static int finish(const struct allfold_place *place, void *stream)
{
    struct device *device = place->context;
    (void)stream;
    if (device == NULL)
        return 0;
    pthread_mutex_lock(&mutex);
    int code = record_in(device, &device->end);
    if (code == 0)
        code = functions.wait_event(device->end.event, UINT64_MAX);
    pthread_mutex_unlock(&mutex);
    return code;
}

static void *make_event(const struct allfold_place *place)
{
    const struct device *device = place->context;
    struct event *event = device == NULL ? NULL : allfold_allocate(sizeof *event);
    if (event == NULL || make_event_in(device->context, event))
        return event;
    allfold_free(event);
    return NULL;
}

static void free_event(const struct allfold_place *place, void *event)
{
    (void)place;
    free_event_in(event);
    allfold_free(event);
}

static int record(const struct allfold_place *place, void *stream, void *event)
{
    (void)stream;
    pthread_mutex_lock(&mutex);
    const int code = record_in(place->context, event);
    pthread_mutex_unlock(&mutex);
    return code;
}

static int ask_event(const struct allfold_place *place, void *event, bool waits)
{
    const struct event *asked = event;
    (void)place;
    const int code = functions.wait_event(asked->event, waits ? UINT64_MAX : 0);
    return code == ALLFOLD_ZE_NOT_READY ? ALLFOLD_DEVICE_NOT_YET : code;
}

/* --- pinned memory --- */

static void *allocate(const struct allfold_place *place, size_t bytes)
{
    const struct allfold_ze_plain how = {.kind = ALLFOLD_ZE_HOST_MEMORY};
    const struct device *device = place->context;
    void *memory = NULL;
    return device != NULL && functions.allocate(device->context, &how, bytes, 64, &memory) == 0
               ? memory
               : NULL;
}

static bool is_pinned(const struct allfold_place *place, const void *memory)
{
    void *context, *handle;
    (void)place;
    return memory != NULL && type_of(memory, &context, &handle) == ALLFOLD_ZE_HOST;
}

static void release(const struct allfold_place *place, void *memory)
{
    const struct device *device = place->context;
    functions.release(device->context, memory);
}

static const struct allfold_driver_operations operations = {.open = open_driver,
                                                            .is_own = is_own,
                                                            .begin = begin,
                                                            .finish = finish,
                                                            .make_event = make_event,
                                                            .free_event = free_event,
                                                            .record = record,
                                                            .ask = ask_event,
                                                            .allocate = allocate,
                                                            .is_pinned = is_pinned,
                                                            .release = release};

struct allfold_driver allfold_driver_level_zero = {.operations = &operations,
                                                   .libraries = {"libze_loader.so.1"},
                                                   .queries = {"MPIX_Query_ze_support"},
                                                   .names = names,
                                                   .name_count = FUNCTIONS,
                                                   .needed = FUNCTIONS,
                                                   .functions = &functions};
