/* The heap (see heap.h). */
#include "mpi/transport/heap.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/memory.h"

/* A block of the heap that is allocated. */
struct block {
    size_t offset, bytes;
};

/* Another process's heap. */
struct seen {
    struct allfold_shared_file file;
    struct allfold_visible visible;
};

static struct {
    pthread_mutex_t mutex;
    bool is_tried;
    struct allfold_shared_file file;
    char *memory;
    size_t given_bytes;   /* up to the end of the last block that ever was */
    struct block *blocks; /* by ascending offset */
    uint32_t block_count, block_capacity;
    struct seen *seen;
    uint32_t seen_count, seen_capacity;
} heap = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Addresses alone; none where the process may have only so many, as it will want them itself. */
static void *map(int file, size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Does this machine refuse memory that it may not have (vm.overcommit_memory)? Of a file it would
 * do so when a page is first written to, by SIGBUS. */
static bool is_strict(void)
{
    FILE *file = fopen("/proc/sys/vm/overcommit_memory", "re");
    const bool is_strict = file != NULL && fgetc(file) == '2';
    if (file != NULL)
        fclose(file);
    return is_strict;
}

/* As much as the machine has, but not so much that the heaps of a rank for each core would not fit
 * into a process's addresses, of which there are 2^47 bytes. */
static size_t heap_bytes(void)
{
    const size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t share = ((size_t)1 << 45) / (size_t)(cores < 1 ? 1 : cores);
    return all < share ? all : share;
}

/* Huge pages are taken where the machine allows them for shared memory. */
static void reserve(void)
{
    if (heap.is_tried)
        return;
    heap.is_tried = true;
    heap.file = (struct allfold_shared_file){.descriptor = -1};
    if (is_strict())
        return;
    heap.file = allfold_shared_file_make(heap_bytes());
    if (heap.file.descriptor < 0)
        return;
    heap.memory = map(heap.file.descriptor, heap.file.bytes);
    if (heap.memory != NULL) {
        madvise(heap.memory, heap.file.bytes, MADV_HUGEPAGE);
        return;
    }
    close(heap.file.descriptor);
    heap.file = (struct allfold_shared_file){.descriptor = -1};
}

static void empty(const struct block *block)
{
    fallocate(heap.file.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)block->offset, (off_t)block->bytes);
}

/* The first gap of so many bytes: the number that its block will have; *offset is where it is. */
static uint32_t find_gap(size_t bytes, size_t *offset)
{
    uint32_t i = 0;
    for (*offset = 0; i < heap.block_count && heap.blocks[i].offset - *offset < bytes; i++)
        *offset = heap.blocks[i].offset + heap.blocks[i].bytes;
    return i;
}

static bool open_up_to(size_t bytes)
{
    if (bytes > heap.given_bytes && mprotect(heap.memory, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    heap.given_bytes = bytes > heap.given_bytes ? bytes : heap.given_bytes;
    return true;
}

static void *give_out(size_t bytes)
{
    struct block block = {.bytes = round_up(bytes, (size_t)sysconf(_SC_PAGESIZE))};
    reserve();
    const uint32_t at = find_gap(block.bytes, &block.offset);
    if (heap.memory == NULL || block.bytes < bytes || block.bytes > heap.file.bytes - block.offset)
        return NULL;
    struct block *blocks =
        allfold_make_room(heap.blocks, heap.block_count, &heap.block_capacity, sizeof *heap.blocks);
    if (blocks == NULL)
        return NULL;
    heap.blocks = blocks;
    if (!open_up_to(block.offset + block.bytes))
        return NULL;
    memmove(&blocks[at + 1], &blocks[at], (heap.block_count++ - at) * sizeof *blocks);
    blocks[at] = block;
    return heap.memory + block.offset;
}

void *allfold_heap_allocate(size_t bytes)
{
    pthread_mutex_lock(&heap.mutex);
    void *memory = give_out(bytes);
    pthread_mutex_unlock(&heap.mutex);
    return memory;
}

static bool take_back(size_t offset)
{
    uint32_t at = 0;
    while (at < heap.block_count && heap.blocks[at].offset != offset)
        at++;
    if (at == heap.block_count)
        return false;
    empty(&heap.blocks[at]);
    memmove(&heap.blocks[at], &heap.blocks[at + 1],
            (--heap.block_count - at) * sizeof *heap.blocks);
    return true;
}

bool allfold_heap_free(void *memory)
{
    pthread_mutex_lock(&heap.mutex);
    const bool is_freed =
        heap.block_count > 0 && take_back((size_t)((uintptr_t)memory - (uintptr_t)heap.memory));
    pthread_mutex_unlock(&heap.mutex);
    return is_freed;
}

struct allfold_shared_file allfold_heap_file(void)
{
    pthread_mutex_lock(&heap.mutex);
    reserve();
    const struct allfold_shared_file file = heap.file;
    pthread_mutex_unlock(&heap.mutex);
    return file;
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
        allfold_make_room(heap.seen, heap.seen_count, &heap.seen_capacity, sizeof *heap.seen);
    if (seen == NULL)
        return false;
    heap.seen = seen;
    const int descriptor = allfold_shared_file_open(file, O_RDONLY);
    char *memory = descriptor < 0 ? NULL : map(descriptor, file->bytes);
    if (descriptor >= 0)
        close(descriptor);
    if (memory == NULL)
        return false;
    madvise(memory, file->bytes, MADV_DONTDUMP);
    *visible = (struct allfold_visible){memory, 0};
    if (!read_up_to(visible, file->bytes, 1)) {
        munmap(memory, file->bytes);
        return false;
    }
    seen[heap.seen_count++] = (struct seen){*file, *visible};
    return true;
}

static bool is_same(const struct allfold_shared_file *a, const struct allfold_shared_file *b)
{
    return a->device == b->device && a->inode == b->inode;
}

static bool see(const struct allfold_shared_file *file, struct allfold_visible *visible)
{
    *visible = (struct allfold_visible){NULL, 0};
    if (file->descriptor < 0)
        return true;
    if (heap.memory != NULL && is_same(file, &heap.file)) {
        *visible = (struct allfold_visible){heap.memory, heap.file.bytes};
        return true;
    }
    for (uint32_t i = 0; i < heap.seen_count; i++)
        if (is_same(file, &heap.seen[i].file)) {
            *visible = heap.seen[i].visible;
            return true;
        }
    return look(file, visible);
}

bool allfold_heap_see(const struct allfold_shared_file *file, struct allfold_visible *visible)
{
    pthread_mutex_lock(&heap.mutex);
    const bool is_seen = see(file, visible);
    pthread_mutex_unlock(&heap.mutex);
    return is_seen;
}

/* That moves the border between two mappings, which takes no memory that might not be there. */
void allfold_heap_reveal(struct allfold_visible *visible, size_t bytes)
{
    pthread_mutex_lock(&heap.mutex);
    for (uint32_t i = 0; i < heap.seen_count; i++) {
        struct seen *seen = &heap.seen[i];
        if (seen->visible.memory != visible->memory)
            continue;
        if (bytes > seen->visible.bytes)
            read_up_to(&seen->visible, seen->file.bytes, bytes);
        *visible = seen->visible;
    }
    pthread_mutex_unlock(&heap.mutex);
}

void allfold_heaps_forget(void)
{
    pthread_mutex_lock(&heap.mutex);
    for (uint32_t i = 0; i < heap.seen_count; i++)
        munmap((void *)(uintptr_t)heap.seen[i].visible.memory, heap.seen[i].file.bytes);
    allfold_free(heap.seen);
    heap.seen = NULL;
    heap.seen_count = heap.seen_capacity = 0;
    pthread_mutex_unlock(&heap.mutex);
}
