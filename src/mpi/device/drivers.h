/* Drivers of devices: whose memory is at an address, and copies from there and to there.
 *
 * Building this needs no driver, and it never loads one. It looks the functions up in a driver that
 * the program or the MPI library has loaded. It remembers no answer, because nobody says when
 * memory is freed. An address may be a device's in one call and the host's in the next one
 * (docs/decisions/2026-11-23-device-memory.md). Any thread. */
#ifndef ALLFOLD_MPI_DEVICE_DRIVERS_H
#define ALLFOLD_MPI_DEVICE_DRIVERS_H

#include "mpi/device/place.h"

/* Not written after allfold_devices_begin; ask allfold_devices_may_be. */
extern bool allfold_devices_are_asked;

/* May a buffer be a device's? Else no driver is ever asked. Costs a load. */
static inline bool allfold_devices_may_be(void)
{
    return allfold_devices_are_asked;
}

/* Finds out which drivers are to be asked: those that the MPI library knows to handle, or as
 * ALLFOLD_DEVICE has it. Once MPI is up, before the first call that may be ours. */
void allfold_devices_begin(void);

/* Where the byte at this address is. */
struct allfold_place allfold_device_find(const void *address);

/* Copies rows between a device and the host, and comes back when they are there. 0, or the driver's
 * error code, which allfold_device_message turns into a text. */
int allfold_device_copy(const struct allfold_place *place, void *to, const void *from,
                        bool to_device, const struct allfold_rows *rows, size_t count);

/* A stream goes beside others: copies in it wait for each other alone. NULL: the thread's own, and
 * what is made where a driver has no others. */
void *allfold_device_make_stream(const struct allfold_place *place);
void allfold_device_free_stream(const struct allfold_place *place, void *stream);

/* The same in the background: begins copies, and notes where an event comes behind all copies that
 * this thread has begun in a stream. Any thread may ask for the event, or wait for it. No event is
 * made (NULL) where a driver has none. */
int allfold_device_begin(const struct allfold_place *place, void *stream, void *to,
                         const void *from, bool to_device, const struct allfold_rows *rows,
                         size_t count);
int allfold_device_finish(const struct allfold_place *place, void *stream);
void *allfold_device_make_event(const struct allfold_place *place);
void allfold_device_free_event(const struct allfold_place *place, void *event);
int allfold_device_record(const struct allfold_place *place, void *stream, void *event);
int allfold_device_ask(const struct allfold_place *place, void *event, bool waits);

/* A driver's error code as a text. */
void allfold_device_message(const struct allfold_place *place, int code, bool to_device,
                            char *message, size_t message_bytes);

/* Memory that the driver copies from and to quickly; NULL where there is none. Freed by the same
 * driver. */
void *allfold_device_allocate_pinned(const struct allfold_place *place, size_t bytes);

/* Is memory still what it was allocated as? A program that resets its device takes it away. */
bool allfold_device_is_pinned(const struct allfold_place *place, const void *memory);
void allfold_device_free_pinned(const struct allfold_place *place, void *memory);

#endif
