/* The formats of `allfold explain` (see explain.h). */
#include "explain/explain.h"

#include <stdio.h>

#include "json.h"
#include "select/settings.h"
#include "util/sizes.h"

static bool has_bytes(const struct explanation *e)
{
    return !allfold_traits(e->problem.collective)->may_repeat;
}

static void print_question(const struct explanation *e)
{
    const struct allfold_nodes *nodes = e->problem.nodes;
    char size[32];
    allfold_size_write_exact(e->bytes, size, sizeof size);
    printf("%s", allfold_collective_name(e->problem.collective));
    if (has_bytes(e))
        printf(" of %s bytes", size);
    printf(" on %d node%s of %d (%d ranks, %s)", nodes->count, nodes->count == 1 ? "" : "s",
           nodes->most, e->problem.group.size, allfold_arrangement_name(nodes->arrangement));
    if (e->operation != NULL)
        printf(", %s of %s: %s, %s", e->operation, e->type,
               e->problem.commutative ? "commutes" : "does not commute",
               e->problem.exact ? "exact" : "not exact");
    printf("\n");
}

static void print_row(const struct allfold_table_row *row)
{
    if (row->us > 0)
        printf("; measured: %g us", row->us);
    if (row->native_us > 0)
        printf(", native %g us", row->native_us);
}

static void print_why(const struct explanation *e)
{
    const struct allfold_choice *choice = &e->choice;
    printf("chosen: %s, by the ", e->list[0].name);
    if (e->rule != NULL) {
        printf("rule %s=%s", allfold_rules_variable(e->problem.collective), e->rule);
    } else if (choice->row != NULL) {
        printf("%s table, row %u of %s",
               choice->source == ALLFOLD_CHOICE_TABLE ? "user's" : "tuned", choice->row->number,
               e->table_path);
        print_row(choice->row);
    } else {
        printf("model");
    }
    printf("\n");
    if (choice->passed != NULL)
        printf("passed over: row %u, %s, needs %s\n", choice->passed->number,
               choice->passed->algorithm->name, choice->unmet);
}

void allfold_explain_table(const struct explanation *e)
{
    print_question(e);
    print_why(e);
    printf("\n%-44s %13s  %s\n", "algorithm", "expected us", "why");
    for (int i = 0; i < e->count; i++) {
        char cost[32] = "-";
        if (e->list[i].cost_s > 0)
            snprintf(cost, sizeof cost, "%.3f", 1e6 * e->list[i].cost_s);
        printf("%-44s %13s  %s\n", e->list[i].name, cost, e->list[i].reason);
    }
}

static void json_member(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    allfold_json_text(stdout, text);
}

static void json_row(const char *name, const struct allfold_table_row *row)
{
    if (row == NULL)
        return;
    printf(", \"%s\": {\"number\": %u", name, row->number);
    if (row->us > 0)
        printf(", \"us\": %.6g", row->us);
    if (row->native_us > 0)
        printf(", \"native_us\": %.6g", row->native_us);
    printf("}");
}

void allfold_explain_json(const struct explanation *e)
{
    const struct allfold_nodes *nodes = e->problem.nodes;
    printf("{\"collective\": ");
    allfold_json_text(stdout, allfold_collective_name(e->problem.collective));
    printf(", \"bytes\": %zu, \"nodes\": %d, \"ppn\": %d, \"p\": %d", e->bytes, nodes->count,
           nodes->most, e->problem.group.size);
    json_member("placement", allfold_arrangement_name(nodes->arrangement));
    json_member("operation", e->operation);
    json_member("type", e->type);
    printf(", \"commutative\": %s, \"exact\": %s", e->problem.commutative ? "true" : "false",
           e->problem.exact ? "true" : "false");
    json_member("algorithm", e->list[0].name);
    json_member("source", allfold_choice_source_name(e->choice.source));
    json_member("rule", e->rule);
    json_member("table", e->table_path);
    json_row("row", e->choice.row);
    json_row("passed_over", e->choice.passed);
    json_member("unmet", e->choice.unmet);
    printf(",\n \"algorithms\": [");
    for (int i = 0; i < e->count; i++) {
        printf("%s\n  {\"algorithm\": ", i == 0 ? "" : ",");
        allfold_json_text(stdout, e->list[i].name);
        if (e->list[i].cost_s > 0)
            printf(", \"expected_us\": %.6f", 1e6 * e->list[i].cost_s);
        json_member("reason", e->list[i].reason);
        printf("}");
    }
    printf("\n ]}\n");
}
