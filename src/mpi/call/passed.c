/* Notes and calls of collectives that pass through (see passed.h). */
#include "mpi/call/passed.h"

#include <limits.h>
#include <stdio.h>

#include "mpi/call/block_counts.h"
#include "mpi/handles/type_size.h"
#include "mpi/process/runtime.h"
#include "mpi/report/live.h"
#include "mpi/report/report.h"
#include "util/memory.h"

atomic_bool allfold_passed_are_noted;

void allfold_passed_open(void)
{
    atomic_store(&allfold_passed_are_noted, allfold_settings_gather(allfold_settings()));
}

void allfold_passed_close(void)
{
    atomic_store(&allfold_passed_are_noted, false);
}

/* --- bytes --- */

static MPI_Count count_of(const struct allfold_passed_call *call,
                          const struct allfold_passed_side *side, int block)
{
    if (side->counts == NULL)
        return side->count;
    return call->has_large_counts ? ((const MPI_Count *)side->counts)[block]
                                  : ((const int *)side->counts)[block];
}

static MPI_Datatype type_of(const struct allfold_passed_call *call,
                            const struct allfold_passed_side *side, int block)
{
    if (side->types == NULL)
        return side->type;
    return call->type_at != NULL ? call->type_at(side->types, block)
                                 : ((const MPI_Datatype *)side->types)[block];
}

/* Types of empty blocks may be anything. */
static size_t block_bytes(const struct allfold_passed_call *call,
                          const struct allfold_passed_side *side, int block)
{
    const MPI_Count count = count_of(call, side, block);
    MPI_Count bytes = 0;
    if (count > 0)
        allfold_type_size(type_of(call, side, block), &bytes);
    return (size_t)(count * bytes);
}

/* Bytes of the blocks for all ranks, or for those of the other group. */
static size_t bytes_to_all(const struct allfold_passed_call *call,
                           const struct allfold_passed_side *side, bool is_inter)
{
    size_t bytes = 0;
    int p = 0;
    if (is_inter)
        PMPI_Comm_remote_size(call->comm, &p);
    else
        PMPI_Comm_size(call->comm, &p);
    if (side->counts == NULL)
        return (size_t)p * block_bytes(call, side, 0);
    for (int r = 0; r < p; r++)
        bytes += block_bytes(call, side, r);
    return bytes;
}

static int count_neighbors(MPI_Comm comm, bool are_receivers)
{
    int kind = MPI_UNDEFINED, rank, number = 0, in = 0, out = 0, is_weighted;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &number);
        return 2 * number;
    }
    if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &is_weighted);
        return are_receivers ? out : in;
    }
    PMPI_Comm_rank(comm, &rank);
    if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors_count(comm, rank, &number);
    return number;
}

/* Of blocks for neighbors in a grid. Beyond its border there are none. */
static size_t bytes_in_grid(const struct allfold_passed_call *call)
{
    const int dimensions = count_neighbors(call->comm, true) / 2;
    size_t bytes = 0;
    for (int d = 0; d < dimensions; d++) {
        int neighbors[2] = {MPI_PROC_NULL, MPI_PROC_NULL};
        PMPI_Cart_shift(call->comm, d, 1, &neighbors[0], &neighbors[1]);
        for (int i = 0; i < 2; i++)
            if (neighbors[i] != MPI_PROC_NULL)
                bytes += block_bytes(call, &call->send, 2 * d + i);
    }
    return bytes;
}

static size_t bytes_to_neighbors(const struct allfold_passed_call *call)
{
    int kind = MPI_UNDEFINED;
    size_t bytes = 0;
    PMPI_Topo_test(call->comm, &kind);
    if (kind == MPI_CART)
        return bytes_in_grid(call);
    const int number = count_neighbors(call->comm, true);
    for (int i = 0; i < number; i++)
        bytes += block_bytes(call, &call->send, i);
    return bytes;
}

/* What this rank gives to all those it sends to, itself included. */
static size_t given_bytes(const struct allfold_passed_call *call)
{
    int rank = 0, is_inter = 0;
    const bool is_in_place = call->send.buffer == MPI_IN_PLACE;
    const struct allfold_passed_side *side = is_in_place ? &call->receive : &call->send;
    PMPI_Comm_rank(call->comm, &rank);
    PMPI_Comm_test_inter(call->comm, &is_inter);
    switch (call->destinations) {
    case ALLFOLD_TO_ROOT:
        if (is_inter && (call->root == MPI_ROOT || call->root == MPI_PROC_NULL))
            return 0;
        return block_bytes(call, side, is_in_place ? rank : 0);
    case ALLFOLD_FROM_ROOT:
        return call->root == (is_inter ? MPI_ROOT : rank)
                   ? bytes_to_all(call, &call->send, is_inter)
                   : 0;
    case ALLFOLD_TO_ALL:
        return bytes_to_all(call, side, is_inter);
    default:
        return bytes_to_neighbors(call);
    }
}

double allfold_passed_begin(enum allfold_passed_collective collective, const char *mode)
{
    if (mode == NULL)
        allfold_live_enter((enum allfold_collective)collective, allfold_ticks());
    return allfold_now_s();
}

void allfold_passed_note(const struct allfold_passed_call *call, int code, double begin_s)
{
    const double end_s = allfold_now_s();
    int p = 0;
    if (call->mode == NULL)
        allfold_live_leave();
    if (code != MPI_SUCCESS || !allfold_report_records())
        return;
    PMPI_Comm_size(call->comm, &p);
    allfold_report_passed((enum allfold_collective)call->collective, call->mode, p,
                          given_bytes(call), "Allfold does not serve this collective", begin_s,
                          end_s);
}

/* Its address is cached if no function was found. */
static char is_missing;

void *allfold_passed_native(_Atomic(void *) *known, const char *name, void *fallback)
{
    char profiled[64];
    void *found = atomic_load_explicit(known, memory_order_relaxed);
    if (found != NULL)
        return found == &is_missing ? NULL : found;
    found = allfold_find_next(name);
    snprintf(profiled, sizeof profiled, "P%s", name);
    if (found == NULL)
        found = allfold_find_next(profiled);
    if (found == NULL)
        found = fallback;
    if (found != NULL || allfold_has_library())
        atomic_store_explicit(known, found != NULL ? found : &is_missing, memory_order_relaxed);
    return found;
}

int allfold_passed_refuse(MPI_Comm comm, const char *function)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    if (!allfold_has_library())
        return MPI_ERR_OTHER;
    snprintf(message, sizeof message, "the MPI library has no %s", function);
    return allfold_raise_message_of(comm, MPI_ERR_OTHER, message);
}

/* --- large counts as ints --- */

/* What the MPI library reads of one side of a call. */
struct significant {
    bool is_read; /* its count, or its arrays */
    int blocks;   /* the length of the arrays */
};

/* What is significant at the root alone, or at all others of two groups, may be anything elsewhere.
 */
static struct significant significant_of(const struct allfold_passed_call *call, bool is_send)
{
    const struct allfold_passed_side *side = is_send ? &call->send : &call->receive;
    int rank = 0, is_inter = 0;
    struct significant found = {.is_read = side->buffer != MPI_IN_PLACE};
    if (call->comm == MPI_COMM_NULL)
        return (struct significant){.is_read = false};
    PMPI_Comm_test_inter(call->comm, &is_inter);
    PMPI_Comm_rank(call->comm, &rank);
    (is_inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(call->comm, &found.blocks);
    if (call->destinations == ALLFOLD_TO_NEIGHBORS)
        found.blocks = count_neighbors(call->comm, is_send);
    else if (call->destinations == (is_send ? ALLFOLD_FROM_ROOT : ALLFOLD_TO_ROOT))
        found.is_read &= call->root == (is_inter ? MPI_ROOT : rank);
    else if (call->destinations != ALLFOLD_TO_ALL)
        found.is_read &= !is_inter || call->root >= 0;
    return found;
}

/* Replaces wide numbers by ints. Returns false if out of memory. */
static bool narrow_array(const struct allfold_passed_call *call, const void **numbers, int number,
                         void **narrowed)
{
    if (call->mode == allfold_mode_nonblocking)
        return (*numbers = allfold_keep_ints(*numbers, number)) != NULL;
    int *ints = *narrowed = allfold_allocate((size_t)number * sizeof *ints + 1);
    for (int i = 0; ints != NULL && i < number; i++)
        ints[i] = (int)allfold_number_at(*numbers, true, i);
    *numbers = ints;
    return ints != NULL;
}

static int narrow_side(struct allfold_passed_call *call, bool is_send, const char *function)
{
    /* addresses, in all functions of this collective */
    const bool has_addresses = call->collective == ALLFOLD_PASSED_neighbor_alltoallw;
    struct allfold_passed_side *side = is_send ? &call->send : &call->receive;
    void **narrowed = &call->narrowed[is_send ? 0 : 2];
    const struct significant found = significant_of(call, is_send);
    char message[ALLFOLD_MESSAGE_BYTES];
    if (!found.is_read) {
        side->count = 0;
        return MPI_SUCCESS;
    }
    if (side->count > INT_MAX || !allfold_fit_ints(side->counts, found.blocks) ||
        (!has_addresses && !allfold_fit_ints(side->displacements, found.blocks))) {
        snprintf(message, sizeof message,
                 "a count or displacement does not fit an int, and the MPI library has no %s",
                 function);
        return allfold_raise_message_of(call->comm, MPI_ERR_COUNT, message);
    }
    if (side->count < 0)
        side->count = -1; /* an error of the MPI library, too */
    if (side->counts != NULL && !narrow_array(call, &side->counts, found.blocks, &narrowed[0]))
        return allfold_raise(call->comm, MPI_ERR_NO_MEM);
    if (!has_addresses && side->displacements != NULL &&
        !narrow_array(call, &side->displacements, found.blocks, &narrowed[1]))
        return allfold_raise(call->comm, MPI_ERR_NO_MEM);
    return MPI_SUCCESS;
}

int allfold_passed_narrow(struct allfold_passed_call *call, const char *function)
{
    if (!allfold_has_library())
        return MPI_ERR_OTHER;
    const int error = narrow_side(call, true, function);
    return error != MPI_SUCCESS ? error : narrow_side(call, false, function);
}

void allfold_passed_narrow_end(struct allfold_passed_call *call)
{
    for (int i = 0; i < 4; i++)
        allfold_free(call->narrowed[i]);
}
