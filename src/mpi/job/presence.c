/* Presence (see presence.h). */
#include "mpi/job/presence.h"

#include <assert.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "mpi/process/runtime.h"
#include "util/hash.h"

/* Raise when ranks of the old and the new kind could not understand each other. */
#define PROTOCOL "3"

enum {
    MOST_ROUNDS = 31,
    OWN_NUMBERS = 2,
    MOST_NUMBERS = OWN_NUMBERS + ALLFOLD_PRESENCE_NUMBERS,
    ROOM = 64 /* another build may send more numbers than this one, and they are received, too */
};

/* Seconds after which a rank that has sent nothing counts as missing. All ranks leave MPI_Init at
 * about the same time, so this is long; a job whose ranks are stopped for longer is native. */
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
    MPI_Request sends[2], receives[2]; /* the word, the numbers */
} rounds[MOST_ROUNDS];
static int round_count;

/* The same for all processes of one build, and different for two. */
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

/* Starts both directions of a round; `which` is 0 for the word and 1 for the numbers. */
static int start(struct round *round, int which, int count, int tag)
{
    void *to = which == 0 ? (void *)&round->sent_word : round->sent;
    void *from = which == 0 ? (void *)&round->word : round->got;
    const int code = PMPI_Irecv(from, which == 0 ? 1 : ROOM, MPI_INT64_T, round->from, tag,
                                MPI_COMM_WORLD, &round->receives[which]);
    return code != MPI_SUCCESS ? code
                               : PMPI_Isend(to, count, MPI_INT64_T, round->to, tag, MPI_COMM_WORLD,
                                            &round->sends[which]);
}

/* Sends this rank's word to all its partners at once. */
static int send_words(int p, int rank, int tag)
{
    int code = MPI_SUCCESS;
    round_count = 0;
    for (int distance = 1; distance < p && code == MPI_SUCCESS; distance *= 2) {
        assert(round_count < MOST_ROUNDS);
        struct round *round = &rounds[round_count++];
        *round = (struct round){.to = (rank + distance) % p,
                                .from = (rank - distance + p) % p,
                                .sent_word = word_of_build(),
                                .sends = {MPI_REQUEST_NULL, MPI_REQUEST_NULL},
                                .receives = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
        code = start(round, 0, 1, tag);
        if (distance > INT_MAX / 2)
            break;
    }
    return code;
}

/* Waits for the words of all partners, until the patience ends. */
static int receive_words(void)
{
    const double begin_s = allfold_now_s();
    int missing = round_count;
    while (missing > 0) {
        missing = 0;
        for (int k = 0; k < round_count; k++) {
            int is_done = 1;
            const int code = PMPI_Test(&rounds[k].receives[0], &is_done, MPI_STATUS_IGNORE);
            if (code != MPI_SUCCESS)
                return code;
            rounds[k].is_present = is_done && rounds[k].word == word_of_build();
            missing += !is_done;
        }
        const double waited_s = allfold_now_s() - begin_s;
        if (missing > 0 && waited_s > patience_s)
            break;
        if (missing > 0 && waited_s > busy_s)
            usleep(REST_US);
        else if (missing > 0)
            sched_yield();
    }
    return MPI_SUCCESS;
}

/* One round of the dissemination. A partner that is missing is told, but not waited for: it may run
 * Allfold all the same, and be late. */
static int pass_on(struct round *round, int64_t *numbers, int count, int tag)
{
    memcpy(round->sent, numbers, (size_t)count * sizeof *numbers);
    int code = start(round, 1, count, tag);
    if (code != MPI_SUCCESS || !round->is_present)
        return code;
    code = PMPI_Wait(&round->receives[1], MPI_STATUS_IGNORE);
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        if (round->got[i] < numbers[i])
            numbers[i] = round->got[i];
    return code;
}

/* Ends what this rank has sent. To a silent rank it may stay on its way. */
static int end_sends(void)
{
    int code = MPI_SUCCESS;
    for (int k = 0; k < round_count && code == MPI_SUCCESS; k++)
        for (int i = 0; i < 2 && code == MPI_SUCCESS; i++) {
            int is_done = 0;
            code = PMPI_Test(&rounds[k].sends[i], &is_done, MPI_STATUS_IGNORE);
            if (code == MPI_SUCCESS && !is_done)
                code = PMPI_Request_free(&rounds[k].sends[i]);
        }
    return code;
}

int allfold_presence_agree(int64_t *numbers, int count, struct allfold_presence *found)
{
    int64_t all[MOST_NUMBERS];
    int p, rank;
    const int tag = highest_tag();
    assert(count <= ALLFOLD_PRESENCE_NUMBERS);
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = send_words(p, rank, tag);
    if (code == MPI_SUCCESS)
        code = receive_words();
    all[0] = p; /* the lowest rank that is missing */
    all[1] = rank;
    for (int k = 0; k < round_count; k++)
        if (!rounds[k].is_present && rounds[k].from < all[0])
            all[0] = rounds[k].from;
    memcpy(all + OWN_NUMBERS, numbers, (size_t)count * sizeof *numbers);
    for (int k = 0; k < round_count && code == MPI_SUCCESS; k++)
        code = pass_on(&rounds[k], all, OWN_NUMBERS + count, tag);
    if (code == MPI_SUCCESS)
        code = end_sends();
    memcpy(numbers, all + OWN_NUMBERS, (size_t)count * sizeof *numbers);
    *found =
        (struct allfold_presence){.missing = all[0] < p ? (int)all[0] : -1, .speaker = (int)all[1]};
    return code;
}

void allfold_presence_close(void)
{
    for (int k = 0; k < round_count; k++)
        for (int i = 0; i < 2; i++)
            if (rounds[k].receives[i] != MPI_REQUEST_NULL &&
                PMPI_Cancel(&rounds[k].receives[i]) == MPI_SUCCESS)
                PMPI_Wait(&rounds[k].receives[i], MPI_STATUS_IGNORE);
    round_count = 0;
}
