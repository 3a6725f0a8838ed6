/* Walking the schedules of all ranks, as data flow (see walk.h). */
#include "model/cost/walk.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/memory.h"

/* A step of one rank: all ranks' steps are numbered through. */
struct event {
    uint32_t waits_for; /* steps, a free port, and (for messages) the other side */
    uint32_t partner;   /* the step on the other side of the message */
    uint32_t follower;  /* the step that gets this one's port afterwards */
    size_t ready;       /* when all that it waits for is done */
    bool ended;
};

struct walk {
    const struct allfold_schedule *const *schedules;
    int p;
    uint32_t *first; /* rank -> number of its first step; [p] is the number of all */
    int32_t *owner;  /* event -> rank */
    struct event *events;
    uint32_t *stack;
    uint32_t stack_count;
    uint32_t walked;
    const struct allfold_walk_observer *observer; /* or NULL */
    char *message;
    size_t message_bytes;
};

static const uint32_t NONE = UINT32_MAX;

/* Sends by (from, to, number), so that receives find them. */
struct key {
    int32_t from, to;
    uint32_t number;
    uint32_t event; /* NONE in a free place */
};

static struct key *find(struct key *table, uint32_t size, int32_t from, int32_t to, uint32_t number)
{
    uint64_t at = ((uint64_t)(uint32_t)from * 0x9e3779b97f4a7c15u) ^
                  ((uint64_t)(uint32_t)to * 0xc2b2ae3d27d4eb4fu) ^ number * 0x165667b19e3779f9u;
    for (at ^= at >> 29;; at++) {
        struct key *key = &table[at & (size - 1)];
        if (key->event == NONE || (key->from == from && key->to == to && key->number == number))
            return key;
    }
}

static const struct allfold_step *step_of(const struct walk *walk, uint32_t event)
{
    int rank = walk->owner[event];
    return &walk->schedules[rank]->steps[event - walk->first[rank]];
}

static void enter_sends(struct walk *walk, struct key *table, uint32_t size)
{
    for (uint32_t i = 0; i < walk->first[walk->p]; i++) {
        const struct allfold_step *step = step_of(walk, i);
        if (step->kind != ALLFOLD_STEP_SEND)
            continue;
        struct key *key = find(table, size, walk->owner[i], step->peer, step->number);
        *key = (struct key){walk->owner[i], step->peer, step->number, i};
    }
}

static enum allfold_error misfit(struct walk *walk, uint32_t event, const char *words)
{
    const struct allfold_step *step = step_of(walk, event);
    snprintf(walk->message, walk->message_bytes, "rank %d, message %u with rank %d: %s",
             walk->owner[event], step->number, step->peer, words);
    return ALLFOLD_DISPROVED;
}

static enum allfold_error match_receives(struct walk *walk, struct key *table, uint32_t size)
{
    for (uint32_t i = 0; i < walk->first[walk->p]; i++) {
        const struct allfold_step *step = step_of(walk, i);
        if (step->kind != ALLFOLD_STEP_RECEIVE)
            continue;
        struct key *key = find(table, size, step->peer, walk->owner[i], step->number);
        if (key->event == NONE)
            return misfit(walk, i, "is received but never sent");
        if (step_of(walk, key->event)->length != step->length)
            return misfit(walk, i, "its two sides have different lengths");
        walk->events[i].partner = key->event;
        walk->events[key->event].partner = i;
    }
    for (uint32_t i = 0; i < walk->first[walk->p]; i++)
        if (step_of(walk, i)->kind == ALLFOLD_STEP_SEND && walk->events[i].partner == NONE)
            return misfit(walk, i, "is sent but never received");
    return ALLFOLD_OK;
}

static enum allfold_error match(struct walk *walk)
{
    uint32_t size = 64;
    while (size < 2 * walk->first[walk->p])
        size *= 2;
    struct key *table = allfold_allocate(size * sizeof *table);
    if (table == NULL)
        return ALLFOLD_NO_MEMORY;
    for (uint32_t i = 0; i < size; i++)
        table[i].event = NONE;
    enter_sends(walk, table, size);
    enum allfold_error error = match_receives(walk, table, size);
    allfold_free(table);
    return error;
}

/* Each message of a direction waits for the one `ports` before it. */
static void assign_ports(struct walk *walk, int rank, unsigned ports)
{
    enum { MOST_PORTS = 4096 };
    const struct allfold_schedule *schedule = walk->schedules[rank];
    uint32_t last[2][MOST_PORTS];
    unsigned count[2] = {0, 0};
    ports = ports > MOST_PORTS ? MOST_PORTS : ports;
    for (uint32_t m = 0; m < schedule->message_count; m++) {
        const uint32_t step = schedule->message_step[m];
        const uint32_t event = walk->first[rank] + step;
        const int direction = schedule->steps[step].kind == ALLFOLD_STEP_RECEIVE;
        uint32_t *before = &last[direction][count[direction] % ports];
        if (count[direction]++ >= ports) {
            walk->events[*before].follower = event;
            walk->events[event].waits_for++;
        }
        *before = event;
    }
}

static void set_up_rank(struct walk *walk, int rank, unsigned ports)
{
    const struct allfold_schedule *schedule = walk->schedules[rank];
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const uint32_t event = walk->first[rank] + i;
        walk->owner[event] = rank;
        walk->events[event] = (struct event){
            .waits_for = schedule->waits_for[i], .partner = NONE, .follower = NONE, .ready = 0};
    }
    assign_ports(walk, rank, ports);
}

static void release(struct walk *walk, uint32_t event, size_t time)
{
    struct event *e = &walk->events[event];
    if (e->ready < time)
        e->ready = time;
    if (--e->waits_for == 0)
        walk->stack[walk->stack_count++] = event;
}

static void end_event(struct walk *walk, uint32_t event, size_t time)
{
    const int rank = walk->owner[event];
    const struct allfold_schedule *schedule = walk->schedules[rank];
    const uint32_t step = event - walk->first[rank];
    walk->walked++;
    walk->events[event].ended = true;
    for (uint32_t i = schedule->first_edge[step]; i < schedule->first_edge[step + 1]; i++)
        release(walk, walk->first[rank] + schedule->edges[i], time);
    if (walk->events[event].follower != NONE)
        release(walk, walk->events[event].follower, time);
}

static bool show_local(const struct walk *walk, uint32_t event, size_t time)
{
    const struct allfold_walk_observer *o = walk->observer;
    return o == NULL || o->on_local(o->context, walk->owner[event], step_of(walk, event), time);
}

static bool show_message(const struct walk *walk, uint32_t event, uint32_t partner, size_t time)
{
    const struct allfold_walk_observer *o = walk->observer;
    if (o == NULL)
        return true;
    const bool is_send = step_of(walk, event)->kind == ALLFOLD_STEP_SEND;
    const uint32_t send = is_send ? event : partner, receive = is_send ? partner : event;
    return o->on_message(o->context, walk->owner[send], step_of(walk, send), walk->owner[receive],
                         step_of(walk, receive), time);
}

static enum allfold_error flow(struct walk *walk, struct allfold_cost *cost)
{
    for (uint32_t i = 0; i < walk->first[walk->p]; i++)
        if (walk->events[i].waits_for == 0)
            walk->stack[walk->stack_count++] = i;
    while (walk->stack_count > 0) {
        const uint32_t event = walk->stack[--walk->stack_count];
        const struct event *e = &walk->events[event];
        if (e->partner == NONE) {
            if (!show_local(walk, event, e->ready))
                return ALLFOLD_NO_MEMORY;
            end_event(walk, event, e->ready);
            continue;
        }
        const struct event *other = &walk->events[e->partner];
        if (e->ended || other->waits_for > 0)
            continue; /* one side ends the message for both */
        const size_t time = 1 + (e->ready > other->ready ? e->ready : other->ready);
        cost->rounds = time > cost->rounds ? time : cost->rounds;
        if (!show_message(walk, event, e->partner, time))
            return ALLFOLD_NO_MEMORY;
        end_event(walk, event, time);
        end_event(walk, e->partner, time);
    }
    if (walk->walked == walk->first[walk->p])
        return ALLFOLD_OK;
    snprintf(walk->message, walk->message_bytes, "%u of %u steps wait for ever",
             walk->first[walk->p] - walk->walked, walk->first[walk->p]);
    return ALLFOLD_DISPROVED;
}

/* The most elements that any rank has in its steps of one kind. */
static size_t most_elements(const struct walk *walk, enum allfold_step_kind kind)
{
    size_t most = 0;
    for (int r = 0; r < walk->p; r++) {
        size_t elements = 0;
        for (uint32_t i = 0; i < walk->schedules[r]->step_count; i++)
            if (walk->schedules[r]->steps[i].kind == kind)
                elements += walk->schedules[r]->steps[i].length;
        most = elements > most ? elements : most;
    }
    return most;
}

static enum allfold_error prepare(struct walk *walk, unsigned ports)
{
    walk->first = allfold_allocate(((size_t)walk->p + 1) * sizeof *walk->first);
    if (walk->first == NULL)
        return ALLFOLD_NO_MEMORY;
    walk->first[0] = 0;
    for (int r = 0; r < walk->p; r++)
        walk->first[r + 1] = walk->first[r] + walk->schedules[r]->step_count;
    const size_t steps = walk->first[walk->p];
    walk->events = allfold_allocate(steps * sizeof *walk->events);
    walk->owner = allfold_allocate(steps * sizeof *walk->owner);
    walk->stack = allfold_allocate(steps * sizeof *walk->stack);
    if (walk->events == NULL || walk->owner == NULL || walk->stack == NULL)
        return ALLFOLD_NO_MEMORY;
    for (int r = 0; r < walk->p; r++)
        set_up_rank(walk, r, ports);
    return ALLFOLD_OK;
}

enum allfold_error allfold_walk(const struct allfold_schedule *const *schedules, int p,
                                unsigned ports, struct allfold_cost *cost, char *message,
                                size_t message_bytes)
{
    return allfold_walk_observed(schedules, p, ports, NULL, cost, message, message_bytes);
}

enum allfold_error allfold_walk_observed(const struct allfold_schedule *const *schedules, int p,
                                         unsigned ports,
                                         const struct allfold_walk_observer *observer,
                                         struct allfold_cost *cost, char *message,
                                         size_t message_bytes)
{
    struct walk walk = {.schedules = schedules,
                        .p = p,
                        .observer = observer,
                        .message = message,
                        .message_bytes = message_bytes};
    *cost = (struct allfold_cost){.rounds = 0};
    enum allfold_error error = prepare(&walk, ports);
    if (error == ALLFOLD_OK)
        error = match(&walk);
    if (error == ALLFOLD_OK)
        error = flow(&walk, cost);
    if (error == ALLFOLD_OK) {
        cost->sent = most_elements(&walk, ALLFOLD_STEP_SEND);
        cost->got = most_elements(&walk, ALLFOLD_STEP_RECEIVE);
        cost->reduced = most_elements(&walk, ALLFOLD_STEP_REDUCE);
    }
    if (error == ALLFOLD_NO_MEMORY)
        snprintf(message, message_bytes, "no memory");
    allfold_free(walk.first);
    allfold_free(walk.events);
    allfold_free(walk.owner);
    allfold_free(walk.stack);
    return error;
}
