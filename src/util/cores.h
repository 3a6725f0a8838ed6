/* Cores: which ones a process may run on, and whether processes are more than their cores.
 *
 * A process may be bound to some cores (sched_getaffinity). Its control group may have a quota, the
 * time of a number of cores, as containers have it. */
#ifndef ALLFOLD_UTIL_CORES_H
#define ALLFOLD_UTIL_CORES_H

#include <stdbool.h>
#include <stdint.h>

enum { ALLFOLD_CORE_WORDS = 16 }; /* 1024 cores, as in a cpu_set_t */

/* Plain data, so that processes can send it to each other. */
struct allfold_cores {
    uint64_t words[ALLFOLD_CORE_WORDS]; /* bit i: core i */
    int64_t quota;                      /* whole cores' time, at least 1; INT32_MAX: no bound */
};

/* Those of this process. */
struct allfold_cores allfold_cores_of_process(void);

/* The same without its quota, which takes most of the time. */
struct allfold_cores allfold_cores_bound(void);

/* The quota that files below `root` give a process whose /proc/self/cgroup is the file `groups`:
 * the least on the way up from its group; INT32_MAX where there is none. Of version 2
 * (root/GROUP/cpu.max) and of version 1 (root/cpu/GROUP/cpu.cfs_quota_us). */
int64_t allfold_cores_quota(const char *groups, const char *root);

/* Are there processes that must share a core, if each of them works? `each` has those of all
 * processes of a machine. */
bool allfold_cores_are_shared(const struct allfold_cores *each, int processes);

/* Returns the number of cores that are online on this machine, at least 1. */
int64_t allfold_machine_cores(void);

/* Which last-level cache these cores share, by the lowest core that has it, from 1 on; 0 where they
 * are of several, or it cannot be read. `root` is /sys/devices/system/cpu, or what stands for it.
 */
int64_t allfold_cache_key(const struct allfold_cores *cores, const char *root);

/* Puts this process, number `index` of `processes` that share their cores, onto one of the cores
 * that it may run on, and then lets it go where it may. Processes that deal with the same seed come
 * onto all of them in equal numbers, by chance. Returns the core, or a negative number where it
 * stays. */
int allfold_cores_deal(uint64_t seed, int index, int processes);

/* How many cores at least one of the processes may run on. */
int allfold_cores_in_all(const struct allfold_cores *each, int processes);

#endif
