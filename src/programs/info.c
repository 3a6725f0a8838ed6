/* What `allfold info` starts under mpirun: finds where the ranks live as the library does for a
 * program, and rank 0 says it in lines for `allfold info` (tools/info/ranks.c) to print:
 *
 *     MPI's version
 *     for each rank: node TAB host TAB binding TAB why it shares no memory, or nothing
 *
 * The binding is the argument: only `allfold info` knows hwloc. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/communicator/communicator.h"

enum { TEXT_BYTES = 128 };

/* What each rank sends of itself. */
struct described {
    int node;
    char host[MPI_MAX_PROCESSOR_NAME];
    char binding[TEXT_BYTES];
    char why[TEXT_BYTES];
};

/* Shares memory as a program's communicator would after some calls. Collective. */
static const char *share_memory(struct allfold_communicator *state)
{
    if (state->size == 1)
        return "one rank alone";
    if (state->nodes == NULL)
        return "no communicator of our own could be made";
    if (!state->agreed.settings->common.shared_memory)
        return "ALLFOLD_SHARED_MEMORY=0";
    return allfold_node_open(&state->node, state->comm, state->nodes, &state->transport.transport);
}

static void look(struct allfold_communicator *state, const char *binding,
                 struct described *described)
{
    int length;
    const char *why = share_memory(state);
    *described =
        (struct described){.node = state->nodes == NULL ? 0 : state->nodes->node_of[state->rank]};
    PMPI_Get_processor_name(described->host, &length);
    snprintf(described->binding, sizeof described->binding, "%s", binding);
    snprintf(described->why, sizeof described->why, "%s", why == NULL ? "" : why);
}

static void print(const struct described *described, int p)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    PMPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char *c = version; (c = strchr(c, '\t')) != NULL;)
        *c = ' ';
    printf("%s\n", version);
    for (int r = 0; r < p; r++)
        printf("%d\t%s\t%s\t%s\n", described[r].node, described[r].host, described[r].binding,
               described[r].why);
}

int main(int argc, char **argv)
{
    unsetenv("ALLFOLD_REPORT"); /* there is nothing to report of */
    PMPI_Init(&argc, &argv);
    struct allfold_communicator *state = allfold_communicator_of(MPI_COMM_WORLD);
    struct described mine, *all = NULL;
    if (state == NULL)
        PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    look(state, argc > 1 ? argv[1] : "", &mine);
    if (state->rank == 0 && (all = calloc((size_t)state->size, sizeof *all)) == NULL)
        PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    PMPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (state->rank == 0)
        print(all, state->size);
    free(all);
    MPI_Finalize();
    return 0;
}
