/* Ticks: the cheapest even clock of this machine, for notes that are made in nanoseconds.
 *
 * Where the kernel itself tells the time by the processor's counter, a tick is one of the
 * counter's. Reading it takes a third of what asking the kernel does. Elsewhere a tick is a
 * nanosecond of the monotonic clock. Moments, which have both, turn ticks between them into
 * seconds. */
#ifndef ALLFOLD_UTIL_TICKS_H
#define ALLFOLD_UTIL_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* The monotonic clock's seconds and nanoseconds, from some fixed time on. */
double allfold_monotonic_s(void);
uint64_t allfold_monotonic_ns(void);

/* Are ticks of the counter? Written by allfold_ticks_open alone. */
extern bool allfold_ticks_are_counted;

/* Finds out what ticks are. Before the first one, while no other thread reads any. */
void allfold_ticks_open(void);

/* The same, with the name of the kernel's clock source; "" has ticks be nanoseconds. */
void allfold_ticks_choose(const char *clock_source);

static inline uint64_t allfold_ticks(void)
{
#if defined(__x86_64__)
    if (allfold_ticks_are_counted)
        return __rdtsc();
#elif defined(__aarch64__)
    if (allfold_ticks_are_counted) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    return allfold_monotonic_ns();
}

/* The same time on both clocks. */
struct allfold_moment {
    uint64_t ticks;
    double now_s;
};

struct allfold_moment allfold_moment(void);

/* A line through two moments; of two that are one, all ticks are that moment's. */
struct allfold_tick_line {
    uint64_t from;
    double from_s, tick_s;
};

struct allfold_tick_line allfold_tick_line(struct allfold_moment from, struct allfold_moment to);

/* The time of ticks, on the monotonic clock. Between the moments it is off by no more than they. */
static inline double allfold_tick_line_tell(const struct allfold_tick_line *line, uint64_t ticks)
{
    return line->from_s + line->tick_s * (double)(int64_t)(ticks - line->from);
}

#endif
