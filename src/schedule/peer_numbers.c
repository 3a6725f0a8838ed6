/* Rank -> message counts, by open addressing (see builder_state.h). */
#include "schedule/builder_state.h"
#include "util/memory.h"

enum { FIRST_CAPACITY = 16 };

static struct allfold_peer_entry *find(const struct allfold_peers *peers, int rank)
{
    uint32_t mask = peers->capacity - 1;
    uint32_t at = (uint32_t)rank * 2654435769u >> 7 & mask;
    while (peers->entries[at].rank != 0 && peers->entries[at].rank != rank + 1)
        at = (at + 1) & mask;
    return &peers->entries[at];
}

static enum allfold_error widen(struct allfold_peers *peers)
{
    struct allfold_peers wide = {
        .capacity = peers->capacity == 0 ? FIRST_CAPACITY : peers->capacity * 2,
        .count = peers->count,
    };
    wide.entries = allfold_allocate_zeroed(wide.capacity * sizeof *wide.entries);
    if (wide.entries == NULL)
        return ALLFOLD_NO_MEMORY;
    for (uint32_t i = 0; i < peers->capacity; i++)
        if (peers->entries[i].rank != 0)
            *find(&wide, peers->entries[i].rank - 1) = peers->entries[i];
    allfold_free(peers->entries);
    *peers = wide;
    return ALLFOLD_OK;
}

uint32_t *allfold_peer_numbers(struct allfold_peers *peers, int rank)
{
    if (peers->count * 2 >= peers->capacity && widen(peers) != ALLFOLD_OK)
        return NULL;
    struct allfold_peer_entry *entry = find(peers, rank);
    if (entry->rank == 0) {
        entry->rank = rank + 1;
        peers->count++;
    }
    return entry->numbers;
}
