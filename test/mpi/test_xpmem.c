/*
 * test_xpmem.c: vectors of static memory, of malloc that is freed and given out again, and between
 * them, in collectives of any length. With STAND_IN (see stand_in_xpmem.c) none of it lies in a
 * heap that the library knows.
 */
#include "check.h"

#include <stdlib.h>

enum { ROUNDS = 40, MOST = 50000, EDGE = 512, LARGE = 2048, FORMS = 5 };
enum { FIXED_IN = 1, FIXED_OUT = 2, IN_PLACE = 4 };

static double fixed_in[MOST], fixed_out[MOST];

static double given(int rank, size_t i)
{
    return rank + (double)(i % 1009);
}

static double sum_of(size_t i)
{
    const int p = check_size();
    return p * (p - 1) / 2.0 + p * (double)(i % 1009);
}

/* What element i of this rank's result is to be. */
static double wanted(int form, int root, size_t count, size_t i)
{
    switch (form) {
    case 0:
    case 1:
        return sum_of(i);
    case 2:
        return given(root, i);
    case 3:
        return given((int)(i / count), i % count);
    default:
        return sum_of((size_t)check_rank() * count + i);
    }
}

static int call(int form, int root, const void *in, void *out, int count)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    switch (form) {
    case 0:
        return MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    case 1:
        return MPI_Reduce(in == MPI_IN_PLACE && check_rank() != root ? out : in, out, count,
                          MPI_DOUBLE, MPI_SUM, root, comm);
    case 2:
        return MPI_Bcast(out, count, MPI_DOUBLE, root, comm);
    case 3:
        return MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
    default:
        return MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    }
}

/* Where the input of a form lies that is in place. */
static size_t in_place_at(int form, size_t count)
{
    return form == 3 ? (size_t)check_rank() * count : 0;
}

static void check_result(int form, int root, size_t count, const double *out)
{
    const size_t length = form == 3 ? (size_t)check_size() * count : count;
    if (form == 1 && check_rank() != root)
        return;
    for (size_t i = 0; i < length; i++)
        if (out[i] != wanted(form, root, count, i)) {
            check_fail("element %zu of %zu is %g, not %g", i, length, out[i],
                       wanted(form, root, count, i));
            return;
        }
}

static void one_round(int form, int root, size_t count, unsigned how)
{
    const size_t p = (size_t)check_size(), room = p * count + 1;
    double *in = how & FIXED_IN ? fixed_in : malloc(room * sizeof *in);
    double *out = how & FIXED_OUT ? fixed_out : malloc(room * sizeof *out);
    const bool in_place = (how & IN_PLACE) != 0 || form == 2;
    double *from = in_place ? out + in_place_at(form, count) : in;
    for (size_t i = 0; i < (form == 4 ? p : 1) * count; i++)
        from[i] = given(check_rank(), i);
    check_equal("the call", MPI_SUCCESS,
                call(form, root, in_place ? MPI_IN_PLACE : in, out, (int)count));
    check_result(form, root, count, out);
    if (in != fixed_in)
        free(in); /* the next round may get these pages for other data, or none */
    if (out != fixed_out)
        free(out);
}

static size_t draw_count(uint64_t random)
{
    static const size_t counts[] = {0, 1, EDGE - 1, EDGE, EDGE + 1, LARGE - 1, LARGE, LARGE + 1};
    const size_t most = (MOST - 1) / (size_t)check_size();
    return random % 3 == 0 ? counts[random / 3 % 8] : random / 3 % most;
}

static void run(void)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int form = 0; form < FORMS; form++) {
            const uint64_t number = (uint64_t)(round * FORMS + form);
            const uint64_t all = check_random(0, number, check_seed());
            const uint64_t own = check_random(1 + (uint64_t)check_rank(), number, check_seed());
            const int root = (int)(all / 1000003 % (uint64_t)check_size());
            if (check_case("round %d, form %d, root %d", round, form, root))
                one_round(form, root, draw_count(all), (unsigned)(own >> 13) % 8);
        }
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks vectors of static memory and of malloc.", .run = run};
    return check_main(argc, argv, &program);
}
