/*
 * device_level_zero.c: memory of a device of Level Zero, for tests, behind the functions of CUDA
 * (device_functions.h). It has a context of its own, as a program has, and a list that copies at
 * once.
 */
#include "device_functions.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "mpi/device/level_zero_abi.h"

static struct {
    int (*init)(uint32_t flags);
    int (*get_drivers)(uint32_t *count, void **drivers);
    int (*get_devices)(void *driver, uint32_t *count, void **devices);
    int (*make_context)(void *driver, const struct allfold_ze_plain *how, void **context);
    int (*make_list)(void *context, void *device, const struct allfold_ze_queue *how, void **list);
    int (*copy)(void *list, void *to, const void *from, size_t bytes, void *event, uint32_t waits,
                void *const *events);
    int (*allocate)(void *context, const void *how, size_t bytes, size_t alignment, void *device,
                    void **memory);
    int (*allocate_shared)(void *context, const void *how, const void *host_how, size_t bytes,
                           size_t alignment, void *device, void **memory);
    int (*allocate_host)(void *context, const struct allfold_ze_plain *how, size_t bytes,
                         size_t alignment, void **memory);
    int (*release)(void *context, void *memory);
} ze;

enum { FUNCTIONS = sizeof ze / sizeof(void *), DEVICE_MEMORY = 0x15, LINE_BYTES = 64 };

static const char *const names[FUNCTIONS] = {"zeInit",
                                             "zeDriverGet",
                                             "zeDeviceGet",
                                             "zeContextCreate",
                                             "zeCommandListCreateImmediate",
                                             "zeCommandListAppendMemoryCopy",
                                             "zeMemAllocDevice",
                                             "zeMemAllocShared",
                                             "zeMemAllocHost",
                                             "zeMemFree"};

static void *context, *device, *list;

/* How memory of the device is allocated; its last word, an ordinal, is 0. */
static const struct {
    struct allfold_ze_plain plain;
    uint32_t more;
} how = {.plain.kind = DEVICE_MEMORY};

static const struct allfold_ze_plain host_how = {.kind = ALLFOLD_ZE_HOST_MEMORY};

static int initialize(unsigned flags)
{
    const struct allfold_ze_plain context_how = {.kind = ALLFOLD_ZE_CONTEXT};
    const struct allfold_ze_queue list_how = {.kind = ALLFOLD_ZE_QUEUE,
                                              .mode = ALLFOLD_ZE_SYNCHRONOUS};
    uint32_t count = 1;
    void *driver;
    int code = ze.init(flags);
    if (code == 0)
        code = ze.get_drivers(&count, &driver);
    count = 1;
    if (code == 0)
        code = ze.get_devices(driver, &count, &device);
    if (code == 0)
        code = ze.make_context(driver, &context_how, &context);
    return code == 0 ? ze.make_list(context, device, &list_how, &list) : code;
}

static int allocate(void **memory, size_t bytes)
{
    return ze.allocate(context, &how, bytes, LINE_BYTES, device, memory);
}

/* There are no pools. */
static int allocate_pool(void **memory, size_t bytes, void *stream)
{
    (void)stream;
    return allocate(memory, bytes);
}

static int allocate_managed(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return ze.allocate_shared(context, &how, &host_how, bytes, LINE_BYTES, device, memory);
}

static int allocate_pinned(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return ze.allocate_host(context, &host_how, bytes, LINE_BYTES, memory);
}

static int release(void *memory)
{
    return ze.release(context, memory);
}

static int copy(void *to, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    return ze.copy(list, to, from, bytes, NULL, 0, NULL);
}

static int wait_for_nothing(void *stream)
{
    (void)stream;
    return 0;
}

bool device_level_zero(void *library, struct device_functions *functions)
{
    for (size_t i = 0; i < FUNCTIONS; i++) {
        void *found = dlsym(library, names[i]);
        if (found == NULL)
            return false;
        memcpy((char *)&ze + i * sizeof found, &found, sizeof found);
    }
    *functions = (struct device_functions){.init = initialize,
                                           .allocate = allocate,
                                           .allocate_pool = allocate_pool,
                                           .allocate_managed = allocate_managed,
                                           .allocate_pinned = allocate_pinned,
                                           .release = release,
                                           .release_pinned = release,
                                           .write = copy,
                                           .read = copy,
                                           .wait = wait_for_nothing};
    return initialize(0) == 0;
}
