/* Digests of what a sweep proves: 64 bits over each case, its claim and the schedules of all ranks.
 * Everything that decides the outcome of a proof is in the digest, except the code of the verifier
 * itself, for which allfold_verifier_version stands. Two equal digests of the same version
 * therefore have the same outcome, but for an accident with a probability of 2^-64. */
#ifndef ALLFOLD_LAB_VERIFY_PROOF_DIGEST_H
#define ALLFOLD_LAB_VERIFY_PROOF_DIGEST_H

#include "lab/verify/case.h"

/* Adds a value to a digest, in which the order counts. */
void allfold_digest_add(uint64_t *digest, uint64_t value);

/* Adds a case whose schedules are built. */
void allfold_digest_case(uint64_t *digest, const struct allfold_case *of,
                         struct allfold_schedule *const *schedules);

/* The hash of the sources that a proof runs: of the verifier, the walk, the executor, and of what
 * each collective has to compute. CMake generates it from these files. */
extern const uint64_t allfold_verifier_version;

#endif
