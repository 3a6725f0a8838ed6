/* The cache of entries of a communicator: for each shape of calls the choice, the schedule, an
 * executor, and the values for the report.
 *
 * Entries are on two lists in order of last use. A new entry is on trial; if it is used again while
 * it is on trial, it is kept. The trial list has a small size, which stays in the processor's
 * caches: building a short schedule again is faster than reading one from memory that has not been
 * used for long. So a program that cycles through thousands of shapes neither fills the cache nor
 * evicts the shapes that it uses often. Long schedules, which take long to build, are kept at
 * once. */
#ifndef ALLFOLD_MPI_CALL_CACHE_H
#define ALLFOLD_MPI_CALL_CACHE_H

#include <stdbool.h>

#include "events/report_figures.h"
#include "execute/executor.h"
#include "execute/sparse.h"
#include "select/choose.h"
#include "util/memory_pool.h"

/* The key of an entry: all that a schedule depends on, besides the communicator. */
struct allfold_shape_key {
    enum allfold_collective collective;
    int root;
    size_t count;
    const size_t *begins; /* offsets of blocks of any lengths, as in struct allfold_problem; NULL if
                             all blocks have the same length */
    uint64_t begins_hash; /* hash of `begins`, so that few arrays are compared */
    int blocks;           /* number of blocks; 0 if all have the same length */
    size_t element_bytes;
    bool commutative, exact, in_place;
    bool canonical; /* results must be summed in the order of the canonical tree */
    bool ours_only; /* native is chosen only if it is forced */
};

/* Returns whether two keys are the same shape. */
bool allfold_is_same_shape(const struct allfold_shape_key *a, const struct allfold_shape_key *b);

/* Returns the shape as all ranks know it: whether buffers are in place may differ between ranks.
 * Decisions about messages must be based on this shape. */
static inline struct allfold_shape_key allfold_shape_of_all(const struct allfold_shape_key *key)
{
    struct allfold_shape_key all = *key;
    all.in_place = false;
    return all;
}

/* Returns a hash of a shape; equal shapes have the same hash on all ranks. */
uint64_t allfold_shape_hash(const struct allfold_shape_key *key);

/* Returns the size of the array `begins` of a key. */
static inline size_t allfold_begins_bytes(const struct allfold_shape_key *key)
{
    return key->blocks == 0 ? 0 : ((size_t)key->blocks + 1) * sizeof *key->begins;
}

/* How the report and the trace name the calls of an entry: by its key, or, for a step of an exact
 * sum, by the sum. */
struct allfold_call_name {
    enum allfold_collective collective;
    int root;
    size_t bytes; /* of the whole vector */
};

struct allfold_entry {
    struct allfold_shape_key key;
    struct allfold_choice choice;
    struct allfold_pool *pool; /* owner of the entry's memory; NULL: the allocator */
    size_t *begins;            /* the key's `begins`, in the same memory; NULL if it has none */
    struct allfold_schedule *schedule; /* NULL if the choice is native */
    struct allfold_executor *executor;
    size_t executor_bytes;
    struct allfold_sparse sparse;   /* of sparse runs */
    struct allfold_figures figures; /* samples of blocking calls */
    struct allfold_call_name named; /* name in the report and the trace */
    uint32_t row;                   /* 1 + number of the entry's row in the report; 0: no row yet */
    const char *phase;              /* phase of the program that the row belongs to */
    const char *site;               /* call site that the row belongs to (call_sites.h) */
    uint32_t shape;                 /* number in the trace */
    bool has_shape;                 /* `shape` is set */
    size_t bytes;                   /* size of the entry in the cache */
    size_t vector_bytes;            /* size of the whole vector */
    struct allfold_entry *next_in_slot;  /* next in the same slot of the hash table */
    struct allfold_entry *newer, *older; /* neighbors on its list, in order of last use */
    bool is_kept; /* the entry is on the list of kept entries, not on trial */
};

struct allfold_entry_list {
    struct allfold_entry *newest, *oldest;
    size_t bytes;
};

enum {
    ALLFOLD_CACHE_FIRST_SLOTS = 16,
    ALLFOLD_TRIAL_BYTES = 128 << 10, /* total of all entries on trial */
    /* Largest entry on trial; larger entries are kept at once. */
    ALLFOLD_TRIAL_ENTRY_BYTES = 4 << 10,
};

/* If zeroed, it is an empty cache. */
struct allfold_cache {
    struct allfold_entry *first_slots[ALLFOLD_CACHE_FIRST_SLOTS];
    struct allfold_entry **slots; /* the hash table, once there are many entries; else NULL */
    int slots_lg;                 /* log2 of the number of slots */
    struct allfold_entry *last;   /* entry that was found or added last; NULL if it was taken out */
    struct allfold_entry_list trial, kept;
    size_t bytes, count;
    struct allfold_pool pool; /* memory of the entries */
};

/* Frees the memory of a cache without entries. The cache may be used again. */
void allfold_cache_empty(struct allfold_cache *cache);

/* Returns the entry of a key, or NULL. The entry becomes the newest, and is kept from now on. */
struct allfold_entry *allfold_cache_find(struct allfold_cache *cache,
                                         const struct allfold_shape_key *key);

/* Adds an entry. There must be no entry of its shape. The cache owns the entry from now on. */
void allfold_cache_add(struct allfold_cache *cache, struct allfold_entry *entry);

/* Evicts one entry if the cache is larger than `bytes` or its trial list is too large: takes it out
 * and returns it; else returns NULL. The oldest entry on trial goes first, and if the whole cache
 * is too large, then the oldest kept one. The entry that was found or added last is never
 * evicted. */
struct allfold_entry *allfold_cache_take_surplus(struct allfold_cache *cache, size_t bytes);

/* Takes out any entry of a collective; returns NULL if there is none. */
struct allfold_entry *allfold_cache_take_of(struct allfold_cache *cache,
                                            enum allfold_collective collective);

/* Takes out any entry; returns NULL if there is none. */
struct allfold_entry *allfold_cache_take(struct allfold_cache *cache);

/* Frees an entry that is in no cache; NULL is allowed. */
void allfold_entry_free(struct allfold_entry *entry);

#endif
