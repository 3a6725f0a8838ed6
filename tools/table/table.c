/* `allfold table`: checks, merges, pools and exports tables, without measurements. */
#include <limits.h>
#include <string.h>

#include "lab/measure/launches.h"
#include "table/table.h"
#include "tools.h"
#include "tune/tune.h"

static const struct allfold_taken taken[] = {
    ALLFOLD_TAKES_AS(output, 0, "the file to write; of export: else stdout"),
    ALLFOLD_TAKES_AS(ppn, 0, "export only rows with so many ranks a node"),
    ALLFOLD_TAKES_AS(operation, 0, "commutative: export for these operations alone, too"),
    ALLFOLD_TAKES_AS(mpi, 0, "of export mpich: the file of MPICH's library"),
};

static const struct allfold_command command = {
    .words = "ACTION FILE...",
    .least = 1,
    .most = INT_MAX,
    .text = "Works on tables for ALLFOLD_TABLE:\n"
            "    allfold table check TABLE...              say what is wrong with them\n"
            "    allfold table merge --output OUT TABLE... later ones over earlier ones\n"
            "    allfold table pool --output OUT CSV...    medians over several tune --csv\n"
            "    allfold table export PEER [TABLE]         the tuning file of openmpi, mpich,\n"
            "                                              intel or ucc",
    .taken = taken,
    .count = sizeof taken / sizeof *taken,
};

static const struct allfold_peer *find_peer(const struct allfold_options *options)
{
    char names[200] = "";
    size_t at = 0;
    const char *name = options->word_count > 1 ? options->words[1] : "";
    const struct allfold_peer *peer = allfold_peer_find(name);
    for (int i = 0; allfold_peers[i] != NULL; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s %s", i == 0 ? "" : ",",
                               allfold_peers[i]->name);
    if (peer == NULL)
        allfold_options_refuse(options, "export: '%s' is none of%s", name, names);
    return peer;
}

/* Returns which options contradict each other; NULL if none do. */
static const char *find_wrong(const struct allfold_options *options, bool writes, bool exports)
{
    if (!exports && options->word_count < 2)
        return "expected files after the action";
    if (exports && options->word_count > 3)
        return "export: expected one table";
    if (writes && options->output == NULL)
        return "expected --output for the table that the files become";
    if (!writes && !exports && options->output != NULL)
        return "check writes nothing; expected no --output";
    if (!exports && (options->ppn > 0 || options->operation != NULL || options->mpi != NULL))
        return "--ppn, --operation and --mpi are for export alone";
    if (options->operation != NULL && strcmp(options->operation, "commutative") != 0)
        return "--operation: expected commutative";
    return NULL;
}

static int export_to(const struct allfold_options *options)
{
    const struct allfold_peer *peer = find_peer(options);
    if (options->mpi != NULL && !peer->needs_defaults)
        allfold_options_refuse(options, "--mpi is for export mpich alone");
    return allfold_tool_table_export(options, peer);
}

int allfold_tool_table(int argc, char **argv)
{
    static struct allfold_options options;
    static const struct {
        const char *name;
        int (*work)(const struct allfold_options *options);
        bool writes, exports;
    } actions[] = {{"check", allfold_tune_check, false, false},
                   {"merge", allfold_tune_merge, true, false},
                   {"pool", allfold_tool_table_pool, true, false},
                   {"export", export_to, false, true}};
    allfold_tune_set_command(argv[0]);
    allfold_options_read(&command, argc, argv, &options);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(options.words[0], actions[i].name) != 0)
            continue;
        const char *wrong = find_wrong(&options, actions[i].writes, actions[i].exports);
        if (wrong != NULL)
            allfold_options_refuse(&options, "%s", wrong);
        if (actions[i].work == allfold_tool_table_pool && options.word_count - 1 > ALLFOLD_LAUNCHES)
            allfold_options_refuse(&options, "pool takes %d files at most", ALLFOLD_LAUNCHES);
        return actions[i].work(&options);
    }
    allfold_options_refuse(&options, "'%s': expected check, merge, pool or export",
                           options.words[0]);
}
