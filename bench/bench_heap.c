/* What large blocks cost a program: malloc, calloc, realloc and fork. Run it as it is and with
 * LD_PRELOAD=liballfold-one-copy.so, whose blocks the ranks of a node read in place.
 * A line each: what, microseconds (the median of the rounds). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 101, FORK_ROUNDS = 5 };

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void tell(const char *what, size_t bytes, double *us, int rounds)
{
    qsort(us, (size_t)rounds, sizeof *us, compare);
    printf("%s, %zu KiB,%.2f\n", what, bytes >> 10, us[rounds / 2]);
}

static void use(void *memory, size_t bytes)
{
    memset(memory, 1, bytes);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

static void time_blocks(size_t bytes)
{
    double us[4][ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double begin = now_us();
        for (int k = 0; k < 10; k++) {
            void *memory = malloc(bytes);
            __asm__ volatile("" : : "r"(memory) : "memory");
            free(memory);
        }
        us[0][i] = (now_us() - begin) / 10;
        begin = now_us();
        void *memory = malloc(bytes);
        use(memory, bytes);
        free(memory);
        us[1][i] = now_us() - begin;
        begin = now_us();
        memory = calloc(bytes, 1);
        use(memory, bytes);
        free(memory);
        us[2][i] = now_us() - begin;
        begin = now_us();
        memory = NULL;
        for (size_t length = 4096; length <= bytes; length += length / 2) {
            memory = realloc(memory, length);
            ((char *)memory)[length - 1] = 1;
        }
        free(memory);
        us[3][i] = now_us() - begin;
    }
    tell("malloc and free", bytes, us[0], ROUNDS);
    tell("malloc, write, free", bytes, us[1], ROUNDS);
    tell("calloc, write, free", bytes, us[2], ROUNDS);
    tell("realloc from 4 KiB on", bytes, us[3], ROUNDS);
}

static void time_fork(size_t bytes)
{
    double us[FORK_ROUNDS];
    void *memory = malloc(bytes);
    use(memory, bytes);
    for (int i = 0; i < FORK_ROUNDS; i++) {
        const double begin = now_us();
        const pid_t child = fork();
        if (child == 0)
            _exit(0);
        us[i] = now_us() - begin;
        waitpid(child, NULL, 0);
    }
    tell("fork with so much written", bytes, us, FORK_ROUNDS);
    free(memory);
}

int main(void)
{
    static const size_t sizes[] = {20 << 10, 100 << 10, 1 << 20, 16 << 20};
    printf("what,us\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        time_blocks(sizes[i]);
    time_fork(1 << 20);
    time_fork(256 << 20);
    return 0;
}
