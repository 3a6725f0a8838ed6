/* The critical path of a simulation (see critical.h). */
#include "lab/simulate/critical.h"

#include <assert.h>
#include <stdio.h>

#include "util/memory.h"

static const uint32_t NO_RANK = UINT32_MAX;

struct at {
    uint32_t rank, step;
};

enum kind { WORK, SEND, RECEIVE };

struct note {
    uint64_t began;   /* of a receive: when it was ready */
    struct at cause;  /* what ended then */
    struct at sender; /* of a receive */
    uint8_t kind;     /* enum kind */
    uint8_t level;    /* of a send */
    bool was_early;   /* of a receive */
};

struct rank_notes {
    struct note *notes; /* by step */
    size_t bytes;
    struct at carried; /* the last message that it sent or took in: the step of its sender */
    struct at worked;  /* the last step that it reduced or copied */
};

struct allfold_critical {
    struct allfold_budget *budget;
    uint32_t count;
    struct at ended; /* the last step that did */
    uint64_t ended_at;
    uint64_t messages[ALLFOLD_SIMULATED_LEVELS], bytes[ALLFOLD_SIMULATED_LEVELS];
    struct rank_notes ranks[];
};

static size_t bytes_of(uint32_t ranks)
{
    return sizeof(struct allfold_critical) + ranks * sizeof(struct rank_notes);
}

struct allfold_critical *allfold_critical_create(uint32_t ranks, struct allfold_budget *budget)
{
    struct allfold_critical *critical = NULL;
    if (allfold_budget_take(budget, bytes_of(ranks)))
        critical = allfold_allocate_zeroed(bytes_of(ranks));
    if (critical == NULL)
        return NULL;
    critical->budget = budget;
    critical->count = ranks;
    critical->ended.rank = NO_RANK;
    for (uint32_t r = 0; r < ranks; r++)
        critical->ranks[r].carried.rank = critical->ranks[r].worked.rank = NO_RANK;
    return critical;
}

void allfold_critical_free(struct allfold_critical *critical)
{
    for (uint32_t r = 0; critical != NULL && r < critical->count; r++)
        allfold_free(critical->ranks[r].notes);
    allfold_free(critical);
}

bool allfold_critical_add(struct allfold_critical *critical, uint32_t rank, uint32_t steps)
{
    if (critical == NULL)
        return true;
    const size_t bytes = ((size_t)steps + 1) * sizeof(struct note);
    if (!allfold_budget_take(critical->budget, bytes))
        return false;
    critical->ranks[rank].notes = allfold_allocate_zeroed(bytes);
    return critical->ranks[rank].notes != NULL;
}

static struct note *note_of(const struct allfold_critical *critical, struct at at)
{
    assert(at.rank < critical->count);
    return &critical->ranks[at.rank].notes[at.step];
}

void allfold_critical_ended(struct allfold_critical *critical, uint32_t rank, uint32_t step,
                            uint64_t now)
{
    if (critical == NULL)
        return;
    critical->ended = (struct at){rank, step};
    critical->ended_at = now;
}

void allfold_critical_ready(struct allfold_critical *critical, uint32_t rank, uint32_t step,
                            uint64_t now)
{
    if (critical == NULL)
        return;
    struct note *note = note_of(critical, (struct at){rank, step});
    note->began = now;
    note->cause = critical->ended;
}

void allfold_critical_works(struct allfold_critical *critical, uint32_t rank, uint32_t step,
                            uint64_t now, uint64_t begins)
{
    if (critical == NULL)
        return;
    struct rank_notes *its = &critical->ranks[rank];
    struct note *note = &its->notes[step];
    assert(begins >= now);
    note->began = begins;
    note->cause = begins > now ? its->worked : critical->ended;
    its->worked = (struct at){rank, step};
}

void allfold_critical_early(struct allfold_critical *critical, uint32_t rank, uint32_t step)
{
    if (critical != NULL)
        critical->ranks[rank].notes[step].was_early = true;
}

void allfold_critical_sends(struct allfold_critical *critical,
                            struct allfold_critical_message message, uint64_t now)
{
    if (critical == NULL)
        return;
    struct rank_notes *sender = &critical->ranks[message.from];
    struct note *send = &sender->notes[message.send];
    struct note *receive = &critical->ranks[message.to].notes[message.receive];
    if (send->began < now) /* it was ready, but its rank sent or took in another one */
        send->cause = sender->carried;
    send->began = now;
    send->kind = SEND;
    send->level = (uint8_t)message.level;
    receive->kind = RECEIVE;
    receive->sender = sender->carried = (struct at){message.from, message.send};
    critical->messages[message.level]++;
    critical->bytes[message.level] += message.bytes;
}

void allfold_critical_takes_in(struct allfold_critical *critical, uint32_t rank, uint32_t receive)
{
    if (critical != NULL)
        critical->ranks[rank].carried = critical->ranks[rank].notes[receive].sender;
}

int allfold_critical_level(enum allfold_level level, int link_class)
{
    return level == ALLFOLD_LEVEL_NETWORK && link_class > 0 ? (int)level + link_class : (int)level;
}

/* On a graph the network's level is that of the class of the cards. */
static void name_level(const struct allfold_network *network, int level, char *name, size_t bytes)
{
    const int link_class = level - ALLFOLD_LEVEL_NETWORK;
    if (link_class >= 0 && network->graph != NULL)
        snprintf(name, bytes, "%s", allfold_graph_class_name(network->graph, link_class));
    else
        snprintf(name, bytes, "%s", allfold_level_names[level]);
}

static void follow(const struct allfold_critical *critical, struct allfold_simulated *simulated)
{
    struct at at = critical->ended;
    uint64_t until = critical->ended_at;
    while (at.rank != NO_RANK) {
        const struct note *note = note_of(critical, at);
        if (note->kind == RECEIVE && !note->was_early)
            note = note_of(critical, note->sender);
        assert(note->began <= until);
        const double taken_s = 1e-12 * (double)(until - note->began);
        if (note->kind == WORK) {
            simulated->path_work_s += taken_s;
        } else if (note->kind == SEND) {
            simulated->levels[note->level].path_messages++;
            simulated->levels[note->level].path_s += taken_s;
        }
        until = note->began;
        at = note->cause;
    }
    assert(until == 0);
}

void allfold_critical_fill(const struct allfold_critical *critical,
                           const struct allfold_network *network,
                           struct allfold_simulated *simulated)
{
    if (critical == NULL)
        return;
    const int classes = network->graph == NULL ? 1 : allfold_graph_class_count(network->graph);
    simulated->level_count = ALLFOLD_LEVEL_NETWORK + classes;
    assert(simulated->level_count <= ALLFOLD_SIMULATED_LEVELS);
    for (int i = 0; i < simulated->level_count; i++) {
        struct allfold_simulated_level *level = &simulated->levels[i];
        name_level(network, i, level->name, sizeof level->name);
        level->messages = critical->messages[i];
        level->bytes = critical->bytes[i];
    }
    follow(critical, simulated);
}
