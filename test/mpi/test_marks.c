/* Marks of the ranks that run Allfold (src/mpi/job/marks.h): whichever ranks have none, all
 * others find that out, and none waits. Usage: test_marks [RANK ...], the ranks without a mark. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/job/marks.h"

static int rank_of_launcher(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank == NULL)
        rank = getenv("PMI_RANK");
    return rank == NULL ? 0 : atoi(rank);
}

int main(int argc, char **argv)
{
    const int me = rank_of_launcher();
    bool has_mark = true;
    int p, wrong = 0, all_wrong = 0, unmarked = 0;
    for (int i = 1; i < argc; i++)
        has_mark &= atoi(argv[i]) != me;
    if (has_mark)
        allfold_marks_leave();
    PMPI_Init(NULL, NULL); /* the library's MPI_Init would agree by itself */
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = 1; i < argc; i++)
        unmarked += atoi(argv[i]) < p;
    if (has_mark) {
        const char *why;
        wrong = allfold_marks_agree(&why) != (unmarked == 0);
    }
    PMPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0)
        printf("%d passed, %d failed\n", p - all_wrong, all_wrong);
    PMPI_Finalize();
    if (has_mark) {
        allfold_marks_forget();
        allfold_marks_take_away();
    }
    return all_wrong > 0;
}
