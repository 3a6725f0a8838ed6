/* The agreement on settings and placement (see agreement.h). */
#include "mpi/job/agreement.h"

#include <stdio.h>
#include <string.h>

#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/transport/node_memory.h"
#include "topology/host_order.h"
#include "topology/placement.h"
#include "select/table_file.h"
#include "util/cores.h"
#include "util/hash.h"
#include "util/memory.h"

/* --- settings --- */

static int receive_settings(struct allfold_agreement *agreed, MPI_Comm comm)
{
    char bytes[ALLFOLD_COMMON_BYTES];
    allfold_settings_write_common(allfold_settings(), bytes);
    int error = PMPI_Bcast(bytes, sizeof bytes, MPI_BYTE, 0, comm);
    agreed->received_settings = allfold_allocate(sizeof *agreed->received_settings);
    int all_have =
        error == MPI_SUCCESS && agreed->received_settings != NULL &&
        allfold_settings_take_common(agreed->received_settings, allfold_settings(), bytes);
    if (error == MPI_SUCCESS)
        error = PMPI_Allreduce(MPI_IN_PLACE, &all_have, 1, MPI_INT, MPI_MIN, comm);
    if (error != MPI_SUCCESS || !all_have)
        return error != MPI_SUCCESS ? error : MPI_ERR_NO_MEM;
    agreed->settings = agreed->received_settings;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0)
        allfold_warn(
            "the settings (ALLFOLD_ variables) differ between the ranks; those of rank 0 are taken "
            "(export them to all nodes, e.g. with mpirun's -x or -genv)");
    return MPI_SUCCESS;
}

void allfold_agreement_write_offer(const struct allfold_agreement_offer *offer,
                                   int64_t numbers[ALLFOLD_OFFERED_NUMBERS])
{
    const int64_t settings = (int64_t)(allfold_settings_fingerprint(allfold_settings()) >> 1);
    const int64_t machine = allfold_node_machine(), socket = allfold_node_socket();
    const int64_t mine[ALLFOLD_OFFERED_NUMBERS] = {settings,
                                                   -settings,
                                                   offer->node_key,
                                                   -offer->node_key,
                                                   offer->tables,
                                                   -offer->tables,
                                                   offer->is_configured ? -1 : 0,
                                                   !allfold_has_threads(),
                                                   offer->offers_vectors,
                                                   machine,
                                                   -machine,
                                                   allfold_machine_cores(),
                                                   socket,
                                                   -socket};
    memcpy(numbers, mine, sizeof mine);
}

int allfold_agree_on_settings(struct allfold_agreement *agreed, MPI_Comm comm,
                              const int64_t least[ALLFOLD_OFFERED_NUMBERS],
                              struct allfold_findings *findings)
{
    agreed->settings = allfold_settings();
    findings->socket = allfold_node_socket();
    findings->one_node = least[2] == -least[3];
    findings->tables_differ = least[4] != -least[5];
    findings->any_configured = least[6] < 0;
    findings->has_threads = least[7] == 0;
    findings->offers_vectors = least[8] == 1;
    findings->cores = least[9] == -least[10] && least[9] != 0 ? (int)least[11] : 0;
    findings->has_sockets = least[12] != -least[13];
    return least[0] == -least[1] ? MPI_SUCCESS : receive_settings(agreed, comm);
}

void allfold_agreement_free(struct allfold_agreement *agreed)
{
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        allfold_table_free(agreed->received_tables[i]);
    allfold_free(agreed->received_settings);
}

/* --- placement --- */

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

/* Finds the rank in MPI_COMM_WORLD of each of the p ranks. */
static int find_in_world(MPI_Comm comm, int p, int *in_world)
{
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    int error = PMPI_Comm_group(MPI_COMM_WORLD, &world);
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_group(comm, &group);
    for (int r = 0; r < p && error == MPI_SUCCESS; r++)
        error = PMPI_Group_translate_ranks(group, 1, &r, world, &in_world[r]);
    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
    return error;
}

/* Replaces the keys of the p ranks by the placement `nodes` of ALLFOLD_NETWORK. If that cannot be
 * read, `message` says why, and the keys are unchanged. Returns an MPI error code. */
static int place(const char *nodes, MPI_Comm comm, int p, int64_t *keys, char *message,
                 size_t message_bytes)
{
    int world_size = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
    int64_t *world_keys = allfold_allocate((size_t)world_size * sizeof *world_keys);
    int *in_world = allfold_allocate((size_t)p * sizeof *in_world);
    enum allfold_error read = ALLFOLD_NO_MEMORY;
    int error = MPI_ERR_NO_MEM;
    *message = '\0';
    if (world_keys != NULL && in_world != NULL)
        read = allfold_placement_read(nodes, world_size, world_keys, message, message_bytes);
    if (read != ALLFOLD_NO_MEMORY)
        error = find_in_world(comm, p, in_world);
    for (int r = 0; r < p && error == MPI_SUCCESS && read == ALLFOLD_OK; r++)
        keys[r] = in_world[r] == MPI_UNDEFINED ? -1 : world_keys[in_world[r]];
    allfold_free(world_keys);
    allfold_free(in_world);
    return error;
}

static void warn_unread(const char *message, int rank)
{
    char line[ALLFOLD_MESSAGE_BYTES + 60];
    snprintf(line, sizeof line, "ALLFOLD_NETWORK: nodes: %s; the real nodes are taken", message);
    if (rank == 0)
        allfold_warn(line);
}

/* What a rank contributes to the agreement on nodes: 64-bit numbers only. */
struct said {
    int64_t node, socket;
    struct allfold_host_key place;
};

enum { SAID_WORDS = sizeof(struct said) / sizeof(int64_t) };

/* The place of this rank's host, unless nothing is to be known of the network. */
static struct allfold_host_key find_place(void)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    if (allfold_network_is_off(allfold_settings()) ||
        PMPI_Get_processor_name(name, &length) != MPI_SUCCESS)
        return (struct allfold_host_key){0, 0, 0};
    return allfold_host_key_of(name);
}

int allfold_gather_words(MPI_Comm comm, const int64_t *mine, int count, int64_t *all, int *all_have)
{
    const int error = PMPI_Allreduce(MPI_IN_PLACE, all_have, 1, MPI_INT, MPI_MIN, comm);
    if (error != MPI_SUCCESS || !*all_have)
        return error;
    return PMPI_Allgather(mine, count, MPI_INT64_T, all, count, MPI_INT64_T, comm);
}

/* Returns the order of the nodes by the names of their hosts. */
static int64_t *find_order(const struct said *said, int p)
{
    struct allfold_host_key *places = allfold_allocate((size_t)p * sizeof *places);
    for (int r = 0; r < p && places != NULL; r++)
        places[r] = said[r].place;
    int64_t *order = places == NULL ? NULL : allfold_host_keys_order(places, p);
    allfold_free(places);
    return order;
}

/* Fills in the keys of the nodes and of their sockets: from the placement of ALLFOLD_NETWORK, or
 * from the ranks' own keys if there is none or it cannot be read; `message` then says why. Returns
 * an MPI error code. */
static int find_keys(const char *placement, MPI_Comm comm, const struct said *said,
                     struct allfold_nodes_facts *facts, int64_t *keys, int64_t *sockets,
                     char *message, size_t message_bytes)
{
    facts->keys = keys;
    if (placement[0] != '\0') {
        const int error = place(placement, comm, facts->p, keys, message, message_bytes);
        facts->even_sockets = allfold_placement_sockets(placement);
        if (error != MPI_SUCCESS || message[0] == '\0')
            return error;
    }
    for (int r = 0; r < facts->p; r++) {
        keys[r] = said[r].node;
        sockets[r] = said[r].socket > 0 ? said[r].socket : -1;
    }
    facts->sockets = sockets;
    return MPI_SUCCESS;
}

int allfold_agree_on_nodes(const struct allfold_agreement *agreed, MPI_Comm comm, int64_t key,
                           const struct allfold_findings *found, bool says,
                           const struct allfold_nodes **nodes)
{
    const char *placement = agreed->settings->nodes;
    const struct said mine = {.node = key, .socket = found->socket, .place = find_place()};
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    int p, rank, error = MPI_SUCCESS;
    *nodes = NULL;
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &rank);
    int64_t *keys = allfold_allocate(2 * (size_t)p * sizeof *keys), *order = NULL;
    struct said *said = allfold_allocate((size_t)p * sizeof *said);
    struct allfold_nodes_facts facts = {.p = p, .cores = found->cores};
    int has_memory = keys != NULL && said != NULL;
    if (!found->one_node || placement[0] != '\0' || found->has_sockets)
        error = allfold_gather_words(comm, (const int64_t *)&mine, SAID_WORDS, (int64_t *)said,
                                     &has_memory);
    else
        for (int r = 0; r < p && has_memory; r++)
            said[r] = mine;
    if (error == MPI_SUCCESS && has_memory) {
        error = find_keys(placement, comm, said, &facts, keys, keys + p, message, sizeof message);
        facts.order = order = find_order(said, p);
    }
    if (message[0] != '\0' && says)
        warn_unread(message, rank);
    if (error == MPI_SUCCESS && order != NULL)
        *nodes = allfold_nodes_create(&facts);
    allfold_free(order);
    allfold_free(keys);
    allfold_free(said);
    return error != MPI_SUCCESS || *nodes != NULL ? error : MPI_ERR_NO_MEM;
}
