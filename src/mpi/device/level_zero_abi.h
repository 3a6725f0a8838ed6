/* The part of the ABI of Level Zero's loader that Allfold uses: values and structures of its
 * specification 1.0, under names of our own. A test compares them with Level Zero's header, if that
 * is installed. */
#ifndef ALLFOLD_MPI_DEVICE_LEVEL_ZERO_ABI_H
#define ALLFOLD_MPI_DEVICE_LEVEL_ZERO_ABI_H

#include <stddef.h>
#include <stdint.h>

/* The kind of a structure. */
enum {
    ALLFOLD_ZE_GROUP_PROPERTIES = 0x6,
    ALLFOLD_ZE_CONTEXT = 0xd,
    ALLFOLD_ZE_QUEUE = 0xe,
    ALLFOLD_ZE_EVENT_POOL = 0x10,
    ALLFOLD_ZE_EVENT = 0x11,
    ALLFOLD_ZE_HOST_MEMORY = 0x16,
    ALLFOLD_ZE_MEMORY_PROPERTIES = 0x17
};

enum { ALLFOLD_ZE_NOT_READY = 1 }; /* the only result besides 0 that is no error */
enum { ALLFOLD_ZE_NO_DEVICE_MEMORY = 0x70000003 };
enum { ALLFOLD_ZE_HOST = 1, ALLFOLD_ZE_DEVICE = 2 };     /* kind of memory */
enum { ALLFOLD_ZE_COMPUTES = 1, ALLFOLD_ZE_COPIES = 2 }; /* capabilities of a group of queues */
enum { ALLFOLD_ZE_SYNCHRONOUS = 1, ALLFOLD_ZE_ASYNCHRONOUS = 2 }; /* mode of a queue */
enum { ALLFOLD_ZE_SEEN_BY_HOST = 1 }; /* the host can read the events of a pool */
enum { ALLFOLD_ZE_FOR_HOST = 4 };     /* scope: caches to flush at an event */

/* A description of a context or of host memory, whose own flags are left out. */
struct allfold_ze_plain {
    uint32_t kind;
    const void *next;
    uint32_t flags;
};

struct allfold_ze_queue {
    uint32_t kind;
    const void *next;
    uint32_t group, index, flags, mode, priority;
};

struct allfold_ze_group {
    uint32_t kind;
    void *next;
    uint32_t flags;
    size_t most_pattern_bytes;
    uint32_t queues;
};

struct allfold_ze_event_pool {
    uint32_t kind;
    const void *next;
    uint32_t flags, count;
};

struct allfold_ze_event {
    uint32_t kind;
    const void *next;
    uint32_t index, signal, wait;
};

struct allfold_ze_memory {
    uint32_t kind;
    void *next;
    uint32_t type;
    uint64_t id, page_bytes;
};

#endif
