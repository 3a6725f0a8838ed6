/* Staging: a buffer in device memory is copied to the host before a run reads it, and back after a
 * run has written it. Each rank decides for itself, so one call may have ranks with buffers of
 * either kind: schedules and messages are the same.
 *
 * Bytes between the elements are the program's own and never written. */
#ifndef ALLFOLD_MPI_DEVICE_STAGING_H
#define ALLFOLD_MPI_DEVICE_STAGING_H

#include <mpi.h>

#include "execute/elements.h"
#include "mpi/device/drivers.h"

/* A buffer of the program's. */
struct allfold_area {
    const void *data; /* where element 0 is */
    size_t count;
    ptrdiff_t extent_bytes, low_bytes, high_bytes; /* as of allfold_elements */
    bool has_gaps;         /* ... between bytes that the program may use meanwhile, as ... */
    MPI_Datatype datatype; /* ... this says */
};

/* So many elements from one on. */
struct allfold_part_of_area {
    size_t first, count;
};

/* What the host has for a buffer. It keeps its room for the next buffer; zeroed it has no room. */
struct allfold_staged {
    struct allfold_place place; /* of the buffer; no driver: it is not staged */
    struct allfold_area area;
    struct allfold_part_of_area copied; /* what is copied to the host */
    void *host;                         /* element 0 */
    void *room;
    size_t room_bytes;
    struct allfold_place pinned_by; /* no driver: the room is the allocator's */
};

struct allfold_staging {
    struct allfold_staged in, out;
};

/* The area of so many elements of a datatype, or of elements that the executor knows. False where
 * MPI does not describe the datatype. */
bool allfold_area_of_type(struct allfold_area *area, const void *data, size_t count,
                          MPI_Datatype datatype);
void allfold_area_of_elements(struct allfold_area *area, const void *data, size_t count,
                              const struct allfold_elements *elements, bool has_gaps,
                              MPI_Datatype datatype);

/* Asks whose memory an area is. *host is the address to use for element 0 from now on. It is the
 * area's own, or, for a device's, one in the room. There allfold_stage_copy copies the given part
 * to, or a feed does (staging_pipeline.h). Both return an MPI error code, without the error
 * handler. Local.
 */
int allfold_stage(struct allfold_staged *staged, const struct allfold_area *area,
                  struct allfold_part_of_area copied, void **host);

int allfold_stage_copy(const struct allfold_staged *staged);

/* Copies a part back, where the area is staged. Returns likewise. */
int allfold_stage_back(const struct allfold_staged *staged, struct allfold_part_of_area copied);

/* For copies that others make: counts them, or makes an MPI error code of a driver's. */
void allfold_staged_note(const struct allfold_staged *staged, const struct allfold_rows *rows,
                         size_t count, bool to_device);
int allfold_staged_error(const struct allfold_staged *staged, int code, bool to_device);

/* Gives the rooms back. */
void allfold_staging_free(struct allfold_staging *staging);

/* Bytes that were staged so far in this process. */
struct allfold_staged_bytes {
    uint64_t to_host, to_device;
    uint64_t pageable; /* of both, through memory that is not pinned */
};

struct allfold_staged_bytes allfold_staged_bytes(void);

#endif
