/* What a communicator keeps of each shape (see cache.h). */
#include "mpi/call/cache.h"

#include <assert.h>
#include <string.h>

#include "util/memory.h"

bool allfold_is_same_shape(const struct allfold_shape_key *a, const struct allfold_shape_key *b)
{
    return a->count == b->count && a->collective == b->collective && a->root == b->root &&
           a->element_bytes == b->element_bytes && a->commutative == b->commutative &&
           a->exact == b->exact && a->in_place == b->in_place;
}

enum { FIRST_LG = 4, MORE_LG = 2, MOST_LG = 16 };
static_assert(ALLFOLD_CACHE_FIRST_SLOTS == 1 << FIRST_LG, "a power of two");

static struct allfold_entry **slot_among(struct allfold_entry **slots, int lg,
                                         const struct allfold_shape_key *key)
{
    uint64_t hash = key->count * 0x9e3779b97f4a7c15u;
    hash ^= (uint64_t)key->element_bytes << 32 | (uint64_t)(unsigned)key->root << 4 |
            (uint64_t)key->collective;
    hash *= 0xbf58476d1ce4e5b9u;
    return &slots[hash >> (64 - lg)];
}

static struct allfold_entry **slot_of(struct allfold_cache *cache,
                                      const struct allfold_shape_key *key)
{
    return cache->slots == NULL ? slot_among(cache->first_slots, FIRST_LG, key)
                                : slot_among(cache->slots, cache->slots_lg, key);
}

/* More slots where entries share too many, if there is memory: short lists are what matters. */
static void add_slots(struct allfold_cache *cache)
{
    const int lg = cache->slots == NULL ? FIRST_LG : cache->slots_lg;
    if (cache->count >> lg < 2 || lg == MOST_LG)
        return;
    struct allfold_entry **slots = allfold_allocate_zeroed(sizeof *slots << (size_t)(lg + MORE_LG));
    if (slots == NULL)
        return;
    for (struct allfold_entry *entry = cache->newest; entry != NULL; entry = entry->older) {
        struct allfold_entry **slot = slot_among(slots, lg + MORE_LG, &entry->key);
        entry->next_in_slot = *slot;
        *slot = entry;
    }
    allfold_free(cache->slots);
    cache->slots = slots;
    cache->slots_lg = lg + MORE_LG;
}

void allfold_cache_empty(struct allfold_cache *cache)
{
    assert(cache->count == 0 && cache->bytes == 0);
    allfold_free(cache->slots);
    allfold_pool_empty(&cache->pool);
    memset(cache, 0, sizeof *cache);
}

static void unlink_by_use(struct allfold_cache *cache, struct allfold_entry *entry)
{
    *(entry->newer == NULL ? &cache->newest : &entry->newer->older) = entry->older;
    *(entry->older == NULL ? &cache->oldest : &entry->older->newer) = entry->newer;
}

static void link_newest(struct allfold_cache *cache, struct allfold_entry *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    *(cache->newest == NULL ? &cache->oldest : &cache->newest->newer) = entry;
    cache->newest = entry;
}

struct allfold_entry *allfold_cache_find(struct allfold_cache *cache,
                                         const struct allfold_shape_key *key)
{
    struct allfold_entry *entry = cache->newest;
    if (entry != NULL && allfold_is_same_shape(&entry->key, key))
        return entry;
    entry = *slot_of(cache, key);
    while (entry != NULL && !allfold_is_same_shape(&entry->key, key))
        entry = entry->next_in_slot;
    if (entry != NULL) {
        unlink_by_use(cache, entry);
        link_newest(cache, entry);
    }
    return entry;
}

void allfold_cache_add(struct allfold_cache *cache, struct allfold_entry *entry)
{
    assert(allfold_cache_find(cache, &entry->key) == NULL);
    add_slots(cache);
    struct allfold_entry **slot = slot_of(cache, &entry->key);
    entry->next_in_slot = *slot;
    *slot = entry;
    link_newest(cache, entry);
    cache->bytes += entry->bytes;
    cache->count++;
}

static struct allfold_entry *take_out(struct allfold_cache *cache, struct allfold_entry *entry)
{
    if (entry == NULL)
        return NULL;
    struct allfold_entry **at = slot_of(cache, &entry->key);
    while (*at != entry) {
        assert(*at != NULL);
        at = &(*at)->next_in_slot;
    }
    *at = entry->next_in_slot;
    unlink_by_use(cache, entry);
    assert(cache->bytes >= entry->bytes && (cache->newest == NULL) == (cache->oldest == NULL));
    cache->bytes -= entry->bytes;
    cache->count--;
    return entry;
}

struct allfold_entry *allfold_cache_take(struct allfold_cache *cache)
{
    return take_out(cache, cache->oldest);
}

struct allfold_entry *allfold_cache_take_of(struct allfold_cache *cache,
                                            enum allfold_collective collective)
{
    struct allfold_entry *entry = cache->oldest;
    while (entry != NULL && entry->key.collective != collective)
        entry = entry->newer;
    return take_out(cache, entry);
}

struct allfold_entry *allfold_cache_take_surplus(struct allfold_cache *cache, size_t bytes)
{
    if (cache->bytes <= bytes || cache->oldest == cache->newest)
        return NULL;
    return allfold_cache_take(cache);
}

void allfold_entry_free(struct allfold_entry *entry)
{
    if (entry == NULL)
        return;
    struct allfold_pool *pool = entry->pool;
    allfold_pool_give(pool, entry->executor, entry->executor_bytes);
    if (entry->schedule != NULL)
        allfold_pool_give(pool, entry->schedule, entry->schedule->bytes);
    allfold_pool_give(pool, entry, sizeof *entry);
}
