/* Virtual ranks: run the schedules of all ranks in one process, through the real executor, without
 * MPI.
 *
 * Messages show the worst behavior that a transport may have. The target of a receive is
 * overwritten when the receive starts, and filled only when the receive ends; nothing may have
 * written to it in between. When a send ends, its data must be the same as at its start.
 *
 * In the reordered mode, half of the received messages are delivered to the executor in fragments,
 * as shared memory does. The target of a fused receive is then never filled. Half of these messages
 * are first offered to the executor for reading in place. */
#ifndef ALLFOLD_LAB_VERIFY_VIRTUAL_H
#define ALLFOLD_LAB_VERIFY_VIRTUAL_H

#include "execute/executor.h"
#include "allfold_core.h"

/* Returns the name of a mode: "in order", "reordered" or "synchronous". */
const char *allfold_virtual_mode_name(enum allfold_virtual_mode mode);

/* A run. `schedules`, `in`, `out` and `scratch` have one entry for each rank. */
struct allfold_virtual_run {
    int p;
    const struct allfold_schedule *const *schedules;
    const struct allfold_elements *elements; /* without gaps: bytes [0, extent_bytes) */
    const void *const *in;
    void *const *out;
    void *const *scratch;
    enum allfold_virtual_mode mode;
    uint64_t seed;
    uint32_t window;
};

/* Creates memory that consecutive runs reuse, or returns NULL if out of memory. Free it with
 * allfold_virtual_free. */
struct allfold_virtual *allfold_virtual_create(void);
void allfold_virtual_free(struct allfold_virtual *world);

/* Runs the schedules to their end. Returns ALLFOLD_OK, ALLFOLD_NO_MEMORY, ALLFOLD_NO_PROGRESS or
 * ALLFOLD_DISPROVED; after an error `message` says what happened and where.
 *
 * ALLFOLD_NO_PROGRESS means a deadlock. ALLFOLD_DISPROVED means one of these errors:
 *
 * - A message is never received, or its receive has a different length.
 * - The data of a message changes while it is sent, or its target while it is received.
 * - A callback of `elements` returns an error. `copy` is called for the data of each send. */
enum allfold_error allfold_virtual_execute(struct allfold_virtual *world,
                                           const struct allfold_virtual_run *run, char *message,
                                           size_t message_bytes);

#endif
