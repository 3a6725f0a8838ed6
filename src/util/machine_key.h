/* Keys of the running kernel and of its monotonic clock: processes compare them to find out whether
 * they run on one machine and read one clock.
 *
 * Both keys are hashes of 63 bits of what Linux shows in /proc. */
#ifndef ALLFOLD_UTIL_MACHINE_KEY_H
#define ALLFOLD_UTIL_MACHINE_KEY_H

#include <stdint.h>

/* Returns a hash of the boot ID: the same in all processes of one running kernel, containers
 * included, and different on other kernels. 0 if the boot ID cannot be read. Thread-safe. */
int64_t allfold_machine_key(void);

/* Returns a hash of the boot ID and the time namespace (time_namespaces(7)): the same in all
 * processes that read the same monotonic clock. 0 if one of them cannot be read. Thread-safe. */
int64_t allfold_clock_key(void);

#endif
