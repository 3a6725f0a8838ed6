/* Staging of buffers in device memory: copies a buffer to the host before a run reads it, and back
 * after a run has written it. Each rank decides for itself, because schedules and messages are the
 * same: one call may have ranks with buffers in device memory and ranks with buffers in host
 * memory.
 *
 * Bytes between the elements belong to the program and are never written. */
#ifndef ALLFOLD_MPI_DEVICE_STAGING_H
#define ALLFOLD_MPI_DEVICE_STAGING_H

#include <mpi.h>

#include "execute/elements.h"
#include "mpi/device/drivers.h"

/* A buffer of the program. */
struct allfold_area {
    const void *data; /* address of element 0 */
    size_t count;
    ptrdiff_t extent_bytes, low_bytes, high_bytes; /* as in struct allfold_elements */
    bool has_gaps;         /* there are gaps between the elements' bytes, as `datatype` describes */
    MPI_Datatype datatype; /* used if `has_gaps` */
};

/* `count` elements of a buffer, from element `first` on. */
struct allfold_part_of_area {
    size_t first, count;
};

/* The host copy of a buffer. Its memory is kept for the next buffer. It must be zeroed at first. */
struct allfold_staged {
    struct allfold_place place; /* of the buffer; without a driver it is not staged */
    struct allfold_area area;
    struct allfold_part_of_area copied; /* the elements that are copied to the host */
    void *host;                         /* address of element 0 on the host */
    void *room;
    size_t room_bytes;
    struct allfold_place pinned_by; /* without a driver, `room` is of the allocator */
};

struct allfold_staging {
    struct allfold_staged in, out;
};

/* Describe the area of `count` elements of a datatype, or of elements that the executor knows.
 * allfold_area_of_type returns false if MPI cannot describe the datatype. */
bool allfold_area_of_type(struct allfold_area *area, const void *data, size_t count,
                          MPI_Datatype datatype);
void allfold_area_of_elements(struct allfold_area *area, const void *data, size_t count,
                              const struct allfold_elements *elements, bool has_gaps,
                              MPI_Datatype datatype);

/* Stage an area. allfold_stage finds out where its memory is, and sets *host to the address of
 * element 0 to use from now on: the area's own address, or, for device memory, one in the host
 * copy. The part `copied` is then copied there by allfold_stage_copy, or in segments by a feed
 * (staging_pipeline.h). Both return an MPI error code, without the error handler. Local. */
int allfold_stage(struct allfold_staged *staged, const struct allfold_area *area,
                  struct allfold_part_of_area copied, void **host);

int allfold_stage_copy(const struct allfold_staged *staged);

/* Copies a part back to the device, if the area is staged. Returns an MPI error code, without the
 * error handler. Local. */
int allfold_stage_back(const struct allfold_staged *staged, struct allfold_part_of_area copied);

/* For copies that another file makes: allfold_staged_note counts them, and allfold_staged_error
 * converts a driver's error code to an MPI error code. */
void allfold_staged_note(const struct allfold_staged *staged, const struct allfold_rows *rows,
                         size_t count, bool to_device);
int allfold_staged_error(const struct allfold_staged *staged, int code, bool to_device);

/* Frees the host copies. */
void allfold_staging_free(struct allfold_staging *staging);

/* Bytes that this process has staged so far. */
struct allfold_staged_bytes {
    uint64_t to_host, to_device;
    uint64_t pageable; /* part of both sums that used memory that is not pinned */
};

struct allfold_staged_bytes allfold_staged_bytes(void);

#endif
