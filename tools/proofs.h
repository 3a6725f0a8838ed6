/* The file of `allfold verify --proofs`: a line "DIGEST SWEEP" for each sweep that was proven,
 * sorted by the sweeps' texts. If a digest (see lab/verify/proof_digest.h) is not in the file, or a
 * line cannot be read, the sweep is proven again. */
#ifndef ALLFOLD_PROOFS_H
#define ALLFOLD_PROOFS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the file has the sweep with this digest. */
bool allfold_proof_is_known(const char *path, const char *sweep, uint64_t digest);

/* Writes the sweep to the file, and removes its line with another digest. Several processes may do
 * so at the same time. Returns 0 or an errno. */
int allfold_proof_record(const char *path, const char *sweep, uint64_t digest);

#endif
