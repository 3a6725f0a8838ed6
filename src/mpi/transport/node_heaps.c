/* Maps the heaps of the node's ranks (see node_heaps.h). */
#include "mpi/transport/node_heaps.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/memory.h"

/* Another process's heap. */
struct seen {
    struct allfold_shared_file file;
    struct allfold_visible visible;
};

static struct {
    pthread_mutex_t mutex;
    struct seen *seen;
    uint32_t seen_count, seen_capacity;
} heaps = {.mutex = PTHREAD_MUTEX_INITIALIZER};

const struct allfold_one_copy *allfold_heap_one_copy(void)
{
    return dlsym(RTLD_DEFAULT, ALLFOLD_ONE_COPY_SYMBOL);
}

const struct allfold_heap *allfold_heap(void)
{
    const struct allfold_one_copy *other = allfold_heap_one_copy();
    return other != NULL ? other->heap : &allfold_own_heap;
}

/* Reserves addresses only; nothing if the process has a limit on its addresses, which the program
 * may need itself. */
static void *map(int file, size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Twice as much each time, so that it is not often. */
static bool read_up_to(struct allfold_visible *visible, size_t most, size_t bytes)
{
    size_t readable = (size_t)sysconf(_SC_PAGESIZE);
    while (readable < bytes)
        readable *= 2;
    readable = readable < most ? readable : most;
    if (mprotect((void *)(uintptr_t)visible->memory, readable, PROT_READ) != 0)
        return false;
    visible->bytes = readable;
    return true;
}

/* Maps it. A program's dump of core is to have the heap of its own process alone. */
static bool look(const struct allfold_shared_file *file, struct allfold_visible *visible)
{
    struct seen *seen =
        allfold_make_room(heaps.seen, heaps.seen_count, &heaps.seen_capacity, sizeof *heaps.seen);
    if (seen == NULL)
        return false;
    heaps.seen = seen;
    const int descriptor = allfold_shared_file_open(file, O_RDONLY);
    char *memory = descriptor < 0 ? NULL : map(descriptor, file->bytes);
    if (descriptor >= 0)
        close(descriptor);
    if (memory == NULL)
        return false;
    madvise(memory, file->bytes, MADV_DONTDUMP);
    *visible = (struct allfold_visible){.memory = memory};
    if (!read_up_to(visible, file->bytes, 1)) {
        munmap(memory, file->bytes);
        return false;
    }
    seen[heaps.seen_count++] = (struct seen){*file, *visible};
    return true;
}

static bool is_same(const struct allfold_shared_file *a, const struct allfold_shared_file *b)
{
    return a->device == b->device && a->inode == b->inode;
}

static bool see(const struct allfold_shared_file *file, struct allfold_visible *visible)
{
    *visible = (struct allfold_visible){0};
    if (file->descriptor < 0)
        return true;
    const struct allfold_shared_file own = allfold_heap()->file();
    if (own.descriptor >= 0 && is_same(file, &own))
        return allfold_heap()->region(&visible->memory, &visible->bytes);
    for (uint32_t i = 0; i < heaps.seen_count; i++)
        if (is_same(file, &heaps.seen[i].file)) {
            *visible = heaps.seen[i].visible;
            return true;
        }
    return look(file, visible);
}

bool allfold_heap_map(const struct allfold_shared_file *file, struct allfold_visible *visible)
{
    pthread_mutex_lock(&heaps.mutex);
    const bool is_seen = see(file, visible);
    pthread_mutex_unlock(&heaps.mutex);
    return is_seen;
}

/* That moves the border between two mappings, which takes no memory that might not be there. */
static void reveal(struct allfold_visible *visible, size_t bytes)
{
    pthread_mutex_lock(&heaps.mutex);
    for (uint32_t i = 0; i < heaps.seen_count; i++) {
        struct seen *seen = &heaps.seen[i];
        if (seen->visible.memory != visible->memory)
            continue;
        if (bytes > seen->visible.bytes)
            read_up_to(&seen->visible, seen->file.bytes, bytes);
        visible->bytes = seen->visible.bytes;
    }
    pthread_mutex_unlock(&heaps.mutex);
}

static const void *attach(void *process, uintptr_t address, size_t bytes)
{
    return allfold_xpmem_attach(process, address, bytes);
}

static void detach(void *process, const void *memory)
{
    allfold_xpmem_detach(process, memory);
}

const struct allfold_access allfold_heap_access = {reveal, attach, detach};

void allfold_heaps_forget(void)
{
    pthread_mutex_lock(&heaps.mutex);
    for (uint32_t i = 0; i < heaps.seen_count; i++)
        munmap((void *)(uintptr_t)heaps.seen[i].visible.memory, heaps.seen[i].file.bytes);
    allfold_free(heaps.seen);
    heaps.seen = NULL;
    heaps.seen_count = heaps.seen_capacity = 0;
    pthread_mutex_unlock(&heaps.mutex);
    allfold_xpmem_forget();
}
