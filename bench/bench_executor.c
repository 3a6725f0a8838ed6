/* The library's own cost per step: building schedules, and running them over a transport whose
 * messages are done at once and reductions that do nothing. Prints medians over many repetitions,
 * as a table, or with --csv for programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "algorithms/algorithm.h"
#include "execute/executor.h"

enum { REPETITIONS = 301 };

struct null_transport {
    struct allfold_transport transport;
    uint32_t count;
    uint32_t slots[ALLFOLD_MAX_WINDOW];
};

static int null_message(struct allfold_transport *transport, const struct allfold_message *message)
{
    struct null_transport *t = (struct null_transport *)transport;
    t->slots[t->count++] = message->slot;
    return 0;
}

static int null_test(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    struct null_transport *t = (struct null_transport *)transport;
    memcpy(slots, t->slots, t->count * sizeof *slots);
    *count = t->count;
    t->count = 0;
    return 0;
}

static int null_wait(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                     uint32_t *count)
{
    (void)oldest;
    return null_test(transport, slots, count);
}

static void null_abandon(struct allfold_transport *transport)
{
    (void)transport;
}

static int null_reduce(const struct allfold_elements *elements, void *to, const void *left,
                       const void *right, size_t count)
{
    (void)elements, (void)to, (void)left, (void)right, (void)count;
    return 0;
}

static int null_copy(const struct allfold_elements *elements, void *to, const void *from,
                     size_t count)
{
    (void)elements, (void)to, (void)from, (void)count;
    return 0;
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

struct subject {
    const char *name;
    int p, root;
    size_t count, segment;
};

static struct allfold_problem problem_of(const struct allfold_algorithm *algorithm,
                                         const struct subject *subject)
{
    return (struct allfold_problem){.collective = algorithm->collective,
                                    .group = allfold_group_all(subject->p, subject->p / 2),
                                    .root = subject->p / 2,
                                    .count = subject->count,
                                    .element_bytes = 8,
                                    .commutative = true,
                                    .exact = true};
}

/* Fills `build_ns` and `run_ns` with nanoseconds per step; returns the number of steps. */
static uint32_t measure(const struct allfold_algorithm *algorithm, const struct subject *subject,
                        double *build_ns, double *run_ns)
{
    static const struct allfold_elements elements = {
        .extent_bytes = 8, .high_bytes = 8, .reduce = null_reduce, .copy = null_copy};
    static const struct allfold_transport_operations operations = {.send = null_message,
                                                                   .receive = null_message,
                                                                   .test = null_test,
                                                                   .wait = null_wait,
                                                                   .abandon = null_abandon};
    static struct null_transport transport = {.transport = {.operations = &operations}};
    const struct allfold_problem problem = problem_of(algorithm, subject);
    struct allfold_parameters parameters = allfold_parameter_presets(algorithm);
    parameters.value[0] = subject->segment;
    uint32_t steps = 0;
    static _Alignas(64) char memory[64]; /* nothing ever looks at it */
    for (int i = 0; i < REPETITIONS; i++) {
        struct allfold_schedule *schedule;
        double begin_ns = now_ns();
        if (allfold_build(algorithm, &problem, &parameters, &schedule, NULL, 0) != ALLFOLD_OK)
            return 0;
        steps = schedule->step_count;
        build_ns[i] = (now_ns() - begin_ns) / steps;
        struct allfold_executor *executor = allfold_executor_create(schedule, ALLFOLD_WINDOW);
        const struct allfold_binding binding = {
            memory, memory, memory, &elements, &transport.transport, 0, NULL};
        enum { WARM_UP = 3 };
        for (int j = 0; j <= WARM_UP; j++) {
            begin_ns = now_ns();
            if (allfold_executor_start(executor, &binding) != 0 ||
                allfold_executor_wait(executor) != 0)
                return 0;
            run_ns[i] = (now_ns() - begin_ns) / steps;
        }
        allfold_executor_free(executor);
        allfold_schedule_free(schedule);
    }
    qsort(build_ns, REPETITIONS, sizeof *build_ns, compare);
    qsort(run_ns, REPETITIONS, sizeof *run_ns, compare);
    return steps;
}

int main(int argc, char **argv)
{
    static const struct subject subjects[] = {
        {"recursive_doubling", 1024, 0, 1, 0},
        {"recursive_doubling", 1 << 20, 0, 1, 0},
        {"halving_doubling", 1024, 0, 4096, 0},
        {"halving_doubling", 1000, 0, 4096, 0},
        {"ring", 64, 0, 4096, 0},
        {"ring", 1024, 0, 4096, 0},
        {"ring", 64, 0, 64 * 64, 64},
    };
    const bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    double build_ns[REPETITIONS], run_ns[REPETITIONS];
    struct utsname name;
    uname(&name);
    printf(csv ? "version,machine,algorithm,p,count,segment_bytes,steps,build_ns,run_ns\n"
               : "Allfold " ALLFOLD_VERSION
                 ": medians of %3$d, nanoseconds a step, on %1$s (%2$s)\n",
           name.nodename, name.machine, REPETITIONS);
    if (!csv)
        printf("%-20s %8s %8s %8s %8s %10s %10s\n", "allreduce", "p", "count", "segment", "steps",
               "build", "run");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const struct subject *s = &subjects[i];
        const struct allfold_algorithm *a = allfold_algorithm_find(ALLFOLD_ALLREDUCE, s->name);
        const uint32_t steps = measure(a, s, build_ns, run_ns);
        if (csv)
            printf(ALLFOLD_VERSION ",%s,%s,%d,%zu,%zu,%u,%.2f,%.2f\n", name.nodename, s->name, s->p,
                   s->count, s->segment, steps, build_ns[REPETITIONS / 2], run_ns[REPETITIONS / 2]);
        else
            printf("%-20s %8d %8zu %8zu %8u %10.1f %10.1f\n", s->name, s->p, s->count, s->segment,
                   steps, build_ns[REPETITIONS / 2], run_ns[REPETITIONS / 2]);
    }
    return 0;
}
