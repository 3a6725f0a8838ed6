/*
 * stand_in.c: see stand_in.h. Device memory is a file that is mapped twice: where the program has
 * it, without any access, and where the copies go.
 */
#include "stand_in.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BLOCKS = 4096, PER_THREAD = 2 };

static struct block {
    enum stand_in_kind kind;
    char *memory, *accessible;
    size_t bytes;
} blocks[MOST_BLOCKS];

/* What was begun and not waited for, of all streams. */
static struct copy {
    const void *stream;
    char *to;
    const char *from;
    size_t bytes;
    unsigned long number;
    double end_s; /* not before */
    int *pending; /* that counts it */
} * copies;

struct stand_in_event {
    const void *stream;
    unsigned long number; /* of the last copy before it */
};

static int block_count, copy_count, copy_capacity;
static unsigned long last_number;
static char *last_freed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local void *current;
static int the_context, times_retained;

int stand_in_fail_copy, stand_in_fail_pinned, stand_in_asked;
int stand_in_to_host, stand_in_to_device;

/* Has the time come for what was armed? */
static int fails(int *armed)
{
    if (*armed < -1)
        ++*armed;
    else if (*armed == -1)
        return 1;
    return *armed > 0 && --*armed == 0;
}

void *stand_in_context(void)
{
    return current;
}

void stand_in_set_context(void *context)
{
    current = context;
}

void *stand_in_retain(void)
{
    pthread_mutex_lock(&mutex);
    times_retained++;
    pthread_mutex_unlock(&mutex);
    return &the_context;
}

/* Without anyone who retains it, it is gone for good: no test wants that. */
int stand_in_release_context(void)
{
    pthread_mutex_lock(&mutex);
    const int is_left = --times_retained > 0;
    pthread_mutex_unlock(&mutex);
    return is_left ? 0 : STAND_IN_NO_CONTEXT;
}

int stand_in_is_active(void)
{
    pthread_mutex_lock(&mutex);
    const int is_active = times_retained > 0;
    pthread_mutex_unlock(&mutex);
    return is_active;
}

static struct block *find(const void *address)
{
    for (int i = 0; i < block_count; i++)
        if (blocks[i].kind != STAND_IN_NOTHING &&
            (uintptr_t)address >= (uintptr_t)blocks[i].memory &&
            (uintptr_t)address < (uintptr_t)blocks[i].memory + blocks[i].bytes)
            return &blocks[i];
    return NULL;
}

static struct block *take_block(void)
{
    for (int i = 0; i < block_count; i++)
        if (blocks[i].kind == STAND_IN_NOTHING)
            return &blocks[i];
    return block_count < MOST_BLOCKS ? &blocks[block_count++] : NULL;
}

/* At the address that was freed last, where that is free. */
static char *map(int file, size_t bytes, int access)
{
    void *memory = MAP_FAILED;
    if (last_freed != NULL)
        memory = mmap(last_freed, bytes, access, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    if (memory == MAP_FAILED)
        memory = mmap(NULL, bytes, access, MAP_SHARED, file, 0);
    last_freed = NULL;
    return memory == MAP_FAILED ? NULL : memory;
}

static int allocate(struct block *block, size_t bytes, enum stand_in_kind kind)
{
    const int file = memfd_create("stand_in", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
        return STAND_IN_NO_MEMORY;
    block->bytes = bytes;
    block->memory = map(file, bytes, kind == STAND_IN_MANAGED ? PROT_READ | PROT_WRITE : PROT_NONE);
    block->accessible = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (block->memory == NULL || block->accessible == MAP_FAILED)
        return STAND_IN_NO_MEMORY;
    block->kind = kind;
    return 0;
}

int stand_in_allocate(void **memory, size_t bytes, enum stand_in_kind kind)
{
    if (current == NULL)
        return STAND_IN_NO_CONTEXT;
    if (bytes == 0)
        return STAND_IN_INVALID;
    pthread_mutex_lock(&mutex);
    struct block *block = take_block();
    const int code = block == NULL ? STAND_IN_NO_MEMORY : allocate(block, bytes, kind);
    if (code == 0)
        *memory = block->memory;
    pthread_mutex_unlock(&mutex);
    return code;
}

int stand_in_release(void *memory)
{
    pthread_mutex_lock(&mutex);
    struct block *block = find(memory);
    const int is_one = block != NULL && block->kind != STAND_IN_PINNED && block->memory == memory;
    if (is_one) {
        munmap(block->memory, block->bytes);
        munmap(block->accessible, block->bytes);
        last_freed = block->memory;
        block->kind = STAND_IN_NOTHING;
    }
    pthread_mutex_unlock(&mutex);
    return is_one ? 0 : STAND_IN_INVALID;
}

int stand_in_allocate_pinned(void **memory, size_t bytes)
{
    if (current == NULL)
        return STAND_IN_NO_CONTEXT;
    pthread_mutex_lock(&mutex);
    struct block *block = fails(&stand_in_fail_pinned) ? NULL : take_block();
    if (block != NULL)
        *block = (struct block){STAND_IN_PINNED, malloc(bytes + 1), NULL, bytes};
    if (block != NULL)
        *memory = block->accessible = block->memory;
    pthread_mutex_unlock(&mutex);
    return block == NULL ? STAND_IN_NO_MEMORY : 0;
}

int stand_in_release_pinned(void *memory)
{
    pthread_mutex_lock(&mutex);
    struct block *block = find(memory);
    const int is_one = block != NULL && block->kind == STAND_IN_PINNED && block->memory == memory;
    if (is_one)
        block->kind = STAND_IN_NOTHING;
    pthread_mutex_unlock(&mutex);
    if (is_one)
        free(memory);
    return is_one ? 0 : STAND_IN_INVALID;
}

int stand_in_ask(void *answer, int attribute, const void *address)
{
    pthread_mutex_lock(&mutex);
    stand_in_asked++;
    const struct block *block = find(address);
    const enum stand_in_kind kind = block == NULL ? STAND_IN_NOTHING : block->kind;
    pthread_mutex_unlock(&mutex);
    if (kind == STAND_IN_NOTHING)
        return STAND_IN_INVALID;
    if (attribute == STAND_IN_ASK_TYPE)
        *(unsigned *)answer = kind == STAND_IN_PINNED ? STAND_IN_HOST : STAND_IN_DEVICE;
    else if (attribute == STAND_IN_ASK_MANAGED)
        *(char *)answer = kind == STAND_IN_MANAGED;
    else if (attribute == STAND_IN_ASK_CONTEXT)
        *(void **)answer = kind == STAND_IN_POOL ? NULL : &the_context;
    else if (attribute == STAND_IN_ASK_DEVICE)
        *(int *)answer = 0;
    else
        return STAND_IN_INVALID;
    return 0;
}

/* Where bytes can be touched; NULL: they are not all of one block of the device's. */
static char *touchable(const void *address, size_t bytes)
{
    const struct block *block = find(address);
    if (block == NULL)
        return (char *)(uintptr_t)address;
    const size_t at = (size_t)((const char *)address - block->memory);
    return at + bytes <= block->bytes ? block->accessible + at : NULL;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double setting(const char *name)
{
    const char *text = getenv(name);
    return text == NULL ? 0 : atof(text);
}

static double later(double a_s, double b_s)
{
    return a_s > b_s ? a_s : b_s;
}

/* When a copy ends that begins now: those of one direction go one after the other, and so do those
 * of one stream. */
static double end_of_copy(const void *stream, size_t bytes, int is_to_host)
{
    static double last_s[2];
    const double each_s = 1e-6 * setting("STAND_IN_US"), rate = 1e9 * setting("STAND_IN_GBS");
    const double takes_s = each_s + (rate > 0 ? (double)bytes / rate : 0);
    if (takes_s <= 0)
        return 0;
    double begin_s = later(now_s(), last_s[is_to_host]);
    for (int i = 0; i < copy_count; i++)
        if (copies[i].stream == stream)
            begin_s = later(begin_s, copies[i].end_s);
    last_s[is_to_host] = begin_s + takes_s;
    return last_s[is_to_host];
}

const void *stand_in_stream(const void *stream)
{
    static _Thread_local char own;
    return (uintptr_t)stream <= PER_THREAD ? &own : stream;
}

static int begin_copy(char *to, const char *from, size_t bytes, int is_to_host, const void *stream)
{
    if (copy_count == copy_capacity) {
        copy_capacity = 2 * copy_capacity + 64;
        copies = realloc(copies, (size_t)copy_capacity * sizeof *copies);
    }
    if (copies == NULL)
        abort();
    int *pending = is_to_host ? &stand_in_to_host : &stand_in_to_device;
    ++*pending;
    const double end_s = end_of_copy(stream, bytes, is_to_host);
    copies[copy_count++] = (struct copy){stream, to, from, bytes, ++last_number, end_s, pending};
    return 0;
}

int stand_in_copy(void *to, const void *from, size_t bytes, const void *stream)
{
    int code = STAND_IN_INVALID;
    if (current == NULL)
        return STAND_IN_NO_CONTEXT;
    pthread_mutex_lock(&mutex);
    char *target = touchable(to, bytes);
    const char *source = touchable(from, bytes);
    if (!fails(&stand_in_fail_copy) && target != NULL && source != NULL)
        code = begin_copy(target, source, bytes, source != from, stream);
    pthread_mutex_unlock(&mutex);
    return code;
}

static char *row_of(const struct stand_in_side *side, size_t row)
{
    const char *first = side->type == STAND_IN_DEVICE ? side->device : side->host;
    return (char *)(uintptr_t)first + (side->y + row) * side->pitch_bytes + side->x_bytes;
}

int stand_in_copy_rows(const struct stand_in_rows *rows, const void *stream)
{
    int code = 0;
    if (rows->from.pitch_bytes < rows->width_bytes || rows->to.pitch_bytes < rows->width_bytes)
        return STAND_IN_INVALID;
    for (size_t i = 0; i < rows->height && code == 0; i++)
        code =
            stand_in_copy(row_of(&rows->to, i), row_of(&rows->from, i), rows->width_bytes, stream);
    return code;
}

/* Waits until the copies of a stream, up to a number, may end. */
static void sleep_until_end(const void *stream, unsigned long number)
{
    double end_s = 0;
    for (int i = 0; i < copy_count; i++)
        if (copies[i].stream == stream && copies[i].number <= number && copies[i].end_s > end_s)
            end_s = copies[i].end_s;
    while (end_s > 0 && now_s() < end_s)
        usleep(20);
}

/* Ends so many copies at most of a stream, up to a number, that are due; returns whether
 * none of these is left. */
static int end_copies(const void *stream, unsigned long number, int most)
{
    int left = 0, is_left = 0;
    const double time_s = now_s();
    for (int i = 0; i < copy_count; i++) {
        const int is_one = copies[i].stream == stream && copies[i].number <= number;
        if (is_one && copies[i].end_s <= time_s && most-- > 0) {
            memcpy(copies[i].to, copies[i].from, copies[i].bytes);
            --*copies[i].pending;
            continue;
        }
        is_left |= is_one;
        copies[left++] = copies[i];
    }
    copy_count = left;
    return !is_left;
}

int stand_in_wait(const void *stream)
{
    if (current == NULL)
        return STAND_IN_NO_CONTEXT;
    pthread_mutex_lock(&mutex);
    sleep_until_end(stream, last_number);
    end_copies(stream, last_number, copy_count);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int stand_in_make_event(struct stand_in_event **event)
{
    if (current == NULL)
        return STAND_IN_NO_CONTEXT;
    *event = calloc(1, sizeof **event);
    return *event == NULL ? STAND_IN_NO_MEMORY : 0;
}

int stand_in_free_event(struct stand_in_event *event)
{
    free(event);
    return 0;
}

int stand_in_record(struct stand_in_event *event, const void *stream)
{
    if (current == NULL)
        return STAND_IN_NO_CONTEXT;
    pthread_mutex_lock(&mutex);
    *event = (struct stand_in_event){stream, last_number};
    pthread_mutex_unlock(&mutex);
    return 0;
}

static int end_event(const struct stand_in_event *event, int most)
{
    pthread_mutex_lock(&mutex);
    if (most == INT_MAX)
        sleep_until_end(event->stream, event->number);
    const int has_come = end_copies(event->stream, event->number, most);
    pthread_mutex_unlock(&mutex);
    return has_come ? 0 : STAND_IN_NOT_READY;
}

/* Every second question ends no copy, so that not all end as somebody asks for one after the other.
 */
int stand_in_ask_event(struct stand_in_event *event)
{
    static _Thread_local int asked;
    return end_event(event, ++asked % 2);
}

int stand_in_wait_event(struct stand_in_event *event)
{
    return end_event(event, INT_MAX);
}
