/*
 * test_node_memory.c: what waiting in shared memory must not hold up, and what happens where there
 * is none. Sums of single numbers make a communicator warm, so that its ranks share memory.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WARM = 20, LONG = 1 << 20, TAG = 5 };

static void sum_once(int round)
{
    const int size = check_size();
    long sum = check_rank() + round;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    check_equal("sum", (long long)size * (size - 1) / 2 + (long long)size * round, sum);
}

/* Rank 0 begins its long message before the sum, and the last rank takes part in the sum only when
 * it has the message. So rank 0 has to let MPI make progress while it waits for the sum. */
static void long_message_before(void)
{
    const int last = check_size() - 1;
    char *data = check_memory(LONG);
    MPI_Request request = MPI_REQUEST_NULL;
    for (size_t i = 0; i < LONG; i++)
        data[i] = (char)(check_rank() == 0 ? i % 100 : 0);
    if (check_rank() == 0)
        MPI_Isend(data, LONG, MPI_CHAR, last, TAG, MPI_COMM_WORLD, &request);
    else if (check_rank() == last)
        MPI_Recv(data, LONG, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum_once(7);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_equal("last byte", check_rank() == 0 || check_rank() == last ? (LONG - 1) % 100 : 0,
                data[LONG - 1]);
    free(data);
}

/* No more files from now on, on the last rank alone: it cannot share memory, so no rank does. */
static void without_files(void)
{
    MPI_Comm comm;
    struct rlimit before, limit;
    long sum = 0;
    const int size = check_size();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    getrlimit(RLIMIT_NOFILE, &before);
    limit = before;
    const int free_file = dup(0);
    close(free_file);
    limit.rlim_cur = (rlim_t)free_file;
    for (int i = 0; i < WARM; i++) {
        /* when memory is shared the private communicator is there already */
        if (i == 2 && check_rank() == size - 1)
            setrlimit(RLIMIT_NOFILE, &limit);
        sum = check_rank() + i;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, comm);
        check_equal("sum", (long long)size * (size - 1) / 2 + (long long)size * i, sum);
    }
    setrlimit(RLIMIT_NOFILE, &before);
    MPI_Comm_free(&comm);
}

static void run(void)
{
    if (check_case("warm"))
        for (int i = 0; i < WARM; i++)
            sum_once(i);
    for (int i = 0; i < 4; i++)
        if (check_case("a long message before, %d", i))
            long_message_before();
    if (check_case("no files"))
        without_files();
    if (check_case("again"))
        for (int i = 0; i < WARM; i++)
            sum_once(i);
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks what sharing memory must not do.", .run = run, .least_ranks = 2};
    return check_main(argc, argv, &program);
}
