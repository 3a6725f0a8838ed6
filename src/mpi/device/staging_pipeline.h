/* Feeding: the copies of staged buffers go in segments, and overlap with the run
 * (execute/buffer_progress.h). Segments of the input are copied in the background in the order in
 * which the schedule needs them. Segments of the result are copied back as soon as they have their
 * last value.
 *
 * Each rank decides for itself, by the bytes of its own staged buffers and ALLFOLD_DEVICE=segment.
 */
#ifndef ALLFOLD_MPI_DEVICE_STAGING_PIPELINE_H
#define ALLFOLD_MPI_DEVICE_STAGING_PIPELINE_H

#include "execute/buffer_progress.h"
#include "mpi/device/staging.h"

/* More would need more events. A longer buffer has longer segments. */
enum { ALLFOLD_MOST_SEGMENTS = 64 };

/* One way: to the host or back. Its events stay for the next run. */
struct allfold_feeding_way {
    const struct allfold_staged *staged; /* NULL: nothing goes this way */
    char *host;                          /* element 0 of the run's buffer */
    const struct allfold_fed *fed;
    void *events[ALLFOLD_MOST_SEGMENTS];
    bool has_come[ALLFOLD_MOST_SEGMENTS]; /* without its event */
    void *stream; /* of copies back, which do not wait behind those to the host; NULL: none */
    bool is_back;
    struct allfold_place made_by; /* stream and events; no driver: there are none */
    int event_count;
    uint32_t begun; /* segments; in the order of arriving, or of leaving */
};

struct allfold_feeding {
    struct allfold_feed feed; /* first */
    struct allfold_feeding_way in, out;
    const struct allfold_elements *elements;
    uint32_t arrived; /* segments */
    int error;        /* of a copy back */
    void *words;
    size_t words_bytes;
    bool is_on; /* between begin and end */
};

/* What a run has of a staged buffer: elements first .. end - 1 of one of its buffers, whose element
 * 0 is at `host`. */
struct allfold_feeding_part {
    const struct allfold_staged *staged; /* NULL: nothing */
    void *host;
    int buffer;
    size_t first, end;
};

/* Begins to copy the input, and makes a feed for the next run of the schedule; NULL where that does
 * not pay or cannot be: then nothing has begun. *feeding is NULL before the first one. */
struct allfold_feed *allfold_feeding_begin(struct allfold_feeding **feeding,
                                           const struct allfold_schedule *schedule,
                                           const struct allfold_elements *elements,
                                           struct allfold_feeding_part in,
                                           struct allfold_feeding_part out);

/* The run is over. Waits for all copies, and with `has_result` copies back what has not left yet.
 * Returns an MPI error code. */
int allfold_feeding_end(struct allfold_feeding *feeding, bool has_result);

/* Ends it where it is on, frees it, and makes it NULL. */
void allfold_feeding_free(struct allfold_feeding **feeding);

#endif
