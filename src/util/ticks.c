/* The processor's counter and the kernel's clocks (see ticks.h). */
#include "util/ticks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

bool allfold_ticks_are_counted;

uint64_t allfold_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1000000000u * (uint64_t)now.tv_sec + (uint64_t)now.tv_nsec;
}

double allfold_monotonic_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Does the counter tick at the same rate in all states of the processor? */
static bool is_invariant(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
#else
    return true;
#endif
}

static const char *counter_name(void)
{
#if defined(__x86_64__)
    return "tsc";
#elif defined(__aarch64__)
    return "arch_sys_counter";
#else
    return NULL;
#endif
}

/* The kernel checks the counter, and uses another clock source if the cores' counters differ. */
void allfold_ticks_choose(const char *clock_source)
{
    const char *name = counter_name();
    allfold_ticks_are_counted = name != NULL && strcmp(clock_source, name) == 0 && is_invariant();
}

void allfold_ticks_open(void)
{
    char source[32] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (file != NULL) {
        if (fscanf(file, "%31s", source) != 1)
            source[0] = '\0';
        fclose(file);
    }
    allfold_ticks_choose(source);
}

/* The kernel may stop the process between the two readings, so the closest of some counts. */
struct allfold_moment allfold_moment(void)
{
    enum { TRIES = 3 };
    struct allfold_moment best = {0, 0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = allfold_ticks();
        const double now_s = allfold_monotonic_s();
        const uint64_t took = allfold_ticks() - before;
        if (took < least)
            best = (struct allfold_moment){before + took / 2, now_s};
        least = took < least ? took : least;
    }
    return best;
}

struct allfold_tick_line allfold_tick_line(struct allfold_moment from, struct allfold_moment to)
{
    const double ticks = (double)(to.ticks - from.ticks);
    return (struct allfold_tick_line){from.ticks, from.now_s,
                                      ticks > 0 ? (to.now_s - from.now_s) / ticks : 0};
}
