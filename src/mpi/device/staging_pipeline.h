/* The staging pipeline: copies staged buffers in segments, so that the copies overlap with the run
 * (execute/buffer_progress.h). Segments of the input are copied in the background, in the order in
 * which the schedule needs them. Segments of the result are copied back as soon as they are final.
 *
 * Each rank decides for itself whether to use it, by the bytes of its own staged buffers and
 * ALLFOLD_DEVICE=segment. */
#ifndef ALLFOLD_MPI_DEVICE_STAGING_PIPELINE_H
#define ALLFOLD_MPI_DEVICE_STAGING_PIPELINE_H

#include "execute/buffer_progress.h"
#include "mpi/device/staging.h"

/* Maximum number of segments, because each needs an event. A longer buffer has longer segments. */
enum { ALLFOLD_MOST_SEGMENTS = 64 };

/* One direction: to the host or back. Its events are kept for the next run. */
struct allfold_feeding_way {
    const struct allfold_staged *staged; /* NULL: nothing is copied in this direction */
    char *host;                          /* element 0 of the run's buffer */
    const struct allfold_fed *fed;
    void *events[ALLFOLD_MOST_SEGMENTS];
    bool has_come[ALLFOLD_MOST_SEGMENTS]; /* the segment is complete, whatever its event says */
    void *stream; /* of copies back, so that they do not wait for copies to the host; NULL: none */
    bool is_back;
    struct allfold_place made_by; /* made stream and events; without a driver there are none */
    int event_count;
    uint32_t begun; /* number of segments whose copy was begun, in the order of the pipeline */
};

struct allfold_feeding {
    struct allfold_feed feed; /* first, because its callbacks get its address */
    struct allfold_feeding_way in, out;
    const struct allfold_elements *elements;
    uint32_t arrived; /* number of segments */
    int error;        /* of a copy back */
    void *words;
    size_t words_bytes;
    bool is_on; /* between allfold_feeding_begin and allfold_feeding_end */
};

/* The part of a staged buffer that a run uses: elements [first, end) of the run's buffer number
 * `buffer`, whose element 0 is at `host`. */
struct allfold_feeding_part {
    const struct allfold_staged *staged; /* NULL: nothing is staged */
    void *host;
    int buffer;
    size_t first, end;
};

/* Begins to copy the input, and returns a feed for the next run of the schedule. Returns NULL if
 * the pipeline would not be faster or cannot be used; then nothing was begun. *feeding must be NULL
 * before the first call. */
struct allfold_feed *allfold_feeding_begin(struct allfold_feeding **feeding,
                                           const struct allfold_schedule *schedule,
                                           const struct allfold_elements *elements,
                                           struct allfold_feeding_part in,
                                           struct allfold_feeding_part out);

/* Ends the pipeline after the run: waits for all copies, and with `has_result` copies back the
 * segments that are not copied yet. Returns an MPI error code. */
int allfold_feeding_end(struct allfold_feeding *feeding, bool has_result);

/* Ends the pipeline if it is in use, frees it, and sets *feeding to NULL. */
void allfold_feeding_free(struct allfold_feeding **feeding);

#endif
