/* The verifier: proves that the schedules of all ranks compute the result of their collective.
 *
 * It runs the schedules on virtual ranks (virtual.h) with symbolic values (values.h), through the
 * real executor. For each element of each result it proves:
 *
 * - Every contribution occurs exactly once.
 * - Contributions are in rank order, if the algorithm is ordered.
 * - The order of summation is the same on all ranks, if the algorithm is consistent.
 * - The order of summation is the canonical one, if the case is canonical.
 *
 * For the run it proves:
 *
 * - No step reads data that was not written, or that a message in flight may change.
 * - No step accesses memory outside the buffers, and the input is not changed.
 * - The algorithm's claims are true.
 * - Steps that access the same data are ordered by edges (data_races.h), so that every other run
 * has the same result. */
#ifndef ALLFOLD_LAB_VERIFY_VERIFIER_H
#define ALLFOLD_LAB_VERIFY_VERIFIER_H

#include "lab/verify/diagnosis.h"
#include "lab/verify/case.h"

/* Runs the schedules of a case and checks the results. Returns ALLFOLD_OK or an error with a
 * message, as the functions below do. */
enum allfold_error allfold_verify_results(struct allfold_verifier *verifier,
                                          const struct allfold_case *of,
                                          struct allfold_schedule *const *schedules, char *message,
                                          size_t message_bytes);

/* Walks the schedules of a case (cost/walk.h) and checks the claims. */
enum allfold_error allfold_verify_claims(const struct allfold_case *of,
                                         struct allfold_schedule *const *schedules, char *message,
                                         size_t message_bytes);

/* Checks the order of the steps (data_races.h) of ranks first, first + stride, first + 2 stride,
 * ... */
enum allfold_error allfold_verify_order(const struct allfold_case *of,
                                        struct allfold_schedule *const *schedules, int first,
                                        int stride, char *message, size_t message_bytes);

#endif
