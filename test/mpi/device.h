/*
 * device.h: memory of a device, for tests: through whichever driver is loaded, a real one or the
 * stand-in (stand_in.h).
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/* Is there a driver with a device? Then this thread uses it until device_leave, as what follows
 * needs; so the library must not rely on what the calling thread uses. */
bool device_use(void);
void device_leave(void);

/* What a driver allocates. The processor can read managed memory and pinned memory of the host. No
 * context belongs to memory of a pool. */
enum device_kind { DEVICE_OWN, DEVICE_POOL, DEVICE_MANAGED, DEVICE_PINNED };

/* Failures are those of the case. */
void *device_allocate(size_t bytes, enum device_kind kind);
void device_free(void *memory, enum device_kind kind);

/* Copies, which have ended when these return. */
void device_write(void *to, const void *from, size_t bytes);
void device_read(void *to, const void *from, size_t bytes);

/* A symbol of the stand-in's; NULL: the driver is another one. */
int *device_stand_in(const char *name);

#endif
