/* What virtual ranks are made of; for the files of virtual.h alone: virtual.c lets the ranks take
 * turns, virtual_transport.c carries their messages. */
#ifndef ALLFOLD_MODEL_VIRTUAL_STATE_H
#define ALLFOLD_MODEL_VIRTUAL_STATE_H

#include "execute/executor.h"
#include "model/verify/mail.h"
#include "model/verify/virtual.h"

struct slot {
    struct allfold_message message;
    struct allfold_mail *mail; /* what a send gave, or what a receive will get */
    bool is_send;
    bool is_shown; /* a receive's data is shown to the executor, in pieces */
    size_t taken;  /* elements that it has taken of them */
};

/* Some of a rank's slots. Windows are large and few of their slots in use, so they are found
 * without looking at the others: most of the verifier's time would go there. */
struct slot_set {
    uint64_t words[ALLFOLD_MAX_WINDOW / 64];
};

static inline bool slot_set_has(const struct slot_set *set, uint32_t slot)
{
    return (set->words[slot / 64] >> slot % 64 & 1) != 0;
}

static inline void slot_set_add(struct slot_set *set, uint32_t slot)
{
    set->words[slot / 64] |= UINT64_C(1) << slot % 64;
}

static inline void slot_set_remove(struct slot_set *set, uint32_t slot)
{
    set->words[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

/* The first one that is `from` or more; ALLFOLD_MAX_WINDOW where there is none. */
static inline uint32_t slot_set_next(const struct slot_set *set, uint32_t from)
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

static inline uint32_t allfold_virtual_random(struct allfold_virtual *world)
{
    world->random = world->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(world->random >> 33);
}

/* The transport of a rank. */
struct allfold_transport allfold_virtual_transport(void);

/* Puts a rank into the queue, if it is not there and not at work. */
void allfold_virtual_enqueue(struct rank *rank);

/* Notes that there was no memory. Returns 1. */
int allfold_virtual_no_memory(struct allfold_virtual *world);

#endif
