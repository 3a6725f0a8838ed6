/* The formats of `allfold simulate` (see simulate_formats.h). */
#include "simulate/simulate_formats.h"

#include <stdio.h>

#include "select/rules.h"
#include "util/sizes.h"

static void name_of(const struct simulated_run *run, char *name, size_t bytes)
{
    allfold_algorithm_write(run->of.algorithm, &run->of.parameters, name, bytes);
}

static const char *collective_of(const struct simulated_run *run)
{
    return allfold_collective_name(run->of.algorithm->collective);
}

static void print_title(const struct simulated_runs *runs)
{
    const struct simulated_run *run = &runs->runs[0];
    const struct allfold_nodes *nodes = run->of.nodes;
    char size[32];
    allfold_size_write_exact(run->of.bytes, size, sizeof size);
    printf("%s%s", runs->number > 0 ? "\n" : "", collective_of(run));
    if (!allfold_traits(run->of.algorithm->collective)->may_repeat)
        printf(" of %s byte%s", size, run->of.bytes == 1 ? "" : "s");
    printf(" on %d node%s of %d (%d ranks), network %s\n", nodes->count,
           nodes->count == 1 ? "" : "s", nodes->most, nodes->first[nodes->count],
           run->of.network->name);
}

void allfold_simulate_table(const struct simulated_runs *runs)
{
    char name[200];
    print_title(runs);
    printf("%-34s %13s %9s %9s %15s %13s\n", "algorithm", "microseconds", "ratio", "rounds",
           "bytes of a card", "messages out");
    for (int i = 0; i < runs->count; i++) {
        const struct simulated_run *run = &runs->runs[i];
        name_of(run, name, sizeof name);
        if (run->reason[0] == '\0')
            printf("%-34s %13.3f %9.3f %9zu %15llu %13u\n", name, 1e6 * run->simulated.time_s,
                   run->ratio, run->rounds, (unsigned long long)run->simulated.card_bytes,
                   run->simulated.messages_out);
        else
            printf("%-34s not simulated: %s\n", name, run->reason);
    }
}

void allfold_simulate_csv(const struct simulated_runs *runs)
{
    if (runs->number == 0)
        printf("collective,algorithm,nodes,ppn,root,bytes,network,microseconds,ratio,rounds,"
               "card_bytes,messages_out,messages,steps,memory_bytes,reason\n");
    for (int i = 0; i < runs->count; i++) {
        const struct simulated_run *run = &runs->runs[i];
        const struct allfold_simulated *of = &run->simulated;
        char name[200];
        name_of(run, name, sizeof name);
        printf("%s,\"%s\",%d,%d,%d,%zu,\"%s\",", collective_of(run), name, run->of.nodes->count,
               run->of.nodes->most, run->of.root, run->of.bytes, run->of.network->name);
        if (run->reason[0] == '\0')
            printf("%.6f,%.6f,%zu,%llu,%u,%llu,%llu,%zu,\n", 1e6 * of->time_s, run->ratio,
                   run->rounds, (unsigned long long)of->card_bytes, of->messages_out,
                   (unsigned long long)of->messages, (unsigned long long)of->steps,
                   of->memory_bytes);
        else
            printf(",,,,,,,,\"%s\"\n", run->reason);
    }
}

static void print_json_run(const struct simulated_run *run)
{
    const struct allfold_simulated *of = &run->simulated;
    char name[200];
    name_of(run, name, sizeof name);
    printf("    {\"algorithm\": \"%s\", \"bytes\": %zu, ", name, run->of.bytes);
    if (run->reason[0] == '\0')
        printf("\"microseconds\": %.6f, \"ratio\": %.6f, \"rounds\": %zu, \"card_bytes\": %llu, "
               "\"messages_out\": %u, \"messages\": %llu, \"steps\": %llu, \"memory_bytes\": %zu}",
               1e6 * of->time_s, run->ratio, run->rounds, (unsigned long long)of->card_bytes,
               of->messages_out, (unsigned long long)of->messages, (unsigned long long)of->steps,
               of->memory_bytes);
    else
        printf("\"reason\": \"%s\"}", run->reason);
}

/* None of the texts has a quote in it. */
void allfold_simulate_json(const struct simulated_runs *runs)
{
    const struct simulated_run *run = &runs->runs[0];
    if (runs->number == 0)
        printf("{\n  \"collective\": \"%s\",\n  \"nodes\": %d,\n  \"ppn\": %d,\n  \"root\": %d,\n"
               "  \"network\": \"%s\",\n  \"runs\": [\n",
               collective_of(run), run->of.nodes->count, run->of.nodes->most, run->of.root,
               run->of.network->name);
    for (int i = 0; i < runs->count; i++) {
        print_json_run(&runs->runs[i]);
        printf("%s\n", i + 1 == runs->count && runs->is_last ? "" : ",");
    }
    if (runs->is_last)
        printf("  ]\n}\n");
}
