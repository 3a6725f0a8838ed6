/* Creates the heap's file, allocates blocks and returns freed memory (see heap.h). */
#include "heap/heap.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "heap/extents.h"

enum { PAGE_BYTES = 4096, OPENED_PAGES = 4096, KEPT_PAGES = (32 << 20) / PAGE_BYTES };
enum { ALIGNMENT = 2 << 20 }; /* of the region: that of huge pages */

static struct {
    pthread_mutex_t mutex;
    bool sees_forks;
    bool is_tried;
    const char *missing;
    struct allfold_shared_file file;
    char *memory;
    struct allfold_extents extents;
    uint32_t open_pages; /* can be read and written */
    void *copy;          /* while this process forks: what the child gets */
    bool is_copied;
    bool is_private;   /* this process is such a child ... */
    bool is_over_file; /* ... without a copy: what it has not written to is its parent's file */
} heap = {.mutex = PTHREAD_MUTEX_INITIALIZER, .file.descriptor = -1};

static size_t bytes_of(uint32_t pages)
{
    return (size_t)pages * PAGE_BYTES;
}

static char *memory_of(uint32_t page)
{
    return heap.memory + bytes_of(page);
}

/* --- its memory --- */

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

static bool is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit((__rlimit_resource_t)resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* As much as the machine has. But the heaps of a rank for each core must fit into a process's
 * addresses, of which there are 2^47 bytes. */
static uint32_t count_pages(void)
{
    const size_t all = (size_t)sysconf(_SC_PHYS_PAGES);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t share = ((size_t)1 << 45) / PAGE_BYTES / (size_t)(cores < 1 ? 1 : cores);
    const size_t pages = all < share ? all : share;
    return (uint32_t)(pages < ALLFOLD_NO_PAGE / 2 ? pages : ALLFOLD_NO_PAGE / 2);
}

/* Maps a file at addresses that are aligned. NULL: the process may have no more addresses. */
static char *map_aligned(int descriptor, size_t bytes)
{
    char *found = mmap(NULL, bytes + ALIGNMENT, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED)
        return NULL;
    const size_t before = (ALIGNMENT - (uintptr_t)found % ALIGNMENT) % ALIGNMENT;
    char *memory = found + before;
    if (before > 0)
        munmap(found, before);
    munmap(memory + bytes, ALIGNMENT - before);
    if (mmap(memory, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor, 0) !=
        MAP_FAILED)
        return memory;
    munmap(memory, bytes);
    return NULL;
}

/* Reserves addresses only; none if the process has an address-space limit, because it will need the
 * addresses itself. Huge pages are used if the machine allows them for shared memory. Returns the
 * reason if it fails. */
static const char *map(uint32_t pages)
{
    if (sysconf(_SC_PAGESIZE) != PAGE_BYTES)
        return "the machine's pages are not of 4 KiB";
    if (is_strict())
        return "vm.overcommit_memory is 2";
    if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))
        return "the process's addresses are limited (ulimit -v, -d)";
    heap.file = allfold_shared_file_make(bytes_of(pages));
    if (heap.file.descriptor < 0)
        return "no anonymous file of the machine's size can be made (ulimit -f, -n)";
    heap.memory = map_aligned(heap.file.descriptor, bytes_of(pages));
    if (heap.memory == NULL)
        return "no addresses";
    madvise(heap.memory, bytes_of(pages), MADV_HUGEPAGE);
    madvise(heap.memory, bytes_of(pages), MADV_DONTDUMP); /* see open_up_to */
    return allfold_extents_open(&heap.extents, pages) ? NULL : "no addresses";
}

static bool is_there(void)
{
    if (heap.is_tried)
        return heap.missing == NULL;
    if (!heap.sees_forks) /* not yet, or there is no memory for that */
        return false;
    const uint32_t pages = count_pages();
    heap.is_tried = true;
    heap.missing = map(pages);
    if (heap.missing == NULL)
        return true;
    if (heap.memory != NULL)
        munmap(heap.memory, bytes_of(pages));
    if (heap.file.descriptor >= 0)
        close(heap.file.descriptor);
    heap.memory = NULL;
    heap.file = (struct allfold_shared_file){.descriptor = -1};
    return false;
}

/* Lets pages up to here be read and written, and some more, so that it is seldom asked for. They
 * alone are in a dump of core: to dump a page of a file, the kernel allocates it, and all of the
 * heap is as much as the machine has. */
static bool open_up_to(uint32_t pages)
{
    if (pages <= heap.open_pages)
        return true;
    const uint32_t all = heap.extents.page_count;
    const uint32_t wanted = all - pages < OPENED_PAGES ? all : pages + OPENED_PAGES;
    if (mprotect(heap.memory, bytes_of(wanted), PROT_READ | PROT_WRITE) != 0)
        return false;
    madvise(memory_of(heap.open_pages), bytes_of(wanted - heap.open_pages), MADV_DODUMP);
    heap.open_pages = wanted;
    return true;
}

/* Gives a dirty extent's memory back to the system. Of a file madvise(MADV_REMOVE) does it; caches
 * of registered memory look for that call, and for no other that makes holes. */
static bool empty(uint32_t page)
{
    const int advice = heap.is_private ? MADV_DONTNEED : MADV_REMOVE;
    if (madvise(memory_of(page), bytes_of(heap.extents.table[page].pages), advice) != 0)
        return false;
    allfold_extents_clean(&heap.extents, page);
    return true;
}

static uint32_t larger_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Gives memory of free extents back if they have more than heap.h allows. Half of what is allowed
 * stays, so that it takes long until the next time. The extent that was freed just now stays, as it
 * may be allocated again at once, unless it alone is too much. More may stay in short extents, as
 * each of them takes a call of the system. */
static void empty_surplus(const struct allfold_extent *freed)
{
    struct allfold_extents *extents = &heap.extents;
    const uint32_t most = larger_of(extents->used_pages / 4, KEPT_PAGES);
    const uint32_t most_short = larger_of(2 * extents->used_pages, KEPT_PAGES);
    if (extents->long_dirty_pages > most)
        while (extents->long_dirty_pages > most / 2) {
            const bool is_last = extents->oldest == freed->page && freed->pages <= most;
            if (is_last || !empty(extents->oldest))
                break;
        }
    if (extents->dirty_pages - extents->long_dirty_pages > most_short)
        while (extents->dirty_pages - extents->long_dirty_pages > most_short / 2)
            if (!empty(allfold_extents_short_dirty(extents)))
                return;
}

/* Makes all free extents clean, so that those that touch are one. */
static bool empty_all(void)
{
    struct allfold_extents *extents = &heap.extents;
    const bool has_dirty = extents->dirty_pages > 0;
    while (extents->dirty_pages > 0)
        if (!empty(extents->oldest != ALLFOLD_NO_PAGE ? extents->oldest
                                                      : allfold_extents_short_dirty(extents)))
            return false;
    return has_dirty;
}

/* --- blocks --- */

/* Returns the number of pages for `bytes` bytes; 0 if that is too many for any heap. */
static uint32_t pages_of(size_t bytes)
{
    const size_t pages = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
    return pages < ALLFOLD_NO_PAGE / 2 ? (uint32_t)pages : 0;
}

/* Returns the first page of a block; ALLFOLD_NO_PAGE if the memory is not a block. */
static uint32_t page_of(const void *memory)
{
    const uintptr_t offset = (uintptr_t)memory - (uintptr_t)heap.memory;
    if (heap.memory == NULL || offset >= bytes_of(heap.extents.frontier) ||
        offset % PAGE_BYTES != 0)
        return ALLFOLD_NO_PAGE;
    const uint32_t page = (uint32_t)(offset / PAGE_BYTES);
    return allfold_extents_length(&heap.extents, page) > 0 ? page : ALLFOLD_NO_PAGE;
}

static struct allfold_extent take(size_t bytes, size_t alignment)
{
    struct allfold_extent extent = {.page = ALLFOLD_NO_PAGE};
    const uint32_t pages = pages_of(bytes), aligned = pages_of(alignment);
    pthread_mutex_lock(&heap.mutex);
    if (pages > 0 && alignment <= ALIGNMENT && is_there())
        extent = allfold_extents_take(&heap.extents, pages, aligned);
    if (extent.page == ALLFOLD_NO_PAGE && heap.memory != NULL && pages > 0 &&
        pages <= heap.extents.page_count && alignment <= ALIGNMENT && empty_all())
        extent = allfold_extents_take(&heap.extents, pages, aligned);
    if (extent.page != ALLFOLD_NO_PAGE && !open_up_to(heap.extents.frontier)) {
        allfold_extents_give(&heap.extents, extent.page);
        extent.page = ALLFOLD_NO_PAGE;
    }
    pthread_mutex_unlock(&heap.mutex);
    return extent;
}

static void *allocate(size_t bytes, size_t alignment, bool is_zeroed)
{
    const struct allfold_extent extent = take(bytes, alignment);
    if (extent.page == ALLFOLD_NO_PAGE)
        return NULL;
    if (is_zeroed && (extent.kind == ALLFOLD_EXTENT_DIRTY || heap.is_over_file))
        memset(memory_of(extent.page), 0, bytes_of(extent.pages));
    return memory_of(extent.page);
}

static bool release(void *memory)
{
    pthread_mutex_lock(&heap.mutex);
    const uint32_t page = page_of(memory);
    if (page != ALLFOLD_NO_PAGE) {
        const struct allfold_extent free = allfold_extents_give(&heap.extents, page);
        empty_surplus(&free);
    }
    pthread_mutex_unlock(&heap.mutex);
    return page != ALLFOLD_NO_PAGE;
}

static bool resize(void *memory, size_t bytes)
{
    const uint32_t pages = pages_of(bytes);
    bool is_resized = false;
    pthread_mutex_lock(&heap.mutex);
    const uint32_t page = page_of(memory);
    if (page != ALLFOLD_NO_PAGE && pages > 0) {
        const uint32_t had = allfold_extents_length(&heap.extents, page);
        is_resized = allfold_extents_resize(&heap.extents, page, pages);
        if (is_resized && !open_up_to(heap.extents.frontier)) {
            allfold_extents_resize(&heap.extents, page, had);
            is_resized = false;
        }
    }
    pthread_mutex_unlock(&heap.mutex);
    return is_resized;
}

static size_t length(const void *memory)
{
    pthread_mutex_lock(&heap.mutex);
    const uint32_t page = page_of(memory);
    const size_t bytes =
        page == ALLFOLD_NO_PAGE ? 0 : bytes_of(allfold_extents_length(&heap.extents, page));
    pthread_mutex_unlock(&heap.mutex);
    return bytes;
}

static struct allfold_shared_file file(void)
{
    pthread_mutex_lock(&heap.mutex);
    is_there();
    const struct allfold_shared_file file_now = heap.file;
    pthread_mutex_unlock(&heap.mutex);
    return file_now;
}

static bool region(const char **memory, size_t *bytes)
{
    pthread_mutex_lock(&heap.mutex);
    *memory = heap.memory;
    *bytes = heap.memory == NULL ? 0 : bytes_of(heap.extents.page_count);
    pthread_mutex_unlock(&heap.mutex);
    return *memory != NULL;
}

static const char *missing(void)
{
    pthread_mutex_lock(&heap.mutex);
    const char *why = heap.missing;
    pthread_mutex_unlock(&heap.mutex);
    return why;
}

const struct allfold_heap allfold_own_heap = {allocate, release, resize, length,
                                              file,     region,  missing};

/* --- fork: the parent copies the allocated blocks, the child moves the copy to their addresses ---
 */

/* Copies what of a used extent was ever written to; the rest of the copy is zeros as it is. */
static void copy_extent(const struct allfold_extent *extent)
{
    const off_t end = (off_t)bytes_of(extent->page + extent->pages);
    off_t at = (off_t)bytes_of(extent->page);
    while (at < end) {
        const off_t data = lseek(heap.file.descriptor, at, SEEK_DATA);
        if (data < 0 || data >= end)
            return;
        const off_t hole = lseek(heap.file.descriptor, data, SEEK_HOLE);
        at = hole < 0 || hole > end ? end : hole;
        memcpy((char *)heap.copy + data, heap.memory + data, (size_t)(at - data));
    }
}

static void before_fork(void)
{
    struct allfold_extent extent = {0};
    pthread_mutex_lock(&heap.mutex);
    heap.is_copied = false;
    if (heap.is_private || heap.open_pages == 0)
        return;
    heap.copy = mmap(NULL, bytes_of(heap.open_pages), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (heap.copy == MAP_FAILED)
        return;
    heap.is_copied = true;
    for (uint32_t page = 0; allfold_extents_at(&heap.extents, page, &extent); page += extent.pages)
        if (extent.kind == ALLFOLD_EXTENT_USED)
            copy_extent(&extent);
}

static void after_fork_in_parent(void)
{
    if (heap.is_copied)
        munmap(heap.copy, bytes_of(heap.open_pages));
    heap.is_copied = false;
    pthread_mutex_unlock(&heap.mutex);
}

/* By the system call itself: UCX takes the place of mremap in programs that have it, and its mremap
 * forgets the address to move to. */
static bool move_copy(size_t bytes)
{
    return heap.is_copied && syscall(SYS_mremap, heap.copy, bytes, bytes,
                                     MREMAP_MAYMOVE | MREMAP_FIXED, heap.memory) != -1;
}

/* Without a copy the child sees the parent's memory until it writes to it. What it reads may then
 * change, but it never changes what its parent has. */
static void take_copy(void)
{
    const size_t open_bytes = bytes_of(heap.open_pages);
    const size_t bytes = bytes_of(heap.extents.page_count);
    heap.is_over_file = !move_copy(open_bytes) && open_bytes > 0;
    if (heap.is_over_file)
        mmap(heap.memory, open_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, heap.file.descriptor, 0);
    if (bytes > open_bytes) {
        mmap(heap.memory + open_bytes, bytes - open_bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        madvise(heap.memory + open_bytes, bytes - open_bytes, MADV_DONTDUMP);
    }
    close(heap.file.descriptor);
    heap.file = (struct allfold_shared_file){.descriptor = -1};
}

static void after_fork_in_child(void)
{
    if (!heap.is_private)
        take_copy();
    heap.is_private = true;
    heap.is_copied = false;
    pthread_mutex_unlock(&heap.mutex);
}

/* Before there are threads: a fork that began before the handlers were there would give its child a
 * mutex that another thread holds. */
__attribute__((constructor)) static void see_forks(void)
{
    heap.sees_forks = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}
