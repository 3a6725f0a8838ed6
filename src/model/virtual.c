/* Virtual ranks and the transport between them (see virtual.h). */
#include "model/virtual.h"

#include <stdio.h>
#include <string.h>

#include "schedule/memory.h"

/* A message on its way: what a rank gave to the transport, until somebody received it. */
struct mail {
    struct mail *next;
    int from;
    uint32_t number;
    size_t length;
    int slot; /* of the sender, which waits until it is received; -1 where it does not */
    unsigned char data[];
};

enum slot_state { SLOT_FREE, SLOT_WAITS, SLOT_ENDS };

struct slot {
    enum slot_state state;
    bool is_send;
    struct allfold_message message;
    unsigned char *sent; /* what a send gave, to compare with at its end */
};

struct world;

struct rank {
    struct allfold_transport transport; /* first, so that the one gives the other */
    struct world *world;
    struct allfold_executor *executor;
    struct slot *slots;
    struct mail *inbox; /* in the order of sending */
    struct mail **inbox_end;
    int index;
    uint32_t ended; /* messages */
    bool started, done;
};

struct world {
    const struct allfold_virtual_run *run;
    struct rank *ranks;
    uint64_t random;
    uint64_t events; /* counts whatever happens, to notice when nothing does */
    enum allfold_error error;
    char *message;
    size_t message_bytes;
};

const char *allfold_virtual_mode_name(enum allfold_virtual_mode mode)
{
    static const char *const names[] = {"in order", "reordered", "synchronous"};
    return mode < ALLFOLD_VIRTUAL_MODE_COUNT ? names[mode] : NULL;
}

static uint32_t next_random(struct world *world)
{
    world->random = world->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(world->random >> 33);
}

static bool toss(struct world *world)
{
    return world->run->mode == ALLFOLD_VIRTUAL_REORDERED && (next_random(world) & 1) != 0;
}

static int disprove(struct rank *rank, const struct allfold_message *message, const char *words)
{
    struct world *world = rank->world;
    if (world->error == ALLFOLD_OK) {
        world->error = ALLFOLD_DISPROVED;
        snprintf(world->message, world->message_bytes,
                 "rank %d, message %u with rank %d (%zu elements): %s", rank->index,
                 message->number, message->peer, message->length, words);
    }
    return 1;
}

static size_t bytes_of(const struct world *world, size_t length)
{
    return length * (size_t)world->run->elements->extent_bytes;
}

static int no_memory(struct world *world)
{
    if (world->error == ALLFOLD_OK) {
        world->error = ALLFOLD_NO_MEMORY;
        snprintf(world->message, world->message_bytes, "no memory");
    }
    return 1;
}

static void deliver(struct rank *rank, struct slot *slot, struct mail *mail)
{
    struct world *world = rank->world;
    if (mail->length != slot->message.length)
        disprove(rank, &slot->message, "its two sides have different lengths");
    else
        memcpy(slot->message.data, mail->data, bytes_of(world, mail->length));
    slot->state = SLOT_ENDS;
    if (mail->slot >= 0)
        world->ranks[mail->from].slots[mail->slot].state = SLOT_ENDS;
    world->events++;
    allfold_free(mail);
}

/* The receive that waits for this mail, or NULL. */
static struct slot *find_receive(const struct rank *rank, const struct mail *mail)
{
    for (uint32_t i = 0; i < rank->world->run->window; i++) {
        struct slot *slot = &rank->slots[i];
        if (slot->state == SLOT_WAITS && !slot->is_send && slot->message.peer == mail->from &&
            slot->message.number == mail->number)
            return slot;
    }
    return NULL;
}

static int virtual_send(struct allfold_transport *transport, const struct allfold_message *message)
{
    struct rank *rank = (struct rank *)transport;
    struct world *world = rank->world;
    struct slot *slot = &rank->slots[message->slot];
    const size_t bytes = bytes_of(world, message->length);
    const bool waits = world->run->mode == ALLFOLD_VIRTUAL_SYNCHRONOUS || toss(world);
    if (message->peer < 0 || message->peer >= world->run->p)
        return disprove(rank, message, "its peer does not exist");
    struct rank *receiver = &world->ranks[message->peer];
    struct mail *mail = allfold_allocate(sizeof *mail + bytes);
    slot->sent = allfold_allocate(bytes);
    if (mail == NULL || slot->sent == NULL) {
        allfold_free(mail);
        return no_memory(world);
    }
    memcpy(slot->sent, message->data, bytes);
    memcpy(mail->data, message->data, bytes);
    mail->next = NULL;
    mail->from = rank->index;
    mail->number = message->number;
    mail->length = message->length;
    mail->slot = waits ? (int)message->slot : -1;
    slot->state = waits ? SLOT_WAITS : SLOT_ENDS;
    slot->is_send = true;
    slot->message = *message;
    world->events++;
    struct slot *receive = find_receive(receiver, mail);
    if (receive != NULL) {
        deliver(receiver, receive, mail);
    } else {
        *receiver->inbox_end = mail;
        receiver->inbox_end = &mail->next;
    }
    return 0;
}

static struct mail *take_mail(struct rank *rank, const struct allfold_message *message)
{
    for (struct mail **at = &rank->inbox; *at != NULL; at = &(*at)->next) {
        struct mail *mail = *at;
        if (mail->from != message->peer || mail->number != message->number)
            continue;
        *at = mail->next;
        if (rank->inbox_end == &mail->next)
            rank->inbox_end = at;
        return mail;
    }
    return NULL;
}

static int virtual_receive(struct allfold_transport *transport,
                           const struct allfold_message *message)
{
    struct rank *rank = (struct rank *)transport;
    struct slot *slot = &rank->slots[message->slot];
    memset(message->data, 0xff, bytes_of(rank->world, message->length));
    *slot = (struct slot){.state = SLOT_WAITS, .is_send = false, .message = *message};
    rank->world->events++;
    struct mail *mail = take_mail(rank, message);
    if (mail != NULL)
        deliver(rank, slot, mail);
    return 0;
}

static void end_slot(struct rank *rank, struct slot *slot)
{
    if (slot->is_send) {
        if (memcmp(slot->sent, slot->message.data, bytes_of(rank->world, slot->message.length)))
            disprove(rank, &slot->message, "it was overwritten while it was being sent");
        allfold_free(slot->sent);
        slot->sent = NULL;
    }
    slot->state = SLOT_FREE;
    rank->world->events++;
}

static int virtual_test(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    struct rank *rank = (struct rank *)transport;
    const uint32_t window = rank->world->run->window;
    const bool random = rank->world->run->mode == ALLFOLD_VIRTUAL_REORDERED;
    const uint32_t first = random ? next_random(rank->world) : 0;
    *count = 0;
    const bool in_turn = rank->world->run->mode == ALLFOLD_VIRTUAL_SYNCHRONOUS;
    for (uint32_t i = 0; i < (in_turn ? 1 : window); i++) {
        const uint32_t number = (in_turn ? rank->ended : first + i) & (window - 1);
        struct slot *slot = &rank->slots[number];
        if (slot->state != SLOT_ENDS)
            continue;
        if (toss(rank->world)) {
            rank->world->events++; /* it could have ended, and will */
            continue;
        }
        end_slot(rank, slot);
        rank->ended++;
        slots[(*count)++] = number;
    }
    return rank->world->error != ALLFOLD_OK;
}

static void virtual_abandon(struct allfold_transport *transport)
{
    (void)transport; /* what is in flight is freed with the world */
}

static int step_rank(struct world *world, struct rank *rank)
{
    const struct allfold_virtual_run *run = world->run;
    if (rank->started)
        return allfold_executor_test(rank->executor, &rank->done);
    const struct allfold_binding binding = {
        .in = run->in[rank->index],
        .out = run->out[rank->index],
        .scratch = run->scratch[rank->index],
        .elements = run->elements,
        .transport = &rank->transport,
    };
    rank->started = true;
    world->events++;
    return allfold_executor_start(rank->executor, &binding);
}

/* One turn of every rank; returns how many are not done. */
static int turn(struct world *world)
{
    const int p = world->run->p;
    const bool random = world->run->mode == ALLFOLD_VIRTUAL_REORDERED;
    int working = 0;
    for (int i = 0; i < p; i++) {
        struct rank *rank = &world->ranks[random ? next_random(world) % (uint32_t)p : (uint32_t)i];
        if (!rank->done && step_rank(world, rank) != 0 && world->error == ALLFOLD_OK) {
            world->error = ALLFOLD_DISPROVED;
            snprintf(world->message, world->message_bytes, "rank %d: a step failed", rank->index);
        }
    }
    for (int r = 0; r < p; r++)
        working += !world->ranks[r].done;
    return working;
}

static void run_world(struct world *world)
{
    enum { PATIENCE = 64 }; /* turns without an event; more than one as turns may leave ranks out */
    int idle = 0, working = world->run->p;
    while (working > 0 && world->error == ALLFOLD_OK) {
        const uint64_t before = world->events;
        const int worked = working;
        working = turn(world);
        idle = world->events == before && working == worked ? idle + 1 : 0;
        if (idle < PATIENCE || world->error != ALLFOLD_OK)
            continue;
        world->error = ALLFOLD_NO_PROGRESS;
        int first = 0;
        while (world->ranks[first].done)
            first++;
        snprintf(world->message, world->message_bytes,
                 "%d ranks wait for ever, the first of them is rank %d", working, first);
    }
    for (int r = 0; r < world->run->p && world->error == ALLFOLD_OK; r++)
        if (world->ranks[r].inbox != NULL) {
            world->error = ALLFOLD_DISPROVED;
            snprintf(world->message, world->message_bytes,
                     "message %u from rank %d to rank %d is never received",
                     world->ranks[r].inbox->number, world->ranks[r].inbox->from, r);
        }
}

static enum allfold_error set_up(struct world *world)
{
    const struct allfold_virtual_run *run = world->run;
    world->ranks = allfold_allocate_zeroed((size_t)run->p * sizeof *world->ranks);
    if (world->ranks == NULL)
        return ALLFOLD_NO_MEMORY;
    for (int r = 0; r < run->p; r++) {
        struct rank *rank = &world->ranks[r];
        rank->transport = (struct allfold_transport){.send = virtual_send,
                                                     .receive = virtual_receive,
                                                     .test = virtual_test,
                                                     .abandon = virtual_abandon};
        rank->world = world;
        rank->index = r;
        rank->inbox_end = &rank->inbox;
        rank->executor = allfold_executor_create(run->schedules[r], run->window);
        rank->slots = allfold_allocate_zeroed(run->window * sizeof *rank->slots);
        if (rank->executor == NULL || rank->slots == NULL)
            return ALLFOLD_NO_MEMORY;
    }
    return ALLFOLD_OK;
}

static void free_rank(struct rank *rank, uint32_t window)
{
    allfold_executor_free(rank->executor);
    while (rank->inbox != NULL) {
        struct mail *mail = rank->inbox;
        rank->inbox = mail->next;
        allfold_free(mail);
    }
    for (uint32_t i = 0; rank->slots != NULL && i < window; i++)
        allfold_free(rank->slots[i].sent);
    allfold_free(rank->slots);
}

enum allfold_error allfold_virtual_execute(const struct allfold_virtual_run *run, char *message,
                                           size_t message_bytes)
{
    struct world world = {
        .run = run, .random = run->seed, .message = message, .message_bytes = message_bytes};
    if (set_up(&world) == ALLFOLD_OK)
        run_world(&world);
    else
        no_memory(&world);
    for (int r = 0; world.ranks != NULL && r < run->p; r++)
        free_rank(&world.ranks[r], run->window);
    allfold_free(world.ranks);
    return world.error;
}
