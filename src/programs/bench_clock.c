/* A common clock for all ranks of a measurement (see bench_clock.h). */
#include "programs/bench_clock.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "util/machine_key.h"

enum { PINGS = 30 };

static double read_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double allfold_bench_now(const struct allfold_bench_clock *clock)
{
    return allfold_clock_tell(&clock->model, read_clock() - clock->zero);
}

/* The lowest rank that reads the same clock, and how many such ranks there are. */
static int find_clock(MPI_Comm comm, int *ranks, bool *is_one)
{
    int p, rank, first = -1;
    int64_t key = allfold_clock_key();
    PMPI_Comm_size(comm, &p);
    PMPI_Comm_rank(comm, &rank);
    if (key == 0) /* not known: taken for a clock of its own */
        key = -1 - rank;
    int64_t *keys = calloc((size_t)p, sizeof *keys);
    if (keys == NULL)
        PMPI_Abort(comm, EXIT_FAILURE);
    PMPI_Allgather(&key, 1, MPI_INT64_T, keys, 1, MPI_INT64_T, comm);
    *ranks = 0;
    for (int r = 0; r < p; r++)
        if (keys[r] == key) {
            first = first < 0 ? r : first;
            (*ranks)++;
        }
    *is_one = *ranks == p;
    free(keys);
    return first;
}

void allfold_bench_clock_open(struct allfold_bench_clock *clock, MPI_Comm comm, bool measured)
{
    int rank, ranks, index;
    *clock = (struct allfold_bench_clock){.comm = comm, .zero = read_clock()};
    PMPI_Comm_rank(comm, &rank);
    if (measured)
        clock->zero -= rank; /* so that there is something to learn */
    const int first = find_clock(comm, &ranks, &clock->is_one_clock);
    int fits = ranks <= sysconf(_SC_NPROCESSORS_ONLN);
    PMPI_Comm_split(comm, measured ? rank : first, rank, &clock->domain);
    PMPI_Comm_rank(clock->domain, &index);
    PMPI_Comm_split(comm, index == 0 ? 0 : MPI_UNDEFINED, rank, &clock->leaders);
    if (clock->leaders != MPI_COMM_NULL)
        PMPI_Comm_size(clock->leaders, &clock->domains);
    PMPI_Bcast(&clock->domains, 1, MPI_INT, 0, comm);
    clock->zero_of_all = clock->zero;
    PMPI_Bcast(&clock->zero, 1, MPI_DOUBLE, 0, clock->domain);
    PMPI_Bcast(&clock->zero_of_all, 1, MPI_DOUBLE, 0, comm);
    PMPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, comm);
    clock->has_processors = fits;
}

/* Returns half of the shortest exchange. */
static double learn_from(struct allfold_bench_clock *clock, int teacher)
{
    struct allfold_ping pings[PINGS];
    for (int i = 0; i < PINGS; i++) {
        pings[i].sent = read_clock() - clock->zero;
        PMPI_Send(&pings[i].sent, 1, MPI_DOUBLE, teacher, 0, clock->leaders);
        PMPI_Recv(&pings[i].answered, 1, MPI_DOUBLE, teacher, 0, clock->leaders, MPI_STATUS_IGNORE);
        pings[i].received = read_clock() - clock->zero;
    }
    return allfold_clock_add(&clock->model, pings, PINGS);
}

static void teach(const struct allfold_bench_clock *clock, int learner)
{
    for (int i = 0; i < PINGS; i++) {
        double now;
        PMPI_Recv(&now, 1, MPI_DOUBLE, learner, 0, clock->leaders, MPI_STATUS_IGNORE);
        now = allfold_bench_now(clock);
        PMPI_Send(&now, 1, MPI_DOUBLE, learner, 0, clock->leaders);
    }
}

void allfold_bench_clock_learn(struct allfold_bench_clock *clock)
{
    int index;
    clock->error_s = 0;
    if (clock->domains == 1)
        return;
    if (clock->leaders != MPI_COMM_NULL) {
        PMPI_Comm_rank(clock->leaders, &index);
        for (int known = 1; known < clock->domains; known *= 2)
            if (index >= known && index < 2 * known)
                clock->error_s = learn_from(clock, index - known);
            else if (index < known && index + known < clock->domains)
                teach(clock, index + known);
    }
    PMPI_Bcast(&clock->model, sizeof clock->model, MPI_BYTE, 0, clock->domain);
    if (clock->is_one_clock) {
        const double before = read_clock() - clock->zero_of_all,
                     off = allfold_bench_now(clock) - before;
        clock->error_s = off < 0 ? -off : off;
    }
    PMPI_Allreduce(MPI_IN_PLACE, &clock->error_s, 1, MPI_DOUBLE, MPI_MAX, clock->comm);
}

void allfold_bench_clock_close(struct allfold_bench_clock *clock)
{
    PMPI_Comm_free(&clock->domain);
    if (clock->leaders != MPI_COMM_NULL)
        PMPI_Comm_free(&clock->leaders);
}
