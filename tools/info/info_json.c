/* `allfold info --json` (see info.h). Lists begin on a line of their own, an item a line. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/kernels.h"
#include "select/settings.h"
#include "info/info.h"
#include "json.h"

static void print_string(const char *text)
{
    allfold_json_text(stdout, text);
}

static void print_member(const char *name, const char *value, const char *after)
{
    printf("\"%s\": ", name);
    print_string(value);
    printf("%s", after);
}

/* Before the members of a list's item; they end with "}". */
static void begin_item(int index)
{
    printf("%s\n    {", index == 0 ? "" : ",");
}

static void print_library(int index, const char *path, const char *version, const char *error)
{
    begin_item(index);
    print_member("path", path, ", ");
    print_member("mpi", version, ", ");
    print_member("error", error, "}");
}

static void print_processor(void)
{
    const char *const *features = allfold_info_features();
    printf("  \"cpu_features\": [");
    for (int i = 0; features[i] != NULL; i++) {
        printf("%s", i == 0 ? "" : ", ");
        print_string(features[i]);
    }
    printf("],\n  ");
    print_member("kernels", allfold_simd_used(), ",\n");
}

static void print_machine(const struct allfold_info *info)
{
    const struct allfold_machine *machine = &info->machine;
    if (!info->machine_is_seen) {
        printf("  \"machine\": null,\n");
        return;
    }
    printf("  \"machine\": {\"packages\": %d, \"numa_nodes\": %d, \"cores\": %d, "
           "\"threads\": %d, \"caches\": [",
           machine->packages, machine->numa_nodes, machine->cores, machine->threads);
    for (int i = 0; i < machine->cache_count; i++) {
        begin_item(i);
        printf("\"level\": %d, \"bytes\": %zu, \"count\": %d}", machine->caches[i].level,
               machine->caches[i].bytes, machine->caches[i].count);
    }
    printf("]},\n");
}

static void print_ranks(const struct allfold_info *info)
{
    const struct allfold_ranks *ranks = &info->ranks;
    if (!info->launcher.is_there || info->ranks_error[0] != '\0') {
        printf("  \"job\": null,\n  ");
        print_member("job_error", info->ranks_error[0] == '\0' ? NULL : info->ranks_error, "\n");
        return;
    }
    printf("  \"job\": {");
    print_member("mpi", ranks->mpi, ", ");
    print_member("placement", info->placement, ", ");
    printf("\"nodes\": %d, \"most_per_node\": %d, \"least_per_node\": %d, \"ranks\": [",
           ranks->nodes, ranks->most, ranks->least);
    for (int r = 0; r < ranks->count; r++) {
        const struct allfold_rank *rank = &ranks->ranks[r];
        begin_item(r);
        printf("\"rank\": %d, \"node\": %d, ", r, rank->node);
        print_member("host", rank->host, ", ");
        print_member("binding", rank->binding, ", ");
        printf("\"shares_memory\": %s, ", rank->why[0] == '\0' ? "true" : "false");
        print_member("why_not", rank->why[0] == '\0' ? NULL : rank->why, "}");
    }
    printf("]},\n  \"job_error\": null\n");
}

static int complaints;

static void complain(const char *message)
{
    printf("%s\n    ", complaints++ == 0 ? "" : ",");
    print_string(message);
}

static void print_variables(void)
{
    printf("  \"variables\": [");
    for (int i = 0; allfold_variables[i].name != NULL; i++) {
        begin_item(i);
        print_member("name", allfold_variables[i].name, ", ");
        print_member("value", getenv(allfold_variables[i].name), ", ");
        print_member("preset", allfold_variables[i].preset, ", ");
        print_member("meaning", allfold_variables[i].meaning, "}");
    }
    printf("],\n  \"complaints\": [");
    allfold_info_check_variables(complain);
    printf("],\n");
}

void allfold_info_print_json(const struct allfold_info *info)
{
    printf("{\n  ");
    print_member("version", ALLFOLD_VERSION, ",\n");
    printf("  \"libraries\": [");
    allfold_info_libraries(print_library);
    printf("],\n");
    print_processor();
    print_machine(info);
    print_variables();
    print_ranks(info);
    printf("}\n");
}
