/* A program for a report of many simulated ranks: one rank is 200 us late for each call, another
 * rank after each hundred calls, and the sizes change.
 *
 *     ALLFOLD_REPORT=report.html smpirun ... simgrid_report CALLS
 *
 * Time is simulated: recorded times are from SMPI's clock, never from the processor's counter. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/ticks.h"

void __wrap_allfold_ticks_open(void);
void __wrap_allfold_ticks_open(void)
{
    allfold_ticks_choose("");
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 12, EACH = 100, LATE_US = 200 };
    static const int counts[] = {1, 64, MOST};
    static double in[MOST], out[MOST];
    int p, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int calls = argc > 1 ? atoi(argv[1]) : 1000;
    for (int i = 0; i < calls; i++) {
        if ((long)i / EACH * 7919 % p == rank)
            usleep(LATE_US);
        MPI_Allreduce(in, out, counts[i % 3], MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
