/* The formats of `allfold simulate` (see simulate_formats.h). */
#include "simulate/simulate_formats.h"

#include <stdio.h>

#include "json.h"
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

static json_t *json_run(const struct simulated_run *run)
{
    const struct allfold_simulated *of = &run->simulated;
    char name[200];
    json_t *object = json_object();
    name_of(run, name, sizeof name);
    allfold_json_set_text(object, "algorithm", name);
    allfold_json_set_number(object, "bytes", (double)run->of.bytes);
    if (run->reason[0] != '\0') {
        allfold_json_set_text(object, "reason", run->reason);
        return object;
    }
    allfold_json_set_number(object, "microseconds", 1e6 * of->time_s);
    allfold_json_set_number(object, "ratio", run->ratio);
    allfold_json_set_number(object, "rounds", (double)run->rounds);
    allfold_json_set_number(object, "card_bytes", (double)of->card_bytes);
    allfold_json_set_number(object, "messages_out", of->messages_out);
    allfold_json_set_number(object, "messages", (double)of->messages);
    allfold_json_set_number(object, "steps", (double)of->steps);
    allfold_json_set_number(object, "memory_bytes", (double)of->memory_bytes);
    return object;
}

static json_t *json_head(const struct simulated_run *run)
{
    json_t *object = json_object();
    allfold_json_set_text(object, "collective", collective_of(run));
    allfold_json_set_number(object, "nodes", run->of.nodes->count);
    allfold_json_set_number(object, "ppn", run->of.nodes->most);
    allfold_json_set_number(object, "root", run->of.root);
    allfold_json_set_text(object, "network", run->of.network->name);
    json_object_set_new(object, "runs", json_array());
    return object;
}

/* Sizes come one by one; the object is written when the last has come. */
void allfold_simulate_json(const struct simulated_runs *runs)
{
    static json_t *object;
    if (runs->number == 0)
        object = json_head(&runs->runs[0]);
    for (int i = 0; i < runs->count; i++)
        json_array_append_new(json_object_get(object, "runs"), json_run(&runs->runs[i]));
    if (runs->is_last)
        allfold_json_print(object, stdout);
}
