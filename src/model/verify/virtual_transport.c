/* The transport between virtual ranks (see virtual.h). */
#include <stdio.h>
#include <string.h>

#include "model/verify/virtual_state.h"

/* What a receive's target is filled with while the message is in flight. */
enum { WIPED = 0xff };

static bool toss(struct allfold_virtual *world)
{
    return world->run->mode == ALLFOLD_VIRTUAL_REORDERED &&
           (allfold_virtual_random(world) & 1) != 0;
}

static int disprove(struct rank *rank, const struct allfold_message *message, const char *words)
{
    struct allfold_virtual *world = rank->world;
    if (world->error == ALLFOLD_OK) {
        world->error = ALLFOLD_DISPROVED;
        snprintf(world->message, world->message_bytes,
                 "rank %d, message %u with rank %d (%zu elements): %s", rank->index,
                 message->number, message->peer, message->length, words);
    }
    return 1;
}

static size_t bytes_of(const struct allfold_virtual *world, size_t length)
{
    return length * (size_t)world->run->elements->extent_bytes;
}

static void let_end(struct rank *rank, uint32_t slot)
{
    slot_set_remove(&rank->waiting, slot);
    slot_set_add(&rank->ending, slot);
    rank->ending_count++;
    allfold_virtual_enqueue(rank);
}

/* A receive has found its mail; its target stays wiped until it ends. */
static int match(struct rank *rank, struct slot *slot, struct allfold_mail *mail)
{
    const size_t length = slot->message.length;
    size_t *came = rank->transport.came;
    slot->mail = mail;
    if (mail->length > length || (mail->length < length && came == NULL))
        return disprove(rank, &slot->message, "its two sides have different lengths");
    if (mail->length < length) {
        came[slot->message.slot] = mail->length;
        slot->is_shown = false; /* no transport that shows what it brings makes it shorter */
    }
    let_end(rank, slot->message.slot);
    if (mail->slot >= 0)
        let_end(&rank->world->ranks[mail->from], (uint32_t)mail->slot);
    return 0;
}

/* The receive that waits for this mail, or NULL. */
static struct slot *find_receive(const struct rank *rank, const struct allfold_mail *mail)
{
    const struct slot_set *waiting = &rank->waiting;
    for (uint32_t i = slot_set_next(waiting, 0); i < ALLFOLD_MAX_WINDOW;
         i = slot_set_next(waiting, i + 1)) {
        struct slot *slot = &rank->slots[i];
        if (!slot->is_send && slot->message.peer == mail->from &&
            slot->message.number == mail->number)
            return slot;
    }
    return NULL;
}

static int virtual_send(struct allfold_transport *transport, const struct allfold_message *message)
{
    struct rank *rank = (struct rank *)transport;
    struct allfold_virtual *world = rank->world;
    struct slot *slot = &rank->slots[message->slot];
    const struct allfold_elements *elements = world->run->elements;
    const bool waits = world->run->mode == ALLFOLD_VIRTUAL_SYNCHRONOUS || toss(world);
    if (message->peer < 0 || message->peer >= world->run->p)
        return disprove(rank, message, "its peer does not exist");
    struct rank *receiver = &world->ranks[message->peer];
    struct allfold_mail *mail = allfold_mail_take(&world->mails, bytes_of(world, message->length));
    if (mail == NULL)
        return allfold_virtual_no_memory(world);
    *slot = (struct slot){.is_send = true, .message = *message, .mail = mail};
    slot_set_add(&rank->waiting, message->slot);
    mail->from = rank->index;
    mail->number = message->number;
    mail->length = message->length;
    mail->slot = waits ? (int)message->slot : -1;
    allfold_inbox_put(&receiver->inbox, mail);
    if (elements->copy(elements, mail->data, message->data, message->length) != 0)
        return disprove(rank, message, "it cannot be sent");
    if (!waits)
        let_end(rank, message->slot);
    struct slot *receive = find_receive(receiver, mail);
    if (receive == NULL)
        return 0;
    return match(receiver, receive, allfold_inbox_take(&receiver->inbox, mail->from, mail->number));
}

static int virtual_receive(struct allfold_transport *transport,
                           const struct allfold_message *message)
{
    struct rank *rank = (struct rank *)transport;
    struct slot *slot = &rank->slots[message->slot];
    memset(message->data, WIPED, bytes_of(rank->world, message->length));
    *slot = (struct slot){.message = *message, .is_shown = toss(rank->world)};
    slot_set_add(&rank->waiting, message->slot);
    struct allfold_mail *mail = allfold_inbox_take(&rank->inbox, message->peer, message->number);
    return mail == NULL ? 0 : match(rank, slot, mail);
}

static bool is_wiped(const unsigned char *data, size_t bytes)
{
    return bytes == 0 || (data[0] == WIPED && memcmp(data, data + 1, bytes - 1) == 0);
}

/* Shows the executor the next piece of what a receive gets, where it lies; true for the last one.
 */
static bool show(struct rank *rank, struct slot *slot)
{
    struct allfold_virtual *world = rank->world;
    const size_t first = slot->taken, rest = slot->message.length - first;
    const size_t count = 1 + allfold_virtual_random(world) % rest;
    const size_t at = bytes_of(world, first);
    slot->taken += count;
    if (!is_wiped((unsigned char *)slot->message.data + at, bytes_of(world, rest)))
        disprove(rank, &slot->message, "it was written to while it was being received");
    else if (rank->transport.take(rank->transport.take_context, slot->message.slot, first, count,
                                  slot->mail->data + at) != 0)
        disprove(rank, &slot->message, "what it brought cannot be taken");
    return slot->taken == slot->message.length;
}

/* What is done at the end of a message; false where it is not its end yet. */
static bool end_message(struct rank *rank, struct slot *slot)
{
    void *data = slot->message.data;
    const size_t bytes = bytes_of(rank->world, slot->message.length);
    const size_t came = bytes_of(rank->world, slot->mail->length);
    if (slot->is_shown)
        return show(rank, slot);
    if (slot->is_send && memcmp(slot->mail->data, data, bytes) != 0)
        disprove(rank, &slot->message, "it was overwritten while it was being sent");
    if (!slot->is_send && !is_wiped(data, bytes))
        disprove(rank, &slot->message, "it was written to while it was being received");
    if (!slot->is_send)
        memcpy(data, slot->mail->data, came);
    return true;
}

static void end_slot(struct rank *rank, uint32_t slot)
{
    allfold_mail_release(&rank->world->mails, rank->slots[slot].mail);
    slot_set_remove(&rank->ending, slot);
    rank->ending_count--;
    rank->ended++;
}

/* Ends what can end and is given its end now: in synchronous mode the oldest message alone. */
static int virtual_test(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    struct rank *rank = (struct rank *)transport;
    struct allfold_virtual *world = rank->world;
    const bool in_turn = world->run->mode == ALLFOLD_VIRTUAL_SYNCHRONOUS;
    const bool random = world->run->mode == ALLFOLD_VIRTUAL_REORDERED;
    *count = 0;
    if (rank->ending_count == 0)
        return 0;
    uint32_t at = (random ? allfold_virtual_random(world) : rank->ended) & (world->run->window - 1);
    uint32_t left = rank->ending_count;
    if (in_turn)
        left = slot_set_has(&rank->ending, at);
    for (; left > 0; left--, at++) {
        at = slot_set_next(&rank->ending, at);
        if (at == ALLFOLD_MAX_WINDOW)
            at = slot_set_next(&rank->ending, 0);
        if (toss(world) || !end_message(rank, &rank->slots[at]))
            continue; /* it could have ended, and will */
        end_slot(rank, at);
        slots[(*count)++] = at;
    }
    return world->error != ALLFOLD_OK;
}

static bool virtual_may_be_short(const struct allfold_transport *transport, int peer)
{
    (void)transport, (void)peer;
    return true;
}

static void virtual_abandon(struct allfold_transport *transport)
{
    (void)transport; /* what is in flight is freed with the world */
}

struct allfold_transport allfold_virtual_transport(void)
{
    return (struct allfold_transport){.send = virtual_send,
                                      .receive = virtual_receive,
                                      .test = virtual_test,
                                      .abandon = virtual_abandon,
                                      .may_be_short = virtual_may_be_short};
}
