/* Exports a table as UCC scores: lines of a ucc.conf for its layer over UCX, in the form of its
 * user's guide: COLLECTIVE:FROM-TO:[P-P]:@ALGORITHM, separated by #. A radix has one value for all
 * sizes. The output was never tested with UCC, because Debian 12 has no UCC; the file says so. */
#include "lab/export/export.h"

#include <string.h>

static const struct allfold_mapping mappings[] = {
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "recursive_doubling",
     .theirs = "knomial",
     .value = 2,
     .setting = "UCC_TL_UCP_ALLREDUCE_KN_RADIX"},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "recursive_multiplying",
     .theirs = "knomial",
     .takes = ALLFOLD_TAKES_VALUE,
     .parameter = "radix",
     .setting = "UCC_TL_UCP_ALLREDUCE_KN_RADIX"},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "halving_doubling",
     .theirs = "sra_knomial",
     .value = 2,
     .setting = "UCC_TL_UCP_ALLREDUCE_SRA_KN_RADIX"},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "recursive_splitting",
     .theirs = "sra_knomial",
     .takes = ALLFOLD_TAKES_VALUE,
     .parameter = "radix",
     .setting = "UCC_TL_UCP_ALLREDUCE_SRA_KN_RADIX"},
    {.collective = ALLFOLD_REDUCE,
     .ours = "binomial_tree",
     .theirs = "knomial",
     .value = 2,
     .setting = "UCC_TL_UCP_REDUCE_KN_RADIX"},
    {.collective = ALLFOLD_BCAST,
     .ours = "binomial_tree",
     .theirs = "knomial",
     .value = 2,
     .setting = "UCC_TL_UCP_BCAST_KN_RADIX"},
    {.ours = NULL},
};

static bool is_first_of_setting(const struct allfold_export *export, uint32_t rule)
{
    for (uint32_t i = 0; i < rule; i++)
        if (strcmp(export->rules[i].mapping->setting, export->rules[rule].mapping->setting) == 0)
            return false;
    return true;
}

static enum allfold_error write_file(FILE *file, const struct allfold_export *export)
{
    allfold_export_head(file, export);
    fprintf(file, "# Not run: no UCC on the machines where this was made.\n");
    for (uint32_t i = 0; i < export->rule_count; i++) {
        const struct allfold_export_rule *rule = &export->rules[i];
        fprintf(file, "%s%s:%zu-", i == 0 ? "UCC_TL_UCP_TUNE=" : "#",
                allfold_collective_name(rule->collective), rule->from_bytes);
        if (rule->to_bytes == SIZE_MAX)
            fprintf(file, "inf");
        else
            fprintf(file, "%zu", rule->to_bytes);
        fprintf(file, ":[%d-%d]:@%s", rule->p, rule->p, rule->mapping->theirs);
    }
    fprintf(file, "%s", export->rule_count == 0 ? "" : "\n");
    for (uint32_t i = 0; i < export->rule_count; i++)
        if (is_first_of_setting(export, i))
            fprintf(file, "%s=%zu\n", export->rules[i].mapping->setting, export->rules[i].value);
    return ALLFOLD_OK;
}

static void explain(FILE *file, const struct allfold_export *export, const char *path)
{
    (void)export;
    fprintf(file, "    export UCC_CONFIG_FILE=%s\n", path);
}

const struct allfold_peer allfold_peer_ucc = {
    .name = "ucc",
    .title = "UCC",
    .mappings = mappings,
    .write = write_file,
    .explain = explain,
};
