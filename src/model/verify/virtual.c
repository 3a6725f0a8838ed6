/* Virtual ranks, who take turns (see virtual.h). */
#include "model/verify/virtual.h"

#include <stdio.h>
#include <string.h>

#include "model/verify/virtual_state.h"
#include "util/memory.h"

const char *allfold_virtual_mode_name(enum allfold_virtual_mode mode)
{
    static const char *const names[] = {"in order", "reordered", "synchronous"};
    return mode < ALLFOLD_VIRTUAL_MODE_COUNT ? names[mode] : NULL;
}

int allfold_virtual_no_memory(struct allfold_virtual *world)
{
    if (world->error == ALLFOLD_OK) {
        world->error = ALLFOLD_NO_MEMORY;
        snprintf(world->message, world->message_bytes, "no memory");
    }
    return 1;
}

void allfold_virtual_enqueue(struct rank *rank)
{
    struct allfold_virtual *world = rank->world;
    const uint32_t p = (uint32_t)world->run->p, last = world->queue_first + world->queued;
    if (rank->has_turn)
        return;
    rank->has_turn = true;
    world->queue[last < p ? last : last - p] = rank->index;
    world->queued++;
}

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
    const uint32_t any =
        world->queue_first + (random ? allfold_virtual_random(world) % world->queued : 0);
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
        allfold_virtual_enqueue(&world->ranks[r]);
    while (world->queued > 0 && world->error == ALLFOLD_OK) {
        struct rank *rank = dequeue(world);
        if (step_rank(world, rank) != 0 && world->error == ALLFOLD_OK) {
            world->error = ALLFOLD_DISPROVED;
            snprintf(world->message, world->message_bytes, "rank %d: a step failed", rank->index);
        }
        rank->has_turn = false;
        working -= rank->done;
        if (can_move(rank))
            allfold_virtual_enqueue(rank);
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
        rank->transport = allfold_virtual_transport();
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
    world->run = run;
    world->queue_first = world->queued = 0;
    world->random = run->seed;
    world->error = ALLFOLD_OK;
    world->message = message;
    world->message_bytes = message_bytes;
    if (!give_memory(world)) {
        allfold_virtual_no_memory(world);
        return world->error;
    }
    set_up(world);
    run_ranks(world);
    check_inboxes(world);
    for (int r = 0; r < run->p && world->error != ALLFOLD_OK; r++)
        tidy_up(world, &world->ranks[r]);
    return world->error;
}
