/* The hardware of this machine, and the cores that this process is bound to, by hwloc. */
#ifndef ALLFOLD_MACHINE_H
#define ALLFOLD_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

enum { ALLFOLD_BINDING_BYTES = 128, ALLFOLD_MACHINE_CACHES = 12 };

struct allfold_machine {
    int packages, numa_nodes, cores, threads;
    struct allfold_machine_cache {
        int level;
        size_t bytes;
        int count; /* number of caches of that level and size */
    } caches[ALLFOLD_MACHINE_CACHES];
    int cache_count;
    char binding[ALLFOLD_BINDING_BYTES]; /* such as "core 3", "package 0", "cores 0-2" */
};

/* Reads the hardware and the binding. Returns false if hwloc cannot read the machine; then *machine
 * is zero except for the binding. */
bool allfold_machine_look(struct allfold_machine *machine);

/* Writes ascending numbers as ranges: "0-3,7". Text that is too long ends in "...". */
void allfold_machine_list(const int *numbers, int count, char *text, size_t text_bytes);

/* Writes the name of the processor as the kernel reports it. */
void allfold_machine_processor(char *text, size_t text_bytes);

#endif
