/* `allfold list`: the algorithms, what they need and claim, and where they come from. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "select/rules.h"
#include "common.h"
#include "tools.h"

struct options {
    const char *collective;
    int p;
    size_t count;
    bool csv;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'c':
        options->collective = argument;
        return 0;
    case 'p':
        options->p = allfold_tool_number(state, "-p", argument, 1, 1 << 24);
        return 0;
    case 'n':
        options->count = (size_t)allfold_tool_number(state, "-n", argument, 0, 1 << 30);
        return 0;
    case 'v':
        options->csv = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one word too many", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"collective", 'c', "NAME", 0, "only the algorithms of allreduce, reduce or bcast", 0},
    {"ranks", 'p', "P", 0, "claims for P ranks (preset: 16)", 0},
    {"count", 'n', "N", 0, "claims for vectors of N elements (preset: 1000)", 0},
    {"csv", 'v', NULL, 0, "as CSV, for programs", 0},
    {0},
};

static void print_needs(const struct allfold_algorithm *algorithm, char *text, size_t text_bytes)
{
    size_t at = 0;
    text[0] = '\0';
    for (unsigned bit = 1; bit != 0 && at < text_bytes; bit <<= 1)
        if (algorithm->needs & bit)
            at += (size_t)snprintf(text + at, text_bytes - at, "%s%s", at > 0 ? ", " : "",
                                   allfold_need_text((enum allfold_need)bit));
    if (at == 0)
        snprintf(text, text_bytes, "nothing");
}

static void print_table(const struct allfold_algorithm *algorithm,
                        const struct allfold_claim *claim)
{
    char needs[200];
    print_needs(algorithm, needs, sizeof needs);
    printf("\n%s.%s\n    %s\n", allfold_collective_name(algorithm->collective), algorithm->name,
           algorithm->summary);
    printf("    source:  %s\n", algorithm->source);
    printf("    needs:   %s\n", needs);
    printf("    keeps:   %s%s\n",
           allfold_is_ordered(algorithm) ? "the order of the ranks" : "not the order of the ranks",
           algorithm->consistent ? "; the same bits on all ranks" : "");
    printf("    claims:  %zu rounds; the busiest rank sends %zu elements and reduces %zu\n",
           claim->rounds, claim->sent, claim->reduced);
    for (const struct allfold_parameter *a = algorithm->parameters; a->name != NULL; a++)
        printf("    %s:%*s%s (%s; preset %zu)\n", a->name, (int)(8 - strlen(a->name)), "",
               a->meaning, a->unit, a->preset);
}

static void print_csv(const struct allfold_algorithm *algorithm, const struct allfold_claim *claim)
{
    char needs[200];
    print_needs(algorithm, needs, sizeof needs);
    printf("%s,%s,\"%s\",%d,%d,%zu,%zu,%zu,\"%s\"\n",
           allfold_collective_name(algorithm->collective), algorithm->name, needs,
           allfold_is_ordered(algorithm), algorithm->consistent, claim->rounds, claim->sent,
           claim->reduced, algorithm->source);
}

int allfold_tool_list(int argc, char **argv)
{
    struct options options = {.p = 16, .count = 1000};
    const struct argp argp = {
        option_list, parse,
        NULL,        "Lists the algorithms: what each needs, keeps and claims, and its source.",
        NULL,        NULL,
        NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (options.collective != NULL && !allfold_tool_is_collective(options.collective)) {
        fprintf(stderr,
                "allfold list: '%s' is no collective; expected allreduce, reduce or bcast\n",
                options.collective);
        return 2;
    }
    if (options.csv)
        printf("collective,algorithm,needs,ordered,same_bits,rounds,sent,reduced,source\n");
    else
        printf(
            "Claims are for %d ranks and vectors of %zu elements. Names are for ALLFOLD_ALLREDUCE "
            "and so on;\n`allfold info` says more.\n",
            options.p, options.count);
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        if (options.collective != NULL &&
            strcmp(options.collective, allfold_collective_name(algorithm->collective)) != 0)
            continue;
        const struct allfold_problem problem = {.collective = algorithm->collective,
                                                .group = allfold_group_all(options.p, 0),
                                                .count = options.count,
                                                .element_bytes = 1,
                                                .commutative = true,
                                                .exact = true};
        const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
        const struct allfold_claim claim = algorithm->claim(&problem, &presets);
        (options.csv ? print_csv : print_table)(algorithm, &claim);
    }
    return 0;
}
