/* Drivers of GPUs: finds out whether an address is in device memory, and copies between a device
 * and the host.
 *
 * The build needs no driver, and Allfold never loads one. It looks up the functions of a driver
 * that the program or the MPI library has loaded. It caches no result, because no driver reports
 * when memory is freed: an address may be in device memory in one call and in host memory in the
 * next (docs/decisions/2026-11-23-device-memory.md). All functions are thread-safe. */
#ifndef ALLFOLD_MPI_DEVICE_DRIVERS_H
#define ALLFOLD_MPI_DEVICE_DRIVERS_H

#include "mpi/device/place.h"

/* Use allfold_devices_may_be to read this. It never changes after allfold_devices_begin. */
extern bool allfold_devices_are_asked;

/* Returns whether a buffer may be in device memory. If not, no driver is ever queried. Costs a
 * load. */
static inline bool allfold_devices_may_be(void)
{
    return allfold_devices_are_asked;
}

/* Finds out which drivers are queried: those whose memory the MPI library handles, or as
 * ALLFOLD_DEVICE says. Must be called once MPI is initialized, before the first call that Allfold
 * may handle. */
void allfold_devices_begin(void);

/* Returns whether the byte at `address` is in device memory, and in which. */
struct allfold_place allfold_device_find(const void *address);

/* Copies rows between a device and the host, and returns when they are complete. Returns 0 or the
 * driver's error code; allfold_device_message describes it. */
int allfold_device_copy(const struct allfold_place *place, void *to, const void *from,
                        bool to_device, const struct allfold_rows *rows, size_t count);

/* Make and free a stream. Copies in a stream wait only for earlier copies in the same stream. NULL
 * stands for the thread's own stream, and is returned if a driver has no other streams. */
void *allfold_device_make_stream(const struct allfold_place *place);
void allfold_device_free_stream(const struct allfold_place *place, void *stream);

/* Copy in the background. allfold_device_begin begins copies; allfold_device_finish waits for all
 * copies that this thread has begun in a stream. allfold_device_record places an event after these
 * copies; any thread may test the event or wait for it (allfold_device_ask).
 * allfold_device_make_event returns NULL if the driver has no events. */
int allfold_device_begin(const struct allfold_place *place, void *stream, void *to,
                         const void *from, bool to_device, const struct allfold_rows *rows,
                         size_t count);
int allfold_device_finish(const struct allfold_place *place, void *stream);
void *allfold_device_make_event(const struct allfold_place *place);
void allfold_device_free_event(const struct allfold_place *place, void *event);
int allfold_device_record(const struct allfold_place *place, void *stream, void *event);
int allfold_device_ask(const struct allfold_place *place, void *event, bool waits);

/* Describes a driver's error code in `message`. */
void allfold_device_message(const struct allfold_place *place, int code, bool to_device,
                            char *message, size_t message_bytes);

/* Allocates host memory that the driver copies from and to quickly; returns NULL if there is none.
 * allfold_device_free_pinned frees it by the same driver. */
void *allfold_device_allocate_pinned(const struct allfold_place *place, size_t bytes);

/* Returns whether memory of allfold_device_allocate_pinned is still valid. A program that resets
 * its device frees it. */
bool allfold_device_is_pinned(const struct allfold_place *place, const void *memory);
void allfold_device_free_pinned(const struct allfold_place *place, void *memory);

#endif
