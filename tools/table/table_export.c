/* `allfold table export`: writes a table as another library's tuning file (see
 * lab/export/export.h). */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "util/replace_file.h"
#include "select/settings.h"
#include "select/table_file.h"
#include "table/table.h"
#include "tune/tune.h"

enum { FAILED = 1 };

/* The table that is asked for, as a program would have it; else what tuning writes. */
static const char *find_table(const struct allfold_options *options)
{
    const char *users = getenv("ALLFOLD_TABLE");
    if (options->word_count > 2)
        return options->words[2];
    return users != NULL && *users != '\0' ? users : allfold_tune_default_output;
}

/* Finds MPICH's library where the loader would find it. */
static bool find_library(const struct allfold_options *options, char path[PATH_MAX])
{
    static const char name[] = "libmpich.so.12";
    struct link_map *map = NULL;
    if (options->mpi != NULL) {
        snprintf(path, PATH_MAX, "%s", options->mpi);
        return true;
    }
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    const bool is_found = library != NULL && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0;
    if (is_found)
        snprintf(path, PATH_MAX, "%s", map->l_name);
    if (library != NULL)
        dlclose(library);
    if (!is_found)
        allfold_tune_say(FAILED,
                         "%s is not found, whose own decisions MPICH's file must repeat; expected "
                         "--mpi FILE",
                         name);
    return is_found;
}

static bool find_defaults(const struct allfold_options *options, struct allfold_export *export)
{
    char path[PATH_MAX], message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    if (!export->peer->needs_defaults)
        return true;
    if (!find_library(options, path))
        return false;
    return allfold_export_find_defaults(export, path, message, sizeof message) == ALLFOLD_OK ||
           allfold_tune_say(FAILED, "%s", message) == 0;
}

static enum allfold_error put(FILE *file, const void *what)
{
    const struct allfold_export *export = what;
    return export->peer->write(file, export);
}

static int write_export(const char *path, const struct allfold_export *export)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    if (path != NULL)
        return allfold_replace_file(path, put, export, message, sizeof message) == ALLFOLD_OK
                   ? 0
                   : allfold_tune_say(FAILED, "%s", message);
    if (put(stdout, export) == ALLFOLD_OK && fflush(stdout) == 0 && ferror(stdout) == 0)
        return 0;
    return allfold_tune_say(FAILED, "standard output cannot be written (%s)", strerror(errno));
}

/* What is not in the file, and how to use it: on stderr, as the file may be on stdout. */
static void report(const struct allfold_export *export, const char *output)
{
    char whole[PATH_MAX];
    allfold_tune_say(0, "rules for %s: %u; rows of native: %u; rows left out: %u",
                     export->peer->title, export->rule_count, export->natives,
                     export->omission_count);
    for (uint32_t i = 0; i < export->omission_count; i++)
        fprintf(stderr, "    row %u: %s\n", export->omissions[i].row, export->omissions[i].reason);
    if (export->rule_count == 0)
        return;
    fprintf(stderr, "To use them:\n");
    export->peer->explain(stderr, export,
                          output == NULL                    ? "FILE"
                          : realpath(output, whole) != NULL ? whole
                                                            : output);
}

static int export_table(const struct allfold_options *options, const struct allfold_peer *peer,
                        const struct allfold_table *table, const char *path)
{
    const struct allfold_export_choice choice = {.ppn = options->ppn,
                                                 .commutative = options->operation != NULL};
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    struct allfold_export export;
    int status = FAILED;
    if (allfold_export_make(peer, table, &choice, &export, message, sizeof message) != ALLFOLD_OK) {
        allfold_tune_say(FAILED, "%s: %s", path, message);
    } else if (export.rule_count == 0) {
        report(&export, NULL);
        allfold_tune_say(FAILED, "%s has nothing for %s: nothing is written", path, peer->title);
    } else if (find_defaults(options, &export)) {
        status = write_export(options->output, &export);
        if (status == 0)
            report(&export, options->output);
    }
    allfold_export_free(&export);
    return status;
}

int allfold_tool_table_export(const struct allfold_options *options,
                              const struct allfold_peer *peer)
{
    const char *path = find_table(options);
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    struct allfold_table *table = NULL;
    if (allfold_table_read(path, allfold_table_parse, &table, message, sizeof message) !=
        ALLFOLD_OK)
        return allfold_tune_say(FAILED,
                                "%s; expected a table behind the peer, by ALLFOLD_TABLE, or in %s",
                                message, allfold_tune_default_output);
    const int status = export_table(options, peer, table, path);
    allfold_table_free(table);
    return status;
}
