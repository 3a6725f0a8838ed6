/* Simulates a program's traced collectives on a network (see simulate_trace.h). */
#include "simulate_trace.h"

#include <stdio.h>

#include "util/quantity.h"

static void print_row(const struct allfold_replay_row *row)
{
    char size[32];
    const double moved_s = row->sum->seconds - row->sum->waiting_s;
    allfold_size_write(row->shape->bytes, size, sizeof size);
    printf("%-20s %7d %9s %9llu %11.6f %11.3f", allfold_collective_name(row->shape->collective),
           row->p, size, (unsigned long long)row->sum->calls, row->sum->waiting_s,
           1e6 * moved_s / (double)row->sum->calls);
    if (row->reason[0] != '\0')
        printf("  not simulated: %s\n", row->reason);
    else
        printf(" %11.3f %11.3f  %s%s%s\n", 1e6 * row->chosen_s, 1e6 * row->best_s, row->chosen,
               row->best_s < row->chosen_s ? "; best: " : "",
               row->best_s < row->chosen_s ? row->best : "");
}

static void print_sums(const struct allfold_replay *replay)
{
    const double left_out = replay->all_s > 0 ? 1 - replay->traced_s / replay->all_s : 0;
    printf("\n%-46s %12s\n", "in collectives", "seconds");
    printf("%-46s %12.6f\n", "traced, rank 0", replay->traced_s);
    printf("%-46s %12.6f\n", "simulated, by our choice, and waiting as traced",
           replay->all_waiting_s + replay->chosen_s);
    printf("%-46s %12.6f\n", "simulated, by the best, and waiting as traced",
           replay->all_waiting_s + replay->best_s);
    printf("%-46s %12.6f\n", "simulated, by our choice, ranks balanced", replay->chosen_s);
    if (replay->is_own)
        printf("For this machine: %.6f s of waiting were traced, and %.6f s of moving predicted; "
               "their sum is %.1f %% off.\n",
               replay->waiting_s, replay->chosen_s, 100 * allfold_replay_error(replay));
    if (left_out > 1e-6)
        printf("Calls with %.1f %% of the traced time are not simulated.\n", 100 * left_out);
}

static void print_table(const struct allfold_replay *replay)
{
    const struct allfold_replay_machine *machine = replay->machine;
    allfold_replay_print_trace(replay->trace, replay->path);
    if (replay->is_own)
        printf("simulated as it ran, network %s\n", machine->network->name);
    else
        printf("simulated on %d nodes of %d (%d ranks), network %s\n", machine->nodes, machine->ppn,
               machine->nodes * machine->ppn, machine->network->name);
    printf("%-20s %7s %9s %9s %11s %11s %11s %11s  %s\n", "collective", "p", "bytes", "calls",
           "waited s", "traced us", "ours us", "best us", "our choice");
    for (int i = 0; i < replay->count; i++)
        print_row(&replay->rows[i]);
    print_sums(replay);
}

static void print_json(const struct allfold_replay *replay)
{
    const struct allfold_replay_machine *machine = replay->machine;
    json_t *object = allfold_replay_json(replay);
    allfold_json_set_text(object, "network", machine->network->name);
    allfold_json_set_number(object, "nodes",
                            replay->is_own ? replay->trace->head.job.nodes : machine->nodes);
    allfold_json_set_number(object, "ppn",
                            replay->is_own ? replay->trace->head.job.most : machine->ppn);
    allfold_json_print(object, stdout);
}

int allfold_simulate_trace(const char *path, const struct allfold_replay_machine *machine,
                           enum simulate_format format)
{
    static void (*const prints[])(const struct allfold_replay *) = {
        [FORMAT_TABLE] = print_table,
        [FORMAT_JSON] = print_json,
        [FORMAT_CSV] = allfold_replay_print_csv,
    };
    return allfold_replay_file("simulate", path, machine, prints[format]);
}
