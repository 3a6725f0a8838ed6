/* Which ranks run Allfold (src/mpi/job/presence.h): whichever ranks do not, all others find that
 * out, name the lowest rank that is missing, and none waits without end. If all do, the numbers are
 * combined. Nothing is left behind that a probe finds, also on the ranks that do not run Allfold,
 * except with ordinary messages, which an MPI unknown to us gets. Usage: test_presence [ordinary]
 * [RANK ...], the ranks that do not run Allfold. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/job/presence.h"

#ifdef OPEN_MPI
#define HAS_OPEN_MPI 1
#else
#define HAS_OPEN_MPI 0
#endif

static bool is_ordinary;

/* In place of the MPI library's. */
int PMPI_Get_library_version(char *name, int *length)
{
    strcpy(name, is_ordinary ? "another MPI library" : HAS_OPEN_MPI ? "Open MPI v4" : "MPICH");
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}

int PMPI_Get_version(int *version, int *subversion)
{
    *version = is_ordinary ? 3 : MPI_VERSION;
    *subversion = is_ordinary ? 1 : MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    enum { COUNT = 3 };
    int p, me, wrong = 0, all_wrong = 0, lowest = -1, speaker = 0, is_there = 0;
    is_ordinary = argc > 1 && strcmp(argv[1], "ordinary") == 0;
    argc -= is_ordinary;
    argv += is_ordinary;
    PMPI_Init(NULL, NULL); /* the library's MPI_Init would agree by itself */
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    bool is_present = true;
    for (int i = argc - 1; i >= 1; i--) { /* in descending order */
        is_present &= atoi(argv[i]) != me;
        lowest = atoi(argv[i]) < p ? atoi(argv[i]) : lowest;
    }
    for (int i = 1; i < argc; i++)
        speaker += atoi(argv[i]) == speaker;
    if (is_present) {
        int64_t numbers[COUNT] = {me, -me, 7};
        const struct allfold_presence_found found = allfold_presence_agree(numbers, COUNT);
        wrong |= (found.missing >= 0) != (lowest >= 0);
        if (lowest < 0)
            wrong |=
                numbers[0] != 0 || numbers[1] != 1 - p || numbers[2] != 7 || found.speaker != 0;
        /* a rank hears of others along paths, which may lead over ranks that are missing */
        wrong |= lowest >= 0 && argc == 2 && found.missing != lowest;
        wrong |= found.speaker < speaker || found.speaker > me;
        allfold_presence_close();
    }
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 1000 && !is_there; i++)
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    wrong |= is_there && (is_present || !is_ordinary);
    PMPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0)
        printf("%d passed, %d failed\n", p - all_wrong, all_wrong);
    PMPI_Finalize();
    return all_wrong > 0;
}
