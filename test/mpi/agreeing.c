/*
 * agreeing.c: makes communicators, agrees on lanes for them, and frees them, for ever. Rank SEED %
 * SIZE and some others kill themselves at a random moment of the first MOST_MS milliseconds, also
 * in MPI_Init. The others may end only as the launcher ends them. For test_killed_agreeing.sh.
 *
 * Usage: agreeing SEED MOST_MS SIZE
 */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

static void die(int signal)
{
    (void)signal;
    raise(SIGKILL);
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 29;
}

static void live_shortly(long seed, long most_ms, long size)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    if (text == NULL)
        text = getenv("PMI_RANK");
    const long rank = text == NULL ? 0 : strtol(text, NULL, 10);
    const uint64_t random = mix((uint64_t)(seed * size + rank + 1));
    if (rank != seed % size && random >> 32 & 3)
        return;
    const long ms = 1 + (long)(random % (uint64_t)most_ms);
    const struct itimerval at = {.it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000}};
    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &at, NULL);
}

static void use(MPI_Comm *comm)
{
    static double values[20000];
    MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_DOUBLE, MPI_SUM, *comm);
    MPI_Allreduce(MPI_IN_PLACE, values, 20000, MPI_DOUBLE, MPI_SUM, *comm);
    MPI_Barrier(*comm);
    MPI_Comm_free(comm);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const long seed = strtol(argv[1], NULL, 10);
    int rank, level = seed % 2 == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    live_shortly(seed, strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10));
    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0;; i++) {
        MPI_Comm comm;
        if (i % 2 == 0)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
        use(&comm);
    }
}
