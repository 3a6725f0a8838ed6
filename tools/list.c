/* `allfold list`: lists the algorithms, their needs, claims and sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "common.h"
#include "options.h"
#include "placing.h"
#include "select/rules.h"
#include "select/simulated.h"
#include "tools.h"
#include "util/quantity.h"
#include "util/word.h"

static const struct allfold_taken taken[] = {
    ALLFOLD_TAKES_AS(collective, 0, "only the algorithms of this collective"),
    ALLFOLD_TAKES_AS(ranks, 0, "claims for so many ranks"),
    ALLFOLD_TAKES_AS(count, 0, "claims for vectors of so many elements"),
    ALLFOLD_TAKES_AS(csv, ALLFOLD_NO_ARGUMENT, NULL),
};

static const struct allfold_command command = {
    .text = "Lists the algorithms: what each does, when to use it, what it needs, keeps and\n"
            "claims, and its source.",
    .taken = taken,
    .count = sizeof taken / sizeof *taken,
};

/* What an algorithm claims for a problem, or what it needs that the problem does not have. */
struct claimed {
    const char *unmet; /* NULL if it can be used */
    int p;
    size_t length; /* of the whole vector, in elements */
    struct allfold_claim claim;
};

/* Returns the nodes for an algorithm that needs some: four ranks on each node, or two and two nodes
 * in each group, or one on each node of a torus. The memory is the same each time. */
static const struct allfold_nodes *nodes_for(const struct allfold_algorithm *algorithm, int p)
{
    static const struct allfold_nodes *nodes;
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    if ((algorithm->needs & ALLFOLD_NEEDS_NODES) == 0)
        return NULL;
    allfold_nodes_free(nodes);
    nodes = allfold_tool_nodes("list", algorithm, NULL, p);
    if (nodes != NULL)
        allfold_tool_assume_network("list", algorithm, &presets, &nodes);
    return nodes;
}

static struct allfold_problem problem_of(const struct allfold_algorithm *algorithm, int p,
                                         size_t count)
{
    return (struct allfold_problem){.collective = algorithm->collective,
                                    .group = allfold_group_all(p, 0),
                                    .count = count,
                                    .element_bytes = 1,
                                    .nodes = nodes_for(algorithm, p),
                                    .commutative = true,
                                    .exact = true};
}

static struct claimed claimed_of(const struct allfold_algorithm *algorithm, int p, size_t count)
{
    const struct allfold_problem problem = problem_of(algorithm, p, count);
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    struct claimed claimed = {.unmet = allfold_unmet_need(algorithm, &problem, &presets),
                              .p = p,
                              .length = allfold_problem_length(&problem)};
    if (claimed.unmet == NULL)
        claimed.claim = algorithm->claim(&problem, &presets);
    return claimed;
}

/* What it needs that is no bit of its own, with preset parameters: found by asking. */
static const char *other_need(const struct allfold_algorithm *algorithm)
{
    enum { MOST_ASKED = 64, SEVERAL_NODES = 5 };
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    const char *unmet = NULL;
    for (int p = algorithm->needs & ALLFOLD_NEEDS_NODES ? SEVERAL_NODES : 1;
         p <= MOST_ASKED && unmet == NULL; p++) {
        const struct allfold_problem problem = problem_of(algorithm, p, 1);
        unmet = allfold_unmet_need(algorithm, &problem, &presets);
    }
    return unmet;
}

static void print_needs(const struct allfold_algorithm *algorithm, char *text, size_t text_bytes)
{
    size_t at = 0;
    text[0] = '\0';
    const char *fitting = other_need(algorithm);
    const unsigned of_nodes = algorithm->needs & ~(unsigned)ALLFOLD_NEEDS_COMMUTATIVE;
    const unsigned bits =
        allfold_has_operation(algorithm->collective) ? algorithm->needs : of_nodes;
    for (unsigned bit = 1; bit != 0; bit <<= 1)
        if (bits & bit)
            at += (size_t)snprintf(text + at, text_bytes - at, "%s%s", at > 0 ? ", " : "",
                                   allfold_need_text((enum allfold_need)bit));
    if (fitting != NULL || at == 0)
        snprintf(text + at, text_bytes - at, "%s%s", at > 0 ? ", " : "",
                 fitting == NULL ? "nothing" : fitting);
}

/* Whether its results are bracketed by the canonical tree: asked of up to MOST_ASKED ranks. */
static const char *tree_of(const struct allfold_algorithm *algorithm)
{
    enum { MOST_ASKED = 64, SEVERAL_NODES = 5 };
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    bool always = true;
    if (algorithm->keeps_tree == NULL)
        return "";
    for (int p = algorithm->needs & ALLFOLD_NEEDS_NODES ? SEVERAL_NODES : 1; p <= MOST_ASKED; p++) {
        struct allfold_problem problem = problem_of(algorithm, p, 1);
        problem.canonical = true;
        problem.commutative = false;
        always = always && allfold_keeps_tree(algorithm, &problem, &presets);
    }
    return always ? "; the canonical tree" : "; the canonical tree for some p and placements";
}

static void print_claim(const struct claimed *claimed)
{
    const struct allfold_claim *claim = &claimed->claim;
    const unsigned ports = allfold_claim_ports(claim);
    if (claimed->unmet != NULL)
        printf("    claims:  does not serve %d ranks: it needs %s\n", claimed->p, claimed->unmet);
    else
        printf("    claims:  %zu rounds; the busiest rank sends %zu elements and reduces %zu\n",
               claim->rounds, claim->sent, claim->reduced);
    if (claimed->unmet == NULL && ports > 1)
        printf("    ports:   %u messages each way at a time\n", ports);
}

static void print_parameter(const struct allfold_parameter *parameter)
{
    char preset[64];
    const size_t value = allfold_parameter_preset(parameter);
    if (parameter->inner != NULL)
        snprintf(preset, sizeof preset, "%s", parameter->inner->name);
    else
        snprintf(preset, sizeof preset, "%zu", value);
    printf("    %s:%*s%s (%s%spreset %s", parameter->name, (int)(8 - strlen(parameter->name)), "",
           parameter->meaning, parameter->unit, *parameter->unit == '\0' ? "" : "; ", preset);
    for (size_t i = 0; parameter->inner != NULL && allfold_algorithms[i] != NULL; i++)
        if (i != value && allfold_inner(parameter, i) != NULL)
            printf("; %s", allfold_algorithms[i]->name);
    printf(")\n");
}

/* The cases in which the built-in table chooses an algorithm. */
struct chosen {
    uint32_t rows, own; /* of its collective, and that name it */
    unsigned least_bytes, most_bytes;
    int least_ppn, most_ppn;
    bool is_of[ALLFOLD_NETWORK_CLASSES];
};

static struct chosen find_chosen(const struct allfold_algorithm *algorithm)
{
    struct chosen chosen = {.rows = 0};
    uint32_t count;
    const struct allfold_simulated_row *rows = allfold_simulated_rows(&count);
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_simulated_row *row = &rows[i];
        if (row->collective != algorithm->collective)
            continue;
        chosen.rows++;
        const char *name = allfold_simulated_name(row->algorithm);
        if (!allfold_is_word(algorithm->name, name, strcspn(name, "(")))
            continue;
        const bool is_first = chosen.own++ == 0;
        if (is_first || row->at_bytes < chosen.least_bytes)
            chosen.least_bytes = row->at_bytes;
        if (is_first || row->at_bytes > chosen.most_bytes)
            chosen.most_bytes = row->at_bytes;
        if (is_first || row->ppn < chosen.least_ppn)
            chosen.least_ppn = row->ppn;
        if (is_first || row->ppn > chosen.most_ppn)
            chosen.most_ppn = row->ppn;
        chosen.is_of[row->network] = true;
    }
    return chosen;
}

static void write_range(size_t least, size_t most, char *text, size_t text_bytes)
{
    char from[32], to[32];
    allfold_size_write(least, from, sizeof from);
    allfold_size_write(most, to, sizeof to);
    snprintf(text, text_bytes, "%s%s%s", from, least == most ? "" : " to ",
             least == most ? "" : to);
}

/* "8 to 1M bytes; 1 to 8 ranks a node; untold, torus". */
static void write_where(const struct chosen *chosen, char *text, size_t text_bytes)
{
    char bytes[70], ppn[70];
    write_range(chosen->least_bytes, chosen->most_bytes, bytes, sizeof bytes);
    write_range((size_t)chosen->least_ppn, (size_t)chosen->most_ppn, ppn, sizeof ppn);
    int at = snprintf(text, text_bytes, "%s bytes; %s rank%s a node; ", bytes, ppn,
                      chosen->most_ppn == 1 ? "" : "s");
    const char *before = "";
    for (int i = 0; i < ALLFOLD_NETWORK_CLASSES; i++)
        if (chosen->is_of[i] && at >= 0 && (size_t)at < text_bytes) {
            at += snprintf(text + at, text_bytes - (size_t)at, "%s%s", before,
                           allfold_network_class_name((enum allfold_network_class)i));
            before = ", ";
        }
}

static void print_chosen(const struct allfold_algorithm *algorithm)
{
    char where[300];
    const struct chosen chosen = find_chosen(algorithm);
    write_where(&chosen, where, sizeof where);
    printf("    chosen:  in %u of %u rows of the built-in table%s%s\n", chosen.own, chosen.rows,
           chosen.own > 0 ? ": " : "", chosen.own > 0 ? where : "");
}

static void print_table(const struct allfold_algorithm *algorithm, const struct claimed *claimed)
{
    char needs[200];
    print_needs(algorithm, needs, sizeof needs);
    printf("\n%s.%s\n    %s\n", allfold_collective_name(algorithm->collective), algorithm->name,
           algorithm->summary);
    if (algorithm->use != NULL)
        printf("    use:     %s\n", algorithm->use);
    if (algorithm->alias != NULL)
        printf("    alias:   %s\n", algorithm->alias);
    print_chosen(algorithm);
    printf("    source:  %s\n", algorithm->source);
    printf("    needs:   %s\n", needs);
    if (allfold_has_operation(algorithm->collective))
        printf("    keeps:   %s%s%s\n",
               allfold_is_ordered(algorithm) ? "rank order" : "not rank order",
               algorithm->consistent ? "; bitwise identical results on all ranks" : "",
               tree_of(algorithm));
    print_claim(claimed);
    for (const struct allfold_parameter *a = algorithm->parameters; a->name != NULL; a++)
        print_parameter(a);
}

/* None of the texts has a quote in it. */
static void print_csv(const struct allfold_algorithm *algorithm, const struct claimed *claimed)
{
    char needs[200], claims[100] = ",,,", where[300] = "";
    const struct chosen chosen = find_chosen(algorithm);
    if (chosen.own > 0)
        write_where(&chosen, where, sizeof where);
    const struct allfold_claim *claim = &claimed->claim;
    print_needs(algorithm, needs, sizeof needs);
    if (claimed->unmet == NULL)
        snprintf(claims, sizeof claims, "%zu,%zu,%zu,%u", claim->rounds, claim->sent,
                 claim->reduced, allfold_claim_ports(claim));
    printf("%s,%s,%s,%d,%zu,%s,\"%s\",\"%s\",%d,%d,\"%s\",\"%s\",%u,%u,\"%s\"\n",
           allfold_collective_name(algorithm->collective), algorithm->name,
           algorithm->alias == NULL ? "" : algorithm->alias, claimed->p, claimed->length, claims,
           claimed->unmet == NULL ? "" : claimed->unmet, needs, allfold_is_ordered(algorithm),
           algorithm->consistent, algorithm->source, algorithm->use == NULL ? "" : algorithm->use,
           chosen.rows, chosen.own, where);
}

int allfold_tool_list(int argc, char **argv)
{
    static struct allfold_options options = {.ranks = "16", .count = "1000"};
    allfold_options_read(&command, argc, argv, &options);
    const int p = allfold_options_number(&options, "--ranks", options.ranks, 1, 1 << 24);
    const int count = allfold_options_number(&options, "--count", options.count, 0, 1 << 30);
    if (options.collective != NULL && !allfold_tool_check_collective("list", options.collective))
        return 2;
    if (options.csv != NULL)
        printf("collective,algorithm,alias,p,length,rounds,sent,reduced,ports,unmet,needs,ordered,"
               "same_bits,source,use,rows,chosen,where\n");
    else
        printf("Claims are for %d ranks and vectors of %d elements. Names are for "
               "ALLFOLD_ALGORITHM;\n`allfold info` says more.\n",
               p, count);
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        if (options.collective != NULL &&
            strcmp(options.collective, allfold_collective_name(algorithm->collective)) != 0)
            continue;
        const struct claimed claimed = claimed_of(algorithm, p, (size_t)count);
        (options.csv != NULL ? print_csv : print_table)(algorithm, &claimed);
    }
    return 0;
}
