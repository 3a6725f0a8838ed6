/* Virtual ranks: all ranks' schedules run in one process, by the real executor, without MPI.
 *
 * Messages behave as badly as a transport may. What a rank receives into is wiped when the receive
 * starts, stays so while the message is in flight, and is filled when the receive ends. That nobody
 * wrote into it meanwhile is checked then. When a send ends, its data must still be what they were
 * at its start. In the reordered mode half of what is received is delivered to the executor in
 * fragments instead, as shared memory does. What is fused then stays wiped. Half of this half is
 * offered to the executor where it lies first. */
#ifndef ALLFOLD_LAB_VERIFY_VIRTUAL_H
#define ALLFOLD_LAB_VERIFY_VIRTUAL_H

#include "execute/executor.h"
#include "allfold_core.h"

/* "in order", "reordered", "synchronous". */
const char *allfold_virtual_mode_name(enum allfold_virtual_mode mode);

struct allfold_virtual_run {
    int p;
    const struct allfold_schedule *const *schedules; /* of each rank */
    const struct allfold_elements *elements;         /* without gaps: 0 .. extent_bytes */
    const void *const *in;                           /* of each rank */
    void *const *out;
    void *const *scratch;
    enum allfold_virtual_mode mode;
    uint64_t seed;
    uint32_t window;
};

/* Memory that runs share one after the other; NULL without memory. */
struct allfold_virtual *allfold_virtual_create(void);
void allfold_virtual_free(struct allfold_virtual *world);

/* Runs to the end. ALLFOLD_NO_PROGRESS when ranks wait for each other forever. ALLFOLD_DISPROVED
 * when a message is received by nobody, has another length than its receive, or changes while it is
 * sent. The same when its target changes while it is received, or when a callback of `elements`
 * returns an error (`copy` takes what is sent). In each case `message` says what and where. */
enum allfold_error allfold_virtual_execute(struct allfold_virtual *world,
                                           const struct allfold_virtual_run *run, char *message,
                                           size_t message_bytes);

#endif
