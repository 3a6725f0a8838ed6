/* Profiles (see profile.h). */
#include "model/cost/profile.h"

#include <stdatomic.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "algorithms/nodes.h"
#include "algorithms/peers.h"
#include "schedule/sketch.h"
#include "util/memory.h"

static const uint32_t NONE = UINT32_MAX;

/* Where the sends of a pair of ranks are that no receive has met yet: a list through `next`. */
struct pair {
    int32_t from, to;
    uint32_t first, last; /* NONE, NONE: a free place */
};

/* What a message waits for: earlier ones of both sides, by the numbers of sends. */
struct message {
    uint32_t next;    /* of the pair's sends */
    uint32_t receive; /* a send's other side; a receive's send */
    uint32_t port;    /* the message of this side and direction that leaves its port to this one */
    uint32_t time;    /* of sends: 0 as long as it is not known */
    bool is_awaited;  /* a receive: what it brings is sent on in the next round */
};

/* What a rank, or a node, has to do in one round. */
struct tally {
    struct allfold_load near[2], across[2], far[2]; /* sent, received */
    size_t reduced, beside;
    uint32_t owner; /* whose it is; of another one it is nothing */
};

/* A group's peers in a round, of the same next group. Further ones are not counted: what goes to
 * one of so many is little beside what goes to all. */
enum { OTHERS = 4 };

struct group_tally {
    struct allfold_load far[2];
    uint32_t owner;
    int others;
    uint32_t other[OTHERS];
    size_t length[OTHERS][2];
};

struct counted {
    struct allfold_round most;
    struct tally of_rank, of_node; /* of the present ones */
    struct group_tally of_group[ALLFOLD_GROUP_LEVELS];
};

struct allfold_profiler {
    struct allfold_sketch sketch;
    uint32_t *first; /* rank -> its first message; [p] is the number of all */
    struct message *messages;
    uint32_t *stack;
    struct pair *pairs;
    struct counted *rounds;
    size_t first_bytes, messages_bytes, stack_bytes, pairs_bytes;
    uint32_t round_capacity;
    struct allfold_round *found; /* the profile */
    size_t found_bytes;
    uint32_t pair_capacity; /* a power of two */
    uint32_t round_count;
    uint32_t counted; /* messages */
    size_t left_out;
    int p;
    unsigned ports;
    const struct allfold_nodes *nodes;
};

/* One that nobody uses, with its memory: a choice would touch new pages else. */
static _Atomic(struct allfold_profiler *) spare;

enum { KEPT_BYTES = 1 << 20 }; /* at most, of its larger arrays each */

struct allfold_profiler *allfold_profiler_create(void)
{
    struct allfold_profiler *kept = atomic_exchange(&spare, NULL);
    if (kept == NULL)
        return allfold_allocate_zeroed(sizeof *kept);
    if (!allfold_allocation_fails())
        return kept;
    allfold_profiler_free(kept);
    return NULL;
}

static void free_memory(struct allfold_profiler *of)
{
    if (of == NULL)
        return;
    allfold_sketch_free(&of->sketch);
    allfold_free(of->first);
    allfold_free(of->messages);
    allfold_free(of->stack);
    allfold_free(of->pairs);
    allfold_free(of->rounds);
    allfold_free(of->found);
    allfold_free(of);
}

void allfold_profiler_drop_spare(void)
{
    free_memory(atomic_exchange(&spare, NULL));
}

void allfold_profiler_free(struct allfold_profiler *of)
{
    if (of == NULL)
        return;
    const bool is_large =
        of->messages_bytes > KEPT_BYTES || of->round_capacity * sizeof *of->rounds > KEPT_BYTES;
    free_memory(is_large ? of : atomic_exchange(&spare, of));
}

static bool reserve(void *pointer, size_t *have_bytes, size_t bytes)
{
    void **memory = pointer;
    return allfold_reserve(memory, have_bytes, bytes);
}

/* What is profiled, and the builder that its programs are written into. */
struct program {
    const struct allfold_profiled *of;
    struct allfold_problem own; /* as the present rank sees it */
    struct allfold_builder *builder;
};

static enum allfold_error open_program(struct allfold_profiler *profiler, struct program *program,
                                       const struct allfold_profiled *of, uint32_t most)
{
    const struct allfold_shape none = {.group = of->problem->group};
    *program = (struct program){.of = of, .own = *of->problem};
    program->own.in_place = false;
    program->builder = allfold_builder_create(&none);
    profiler->p = of->problem->group.size;
    profiler->nodes = of->nodes == NULL ? of->problem->nodes : of->nodes;
    profiler->ports = of->ports;
    profiler->round_count = profiler->counted = 0;
    profiler->left_out = 0;
    profiler->sketch.most = most;
    return program->builder == NULL ? ALLFOLD_NO_MEMORY : ALLFOLD_OK;
}

static void sketch_rank(struct allfold_profiler *of, struct program *program, int r)
{
    program->own.group.index = r;
    const struct allfold_shape shape = allfold_problem_shape(&program->own);
    allfold_builder_sketch(program->builder, &of->sketch, &shape);
    program->of->algorithm->build(program->builder, &program->own, program->of->parameters);
    of->left_out += of->sketch.left_out;
}

static enum allfold_error sketch_all(struct allfold_profiler *of, struct program *program)
{
    if (!reserve(&of->first, &of->first_bytes, ((size_t)of->p + 1) * sizeof *of->first))
        return ALLFOLD_NO_MEMORY;
    of->sketch.count = 0;
    for (int r = 0; r < of->p; r++) {
        of->first[r] = of->sketch.count;
        sketch_rank(of, program, r);
    }
    of->first[of->p] = of->sketch.count;
    return allfold_builder_error(program->builder);
}

/* The place of a pair of ranks in the table. */
static struct pair *find(const struct allfold_profiler *of, int32_t from, int32_t to)
{
    const uint32_t mask = of->pair_capacity - 1;
    uint32_t at = (uint32_t)from * 0x9e3779b1u ^ (uint32_t)to * 0x85ebca77u;
    for (at ^= at >> 15;; at++) {
        struct pair *pair = &of->pairs[at & mask];
        if (pair->from == from && pair->to == to)
            return pair;
        if (pair->from < 0) {
            *pair = (struct pair){from, to, NONE, NONE};
            return pair;
        }
    }
}

/* Each message waits for the one of its direction that is `ports` before it. */
static void assign_ports(struct allfold_profiler *of, uint32_t begin, uint32_t end)
{
    uint32_t *const of_direction[2] = {of->stack, of->stack + (end - begin)};
    uint32_t count[2] = {0, 0};
    for (uint32_t m = begin; m < end; m++) {
        const int direction = of->sketch.messages[m].kind == ALLFOLD_STEP_RECEIVE;
        const uint32_t number = count[direction]++;
        of_direction[direction][number] = m;
        of->messages[m].port =
            number < of->ports ? NONE : of_direction[direction][number - of->ports];
        of->messages[m].time = 0;
        of->messages[m].is_awaited = false;
        of->messages[m].next = of->messages[m].receive = NONE;
    }
}

static void enter_sends(struct allfold_profiler *of, int r)
{
    for (uint32_t m = of->first[r]; m < of->first[r + 1]; m++) {
        if (of->sketch.messages[m].kind != ALLFOLD_STEP_SEND)
            continue;
        struct pair *pair = find(of, r, of->sketch.messages[m].peer);
        if (pair->first == NONE)
            pair->first = m;
        else
            of->messages[pair->last].next = m;
        pair->last = m;
    }
}

static bool match_receives(struct allfold_profiler *of, int r)
{
    for (uint32_t m = of->first[r]; m < of->first[r + 1]; m++) {
        if (of->sketch.messages[m].kind == ALLFOLD_STEP_SEND)
            continue;
        struct pair *pair = find(of, of->sketch.messages[m].peer, r);
        if (pair->first == NONE)
            return false;
        of->messages[m].receive = pair->first;
        of->messages[pair->first].receive = m;
        pair->first = of->messages[pair->first].next;
    }
    return true;
}

static enum allfold_error match(struct allfold_profiler *of)
{
    const size_t count = of->sketch.count;
    of->pair_capacity = 64;
    while (of->pair_capacity < 2 * count)
        of->pair_capacity *= 2;
    if (!reserve(&of->messages, &of->messages_bytes, (count + 1) * sizeof *of->messages) ||
        !reserve(&of->stack, &of->stack_bytes, (4 * count + 4) * sizeof *of->stack) ||
        !reserve(&of->pairs, &of->pairs_bytes, of->pair_capacity * sizeof *of->pairs))
        return ALLFOLD_NO_MEMORY;
    memset(of->pairs, 0xff, of->pair_capacity * sizeof *of->pairs);
    for (int r = 0; r < of->p; r++) {
        assign_ports(of, of->first[r], of->first[r + 1]);
        enter_sends(of, r);
    }
    for (int r = 0; r < of->p; r++)
        if (!match_receives(of, r))
            return ALLFOLD_DISPROVED;
    for (uint32_t m = 0; m < count; m++)
        if (of->messages[m].receive == NONE)
            return ALLFOLD_DISPROVED;
    return ALLFOLD_OK;
}

static uint32_t send_of(const struct allfold_profiler *of, uint32_t m)
{
    return of->sketch.messages[m].kind == ALLFOLD_STEP_SEND ? m : of->messages[m].receive;
}

/* The time of a message that has to be over before; where that is not known, it goes on the stack.
 */
static uint32_t ask(const struct allfold_profiler *of, uint32_t before, uint32_t *depth)
{
    if (before == NONE)
        return 0;
    const uint32_t send = send_of(of, before);
    if (of->messages[send].time == 0)
        of->stack[(*depth)++] = send;
    return of->messages[send].time;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* When a message ends, after all that it waits for. False where it waits for itself. */
static bool settle(struct allfold_profiler *of, uint32_t begin)
{
    const uint32_t most = 4 * of->sketch.count; /* four for each message on the way */
    uint32_t depth = 0;
    of->stack[depth++] = begin;
    while (depth > 0) {
        const uint32_t send = of->stack[depth - 1], receive = of->messages[send].receive;
        uint32_t time = 0;
        if (of->messages[send].time > 0) {
            depth--;
            continue;
        }
        const uint32_t here = depth;
        if (depth > most)
            return false;
        time = larger(time, ask(of, of->messages[send].port, &depth));
        time = larger(time, ask(of, of->sketch.messages[send].after, &depth));
        time = larger(time, ask(of, of->messages[receive].port, &depth));
        time = larger(time, ask(of, of->sketch.messages[receive].after, &depth));
        if (depth > here)
            continue;
        of->messages[send].time = time + 1;
        depth--;
    }
    return true;
}

/* *rounds is the time of the last message. */
static bool settle_all(struct allfold_profiler *of, uint32_t *rounds)
{
    for (uint32_t m = 0; m < of->sketch.count; m++) {
        if (of->sketch.messages[m].kind != ALLFOLD_STEP_SEND)
            continue;
        if (of->messages[m].time == 0 && !settle(of, m))
            return false;
        *rounds = larger(*rounds, of->messages[m].time);
    }
    return true;
}

/* So many messages alike. */
static void add(struct allfold_load *load, size_t length, int messages)
{
    load->messages += (size_t)messages;
    load->length += (size_t)messages * length;
}

static void raise(struct allfold_load *most, const struct allfold_load *load)
{
    most->messages = load->messages > most->messages ? load->messages : most->messages;
    most->length = load->length > most->length ? load->length : most->length;
}

static struct tally *tally_of(struct tally *tally, uint32_t owner)
{
    if (tally->owner != owner)
        *tally = (struct tally){.owner = owner};
    return tally;
}

/* Room for rounds up to that number, from 0. */
static bool open_rounds(struct allfold_profiler *of, uint32_t round)
{
    while (of->round_capacity <= round) {
        void *wider = allfold_make_room(of->rounds, of->round_capacity, &of->round_capacity,
                                        sizeof *of->rounds);
        if (wider == NULL)
            return false;
        of->rounds = wider;
    }
    for (; of->round_count <= round; of->round_count++) {
        of->rounds[of->round_count] = (struct counted){.most = {.times = 1}};
        of->rounds[of->round_count].of_rank.owner = of->rounds[of->round_count].of_node.owner =
            NONE;
        for (int l = 0; l < ALLFOLD_GROUP_LEVELS; l++)
            of->rounds[of->round_count].of_group[l].owner = NONE;
    }
    return true;
}

/* Counts elements that a group sends to another one, or gets from it. */
static void count_pair(struct group_tally *tally, uint32_t other, int direction, size_t length,
                       size_t *most)
{
    int i = 0;
    while (i < tally->others && tally->other[i] != other)
        i++;
    if (i == OTHERS)
        return;
    if (i == tally->others) {
        tally->other[i] = other;
        tally->length[i][0] = tally->length[i][1] = 0;
        tally->others++;
    }
    tally->length[i][direction] += length;
    *most = tally->length[i][direction] > *most ? tally->length[i][direction] : *most;
}

static bool share_next_group(const struct allfold_nodes *groups, int a, int b)
{
    const struct allfold_nodes *next = groups->groups;
    return next == NULL || next->node_of[a] == next->node_of[b];
}

/* Counts a message between nodes into the tallies of the groups that it leaves or enters. */
static void count_groups(struct allfold_profiler *of, const struct allfold_standing *r,
                         const struct allfold_sketched *sketched, struct counted *into)
{
    const struct allfold_nodes *groups = of->nodes->groups;
    const int direction = sketched->kind == ALLFOLD_STEP_RECEIVE;
    int own = of->nodes->node_of[r->rank], other = of->nodes->node_of[sketched->peer];
    for (int l = 0; l < ALLFOLD_GROUP_LEVELS && groups != NULL; l++, groups = groups->groups) {
        own = groups->node_of[own];
        other = groups->node_of[other];
        if (own == other)
            return;
        struct group_tally *tally = &into->of_group[l];
        if (tally->owner != (uint32_t)own)
            *tally = (struct group_tally){.owner = (uint32_t)own};
        const int stands = r->ranks * r->nodes[l];
        add(&tally->far[direction], sketched->length, stands);
        raise(&into->most.group[l], &tally->far[direction]);
        if (share_next_group(groups, own, other))
            count_pair(tally, (uint32_t)other, direction, (size_t)stands * sketched->length,
                       &into->most.pair[l]);
    }
}

/* Counts a message into its rank's tally and its node's, and from both raises its round. */
static void count(struct allfold_profiler *of, const struct allfold_standing *r, uint32_t m,
                  uint32_t round)
{
    const struct allfold_sketched *sketched = &of->sketch.messages[m];
    const bool is_awaited = of->messages[m].is_awaited;
    const int node = of->nodes->node_of[r->rank];
    const bool is_far = of->nodes->node_of[sketched->peer] != node;
    const int direction = sketched->kind == ALLFOLD_STEP_RECEIVE;
    struct counted *into = &of->rounds[round];
    struct tally *own = tally_of(&into->of_rank, (uint32_t)r->rank);
    const bool crosses =
        !is_far && of->nodes->sockets != NULL &&
        allfold_socket_of(of->nodes, r->rank) != allfold_socket_of(of->nodes, sketched->peer);
    struct allfold_load *load = is_far    ? &own->far[direction]
                                : crosses ? &own->across[direction]
                                          : &own->near[direction];
    of->counted++;
    add(load, sketched->length, 1);
    raise(is_far ? &into->most.far : crosses ? &into->most.across : &into->most.near, load);
    size_t *reduced = is_awaited ? &own->reduced : &own->beside;
    size_t *most = is_awaited ? &into->most.reduced : &into->most.beside;
    *reduced += sketched->reduced;
    *most = *reduced > *most ? *reduced : *most;
    if (!is_far)
        return;
    struct tally *all = tally_of(&into->of_node, (uint32_t)node);
    add(&all->far[direction], sketched->length, r->ranks);
    raise(&into->most.node, &all->far[direction]);
    count_groups(of, r, sketched, into);
}

/* Marks what is awaited of a rank's messages: the receives whose data go out in the next round, and
 * those of the last round. */
static void mark_awaited(struct allfold_profiler *of, uint32_t begin, uint32_t end,
                         uint32_t (*time_of)(const struct allfold_profiler *, uint32_t))
{
    uint32_t last = 0;
    for (uint32_t m = begin; m < end; m++) {
        const uint32_t after = of->sketch.messages[m].after, time = time_of(of, m);
        last = larger(last, time);
        if (of->sketch.messages[m].kind == ALLFOLD_STEP_SEND && after != ALLFOLD_NO_STEP &&
            time == time_of(of, after) + 1)
            of->messages[after].is_awaited = true;
    }
    for (uint32_t m = begin; m < end; m++)
        if (time_of(of, m) == last)
            of->messages[m].is_awaited = true;
}

static uint32_t time_of_send(const struct allfold_profiler *of, uint32_t m)
{
    return of->messages[send_of(of, m)].time;
}

static uint32_t time_alone(const struct allfold_profiler *of, uint32_t m)
{
    return of->messages[m].time;
}

static enum allfold_error count_all(struct allfold_profiler *of, uint32_t rounds)
{
    if (rounds > 0 && !open_rounds(of, rounds - 1))
        return ALLFOLD_NO_MEMORY;
    for (int i = 0; i < of->p; i++) {
        const int r = of->nodes->along[i];
        const struct allfold_standing one = {r, 1, {1, 1, 1}};
        mark_awaited(of, of->first[r], of->first[r + 1], time_of_send);
        for (uint32_t m = of->first[r]; m < of->first[r + 1]; m++)
            count(of, &one, m, time_of_send(of, m) - 1);
    }
    return ALLFOLD_OK;
}

static bool is_same(const struct allfold_round *a, const struct allfold_round *b)
{
    for (int l = 0; l < ALLFOLD_GROUP_LEVELS; l++)
        if (a->group[l].messages != b->group[l].messages ||
            a->group[l].length != b->group[l].length || a->pair[l] != b->pair[l])
            return false;
    return a->near.messages == b->near.messages && a->near.length == b->near.length &&
           a->across.messages == b->across.messages && a->across.length == b->across.length &&
           a->far.messages == b->far.messages && a->far.length == b->far.length &&
           a->node.messages == b->node.messages && a->node.length == b->node.length &&
           a->reduced == b->reduced && a->beside == b->beside;
}

/* Runs of equal rounds become one. */
static enum allfold_error give(struct allfold_profiler *of, struct allfold_profile *profile)
{
    uint32_t kept = 0;
    if (!reserve(&of->found, &of->found_bytes, (of->round_count + 1) * sizeof *of->found))
        return ALLFOLD_NO_MEMORY;
    for (uint32_t i = 0; i < of->round_count; i++)
        if (kept > 0 && is_same(&of->found[kept - 1], &of->rounds[i].most))
            of->found[kept - 1].times++;
        else
            of->found[kept++] = of->rounds[i].most;
    *profile = (struct allfold_profile){.rounds = of->found,
                                        .count = kept,
                                        .length = of->round_count,
                                        .messages = of->counted,
                                        .left_out = of->left_out};
    return ALLFOLD_OK;
}

enum allfold_error allfold_profile(struct allfold_profiler *profiler,
                                   const struct allfold_profiled *of,
                                   struct allfold_profile *profile)
{
    struct program program;
    uint32_t rounds = 0;
    enum allfold_error error = open_program(profiler, &program, of, 0);
    if (error == ALLFOLD_OK)
        error = sketch_all(profiler, &program);
    if (error == ALLFOLD_OK)
        error = match(profiler);
    if (error == ALLFOLD_OK && !settle_all(profiler, &rounds))
        error = ALLFOLD_DISPROVED;
    if (error == ALLFOLD_OK)
        error = count_all(profiler, rounds);
    allfold_builder_free(program.builder);
    return error == ALLFOLD_OK ? give(profiler, profile) : error;
}

/* Counts a rank's messages where the others keep up with it: what it receives was sent no sooner
 * than what it sent itself before. False without memory. */
static bool count_alone(struct allfold_profiler *of, const struct allfold_standing *r)
{
    const size_t messages = of->sketch.count;
    if (!reserve(&of->messages, &of->messages_bytes, (messages + 1) * sizeof *of->messages) ||
        !reserve(&of->stack, &of->stack_bytes, (4 * messages + 4) * sizeof *of->stack))
        return false;
    uint32_t sent = 0;
    assign_ports(of, 0, of->sketch.count);
    for (uint32_t m = 0; m < messages; m++) {
        const uint32_t port = of->messages[m].port, after = of->sketch.messages[m].after;
        uint32_t *time = &of->messages[m].time;
        *time = 1 + larger(port == NONE ? 0 : of->messages[port].time,
                           after == NONE ? 0 : of->messages[after].time);
        if (of->sketch.messages[m].kind == ALLFOLD_STEP_SEND)
            sent = larger(sent, *time);
        else
            *time = larger(*time, sent);
        if (!open_rounds(of, of->messages[m].time - 1))
            return false;
    }
    mark_awaited(of, 0, of->sketch.count, time_alone);
    for (uint32_t m = 0; m < messages; m++)
        count(of, r, m, of->messages[m].time - 1);
    return true;
}

/* The rank that the last one sends to first: in a tree its parent. -1: it sends nothing. */
static int first_receiver(const struct allfold_profiler *of)
{
    for (uint32_t m = 0; m < of->sketch.count; m++)
        if (of->sketch.messages[m].kind == ALLFOLD_STEP_SEND)
            return of->sketch.messages[m].peer;
    return -1;
}

static bool is_among(const struct allfold_standing *ranks, int count, int rank)
{
    for (int i = 0; i < count; i++)
        if (ranks[i].rank == rank)
            return true;
    return false;
}

static enum allfold_error count_rank(struct allfold_profiler *of, struct program *program,
                                     const struct allfold_standing *rank, bool counts)
{
    of->sketch.count = 0;
    sketch_rank(of, program, rank->rank);
    const enum allfold_error error = allfold_builder_error(program->builder);
    return error == ALLFOLD_OK && counts && !count_alone(of, rank) ? ALLFOLD_NO_MEMORY : error;
}

/* As long as no rank has all rounds, counts those that the last one's data go to. In a tree few
 * ranks have most of the messages, and this way leads to its root. */
static enum allfold_error follow(struct allfold_profiler *profiler, struct program *program,
                                 const struct allfold_standing *ranks, int count)
{
    enum allfold_error error = ALLFOLD_OK;
    for (int left = ceil_log2(profiler->p); left > 0 && error == ALLFOLD_OK; left--) {
        const struct allfold_standing next = {first_receiver(profiler), 1, {1, 1, 1}};
        if (profiler->round_count >= program->of->rounds || profiler->left_out > 0 || next.rank < 0)
            break;
        error = count_rank(profiler, program, &next, !is_among(ranks, count, next.rank));
    }
    return error;
}

enum allfold_error allfold_profile_of(struct allfold_profiler *profiler,
                                      const struct allfold_standing *ranks, int count,
                                      uint32_t most, const struct allfold_profiled *of,
                                      struct allfold_profile *profile)
{
    struct program program;
    enum allfold_error error = open_program(profiler, &program, of, most);
    for (int i = 0; i < count && error == ALLFOLD_OK; i++)
        error = count_rank(profiler, &program, &ranks[i], true);
    if (error == ALLFOLD_OK)
        error = follow(profiler, &program, ranks, count);
    allfold_builder_free(program.builder);
    return error == ALLFOLD_OK ? give(profiler, profile) : error;
}
