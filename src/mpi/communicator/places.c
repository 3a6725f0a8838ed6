/* Where a communicator's ranks live (see places.h). */
#include "mpi/communicator/places.h"

#include <stdio.h>

#include "mpi/process/runtime.h"
#include "util/memory.h"
#include "util/hash.h"
#include "select/placement.h"

/* Bounded to 63 bits, as MPICH 4.0 compares unsigned numbers as signed ones. */
int64_t allfold_node_key(void)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    if (PMPI_Get_processor_name(name, &length) != MPI_SUCCESS)
        return 0;
    const uint64_t hash = allfold_hash(allfold_hash_of_nothing, name, (size_t)length);
    return (int64_t)(hash >> 1);
}

/* Where each rank is in MPI_COMM_WORLD. */
static int find_in_world(const struct allfold_communicator *state, int *in_world)
{
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    int error = PMPI_Comm_group(MPI_COMM_WORLD, &world);
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_group(state->comm, &group);
    for (int r = 0; r < state->size && error == MPI_SUCCESS; r++)
        error = PMPI_Group_translate_ranks(group, 1, &r, world, &in_world[r]);
    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
    return error;
}

static void say_unread(const struct allfold_communicator *state, const char *message)
{
    char line[ALLFOLD_MESSAGE_BYTES + 60];
    snprintf(line, sizeof line, "ALLFOLD_NODES: %s; the real nodes are taken", message);
    if (state->rank == 0 && state->user == MPI_COMM_WORLD)
        allfold_warn(line);
}

/* The keys of all ranks as ALLFOLD_NODES has them. Returns an MPI error code. */
static int place(const struct allfold_communicator *state, int64_t *keys)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    int p = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    int64_t *world_keys = allfold_allocate((size_t)p * sizeof *world_keys);
    int *in_world = allfold_allocate((size_t)state->size * sizeof *in_world);
    enum allfold_error read = ALLFOLD_NO_MEMORY;
    int error = MPI_ERR_NO_MEM;
    if (world_keys != NULL && in_world != NULL)
        read =
            allfold_placement_read(state->settings->nodes, p, world_keys, message, sizeof message);
    if (read != ALLFOLD_NO_MEMORY)
        error = find_in_world(state, in_world);
    for (int r = 0; r < state->size && error == MPI_SUCCESS && read == ALLFOLD_OK; r++)
        keys[r] = in_world[r] == MPI_UNDEFINED ? -1 : world_keys[in_world[r]];
    allfold_free(world_keys);
    allfold_free(in_world);
    if (read == ALLFOLD_BAD_INPUT)
        say_unread(state, message);
    return error;
}

int allfold_find_nodes(struct allfold_communicator *state, int64_t key, bool one_node)
{
    int64_t *keys = allfold_allocate((size_t)state->size * sizeof *keys);
    int has_memory = keys != NULL, error = MPI_SUCCESS;
    if (!one_node || state->settings->nodes[0] != '\0') {
        error = PMPI_Allreduce(MPI_IN_PLACE, &has_memory, 1, MPI_INT, MPI_MIN, state->comm);
        if (error == MPI_SUCCESS && has_memory)
            error = PMPI_Allgather(&key, 1, MPI_INT64_T, keys, 1, MPI_INT64_T, state->comm);
    } else if (has_memory) {
        for (int r = 0; r < state->size; r++)
            keys[r] = key;
    }
    if (error == MPI_SUCCESS && has_memory && state->settings->nodes[0] != '\0')
        error = place(state, keys);
    if (error == MPI_SUCCESS && has_memory)
        state->nodes = allfold_nodes_make(keys, state->size);
    allfold_free(keys);
    if (error != MPI_SUCCESS)
        return error;
    return state->nodes == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}
