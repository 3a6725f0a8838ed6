/* Presence (see presence.h). */
#include "mpi/job/presence.h"

#include <assert.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "mpi/process/runtime.h"
#include "util/hash.h"

/* Raise when ranks of two builds could not understand each other. */
#define PROTOCOL "3"

enum { WORD, NUMBERS, KINDS };          /* of messages */
enum { MISSING, SPEAKER, OWN_NUMBERS }; /* what the numbers begin with: see the header */
enum {
    MOST_ROUNDS = 31,
    MOST_NUMBERS = OWN_NUMBERS + ALLFOLD_PRESENCE_NUMBERS,
    ROOM = 64 /* another build may send more numbers than this one, and they are received, too */
};

/* Seconds after which a rank that has sent nothing counts as missing. Ranks usually leave MPI_Init
 * within milliseconds of each other; if one is delayed by more than this, the job runs without
 * Allfold. */
static const double patience_s = 10;

/* Seconds after which a rank that waits leaves its core to others. */
static const double busy_s = 0.01;
enum { REST_US = 200 };

/* The messages with the ranks at distance 2^k. They are static, as MPI may still use those of
 * silent ranks after the agreement. */
static struct round {
    int to, from;
    bool is_present; /* `from` has sent this build's word */
    uint64_t sent_word, word;
    int64_t sent[MOST_NUMBERS], got[ROOM];
    MPI_Request sends[KINDS], receives[KINDS];
} rounds[MOST_ROUNDS];
static int round_count;

/* The same for all builds of one version and protocol. */
static uint64_t word_of_build(void)
{
    static const char build[] = "allfold " ALLFOLD_VERSION " protocol " PROTOCOL;
    return allfold_hash(allfold_hash_of_nothing, build, sizeof build);
}

static int highest_tag(void)
{
    int *most = NULL, is_there = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &is_there);
    return is_there ? *most : 32767; /* what the standard guarantees */
}

/* The other ranks wait for what this one sends, so a call that fails is made a second time. If the
 * receive fails too, the partner counts as missing here; if the send of a word does, this rank
 * counts as missing there. One exception: if the send of numbers fails twice, the partner waits for
 * ever. */
static void start(struct round *round, int which, int count, int tag)
{
    enum { TRIES = 2 };
    void *to = which == WORD ? (void *)&round->sent_word : round->sent;
    void *from = which == WORD ? (void *)&round->word : round->got;
    const int room = which == WORD ? 1 : ROOM;
    int code = MPI_ERR_OTHER;
    for (int i = 0; i < TRIES && code != MPI_SUCCESS; i++)
        code = PMPI_Irecv(from, room, MPI_INT64_T, round->from, tag, MPI_COMM_WORLD,
                          &round->receives[which]);
    code = MPI_ERR_OTHER;
    for (int i = 0; i < TRIES && code != MPI_SUCCESS; i++)
        code = PMPI_Isend(to, count, MPI_INT64_T, round->to, tag, MPI_COMM_WORLD,
                          &round->sends[which]);
}

/* Sends this rank's word to all its partners at once. */
static void send_words(int p, int rank, int tag)
{
    round_count = 0;
    for (int64_t distance = 1; distance < p; distance *= 2) {
        assert(round_count < MOST_ROUNDS);
        struct round *round = &rounds[round_count++];
        *round = (struct round){.to = (int)((rank + distance) % p),
                                .from = (int)((rank - distance + p) % p),
                                .sent_word = word_of_build(),
                                .sends = {MPI_REQUEST_NULL, MPI_REQUEST_NULL},
                                .receives = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
        start(round, WORD, 1, tag);
    }
}

/* Looks which words have come; returns whether some are still to come. */
static bool look_for_words(void)
{
    bool some_pending = false;
    for (int k = 0; k < round_count; k++) {
        int is_done = 0;
        if (rounds[k].is_present)
            continue;
        if (PMPI_Test(&rounds[k].receives[WORD], &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            is_done = 0;
        rounds[k].is_present = is_done && rounds[k].word == rounds[k].sent_word;
        some_pending |= !is_done;
    }
    return some_pending;
}

/* Waits for the words of all partners, until the patience ends. */
static void receive_words(void)
{
    const double begin_s = allfold_now_s();
    while (look_for_words()) {
        const double waited_s = allfold_now_s() - begin_s;
        if (waited_s > patience_s)
            break;
        if (waited_s > busy_s)
            usleep(REST_US);
        else
            sched_yield();
    }
}

/* Tries twice, unless MPI gave the request up. */
static bool wait_for(MPI_Request *request)
{
    return PMPI_Wait(request, MPI_STATUS_IGNORE) == MPI_SUCCESS ||
           (*request != MPI_REQUEST_NULL && PMPI_Wait(request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* One round of the dissemination. The numbers are also sent to a partner that is missing, because
 * it may run Allfold and only be late; but this rank does not wait for it. False if nothing was
 * received. */
static bool pass_on(struct round *round, int64_t *numbers, int count, int tag)
{
    memcpy(round->sent, numbers, (size_t)count * sizeof *numbers);
    start(round, NUMBERS, count, tag);
    if (!round->is_present || round->receives[NUMBERS] == MPI_REQUEST_NULL ||
        !wait_for(&round->receives[NUMBERS]))
        return false;
    for (int i = 0; i < count; i++)
        if (round->got[i] < numbers[i])
            numbers[i] = round->got[i];
    return true;
}

/* Frees the send requests. Sends to a silent rank may go on, so their buffers are static. */
static void end_sends(void)
{
    for (int k = 0; k < round_count; k++)
        for (int i = 0; i < KINDS; i++) {
            int is_done = rounds[k].sends[i] == MPI_REQUEST_NULL;
            if (!is_done &&
                (PMPI_Test(&rounds[k].sends[i], &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                 !is_done))
                PMPI_Request_free(&rounds[k].sends[i]);
        }
}

struct allfold_presence allfold_presence_agree(int64_t *numbers, int count)
{
    int64_t all[MOST_NUMBERS];
    int p, rank;
    const int tag = highest_tag();
    assert(count <= ALLFOLD_PRESENCE_NUMBERS);
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    send_words(p, rank, tag);
    receive_words();
    all[MISSING] = p;
    all[SPEAKER] = rank;
    for (int k = 0; k < round_count; k++)
        if (!rounds[k].is_present && rounds[k].from < all[MISSING])
            all[MISSING] = rounds[k].from;
    memcpy(all + OWN_NUMBERS, numbers, (size_t)count * sizeof *numbers);
    for (int k = 0; k < round_count; k++)
        if (!pass_on(&rounds[k], all, OWN_NUMBERS + count, tag) && rounds[k].from < all[MISSING])
            all[MISSING] = rounds[k].from;
    end_sends();
    memcpy(numbers, all + OWN_NUMBERS, (size_t)count * sizeof *numbers);
    return (struct allfold_presence){.missing = all[MISSING] < p ? (int)all[MISSING] : -1,
                                     .speaker = (int)all[SPEAKER]};
}

void allfold_presence_close(void)
{
    for (int k = 0; k < round_count; k++)
        for (int i = 0; i < KINDS; i++)
            if (rounds[k].receives[i] != MPI_REQUEST_NULL &&
                PMPI_Cancel(&rounds[k].receives[i]) == MPI_SUCCESS)
                PMPI_Wait(&rounds[k].receives[i], MPI_STATUS_IGNORE);
    round_count = 0;
}
