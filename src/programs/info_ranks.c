/* The part that `allfold info` starts under mpirun. It finds the placement as the library does for
 * a program. Rank 0 prints it in lines, which `allfold info` (tools/info/ranks.c) reads:
 *
 *     MPI's version
 *     what carries messages beyond node memory, and which libfabric the build can use
 *     number of known levels of switches, and of switches on each; TAB why none are known
 *     number of cables between nodes, and of trees that share none of them; TAB why there are
 *         none; TAB the nodes that each cable links
 *
 * Then of each rank, with tabs between the fields:
 *
 *     its node
 *     its socket on the node, or -1
 *     its host
 *     what it is bound to
 *     why it shares no memory, or nothing
 *     its switches, nearest level first
 *
 * The binding is the part's argument, because only `allfold info` is linked with hwloc. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/cables.h"
#include "mpi/job/job.h"
#include "programs/part.h"
#include "programs/end_preload.h"

enum { TEXT_BYTES = 128 };

/* What each rank sends of itself. */
struct described {
    int node, socket;
    char host[MPI_MAX_PROCESSOR_NAME];
    char binding[TEXT_BYTES];
    char why[TEXT_BYTES];
    char switches[ALLFOLD_SWITCH_LEVELS * ALLFOLD_SWITCH_BYTES];
};

static void look(const char *binding, struct described *described)
{
    int length;
    const struct allfold_job *job = allfold_job();
    const char *why = job->native_reason != NULL ? job->native_reason : job->unshared_reason;
    *described = (struct described){
        .node = job->nodes == NULL ? 0 : job->nodes->node_of[job->rank],
        .socket = job->nodes == NULL ? -1 : allfold_socket_of(job->nodes, job->rank)};
    PMPI_Get_processor_name(described->host, &length);
    snprintf(described->binding, sizeof described->binding, "%s", binding);
    snprintf(described->why, sizeof described->why, "%s", why == NULL ? "" : why);
    for (int i = 0, at = 0; i < job->where.depth; i++)
        at += snprintf(described->switches + at, sizeof described->switches - (size_t)at, "%s%s",
                       i == 0 ? "" : " ", job->where.mine.name[i]);
}

/* Are the nodes, which are numbered as their ranks are, in the order of their hosts too? */
static bool are_hosts_in_order(const struct allfold_nodes *nodes)
{
    for (int i = 1; nodes != NULL && i < nodes->first[nodes->count]; i++)
        if (nodes->node_of[nodes->along[i]] < nodes->node_of[nodes->along[i - 1]])
            return false;
    return true;
}

static void print_messages(void)
{
    const struct allfold_job *job = allfold_job();
    if (job->fabric != NULL)
        printf("the fabric, %s", allfold_fabric_name(job->fabric));
    else
        printf("MPI%s%s",
               job->no_fabric[0] == '\0' ? "" : ", without the fabric: ", job->no_fabric);
    if (job->fabric != NULL && job->fabric_gain.mean > 0)
        printf(" (%.2f times as fast as MPI)", job->fabric_gain.mean);
    printf("\t%s\t%d\t%d\t%d\n", allfold_libfabric_built(),
           job->nodes == NULL ? 0 : job->nodes->cores, job->card_mbit,
           are_hosts_in_order(job->nodes));
}

static void print_uplinks(const double *uplinks, int depth)
{
    for (int i = 0; i < depth; i++)
        printf("%s%g", i == 0 ? "\t" : " ", uplinks[i]);
}

static void print_cables(const struct allfold_cables *cables, const char *why)
{
    printf("%d %d\t%s\t", cables == NULL ? 0 : cables->count, cables == NULL ? 0 : cables->trees,
           why);
    for (int c = 0; cables != NULL && c < cables->count; c++)
        printf("%d %d ", cables->cables[c].a, cables->cables[c].b);
    printf("\n");
}

static void print(const struct described *described, int p,
                  const struct allfold_job_topology *where)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    PMPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char *c = version; (c = strchr(c, '\t')) != NULL;)
        *c = ' ';
    printf("%s\n", version);
    print_messages();
    printf("%d", where->depth);
    for (int i = 0; i < where->depth; i++)
        printf(" %d", where->groups[i]->count);
    printf("\t%s", where->why);
    print_uplinks(where->uplinks, where->depth);
    print_uplinks(where->pair_uplinks, where->depth);
    printf("\n");
    print_cables(allfold_job()->nodes == NULL ? NULL : allfold_job()->nodes->cables,
                 where->no_cables);
    for (int r = 0; r < p; r++)
        printf("%d\t%d\t%s\t%s\t%s\t%s\n", described[r].node, described[r].socket,
               described[r].host, described[r].binding, described[r].why, described[r].switches);
}

int allfold_part_main(int argc, char **argv)
{
    allfold_end_preload();
    unsetenv("ALLFOLD_REPORT"); /* there is nothing to report of */
    MPI_Init(&argc, &argv);
    const struct allfold_job *job = allfold_job();
    struct described mine, *all = NULL;
    look(argc > 1 ? argv[1] : "", &mine);
    if (job->rank == 0 && (all = calloc((size_t)job->size, sizeof *all)) == NULL)
        PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    PMPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (job->rank == 0)
        print(all, job->size, &job->where);
    free(all);
    MPI_Finalize();
    return 0;
}
