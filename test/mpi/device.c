/*
 * device.c: see device.h. The functions are looked up in what is loaded, so nothing is needed to
 * build this.
 */
#include "device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "device_functions.h"

static struct device_functions driver;

enum { FUNCTIONS = sizeof driver / sizeof(void *), NEEDED = 10, FOR_ALL = 1 };

static const char *const drivers[][FUNCTIONS + 1] = {
    {"libcuda.so.1", "cuInit", "cuMemAlloc_v2", "cuMemAllocAsync", "cuMemAllocManaged",
     "cuMemHostAlloc", "cuMemFree_v2", "cuMemFreeHost", "cuMemcpyHtoDAsync_v2",
     "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"},
    {"libamdhip64.so.6", "hipInit", "hipMalloc", "hipMallocAsync", "hipMallocManaged",
     "hipHostMalloc", "hipFree", "hipHostFree", "hipMemcpyHtoDAsync", "hipMemcpyDtoHAsync",
     "hipStreamSynchronize"},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_there;
static void *library, *context;

static void find(void)
{
    for (size_t d = 0; d < sizeof drivers / sizeof *drivers && !is_there; d++) {
        library = dlopen(drivers[d][0], RTLD_NOW | RTLD_NOLOAD);
        is_there = library != NULL;
        for (size_t i = 0; i < FUNCTIONS && is_there; i++) {
            void *found = drivers[d][i + 1] == NULL ? NULL : dlsym(library, drivers[d][i + 1]);
            is_there = found != NULL || i >= NEEDED;
            memcpy((char *)&driver + i * sizeof found, &found, sizeof found);
        }
        is_there = is_there && driver.init(0) == 0;
    }
    if (!is_there) {
        library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_NOLOAD);
        is_there = library != NULL && device_level_zero(library, &driver);
    }
    if (is_there && driver.retain != NULL)
        is_there = driver.retain(&context, 0) == 0;
}

bool device_use(void)
{
    pthread_once(&once, find);
    if (is_there && context != NULL)
        driver.use(context);
    return is_there;
}

void device_leave(void)
{
    if (context != NULL)
        driver.use(NULL);
}

static int allocate(void **memory, size_t bytes, enum device_kind kind)
{
    switch (kind) {
    case DEVICE_POOL: /* there once the stream has reached it */
        return driver.allocate_pool(memory, bytes, NULL) == 0 ? driver.wait(NULL) : -1;
    case DEVICE_MANAGED:
        return driver.allocate_managed(memory, bytes, FOR_ALL);
    case DEVICE_PINNED:
        return driver.allocate_pinned(memory, bytes, FOR_ALL);
    default:
        return driver.allocate(memory, bytes);
    }
}

void *device_allocate(size_t bytes, enum device_kind kind)
{
    void *memory = NULL;
    check_equal("memory of the device", 0, allocate(&memory, bytes, kind));
    return memory;
}

void device_free(void *memory, enum device_kind kind)
{
    check_equal("memory of the device is freed", 0,
                kind == DEVICE_PINNED ? driver.release_pinned(memory) : driver.release(memory));
}

void device_write(void *to, const void *from, size_t bytes)
{
    int code = driver.write(to, from, bytes, NULL);
    check_equal("copy to the device", 0, code == 0 ? driver.wait(NULL) : code);
}

void device_read(void *to, const void *from, size_t bytes)
{
    int code = driver.read(to, from, bytes, NULL);
    check_equal("copy from the device", 0, code == 0 ? driver.wait(NULL) : code);
}

int *device_stand_in(const char *name)
{
    return library == NULL ? NULL : dlsym(library, name);
}
