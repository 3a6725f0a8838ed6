/* The verifier: proves that the schedules of all ranks compute what their collective means.
 *
 * It runs them on virtual ranks with symbolic values, through the real executor. Of each element it
 * shows:
 * - Every contribution is there once.
 * - Contributions are in rank order, where the algorithm is ordered.
 * - They are bracketed alike on all ranks, where the algorithm is consistent.
 * - They are bracketed by the canonical tree, where the case asks for that tree.
 *
 * Of the run it shows:
 * - Nothing is read that was not written or that a message in flight may change.
 * - Nothing outside the buffers is touched, and the input stays as it was.
 * - The claims hold.
 * - The edges alone order what touches the same data (step_order.h), so other runs give the same.
 */
#ifndef ALLFOLD_LAB_VERIFY_VERIFIER_H
#define ALLFOLD_LAB_VERIFY_VERIFIER_H

#include "lab/verify/diagnosis.h"
#include "lab/verify/case.h"

/* Runs such schedules and checks the results. */
enum allfold_error allfold_verify_results(struct allfold_verifier *verifier,
                                          const struct allfold_case *of,
                                          struct allfold_schedule *const *schedules, char *message,
                                          size_t message_bytes);

/* Walks them and checks the claims. */
enum allfold_error allfold_verify_claims(const struct allfold_case *of,
                                         struct allfold_schedule *const *schedules, char *message,
                                         size_t message_bytes);

/* Checks the order of the steps of every stride-th rank, from rank `first` on. */
enum allfold_error allfold_verify_order(const struct allfold_case *of,
                                        struct allfold_schedule *const *schedules, int first,
                                        int stride, char *message, size_t message_bytes);

#endif
