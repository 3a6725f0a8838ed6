/* The cache of entries by shape (see cache.h). */
#include "mpi/call/cache.h"

#include <assert.h>
#include <string.h>

#include "util/memory.h"

bool allfold_is_same_shape(const struct allfold_shape_key *a, const struct allfold_shape_key *b)
{
    if (a->blocks != b->blocks || a->begins_hash != b->begins_hash ||
        (a->blocks > 0 && memcmp(a->begins, b->begins, allfold_begins_bytes(a)) != 0))
        return false;
    return a->count == b->count && a->collective == b->collective && a->root == b->root &&
           a->element_bytes == b->element_bytes && a->commutative == b->commutative &&
           a->exact == b->exact && a->canonical == b->canonical && a->in_place == b->in_place &&
           a->ours_only == b->ours_only;
}

uint64_t allfold_shape_hash(const struct allfold_shape_key *key)
{
    uint64_t hash = (key->count ^ key->begins_hash) * 0x9e3779b97f4a7c15u;
    hash ^= (uint64_t)key->element_bytes << 32 | (uint64_t)(unsigned)key->root << 4 |
            (uint64_t)key->collective;
    return hash * 0xbf58476d1ce4e5b9u;
}

enum { FIRST_LG = 4, MORE_LG = 2, MOST_LG = 16 };
static_assert(ALLFOLD_CACHE_FIRST_SLOTS == 1 << FIRST_LG, "a power of two");

static struct allfold_entry **slot_among(struct allfold_entry **slots, int lg,
                                         const struct allfold_shape_key *key)
{
    return &slots[allfold_shape_hash(key) >> (64 - lg)];
}

static struct allfold_entry **slot_of(struct allfold_cache *cache,
                                      const struct allfold_shape_key *key)
{
    return cache->slots == NULL ? slot_among(cache->first_slots, FIRST_LG, key)
                                : slot_among(cache->slots, cache->slots_lg, key);
}

/* Makes more slots if too many entries share one and there is memory, because short lists
 * matter. */
static void add_slots(struct allfold_cache *cache)
{
    const int lg = cache->slots == NULL ? FIRST_LG : cache->slots_lg;
    if (cache->count >> lg < 2 || lg == MOST_LG)
        return;
    struct allfold_entry **slots = allfold_allocate_zeroed(sizeof *slots << (size_t)(lg + MORE_LG));
    if (slots == NULL)
        return;
    struct allfold_entry **old = cache->slots == NULL ? cache->first_slots : cache->slots;
    for (int i = 0; i < 1 << lg; i++)
        while (old[i] != NULL) {
            struct allfold_entry *entry = old[i];
            struct allfold_entry **slot = slot_among(slots, lg + MORE_LG, &entry->key);
            old[i] = entry->next_in_slot;
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

static struct allfold_entry_list *list_of(struct allfold_cache *cache,
                                          const struct allfold_entry *entry)
{
    return entry->is_kept ? &cache->kept : &cache->trial;
}

static void unlink_by_use(struct allfold_cache *cache, struct allfold_entry *entry)
{
    struct allfold_entry_list *list = list_of(cache, entry);
    *(entry->newer == NULL ? &list->newest : &entry->newer->older) = entry->older;
    *(entry->older == NULL ? &list->oldest : &entry->older->newer) = entry->newer;
    assert(list->bytes >= entry->bytes && (list->newest == NULL) == (list->oldest == NULL));
    list->bytes -= entry->bytes;
}

static void link_newest(struct allfold_cache *cache, struct allfold_entry *entry, bool is_kept)
{
    entry->is_kept = is_kept;
    struct allfold_entry_list *list = list_of(cache, entry);
    entry->newer = NULL;
    entry->older = list->newest;
    *(list->newest == NULL ? &list->oldest : &list->newest->newer) = entry;
    list->newest = entry;
    list->bytes += entry->bytes;
    cache->last = entry;
}

static struct allfold_entry *look_up(struct allfold_cache *cache,
                                     const struct allfold_shape_key *key)
{
    struct allfold_entry *entry = *slot_of(cache, key);
    while (entry != NULL && !allfold_is_same_shape(&entry->key, key))
        entry = entry->next_in_slot;
    return entry;
}

struct allfold_entry *allfold_cache_find(struct allfold_cache *cache,
                                         const struct allfold_shape_key *key)
{
    struct allfold_entry *entry = cache->last;
    if (entry != NULL && entry->is_kept && allfold_is_same_shape(&entry->key, key))
        return entry;
    entry = look_up(cache, key);
    if (entry != NULL) {
        unlink_by_use(cache, entry);
        link_newest(cache, entry, true);
    }
    return entry;
}

void allfold_cache_add(struct allfold_cache *cache, struct allfold_entry *entry)
{
    assert(look_up(cache, &entry->key) == NULL);
    add_slots(cache);
    struct allfold_entry **slot = slot_of(cache, &entry->key);
    entry->next_in_slot = *slot;
    *slot = entry;
    link_newest(cache, entry, entry->bytes > ALLFOLD_TRIAL_ENTRY_BYTES);
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
    if (cache->last == entry)
        cache->last = NULL;
    cache->bytes -= entry->bytes;
    cache->count--;
    assert(cache->bytes == cache->trial.bytes + cache->kept.bytes);
    return entry;
}

struct allfold_entry *allfold_cache_take(struct allfold_cache *cache)
{
    return take_out(cache, cache->trial.oldest != NULL ? cache->trial.oldest : cache->kept.oldest);
}

static struct allfold_entry *find_of(const struct allfold_entry_list *list,
                                     enum allfold_collective collective)
{
    struct allfold_entry *entry = list->oldest;
    while (entry != NULL && entry->key.collective != collective)
        entry = entry->newer;
    return entry;
}

struct allfold_entry *allfold_cache_take_of(struct allfold_cache *cache,
                                            enum allfold_collective collective)
{
    struct allfold_entry *entry = find_of(&cache->trial, collective);
    return take_out(cache, entry != NULL ? entry : find_of(&cache->kept, collective));
}

/* The oldest of a list that is not the last one used; NULL: there is none. */
static struct allfold_entry *oldest_but_last(const struct allfold_cache *cache,
                                             const struct allfold_entry_list *list)
{
    return list->oldest == cache->last ? NULL : list->oldest;
}

struct allfold_entry *allfold_cache_take_surplus(struct allfold_cache *cache, size_t bytes)
{
    const bool is_large = cache->bytes > bytes;
    struct allfold_entry *entry = NULL;
    if (is_large || cache->trial.bytes > ALLFOLD_TRIAL_BYTES)
        entry = oldest_but_last(cache, &cache->trial);
    if (entry == NULL && is_large)
        entry = oldest_but_last(cache, &cache->kept);
    return take_out(cache, entry);
}

void allfold_entry_free(struct allfold_entry *entry)
{
    if (entry == NULL)
        return;
    struct allfold_pool *pool = entry->pool;
    allfold_pool_give(pool, entry->executor, entry->executor_bytes);
    if (entry->schedule != NULL)
        allfold_pool_give(pool, entry->schedule, entry->schedule->bytes);
    if (entry->begins != NULL)
        allfold_pool_give(pool, entry->begins, allfold_begins_bytes(&entry->key));
    allfold_pool_give(pool, entry, sizeof *entry);
}
