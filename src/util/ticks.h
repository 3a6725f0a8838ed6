/* Ticks: the clock with the least overhead on this machine, to time events within nanoseconds.
 *
 * If the kernel's clock source is the processor's counter (TSC), a tick is one count. Reading the
 * counter takes a third of the time of clock_gettime. Otherwise a tick is a nanosecond of the
 * monotonic clock. To convert ticks to seconds, take a moment on both clocks before and after. */
#ifndef ALLFOLD_UTIL_TICKS_H
#define ALLFOLD_UTIL_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* Return the monotonic clock, in seconds or in nanoseconds, since some fixed time. Thread-safe. */
double allfold_monotonic_s(void);
uint64_t allfold_monotonic_ns(void);

/* Whether ticks are counts of the processor's counter. Set by allfold_ticks_open and
 * allfold_ticks_choose alone. */
extern bool allfold_ticks_are_counted;

/* Chooses the clock for ticks. Must be called before the first tick is read, while no other thread
 * reads ticks. */
void allfold_ticks_open(void);

/* Chooses the clock for ticks from the name of the kernel's clock source. "": ticks are
 * nanoseconds. */
void allfold_ticks_choose(const char *clock_source);

/* Returns the current time in ticks. Thread-safe. */
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

/* The same time on both clocks: ticks and the monotonic clock. */
struct allfold_moment {
    uint64_t ticks;
    double now_s;
};

/* Reads both clocks. */
struct allfold_moment allfold_moment(void);

/* The line through two moments, to convert ticks to seconds. If both moments are the same, it
 * converts all ticks to the time of that moment. */
struct allfold_tick_line {
    uint64_t from;
    double from_s, tick_s;
};

/* Returns the line through two moments. */
struct allfold_tick_line allfold_tick_line(struct allfold_moment from, struct allfold_moment to);

/* Converts ticks to seconds on the monotonic clock. Between the two moments of the line, the error
 * is not larger than the error of the moments. */
static inline double allfold_tick_line_tell(const struct allfold_tick_line *line, uint64_t ticks)
{
    return line->from_s + line->tick_s * (double)(int64_t)(ticks - line->from);
}

#endif
