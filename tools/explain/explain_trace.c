/* Explains which algorithms handled a program's traced calls (see explain_trace.h). */
#include "explain_trace.h"

#include <stdio.h>
#include <string.h>

#include "util/quantity.h"

/* A row of a table is worth it from here on. */
static const double WORTH = 1.05;

static bool is_worth(const struct allfold_replay_row *row)
{
    return row->reason[0] == '\0' && row->chosen_s > WORTH * row->best_s;
}

static void print_row(const struct allfold_replay_row *row)
{
    char size[32], chosen[2 * ALLFOLD_TRACED_WORD + 4];
    allfold_size_write(row->shape->bytes, size, sizeof size);
    snprintf(chosen, sizeof chosen, "%s (%s)", row->shape->algorithm, row->shape->source);
    printf("%-20s %7d %9s %9llu %11.6f  %-44s ", allfold_collective_name(row->shape->collective),
           row->shape->layout.p, size, (unsigned long long)row->sum->calls, row->sum->seconds,
           chosen);
    if (row->reason[0] != '\0')
        printf("-: %s\n", row->reason);
    else if (is_worth(row))
        printf("%s, %.2f times as fast\n", row->best, row->chosen_s / row->best_s);
    else
        printf("nothing else\n");
}

static void print_table(const struct allfold_replay *replay)
{
    int worth = 0;
    allfold_replay_print_trace(replay->trace, replay->path);
    printf("times of algorithms are %s\n",
           replay->machine->network == NULL ? "the price of the claim" : "simulated");
    printf("%-20s %7s %9s %9s %11s  %-44s %s\n", "collective", "p", "bytes", "calls", "seconds",
           "served by", "the table should have");
    for (int i = 0; i < replay->count; i++) {
        print_row(&replay->rows[i]);
        worth += is_worth(&replay->rows[i]);
    }
    if (worth == 0)
        printf("No row of a table would help.\n");
    else
        printf("With these rows moving takes %.6f s instead of %.6f s.\n", replay->best_s,
               replay->chosen_s);
}

/* Returns the rows like those of a table; they have other members, too, so it is not a table
 * yet. */
static json_t *json_table_rows(const struct allfold_replay *replay)
{
    json_t *rows = json_array();
    for (int i = 0; i < replay->count; i++) {
        const struct allfold_replay_row *row = &replay->rows[i];
        if (!is_worth(row))
            continue;
        json_t *object = json_object();
        allfold_json_set_text(object, "collective",
                              allfold_collective_name(row->shape->collective));
        allfold_json_set_number(object, "p", row->shape->layout.p);
        allfold_json_set_number(object, "bytes", (double)row->shape->bytes);
        allfold_json_set_text(object, "algorithm", row->best);
        json_array_append_new(rows, object);
    }
    return rows;
}

static void print_json(const struct allfold_replay *replay)
{
    json_t *object = allfold_replay_json(replay);
    json_object_set_new(object, "table_should_have", json_table_rows(replay));
    allfold_json_print(object, stdout);
}

int allfold_explain_trace(const char *path, const struct allfold_replay_machine *machine,
                          bool as_json, bool as_csv)
{
    return allfold_replay_file("explain", path, machine,
                               as_json  ? print_json
                               : as_csv ? allfold_replay_print_csv
                                        : print_table);
}
