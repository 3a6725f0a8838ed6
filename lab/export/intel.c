/* Exports a table as Intel MPI's I_MPI_ADJUST variables, with the numbers and the form of its
 * public reference: NUMBER:FROM-TO@P-Q;..., with both bounds included. The output was never tested
 * with Intel MPI; the file says so. If the reference is not clear (which bytes count for blocks,
 * and whether an algorithm is a pairwise exchange), there is no mapping. */
#include "lab/export/export.h"

static const struct allfold_mapping mappings[] = {
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "recursive_doubling",
     .theirs = "recursive doubling",
     .number = 1},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "halving_doubling",
     .theirs = "Rabenseifner's",
     .number = 2},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "bucket",
     .theirs = "ring",
     .number = 8,
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "segment",
     .unordered = true},
    {.collective = ALLFOLD_REDUCE,
     .ours = "binomial_tree",
     .theirs = "binomial",
     .number = 2,
     .unordered = true},
    {.collective = ALLFOLD_REDUCE,
     .ours = "halving_doubling",
     .theirs = "Rabenseifner's",
     .number = 5},
    {.collective = ALLFOLD_BCAST, .ours = "binomial_tree", .theirs = "binomial", .number = 1},
    {.collective = ALLFOLD_BARRIER,
     .ours = "dissemination",
     .theirs = "dissemination",
     .number = 1,
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "n",
     .value = 1},
    {.ours = NULL},
};

static void put_rule(FILE *file, const struct allfold_export_rule *rule)
{
    const size_t most = INT_MAX, last = rule->to_bytes - 1;
    if (rule->collective == ALLFOLD_BARRIER)
        fprintf(file, "%d:0-0@%d-%d", rule->mapping->number, rule->p, rule->p);
    else
        fprintf(file, "%d:%zu-%zu@%d-%d", rule->mapping->number, rule->from_bytes,
                last > most ? most : last, rule->p, rule->p);
}

static enum allfold_error write_file(FILE *file, const struct allfold_export *export)
{
    const struct allfold_export_rule *last = NULL; /* that is written, of a variable yet open */
    allfold_export_head(file, export);
    fprintf(file, "# Not run: no Intel MPI on the machines where this was made.\n");
    for (uint32_t i = 0; i < export->rule_count; i++) {
        const struct allfold_export_rule *rule = &export->rules[i];
        char name[ALLFOLD_EXPORT_NAME_BYTES];
        if (!allfold_export_fits_int(rule))
            continue;
        allfold_export_capitals(rule->collective, name);
        if (last != NULL && last->collective == rule->collective)
            fprintf(file, ";");
        else
            fprintf(file, "%sexport I_MPI_ADJUST_%s='", last == NULL ? "" : "'\n", name);
        put_rule(file, rule);
        last = rule;
    }
    fprintf(file, "%s", last == NULL ? "" : "'\n");
    return ALLFOLD_OK;
}

static void explain(FILE *file, const struct allfold_export *export, const char *path)
{
    (void)export;
    fprintf(file, "    . %s\n", path);
}

const struct allfold_peer allfold_peer_intel = {
    .name = "intel",
    .title = "Intel MPI",
    .mappings = mappings,
    .write = write_file,
    .explain = explain,
};
