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

/* Memory, which the processor can read where it is managed. Failures are those of the case. */
void *device_allocate(size_t bytes, bool is_managed);
void device_free(void *memory);

/* Copies, which have ended when these return. */
void device_write(void *to, const void *from, size_t bytes);
void device_read(void *to, const void *from, size_t bytes);

/* A symbol of the stand-in's; NULL: the driver is another one. */
int *device_stand_in(const char *name);

#endif
