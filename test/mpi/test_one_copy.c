/*
 * test_one_copy.c: vectors of malloc, calloc, realloc and posix_memalign in reductions, while the
 * program forks children that write to all of them, resizes and frees.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 60, LARGE = 2048, KINDS = 4 };

static int is_shared = -1;

static double *allocate(int kind, size_t count)
{
    const size_t bytes = count * sizeof(double);
    void *memory = NULL;
    switch (kind) {
    case 0:
        memory = malloc(bytes);
        break;
    case 1:
        memory = calloc(count, sizeof(double));
        for (size_t i = 0; memory != NULL && i < count; i++)
            if (((double *)memory)[i] != 0) {
                check_fail("element %zu of calloc's vector is not 0", i);
                break;
            }
        break;
    case 2:
        memory = malloc(100);
        memory = memory == NULL ? NULL : realloc(memory, bytes);
        break;
    default:
        if (posix_memalign(&memory, 64, bytes) != 0)
            memory = NULL;
        break;
    }
    if (memory == NULL)
        check_fail("no memory for %zu doubles", count);
    else if (is_shared >= 0 && count >= LARGE)
        check_equal("a large vector is shared", is_shared, check_is_in_file(memory));
    return memory;
}

/* A child that finds what its parent has, and writes all over it. */
static void fork_once(double *in, size_t count)
{
    int status = 0;
    const double last = in[count - 1];
    const pid_t child = fork();
    if (child == 0) {
        const bool is_right = in[count - 1] == last && (is_shared < 1 || !check_is_in_file(in));
        memset(in, 0, count * sizeof *in);
        free(in);
        _exit(!is_right);
    }
    in[0] += 1; /* the child must not see this, nor undo it */
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        check_fail("a child's copy was not what its parent had");
    in[0] -= 1;
}

static void one_round(uint64_t random)
{
    const int kind = (int)(random % KINDS), p = check_size();
    const size_t count = 1 + random / 8 % 40000, offset = random / 64 % 3;
    double *in = allocate(kind, count + offset), *out = allocate((kind + 1) % KINDS, count);
    if (in == NULL || out == NULL)
        return;
    for (size_t i = 0; i < count + offset; i++)
        in[i] = check_rank() + (double)(i % 1001);
    if (random / 1024 % 4 == 0 && (int)(random / 4096 % (uint64_t)p) == check_rank())
        fork_once(in, count);
    check_equal("MPI_Allreduce", MPI_SUCCESS,
                MPI_Allreduce(in + offset, out, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    free(in); /* others may read it no more */
    for (size_t i = 0; i < count; i++) {
        const double expected = p * (p - 1) / 2.0 + p * (double)((i + offset) % 1001);
        if (out[i] != expected) {
            check_fail("element %zu of %zu is %g, not %g", i, count, out[i], expected);
            break;
        }
    }
    double *longer = realloc(out, 2 * count * sizeof *out);
    if (longer == NULL || longer[0] != p * (p - 1) / 2.0 + p * (double)offset)
        check_fail("realloc lost the result");
    free(longer);
}

static void run(void)
{
    for (int round = 0; round < ROUNDS; round++)
        if (check_case("round %d", round))
            one_round(check_random(0, (uint64_t)round, check_seed()));
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"shared", "whether large vectors are to be shared, 0 or 1", &is_shared, 0, NULL}};
    static const struct check_program program = {
        .doc = "Checks vectors of malloc while the program forks.",
        .run = run,
        .flags = flags,
        .flag_count = 1};
    return check_main(argc, argv, &program);
}
