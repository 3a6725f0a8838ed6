/* Hashes of what Linux shows in /proc (see machine_key.h). */
#include "util/machine_key.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/hash.h"

int64_t allfold_machine_key(void)
{
    char line[64];
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == NULL)
        return 0;
    const bool is_read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    if (!is_read)
        return 0;
    return (int64_t)(allfold_hash(allfold_hash_of_nothing, line, strlen(line)) >> 1);
}

/* Linux before 5.6 has no time namespaces, so a kernel has one clock. */
int64_t allfold_clock_key(void)
{
    char name[64];
    const int64_t machine = allfold_machine_key();
    const ssize_t length = readlink("/proc/self/ns/time", name, sizeof name);
    if (machine == 0 || (length < 0 && errno != ENOENT))
        return 0;
    const uint64_t of_kernel = allfold_hash(allfold_hash_of_nothing, &machine, sizeof machine);
    return (int64_t)(allfold_hash(of_kernel, name, length < 0 ? 0 : (size_t)length) >> 1);
}
