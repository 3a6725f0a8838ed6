/* Kernels against the machine's own add bandwidth: GB/s (read and written) of each type and
 * operation, with operands in each cache and in memory. The ratios are to c = a + b, written by
 * hand, best of a few forms. Rounds of both alternate; medians of the rounds' ratios. Arguments:
 * [--csv] [TYPE | main], main being the sums of float and double alone. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/kernels.h"
#include "own_add.h"

enum { ROUNDS = 15, LEVELS = 4, MOST_OPERANDS = ALLFOLD_FOLD_OPERANDS, LARGEST = 64 << 20 };

/* Bytes of all operands and the result; each alone is at most LARGEST. */
static const struct {
    const char *name;
    size_t bytes;
} levels[LEVELS] = {
    {"L1", 24 << 10}, {"L2", 288 << 10}, {"L3", 6 << 20}, {"memory", (size_t)3 * LARGEST}};

static unsigned char *memory[1 + MOST_OPERANDS];
static bool is_csv;

/* What is timed: a kernel, a fold at once or one kernel after the other, or our own add. */
struct task {
    const struct own_add *own;
    enum allfold_type type;
    enum allfold_operation operation;
    size_t k;     /* operands */
    bool is_slow; /* more than 2 of them one after the other */
    size_t alias; /* dst is this operand; 0: apart */
    size_t bytes;
};

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void run(const struct task *t)
{
    const void *operands[MOST_OPERANDS];
    for (size_t i = 0; i < t->k; i++)
        operands[i] = memory[1 + i];
    void *dst = memory[t->alias];
    const size_t count = t->bytes / allfold_type_bytes(t->type);
    if (t->own != NULL)
        t->own->add(dst, operands[0], operands[1], t->bytes / sizeof(double));
    else if (t->k == 2)
        allfold_kernel_find(t->type, t->operation)(dst, operands[0], operands[1], count);
    else if (!t->is_slow)
        allfold_folds_find(t->type, t->operation)[t->k](dst, operands, count);
    else
        for (size_t i = 1; i < t->k; i++)
            allfold_kernel_find(t->type, t->operation)(dst, i == 1 ? operands[0] : dst, operands[i],
                                                       count);
}

/* The bytes of each operand; multiples of all elements and of 16 doubles. */
static size_t bytes_at(int level, size_t operands)
{
    return levels[level].bytes / (operands + 1) / 384 * 384;
}

/* Bytes a second, read and written. */
static double rate_of(const struct task *t)
{
    const size_t calls = ((size_t)4 << 20) / t->bytes + 1;
    const double begin = now_s();
    for (size_t i = 0; i < calls; i++)
        run(t);
    return (double)((t->k + 1) * t->bytes * calls) / (now_s() - begin);
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

static void print_row(const char *type, const char *what, const double *rates, const double *ratios)
{
    if (is_csv)
        printf("%s,%s,%s", allfold_simd_used(), type, what);
    else
        printf("%-20s %-12s", type, what);
    for (int i = 0; i < LEVELS; i++)
        printf(is_csv ? ",%.2f,%.3f" : " %8.1f (%4.2f)", 1e-9 * rates[i], ratios[i]);
    printf("\n");
    fflush(stdout);
}

static const struct own_add *best_own[LEVELS];

static void measure(const char *type, const char *what, struct task task)
{
    double rates[LEVELS], ratios[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        double rate[ROUNDS], ratio[ROUNDS];
        task.bytes = bytes_at(level, task.k);
        const struct task own = {.own = best_own[level], .k = 2, .bytes = bytes_at(level, 2)};
        run(&task);
        for (int i = 0; i < ROUNDS; i++) {
            rate[i] = rate_of(&task);
            ratio[i] = rate[i] / rate_of(&own);
        }
        rates[level] = median(rate);
        ratios[level] = median(ratio);
    }
    print_row(type, what, rates, ratios);
}

static void find_best_own(void)
{
    double best[LEVELS] = {0}, ones[LEVELS] = {1, 1, 1, 1};
    for (const struct own_add *own = own_adds; own->name != NULL; own++) {
        double rates[LEVELS];
        for (int level = 0; own->is_supported() && level < LEVELS; level++) {
            double rate[ROUNDS];
            const struct task task = {.own = own, .k = 2, .bytes = bytes_at(level, 2)};
            for (int i = 0; i < ROUNDS; i++)
                rate[i] = rate_of(&task);
            rates[level] = median(rate);
            if (rates[level] > best[level] && (level == LEVELS - 1 || !own->is_streamed)) {
                best[level] = rates[level];
                best_own[level] = own;
            }
        }
        if (own->is_supported())
            print_row("own add, double", own->name, rates, ones);
    }
}

static void measure_sums(enum allfold_type type)
{
    const char *name = allfold_type_name(type);
    struct task task = {.type = type, .operation = ALLFOLD_SUM};
    for (task.k = 2; task.k <= MOST_OPERANDS; task.k++) {
        char what[40];
        snprintf(what, sizeof what, "sum of %zu", task.k);
        measure(name, what, task);
        task.is_slow = true;
        snprintf(what, sizeof what, "%zu singly", task.k);
        if (task.k > 2)
            measure(name, what, task);
        task.is_slow = false;
    }
    task.k = 2;
    for (task.alias = 1; task.alias <= 2; task.alias++)
        measure(name, task.alias == 1 ? "dst = left" : "dst = right", task);
}

static void measure_type(enum allfold_type type)
{
    for (enum allfold_operation o = 0; o < ALLFOLD_OPERATION_COUNT; o++) {
        const struct task task = {.type = type, .operation = o, .k = 2};
        if (allfold_kernel_find(type, o) != NULL)
            measure(allfold_type_name(type), allfold_operation_name(o), task);
    }
}

static void print_head(void)
{
    if (is_csv)
        printf("variant,type,operation");
    else
        printf("Allfold %s, kernels: %s; GB/s read and written (ratio to the best own add)\n%-33s",
               ALLFOLD_VERSION, allfold_simd_used(), "");
    for (int i = 0; i < LEVELS; i++)
        printf(is_csv ? ",%s_gb_s,%s_ratio" : " %15s", levels[i].name, levels[i].name);
    printf("\n");
}

/* Arrays not a multiple of 4096 apart, so that they do not compete for the same cache lines. */
static bool allocate(void)
{
    for (size_t i = 0; i <= MOST_OPERANDS; i++) {
        unsigned char *bytes = aligned_alloc(4096, LARGEST + 64 * 1024);
        if (bytes == NULL)
            return false;
        memory[i] = bytes + i * 2112;
        memset(memory[i], 0, LARGEST);
        for (size_t at = 0; at < LARGEST; at += sizeof(float))
            memcpy(memory[i] + at, &(float){(float)(at / sizeof(float) % 64)}, sizeof(float));
    }
    return true;
}

int main(int argc, char **argv)
{
    is_csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    const char *wanted = argc > 1 + is_csv ? argv[1 + is_csv] : NULL;
    const char *simd = getenv("SIMD");
    if (!allocate() || (simd != NULL && !allfold_simd_use(simd))) {
        fprintf(stderr, "bench_kernels: no memory, or no variant %s here\n", simd);
        return 1;
    }
    print_head();
    find_best_own();
    measure_sums(ALLFOLD_FLOAT);
    measure_sums(ALLFOLD_DOUBLE);
    for (enum allfold_type type = 0; type < ALLFOLD_TYPE_COUNT; type++)
        if (wanted == NULL || strcmp(wanted, allfold_type_name(type)) == 0)
            measure_type(type);
    return 0;
}
