/* CPU affinity, cgroup quotas and shared caches, read from Linux (see cores.h). */
#include "util/cores.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/hash.h"
#include "util/number.h"

enum { PATH_BYTES = 512, NO_QUOTA = INT32_MAX };

/* --- quotas --- */

/* Reads the first line of a file; false if there is none. */
static bool read_line(const char *path, char *line, size_t bytes)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool is_read = fgets(line, (int)bytes, file) != NULL;
    fclose(file);
    return is_read;
}

/* Whole cores, rounded up: half a core is one that is there half of the time. */
static int64_t cores_of(long quota_us, long period_us)
{
    const long cores = quota_us / period_us + (quota_us % period_us != 0);
    return cores < NO_QUOTA ? cores : NO_QUOTA;
}

/* Version 2: one file with "QUOTA PERIOD" or "max PERIOD". */
static int64_t quota_of(const char *directory)
{
    char path[PATH_BYTES + 32], line[64];
    const char *end;
    long quota_us, period_us;
    snprintf(path, sizeof path, "%s/cpu.max", directory);
    const bool is_bound = read_line(path, line, sizeof line) &&
                          allfold_whole_read(line, 1, LONG_MAX, &quota_us, &end) && *end == ' ' &&
                          allfold_whole_read(end + 1, 1, LONG_MAX, &period_us, &end);
    return is_bound ? cores_of(quota_us, period_us) : NO_QUOTA;
}

/* The number that a file of a directory begins with, if there is one. */
static bool read_number(const char *directory, const char *name, long *number)
{
    char path[PATH_BYTES + 32], line[64];
    const char *end;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return read_line(path, line, sizeof line) &&
           allfold_whole_read(line, 1, LONG_MAX, number, &end);
}

/* Version 1: a file each; a quota of -1 is none. */
static int64_t old_quota_of(const char *directory)
{
    long quota_us, period_us;
    const bool is_bound = read_number(directory, "cpu.cfs_quota_us", &quota_us) &&
                          read_number(directory, "cpu.cfs_period_us", &period_us);
    return is_bound ? cores_of(quota_us, period_us) : NO_QUOTA;
}

/* The least quota of a group and those above it, up to `top`. A container may see its own group as
 * the topmost one, so that one counts too. */
static int64_t least_upwards(const char *top, const char *group, int64_t (*quota)(const char *))
{
    char directory[PATH_BYTES];
    const int length = snprintf(directory, sizeof directory, "%s%s", top, group);
    if (length < 0 || length >= PATH_BYTES)
        return NO_QUOTA;
    int64_t least = NO_QUOTA;
    for (;;) {
        const int64_t here = quota(directory);
        least = here < least ? here : least;
        if (strlen(directory) <= strlen(top))
            return least;
        *strrchr(directory, '/') = '\0';
    }
}

/* Is "cpu" among the controllers, which commas part? */
static bool has_cpu(char *controllers)
{
    char *rest = controllers;
    for (char *name; (name = strsep(&rest, ",")) != NULL;)
        if (strcmp(name, "cpu") == 0)
            return true;
    return false;
}

/* Of a line like "0::/user" (version 2) or "4:cpu,cpuacct:/user". */
static int64_t quota_of_line(char *line, const char *root)
{
    char *rest = line, top[PATH_BYTES];
    const char *number = strsep(&rest, ":");
    char *controllers = rest == NULL ? NULL : strsep(&rest, ":");
    if (controllers == NULL || rest == NULL || *rest != '/')
        return NO_QUOTA;
    rest[strcspn(rest, "\n")] = '\0';
    if (strcmp(number, "0") == 0 && *controllers == '\0')
        return least_upwards(root, rest, quota_of);
    if (!has_cpu(controllers))
        return NO_QUOTA;
    snprintf(top, sizeof top, "%s/cpu",
             root); /* a link if several controllers are mounted together */
    return least_upwards(top, rest, old_quota_of);
}

int64_t allfold_cores_quota(const char *groups, const char *root)
{
    int64_t least = NO_QUOTA;
    char line[PATH_BYTES];
    FILE *file = fopen(groups, "re");
    if (file == NULL)
        return NO_QUOTA;
    while (fgets(line, sizeof line, file) != NULL) {
        const int64_t here = quota_of_line(line, root);
        least = here < least ? here : least;
    }
    fclose(file);
    return least;
}

int64_t allfold_machine_cores(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online;
}

/* --- dealing --- */

static uint64_t number_of(uint64_t seed, int index)
{
    const uint64_t both[] = {seed, (uint64_t)index};
    return allfold_hash(allfold_hash_of_nothing, both, sizeof both);
}

/* How many processes have a lower number: all places are different. */
static int place_of(uint64_t seed, int index, int processes)
{
    const uint64_t own = number_of(seed, index);
    int place = 0;
    for (int i = 0; i < processes; i++) {
        const uint64_t other = number_of(seed, i);
        place += other < own || (other == own && i < index);
    }
    return place;
}

int allfold_cores_deal(uint64_t seed, int index, int processes)
{
    cpu_set_t may, one;
    size_t core = 0;
    if (sched_getaffinity(0, sizeof may, &may) != 0)
        return -1;
    for (int n = place_of(seed, index, processes) % CPU_COUNT(&may);
         n > 0 || !CPU_ISSET(core, &may); core++)
        n -= CPU_ISSET(core, &may) != 0;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0 || sched_setaffinity(0, sizeof may, &may) != 0)
        return -1;
    return (int)core;
}

/* --- sets --- */

struct allfold_cores allfold_cores_bound(void)
{
    struct allfold_cores mine = {.quota = NO_QUOTA};
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (size_t i = 0; i < CPU_SETSIZE && i < ALLFOLD_CORE_WORDS * 64; i++)
            if (CPU_ISSET(i, &set))
                mine.words[i / 64] |= UINT64_C(1) << i % 64;
        return mine;
    }
    const int64_t online = allfold_machine_cores(); /* more cores than a set has room for */
    for (int64_t i = 0; i < online && i < ALLFOLD_CORE_WORDS * 64; i++)
        mine.words[i / 64] |= UINT64_C(1) << i % 64;
    return mine;
}

struct allfold_cores allfold_cores_of_process(void)
{
    struct allfold_cores mine = allfold_cores_bound();
    mine.quota = allfold_cores_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return mine;
}

static int count(const struct allfold_cores *cores)
{
    int found = 0;
    for (int i = 0; i < ALLFOLD_CORE_WORDS; i++)
        found += __builtin_popcountll(cores->words[i]);
    return found;
}

static bool is_within(const struct allfold_cores *inner, const struct allfold_cores *outer)
{
    uint64_t beyond = 0;
    for (int i = 0; i < ALLFOLD_CORE_WORDS; i++)
        beyond |= inner->words[i] & ~outer->words[i];
    return beyond == 0;
}

static int lowest(const struct allfold_cores *cores)
{
    for (int i = 0; i < ALLFOLD_CORE_WORDS; i++)
        if (cores->words[i] != 0)
            return 64 * i + __builtin_ctzll(cores->words[i]);
    return -1;
}

/* Reads a list like "0-3,8,10-11". False if it is not a list, or has cores beyond the set. */
static bool read_list(const char *text, struct allfold_cores *cores)
{
    const long most = 64 * ALLFOLD_CORE_WORDS - 1;
    do {
        long first, last;
        if (!allfold_whole_read(text, 0, most, &first, &text))
            return false;
        last = first;
        if (*text == '-' && !allfold_whole_read(text + 1, first, most, &last, &text))
            return false;
        for (long i = first; i <= last; i++)
            cores->words[i / 64] |= UINT64_C(1) << i % 64;
    } while (*text++ == ',');
    return true;
}

/* The kernel numbers the caches of a core from the nearest on. */
int64_t allfold_cache_key(const struct allfold_cores *cores, const char *root)
{
    enum { MOST_CACHES = 6 };
    const int first = lowest(cores);
    char path[PATH_BYTES], line[PATH_BYTES];
    bool is_read = false;
    for (int i = MOST_CACHES - 1; i >= 0 && first >= 0 && !is_read; i--) {
        snprintf(path, sizeof path, "%.400s/cpu%d/cache/index%d/shared_cpu_list", root, first, i);
        is_read = read_line(path, line, sizeof line);
    }
    struct allfold_cores sharing = {.quota = NO_QUOTA};
    return is_read && read_list(line, &sharing) && is_within(cores, &sharing) ? 1 + lowest(&sharing)
                                                                              : 0;
}

static void add(struct allfold_cores *all, const struct allfold_cores *more)
{
    for (int i = 0; i < ALLFOLD_CORE_WORDS; i++)
        all->words[i] |= more->words[i];
}

int allfold_cores_in_all(const struct allfold_cores *each, int processes)
{
    struct allfold_cores all = {.quota = 0};
    for (int i = 0; i < processes; i++)
        add(&all, &each[i]);
    return count(&all);
}

/* Launchers bind to sets that are equal, disjoint or nested, as cores are within sockets.
 * For these it is enough to look at each process's set, and at all of them together. */
bool allfold_cores_are_shared(const struct allfold_cores *each, int processes)
{
    if (processes > allfold_cores_in_all(each, processes))
        return true;
    for (int i = 0; i < processes; i++) {
        int within = 0;
        for (int k = 0; k < processes; k++)
            within += is_within(&each[k], &each[i]);
        if (within > count(&each[i]) || processes > each[i].quota)
            return true;
    }
    return false;
}
