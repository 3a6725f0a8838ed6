/* Where a communicator's ranks live (see places.h). */
#include "mpi/places.h"

#include <stdio.h>

#include "mpi/runtime.h"
#include "schedule/memory.h"
#include "select/hash.h"
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

/* The keys of all ranks as ALLFOLD_NODES has them. */
static int place(const struct allfold_communicator *state, int64_t *keys)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    MPI_Group world, group;
    int p = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    int64_t *world_keys = allfold_allocate((size_t)p * sizeof *world_keys);
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    if (world_keys != NULL)
        error =
            allfold_placement_read(state->settings->nodes, p, world_keys, message, sizeof message);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(state->comm, &group);
    for (int r = 0; r < state->size && error == ALLFOLD_OK; r++) {
        int in_world;
        PMPI_Group_translate_ranks(group, 1, &r, world, &in_world);
        keys[r] = in_world == MPI_UNDEFINED ? -1 : world_keys[in_world];
    }
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    allfold_free(world_keys);
    if (error == ALLFOLD_BAD_INPUT && state->rank == 0 && state->user == MPI_COMM_WORLD) {
        char line[ALLFOLD_MESSAGE_BYTES + 60];
        snprintf(line, sizeof line, "ALLFOLD_NODES: %s; the real nodes are taken", message);
        allfold_warn(line);
    }
    return error == ALLFOLD_OK;
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
        place(state, keys);
    if (error == MPI_SUCCESS && has_memory)
        state->nodes = allfold_nodes_make(keys, state->size);
    allfold_free(keys);
    if (error != MPI_SUCCESS)
        return error;
    return state->nodes == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}
