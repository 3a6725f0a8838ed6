/* Creates and frees the fabric, and reports its address, name and memory (see fabric.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric_inner.h"
#include "util/memory.h"

static bool allocate_parts(struct allfold_fabric *fabric)
{
    const size_t p = (size_t)fabric->options.size;
    fabric->board = allfold_allocate_zeroed(p * sizeof *fabric->board);
    fabric->peers = allfold_allocate_zeroed(p * sizeof(*fabric->peers));
    fabric->flags = allfold_allocate_zeroed(p);
    return fabric->board != NULL && fabric->peers != NULL && fabric->flags != NULL &&
           fabric->provider->operations->enroll(fabric->provider, fabric->board,
                                                p * sizeof *fabric->board,
                                                &fabric->board_registration);
}

struct allfold_fabric *allfold_peers_create(const struct allfold_fabric_options *options,
                                            const struct allfold_fabric_receiver *receiver)
{
    struct allfold_fabric *fabric =
        options->size > ALLFOLD_MOST_RANKS ? NULL : allfold_allocate_zeroed(sizeof *fabric);
    if (fabric == NULL) {
        options->provider->operations->close(options->provider);
        return NULL;
    }
    fabric->options = *options;
    fabric->receiver = receiver;
    fabric->provider = options->provider;
    fabric->later_end = &fabric->later;
    fabric->receive_free = UINT32_MAX;
    pthread_mutex_init(&fabric->mutex, NULL);
    if (allocate_parts(fabric))
        return fabric;
    allfold_fabric_free(fabric);
    return NULL;
}

struct allfold_fabric_address allfold_fabric_address(const struct allfold_fabric *fabric)
{
    struct allfold_fabric_address address = {.board = fabric->board_registration.address,
                                             .key = fabric->board_registration.key};
    memcpy(address.provider, fabric->provider->name, sizeof address.provider);
    memcpy(address.address, fabric->provider->address, sizeof address.address);
    return address;
}

void allfold_fabric_meet(struct allfold_fabric *fabric, struct allfold_fabric_address *addresses)
{
    assert(fabric->addresses == NULL);
    fabric->addresses = addresses;
}

void allfold_fabric_free(struct allfold_fabric *fabric)
{
    if (fabric == NULL)
        return;
    assert(fabric->streams == NULL);
    struct allfold_provider *provider = fabric->provider;
    for (uint32_t i = 0; i < fabric->peer_count; i++)
        provider->operations->withdraw(provider, &fabric->by_index[i]->registration);
    provider->operations->withdraw(provider, &fabric->board_registration);
    provider->operations->close(provider);
    /* writes that never ended used this memory until now */
    for (uint32_t i = 0; i < fabric->peer_count; i++)
        allfold_peer_free(fabric->by_index[i]);
    for (struct allfold_item_write *next; fabric->given_up != NULL; fabric->given_up = next) {
        next = fabric->given_up->next;
        allfold_free(fabric->given_up);
    }
    free(fabric->by_index); /* grown by allfold_make_room, as the next one */
    free(fabric->receives);
    allfold_free(fabric->board);
    allfold_free(fabric->peers);
    allfold_free(fabric->flags);
    allfold_free(fabric->addresses);
    pthread_mutex_destroy(&fabric->mutex);
    allfold_free(fabric);
}

const char *allfold_fabric_name(const struct allfold_fabric *fabric)
{
    return fabric->provider->name;
}

struct allfold_fabric_figures allfold_fabric_figures(const struct allfold_fabric *fabric)
{
    return fabric->figures;
}

size_t allfold_fabric_bytes(const struct allfold_fabric *fabric, int *peers)
{
    const size_t p = (size_t)fabric->options.size;
    const size_t each = sizeof(struct allfold_fabric_peer) + sizeof(struct allfold_peer_memory);
    size_t streams = 0;
    for (const struct allfold_fabric_stream *s = fabric->streams; s != NULL; s = s->next)
        streams += sizeof *s + fabric->options.window * sizeof *s->items +
                   s->pair_capacity * sizeof *s->pairs;
    *peers = (int)fabric->peer_count;
    return sizeof *fabric +
           p * (sizeof *fabric->board + sizeof(*fabric->peers) + 1 + sizeof *fabric->addresses) +
           fabric->by_index_capacity * sizeof(*fabric->by_index) +
           fabric->receive_capacity * sizeof *fabric->receives + fabric->peer_count * each +
           streams;
}
