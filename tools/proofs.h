/* The file of `allfold verify --proofs`: a line "DIGEST SWEEP" for each sweep that was proven, in
 * the order of the sweeps' words. A digest (lab/verify/proof_digest.h) that is not on file, or a
 * line that cannot be read, only means that the sweep is proven again. */
#ifndef ALLFOLD_PROOFS_H
#define ALLFOLD_PROOFS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the file has the sweep with this digest. */
bool allfold_proof_is_known(const char *path, const char *sweep, uint64_t digest);

/* Writes the sweep into the file, instead of its line with another digest. Processes may do so at
 * the same time. Returns 0, or an errno. */
int allfold_proof_record(const char *path, const char *sweep, uint64_t digest);

#endif
