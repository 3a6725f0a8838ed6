/* Exact sums beside plain ones, on one core: GB/s read and nanoseconds a term, best of some rounds,
 * which alternate. Numbers are of like size, or spread over 200 powers of two. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "allfold_accumulator.h"

enum { COUNT = 1 << 20, ROUNDS = 21, MEASURES = 4 };

static double x[COUNT], y[COUNT];
static float f[COUNT];
static volatile double kept;

static void plain(void)
{
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++)
        sum += x[i];
    kept = sum;
}

static void exact(void)
{
    struct allfold_accumulator acc = {0};
    allfold_accumulate(&acc, x, COUNT);
    kept = allfold_accumulator_round(&acc);
}

static void exact_float(void)
{
    struct allfold_accumulator acc = {0};
    allfold_accumulate_float(&acc, f, COUNT);
    kept = allfold_accumulator_round(&acc);
}

static void exact_dot(void)
{
    struct allfold_accumulator acc = {0};
    allfold_accumulate_dot(&acc, x, y, COUNT);
    kept = allfold_accumulator_round(&acc);
}

static const struct {
    const char *name;
    void (*run)(void);
    double bytes; /* of a term */
} measures[MEASURES] = {
    {"plain sum of doubles", plain, 8},
    {"exact sum of doubles", exact, 8},
    {"exact sum of floats", exact_float, 4},
    {"exact dot product of doubles", exact_dot, 16},
};

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void measure(const char *numbers)
{
    double best[MEASURES];
    for (int m = 0; m < MEASURES; m++)
        best[m] = INFINITY;
    for (int round = 0; round < ROUNDS; round++)
        for (int m = 0; m < MEASURES; m++) {
            const double begin = now_s();
            measures[m].run();
            best[m] = fmin(best[m], now_s() - begin);
        }
    for (int m = 0; m < MEASURES; m++)
        printf("%-12s %-30s %6.2f GB/s %6.2f ns\n", numbers, measures[m].name,
               1e-9 * measures[m].bytes * COUNT / best[m], 1e9 * best[m] / COUNT);
}

int main(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = drand48() - 0.5;
        y[i] = drand48() - 0.5;
        f[i] = (float)x[i];
    }
    measure("of like size");
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = ldexp(x[i], (int)(lrand48() % 200) - 100);
        f[i] = (float)x[i];
    }
    measure("spread");
    return 0;
}
