/* Proof digests: a 64-bit hash of everything that a sweep proves, which is each case, its claim and
 * the schedules of all ranks.
 *
 * The digest covers everything that determines the outcome of a proof except the code of the
 * verifier, which allfold_verifier_version identifies. Sweeps with equal digests and equal versions
 * have the same outcome, except for hash collisions with a probability of 2^-64. */
#ifndef ALLFOLD_LAB_VERIFY_PROOF_DIGEST_H
#define ALLFOLD_LAB_VERIFY_PROOF_DIGEST_H

#include "lab/verify/case.h"

/* Adds a value to a digest, which depends on the order of the values. */
void allfold_digest_add(uint64_t *digest, uint64_t value);

/* Adds a case whose schedules are built. */
void allfold_digest_case(uint64_t *digest, const struct allfold_case *of,
                         struct allfold_schedule *const *schedules);

/* The hash of the source code that a proof runs: the verifier, the walk, the executor, and the
 * definition of each collective. cmake/verifier_version.cmake generates it. */
extern const uint64_t allfold_verifier_version;

#endif
