/* Virtual ranks: their scheduling and the transport between them (see virtual.h). */
#include "lab/verify/virtual.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "execute/executor.h"
#include "lab/verify/mailbox.h"
#include "util/memory.h"

struct slot {
    struct allfold_message message;
    struct allfold_mail *mail; /* what a send gave, or what a receive will get */
    bool is_send;
    bool is_delivered; /* a receive's data is delivered to the executor, in fragments */
    size_t begin;      /* the first element that it takes of them */
    size_t taken;      /* elements that it has taken of them */
};

/* Some of a rank's slots. Windows are large and few of their slots in use, so they are found
 * without looking at the others. Looking at them would take most of the verifier's time. */
struct slot_set {
    uint64_t words[ALLFOLD_MAX_WINDOW / 64];
};

static bool slot_set_has(const struct slot_set *set, uint32_t slot)
{
    return (set->words[slot / 64] >> slot % 64 & 1) != 0;
}

static void slot_set_add(struct slot_set *set, uint32_t slot)
{
    assert(slot < ALLFOLD_MAX_WINDOW);
    set->words[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void slot_set_remove(struct slot_set *set, uint32_t slot)
{
    set->words[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

/* The first one that is `from` or more; ALLFOLD_MAX_WINDOW where there is none. */
static uint32_t slot_set_next(const struct slot_set *set, uint32_t from)
{
    uint64_t bits = from < ALLFOLD_MAX_WINDOW ? set->words[from / 64] >> from % 64 << from % 64 : 0;
    for (uint32_t word = from / 64; word < ALLFOLD_MAX_WINDOW / 64; bits = set->words[word]) {
        if (bits != 0)
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
        if (++word == ALLFOLD_MAX_WINDOW / 64)
            break;
    }
    return ALLFOLD_MAX_WINDOW;
}

struct rank {
    struct allfold_transport transport; /* first, so that the one gives the other */
    struct allfold_virtual *world;
    struct allfold_executor *executor;
    struct slot *slots;
    struct slot_set waiting, ending; /* messages on the way, and those that can end */
    struct allfold_inbox inbox;
    int index;
    uint32_t ended;        /* messages */
    uint32_t ending_count; /* slots in `ending` */
    uint64_t turns;        /* so far; after two only the end of a message moves it */
    bool has_turn;         /* is in the queue, or at work */
    bool done;
};

_Static_assert(offsetof(struct rank, transport) == 0, "a transport is cast to its rank");

struct allfold_virtual {
    struct allfold_mail_pool mails;
    char *memory; /* for ranks, their slots and their executors */
    size_t memory_bytes;

    /* of the present run */
    const struct allfold_virtual_run *run;
    struct rank *ranks;
    int *queue; /* a ring of the ranks that can move, each of them once */
    uint32_t queue_first, queued;
    uint64_t random;
    enum allfold_error error;
    char *message;
    size_t message_bytes;
};

static uint32_t next_random(struct allfold_virtual *world)
{
    world->random = world->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(world->random >> 33);
}

const char *allfold_virtual_mode_name(enum allfold_virtual_mode mode)
{
    static const char *const names[] = {"in order", "reordered", "synchronous"};
    return mode < ALLFOLD_VIRTUAL_MODE_COUNT ? names[mode] : NULL;
}

static int no_memory(struct allfold_virtual *world)
{
    if (world->error == ALLFOLD_OK) {
        world->error = ALLFOLD_NO_MEMORY;
        snprintf(world->message, world->message_bytes, "no memory");
    }
    return 1;
}

static void enqueue(struct rank *rank)
{
    struct allfold_virtual *world = rank->world;
    const uint32_t p = (uint32_t)world->run->p, last = world->queue_first + world->queued;
    if (rank->has_turn)
        return;
    assert(world->queued < p); /* each rank is there once */
    rank->has_turn = true;
    world->queue[last < p ? last : last - p] = rank->index;
    world->queued++;
}

/* What a receive's target is filled with while the message is in flight. */
enum { WIPED = 0xff };

static bool toss(struct allfold_virtual *world)
{
    return world->run->mode == ALLFOLD_VIRTUAL_REORDERED && (next_random(world) & 1) != 0;
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
    assert(slot_set_has(&rank->waiting, slot) && !slot_set_has(&rank->ending, slot));
    slot_set_remove(&rank->waiting, slot);
    slot_set_add(&rank->ending, slot);
    rank->ending_count++;
    enqueue(rank);
}

/* A receive has found its mail; its target stays wiped until it ends. */
static int match(struct rank *rank, struct slot *slot, struct allfold_mail *mail)
{
    const size_t length = slot->message.length;
    size_t *received = rank->transport.received;
    slot->mail = mail;
    if (mail->length > length || (mail->length < length && received == NULL))
        return disprove(rank, &slot->message, "its two sides have different lengths");
    if (mail->length < length) {
        received[slot->message.slot] = mail->length;
        slot->is_delivered = false; /* no transport that delivers compresses */
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
        return no_memory(world);
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
    *slot = (struct slot){.message = *message,
                          .is_delivered = toss(rank->world) && message->length > 0};
    if (slot->is_delivered)
        slot->begin = next_random(rank->world) % message->length;
    slot_set_add(&rank->waiting, message->slot);
    struct allfold_mail *mail = allfold_inbox_take(&rank->inbox, message->peer, message->number);
    return mail == NULL ? 0 : match(rank, slot, mail);
}

static bool is_wiped(const unsigned char *data, size_t bytes)
{
    return bytes == 0 || (data[0] == WIPED && memcmp(data, data + 1, bytes - 1) == 0);
}

/* Delivers the next fragment of what a receive gets, from some element on and then from the first
 * one; true for the last one. */
static bool deliver(struct rank *rank, struct slot *slot)
{
    struct allfold_virtual *world = rank->world;
    const size_t length = slot->message.length, begin = slot->begin;
    const bool is_wrapped = slot->taken >= length - begin;
    const size_t first = is_wrapped ? slot->taken - (length - begin) : begin + slot->taken;
    const size_t rest = (is_wrapped ? begin : length) - first;
    const size_t count = 1 + next_random(world) % rest;
    const size_t at = bytes_of(world, first);
    const unsigned char *data = slot->message.data;
    slot->taken += count;
    if (!is_wiped(data + at, bytes_of(world, rest)) ||
        (!is_wrapped && !is_wiped(data, bytes_of(world, begin))))
        disprove(rank, &slot->message, "it was written to while it was being received");
    else if (rank->transport.deliver(rank->transport.deliver_context, slot->message.slot, first,
                                     count, slot->mail->data + at) != 0)
        disprove(rank, &slot->message, "what it brought cannot be taken");
    return slot->taken == slot->message.length;
}

/* Offers a message where it lies. If the executor retains it, its target stays wiped. */
static bool offer(struct rank *rank, struct slot *slot)
{
    const struct allfold_published published = {
        .data = slot->mail->data, .first = slot->begin, .peer = slot->message.peer};
    if (slot->taken > 0 || !toss(rank->world) ||
        !rank->transport.offer(rank->transport.deliver_context, slot->message.slot, &published))
        return false;
    slot->mail->holders++;
    if (!is_wiped(slot->message.data, bytes_of(rank->world, slot->message.length)))
        disprove(rank, &slot->message, "it was written to while it was being received");
    return true;
}

static void virtual_release_published(struct allfold_transport *transport,
                                      const struct allfold_published *published)
{
    struct rank *rank = (struct rank *)transport;
    char *data = (char *)(uintptr_t)published->data;
    struct allfold_mail *mail = (void *)(data - offsetof(struct allfold_mail, data));
    allfold_mail_release(&rank->world->mails, mail);
}

/* What is done at the end of a message; false where it is not its end yet. */
static bool end_message(struct rank *rank, struct slot *slot)
{
    void *data = slot->message.data;
    const size_t bytes = bytes_of(rank->world, slot->message.length);
    const size_t came = bytes_of(rank->world, slot->mail->length);
    if (slot->is_delivered)
        return offer(rank, slot) || deliver(rank, slot);
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
    assert(slot_set_has(&rank->ending, slot) && rank->ending_count > 0);
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
    uint32_t at = (random ? next_random(world) : rank->ended) & (world->run->window - 1);
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

static bool virtual_may_compress(const struct allfold_transport *transport, int peer)
{
    (void)transport, (void)peer;
    return true;
}

static void virtual_abandon(struct allfold_transport *transport)
{
    (void)transport; /* what is in flight is freed with the world */
}

static const struct allfold_transport_operations operations = {
    .send = virtual_send,
    .receive = virtual_receive,
    .test = virtual_test,
    .abandon = virtual_abandon,
    .release_published = virtual_release_published,
    .may_compress = virtual_may_compress,
};

static int step_rank(struct allfold_virtual *world, struct rank *rank)
{
    const struct allfold_virtual_run *run = world->run;
    if (rank->turns++ > 0)
        return allfold_executor_test(rank->executor, &rank->done);
    const struct allfold_binding binding = {
        .in = run->in[rank->index],
        .out = run->out[rank->index],
        .scratch = run->scratch[rank->index],
        .elements = run->elements,
        .transport = &rank->transport,
    };
    return allfold_executor_start(rank->executor, &binding);
}

/* Whether a turn may do anything for a rank. */
static bool can_move(const struct rank *rank)
{
    const uint32_t oldest = rank->ended & (rank->world->run->window - 1);
    const bool in_turn = rank->world->run->mode == ALLFOLD_VIRTUAL_SYNCHRONOUS;
    const bool has_news = in_turn ? slot_set_has(&rank->ending, oldest) : rank->ending_count > 0;
    return !rank->done && (rank->turns < 2 || has_news);
}

/* The next rank to have its turn: the one that waits longest, or any. */
static struct rank *dequeue(struct allfold_virtual *world)
{
    const bool random = world->run->mode == ALLFOLD_VIRTUAL_REORDERED;
    const uint32_t p = (uint32_t)world->run->p;
    const uint32_t any = world->queue_first + (random ? next_random(world) % world->queued : 0);
    int *taken = &world->queue[any < p ? any : any - p];
    struct rank *rank = &world->ranks[*taken];
    *taken = world->queue[world->queue_first];
    world->queue_first = world->queue_first + 1 < p ? world->queue_first + 1 : 0;
    world->queued--;
    return rank;
}

static void run_ranks(struct allfold_virtual *world)
{
    int working = world->run->p, first = 0;
    for (int r = 0; r < working; r++)
        enqueue(&world->ranks[r]);
    while (world->queued > 0 && world->error == ALLFOLD_OK) {
        struct rank *rank = dequeue(world);
        if (step_rank(world, rank) != 0 && world->error == ALLFOLD_OK) {
            world->error = ALLFOLD_DISPROVED;
            snprintf(world->message, world->message_bytes, "rank %d: a step failed", rank->index);
        }
        rank->has_turn = false;
        working -= rank->done;
        if (can_move(rank))
            enqueue(rank);
    }
    if (working == 0 || world->error != ALLFOLD_OK)
        return;
    while (world->ranks[first].done)
        first++;
    world->error = ALLFOLD_NO_PROGRESS;
    snprintf(world->message, world->message_bytes,
             "%d ranks wait for ever, the first of them is rank %d", working, first);
}

static void check_inboxes(struct allfold_virtual *world)
{
    for (int r = 0; r < world->run->p && world->error == ALLFOLD_OK; r++)
        if (world->ranks[r].inbox.first != NULL) {
            world->error = ALLFOLD_DISPROVED;
            snprintf(world->message, world->message_bytes,
                     "message %u from rank %d to rank %d is never received",
                     world->ranks[r].inbox.first->number, world->ranks[r].inbox.first->from, r);
        }
}

static size_t lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* The ranks and their queue. */
static size_t head_bytes(const struct allfold_virtual_run *run)
{
    return lines((size_t)run->p * (sizeof(struct rank) + sizeof(int)));
}

static bool give_memory(struct allfold_virtual *world)
{
    const struct allfold_virtual_run *run = world->run;
    size_t bytes = head_bytes(run) + (size_t)run->p * lines(run->window * sizeof(struct slot));
    for (int r = 0; r < run->p; r++)
        bytes += lines(allfold_executor_bytes(run->schedules[r], run->window));
    if (bytes <= world->memory_bytes)
        return true;
    allfold_free(world->memory);
    world->memory = allfold_allocate(bytes);
    world->memory_bytes = world->memory == NULL ? 0 : bytes;
    return world->memory != NULL;
}

static void set_up(struct allfold_virtual *world)
{
    const struct allfold_virtual_run *run = world->run;
    const size_t slot_bytes = run->window * sizeof(struct slot);
    char *memory = world->memory + head_bytes(run);
    memset(world->memory, 0, head_bytes(run));
    world->ranks = (struct rank *)(void *)world->memory;
    world->queue = (int *)(void *)(world->ranks + run->p);
    for (int r = 0; r < run->p; r++) {
        struct rank *rank = &world->ranks[r];
        rank->transport = (struct allfold_transport){.operations = &operations};
        rank->world = world;
        rank->index = r;
        allfold_inbox_begin(&rank->inbox);
        rank->slots = (struct slot *)(void *)memory; /* nothing is read of one that is not in use */
        memory += lines(slot_bytes);
        rank->executor = allfold_executor_create_in(memory, run->schedules[r], run->window);
        memory += lines(allfold_executor_bytes(run->schedules[r], run->window));
    }
}

/* After a run: whatever is still in flight goes back. */
static void tidy_up(struct allfold_virtual *world, struct rank *rank)
{
    for (struct allfold_mail *mail = rank->inbox.first, *next; mail != NULL; mail = next) {
        next = mail->next;
        allfold_mail_release(&world->mails, mail);
    }
    for (size_t i = 0; i < ALLFOLD_MAX_WINDOW / 64; i++)
        rank->waiting.words[i] |= rank->ending.words[i];
    for (uint32_t i = slot_set_next(&rank->waiting, 0); i < ALLFOLD_MAX_WINDOW;
         i = slot_set_next(&rank->waiting, i + 1))
        allfold_mail_release(&world->mails, rank->slots[i].mail);
}

struct allfold_virtual *allfold_virtual_create(void)
{
    return allfold_allocate_zeroed(sizeof(struct allfold_virtual));
}

void allfold_virtual_free(struct allfold_virtual *world)
{
    if (world == NULL)
        return;
    allfold_mail_pool_empty(&world->mails);
    allfold_free(world->memory);
    allfold_free(world);
}

enum allfold_error allfold_virtual_execute(struct allfold_virtual *world,
                                           const struct allfold_virtual_run *run, char *message,
                                           size_t message_bytes)
{
    assert(run->p > 0 && run->window >= 1 && run->window <= ALLFOLD_MAX_WINDOW);
    assert((run->window & (run->window - 1)) == 0);
    world->run = run;
    world->queue_first = world->queued = 0;
    world->random = run->seed;
    world->error = ALLFOLD_OK;
    world->message = message;
    world->message_bytes = message_bytes;
    if (!give_memory(world)) {
        no_memory(world);
        return world->error;
    }
    set_up(world);
    run_ranks(world);
    check_inboxes(world);
    for (int r = 0; r < run->p && world->error != ALLFOLD_OK; r++)
        tidy_up(world, &world->ranks[r]);
    return world->error;
}
