/*
 * test_points.c: each of the library's calls of MPI or the system fails in turn, on all ranks, on
 * the first and on the last one. A collective then gives the right result or an error; no rank
 * hangs, and afterwards the communicator works again. A function that synchronizes a communicator
 * fails on all of its ranks: if one did not come, MPI would leave the others waiting.
 *
 * Then MPI has no more communicators.
 *
 * With --sums the calls are exact sums, each a row of reductions of which one loses a message or
 * has no memory. Then one rank fails at a time, as docs/faults.md says.
 *
 * Needs the layer of points_layer.c.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum {
    SMALL_CALLS = 6,
    LONG = 5000,
    BLOCK = 40,
    LONG_SUMS = 1500, /* more than all ranks gather */
    SHORT_SUMS = 9,
    SUM_TURNS = 4,
    GAPS = 30,
    TOGETHER = 5,
    MOST_RANKS = 16,
    MOST_CALLS = 2000
};

enum mode { ON_ALL, ON_FIRST, ON_LAST, MODES };
static const char *const mode_names[] = {"on all ranks", "on the first rank", "on the last rank"};

static struct {
    int (*count)(void);
    const char *(*name)(int);
    int (*is_collective)(int);
    void (*arm)(int, int);
    int (*fired)(void);
} layer;

static int points, with_errors; /* how often something failed, and was reported as an error */
static int errors;              /* of this rank's calls, in the case */
static MPI_Op product;
static MPI_Datatype gaps;
static int nonblocking; /* --nonblocking: each call is one that does not block, and a wait */
static int sums;        /* --sums: exact sums alone */

/* What a call gave: an error is one, and only right results are none. */
static void judge(const char *what, int error, bool is_right)
{
    errors += error != MPI_SUCCESS;
    if (error == MPI_SUCCESS && !is_right)
        check_fail("%s gave a wrong result and no error", what);
}

/* What a call that does not block gave in the end. */
static int wait_for(int error, MPI_Request *request)
{
    return error == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : error;
}

/* x -> a x + b, modulo 2^16, as a 2^16 + b: associative, and does not commute. */
static int then(unsigned left, unsigned right)
{
    const unsigned a = right >> 16, b = right & 0xffff;
    return (int)((a * (left >> 16)) << 16 | ((a * (left & 0xffff) + b) & 0xffff));
}

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *left = in;
    int *right = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        right[i] = then((unsigned)left[i], (unsigned)right[i]);
}

/* The first call blocks: nonblocking calls before it are native. */
static void call_small(MPI_Comm comm)
{
    MPI_Request request;
    const int p = check_size(), r = check_rank();
    for (int i = 0; i < SMALL_CALLS; i++) {
        int mine = r + i, sum = -1;
        const int error =
            nonblocking && i > 0
                ? wait_for(MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request),
                           &request)
                : MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        judge("a short allreduce", error, sum == p * (p - 1) / 2 + p * i);
    }
}

static void call_long(MPI_Comm comm)
{
    MPI_Request request;
    static double mine[LONG], sum[LONG];
    const int p = check_size(), r = check_rank();
    bool is_right = true;
    for (int i = 0; i < LONG; i++)
        mine[i] = r + i;
    const int error =
        nonblocking ? wait_for(MPI_Iallreduce(mine, sum, LONG, MPI_DOUBLE, MPI_SUM, comm, &request),
                               &request)
                    : MPI_Allreduce(mine, sum, LONG, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < LONG; i++)
        is_right = is_right && sum[i] == p * (p - 1) / 2 + p * i;
    judge("a long allreduce", error, is_right);
}

static void call_own_operation(MPI_Comm comm)
{
    MPI_Request request;
    int mine = (2 * check_rank() + 3) << 16 | (check_rank() + 5), result = -1;
    int expected = 1 << 16;
    for (int r = 0; r < check_size(); r++)
        expected = then((unsigned)expected, (unsigned)((2 * r + 3) << 16 | (r + 5)));
    const int error =
        nonblocking ? wait_for(MPI_Ireduce(&mine, &result, 1, MPI_INT, product, 0, comm, &request),
                               &request)
                    : MPI_Reduce(&mine, &result, 1, MPI_INT, product, 0, comm);
    judge("a reduce by an operation of the program", error,
          check_rank() != 0 || result == expected);
}

static void call_gaps(MPI_Comm comm)
{
    MPI_Request request;
    int data[2 * GAPS];
    bool is_right = true;
    for (int i = 0; i < 2 * GAPS; i++)
        data[i] = check_rank() == 0 ? i : -1;
    const int error = nonblocking ? wait_for(MPI_Ibcast(data, 1, gaps, 0, comm, &request), &request)
                                  : MPI_Bcast(data, 1, gaps, 0, comm);
    for (int i = 0; i < 2 * GAPS; i++)
        is_right = is_right && data[i] == (i % 2 == 0 || check_rank() == 0 ? i : -1);
    judge("a broadcast with gaps", error, is_right);
}

static void call_blocks(MPI_Comm comm)
{
    MPI_Request request;
    static int blocks[MOST_RANKS * BLOCK], mine[BLOCK];
    const int p = check_size(), r = check_rank();
    bool is_right = true;
    for (int i = 0; i < BLOCK; i++)
        mine[i] = r + i;
    int error =
        nonblocking
            ? wait_for(MPI_Iallgather(mine, BLOCK, MPI_INT, blocks, BLOCK, MPI_INT, comm, &request),
                       &request)
            : MPI_Allgather(mine, BLOCK, MPI_INT, blocks, BLOCK, MPI_INT, comm);
    for (int i = 0; i < p * BLOCK; i++)
        is_right = is_right && blocks[i] == i / BLOCK + i % BLOCK;
    judge("an allgather", error, is_right);
    for (int i = 0; i < p * BLOCK; i++)
        blocks[i] = i;
    error = nonblocking ? wait_for(MPI_Ireduce_scatter_block(blocks, mine, BLOCK, MPI_INT, MPI_SUM,
                                                             comm, &request),
                                   &request)
                        : MPI_Reduce_scatter_block(blocks, mine, BLOCK, MPI_INT, MPI_SUM, comm);
    is_right = true;
    for (int i = 0; i < BLOCK; i++)
        is_right = is_right && mine[i] == p * (r * BLOCK + i);
    judge("a reduce_scatter_block", error, is_right);
    error = nonblocking ? wait_for(MPI_Ibarrier(comm, &request), &request) : MPI_Barrier(comm);
    judge("a barrier", error, true);
}

/* Several in flight at once, the shorter ones begun last and waited for first. */
static void call_together(MPI_Comm comm)
{
    static int summed[TOGETHER][LONG];
    int started[TOGETHER];
    MPI_Request requests[TOGETHER];
    const int p = check_size();
    for (int i = TOGETHER - 1; i >= 0; i--) {
        for (int k = 0; k < LONG; k++)
            summed[i][k] = check_rank() + i + k;
        started[i] = MPI_Iallreduce(MPI_IN_PLACE, summed[i], i * LONG / (TOGETHER - 1), MPI_INT,
                                    MPI_SUM, comm, &requests[i]);
    }
    for (int i = 0; i < TOGETHER; i++) {
        const int error = wait_for(started[i], &requests[i]);
        bool is_right = true;
        for (int k = 0; k < i * LONG / (TOGETHER - 1); k++)
            is_right = is_right && summed[i][k] == p * (p - 1) / 2 + p * (i + k);
        judge("one of several allreduces in flight", error, is_right);
    }
}

/* Every second number is of another size. Short vectors are of another size than those before. */
static double scaled(double x, int i, int turn)
{
    return (i % 2 ? x * 0x1p70 : x) * (turn % 2 ? 0x1p300 : 1);
}

/* Are n numbers from number `first` on the sums over the first `ranks` ranks? */
static bool are_sums(const double *got, int first, int n, int ranks, int turn)
{
    for (int i = first; i < first + n; i++)
        if (got[i - first] != scaled(ranks * (ranks - 1) / 2 + ranks * i, i, turn))
            return false;
    return true;
}

enum { ALLREDUCE, REDUCE, SCAN, SCATTER, SUM_CALLS };

/* One exact sum of n numbers; the root is the last rank. */
static void call_sum(MPI_Comm comm, int which, int n, int turn)
{
    static double mine[LONG_SUMS * MOST_RANKS], got[LONG_SUMS];
    const int p = check_size(), r = check_rank(), root = p - 1;
    MPI_Request request;
    int error;
    for (int i = 0; i < p * n; i++)
        mine[i] = scaled(r + i, i, turn);
    switch (which) {
    case ALLREDUCE:
        error = nonblocking ? MPI_Iallreduce(mine, got, n, MPI_DOUBLE, MPI_SUM, comm, &request)
                            : MPI_Allreduce(mine, got, n, MPI_DOUBLE, MPI_SUM, comm);
        break;
    case REDUCE:
        error = nonblocking ? MPI_Ireduce(mine, got, n, MPI_DOUBLE, MPI_SUM, root, comm, &request)
                            : MPI_Reduce(mine, got, n, MPI_DOUBLE, MPI_SUM, root, comm);
        break;
    case SCAN:
        error = nonblocking ? MPI_Iscan(mine, got, n, MPI_DOUBLE, MPI_SUM, comm, &request)
                            : MPI_Scan(mine, got, n, MPI_DOUBLE, MPI_SUM, comm);
        break;
    default:
        error = nonblocking
                    ? MPI_Ireduce_scatter_block(mine, got, n, MPI_DOUBLE, MPI_SUM, comm, &request)
                    : MPI_Reduce_scatter_block(mine, got, n, MPI_DOUBLE, MPI_SUM, comm);
    }
    if (nonblocking)
        error = wait_for(error, &request);
    const bool has_result = which != REDUCE || r == root;
    judge("an exact sum", error,
          !has_result ||
              are_sums(got, which == SCATTER ? r * n : 0, n, which == SCAN ? r + 1 : p, turn));
}

static void call_sums(MPI_Comm comm)
{
    static const int lengths[] = {SHORT_SUMS, LONG_SUMS};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int which = 0; which < SUM_CALLS; which++)
            call_sum(comm, which, lengths[i], which);
    for (int turn = 0; turn < SUM_TURNS; turn++)
        call_sum(comm, ALLREDUCE, SHORT_SUMS, turn);
}

static void call_all(MPI_Comm comm)
{
    call_small(comm);
    if (sums) {
        call_sums(comm);
        return;
    }
    call_long(comm);
    call_own_operation(comm);
    call_gaps(comm);
    call_blocks(comm);
    if (nonblocking)
        call_together(comm);
}

/* Sums over all ranks, by messages alone. */
static int sum_of(int mine)
{
    int sum = mine, other;
    const int r = check_rank(), p = check_size();
    for (int i = 1; i < p && r == 0; i++) {
        MPI_Recv(&other, 1, MPI_INT, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += other;
    }
    if (r != 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (int i = 1; i < p && r == 0; i++)
        MPI_Send(&sum, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
    if (r != 0)
        MPI_Recv(&sum, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return sum;
}

/* Lets the n-th call of a function fail; false where there are fewer. */
static bool run_point(int point, enum mode mode, int n)
{
    const int r = check_rank(), last = check_size() - 1;
    const bool is_armed = mode == ON_ALL || r == (mode == ON_FIRST ? 0 : last);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    errors = 0;
    layer.arm(point, is_armed ? n : 0);
    call_all(comm);
    const int fired = sum_of(layer.fired());
    layer.arm(point, 0);
    const int told = sum_of(errors);
    points += fired > 0;
    with_errors += told > 0;
    if (fired == 0 && told > 0)
        check_fail("errors without a fault");
    errors = 0;
    call_all(comm);
    check_equal("errors afterwards", 0, sum_of(errors));
    MPI_Comm_free(&comm);
    return fired > 0;
}

/* All ids that MPI has are taken, by communicators of the program's: the last ones have none left
 * for ours, and work. */
static void test_no_more_ids(void)
{
    enum { MOST = 5000 };
    static MPI_Comm comms[MOST];
    int count = 0;
    if (!check_case("no more communicators to be had"))
        return;
    while (count < MOST && MPI_Comm_dup(MPI_COMM_WORLD, &comms[count]) == MPI_SUCCESS)
        count++;
    errors = 0;
    for (int i = count - 1; i >= 0 && i > count - 3; i--) {
        call_all(comms[i]);
    }
    check_equal("errors", 0, errors);
    while (count > 0)
        MPI_Comm_free(&comms[--count]);
}

/* Something failed while MPI_Init set the job up, or not: see points_layer.c. What is lost then is
 * speed alone. */
static void run_started(void)
{
    const int fired = sum_of(layer.fired());
    MPI_Comm comm;
    if (!check_case("a fault at the start"))
        return;
    for (int point = 0; point < layer.count(); point++)
        layer.arm(point, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    call_all(comm);
    call_all(comm);
    check_equal("errors", 0, sum_of(errors));
    MPI_Comm_free(&comm);
    if (check_rank() == 0)
        printf("fired: %d\n", fired);
}

static bool find_layer(void)
{
    static const struct {
        const char *name;
        void *to;
    } functions[] = {
        {"points_count", &layer.count},
        {"points_name", &layer.name},
        {"points_is_collective", &layer.is_collective},
        {"points_arm", &layer.arm},
        {"points_fired", &layer.fired},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(RTLD_DEFAULT, functions[i].name);
        if (found == NULL)
            return false;
        memcpy(functions[i].to, &found, sizeof found);
    }
    return true;
}

static int first_mode(int point)
{
    return sums && !layer.is_collective(point) ? ON_FIRST : ON_ALL;
}

static int last_mode(int point)
{
    return layer.is_collective(point) ? ON_ALL : ON_LAST;
}

static void run(void)
{
    if (!find_layer()) {
        check_case("the layer is there");
        check_fail("it is not preloaded");
        return;
    }
    MPI_Op_create(multiply, 0, &product);
    MPI_Type_vector(GAPS, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    if (getenv("POINTS_AT_START") != NULL) {
        run_started();
        MPI_Type_free(&gaps);
        MPI_Op_free(&product);
        return;
    }
    for (int point = 0; point < layer.count(); point++)
        for (int mode = first_mode(point); mode <= last_mode(point); mode++) {
            bool is_there = true;
            for (int n = 1; n < MOST_CALLS && is_there; n++)
                is_there = check_case("%s, call %d, %s", layer.name(point), n, mode_names[mode]) &&
                           run_point(point, (enum mode)mode, n);
        }
    if (check_case("something failed"))
        check_equal("without a fault", 0, points == 0);
    test_no_more_ids();
    MPI_Type_free(&gaps);
    MPI_Op_free(&product);
}

static void report(void)
{
    printf("%d faults: %d without any error, %d told as errors\n", points, points - with_errors,
           with_errors);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"nonblocking", "1: calls that do not block, with a wait each", &nonblocking, 0, NULL},
        {"sums", "1: exact sums alone, on one failing rank at a time", &sums, 0, NULL},
    };
    static const struct check_program program = {
        .doc = "Makes each call of the library's fail in turn.",
        .run = run,
        .report = report,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .thread_level = MPI_THREAD_SINGLE,
        .least_ranks = 2,
    };
    return check_main(argc, argv, &program);
}
