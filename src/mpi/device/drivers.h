/* Drivers of GPUs: finds out whether an address is in device memory, and copies between a device
 * and the host.
 *
 * The build needs no driver, and Allfold never loads one. It looks up the functions of a driver
 * that the program or the MPI library has loaded. Whether an address is in device memory is never
 * cached, because no driver reports when memory is freed: the address may be in host memory in the
 * next call (docs/decisions/2026-11-23-device-memory.md).
 *
 * Functions that return int return 0, or the driver's error code, which allfold_device_message
 * describes. All functions are thread-safe. */
#ifndef ALLFOLD_MPI_DEVICE_DRIVERS_H
#define ALLFOLD_MPI_DEVICE_DRIVERS_H

#include "mpi/device/place.h"

/* Whether any driver is queried. Never changes after allfold_devices_begin. For
 * allfold_devices_may_be only. */
extern bool allfold_devices_are_asked;

/* Returns whether a buffer may be in device memory. If this returns false, no driver is ever
 * queried. Takes one load from memory. */
static inline bool allfold_devices_may_be(void)
{
    return allfold_devices_are_asked;
}

/* Decides which drivers are queried. By default these are the drivers whose memory the MPI library
 * handles; ALLFOLD_DEVICE can select all or none. Must be called once MPI is initialized, before
 * the first call that Allfold may handle. */
void allfold_devices_begin(void);

/* Returns whether the byte at `address` is in device memory, and in which. */
struct allfold_place allfold_device_find(const void *address);

/* Copies rows between a device and the host, and waits until the copies are complete. */
int allfold_device_copy(const struct allfold_place *place, void *to, const void *from,
                        bool to_device, const struct allfold_rows *rows, size_t count);

/* Makes a stream. Copies in a stream wait only for earlier copies in the same stream. Returns NULL,
 * which stands for the calling thread's own stream, if the driver has no other streams or fails. */
void *allfold_device_make_stream(const struct allfold_place *place);

/* Frees a stream of allfold_device_make_stream. */
void allfold_device_free_stream(const struct allfold_place *place, void *stream);

/* Begins to copy rows between a device and the host in `stream`. The memory must stay valid until
 * the copies are complete. */
int allfold_device_begin(const struct allfold_place *place, void *stream, void *to,
                         const void *from, bool to_device, const struct allfold_rows *rows,
                         size_t count);

/* Waits for all copies that this thread has begun in `stream`. */
int allfold_device_finish(const struct allfold_place *place, void *stream);

/* Makes an event. Returns NULL if the driver has no events, or fails. */
void *allfold_device_make_event(const struct allfold_place *place);

/* Frees an event. */
void allfold_device_free_event(const struct allfold_place *place, void *event);

/* Makes `event` stand for the completion of all copies that this thread has begun in `stream`. */
int allfold_device_record(const struct allfold_place *place, void *stream, void *event);

/* Tests whether the copies of `event` are complete; if `waits`, waits until they are. Any thread
 * may call it. Returns 0 if they are complete, ALLFOLD_DEVICE_NOT_YET if they are not, or an error
 * code. */
int allfold_device_ask(const struct allfold_place *place, void *event, bool waits);

/* Writes the description of a driver's error code to `message`. */
void allfold_device_message(const struct allfold_place *place, int code, bool to_device,
                            char *message, size_t message_bytes);

/* Allocates host memory from and to which the driver copies fast (pinned memory). Returns NULL if
 * out of memory. The caller frees it with allfold_device_free_pinned. */
void *allfold_device_allocate_pinned(const struct allfold_place *place, size_t bytes);

/* Returns whether memory of allfold_device_allocate_pinned is still valid. It no longer is after
 * the program resets the device. */
bool allfold_device_is_pinned(const struct allfold_place *place, const void *memory);

/* Frees memory of allfold_device_allocate_pinned. */
void allfold_device_free_pinned(const struct allfold_place *place, void *memory);

#endif
