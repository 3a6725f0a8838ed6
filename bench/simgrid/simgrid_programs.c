/* Skeletons of whole programs in SimGrid's SMPI: they exchange messages and call collectives as
 * real programs of their kind do, and advance the simulated time instead of computing.
 *
 *     smpirun ... simgrid_programs native|allfold PROGRAM[:STEPS]...
 *
 *     cg            conjugate gradients on a 3D grid, 64^3 points on each rank
 *     cg_small      the same with 16^3 points on each rank
 *     minife        conjugate gradients of finite elements, with setup
 *     lulesh        hydrodynamics: neighbors in all directions, and the minimum time step
 *     kmeans        64 means of points in 32 dimensions
 *     davidson      matrices of a growing subspace, and blocks of vectors
 *     reduce_bcast  64 KiB reduced to rank 0 and broadcast
 *     training      gradients in buckets of 4 MiB; a step is a bucket
 *
 * `native` calls SMPI's collectives, by the selector that smpirun sets; `allfold` calls Allfold's.
 * Both use SMPI's messages between neighbors. The grid of a rank has the same size for any number
 * of ranks. All ranks compute for the same time. Rank 0 prints a line for each program:
 *
 *     program,whose,p,steps,microseconds,microseconds in collectives
 *
 * Both times are the maximum over the ranks. Time in a collective includes waiting for other ranks.
 * The setup of the program is included, but the first calls, which create communicators and choose
 * algorithms, are not. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "allfold.h"
#include "begin_together.h"

enum { MOST_BYTES = 4 << 20, DIMENSIONS = 3, TAG = 1 };

static const double flops_per_s = 5e9;
static const double bytes_per_s = 5e9; /* of a rank's share of its host's memory */

struct job {
    bool is_native;
    int p, rank;
    int ranks_along[DIMENSIONS], position[DIMENSIONS];
    const struct program *program;
    double *in, *out; /* MOST_BYTES, which all ranks share: nothing is computed */
    double collectives_s;
};

struct program {
    const char *name;
    int steps, warm_up_steps;
    int side;            /* of the grid on each rank, in points */
    double flops, bytes; /* of a step; no bytes where the data fits into a cache */
    void (*set_up)(struct job *job);
    void (*step)(struct job *job, int step);
};

/* --- time --- */

/* A sleep, as computing would share the processors of a host among its ranks. */
static void pass(double time_s)
{
    const struct timespec wait = {(time_t)time_s, (long)(1e9 * (time_s - (double)(time_t)time_s))};
    nanosleep(&wait, NULL);
}

/* As many times what a step computes. */
static void compute(const struct job *job, double times)
{
    const double flops_s = job->program->flops / flops_per_s;
    const double bytes_s = job->program->bytes / bytes_per_s;
    pass(times * (flops_s > bytes_s ? flops_s : bytes_s));
}

/* --- collectives, which end the program where they fail --- */

static void allreduce(struct job *job, int count, MPI_Datatype type, MPI_Op op)
{
    const double begin_s = MPI_Wtime();
    if (job->is_native)
        PMPI_Allreduce(job->in, job->out, count, type, op, MPI_COMM_WORLD);
    else
        allfold_allreduce(job->in, job->out, (size_t)count, type, op, MPI_COMM_WORLD);
    job->collectives_s += MPI_Wtime() - begin_s;
}

static void reduce(struct job *job, int count)
{
    const double begin_s = MPI_Wtime();
    if (job->is_native)
        PMPI_Reduce(job->in, job->out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        allfold_reduce(job->in, job->out, (size_t)count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    job->collectives_s += MPI_Wtime() - begin_s;
}

static void broadcast(struct job *job, int count)
{
    const double begin_s = MPI_Wtime();
    if (job->is_native)
        PMPI_Bcast(job->out, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
        allfold_bcast(job->out, (size_t)count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    job->collectives_s += MPI_Wtime() - begin_s;
}

static void reduce_scatter_block(struct job *job, int count)
{
    const double begin_s = MPI_Wtime();
    if (job->is_native)
        PMPI_Reduce_scatter_block(job->in, job->out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        allfold_reduce_scatter_block(job->in, job->out, (size_t)count, MPI_DOUBLE, MPI_SUM,
                                     MPI_COMM_WORLD);
    job->collectives_s += MPI_Wtime() - begin_s;
}

/* --- grids --- */

static void find_position(struct job *job)
{
    PMPI_Dims_create(job->p, DIMENSIONS, job->ranks_along);
    for (int i = DIMENSIONS - 1, rest = job->rank; i >= 0; rest /= job->ranks_along[i--])
        job->position[i] = rest % job->ranks_along[i];
}

/* The rank at that distance, or -1 past the border of the grid. */
static int neighbor(const struct job *job, const int *distance)
{
    int rank = 0;
    for (int i = 0; i < DIMENSIONS; i++) {
        const int at = job->position[i] + distance[i];
        if (at < 0 || at >= job->ranks_along[i])
            return -1;
        rank = rank * job->ranks_along[i] + at;
    }
    return rank;
}

/* Sends and receives a layer of points with each neighbor, or with those across faces alone. */
static void exchange(const struct job *job, int fields, bool faces_alone)
{
    enum { DIRECTIONS = 27 };
    MPI_Request requests[2 * DIRECTIONS];
    int count = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        const int distance[] = {i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1};
        const int apart = abs(distance[0]) + abs(distance[1]) + abs(distance[2]);
        const int peer = neighbor(job, distance);
        if (apart == 0 || peer < 0 || (faces_alone && apart > 1))
            continue;
        int doubles = fields;
        for (int shared = apart; shared < DIMENSIONS; shared++)
            doubles *= job->program->side;
        PMPI_Irecv(job->out, doubles, MPI_DOUBLE, peer, TAG, MPI_COMM_WORLD, &requests[count++]);
        PMPI_Isend(job->in, doubles, MPI_DOUBLE, peer, TAG, MPI_COMM_WORLD, &requests[count++]);
    }
    PMPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* --- programs --- */

/* One phase of computing a step, as where its parts lie between the calls changes no sum. */
static void step_cg(struct job *job, int step)
{
    (void)step;
    exchange(job, 1, true);
    compute(job, 1);
    allreduce(job, 1, MPI_DOUBLE, MPI_SUM);
    allreduce(job, 1, MPI_DOUBLE, MPI_SUM);
    allreduce(job, 2, MPI_DOUBLE, MPI_SUM);
}

/* Assembles, and finds out who sends to whom. */
static void set_up_minife(struct job *job)
{
    enum { ASSEMBLY = 10 }; /* steps that take as long */
    compute(job, ASSEMBLY);
    exchange(job, 1, false);
    allreduce(job, job->p, MPI_INT, MPI_SUM);
    allreduce(job, 2, MPI_DOUBLE, MPI_MAX);
}

static void step_minife(struct job *job, int step)
{
    (void)step;
    exchange(job, 1, false);
    compute(job, 1);
    allreduce(job, 1, MPI_DOUBLE, MPI_SUM);
    allreduce(job, 1, MPI_DOUBLE, MPI_SUM);
}

static void step_lulesh(struct job *job, int step)
{
    enum { FIELDS = 3 };
    (void)step;
    compute(job, 1);
    exchange(job, FIELDS, false);
    allreduce(job, 1, MPI_DOUBLE, MPI_MIN);
}

static void step_kmeans(struct job *job, int step)
{
    enum { MEANS = 64, COORDINATES = 32 };
    (void)step;
    compute(job, 1);
    allreduce(job, MEANS * (COORDINATES + 1), MPI_DOUBLE, MPI_SUM);
}

/* The subspace grows by eight vectors a step, from 32 to 72, and is made small again. */
static void step_davidson(struct job *job, int step)
{
    enum { LEAST = 32, MORE = 8, SIZES = 6, BLOCK = 64 };
    const int size = LEAST + MORE * (step % SIZES);
    compute(job, 1);
    allreduce(job, size * size, MPI_DOUBLE, MPI_SUM);
    compute(job, 1);
    reduce_scatter_block(job, BLOCK);
}

static void step_reduce_bcast(struct job *job, int step)
{
    enum { DOUBLES = (64 << 10) / sizeof(double) };
    (void)step;
    compute(job, 1);
    reduce(job, DOUBLES);
    broadcast(job, DOUBLES);
}

static void step_training(struct job *job, int step)
{
    (void)step;
    compute(job, 1);
    allreduce(job, MOST_BYTES / (int)sizeof(float), MPI_FLOAT, MPI_SUM);
}

static const struct program programs[] = {
    /* 7 points: a product, three dot products and three sums; 13 vectors read or written */
    {"cg", 20, 1, 64, 25.0 * 64 * 64 * 64, 13.0 * 8 * 64 * 64 * 64, NULL, step_cg},
    {"cg_small", 50, 1, 16, 25.0 * 16 * 16 * 16, 0, NULL, step_cg},
    /* 27 points: values and columns of a matrix, and ten vectors */
    {"minife", 50, 1, 32, 64.0 * 32 * 32 * 32, (27.0 * 12 + 10 * 8) * 32 * 32 * 32, set_up_minife,
     step_minife},
    /* a microsecond for each element */
    {"lulesh", 5, 1, 30, 5000.0 * 30 * 30 * 30, 0, NULL, step_lulesh},
    /* a thousand points on each rank */
    {"kmeans", 20, 1, 0, 3.0 * 1000 * 64 * 32, 0, NULL, step_kmeans},
    /* eight vectors of 4096 numbers on each rank, 50 flops for each, in each half of a step */
    {"davidson", 12, 6, 0, 50.0 * 8 * 4096, 0, NULL, step_davidson},
    /* half a millisecond */
    {"reduce_bcast", 20, 1, 0, 2.5e6, 0, NULL, step_reduce_bcast},
    /* 6 ms: a GPU takes 150 ms for the passes forward and backward of 25 buckets */
    {"training", 25, 1, 0, 30e6, 0, NULL, step_training},
};

/* The program of an argument, and its steps. NULL where the argument is wrong. */
static const struct program *read_program(const char *argument, int *steps)
{
    const size_t length = strcspn(argument, ":");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strlen(programs[i].name) == length &&
            strncmp(programs[i].name, argument, length) == 0) {
            *steps = argument[length] == ':' ? atoi(argument + length + 1) : programs[i].steps;
            return *steps > 0 ? &programs[i] : NULL;
        }
    return NULL;
}

/* The first calls make communicators, and the fourth of ours looks for memory to share. */
static void warm_up(struct job *job)
{
    enum { CALLS = 4 };
    for (int i = 0; i < CALLS; i++)
        allreduce(job, 1, MPI_DOUBLE, MPI_SUM);
    for (int step = 0; step < job->program->warm_up_steps; step++)
        job->program->step(job, step);
}

static void run(struct job *job, int steps)
{
    warm_up(job);
    const double begin_s = allfold_begin_together();
    job->collectives_s = 0;
    if (job->program->set_up != NULL)
        job->program->set_up(job);
    for (int step = 0; step < steps; step++)
        job->program->step(job, step);
    const double mine_s[] = {MPI_Wtime() - begin_s, job->collectives_s};
    double most_s[2];
    PMPI_Allreduce(mine_s, most_s, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (job->rank == 0)
        printf("%s,%s,%d,%d,%.2f,%.2f\n", job->program->name, job->is_native ? "native" : "allfold",
               job->p, steps, 1e6 * most_s[0], 1e6 * most_s[1]);
    fflush(stdout); /* a later program may end all */
}

static bool are_right(int argc, char **argv)
{
    int steps;
    bool right = argc > 2 && (strcmp(argv[1], "native") == 0 || strcmp(argv[1], "allfold") == 0);
    for (int i = 2; i < argc; i++)
        right = right && read_program(argv[i], &steps) != NULL;
    return right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL); /* SMPI's is NULL before */
    struct job job = {.is_native = argc > 1 && strcmp(argv[1], "native") == 0};
    const bool is_right = are_right(argc, argv);
    MPI_Comm_size(MPI_COMM_WORLD, &job.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    if (!is_right && job.rank == 0)
        fprintf(stderr, "usage: simgrid_programs native|allfold PROGRAM[:STEPS]...\n");
    find_position(&job);
    job.in = SMPI_SHARED_MALLOC(MOST_BYTES);
    job.out = SMPI_SHARED_MALLOC(MOST_BYTES);
    for (int i = 2; i < argc && is_right; i++) {
        int steps;
        job.program = read_program(argv[i], &steps);
        run(&job, steps);
    }
    SMPI_SHARED_FREE(job.in);
    SMPI_SHARED_FREE(job.out);
    MPI_Finalize();
    return is_right ? 0 : 2;
}
