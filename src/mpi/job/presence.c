/* Detects ranks without Allfold by messages on MPI_COMM_WORLD (see presence.h). */
#include "mpi/job/presence.h"

#include <assert.h>
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "mpi/process/runtime.h"
#include "util/hash.h"

/* Raise when ranks of two builds could not understand each other. */
#define PROTOCOL "4"

/* A rank without Allfold must not see the messages to it.
 * MPICH and Intel MPI keep a partitioned send in a list of its own, which neither probes nor
 * receives search, and move no data until the partner starts a partitioned receive.
 * Open MPI copies MPI_COMM_WORLD for its first partitioned message, which waits for all ranks. But
 * its own collectives send with negative tags, which MPI_ANY_TAG does not match, and so do we: they
 * pass while Open MPI does not check arguments (its parameter mpi_param_check). */
#if MPI_VERSION >= 4 && !defined OPEN_MPI
#define HAS_PARTITIONS 1
#else
#define HAS_PARTITIONS 0
#endif

enum { WORD, NUMBERS, KINDS };          /* of messages */
enum { MISSING, SPEAKER, OWN_NUMBERS }; /* what the numbers begin with: see the header */
enum {
    MOST_ROUNDS = 31,
    MOST_NUMBERS = OWN_NUMBERS + ALLFOLD_PRESENCE_NUMBERS,
    /* Another build may send more numbers than this one, and they are received, too. Partitioned
     * messages have this length, as both sides must agree on it: do not change it. Ordinary ones
     * are shorter: Intel MPI takes 1.2 ms and more for its first message of 512 bytes. */
    ROOM = 64
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
    int64_t sent[ROOM], got[ROOM];
    MPI_Request sends[KINDS], receives[KINDS];
} rounds[MOST_ROUNDS];
static int round_count;
static bool is_partitioned; /* the messages are */

/* The same for all builds of one version and protocol. */
static uint64_t word_of_build(void)
{
    static const char build[] = "allfold " ALLFOLD_VERSION " protocol " PROTOCOL;
    return allfold_hash(allfold_hash_of_nothing, build, sizeof build);
}

static bool is_open_mpi(void)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    return PMPI_Get_library_version(name, &length) == MPI_SUCCESS &&
           strncmp(name, "Open MPI", strlen("Open MPI")) == 0;
}

static bool has_partitions(void)
{
    int version = 0, subversion = 0;
    return HAS_PARTITIONS && PMPI_Get_version(&version, &subversion) == MPI_SUCCESS && version >= 4;
}

/* Open MPI's variable that has it check arguments. NULL if there is none. */
static bool *find_check_of_arguments(void)
{
    return dlsym(RTLD_DEFAULT, "ompi_mpi_param_check");
}

/* Returns a high tag that programs rarely use, because the program's partitioned messages match by
 * tag, too. */
static int rare_tag(void)
{
    enum { GUARANTEED = 32767 }; /* by the standard */
    int *most = NULL, is_there = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &is_there);
    return (is_there ? *most : GUARANTEED) - (int)(word_of_build() % (GUARANTEED / 2));
}

#if HAS_PARTITIONS
static int start_twice(MPI_Request *request)
{
    const int code = PMPI_Start(request);
    return code == MPI_SUCCESS ? code : PMPI_Start(request);
}
#endif

static int receive(void *into, int count, int from, int tag, MPI_Request *request)
{
#if HAS_PARTITIONS
    if (is_partitioned) {
        const int code = PMPI_Precv_init(into, 1, count, MPI_INT64_T, from, tag, MPI_COMM_WORLD,
                                         MPI_INFO_NULL, request);
        return code == MPI_SUCCESS ? start_twice(request) : code;
    }
#endif
    return PMPI_Irecv(into, count, MPI_INT64_T, from, tag, MPI_COMM_WORLD, request);
}

static int send(const void *from, int count, int to, int tag, MPI_Request *request)
{
#if HAS_PARTITIONS
    if (is_partitioned) {
        int code = PMPI_Psend_init(from, 1, count, MPI_INT64_T, to, tag, MPI_COMM_WORLD,
                                   MPI_INFO_NULL, request);
        if (code == MPI_SUCCESS)
            code = start_twice(request);
        if (code == MPI_SUCCESS && PMPI_Pready(0, *request) != MPI_SUCCESS)
            code = PMPI_Pready(0, *request);
        return code;
    }
#endif
    return PMPI_Isend(from, count, MPI_INT64_T, to, tag, MPI_COMM_WORLD, request);
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
        code = receive(from, room, round->from, tag, &round->receives[which]);
    code = MPI_ERR_OTHER;
    for (int i = 0; i < TRIES && code != MPI_SUCCESS; i++)
        code = send(to, is_partitioned ? room : count, round->to, tag, &round->sends[which]);
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

static bool is_done(MPI_Request *request)
{
    int done = *request == MPI_REQUEST_NULL;
    if (!done && PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        done = 0;
    return done != 0;
}

/* Looks which words have come; returns whether some are still to come. */
static bool look_for_words(void)
{
    bool some_pending = false;
    for (int k = 0; k < round_count; k++) {
        if (rounds[k].is_present)
            continue;
        const bool has_ended = is_done(&rounds[k].receives[WORD]);
        rounds[k].is_present = has_ended && rounds[k].word == rounds[k].sent_word;
        some_pending |= !has_ended;
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

/* Tries twice, unless MPI gave the request up. A partitioned request is still there after it has
 * failed, so the caller looks whether something was received. */
static bool wait_for(MPI_Request *request)
{
    return PMPI_Wait(request, MPI_STATUS_IGNORE) == MPI_SUCCESS ||
           (*request != MPI_REQUEST_NULL && PMPI_Wait(request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* Runs one round of the dissemination. The numbers are also sent to a missing partner, because it
 * may run Allfold and only be late; but this rank does not wait for it. Returns false if nothing
 * was received. */
static bool pass_on(struct round *round, int64_t *numbers, int count, int tag)
{
    enum { NOTHING = -1 }; /* no rank is that */
    memcpy(round->sent, numbers, (size_t)count * sizeof *numbers);
    round->got[MISSING] = NOTHING;
    start(round, NUMBERS, count, tag);
    if (!round->is_present || round->receives[NUMBERS] == MPI_REQUEST_NULL ||
        !wait_for(&round->receives[NUMBERS]) || round->got[MISSING] == NOTHING)
        return false;
    for (int i = 0; i < count; i++)
        if (round->got[i] < numbers[i])
            numbers[i] = round->got[i];
    return true;
}

/* A partitioned send needs this rank's progress after the partner has received it, and the program
 * need not call MPI again for long. A partner that has received the word is present and receives
 * the numbers, too. */
static void complete_sends(void)
{
    const double begin_s = allfold_now_s();
    for (int k = 0; k < round_count && is_partitioned; k++)
        while (is_done(&rounds[k].sends[WORD]) && !is_done(&rounds[k].sends[NUMBERS]) &&
               allfold_now_s() - begin_s < patience_s)
            sched_yield();
}

/* Frees requests. Sends to a silent rank may go on, so their buffers are static; MPI forbids to
 * free partitioned ones that go on. */
static void free_requests(void)
{
    for (int k = 0; k < round_count; k++)
        for (int i = 0; i < KINDS; i++) {
            MPI_Request *send = &rounds[k].sends[i], *receive = &rounds[k].receives[i];
            if (is_done(send) ? *send != MPI_REQUEST_NULL : !is_partitioned)
                PMPI_Request_free(send);
            if (is_partitioned && *receive != MPI_REQUEST_NULL && is_done(receive))
                PMPI_Request_free(receive);
        }
}

static struct allfold_presence_found agree(int64_t *numbers, int count, int tag)
{
    int64_t all[MOST_NUMBERS];
    int p, rank;
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
    complete_sends();
    free_requests();
    memcpy(numbers, all + OWN_NUMBERS, (size_t)count * sizeof *numbers);
    return (struct allfold_presence_found){.missing = all[MISSING] < p ? (int)all[MISSING] : -1,
                                           .speaker = (int)all[SPEAKER]};
}

struct allfold_presence_found allfold_presence_agree(int64_t *numbers, int count)
{
    /* Below the tags of Open MPI's collectives, which end at -INT_MAX / 2, and negative also in the
     * 24 bits that UCX has for tags. */
    enum { HIDDEN_TAG = INT_MIN + (1 << 23) + 1 };
    const bool has_open_mpi = is_open_mpi();
    bool *const checks = has_open_mpi ? find_check_of_arguments() : NULL;
    is_partitioned = !has_open_mpi && has_partitions();
    if (checks == NULL)
        return agree(numbers, count, rare_tag());
    const bool has_checked = *checks;
    *checks = false;
    const struct allfold_presence_found found = agree(numbers, count, HIDDEN_TAG);
    *checks = has_checked;
    return found;
}

void allfold_presence_close(void)
{
    for (int k = 0; k < round_count; k++)
        for (int i = 0; i < KINDS; i++)
            if (!is_partitioned && rounds[k].receives[i] != MPI_REQUEST_NULL &&
                PMPI_Cancel(&rounds[k].receives[i]) == MPI_SUCCESS)
                PMPI_Wait(&rounds[k].receives[i], MPI_STATUS_IGNORE);
    round_count = 0;
}
