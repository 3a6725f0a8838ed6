/* The walk as a data-flow simulation of all ranks (see walk.h). */
#include "cost/walk.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/memory.h"

/* A step of one rank: all ranks' steps are numbered through. */
struct event {
    uint32_t waits_for; /* steps, a free port, and (for messages) the other side */
    uint32_t partner;   /* the step on the other side of the message */
    uint32_t follower;  /* the step that gets this one's port afterwards */
    size_t ready;       /* when all that it waits for is done; of what has met, when it ends */
    size_t behind;      /* elements of the longest row of messages up to there */
    bool has_begun;     /* a message: waits for nothing but its other side */
    bool has_met;       /* a message: both sides have begun, or its only one has */
    bool has_ended;
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
    uint32_t *oldest; /* rank -> its oldest message that has not ended */
    struct allfold_walk_rules rules;
    bool goes_on;                                 /* past messages that do not fit */
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
        if (key->event == NONE && walk->goes_on)
            continue;
        if (key->event == NONE)
            return misfit(walk, i, "is received but never sent");
        if (step_of(walk, key->event)->length != step->length && !walk->goes_on)
            return misfit(walk, i, "its two sides have different lengths");
        walk->events[i].partner = key->event;
        walk->events[key->event].partner = i;
    }
    for (uint32_t i = 0; i < walk->first[walk->p] && !walk->goes_on; i++)
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
    const struct allfold_schedule *schedule = walk->schedules[rank];
    uint32_t last[2][ALLFOLD_WALK_ANY_PORTS];
    unsigned count[2] = {0, 0};
    ports = ports > ALLFOLD_WALK_ANY_PORTS ? ALLFOLD_WALK_ANY_PORTS : ports;
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

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* An event that `event` waits for has ended. */
static void release(struct walk *walk, uint32_t event, const struct event *ended)
{
    struct event *e = &walk->events[event];
    if (e->has_ended)
        return; /* an edge of a faulty schedule led back */
    e->ready = larger(e->ready, ended->ready);
    e->behind = larger(e->behind, ended->behind);
    assert(e->waits_for > 0);
    if (--e->waits_for == 0)
        walk->stack[walk->stack_count++] = event;
}

/* The oldest messages of a rank have ended: those that its window admits now may begin. */
static void advance_window(struct walk *walk, int rank)
{
    const struct allfold_schedule *schedule = walk->schedules[rank];
    const uint32_t window = walk->rules.window, first = walk->first[rank];
    uint32_t *oldest = &walk->oldest[rank];
    while (*oldest < schedule->message_count &&
           walk->events[first + schedule->message_step[*oldest]].has_ended) {
        const uint32_t admitted = *oldest + window;
        ++*oldest;
        if (window == 0 || admitted >= schedule->message_count)
            continue;
        const uint32_t event = first + schedule->message_step[admitted];
        if (walk->events[event].waits_for == 0)
            walk->stack[walk->stack_count++] = event;
    }
}

static void end_event(struct walk *walk, uint32_t event)
{
    const int rank = walk->owner[event];
    const struct allfold_schedule *schedule = walk->schedules[rank];
    const uint32_t step = event - walk->first[rank];
    assert(!walk->events[event].has_ended && walk->events[event].waits_for == 0);
    walk->walked++;
    walk->events[event].has_ended = true;
    for (uint32_t i = schedule->first_edge[step]; i < schedule->first_edge[step + 1]; i++)
        release(walk, walk->first[rank] + schedule->edges[i], &walk->events[event]);
    if (walk->events[event].follower != NONE)
        release(walk, walk->events[event].follower, &walk->events[event]);
    if (schedule->steps[step].peer >= 0)
        advance_window(walk, rank);
}

/* A side of a message has met the other one: it ends, or does so after older ones. */
static void settle(struct walk *walk, uint32_t event)
{
    const int rank = walk->owner[event];
    const struct allfold_schedule *schedule = walk->schedules[rank];
    if (!walk->rules.in_order) {
        end_event(walk, event);
        return;
    }
    while (walk->oldest[rank] < schedule->message_count) {
        const uint32_t next = walk->first[rank] + schedule->message_step[walk->oldest[rank]];
        if (!walk->events[next].has_met)
            return;
        end_event(walk, next);
    }
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

/* A message waits only for its other side. Matches it, or ends alone if it is a send without a
 * receive. False if the observer ends the walk. */
static bool begin(struct walk *walk, uint32_t event)
{
    struct event *e = &walk->events[event],
                 *other = &walk->events[e->partner == NONE ? 0 : e->partner];
    if (e->has_begun)
        return true;
    e->has_begun = true;
    if (e->partner == NONE) {
        const bool is_send = step_of(walk, event)->kind == ALLFOLD_STEP_SEND;
        if (!is_send)
            return true;
        e->ready++;
        e->behind += step_of(walk, event)->length;
        e->has_met = true;
        const struct allfold_walk_observer *o = walk->observer;
        if (o != NULL && o->on_lost != NULL &&
            !o->on_lost(o->context, walk->owner[event], step_of(walk, event), e->ready))
            return false;
        settle(walk, event);
        return true;
    }
    if (!other->has_begun)
        return true;
    const uint32_t partner = e->partner;
    e->ready = other->ready = 1 + larger(e->ready, other->ready);
    e->behind = other->behind = step_of(walk, event)->length + larger(e->behind, other->behind);
    e->has_met = other->has_met = true;
    if (!show_message(walk, event, partner, e->ready))
        return false;
    settle(walk, event);
    settle(walk, partner);
    return true;
}

/* Whether the window of a message's rank has room for it. */
static bool is_admitted(const struct walk *walk, uint32_t event)
{
    const int rank = walk->owner[event];
    return walk->rules.window == 0 ||
           step_of(walk, event)->message - walk->oldest[rank] < walk->rules.window;
}

/* The message of the first rank that has begun and never ends. */
static void tell_stuck(const struct walk *walk)
{
    for (uint32_t i = 0; i < walk->first[walk->p]; i++) {
        const struct event *e = &walk->events[i];
        const struct allfold_step *step = step_of(walk, i);
        if (!e->has_begun || e->has_ended || e->partner == NONE)
            continue;
        const bool is_send = step->kind == ALLFOLD_STEP_SEND;
        snprintf(walk->message, walk->message_bytes,
                 "rank %d waits for ever at step %u for rank %d to %s message %u, which is step %u "
                 "of rank %d and never begins",
                 walk->owner[i], i - walk->first[walk->owner[i]], step->peer,
                 is_send ? "receive" : "send", step->number, e->partner - walk->first[step->peer],
                 step->peer);
        return;
    }
    uint32_t first = 0; /* of a rank whose edges go in a circle, or wait for a port in one */
    while (walk->events[first].has_ended)
        first++;
    const int rank = walk->owner[first];
    snprintf(walk->message, walk->message_bytes,
             "rank %d's step %u waits for ever for other steps of the rank that wait for it", rank,
             first - walk->first[rank]);
}

static void tell_waits(const struct walk *walk)
{
    const struct allfold_walk_observer *o = walk->observer;
    for (uint32_t i = 0; i < walk->first[walk->p] && o != NULL && o->on_waiting != NULL; i++) {
        const struct event *e = &walk->events[i];
        if (!e->has_begun || e->has_ended)
            continue;
        const struct allfold_walk_wait wait = {
            .rank = walk->owner[i],
            .step = i - walk->first[walk->owner[i]],
            .peer_step = e->partner == NONE ? ALLFOLD_NO_STEP
                                            : e->partner - walk->first[walk->owner[e->partner]],
            .has_met = e->has_met,
            .time = e->has_met ? e->ready : e->ready + 1,
        };
        o->on_waiting(o->context, &wait);
    }
}

static enum allfold_error flow(struct walk *walk, struct allfold_cost *cost)
{
    for (uint32_t i = 0; i < walk->first[walk->p]; i++)
        if (walk->events[i].waits_for == 0)
            walk->stack[walk->stack_count++] = i;
    while (walk->stack_count > 0) {
        const uint32_t event = walk->stack[--walk->stack_count];
        const struct event *e = &walk->events[event];
        if (step_of(walk, event)->peer < 0) {
            if (!show_local(walk, event, e->ready))
                return ALLFOLD_NO_MEMORY;
            end_event(walk, event);
        } else if (is_admitted(walk, event) && !begin(walk, event)) {
            return ALLFOLD_NO_MEMORY;
        }
        if (!e->has_ended || step_of(walk, event)->peer < 0)
            continue;
        cost->rounds = larger(cost->rounds, e->ready);
        cost->serial = larger(cost->serial, e->behind);
    }
    if (walk->walked == walk->first[walk->p])
        return ALLFOLD_OK;
    if (walk->goes_on)
        tell_waits(walk);
    else
        tell_stuck(walk);
    return walk->goes_on ? ALLFOLD_NO_PROGRESS : ALLFOLD_DISPROVED;
}

/* The most elements that any rank has in its steps of one kind; `once`: without sends of data that
 * it sent before. */
static size_t most_elements(const struct walk *walk, enum allfold_step_kind kind, bool once)
{
    size_t most = 0;
    for (int r = 0; r < walk->p; r++) {
        const struct allfold_schedule *schedule = walk->schedules[r];
        size_t elements = 0;
        for (uint32_t i = 0; i < schedule->step_count; i++)
            if (schedule->steps[i].kind == kind && (!once || schedule->publication[i] == i))
                elements += schedule->steps[i].length;
        most = larger(elements, most);
    }
    return most;
}

static enum allfold_error prepare(struct walk *walk)
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
    walk->oldest = allfold_allocate_zeroed((size_t)walk->p * sizeof *walk->oldest);
    if (walk->events == NULL || walk->owner == NULL || walk->stack == NULL || walk->oldest == NULL)
        return ALLFOLD_NO_MEMORY;
    for (int r = 0; r < walk->p; r++)
        set_up_rank(walk, r, walk->rules.ports);
    return ALLFOLD_OK;
}

static enum allfold_error run(struct walk *walk, struct allfold_cost *cost)
{
    *cost = (struct allfold_cost){.rounds = 0};
    enum allfold_error error = prepare(walk);
    if (error == ALLFOLD_OK)
        error = match(walk);
    if (error == ALLFOLD_OK)
        error = flow(walk, cost);
    if (error == ALLFOLD_OK || error == ALLFOLD_NO_PROGRESS) {
        cost->sent = most_elements(walk, ALLFOLD_STEP_SEND, false);
        cost->written = most_elements(walk, ALLFOLD_STEP_SEND, true);
        cost->got = most_elements(walk, ALLFOLD_STEP_RECEIVE, false);
        cost->reduced = most_elements(walk, ALLFOLD_STEP_REDUCE, false);
        cost->copied = most_elements(walk, ALLFOLD_STEP_COPY, false);
    }
    if (error == ALLFOLD_NO_MEMORY)
        snprintf(walk->message, walk->message_bytes, "no memory");
    allfold_free(walk->first);
    allfold_free(walk->events);
    allfold_free(walk->owner);
    allfold_free(walk->stack);
    allfold_free(walk->oldest);
    return error;
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
                        .rules = {.ports = ports},
                        .observer = observer,
                        .message = message,
                        .message_bytes = message_bytes};
    assert(ports > 0);
    return run(&walk, cost);
}

enum allfold_error allfold_walk_faulty(const struct allfold_schedule *const *schedules, int p,
                                       const struct allfold_walk_rules *rules,
                                       const struct allfold_walk_observer *observer,
                                       struct allfold_cost *cost)
{
    char message[1];
    struct walk walk = {.schedules = schedules,
                        .p = p,
                        .rules = *rules,
                        .goes_on = true,
                        .observer = observer,
                        .message = message,
                        .message_bytes = sizeof message};
    assert(rules->ports > 0);
    return run(&walk, cost);
}
