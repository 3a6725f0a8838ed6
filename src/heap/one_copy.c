/* malloc and related functions over the heap (see one_copy.h). */
#include "heap/one_copy.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

/* A build for a test may take shorter blocks, too. */
#ifdef ALLFOLD_TAKEN_BYTES
enum { LEAST = ALLFOLD_TAKEN_BYTES };
#else
enum { LEAST = ALLFOLD_HEAP_LEAST_BYTES };
#endif

/* The malloc that would serve without this library. */
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*memalign)(size_t, size_t);
    void *(*pvalloc)(size_t);
    size_t (*usable)(void *);
} next;
static atomic_bool is_resolved;
static const char *why_off = "not started";
static atomic_uintptr_t region, region_bytes; /* 0 until the heap is there */

/* What is asked for while the next malloc is looked for, which may want memory itself. */
static _Alignas(16) char early[16 << 10];
static size_t early_used;

static void *take_early(size_t bytes)
{
    const size_t rounded = (bytes + 15) / 16 * 16;
    if (rounded > sizeof early - early_used)
        return NULL;
    early_used += rounded;
    return early + early_used - rounded;
}

static bool is_early(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

/* Is it the C library's? Others would not know our blocks from theirs in their own statistics, and
 * tools that watch memory have to see all of it. */
static const char *find_reason(void)
{
    Dl_info of_next, of_libc;
    const char *preload = getenv("LD_PRELOAD");
    if (dlsym(RTLD_DEFAULT, "malloc") != (void *)(uintptr_t)malloc)
        return "the program has a malloc of its own";
    if (dlsym(RTLD_DEFAULT, "__asan_init") != NULL || dlsym(RTLD_DEFAULT, "__tsan_init") != NULL)
        return "a sanitizer watches memory";
    if (preload != NULL && strstr(preload, "vgpreload") != NULL)
        return "valgrind watches memory";
    if (dladdr((void *)(uintptr_t)next.malloc, &of_next) == 0 ||
        dladdr((void *)(uintptr_t)getpid, &of_libc) == 0 || of_next.dli_fbase != of_libc.dli_fbase)
        return "another malloc than the C library's is loaded";
    return NULL;
}

static void resolve(void)
{
    static atomic_flag is_begun = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&is_begun))
        return; /* by this thread, for what dlsym wants; others do not exist yet */
    next.malloc = (void *(*)(size_t))(uintptr_t)dlsym(RTLD_NEXT, "malloc");
    next.calloc = (void *(*)(size_t, size_t))(uintptr_t)dlsym(RTLD_NEXT, "calloc");
    next.realloc = (void *(*)(void *, size_t))(uintptr_t)dlsym(RTLD_NEXT, "realloc");
    next.free = (void (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "free");
    next.memalign = (void *(*)(size_t, size_t))(uintptr_t)dlsym(RTLD_NEXT, "memalign");
    next.pvalloc = (void *(*)(size_t))(uintptr_t)dlsym(RTLD_NEXT, "pvalloc");
    next.usable = (size_t(*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "malloc_usable_size");
    why_off = find_reason();
    atomic_store_explicit(&is_resolved, true, memory_order_release);
}

__attribute__((constructor)) static void begin(void)
{
    if (!atomic_load_explicit(&is_resolved, memory_order_acquire))
        resolve();
}

/* Can the next malloc be called? */
static inline bool is_ready(void)
{
    if (atomic_load_explicit(&is_resolved, memory_order_acquire))
        return true;
    resolve();
    return atomic_load_explicit(&is_resolved, memory_order_acquire);
}

static inline bool is_ours(const void *memory)
{
    const uintptr_t bytes = atomic_load_explicit(&region_bytes, memory_order_acquire);
    return (uintptr_t)memory - atomic_load_explicit(&region, memory_order_relaxed) < bytes;
}

/* From the first block on. */
static void note_region(void)
{
    const char *memory;
    size_t bytes;
    if (atomic_load_explicit(&region_bytes, memory_order_relaxed) > 0 ||
        !allfold_own_heap.region(&memory, &bytes))
        return;
    atomic_store_explicit(&region, (uintptr_t)memory, memory_order_relaxed);
    atomic_store_explicit(&region_bytes, bytes, memory_order_release);
}

/* Returns a block of the heap; NULL if the next malloc must be used. */
static void *take(size_t bytes, size_t alignment, bool is_zeroed)
{
    if (why_off != NULL || bytes < LEAST)
        return NULL;
    const int error = errno;
    void *block = allfold_own_heap.allocate(bytes, alignment, is_zeroed);
    errno = error;
    if (block != NULL)
        note_region();
    return block;
}

VISIBLE void *malloc(size_t bytes)
{
    if (!is_ready())
        return take_early(bytes);
    void *block = bytes < LEAST ? NULL : take(bytes, 1, false);
    return block != NULL ? block : next.malloc(bytes);
}

VISIBLE void *calloc(size_t count, size_t bytes)
{
    size_t all;
    if (!is_ready())
        return take_early(count * bytes);
    void *block =
        __builtin_mul_overflow(count, bytes, &all) || all < LEAST ? NULL : take(all, 1, true);
    return block != NULL ? block : next.calloc(count, bytes);
}

VISIBLE void free(void *memory)
{
    if (is_ours(memory)) {
        const int error = errno;
        const bool is_freed = allfold_own_heap.release(memory);
        errno = error;
        if (is_freed)
            return;
    }
    if (!is_early(memory) && is_ready())
        next.free(memory);
}

/* Another block with what this one has, which goes. As realloc, NULL leaves it as it was. */
static void *move(void *memory, size_t have_bytes, size_t bytes)
{
    void *moved = malloc(bytes);
    if (moved == NULL)
        return NULL;
    memcpy(moved, memory, have_bytes < bytes ? have_bytes : bytes);
    free(memory);
    return moved;
}

VISIBLE void *realloc(void *memory, size_t bytes)
{
    if (memory == NULL)
        return malloc(bytes);
    if (is_early(memory)) /* what it holds ends before the end of `early` */
        return move(memory, (size_t)(early + sizeof early - (char *)memory), bytes);
    const size_t have_bytes = is_ours(memory) ? allfold_own_heap.length(memory) : 0;
    if (have_bytes == 0) {
        const size_t usable = bytes < LEAST ? 0 : next.usable(memory);
        return bytes >= LEAST && usable < LEAST && why_off == NULL ? move(memory, usable, bytes)
                                                                   : next.realloc(memory, bytes);
    }
    if (bytes == 0) { /* as the C library does it */
        free(memory);
        return NULL;
    }
    return bytes >= LEAST && allfold_own_heap.resize(memory, bytes)
               ? memory
               : move(memory, have_bytes, bytes);
}

VISIBLE void *reallocarray(void *memory, size_t count, size_t bytes)
{
    size_t all;
    if (!__builtin_mul_overflow(count, bytes, &all))
        return realloc(memory, all);
    errno = ENOMEM;
    return NULL;
}

static bool is_power_of_two(size_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

VISIBLE void *memalign(size_t alignment, size_t bytes)
{
    if (!is_ready()) /* `early` is aligned to 16 */
        return alignment <= 16 ? take_early(bytes) : NULL;
    void *block = is_power_of_two(alignment) ? take(bytes, alignment, false) : NULL;
    return block != NULL ? block : next.memalign(alignment, bytes);
}

VISIBLE void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

VISIBLE int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (!is_power_of_two(alignment) || alignment % sizeof(void *) != 0)
        return EINVAL;
    const int error = errno;
    void *block = memalign(alignment, bytes);
    errno = error;
    if (block == NULL)
        return ENOMEM;
    *memory = block;
    return 0;
}

VISIBLE void *valloc(size_t bytes)
{
    return memalign((size_t)sysconf(_SC_PAGESIZE), bytes);
}

VISIBLE void *pvalloc(size_t bytes)
{
    void *block = is_ready() ? take(bytes, 1, false) : NULL;
    return block != NULL ? block : next.pvalloc(bytes);
}

VISIBLE size_t malloc_usable_size(void *memory)
{
    const size_t bytes = memory != NULL && is_ours(memory) ? allfold_own_heap.length(memory) : 0;
    if (bytes > 0 || memory == NULL)
        return bytes;
    return is_early(memory) ? 0 : next.usable(memory);
}

static const char *tell_why_off(void)
{
    return why_off != NULL ? why_off : allfold_own_heap.missing();
}

VISIBLE const struct allfold_one_copy allfold_one_copy_1 = {&allfold_own_heap, tell_why_off};
