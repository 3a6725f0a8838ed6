/* Drivers of GPUs (see drivers.h): which ones are loaded, and which one owns an address. */
#include "mpi/device/driver.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "mpi/process/runtime.h"

static struct allfold_driver *const drivers[] = {&allfold_driver_cuda, &allfold_driver_hip,
                                                 &allfold_driver_level_zero};
enum { DRIVERS = sizeof drivers / sizeof *drivers };

bool allfold_devices_are_asked;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_ullong libraries_seen; /* how many had been loaded when we looked last */

/* --- finding drivers --- */

static bool is_handled(const struct allfold_driver *driver)
{
    for (int i = 0; i < ALLFOLD_MOST_NAMES && driver->queries[i] != NULL; i++) {
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
        drivers[i]->is_asked =
            mode == ALLFOLD_DEVICE_ON || (mode == ALLFOLD_DEVICE_AUTO && is_handled(drivers[i]));
        are_asked |= drivers[i]->is_asked;
    }
    allfold_devices_are_asked = are_asked;
}

/* Looks up the driver's functions. Returns false if one is missing. */
static bool find_functions(struct allfold_driver *driver, void *library)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    for (int i = 0; i < driver->name_count; i++) {
        void *found = driver->names[i] == NULL ? NULL : dlsym(library, driver->names[i]);
        if (found == NULL && i < driver->needed) {
            snprintf(message, sizeof message,
                     "%s has no %s: vectors in its memory are not staged, and must not be passed "
                     "to collectives of Allfold's",
                     driver->library, driver->names[i]);
            allfold_complain(message);
            return false;
        }
        memcpy((char *)driver->functions + (size_t)i * sizeof found, &found, sizeof found);
    }
    return true;
}

static void take(struct allfold_driver *driver, void *library)
{
    if (!find_functions(driver, library) || !driver->operations->open(driver))
        driver->is_asked = false;
    else
        atomic_store_explicit(&driver->is_loaded, true, memory_order_release);
}

struct wanted {
    const char *name, *path;
};

static int match_name(struct dl_phdr_info *info, size_t bytes, void *of)
{
    struct wanted *wanted = of;
    const char *slash = strrchr(info->dlpi_name, '/');
    (void)bytes;
    if (slash == NULL || strcmp(slash + 1, wanted->name) != 0)
        return 0;
    wanted->path = info->dlpi_name;
    return 1;
}

/* UCX from 1.18 on replaces dlopen by a function that searches the library's folders before what is
 * loaded, and may find another file of that name, which is not. It passes paths on. */
static void *open_loaded(const char *name)
{
    enum { MODE = RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD };
    struct wanted wanted = {.name = name};
    void *library = dlopen(name, MODE);
    if (library == NULL && dl_iterate_phdr(match_name, &wanted) != 0)
        library = dlopen(wanted.path, MODE);
    return library;
}

/* The handle is never closed, so the driver stays loaded. */
static void look_for(struct allfold_driver *driver)
{
    for (int i = 0; i < ALLFOLD_MOST_NAMES && driver->libraries[i] != NULL; i++) {
        void *library = open_loaded(driver->libraries[i]);
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
    return 1; /* read from the first library: each call reports the number of libraries loaded so
                 far */
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
        if (drivers[i]->is_asked && !drivers[i]->is_loaded)
            look_for(drivers[i]);
    atomic_store_explicit(&libraries_seen, count, memory_order_release);
    pthread_mutex_unlock(&mutex);
}

struct allfold_place allfold_device_find(const void *address)
{
    struct allfold_place place = {NULL, NULL};
    look_for_new();
    for (int i = 0; i < DRIVERS && place.driver == NULL; i++)
        if (atomic_load_explicit(&drivers[i]->is_loaded, memory_order_acquire) &&
            drivers[i]->operations->is_own(drivers[i], address, &place.context))
            place.driver = drivers[i];
    return place;
}

/* --- copying --- */

void *allfold_device_make_stream(const struct allfold_place *place)
{
    const struct allfold_driver_operations *operations = place->driver->operations;
    return operations->make_stream == NULL ? NULL : operations->make_stream(place);
}

void allfold_device_free_stream(const struct allfold_place *place, void *stream)
{
    if (stream != NULL)
        place->driver->operations->free_stream(place, stream);
}

int allfold_device_begin(const struct allfold_place *place, void *stream, void *to,
                         const void *from, bool to_device, const struct allfold_rows *rows,
                         size_t count)
{
    return place->driver->operations->begin(place, stream, to, from, to_device, rows, count);
}

int allfold_device_finish(const struct allfold_place *place, void *stream)
{
    return place->driver->operations->finish(place, stream);
}

/* Waits also after an error: nothing may be in flight. */
int allfold_device_copy(const struct allfold_place *place, void *to, const void *from,
                        bool to_device, const struct allfold_rows *rows, size_t count)
{
    const int code = allfold_device_begin(place, NULL, to, from, to_device, rows, count);
    const int waited = allfold_device_finish(place, NULL);
    return code != 0 ? code : waited;
}

void *allfold_device_make_event(const struct allfold_place *place)
{
    return place->driver->operations->make_event(place);
}

void allfold_device_free_event(const struct allfold_place *place, void *event)
{
    place->driver->operations->free_event(place, event);
}

int allfold_device_record(const struct allfold_place *place, void *stream, void *event)
{
    return place->driver->operations->record(place, stream, event);
}

int allfold_device_ask(const struct allfold_place *place, void *event, bool waits)
{
    return place->driver->operations->ask(place, event, waits);
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
    return place->driver->operations->allocate(place, bytes);
}

bool allfold_device_is_pinned(const struct allfold_place *place, const void *memory)
{
    return place->driver->operations->is_pinned(place, memory);
}

void allfold_device_free_pinned(const struct allfold_place *place, void *memory)
{
    place->driver->operations->release(place, memory);
}
