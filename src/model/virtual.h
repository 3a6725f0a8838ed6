/* Virtual ranks: all ranks' schedules run in one process, by the real executor, without MPI.
 *
 * Messages behave as badly as a transport may: what a rank receives into is wiped when the receive
 * starts and filled when it ends; what it sends is checked not to have changed in between. */
#ifndef ALLFOLD_MODEL_VIRTUAL_H
#define ALLFOLD_MODEL_VIRTUAL_H

#include "execute/executor.h"
#include "schedule/error.h"

enum allfold_virtual_mode {
    ALLFOLD_VIRTUAL_IN_ORDER,    /* sends end at once; ranks and messages take turns */
    ALLFOLD_VIRTUAL_REORDERED,   /* all order, and which sends end at once, is random from a seed */
    ALLFOLD_VIRTUAL_SYNCHRONOUS, /* a send ends only when its message is received, and a rank's
                                    messages end in the order of the program: what goes through
                                    here never needs more than that a rank waits for its oldest */
    ALLFOLD_VIRTUAL_MODE_COUNT
};

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

/* Runs to the end. ALLFOLD_NO_PROGRESS when ranks wait for each other for ever; ALLFOLD_DISPROVED
 * when a message is received by nobody, has another length than its receive, changes while it is
 * sent, or when a callback of `elements` returns an error; then `message` says what and where. */
enum allfold_error allfold_virtual_execute(const struct allfold_virtual_run *run, char *message,
                                           size_t message_bytes);

#endif
