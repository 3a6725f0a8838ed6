/* Converts the rows of a table to rules for a peer (see export.h). */
#include "lab/export/export.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "select/rules.h"
#include "util/quantity.h"

const struct allfold_peer *const allfold_peers[] = {&allfold_peer_openmpi, &allfold_peer_mpich,
                                                    &allfold_peer_intel, &allfold_peer_ucc, NULL};

const struct allfold_peer *allfold_peer_find(const char *name)
{
    for (int i = 0; allfold_peers[i] != NULL; i++)
        if (strcmp(allfold_peers[i]->name, name) == 0)
            return allfold_peers[i];
    return NULL;
}

static void __attribute__((format(printf, 3, 4)))
omit(struct allfold_export *export, const struct allfold_table_row *row, const char *format, ...)
{
    struct allfold_export_omission *omission = &export->omissions[export->omission_count++];
    va_list arguments;
    va_start(arguments, format);
    omission->row = row->number;
    vsnprintf(omission->reason, sizeof omission->reason, format, arguments);
    va_end(arguments);
}

/* Does it hold for the calls that rules are for? */
static const char *find_other_calls(const struct allfold_table_row *row)
{
    if ((row->arrangements & allfold_only(ALLFOLD_IN_BLOCKS)) == 0)
        return "ranks that do not live in blocks";
    if ((row->commutative & allfold_only(true)) == 0)
        return "operations that do not commute";
    if (allfold_has_operation(row->collective) && (row->exact & allfold_only(false)) == 0)
        return "exact operations";
    return NULL;
}

static size_t parameter_of(const struct allfold_table_row *row, const char *name)
{
    const struct allfold_parameter *parameters = row->algorithm->parameters;
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS && parameters[i].name != NULL; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return row->parameters.value[i];
    return 0;
}

static bool takes(const struct allfold_mapping *mapping, const struct allfold_table_row *row)
{
    if (mapping->collective != row->collective ||
        strcmp(mapping->ours, row->algorithm->name) != 0 ||
        (mapping->powers_of_two && (row->p & (row->p - 1)) != 0))
        return false;
    const size_t value = mapping->parameter == NULL ? 0 : parameter_of(row, mapping->parameter);
    return (mapping->takes != ALLFOLD_TAKES_EXACTLY || value == mapping->value) &&
           (mapping->takes != ALLFOLD_TAKES_SEGMENT || value > 0);
}

static const struct allfold_mapping *find_mapping(const struct allfold_peer *peer,
                                                  const struct allfold_table_row *row)
{
    const struct allfold_mapping *mapping = peer->mappings;
    while (mapping->ours != NULL && !takes(mapping, row))
        mapping++;
    return mapping->ours == NULL ? NULL : mapping;
}

/* The rule that has taken the setting for another value, or NULL. */
static const struct allfold_export_rule *find_clash(const struct allfold_export *export,
                                                    const struct allfold_export_rule *rule)
{
    const char *setting = rule->mapping->setting;
    for (uint32_t i = 0; setting != NULL && i < export->rule_count; i++) {
        const struct allfold_export_rule *other = &export->rules[i];
        if (other->mapping->setting != NULL && strcmp(other->mapping->setting, setting) == 0 &&
            other->value != rule->value)
            return other;
    }
    return NULL;
}

static size_t value_of(const struct allfold_mapping *mapping, const struct allfold_table_row *row)
{
    if (mapping->takes == ALLFOLD_TAKES_SEGMENT || mapping->takes == ALLFOLD_TAKES_VALUE)
        return parameter_of(row, mapping->parameter);
    return mapping->setting == NULL ? 0 : mapping->value;
}

static void take_mapping(struct allfold_export *export, const struct allfold_table_row *row,
                         const struct allfold_mapping *mapping)
{
    const struct allfold_export_rule rule = {
        .collective = row->collective,
        .p = row->p,
        .from_bytes = row->from_bytes,
        .to_bytes = row->to_bytes,
        .mapping = mapping,
        .value = value_of(mapping, row),
        .commutative =
            allfold_has_operation(row->collective) &&
            (row->commutative == allfold_only(true) || !allfold_is_ordered(row->algorithm)),
        .row = row->number,
    };
    const struct allfold_export_rule *clash = find_clash(export, &rule);
    if (clash != NULL)
        omit(export, row, "%s has one %s for all sizes, which is %zu for row %u, not %zu",
             export->peer->title, mapping->setting, clash->value, clash->row, rule.value);
    else
        export->rules[export->rule_count++] = rule;
}

static void take_row(struct allfold_export *export, const struct allfold_table_row *row,
                     const struct allfold_export_choice *choice)
{
    const char *others = find_other_calls(row);
    char name[ALLFOLD_NAME_BYTES];
    allfold_algorithm_write(row->algorithm, &row->parameters, name, sizeof name);
    if (choice->ppn != 0 && row->ppn != choice->ppn) {
        omit(export, row, "%d ranks a node, but --ppn %d is asked for", row->ppn, choice->ppn);
        return;
    }
    if (others != NULL) {
        omit(export, row, "%s holds for %s alone, which %s's rules do not tell apart", name, others,
             export->peer->title);
        return;
    }
    if (row->algorithm == NULL) {
        export->natives++;
        return;
    }
    const struct allfold_mapping *mapping = find_mapping(export->peer, row);
    if (mapping == NULL)
        omit(export, row, "%s has nothing that is the same as %s.%s on %d ranks",
             export->peer->title, allfold_collective_name(row->collective), name, row->p);
    else if (mapping->unordered && !choice->commutative)
        omit(export, row,
             "%s of %s is for operations that commute, and rules are for all; where all of the "
             "programs' commute, say --operation commutative",
             mapping->theirs, export->peer->title);
    else
        take_mapping(export, row, mapping);
}

/* Rows of two shapes for as many ranks: which of them a call is, a peer cannot tell. */
static enum allfold_error check_shapes(const struct allfold_table *table,
                                       const struct allfold_export_choice *choice, char *message,
                                       size_t message_bytes)
{
    const struct allfold_table_row *last = NULL;
    for (uint32_t i = 0; i < table->count; i++) { /* sorted by collective, p, nodes, ppn */
        const struct allfold_table_row *row = &table->rows[i];
        if (choice->ppn != 0 && row->ppn != choice->ppn)
            continue;
        if (last != NULL && last->collective == row->collective && last->p == row->p &&
            (last->nodes != row->nodes || last->ppn != row->ppn)) {
            snprintf(message, message_bytes,
                     "rows %u and %u are both for %s on %d ranks, on %d nodes with %d ranks and on "
                     "%d with %d, which other libraries' rules do not tell apart; expected "
                     "one of them: choose by --ppn N, the ranks of a node",
                     last->number, row->number, allfold_collective_name(row->collective), row->p,
                     last->nodes, last->ppn, row->nodes, row->ppn);
            return ALLFOLD_BAD_INPUT;
        }
        last = row;
    }
    return ALLFOLD_OK;
}

static int compare_rules(const void *left, const void *right)
{
    const struct allfold_export_rule *a = left, *b = right;
    if (a->collective != b->collective)
        return a->collective < b->collective ? -1 : 1;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    return a->from_bytes < b->from_bytes ? -1 : a->from_bytes > b->from_bytes;
}

/* Of two rules for one call a peer takes the first or the last. Only asserts look. */
static inline bool are_apart(const struct allfold_export *export)
{
    for (uint32_t i = 1; i < export->rule_count; i++) {
        const struct allfold_export_rule *a = &export->rules[i - 1], *b = a + 1;
        if (a->collective == b->collective && a->p == b->p && a->to_bytes > b->from_bytes)
            return false;
    }
    return true;
}

enum allfold_error allfold_export_make(const struct allfold_peer *peer,
                                       const struct allfold_table *table,
                                       const struct allfold_export_choice *choice,
                                       struct allfold_export *export, char *message,
                                       size_t message_bytes)
{
    *export = (struct allfold_export){.peer = peer, .head = &table->head};
    const enum allfold_error error = check_shapes(table, choice, message, message_bytes);
    if (error != ALLFOLD_OK)
        return error;
    export->rules = allfold_allocate((table->count + 1) * sizeof *export->rules);
    export->omissions = allfold_allocate((table->count + 1) * sizeof *export->omissions);
    if (export->rules == NULL || export->omissions == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    for (uint32_t i = 0; i < table->count; i++)
        take_row(export, &table->rows[i], choice);
    qsort(export->rules, export->rule_count, sizeof *export->rules, compare_rules);
    assert(are_apart(export));
    return ALLFOLD_OK;
}

void allfold_export_free(struct allfold_export *export)
{
    allfold_free(export->rules);
    allfold_free(export->omissions);
    allfold_free(export->defaults);
    *export = (struct allfold_export){0};
}

uint32_t allfold_export_end_of(const struct allfold_export *export, uint32_t begin, bool same_p)
{
    const struct allfold_export_rule *rules = export->rules;
    uint32_t end = begin;
    while (end < export->rule_count && rules[end].collective == rules[begin].collective &&
           (!same_p || rules[end].p == rules[begin].p))
        end++;
    return end;
}

void allfold_export_capitals(enum allfold_collective collective,
                             char name[ALLFOLD_EXPORT_NAME_BYTES])
{
    snprintf(name, ALLFOLD_EXPORT_NAME_BYTES, "%s", allfold_collective_name(collective));
    for (int i = 0; name[i] != '\0'; i++)
        name[i] = (char)toupper((unsigned char)name[i]);
}

void allfold_export_describe(const struct allfold_export_rule *rule, char *text, size_t bytes)
{
    char from[32], to[32];
    allfold_size_write_exact(rule->from_bytes, from, sizeof from);
    allfold_size_write_exact(rule->to_bytes, to, sizeof to);
    snprintf(text, bytes, "row %u: %s-%s %s", rule->row, from, rule->to_bytes == SIZE_MAX ? "" : to,
             rule->mapping->theirs);
}

void allfold_export_head(FILE *file, const struct allfold_export *export)
{
    const struct allfold_table_head *head = export->head;
    fprintf(file, "# For %s, by Allfold %s, from a table", export->peer->title, ALLFOLD_VERSION);
    fprintf(file, "%s%s%s%s%s%s.\n", head->host[0] == '\0' ? "" : " of ", head->host,
            head->mpi[0] == '\0' ? "" : " under ", head->mpi, head->created[0] == '\0' ? "" : ", ",
            head->created);
    fprintf(file, "# %u rules; what none holds for, %s decides itself.\n", export->rule_count,
            export->peer->title);
}
