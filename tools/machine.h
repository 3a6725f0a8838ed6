/* This machine and this process's place on it, by hwloc. */
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
        int count; /* caches of that level and size */
    } caches[ALLFOLD_MACHINE_CACHES];
    int cache_count;
    char binding[ALLFOLD_BINDING_BYTES]; /* "core 3", "package 0", "cores 0-2", ... */
};

/* False where hwloc cannot see the machine; then *machine is all zero but for the binding. */
bool allfold_machine_look(struct allfold_machine *machine);

/* Writes ascending numbers as people do: "0-3,7". Cuts what is too long off with "...". */
void allfold_machine_list(const int *numbers, int count, char *text, size_t text_bytes);

/* The processor, as the kernel names it. */
void allfold_machine_processor(char *text, size_t text_bytes);

#endif
