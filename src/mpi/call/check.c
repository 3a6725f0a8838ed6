/* The argument check of ALLFOLD_TIMEOUT=check (see check.h). */
#include "mpi/call/check.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "mpi/arrivals/missing_ranks.h"
#include "mpi/call/block_counts.h"
#include "mpi/handles/type_signature.h"
#include "mpi/handles/predefined.h"
#include "mpi/progress/progress.h"
#include "util/memory.h"
#include "util/hash.h"

/* Of a user's operation only this is known, and whether it commutes. */
enum { ANY_OPERATION = ALLFOLD_OPERATION_COUNT, COMMUTING_OPERATION, NO_OPERATION };

/* What must be equal on all ranks. It is zeroed first, because its bytes are hashed. */
struct compared {
    uint64_t number; /* of the call on the communicator */
    uint64_t signature, send_signature;
    int32_t mode, collective, root, operation;
};

/* Its bytes are hashed, so there is none that no field has. */
_Static_assert(sizeof(struct compared) == 3 * sizeof(uint64_t) + 4 * sizeof(int32_t), "gaps");

/* The description of a call by one or more ranks. */
struct saying {
    uint64_t hash; /* 0: nothing */
    int32_t rank;  /* lowest rank with this description */
    int32_t ranks; /* how many do */
    uint64_t count;
    struct compared compared;
    char type[48];
    char blocks[40]; /* counts of the first blocks; "" if all are equal */
};

/* Different descriptions, in the order of their lowest ranks. */
enum { MOST_SAYINGS = 4 };

struct sayings {
    struct saying said[MOST_SAYINGS];
    int64_t others; /* number of ranks with other descriptions */
};

struct allfold_check {
    MPI_Comm user;
    MPI_Request request;
    struct sayings mine, all;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static MPI_Op merge = MPI_OP_NULL;
static MPI_Datatype travels_as = MPI_DATATYPE_NULL;

static void add(struct sayings *all, const struct saying *saying)
{
    struct saying *said = all->said, more = *saying;
    for (int i = 0; i < MOST_SAYINGS; i++)
        if (said[i].hash == more.hash) {
            more.ranks += said[i].ranks;
            if (said[i].rank < more.rank) {
                said[i].ranks = more.ranks;
                return;
            }
            memmove(&said[i], &said[i + 1], (size_t)(MOST_SAYINGS - 1 - i) * sizeof *said);
            said[MOST_SAYINGS - 1].hash = 0;
        }
    for (int i = 0; i < MOST_SAYINGS; i++)
        if (said[i].hash == 0 || more.rank < said[i].rank) {
            const struct saying later = said[i];
            said[i] = more;
            more = later;
            if (more.hash == 0)
                return;
        }
    all->others += more.ranks;
}

static void merge_sayings(void *more, void *all, int *count, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *count; i++) {
        struct sayings *to = (struct sayings *)all + i;
        const struct sayings *from = (const struct sayings *)more + i;
        for (int k = 0; k < MOST_SAYINGS; k++)
            if (from->said[k].hash != 0)
                add(to, &from->said[k]);
        to->others += from->others;
    }
}

static int make_shared(void)
{
    pthread_mutex_lock(&mutex);
    int error = MPI_SUCCESS;
    if (travels_as == MPI_DATATYPE_NULL)
        error = PMPI_Type_contiguous((int)sizeof(struct sayings), MPI_BYTE, &travels_as);
    if (error == MPI_SUCCESS && merge == MPI_OP_NULL) {
        error = PMPI_Type_commit(&travels_as);
        if (error == MPI_SUCCESS)
            error = PMPI_Op_create(merge_sayings, 1, &merge);
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

void allfold_checks_forget(void)
{
    if (merge != MPI_OP_NULL)
        PMPI_Op_free(&merge);
    if (travels_as != MPI_DATATYPE_NULL)
        PMPI_Type_free(&travels_as);
}

static int32_t operation_of(const struct allfold_call *call)
{
    int commutes = 0;
    if (!allfold_traits(call->collective)->reduces || call->op == MPI_OP_NULL)
        return NO_OPERATION;
    if (!allfold_is_user_operation(call->op))
        return (int32_t)allfold_known_operation(call->op);
    PMPI_Op_commutative(call->op, &commutes);
    return commutes ? COMMUTING_OPERATION : ANY_OPERATION;
}

/* For blocks of any lengths the ranks compare the signatures of all blocks. What a rank sends must
 * match its own block; if it does, nothing else need be compared. */
static void compare_blocks(const struct allfold_call *call,
                           const struct allfold_communicator *state, struct compared *compared)
{
    uint64_t hash = allfold_hash_of_nothing;
    for (int i = 0; i < state->size; i++) {
        const ptrdiff_t count = allfold_count_of(call, i);
        const uint64_t signature =
            count < 0 ? UINT64_MAX : allfold_signature((size_t)count, call->datatype);
        hash = allfold_hash(hash, &signature, sizeof signature);
        if (i == state->rank && call->collective == ALLFOLD_ALLGATHERV &&
            call->sendbuf != MPI_IN_PLACE)
            compared->send_signature =
                signature ^ allfold_signature(call->send_count, call->send_datatype);
    }
    compared->signature = hash;
    compared->send_signature ^= hash; /* the same, unless the rank sends something else */
}

/* For collectives that move data, the signature of what each rank sends is compared, too. */
static struct compared compared_of(const struct allfold_call *call,
                                   const struct allfold_communicator *state,
                                   enum allfold_call_mode mode, uint64_t number)
{
    struct compared compared;
    memset(&compared, 0, sizeof compared);
    compared.number = number;
    compared.mode = (int32_t)mode;
    compared.collective = (int32_t)call->collective;
    compared.root = call->root;
    compared.operation = operation_of(call);
    if (call->count_is_valid && call->counts != NULL) {
        compare_blocks(call, state, &compared);
        return compared;
    }
    compared.signature =
        call->count_is_valid ? allfold_signature(call->count, call->datatype) : UINT64_MAX;
    compared.send_signature = compared.signature;
    if (allfold_traits(call->collective)->out_is_blocks && call->sendbuf != MPI_IN_PLACE &&
        call->count_is_valid && call->collective == ALLFOLD_ALLGATHER)
        compared.send_signature = allfold_signature(call->send_count, call->send_datatype);
    return compared;
}

static void name_type(MPI_Datatype datatype, char *name, size_t name_bytes)
{
    char given[MPI_MAX_OBJECT_NAME] = "MPI_DATATYPE_NULL";
    int length, bytes = 0;
    if (datatype != MPI_DATATYPE_NULL) {
        PMPI_Type_get_name(datatype, given, &length);
        PMPI_Type_size(datatype, &bytes);
    }
    if (*given != '\0')
        snprintf(name, name_bytes, "%.*s", (int)name_bytes - 1, given);
    else
        snprintf(name, name_bytes, "a derived type of %d bytes", bytes);
}

/* "3, 0, 5, ..." */
static void name_blocks(const struct allfold_call *call, int p, char *text, size_t text_bytes)
{
    enum { COUNT_BYTES = 24 };
    size_t at = 0;
    *text = '\0';
    for (int i = 0; call->counts != NULL && i < p; i++) {
        char count[COUNT_BYTES];
        const int length =
            snprintf(count, sizeof count, "%s%td", i == 0 ? "" : ", ", allfold_count_of(call, i));
        const bool fits = at + (size_t)length + sizeof ", ..." <= text_bytes;
        at += (size_t)snprintf(text + at, text_bytes - at, "%s", fits ? count : ", ...");
        if (!fits)
            return;
    }
}

static void say(struct saying *mine, const struct allfold_call *call,
                const struct compared *compared, int p, int rank)
{
    memset(mine, 0, sizeof *mine);
    mine->hash = allfold_hash(allfold_hash_of_nothing, compared, sizeof *compared) | 1;
    mine->rank = rank;
    mine->ranks = 1;
    mine->count = call->counts == NULL ? call->count : allfold_counts_total(call);
    mine->compared = *compared;
    name_type(call->datatype, mine->type, sizeof mine->type);
    name_blocks(call, p, mine->blocks, sizeof mine->blocks);
}

int allfold_check_start(struct allfold_communicator *state, const struct allfold_call *call,
                        enum allfold_call_mode mode, struct allfold_check **made)
{
    struct allfold_check *check = allfold_allocate_zeroed(sizeof *check);
    struct allfold_arrivals *arrivals = allfold_arrivals_of(state);
    arrivals->calls += mode != ALLFOLD_BLOCKING; /* those are counted already */
    const struct compared compared = compared_of(call, state, mode, arrivals->calls);
    *made = check;
    if (check == NULL)
        return MPI_ERR_NO_MEM;
    check->user = state->user;
    say(&check->mine.said[0], call, &compared, state->size, state->rank);
    int error = make_shared();
    if (error == MPI_SUCCESS)
        error = PMPI_Iallreduce(&check->mine, &check->all, 1, travels_as, merge,
                                state->carrier.comm, &check->request);
    if (error == MPI_SUCCESS)
        return error;
    allfold_free(check);
    *made = NULL;
    return error;
}

/* "MPI_Allreduce of 5 x MPI_DOUBLE, sum, as call 9" */
static void add_saying(struct allfold_line *line, const struct saying *saying)
{
    const struct compared *call = &saying->compared;
    const struct allfold_traits *of = allfold_traits((enum allfold_collective)call->collective);
    allfold_line_add(line, "rank %d", saying->rank);
    if (saying->ranks > 1)
        allfold_line_add(line, " and %d more", saying->ranks - 1);
    allfold_line_add(line, ": ");
    allfold_line_add_call(line, (enum allfold_collective)call->collective,
                          (enum allfold_call_mode)call->mode);
    if (call->collective != ALLFOLD_BARRIER)
        allfold_line_add(line, " of %lld x %s", (long long)saying->count, saying->type);
    if (saying->blocks[0] != '\0')
        allfold_line_add(line, " in blocks of %s", saying->blocks);
    if (call->operation < ALLFOLD_OPERATION_COUNT)
        allfold_line_add(line, ", %s",
                         allfold_operation_name((enum allfold_operation)call->operation));
    else if (of->reduces && call->operation != NO_OPERATION)
        allfold_line_add(line, ", an operation of its own%s",
                         call->operation == COMMUTING_OPERATION ? "" : " that does not commute");
    if (of->has_root)
        allfold_line_add(line, ", root %d", call->root);
    if (call->send_signature != call->signature)
        allfold_line_add(line, ", and another signature to send");
    allfold_line_add(line, ", as call %llu", (unsigned long long)call->number);
}

static int code_of(const struct allfold_check *check)
{
    const struct sayings *all = &check->all;
    struct allfold_line line = {.length = 0};
    if (all->said[1].hash == 0)
        return MPI_SUCCESS;
    allfold_line_add(&line, "calls differ (ALLFOLD_TIMEOUT=check): ");
    for (int i = 0; i < MOST_SAYINGS && all->said[i].hash != 0; i++) {
        allfold_line_add(&line, "%s", i == 0 ? "" : "; ");
        add_saying(&line, &all->said[i]);
    }
    if (all->others > 0)
        allfold_line_add(&line, "; %lld ranks: others still", (long long)all->others);
    return allfold_message_code(check->user, line.text);
}

static int finish(struct allfold_check **at, int error)
{
    assert(error != MPI_SUCCESS || (*at)->all.said[0].hash != 0);
    const int code = error == MPI_SUCCESS ? code_of(*at) : error;
    allfold_free(*at);
    *at = NULL;
    return code;
}

bool allfold_check_test(struct allfold_check **check, int *code)
{
    int has_ended = 0;
    const int error = PMPI_Test(&(*check)->request, &has_ended, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && !has_ended)
        return false;
    *code = finish(check, error);
    return true;
}

int allfold_check_call(struct allfold_communicator *state, const struct allfold_call *call,
                       enum allfold_call_mode mode)
{
    struct allfold_check *check;
    int error = allfold_check_start(state, call, mode, &check);
    if (error == MPI_SUCCESS)
        error = finish(&check, allfold_wait_request(&check->request));
    return allfold_raise(call->comm, error);
}
