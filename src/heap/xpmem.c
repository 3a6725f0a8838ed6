/* Loads libxpmem, and keeps attached windows (see xpmem.h). */
#include "heap/xpmem.h"

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include "util/memory.h"

/* libxpmem's interface. */
enum { PERMIT_MODE = 1, READ_WRITE = 2, OWNER_ALONE = 0600 };

struct attach_address {
    int64_t permit;
    off_t offset;
};

static struct {
    int64_t (*make)(void *, size_t, int, void *);
    int (*remove)(int64_t);
    int64_t (*get)(int64_t, int, int, void *);
    int (*release)(int64_t);
    void *(*attach)(struct attach_address, size_t, void *);
    int (*detach)(void *);
} library;

/* A range of a process's addresses, attached. */
struct window {
    uintptr_t begin, end;
    char *memory;
    uint32_t users;
    uint64_t used_at;
};

struct allfold_xpmem_process {
    struct allfold_xpmem_share share;
    int64_t permit;
    struct window *windows;
    uint32_t window_count, window_capacity;
};

static struct {
    pthread_mutex_t mutex;
    bool is_tried;
    const char *missing;
    struct allfold_xpmem_share share;
    struct allfold_xpmem_process **processes;
    uint32_t process_count, process_capacity;
    uint64_t clock; /* of uses */
} xpmem = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static uint64_t word; /* that others look for */

/* --- this process ------------------------------------------------------------------------------
 */

static bool find_library(void)
{
    void *handle = dlopen("libxpmem.so.0", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        handle = dlopen("libxpmem.so", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    library.make = (int64_t(*)(void *, size_t, int, void *))(uintptr_t)dlsym(handle, "xpmem_make");
    library.remove = (int (*)(int64_t))(uintptr_t)dlsym(handle, "xpmem_remove");
    library.get = (int64_t(*)(int64_t, int, int, void *))(uintptr_t)dlsym(handle, "xpmem_get");
    library.release = (int (*)(int64_t))(uintptr_t)dlsym(handle, "xpmem_release");
    library.attach =
        (void *(*)(struct attach_address, size_t, void *))(uintptr_t)dlsym(handle, "xpmem_attach");
    library.detach = (int (*)(void *))(uintptr_t)dlsym(handle, "xpmem_detach");
    return library.make != NULL && library.remove != NULL && library.get != NULL &&
           library.release != NULL && library.attach != NULL && library.detach != NULL;
}

/* Numbers of processes and addresses may be alike on two machines; this word hardly is. */
static uint64_t make_word(void)
{
    return ((uint64_t)getpid() << 40) ^ (uint64_t)(uintptr_t)&word ^ (uint64_t)xpmem.share.segment;
}

static const char *share_all(void)
{
    if (!find_library())
        return "libxpmem.so.0 is not found";
    const int64_t segment =
        library.make(NULL, SIZE_MAX, PERMIT_MODE, (void *)(uintptr_t)OWNER_ALONE);
    if (segment <= 0)
        return "/dev/xpmem is not there, or may not be opened";
    xpmem.share.segment = segment;
    word = make_word();
    xpmem.share.address = (uintptr_t)&word;
    xpmem.share.word = word;
    return NULL;
}

struct allfold_xpmem_share allfold_xpmem_share(void)
{
    pthread_mutex_lock(&xpmem.mutex);
    if (!xpmem.is_tried)
        xpmem.missing = share_all();
    xpmem.is_tried = true;
    const struct allfold_xpmem_share share = xpmem.share;
    pthread_mutex_unlock(&xpmem.mutex);
    return share;
}

const char *allfold_xpmem_missing(void)
{
    allfold_xpmem_share();
    return xpmem.missing;
}

/* --- windows -----------------------------------------------------------------------------------
 */

static void drop(struct allfold_xpmem_process *process, uint32_t index)
{
    assert(process->windows[index].users == 0);
    library.detach(process->windows[index].memory);
    process->windows[index] = process->windows[--process->window_count];
}

static void drop_unused(void)
{
    for (uint32_t p = 0; p < xpmem.process_count; p++)
        for (uint32_t i = xpmem.processes[p]->window_count; i-- > 0;)
            if (xpmem.processes[p]->windows[i].users == 0)
                drop(xpmem.processes[p], i);
}

static void drop_oldest(struct allfold_xpmem_process *process)
{
    uint32_t oldest = process->window_count;
    for (uint32_t i = 0; i < process->window_count; i++) {
        const struct window *window = &process->windows[i];
        if (window->users == 0 &&
            (oldest == process->window_count || window->used_at < process->windows[oldest].used_at))
            oldest = i;
    }
    if (oldest < process->window_count)
        drop(process, oldest);
}

/* Attaches the whole units of addresses that contain these bytes; false if that fails. */
static bool attach_units(struct allfold_xpmem_process *process, uintptr_t address, size_t bytes,
                         size_t unit, struct window *window)
{
    const uintptr_t begin = address & ~(uintptr_t)(unit - 1);
    const uintptr_t end = (address + bytes + unit - 1) & ~(uintptr_t)(unit - 1);
    const struct attach_address from = {process->permit, (off_t)begin};
    void *memory = end <= begin ? (void *)-1 : library.attach(from, end - begin, NULL);
    *window = (struct window){.begin = begin, .end = end, .memory = memory};
    return memory != (void *)-1 && memory != NULL;
}

/* A window may be refused if it exceeds the addresses of the process, or if there are too many
 * attachments: then only the needed pages are attached, after all other attachments have been given
 * up. */
static struct window *attach(struct allfold_xpmem_process *process, uintptr_t address, size_t bytes)
{
    struct window window;
    if (process->window_count >= ALLFOLD_XPMEM_MOST_WINDOWS)
        drop_oldest(process);
    struct window *windows = allfold_make_room(process->windows, process->window_count,
                                               &process->window_capacity, sizeof *windows);
    if (windows == NULL)
        return NULL;
    process->windows = windows;
    if (!attach_units(process, address, bytes, ALLFOLD_XPMEM_WINDOW_BYTES, &window)) {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        if (!attach_units(process, address, bytes, page, &window)) {
            drop_unused();
            if (!attach_units(process, address, bytes, page, &window))
                return NULL;
        }
    }
    windows[process->window_count] = window;
    return &windows[process->window_count++];
}

static struct window *find(struct allfold_xpmem_process *process, uintptr_t address, size_t bytes)
{
    for (uint32_t i = 0; i < process->window_count; i++) {
        struct window *window = &process->windows[i];
        if (address >= window->begin && address < window->end && bytes <= window->end - address)
            return window;
    }
    return NULL;
}

const void *allfold_xpmem_attach(struct allfold_xpmem_process *process, uintptr_t address,
                                 size_t bytes)
{
    const void *memory = NULL;
    pthread_mutex_lock(&xpmem.mutex);
    struct window *window = find(process, address, bytes);
    if (window == NULL)
        window = attach(process, address, bytes);
    if (window != NULL) {
        window->users++;
        window->used_at = ++xpmem.clock;
        memory = window->memory + (address - window->begin);
    }
    pthread_mutex_unlock(&xpmem.mutex);
    return memory;
}

void allfold_xpmem_detach(struct allfold_xpmem_process *process, const void *memory)
{
    pthread_mutex_lock(&xpmem.mutex);
    for (uint32_t i = 0; i < process->window_count; i++) {
        struct window *window = &process->windows[i];
        if ((uintptr_t)memory - (uintptr_t)window->memory < window->end - window->begin) {
            assert(window->users > 0);
            window->users--;
            break;
        }
    }
    pthread_mutex_unlock(&xpmem.mutex);
}

uint32_t allfold_xpmem_windows(const struct allfold_xpmem_process *process)
{
    return process->window_count;
}

/* --- other processes ---------------------------------------------------------------------------
 */

static struct allfold_xpmem_process *find_process(const struct allfold_xpmem_share *share)
{
    for (uint32_t i = 0; i < xpmem.process_count; i++)
        if (xpmem.processes[i]->share.segment == share->segment &&
            xpmem.processes[i]->share.word == share->word)
            return xpmem.processes[i];
    return NULL;
}

static void close_process(struct allfold_xpmem_process *process)
{
    for (uint32_t i = 0; i < process->window_count; i++)
        library.detach(process->windows[i].memory);
    library.release(process->permit);
    allfold_free(process->windows);
    allfold_free(process);
}

static struct allfold_xpmem_process *add_process(const struct allfold_xpmem_share *share)
{
    struct allfold_xpmem_process **processes = allfold_make_room(
        xpmem.processes, xpmem.process_count, &xpmem.process_capacity, sizeof *xpmem.processes);
    if (processes == NULL)
        return NULL;
    xpmem.processes = processes;
    struct allfold_xpmem_process *process = allfold_allocate_zeroed(sizeof *process);
    if (process == NULL)
        return NULL;
    process->share = *share;
    process->permit = library.get(share->segment, READ_WRITE, PERMIT_MODE, NULL);
    if (process->permit <= 0) {
        allfold_free(process);
        return NULL;
    }
    const struct window *window = attach(process, share->address, sizeof share->word);
    const bool is_it =
        window != NULL &&
        *(const uint64_t *)(const void *)(window->memory + (share->address - window->begin)) ==
            share->word;
    if (!is_it) {
        close_process(process);
        return NULL;
    }
    return processes[xpmem.process_count++] = process;
}

struct allfold_xpmem_process *allfold_xpmem_open(const struct allfold_xpmem_share *share)
{
    if (share->segment == 0 || allfold_xpmem_missing() != NULL)
        return NULL;
    pthread_mutex_lock(&xpmem.mutex);
    struct allfold_xpmem_process *process = find_process(share);
    if (process == NULL)
        process = add_process(share);
    pthread_mutex_unlock(&xpmem.mutex);
    return process;
}

void allfold_xpmem_forget(void)
{
    pthread_mutex_lock(&xpmem.mutex);
    for (uint32_t i = 0; i < xpmem.process_count; i++)
        close_process(xpmem.processes[i]);
    allfold_free(xpmem.processes);
    xpmem.processes = NULL;
    xpmem.process_count = xpmem.process_capacity = 0;
    if (xpmem.share.segment > 0)
        library.remove(xpmem.share.segment);
    xpmem.share = (struct allfold_xpmem_share){0};
    xpmem.is_tried = false;
    pthread_mutex_unlock(&xpmem.mutex);
}
