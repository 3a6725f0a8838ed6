/* Sums over collective calls, shared by the report's rows, ranks and summary and by the pages of
 * `allfold top`. */
#ifndef ALLFOLD_EVENTS_SUMS_H
#define ALLFOLD_EVENTS_SUMS_H

/* The sums:
 *
 * - calls; split: calls with known waiting time; last: split calls in which this rank came last
 * - bytes: of the vectors; seconds: in the library
 * - waiting_s, moving_s: time of split calls spent waiting for late ranks and moving data (split.h)
 * - flight_s: time from start to end of nonblocking calls; awaited_s: the part of it in which the
 *   program waited
 * - behind_s: how far this rank was behind the mean of the other ranks in the calls in which it
 *   came last; squares: of the terms of behind_s; chance_s: behind_s as expected by chance
 *   (events/late_test.h)
 * - op_calls, op_bytes: calls of the program's own operations, and the bytes that they reduced */
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

/* All sums as doubles. Counts are exact up to 2^53. */
struct allfold_sums {
#define ALLFOLD_SUMS_FIELD(name) double name;
    ALLFOLD_SUMS(ALLFOLD_SUMS_FIELD)
#undef ALLFOLD_SUMS_FIELD
};

/* Adds `times` * `more` to `into`; with -1 it subtracts. */
static inline void allfold_sums_add(struct allfold_sums *into, const struct allfold_sums *more,
                                    double times)
{
#define ALLFOLD_SUMS_ADD(name) into->name += times * more->name;
    ALLFOLD_SUMS(ALLFOLD_SUMS_ADD)
#undef ALLFOLD_SUMS_ADD
}

#endif
