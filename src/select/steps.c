/* Steps (see steps.h): a hash table by open addressing, at most half full.
 *
 * Invariant: each problem is there once, and no slot between that where it belongs and that where
 * it is, is free. */
#include "select/steps.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "util/memory.h"

enum { EXACT_BELOW = 8, FIRST_CAPACITY = 32, MOST_CAPACITY = 2048 };

/* How many counts a step has: a quarter of the power of two at or below its counts. */
static size_t width_of(size_t count)
{
    size_t width = 1;
    while (count / width >= EXACT_BELOW)
        width *= 2;
    return width;
}

size_t allfold_step_begin(size_t count)
{
    return count / width_of(count) * width_of(count);
}

size_t allfold_step_last(size_t count)
{
    return allfold_step_begin(count) + (width_of(count) - 1);
}

/* Of a problem, all that its choice depends on, but for the placement. */
struct key {
    size_t count, element_bytes;
    const struct allfold_cost_model *costs;
    int root;
    uint8_t collective;
    bool commutative, exact, canonical, shares_cores;
    uint8_t reading;
    bool is_taken; /* the slot holds one */
};

struct slot {
    struct key key;
    struct allfold_step_choice choice;
};

struct allfold_steps {
    pthread_mutex_t mutex;
    atomic_int owners;
    uint32_t count, capacity; /* a power of two, or 0 */
    struct slot *slots;
};

struct allfold_steps *allfold_steps_create(void)
{
    struct allfold_steps *steps = allfold_allocate_zeroed(sizeof *steps);
    if (steps == NULL)
        return NULL;
    pthread_mutex_init(&steps->mutex, NULL);
    atomic_init(&steps->owners, 1);
    return steps;
}

struct allfold_steps *allfold_steps_retain(struct allfold_steps *steps)
{
    if (steps != NULL)
        atomic_fetch_add(&steps->owners, 1);
    return steps;
}

void allfold_steps_release(struct allfold_steps *steps)
{
    if (steps == NULL)
        return;
    const int before = atomic_fetch_sub(&steps->owners, 1);
    assert(before > 0);
    if (before > 1)
        return;
    pthread_mutex_destroy(&steps->mutex);
    allfold_free(steps->slots);
    allfold_free(steps);
}

static struct key key_of(const struct allfold_problem *problem)
{
    return (struct key){.count = problem->count,
                        .element_bytes = problem->element_bytes,
                        .costs = problem->costs,
                        .root = problem->root,
                        .collective = (uint8_t)problem->collective,
                        .commutative = problem->commutative,
                        .exact = problem->exact,
                        .canonical = problem->canonical,
                        .shares_cores = problem->shares_cores,
                        .reading = (uint8_t)problem->reading,
                        .is_taken = true};
}

static bool is_same(const struct key *a, const struct key *b)
{
    return a->count == b->count && a->element_bytes == b->element_bytes && a->costs == b->costs &&
           a->root == b->root && a->collective == b->collective &&
           a->commutative == b->commutative && a->exact == b->exact &&
           a->canonical == b->canonical && a->shares_cores == b->shares_cores &&
           a->reading == b->reading;
}

/* The slot that holds a key, or the free one where it would go. */
static struct slot *slot_of(struct slot *slots, uint32_t capacity, const struct key *key)
{
    uint64_t hash = key->count * 0x9e3779b97f4a7c15u;
    hash ^= (uint64_t)key->element_bytes << 32 | (uint64_t)(unsigned)key->root << 7 |
            (uint64_t)key->collective << 3 | (uint64_t)key->canonical << 2 |
            (uint64_t)key->commutative << 1 | key->exact;
    hash *= 0xbf58476d1ce4e5b9u;
    uint32_t at = (uint32_t)(hash >> 32) & (capacity - 1);
    while (slots[at].key.is_taken && !is_same(&slots[at].key, key))
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

bool allfold_steps_find(struct allfold_steps *steps, const struct allfold_problem *problem,
                        struct allfold_step_choice *choice)
{
    const struct key key = key_of(problem);
    bool is_known = false;
    if (steps == NULL)
        return false;
    pthread_mutex_lock(&steps->mutex);
    if (steps->count > 0) {
        const struct slot *slot = slot_of(steps->slots, steps->capacity, &key);
        is_known = slot->key.is_taken;
        *choice = slot->choice;
    }
    pthread_mutex_unlock(&steps->mutex);
    return is_known;
}

/* Room for one more: twice as many slots, or the same anew where there are as many as may be. */
static bool make_room(struct allfold_steps *steps)
{
    if (2 * (steps->count + 1) <= steps->capacity)
        return true;
    if (steps->capacity == MOST_CAPACITY) {
        memset(steps->slots, 0, steps->capacity * sizeof *steps->slots);
        steps->count = 0;
        return true;
    }
    const uint32_t capacity = steps->capacity == 0 ? FIRST_CAPACITY : 2 * steps->capacity;
    struct slot *slots = allfold_allocate_zeroed(capacity * sizeof *slots);
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < steps->capacity; i++)
        if (steps->slots[i].key.is_taken)
            *slot_of(slots, capacity, &steps->slots[i].key) = steps->slots[i];
    allfold_free(steps->slots);
    steps->slots = slots;
    steps->capacity = capacity;
    return true;
}

void allfold_steps_note(struct allfold_steps *steps, const struct allfold_problem *problem,
                        const struct allfold_step_choice *choice)
{
    const struct key key = key_of(problem);
    if (steps == NULL)
        return;
    pthread_mutex_lock(&steps->mutex);
    if (make_room(steps)) {
        struct slot *slot = slot_of(steps->slots, steps->capacity, &key);
        steps->count += !slot->key.is_taken; /* another thread may have found it meanwhile */
        *slot = (struct slot){.key = key, .choice = *choice};
        assert(steps->count <= steps->capacity / 2);
    }
    pthread_mutex_unlock(&steps->mutex);
}
