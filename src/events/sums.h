/* Sums over collective calls. The report's rows, ranks and summary and the pages of `allfold top`
 * all use this structure. */
#ifndef ALLFOLD_EVENTS_SUMS_H
#define ALLFOLD_EVENTS_SUMS_H

/* The sums:
 *
 * - calls; split: calls with known waiting time; last: split calls in which this rank came last
 * - bytes: of the vectors; seconds: in the library
 * - waiting_s, moving_s: time of split calls spent waiting for late ranks and moving data (split.h)
 * - flight_s: time from start to end of calls that do not block; awaited_s: the part of it that the
 *   program waited
 * - behind_s: how far this rank was behind the mean of the other ranks in the calls in which it
 * came last; squares: of the terms of behind_s; chance_s: behind_s as expected by chance
 *   (events/late_test.h)
 * - op_calls, op_bytes: calls of an operation of the program's own, and the bytes they reduced */
#define ALLFOLD_SUMS(X)                                                                            \
    X(calls)                                                                                       \
    X(split)                                                                                       \
    X(last)                                                                                        \
    X(bytes)                                                                                       \
    X(seconds)                                                                                     \
    X(waiting_s)                                                                                   \
    X(moving_s)                                                                                    \
    X(flight_s)                                                                                    \
    X(awaited_s)                                                                                   \
    X(behind_s)                                                                                    \
    X(chance_s)                                                                                    \
    X(squares)                                                                                     \
    X(op_calls)                                                                                    \
    X(op_bytes)

/* Counts are exact up to 2^53. */
struct allfold_sums {
#define ALLFOLD_SUMS_FIELD(name) double name;
    ALLFOLD_SUMS(ALLFOLD_SUMS_FIELD)
#undef ALLFOLD_SUMS_FIELD
};

/* Adds `times` * `more`: with -1 it subtracts. */
static inline void allfold_sums_add(struct allfold_sums *into, const struct allfold_sums *more,
                                    double times)
{
#define ALLFOLD_SUMS_ADD(name) into->name += times * more->name;
    ALLFOLD_SUMS(ALLFOLD_SUMS_ADD)
#undef ALLFOLD_SUMS_ADD
}

#endif
