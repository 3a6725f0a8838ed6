/* A network of the tests' own for the fabric (see support_fabric.h). */
#include "support_fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { PEER_BYTES = 2 * ALLFOLD_FABRIC_SLOTS * ALLFOLD_FABRIC_SLOT_BYTES + 32 };
enum { MOST_RANKS = 16, MOST_REGISTERED = 4096, MOST_FLYING = 4096, SMALL_PART = 1 << 20 };

struct loose {
    struct allfold_provider provider; /* first */
    int rank, writes;
    struct allfold_write *ended[MOST_FLYING];
    bool ended_badly[MOST_FLYING];
    int ended_count;
};

static struct {
    struct loose_options options;
    int ranks;
    struct loose *providers[MOST_RANKS];
    struct {
        char *memory;
        size_t bytes;
        int owner;
    } registered[MOST_REGISTERED];
    struct {
        struct allfold_write *write;
        int from;
    } flying[MOST_FLYING];
    int flying_count, count;
    uint64_t seed;
    const char *fault;
} net;

static bool happens(int one_of)
{
    return one_of > 0 && random_below(&net.seed, (uint32_t)one_of) == 0;
}

/* Has the rank that a test wants to fail this fault by now? */
static bool has_fault(int how)
{
    return net.options.fails_after > 0 && (int)net.options.how == how &&
           net.providers[net.options.failing]->writes > net.options.fails_after;
}

static bool loose_insert(struct allfold_provider *provider, const void *address, uint64_t *peer)
{
    int rank;
    (void)provider;
    memcpy(&rank, address, sizeof rank);
    *peer = 100 + (uint64_t)rank;
    return true;
}

static bool loose_enroll(struct allfold_provider *provider, void *memory, size_t bytes,
                         struct allfold_registration *registration)
{
    const struct loose *t = (struct loose *)provider;
    int key = 1;
    while (key < MOST_REGISTERED && net.registered[key].memory != NULL)
        key++;
    if (key == MOST_REGISTERED || (bytes != PEER_BYTES && bytes > ALLFOLD_FABRIC_SLOT_BYTES / 2 &&
                                   happens(net.options.no_long_places)))
        return false;
    net.registered[key].memory = memory;
    net.registered[key].bytes = bytes;
    net.registered[key].owner = t->rank;
    net.count++;
    *registration = (struct allfold_registration){
        .handle = &net.registered[key],
        .local = &net.registered[key],
        .address = net.options.has_offsets ? 0 : (uint64_t)(uintptr_t)memory,
        .key = (uint64_t)key};
    return true;
}

static void loose_withdraw(struct allfold_provider *provider,
                           struct allfold_registration *registration)
{
    (void)provider;
    if (registration->handle == NULL)
        return;
    net.registered[registration->key].memory = NULL;
    net.count--;
    registration->handle = NULL;
}

static enum allfold_write_result loose_write(struct allfold_provider *provider,
                                             struct allfold_write *write)
{
    struct loose *t = (struct loose *)provider;
    t->writes++;
    if ((has_fault(LOOSE_WRITES_FAIL) || has_fault(LOOSE_DIES)) && t->rank == net.options.failing)
        return ALLFOLD_WRITE_FAILED;
    if (has_fault(LOOSE_DIES) && (int)write->peer - 100 == net.options.failing)
        return ALLFOLD_WRITE_FAILED;
    if (has_fault(LOOSE_WRONG_KEY) && t->rank == net.options.failing)
        write->key = MOST_REGISTERED;
    if (net.flying_count == MOST_FLYING || happens(net.options.no_room))
        return ALLFOLD_WRITE_LATER;
    if (net.options.needs_local && write->local == NULL)
        net.fault = "a write from memory that is not registered";
    if (write->bytes > net.options.most_bytes)
        net.fault = "a write that is too long";
    if (has_fault(LOOSE_VANISH) && t->rank == net.options.failing) {
        t->ended_badly[t->ended_count] = false;
        t->ended[t->ended_count++] = write;
        return ALLFOLD_WRITE_POSTED;
    }
    net.flying[net.flying_count].write = write;
    net.flying[net.flying_count++].from = t->rank;
    return ALLFOLD_WRITE_POSTED;
}

/* Where a write lands; NULL: nowhere. */
static char *target_of(const struct allfold_write *write)
{
    const int to = (int)write->peer - 100;
    if (write->key == 0 || write->key >= MOST_REGISTERED ||
        net.registered[write->key].memory == NULL || net.registered[write->key].owner != to)
        return NULL;
    char *begin = net.registered[write->key].memory;
    const uint64_t base = net.options.has_offsets ? 0 : (uint64_t)(uintptr_t)begin;
    if (write->target < base ||
        write->target - base + write->bytes > net.registered[write->key].bytes)
        return NULL;
    return begin + (write->target - base);
}

/* Lands one of the writes to this rank, any of them. False where there is none. */
static bool land(struct loose *t, struct allfold_completion *completion)
{
    const int first =
        net.flying_count == 0 ? 0 : (int)random_below(&net.seed, (uint32_t)net.flying_count);
    for (int n = 0; n < net.flying_count; n++) {
        const int i = (first + n) % net.flying_count, from = net.flying[i].from;
        struct allfold_write *write = net.flying[i].write;
        if ((int)write->peer - 100 != t->rank)
            continue;
        struct loose *source = net.providers[from];
        char *to = target_of(write);
        net.flying[i] = net.flying[--net.flying_count];
        if (to == NULL)
            net.fault = "a write to memory that is not registered";
        else
            memcpy(to, write->data, write->bytes);
        *completion = (struct allfold_completion){.immediate = write->immediate};
        source->ended_badly[source->ended_count] = to == NULL;
        source->ended[source->ended_count++] = write;
        return to != NULL;
    }
    return false;
}

static uint32_t loose_poll(struct allfold_provider *provider,
                           struct allfold_completion *completions, uint32_t room)
{
    struct loose *t = (struct loose *)provider;
    uint32_t count = 0;
    const uint32_t most = random_below(&net.seed, 4);
    if (has_fault(LOOSE_BREAKS) && t->rank == net.options.failing) {
        completions[0] = (struct allfold_completion){.failed = true};
        return 1;
    }
    while (count < room && count < most) {
        if (t->ended_count > 0 && happens(2)) {
            t->ended_count--;
            completions[count++] = (struct allfold_completion){
                .write = t->ended[t->ended_count], .failed = t->ended_badly[t->ended_count]};
        } else if (land(t, &completions[count])) {
            count++;
        } else {
            break;
        }
    }
    return count;
}

static void loose_close(struct allfold_provider *provider)
{
    struct loose *t = (struct loose *)provider;
    net.providers[t->rank] = NULL;
    free(t);
}

static const struct allfold_provider_operations operations = {
    .insert = loose_insert,
    .enroll = loose_enroll,
    .withdraw = loose_withdraw,
    .write = loose_write,
    .poll = loose_poll,
    .close = loose_close,
};

void loose_begin(const struct loose_options *options)
{
    memset(&net, 0, sizeof net);
    net.options = *options;
    net.seed = options->seed;
}

struct allfold_provider *loose_provider(void)
{
    struct loose *t = calloc(1, sizeof *t);
    t->provider.operations = &operations;
    t->rank = net.ranks++;
    t->provider.most_bytes = net.options.most_bytes;
    t->provider.needs_local = net.options.needs_local;
    snprintf(t->provider.name, sizeof t->provider.name, "loose");
    memcpy(t->provider.address, &t->rank, sizeof t->rank);
    net.providers[t->rank] = t;
    return &t->provider;
}

const char *loose_fault(void)
{
    return net.fault;
}

int loose_registrations(void)
{
    return net.count;
}
