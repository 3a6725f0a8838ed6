/* Which ranks run Allfold (src/mpi/job/presence.h): whichever ranks do not, all others find that
 * out, name the lowest rank that is missing, and none waits without end. If all do, the numbers are
 * combined. Usage: test_presence [RANK ...], the ranks that do not run it. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/job/presence.h"

int main(int argc, char **argv)
{
    enum { COUNT = 3 };
    int p, me, wrong = 0, all_wrong = 0, lowest = -1, speaker = 0, is_there = 0;
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
        struct allfold_presence found;
        int64_t numbers[COUNT] = {me, -me, 7};
        wrong |= allfold_presence_agree(numbers, COUNT, &found) != MPI_SUCCESS;
        wrong |= (found.missing >= 0) != (lowest >= 0);
        if (lowest < 0)
            wrong |=
                numbers[0] != 0 || numbers[1] != 1 - p || numbers[2] != 7 || found.speaker != 0;
        /* a rank hears of others along paths, which may lead over ranks that are missing */
        wrong |= lowest >= 0 && argc == 2 && found.missing != lowest;
        wrong |= found.speaker < speaker || found.speaker > me;
        allfold_presence_close();
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
        wrong |= is_there; /* nothing stays behind */
    }
    PMPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0)
        printf("%d passed, %d failed\n", p - all_wrong, all_wrong);
    PMPI_Finalize();
    return all_wrong > 0;
}
