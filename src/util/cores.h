/* The cores that a process may run on (CPU affinity and cgroup quota), and whether the processes of
 * a machine have to share cores. */
#ifndef ALLFOLD_UTIL_CORES_H
#define ALLFOLD_UTIL_CORES_H

#include <stdbool.h>
#include <stdint.h>

enum { ALLFOLD_CORE_WORDS = 16 }; /* 1024 cores, as in a cpu_set_t */

/* The cores and the CPU quota of a process. Plain data, so that processes can send it to each
 * other. */
struct allfold_cores {
    uint64_t words[ALLFOLD_CORE_WORDS]; /* bit i: core i */
    int64_t quota; /* CPU time per time, in whole cores, at least 1; INT32_MAX: no limit */
};

/* Returns the cores and the quota of this process. */
struct allfold_cores allfold_cores_of_process(void);

/* Returns the cores of this process without its quota. Reading the quota takes most of the time. */
struct allfold_cores allfold_cores_bound(void);

/* Returns the CPU quota, in whole cores, of a process whose /proc/self/cgroup is the file `groups`:
 * the minimum over its group and the groups above it. INT32_MAX if there is no limit. `root` is
 * /sys/fs/cgroup, or a directory that replaces it in a test. Reads cgroups of version 2
 * (root/GROUP/cpu.max) and version 1 (root/cpu/GROUP/cpu.cfs_quota_us). */
int64_t allfold_cores_quota(const char *groups, const char *root);

/* Returns whether some of the processes must share a core if all of them compute. `each` holds the
 * cores of all processes of one machine. */
bool allfold_cores_are_shared(const struct allfold_cores *each, int processes);

/* Returns the number of cores of this machine that are online, at least 1. */
int64_t allfold_machine_cores(void);

/* Returns a key of the last-level cache that all of these cores share: 1 + the lowest core below
 * that cache. 0 if they do not share one, or if it cannot be read. `root` is
 * /sys/devices/system/cpu, or a directory that replaces it in a test. */
int64_t allfold_cache_key(const struct allfold_cores *cores, const char *root);

/* Migrates this process, number `index` of `processes` processes that share their cores, to one of
 * its allowed cores, and then restores its affinity. Processes that use the same seed are spread
 * over these cores pseudorandomly and in equal numbers. Returns the core, or a negative number if
 * the process was not migrated. */
int allfold_cores_deal(uint64_t seed, int index, int processes);

/* Returns the number of cores that at least one of the processes may run on. */
int allfold_cores_in_all(const struct allfold_cores *each, int processes);

#endif
