/* Reads the hardware of this machine by hwloc (see machine.h). */
#include "machine.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void allfold_machine_list(const int *numbers, int count, char *text, size_t text_bytes)
{
    enum { LONGEST = 32 };
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0, last; i < count; i = last + 1) {
        char item[LONGEST];
        for (last = i; last + 1 < count && numbers[last + 1] == numbers[last] + 1;)
            last++;
        if (last == i)
            snprintf(item, sizeof item, "%s%d", i == 0 ? "" : ",", numbers[i]);
        else
            snprintf(item, sizeof item, "%s%d-%d", i == 0 ? "" : ",", numbers[i], numbers[last]);
        if (at + strlen(item) + sizeof "..." > text_bytes) {
            snprintf(text + at, text_bytes - at, "...");
            return;
        }
        at += (size_t)snprintf(text + at, text_bytes - at, "%s", item);
    }
}

static void add_cache(struct allfold_machine *machine, int level, size_t bytes)
{
    int i = 0;
    while (i < machine->cache_count &&
           (machine->caches[i].level != level || machine->caches[i].bytes != bytes))
        i++;
    if (i == ALLFOLD_MACHINE_CACHES)
        return;
    if (i == machine->cache_count)
        machine->caches[machine->cache_count++] =
            (struct allfold_machine_cache){.level = level, .bytes = bytes};
    machine->caches[i].count++;
}

/* The types from L1 on have one number after the other. */
static void look_at_caches(struct allfold_machine *machine, hwloc_topology_t topology)
{
    for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L5CACHE; type++) {
        hwloc_obj_t cache = NULL;
        while ((cache = hwloc_get_next_obj_by_type(topology, (hwloc_obj_type_t)type, cache)) !=
               NULL)
            add_cache(machine, type - HWLOC_OBJ_L1CACHE + 1, (size_t)cache->attr->cache.size);
    }
}

/* Is the set all of one object of this kind? Then its name. */
static bool is_one(hwloc_topology_t topology, hwloc_const_cpuset_t set, char *text)
{
    static const struct {
        hwloc_obj_type_t type;
        const char *name;
    } kinds[] = {{HWLOC_OBJ_CORE, "core"},
                 {HWLOC_OBJ_L3CACHE, "L3 cache"},
                 {HWLOC_OBJ_NUMANODE, "NUMA node"},
                 {HWLOC_OBJ_PACKAGE, "package"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        hwloc_obj_t one = NULL;
        while ((one = hwloc_get_next_obj_by_type(topology, kinds[i].type, one)) != NULL)
            if (hwloc_bitmap_isequal(one->cpuset, set)) {
                snprintf(text, ALLFOLD_BINDING_BYTES, "%s %u", kinds[i].name, one->logical_index);
                return true;
            }
    }
    return false;
}

/* The numbers of all objects of a type that the set has a part of. */
static void list(hwloc_topology_t topology, hwloc_const_cpuset_t set, hwloc_obj_type_t type,
                 const char *name, char *text)
{
    char numbers_text[ALLFOLD_BINDING_BYTES - 20];
    int count = 0, total = hwloc_get_nbobjs_by_type(topology, type);
    int *numbers = calloc((size_t)(total < 1 ? 1 : total), sizeof *numbers);
    hwloc_obj_t one = NULL;
    while (numbers != NULL && count < total &&
           (one = hwloc_get_next_obj_by_type(topology, type, one)) != NULL)
        if (hwloc_bitmap_intersects(one->cpuset, set))
            numbers[count++] = (int)one->logical_index;
    allfold_machine_list(numbers, count, numbers_text, sizeof numbers_text);
    snprintf(text, ALLFOLD_BINDING_BYTES, "%s%s %s", name, count == 1 ? "" : "s", numbers_text);
    free(numbers);
}

/* Whole cores are listed as cores; hardware threads are listed if the process has only a part of a
 * core. */
static bool are_whole_cores(hwloc_topology_t topology, hwloc_const_cpuset_t set)
{
    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != NULL)
        if (hwloc_bitmap_intersects(core->cpuset, set) &&
            !hwloc_bitmap_isincluded(core->cpuset, set))
            return false;
    return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
}

static void look_at_binding(hwloc_topology_t topology, char *text)
{
    hwloc_const_cpuset_t all = hwloc_topology_get_topology_cpuset(topology);
    hwloc_cpuset_t set = hwloc_bitmap_alloc();
    if (set == NULL || hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) != 0)
        snprintf(text, ALLFOLD_BINDING_BYTES, "not known");
    else if (hwloc_bitmap_isincluded(all, set))
        snprintf(text, ALLFOLD_BINDING_BYTES, "not bound");
    else if (!is_one(topology, set, text) && are_whole_cores(topology, set))
        list(topology, set, HWLOC_OBJ_CORE, "core", text);
    else if (!is_one(topology, set, text))
        list(topology, set, HWLOC_OBJ_PU, "thread", text);
    hwloc_bitmap_free(set);
}

static int count(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    const int found = hwloc_get_nbobjs_by_type(topology, type);
    return found < 0 ? 0 : found;
}

bool allfold_machine_look(struct allfold_machine *machine)
{
    hwloc_topology_t topology;
    *machine = (struct allfold_machine){.binding = "not known"};
    if (hwloc_topology_init(&topology) != 0)
        return false;
    const bool is_seen = hwloc_topology_load(topology) == 0;
    if (is_seen) {
        machine->packages = count(topology, HWLOC_OBJ_PACKAGE);
        machine->numa_nodes = count(topology, HWLOC_OBJ_NUMANODE);
        machine->cores = count(topology, HWLOC_OBJ_CORE);
        machine->threads = count(topology, HWLOC_OBJ_PU);
        look_at_caches(machine, topology);
        look_at_binding(topology, machine->binding);
    }
    hwloc_topology_destroy(topology);
    return is_seen;
}

void allfold_machine_processor(char *text, size_t text_bytes)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, text_bytes, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, text_bytes, "%s", strchr(line, ':') + 2);
            break;
        }
    if (file != NULL)
        fclose(file);
}
