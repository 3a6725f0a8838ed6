/* Sums over calls: what the report, its rows and ranks, and the pages of `allfold top` have alike.
 */
#ifndef ALLFOLD_EVENTS_SUMS_H
#define ALLFOLD_EVENTS_SUMS_H

/* calls, and of how many of these it is known how long they waited (`split`); in how many of the
 * latter this rank came last. Bytes of their vectors. `seconds` in the library; of the split ones,
 * waiting for late ranks and moving data (split.h). Of calls that do not block, from start to end
 * (`flight_s`), and of that the program waited `awaited_s`.
 *
 * Where this rank came last, it was `behind_s` behind the mean of the others. Chance would put it
 * `chance_s` behind; `squares` are of the parts of behind_s (util/above_chance.h).
 *
 * Those with `start_` are of calls that do not block of which it is known who started last: the
 * time in flight, the part of it before the last start, and what the program waited of that part.
 *
 * op_calls are of an operation of the program's own, with op_bytes in all. */
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
    X(start_calls)                                                                                 \
    X(start_last)                                                                                  \
    X(start_flight_s)                                                                              \
    X(start_before_s)                                                                              \
    X(start_awaited_s)                                                                             \
    X(start_behind_s)                                                                              \
    X(start_chance_s)                                                                              \
    X(start_squares)                                                                               \
    X(op_calls)                                                                                    \
    X(op_bytes)

/* Counts are exact up to 2^53. */
struct allfold_sums {
#define ALLFOLD_SUMS_FIELD(name) double name;
    ALLFOLD_SUMS(ALLFOLD_SUMS_FIELD)
#undef ALLFOLD_SUMS_FIELD
};

/* Adds `more` so many times: -1 subtracts. */
static inline void allfold_sums_add(struct allfold_sums *into, const struct allfold_sums *more,
                                    double times)
{
#define ALLFOLD_SUMS_ADD(name) into->name += times * more->name;
    ALLFOLD_SUMS(ALLFOLD_SUMS_ADD)
#undef ALLFOLD_SUMS_ADD
}

#endif
