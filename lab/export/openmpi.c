/* Exports a table as Open MPI's file of dynamic rules (coll_tuned_dynamic_rules_filename), as
 * version 4.1 reads it: only numbers, and comments after #. Collectives are numbered as in its
 * COLLTYPE list. Algorithms are numbered as `ompi_info --param coll tuned --level 9` shows; the
 * tests compare this.
 *
 * A rule applies to communicators of its size and of all larger sizes up to the next rule. The
 * first rule applies to smaller communicators, too. So each size gets neighbors with the algorithm
 * 0, which leaves the decision to Open MPI. The same holds for message sizes. */
#include "lab/export/export.h"

/* What is marked `unordered` was measured: with operations that do not commute, Open MPI 4.1.4
 * gives wrong results where a rule names it. Its others take another algorithm by themselves,
 * or keep rank order. */
static const struct allfold_mapping mappings[] = {
    {.collective = ALLFOLD_ALLREDUCE, .ours = "linear", .theirs = "basic_linear", .number = 1},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "recursive_doubling",
     .theirs = "recursive_doubling",
     .number = 3},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "bucket",
     .theirs = "ring",
     .number = 4,
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "segment",
     .unordered = true},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "bucket",
     .theirs = "segmented_ring",
     .number = 5,
     .takes = ALLFOLD_TAKES_SEGMENT,
     .parameter = "segment",
     .unordered = true},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "halving_doubling",
     .theirs = "rabenseifner",
     .number = 6},
    {.collective = ALLFOLD_REDUCE, .ours = "linear", .theirs = "linear", .number = 1},
    {.collective = ALLFOLD_REDUCE,
     .ours = "chain",
     .theirs = "pipeline",
     .number = 3,
     .takes = ALLFOLD_TAKES_SEGMENT,
     .parameter = "segment",
     .unordered = true},
    {.collective = ALLFOLD_REDUCE,
     .ours = "binomial_tree",
     .theirs = "binomial",
     .number = 5,
     .unordered = true},
    {.collective = ALLFOLD_REDUCE,
     .ours = "pipelined_tree",
     .theirs = "in-order_binary",
     .number = 6,
     .takes = ALLFOLD_TAKES_SEGMENT,
     .parameter = "segment"},
    {.collective = ALLFOLD_REDUCE,
     .ours = "halving_doubling",
     .theirs = "rabenseifner",
     .number = 7},
    {.collective = ALLFOLD_BCAST, .ours = "flat", .theirs = "basic_linear", .number = 1},
    {.collective = ALLFOLD_BCAST,
     .ours = "chain",
     .theirs = "pipeline",
     .number = 3,
     .takes = ALLFOLD_TAKES_SEGMENT,
     .parameter = "segment"},
    {.collective = ALLFOLD_BCAST,
     .ours = "pipelined_tree",
     .theirs = "binary_tree",
     .number = 5,
     .takes = ALLFOLD_TAKES_SEGMENT,
     .parameter = "segment"},
    {.collective = ALLFOLD_BCAST, .ours = "binomial_tree", .theirs = "binomial", .number = 6},
    {.collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
     .ours = "recursive_halving",
     .theirs = "recursive_halving",
     .number = 3},
    {.collective = ALLFOLD_ALLGATHER,
     .ours = "circulant",
     .theirs = "bruck",
     .number = 2,
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "radix",
     .value = 2,
     .powers_of_two = true},
    {.collective = ALLFOLD_ALLGATHER,
     .ours = "recursive_doubling",
     .theirs = "recursive_doubling",
     .number = 3},
    {.collective = ALLFOLD_ALLGATHER,
     .ours = "ring",
     .theirs = "ring",
     .number = 4,
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "segment"},
    {.collective = ALLFOLD_BARRIER,
     .ours = "dissemination",
     .theirs = "bruck",
     .number = 4,
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "n",
     .value = 1},
    {.collective = ALLFOLD_BARRIER, .ours = "binomial_tree", .theirs = "tree", .number = 6},
    {.ours = NULL},
};

static const int collective_ids[ALLFOLD_COLLECTIVE_COUNT] = {
    [ALLFOLD_ALLREDUCE] = 2,       [ALLFOLD_REDUCE] = 11,
    [ALLFOLD_BCAST] = 7,           [ALLFOLD_REDUCE_SCATTER_BLOCK] = 13,
    [ALLFOLD_REDUCE_SCATTER] = 12, [ALLFOLD_ALLGATHER] = 0,
    [ALLFOLD_ALLGATHERV] = 1,      [ALLFOLD_BARRIER] = 6,
};

/* Writes the message sizes of one p, or with file NULL counts them. */
static int put_sizes(FILE *file, const struct allfold_export_rule *rules, uint32_t count)
{
    size_t at = 0; /* up to there all is said */
    int sizes = 0;
    for (uint32_t i = 0; i < count; i++) {
        char text[160];
        allfold_export_describe(&rules[i], text, sizeof text);
        if (rules[i].from_bytes > at) {
            sizes++;
            if (file != NULL)
                fprintf(file, "%zu 0 0 0\n", at);
        }
        sizes++;
        if (file != NULL)
            fprintf(file, "%zu %d 0 %zu # %s\n", rules[i].from_bytes, rules[i].mapping->number,
                    rules[i].value, text);
        at = rules[i].to_bytes;
    }
    if (at != SIZE_MAX) {
        sizes++;
        if (file != NULL)
            fprintf(file, "%zu 0 0 0\n", at);
    }
    return sizes;
}

/* Writes a communicator size at which Open MPI decides, or with file NULL counts it. */
static int put_fence(FILE *file, int p)
{
    if (file != NULL)
        fprintf(file, "%d 1 # ranks\n0 0 0 0\n", p);
    return 1;
}

static int put_collective(FILE *file, const struct allfold_export *export, uint32_t begin,
                          uint32_t end)
{
    int sizes = 0, at = 1; /* the least p of which nothing is said */
    for (uint32_t i = begin; i < end;) {
        const struct allfold_export_rule *rules = &export->rules[i];
        const uint32_t count = allfold_export_end_of(export, i, true) - i;
        if (rules->p > at)
            sizes += put_fence(file, at);
        if (file != NULL) {
            fprintf(file, "%d %d # ranks, message sizes: bytes, algorithm, fan, segment\n",
                    rules->p, put_sizes(NULL, rules, count));
            put_sizes(file, rules, count);
        }
        sizes++;
        at = rules->p + 1;
        i += count;
    }
    return sizes + put_fence(file, at);
}

static enum allfold_error write_file(FILE *file, const struct allfold_export *export)
{
    int collectives = 0;
    for (uint32_t i = 0; i < export->rule_count; i = allfold_export_end_of(export, i, false))
        collectives++;
    allfold_export_head(file, export);
    fprintf(file, "%d # collectives\n", collectives);
    for (uint32_t i = 0; i < export->rule_count;) {
        const uint32_t end = allfold_export_end_of(export, i, false);
        const enum allfold_collective collective = export->rules[i].collective;
        fprintf(file, "%d # %s\n", collective_ids[collective], allfold_collective_name(collective));
        fprintf(file, "%d # communicator sizes\n", put_collective(NULL, export, i, end));
        put_collective(file, export, i, end);
        i = end;
    }
    return ALLFOLD_OK;
}

static void explain(FILE *file, const struct allfold_export *export, const char *path)
{
    (void)export;
    fprintf(file,
            "    mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
            "coll_tuned_dynamic_rules_filename %s ...\n",
            path);
}

const struct allfold_peer allfold_peer_openmpi = {
    .name = "openmpi",
    .title = "Open MPI",
    .mappings = mappings,
    .write = write_file,
    .explain = explain,
};
