/*
 * test_mpich_in_place_crash.c: MPI_Reduce with MPI_IN_PLACE at root 1 of two ranks, 1000 doubles.
 * MPICH 4.0.2 dies of it above its long-message threshold of 2048 bytes.
 */
#include "calls.h"

static void run(void)
{
    MPI_Comm pair;

    kinds_start();
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() < 2 ? 0 : MPI_UNDEFINED, 0, &pair);
    if (check_case("Reduce sum double, count 1000, root 1 of 2, in place") &&
        pair != MPI_COMM_NULL) {
        struct call call = call_of(REDUCE, &subjects[SUM_DOUBLE], pair, 1000, 1);
        call.in_place = true;
        call_run(&call);
    }
    if (pair != MPI_COMM_NULL)
        MPI_Comm_free(&pair);
    kinds_end();
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks MPI_Reduce in place at the second of two ranks (further ranks only watch).",
        .run = run,
        .least_ranks = 2,
    };
    return check_main(argc, argv, &program);
}
