/* What a communicator keeps of each shape (see cache.h). */
#include "mpi/call/cache.h"

#include <assert.h>

#include "util/memory.h"

bool allfold_is_same_shape(const struct allfold_shape_key *a, const struct allfold_shape_key *b)
{
    return a->count == b->count && a->collective == b->collective && a->root == b->root &&
           a->element_bytes == b->element_bytes && a->commutative == b->commutative &&
           a->exact == b->exact && a->in_place == b->in_place;
}

static struct allfold_entry **slot_of(struct allfold_cache *cache,
                                      const struct allfold_shape_key *key)
{
    uint64_t hash = key->count * 0x9e3779b97f4a7c15u;
    hash ^= (uint64_t)key->element_bytes << 32 | (uint64_t)(unsigned)key->root << 4 |
            (uint64_t)key->collective;
    hash *= 0xbf58476d1ce4e5b9u;
    return &cache->slots[hash >> 58];
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
    struct allfold_entry **slot = slot_of(cache, &entry->key);
    assert(allfold_cache_find(cache, &entry->key) == NULL);
    entry->next_in_slot = *slot;
    *slot = entry;
    link_newest(cache, entry);
    cache->bytes += entry->bytes;
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
    allfold_executor_free(entry->executor);
    allfold_schedule_free(entry->schedule);
    allfold_free(entry);
}
