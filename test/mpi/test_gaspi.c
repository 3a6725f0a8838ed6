/*
 * test_gaspi.c: split-phase collectives in GASPI's manner, with every datatype and operation, the
 * program's operations with a state, and every algorithm to choose. Calls are repeated after
 * timeouts of 0 and of milliseconds. A barrier and an allreduce of several groups are in flight
 * together. Errors are tested, too.
 *
 * Linked with the library, of which it calls allfold_gaspi.h.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "allfold_gaspi.h"

enum { GROUPS = 2 };

static int rounds = 20;
static struct allfold_gaspi_group *groups[GROUPS];

static const char *const algorithms[] = {"", "dissemination(unordered)", "bruck(n=2,unordered)",
                                         "pairwise_exchange", "binomial_tree"};
enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

/* Element i of rank r: small whole numbers, so that all types hold sums exactly. */
static long input(int r, unsigned i, uint64_t seed)
{
    return (long)(check_random((uint64_t)r, i, seed) % 1000);
}

static long expected(enum allfold_gaspi_operation operation, unsigned i, uint64_t seed)
{
    long result = input(0, i, seed);
    for (int r = 1; r < check_size(); r++) {
        long x = input(r, i, seed);
        if (operation == ALLFOLD_GASPI_OP_SUM)
            result += x;
        else if ((operation == ALLFOLD_GASPI_OP_MIN) == (x < result))
            result = x;
    }
    return result;
}

/* One buffer for all types. */
union numbers {
    int of_int[ALLFOLD_GASPI_ELEM_MAX];
    unsigned of_uint[ALLFOLD_GASPI_ELEM_MAX];
    float of_float[ALLFOLD_GASPI_ELEM_MAX];
    double of_double[ALLFOLD_GASPI_ELEM_MAX];
    long of_long[ALLFOLD_GASPI_ELEM_MAX];
    unsigned long of_ulong[ALLFOLD_GASPI_ELEM_MAX];
};

static void put(union numbers *n, enum allfold_gaspi_datatype type, unsigned i, long value)
{
    switch (type) {
    case ALLFOLD_GASPI_TYPE_INT:
        n->of_int[i] = (int)value;
        break;
    case ALLFOLD_GASPI_TYPE_UINT:
        n->of_uint[i] = (unsigned)value;
        break;
    case ALLFOLD_GASPI_TYPE_FLOAT:
        n->of_float[i] = (float)value;
        break;
    case ALLFOLD_GASPI_TYPE_DOUBLE:
        n->of_double[i] = (double)value;
        break;
    case ALLFOLD_GASPI_TYPE_LONG:
        n->of_long[i] = value;
        break;
    case ALLFOLD_GASPI_TYPE_ULONG:
        n->of_ulong[i] = (unsigned long)value;
        break;
    }
}

static long get(const union numbers *n, enum allfold_gaspi_datatype type, unsigned i)
{
    switch (type) {
    case ALLFOLD_GASPI_TYPE_INT:
        return n->of_int[i];
    case ALLFOLD_GASPI_TYPE_UINT:
        return (long)n->of_uint[i];
    case ALLFOLD_GASPI_TYPE_FLOAT:
        return (long)n->of_float[i];
    case ALLFOLD_GASPI_TYPE_DOUBLE:
        return (long)n->of_double[i];
    case ALLFOLD_GASPI_TYPE_LONG:
        return n->of_long[i];
    default:
        return (long)n->of_ulong[i];
    }
}

static allfold_gaspi_timeout timeout_of(uint64_t random)
{
    static const allfold_gaspi_timeout timeouts[] = {ALLFOLD_GASPI_TEST, ALLFOLD_GASPI_TEST, 1,
                                                     ALLFOLD_GASPI_BLOCK};
    return timeouts[check_random((uint64_t)check_rank(), 1, random) % 4];
}

/* Repeats a call until it is done, each rank with timeouts of its own. */
static void reduce_once(struct allfold_gaspi_group *group, enum allfold_gaspi_operation operation,
                        enum allfold_gaspi_datatype type, unsigned num, uint64_t seed,
                        bool in_place)
{
    union numbers in, out;
    int code;

    for (unsigned i = 0; i < num; i++)
        put(in_place ? &out : &in, type, i, input(check_rank(), i, seed));
    for (unsigned tries = 0;; tries++) {
        code = allfold_gaspi_allreduce(in_place ? &out : &in, &out, num, operation, type, group,
                                       timeout_of(seed + tries));
        if (code != ALLFOLD_GASPI_TIMEOUT)
            break;
    }
    check_equal("code", ALLFOLD_GASPI_SUCCESS, code);
    for (unsigned i = 0; i < num; i++)
        check_equal("element", expected(operation, i, seed), get(&out, type, i));
}

static void test_algorithm(const char *name)
{
    if (!check_case("allreduce by '%s'", name))
        return;
    if (strncmp(name, "dissemination", 13) == 0 && check_size() == 1)
        return; /* nothing to choose */
    check_equal("algorithm", ALLFOLD_GASPI_SUCCESS, allfold_gaspi_group_algorithm(groups[0], name));
    for (int round = 0; round < rounds; round++) {
        uint64_t random = check_random((uint64_t)round, 0, check_seed());
        reduce_once(groups[0], (enum allfold_gaspi_operation)(random % 3),
                    (enum allfold_gaspi_datatype)(random / 3 % 6),
                    round % 4 == 0 ? ALLFOLD_GASPI_ELEM_MAX : 1 + (unsigned)(random / 18 % 20),
                    random, random >> 40 & 1);
    }
}

/* Minima and maxima of NaN and of zeros of both signs depend on the order of the operands. Yet all
 * ranks get the same bits: rank 0 compares. */
static void test_specials(enum allfold_gaspi_operation operation, enum allfold_gaspi_datatype type)
{
    static const double specials[] = {0.0, -0.0, (double)NAN, 1.0, -(double)NAN, -1.0, 0.0, -0.0};
    enum { NUMBERS = 64 };
    union numbers in, out, other;
    const bool is_double = type == ALLFOLD_GASPI_TYPE_DOUBLE;
    const size_t bytes = NUMBERS * (is_double ? sizeof(double) : sizeof(float));

    if (!check_case("%s of special %s", operation == ALLFOLD_GASPI_OP_MIN ? "minima" : "maxima",
                    is_double ? "doubles" : "floats"))
        return;
    allfold_gaspi_group_algorithm(groups[0], "");
    for (unsigned i = 0; i < NUMBERS; i++) {
        const double special = specials[check_random((uint64_t)check_rank(), i, check_seed()) % 8];
        if (is_double)
            in.of_double[i] = special;
        else
            in.of_float[i] = (float)special;
    }
    check_equal("code", ALLFOLD_GASPI_SUCCESS,
                allfold_gaspi_allreduce(&in, &out, NUMBERS, operation, type, groups[0],
                                        ALLFOLD_GASPI_BLOCK));
    if (check_rank() > 0)
        MPI_Send(&out, (int)bytes, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
    for (int r = 1; r < check_size() && check_rank() == 0; r++) {
        MPI_Recv(&other, (int)bytes, MPI_BYTE, r, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check_equal("same bits as rank 0's", 0, memcmp(&out, &other, bytes));
    }
}

/* Maps x -> a x + b modulo 2^32, which do not commute. */
struct map {
    uint32_t a, b;
};

static int compose(const void *left, const void *right, void *result, void *state, unsigned num,
                   size_t element_size, allfold_gaspi_timeout timeout_ms)
{
    const struct map *l = left, *r = right;
    struct map *to = result;

    check_equal("size of an element", sizeof(struct map), (long long)element_size);
    check_equal("timeout", 1, timeout_ms == ALLFOLD_GASPI_BLOCK);
    for (unsigned i = 0; i < num; i++)
        to[i] = (struct map){l[i].a * r[i].a, l[i].b * r[i].a + r[i].b};
    *(int *)state += (int)num;
    return ALLFOLD_GASPI_SUCCESS;
}

/* With a = 1 they do commute. */
static struct map map_of(int rank, unsigned i, uint64_t seed, bool commutes)
{
    uint64_t random = check_random((uint64_t)rank, i, seed);
    return (struct map){commutes ? 1 : (uint32_t)random | 1, (uint32_t)(random >> 32)};
}

static void test_user(const char *name, unsigned num, bool commutes)
{
    struct map in[ALLFOLD_GASPI_ELEM_MAX], out[ALLFOLD_GASPI_ELEM_MAX];
    int reduced = 0, ignored = 0, code;

    if (!check_case("operation of the program's on %u elements by '%s'", num, name))
        return;
    allfold_gaspi_group_algorithm(groups[0], name);
    for (unsigned i = 0; i < num; i++)
        in[i] = map_of(check_rank(), i, check_seed(), commutes);
    do {
        code = allfold_gaspi_allreduce_user(in, out, num, sizeof *in, compose, &reduced, groups[0],
                                            timeout_of(check_seed()));
    } while (code == ALLFOLD_GASPI_TIMEOUT);
    check_equal("code", ALLFOLD_GASPI_SUCCESS, code);
    /* else there may be ranks that reduce nothing */
    if (check_size() == 2 && strcmp(name, "binomial_tree") != 0)
        check_equal("the state is used", 1, reduced > 0);
    for (unsigned i = 0; i < num; i++) {
        struct map all = map_of(0, i, check_seed(), commutes);
        for (int r = 1; r < check_size(); r++) {
            const struct map right = map_of(r, i, check_seed(), commutes);
            compose(&all, &right, &all, &ignored, 1, sizeof all, ALLFOLD_GASPI_BLOCK);
        }
        if (memcmp(&all, &out[i], sizeof all) != 0)
            check_fail("element %u is wrong", i);
    }
}

/* Barriers and allreduces of all groups, in an order of each rank's own. */
static void test_beside(void)
{
    enum { JOBS = 2 * GROUPS };
    int in[GROUPS], out[GROUPS];

    if (!check_case("barriers and allreduces in flight beside each other"))
        return;
    allfold_gaspi_group_algorithm(groups[0], "");
    for (int round = 0; round < rounds; round++) {
        bool done[JOBS] = {false};
        for (int i = 0; i < GROUPS; i++)
            in[i] = check_rank() + i + round;
        for (int left = JOBS, step = check_rank(); left > 0; step += 3) {
            int job = step % JOBS, g = job / 2;
            if (done[job])
                continue;
            int code = job % 2 ? allfold_gaspi_barrier(groups[g], ALLFOLD_GASPI_TEST)
                               : allfold_gaspi_allreduce(&in[g], &out[g], 1, ALLFOLD_GASPI_OP_SUM,
                                                         ALLFOLD_GASPI_TYPE_INT, groups[g],
                                                         ALLFOLD_GASPI_TEST);
            done[job] = code != ALLFOLD_GASPI_TIMEOUT;
            left -= done[job];
            if (done[job])
                check_equal("code", ALLFOLD_GASPI_SUCCESS, code);
            if (done[job] && job % 2 == 0)
                check_equal("sum",
                            check_size() * (check_size() - 1) / 2 + check_size() * (g + round),
                            out[g]);
        }
    }
}

/* The last rank comes late: no rank gets through the barrier before. */
static void test_barrier(void)
{
    int token = 0, last = check_size() - 1;

    if (!check_case("a barrier that one comes late to") || last == 0)
        return;
    if (check_rank() == last)
        MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; check_rank() == 0 && i < 50; i++)
        check_equal("too early", ALLFOLD_GASPI_TIMEOUT,
                    allfold_gaspi_barrier(groups[0], i == 7 ? 5 : ALLFOLD_GASPI_TEST));
    if (check_rank() == 0)
        check_equal("group in use", ALLFOLD_GASPI_ERROR, allfold_gaspi_group_delete(&groups[0]));
    if (check_rank() == 0)
        MPI_Send(&token, 1, MPI_INT, last, 3, MPI_COMM_WORLD);
    check_equal("barrier", ALLFOLD_GASPI_SUCCESS,
                allfold_gaspi_barrier(groups[0], ALLFOLD_GASPI_BLOCK));
}

static int refuse(const void *left, const void *right, void *result, void *state, unsigned num,
                  size_t element_size, allfold_gaspi_timeout timeout_ms)
{
    (void)left, (void)right, (void)result, (void)state, (void)num, (void)element_size;
    (void)timeout_ms;
    return ALLFOLD_GASPI_ERROR;
}

static void test_errors(void)
{
    struct allfold_gaspi_group *none = NULL, *group;
    int in[2] = {1, 2}, out[2];
    const int error = ALLFOLD_GASPI_ERROR;

    if (!check_case("errors"))
        return;
    check_equal("no communicator", error, allfold_gaspi_group_create(MPI_COMM_NULL, &none));
    check_equal("no group", error, allfold_gaspi_group_delete(&none));
    check_equal("no group", error, allfold_gaspi_barrier(NULL, 0));
    check_equal("no such algorithm", error, allfold_gaspi_group_algorithm(groups[0], "fastest"));
    check_equal("not ours", error, allfold_gaspi_group_algorithm(groups[0], "native"));
    check_equal("no elements", error,
                allfold_gaspi_allreduce(in, out, 0, ALLFOLD_GASPI_OP_SUM, ALLFOLD_GASPI_TYPE_INT,
                                        groups[0], 0));
    check_equal("256 elements", error,
                allfold_gaspi_allreduce(in, out, 256, ALLFOLD_GASPI_OP_SUM, ALLFOLD_GASPI_TYPE_INT,
                                        groups[0], 0));
    check_equal("no operation", error,
                allfold_gaspi_allreduce_user(in, out, 1, 4, NULL, NULL, groups[0], 0));
    if (check_size() == 1)
        return;
    check_equal("create", ALLFOLD_GASPI_SUCCESS,
                allfold_gaspi_group_create(MPI_COMM_WORLD, &group));
    allfold_gaspi_group_algorithm(group, "pairwise_exchange");
    if (check_size() == 2) /* with more, ranks wait for those whose operation failed */
        check_equal("an operation that fails", error,
                    allfold_gaspi_allreduce_user(in, out, 1, sizeof *in, refuse, NULL, group,
                                                 ALLFOLD_GASPI_BLOCK));
    if (check_rank() == 0) {
        int code = allfold_gaspi_allreduce(in, out, 1, ALLFOLD_GASPI_OP_SUM, ALLFOLD_GASPI_TYPE_INT,
                                           groups[0], ALLFOLD_GASPI_TEST);
        if (code == ALLFOLD_GASPI_TIMEOUT)
            check_equal("another call", error,
                        allfold_gaspi_allreduce(in, out, 2, ALLFOLD_GASPI_OP_SUM,
                                                ALLFOLD_GASPI_TYPE_INT, groups[0],
                                                ALLFOLD_GASPI_TEST));
        if (code == ALLFOLD_GASPI_TIMEOUT)
            allfold_gaspi_allreduce(in, out, 1, ALLFOLD_GASPI_OP_SUM, ALLFOLD_GASPI_TYPE_INT,
                                    groups[0], ALLFOLD_GASPI_BLOCK);
    } else {
        allfold_gaspi_allreduce(in, out, 1, ALLFOLD_GASPI_OP_SUM, ALLFOLD_GASPI_TYPE_INT, groups[0],
                                ALLFOLD_GASPI_BLOCK);
    }
    check_equal("sum", check_size(), out[0]);
    check_equal("delete", ALLFOLD_GASPI_SUCCESS, allfold_gaspi_group_delete(&group));
}

static void run(void)
{
    for (int i = 0; i < GROUPS; i++)
        if (allfold_gaspi_group_create(MPI_COMM_WORLD, &groups[i]) != ALLFOLD_GASPI_SUCCESS)
            return; /* no case will be in the sample, which is a failure */
    for (int i = 0; i < ALGORITHMS; i++)
        test_algorithm(algorithms[i]);
    for (int operation = ALLFOLD_GASPI_OP_MIN; operation <= ALLFOLD_GASPI_OP_MAX; operation++)
        for (int k = 0; k < 2; k++)
            test_specials((enum allfold_gaspi_operation)operation,
                          k == 0 ? ALLFOLD_GASPI_TYPE_FLOAT : ALLFOLD_GASPI_TYPE_DOUBLE);
    test_user("", 1, true);
    test_user("dissemination(unordered)", 255, true);
    test_user("recursive_doubling", 255, false);
    test_user("binomial_tree", 17, false);
    test_beside();
    test_barrier();
    test_errors();
    for (int i = 0; i < GROUPS; i++)
        check_equal("delete", ALLFOLD_GASPI_SUCCESS, allfold_gaspi_group_delete(&groups[i]));
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"rounds", "how often each kind of call is made", &rounds, 1, NULL},
    };
    static const struct check_program program = {
        .doc = "Checks split-phase collectives in GASPI's manner.",
        .run = run,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .thread_level = MPI_THREAD_SINGLE,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
