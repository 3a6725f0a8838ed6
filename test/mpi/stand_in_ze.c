/*
 * stand_in_ze.c: the stand-in device (stand_in.h) as libze_loader.so.1. It has the functions that
 * the library and its tests call, and what an MPI library built for Level Zero says. It is strict
 * where that costs little: structures must say what they are, an event is reset before it is
 * recorded again, and a context of any caller knows all memory of the driver.
 */
#include "stand_in.h"

#include <stdint.h>
#include <stdlib.h>

#include "mpi/device/level_zero_abi.h"

enum { INVALID = 0x78000004, UNINITIALIZED = 0x78000001 };

int zeInit(uint32_t flags);
int zeDriverGet(uint32_t *count, void **drivers);
int zeDeviceGet(void *driver, uint32_t *count, void **devices);
int zeContextCreate(void *driver, const struct allfold_ze_plain *how, void **context);
int zeMemGetAllocProperties(void *context, const void *address, struct allfold_ze_memory *answer,
                            void **device);
int zeDeviceGetCommandQueueGroupProperties(void *device, uint32_t *count,
                                           struct allfold_ze_group *groups);
int zeCommandListCreateImmediate(void *context, void *device, const struct allfold_ze_queue *how,
                                 void **list);
int zeCommandListAppendMemoryCopy(void *list, void *to, const void *from, size_t bytes, void *event,
                                  uint32_t waits, void *const *events);
int zeCommandListAppendBarrier(void *list, void *event, uint32_t waits, void *const *events);
int zeEventPoolCreate(void *context, const struct allfold_ze_event_pool *how, uint32_t devices,
                      void *const *device, void **pool);
int zeEventPoolDestroy(void *pool);
int zeEventCreate(void *pool, const struct allfold_ze_event *how, void **event);
int zeEventDestroy(void *event);
int zeEventHostSynchronize(void *event, uint64_t most_ns);
int zeEventHostReset(void *event);
int zeMemAllocDevice(void *context, const void *how, size_t bytes, size_t alignment, void *device,
                     void **memory);
int zeMemAllocShared(void *context, const void *how, const void *host_how, size_t bytes,
                     size_t alignment, void *device, void **memory);
int zeMemAllocHost(void *context, const struct allfold_ze_plain *how, size_t bytes,
                   size_t alignment, void **memory);
int zeMemFree(void *context, void *memory);

static int the_driver, the_device, is_initialized;

/* An event of a pool, which is as good as its pool. */
struct event {
    struct stand_in_event *event;
    int is_reset, is_recorded;
};

/* Every thread may use the device at any time; a list is one thread's at a time. */
static void use_device(void)
{
    stand_in_set_context(&the_device);
}

struct list {
    int is_busy, is_synchronous;
};

static void enter(struct list *list)
{
    if (__atomic_exchange_n(&list->is_busy, 1, __ATOMIC_ACQUIRE) != 0)
        abort();
}

static void leave(struct list *list)
{
    __atomic_store_n(&list->is_busy, 0, __ATOMIC_RELEASE);
}

int zeInit(uint32_t flags)
{
    is_initialized = 1;
    return (int)flags;
}

int zeDriverGet(uint32_t *count, void **drivers)
{
    if (!is_initialized)
        return UNINITIALIZED;
    if (*count > 0)
        drivers[0] = &the_driver;
    *count = 1;
    return 0;
}

int zeDeviceGet(void *driver, uint32_t *count, void **devices)
{
    if (driver != &the_driver)
        return INVALID;
    if (*count > 0)
        devices[0] = &the_device;
    *count = 1;
    return 0;
}

int zeContextCreate(void *driver, const struct allfold_ze_plain *how, void **context)
{
    if (driver != &the_driver || how->kind != ALLFOLD_ZE_CONTEXT)
        return INVALID;
    *context = malloc(1);
    return 0;
}

int zeMemGetAllocProperties(void *context, const void *address, struct allfold_ze_memory *answer,
                            void **device)
{
    unsigned type = 0;
    char is_managed = 0;
    if (context == NULL || answer->kind != ALLFOLD_ZE_MEMORY_PROPERTIES)
        return INVALID;
    answer->type = 0;
    if (stand_in_ask(&type, STAND_IN_ASK_TYPE, address) != 0)
        return 0;
    stand_in_ask(&is_managed, STAND_IN_ASK_MANAGED, address);
    answer->type = is_managed ? 3 : type == STAND_IN_HOST ? ALLFOLD_ZE_HOST : ALLFOLD_ZE_DEVICE;
    *device = answer->type == ALLFOLD_ZE_HOST ? NULL : &the_device;
    return 0;
}

/* One that computes and copies, and one that copies. */
int zeDeviceGetCommandQueueGroupProperties(void *device, uint32_t *count,
                                           struct allfold_ze_group *groups)
{
    static const uint32_t flags[] = {ALLFOLD_ZE_COMPUTES | ALLFOLD_ZE_COPIES, ALLFOLD_ZE_COPIES};
    if (device != &the_device)
        return INVALID;
    for (uint32_t i = 0; i < 2 && i < *count; i++) {
        if (groups[i].kind != ALLFOLD_ZE_GROUP_PROPERTIES)
            return INVALID;
        groups[i].flags = flags[i];
    }
    *count = 2;
    return 0;
}

int zeCommandListCreateImmediate(void *context, void *device, const struct allfold_ze_queue *how,
                                 void **list)
{
    const int is_synchronous = how->mode == ALLFOLD_ZE_SYNCHRONOUS;
    if (context == NULL || device != &the_device || how->kind != ALLFOLD_ZE_QUEUE ||
        (!is_synchronous && (how->mode != ALLFOLD_ZE_ASYNCHRONOUS || how->group != 1)))
        return INVALID;
    struct list *made = calloc(1, sizeof *made);
    if (made == NULL)
        return STAND_IN_NO_MEMORY;
    made->is_synchronous = is_synchronous;
    *list = made;
    return 0;
}

int zeCommandListAppendMemoryCopy(void *list, void *to, const void *from, size_t bytes, void *event,
                                  uint32_t waits, void *const *events)
{
    if (event != NULL || waits != 0 || events != NULL)
        return INVALID;
    enter(list);
    use_device();
    int code = stand_in_copy(to, from, bytes, stand_in_stream(NULL));
    if (code == 0 && ((struct list *)list)->is_synchronous)
        code = stand_in_wait(stand_in_stream(NULL));
    leave(list);
    return code;
}

int zeCommandListAppendBarrier(void *list, void *event, uint32_t waits, void *const *events)
{
    struct event *recorded = event;
    if (waits != 0 || events != NULL || !recorded->is_reset)
        return INVALID;
    enter(list);
    use_device();
    recorded->is_reset = 0;
    recorded->is_recorded = 1;
    const int code = stand_in_record(recorded->event, stand_in_stream(NULL));
    leave(list);
    return code;
}

int zeEventPoolCreate(void *context, const struct allfold_ze_event_pool *how, uint32_t devices,
                      void *const *device, void **pool)
{
    if (context == NULL || how->kind != ALLFOLD_ZE_EVENT_POOL || devices != 0 || device != NULL ||
        how->flags != ALLFOLD_ZE_SEEN_BY_HOST || how->count != 1)
        return INVALID;
    *pool = calloc(1, sizeof(struct event));
    return *pool == NULL ? STAND_IN_NO_MEMORY : 0;
}

int zeEventPoolDestroy(void *pool)
{
    free(pool);
    return 0;
}

int zeEventCreate(void *pool, const struct allfold_ze_event *how, void **event)
{
    struct event *made = pool;
    if (how->kind != ALLFOLD_ZE_EVENT || how->index != 0)
        return INVALID;
    use_device();
    made->is_reset = 1;
    *event = made;
    return stand_in_make_event(&made->event);
}

int zeEventDestroy(void *event)
{
    return stand_in_free_event(((struct event *)event)->event);
}

/* No wait for what is never signaled. */
int zeEventHostSynchronize(void *event, uint64_t most_ns)
{
    struct event *asked = event;
    if (!asked->is_recorded)
        return INVALID;
    const int code =
        most_ns == 0 ? stand_in_ask_event(asked->event) : stand_in_wait_event(asked->event);
    return code == STAND_IN_NOT_READY ? ALLFOLD_ZE_NOT_READY : code;
}

int zeEventHostReset(void *event)
{
    struct event *reset = event;
    reset->is_reset = 1;
    reset->is_recorded = 0;
    return 0;
}

int zeMemAllocDevice(void *context, const void *how, size_t bytes, size_t alignment, void *device,
                     void **memory)
{
    (void)how;
    (void)alignment;
    use_device();
    return context == NULL || device != &the_device
               ? INVALID
               : stand_in_allocate(memory, bytes, STAND_IN_OWN);
}

int zeMemAllocShared(void *context, const void *how, const void *host_how, size_t bytes,
                     size_t alignment, void *device, void **memory)
{
    (void)how;
    (void)host_how;
    (void)alignment;
    use_device();
    return context == NULL || device != &the_device
               ? INVALID
               : stand_in_allocate(memory, bytes, STAND_IN_MANAGED);
}

int zeMemAllocHost(void *context, const struct allfold_ze_plain *how, size_t bytes,
                   size_t alignment, void **memory)
{
    (void)alignment;
    use_device();
    return context == NULL || how->kind != ALLFOLD_ZE_HOST_MEMORY
               ? INVALID
               : stand_in_allocate_pinned(memory, bytes);
}

int zeMemFree(void *context, void *memory)
{
    if (context == NULL)
        return INVALID;
    return stand_in_release_pinned(memory) == 0 ? 0 : stand_in_release(memory);
}

int MPIX_Query_ze_support(void)
{
    return 1;
}
