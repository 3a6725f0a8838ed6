/* What a communicator keeps of the shapes that it was asked: the choice, the schedule, an executor,
 * and the figures for the report.
 *
 * Entries are on two lists by last use. New ones are on trial; what is asked for again while it is
 * on trial is kept. The trial has little room, which stays in the processor's caches. Building a
 * short schedule anew takes less time than reading one from memory that was left long ago. So a
 * program that asks for thousands of shapes in turn neither fills the cache nor drops what it asks
 * for often. Long schedules, which take long to build, are kept at once. */
#ifndef ALLFOLD_MPI_CALL_CACHE_H
#define ALLFOLD_MPI_CALL_CACHE_H

#include <stdbool.h>

#include "events/report_figures.h"
#include "execute/executor.h"
#include "execute/sparse.h"
#include "select/choose.h"
#include "util/memory_pool.h"

/* All that a schedule depends on, besides the communicator. */
struct allfold_shape_key {
    enum allfold_collective collective;
    int root;
    size_t count;
    const size_t
        *begins; /* of blocks of any lengths, as the problem's; NULL where they are alike */
    uint64_t begins_hash; /* of these, to look at few */
    int blocks;           /* how many; 0 where they are alike */
    size_t element_bytes;
    bool commutative, exact, in_place;
    bool canonical; /* results are to be bracketed by the canonical tree */
    bool ours_only; /* native is no choice but where it is forced */
};

/* Are they keys of one shape? */
bool allfold_is_same_shape(const struct allfold_shape_key *a, const struct allfold_shape_key *b);

/* The shape as all ranks know it: whether buffers are in place is each rank's own business.
 * Whatever leads to messages is counted and kept by this one. */
static inline struct allfold_shape_key allfold_shape_of_all(const struct allfold_shape_key *key)
{
    struct allfold_shape_key all = *key;
    all.in_place = false;
    return all;
}

/* A number of a shape, the same for equal ones and on all ranks. */
uint64_t allfold_shape_hash(const struct allfold_shape_key *key);

/* The bytes of a key's begins. */
static inline size_t allfold_begins_bytes(const struct allfold_shape_key *key)
{
    return key->blocks == 0 ? 0 : ((size_t)key->blocks + 1) * sizeof *key->begins;
}

/* What the report and the trace call the calls of an entry: as its key does, or, for a step of an
 * exact sum, as the sum is called. */
struct allfold_call_name {
    enum allfold_collective collective;
    int root;
    size_t bytes; /* of the whole vector */
};

struct allfold_entry {
    struct allfold_shape_key key;
    struct allfold_choice choice;
    struct allfold_pool *pool;         /* that its memory is of; NULL: the allocator */
    size_t *begins;                    /* the key's, of the same memory; NULL where it has none */
    struct allfold_schedule *schedule; /* NULL where the choice is native */
    struct allfold_executor *executor;
    size_t executor_bytes;
    struct allfold_sparse sparse;        /* of its runs, where they are */
    struct allfold_figures figures;      /* samples of blocking calls */
    struct allfold_call_name named;      /* in the report and the trace */
    uint32_t row;                        /* of the report for it; 0: not yet, else 1 more */
    const char *phase;                   /* of the program, that the row is of */
    const char *site;                    /* where it was called (call_sites.h), likewise */
    uint32_t shape;                      /* of the trace */
    bool has_shape;                      /* it was asked for */
    size_t bytes;                        /* that it takes in the cache */
    size_t vector_bytes;                 /* of the whole vector that it is about */
    struct allfold_entry *next_in_slot;  /* of the hash table */
    struct allfold_entry *newer, *older; /* by last use, on its list */
    bool is_kept;                        /* which list that is */
};

struct allfold_entry_list {
    struct allfold_entry *newest, *oldest;
    size_t bytes;
};

enum {
    ALLFOLD_CACHE_FIRST_SLOTS = 16,
    ALLFOLD_TRIAL_BYTES = 128 << 10,     /* of all that is on trial */
    ALLFOLD_TRIAL_ENTRY_BYTES = 4 << 10, /* of an entry at most; longer ones are kept at once */
};

/* Zeroed it is an empty cache. */
struct allfold_cache {
    struct allfold_entry *first_slots[ALLFOLD_CACHE_FIRST_SLOTS];
    struct allfold_entry **slots; /* more of them, once there are many entries; else NULL */
    int slots_lg;                 /* how many, as a power of two */
    struct allfold_entry *last;   /* found or added; NULL where it was taken out */
    struct allfold_entry_list trial, kept;
    size_t bytes, count;
    struct allfold_pool pool; /* of its entries */
};

/* Frees what a cache without entries still has; it may be used again. */
void allfold_cache_empty(struct allfold_cache *cache);

/* The entry of a key, which is kept from now on and becomes the newest, or NULL. */
struct allfold_entry *allfold_cache_find(struct allfold_cache *cache,
                                         const struct allfold_shape_key *key);

/* Adds an entry; its shape must have none yet. The cache owns the entry's memory from now on. */
void allfold_cache_add(struct allfold_cache *cache, struct allfold_entry *entry);

/* Takes out an entry and returns it while the cache is larger than `bytes`, or its trial larger
 * than the trial's room; else NULL. The oldest on trial goes first; then, from a large cache, the
 * oldest that is kept. The entry that was found or added last never goes. */
struct allfold_entry *allfold_cache_take_surplus(struct allfold_cache *cache, size_t bytes);

/* Takes out any entry of a collective; NULL when there is none. */
struct allfold_entry *allfold_cache_take_of(struct allfold_cache *cache,
                                            enum allfold_collective collective);

/* Takes out any entry; NULL when there is none. */
struct allfold_entry *allfold_cache_take(struct allfold_cache *cache);

/* Frees an entry that is in no cache; NULL is allowed. */
void allfold_entry_free(struct allfold_entry *entry);

#endif
