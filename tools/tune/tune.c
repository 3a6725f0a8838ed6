/* `allfold tune`: measures the machine, under mpirun. All ranks read the same options; rank 0 alone
 * speaks. The measuring is done by a program of ours that has MPI (src/programs/tune.c). */
#include "tune/tune.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "algorithms/problem.h"
#include "common.h"
#include "lab/measure/launches.h"
#include "part.h"
#include "tools.h"
#include "util/number.h"
#include "util/quantity.h"

/* --- options ---------------------------------------------------------------------------------- */

enum {
    KEY_CALIBRATE = 256,
    KEY_SIMULATE,
    KEY_MERGE,
    KEY_POOL,
    KEY_EXPORT,
    KEY_TABLE,
    KEY_PPN,
    KEY_COMMUTATIVE,
    KEY_LIBRARY,
    KEY_RESUME,
    KEY_COLLECTIVE,
    KEY_SIZES,
    KEY_TYPE,
    KEY_OPERATION,
    KEY_START,
    KEY_BUDGET,
    KEY_OUTPUT,
    KEY_CSV,
    KEY_NETWORK,
    KEY_GROUPS,
    KEY_MPI,
    KEY_PROGRESS
};

static const struct argp_option option_list[] = {
    {"calibrate", KEY_CALIBRATE, NULL, 0,
     "measure messages, reductions and copies, and fit the simulator's constants to them", 1},
    {"simulate", KEY_SIMULATE, NULL, 0,
     "measure nothing: make a table by simulation; `allfold tune --simulate --help` has its "
     "options",
     1},
    {"merge", KEY_MERGE, NULL, 0,
     "measure nothing: put the tables that are named into one, later ones over earlier ones", 1},
    {"pool", KEY_POOL, NULL, 0,
     "measure nothing: make one table of the --csv files of several launches, by the medians over "
     "these",
     1},
    {"export", KEY_EXPORT, "PEER", 0,
     "measure nothing: write a table as the tuning file of openmpi, mpich, intel or ucc", 1},
    {"collective", KEY_COLLECTIVE, "LIST", 0, "preset: allreduce,reduce,bcast", 2},
    {"sizes", KEY_SIZES, "LIST", 0,
     "bytes of whole vectors, or of messages; preset: 8:4M (times 2 each)", 2},
    {"type", KEY_TYPE, "NAME", 0, "preset: double", 2},
    {"operation", KEY_OPERATION, "NAME", 0, "preset: sum", 2},
    {"budget", KEY_BUDGET, "TIME", 0,
     "about how long it may take: 90, 90s, 5m, 2h; preset: 5m, for --calibrate 30s", 2},
    {"resume", KEY_RESUME, NULL, 0, "do not measure again what the table has already", 2},
    {"output", KEY_OUTPUT, "FILE", 0, "the table, in JSON; preset: allfold-table.json", 3},
    {"csv", KEY_CSV, "FILE", 0,
     "every algorithm that was measured to the end, with the price of its claim, as --pool "
     "takes it; with --calibrate every message, reduction and copy",
     3},
    {"network", KEY_NETWORK, "FILE", 0,
     "of --calibrate: the network for `allfold simulate --network FILE`; else to stdout", 3},
    {"groups", KEY_GROUPS, "FILE", 0,
     "of --calibrate: the ranks of nodes that are near each other, for ALLFOLD_NETWORK", 3},
    {"table", KEY_TABLE, "FILE", 0,
     "of --export: the table; else ALLFOLD_TABLE's, or allfold-table.json", 4},
    {"ppn", KEY_PPN, "N", 0, "of --export: rows with N ranks a node alone", 4},
    {"commutative", KEY_COMMUTATIVE, NULL, 0,
     "of --export: all operations commute, so what is right for these alone is exported, too", 4},
    {"library", KEY_LIBRARY, "FILE", 0,
     "of --export mpich: its library; else the one that programs would find", 4},
    {"start", KEY_START, "HOW", 0, "as of `allfold bench`", 5},
    {"mpi", KEY_MPI, "FILE", 0,
     "the MPI library's file, or openmpi, mpich or abi, if it is not the one beside the launcher; "
     "ALLFOLD_MPI is the same",
     5},
    {"progress", KEY_PROGRESS, NULL, 0, "say how far it is, even where stderr is no terminal", 5},
    {0},
};

const char allfold_tune_preset_output[] = "allfold-table.json";
const char allfold_tune_preset_type[] = "double", allfold_tune_preset_operation[] = "sum";

static void read_budget(struct allfold_tune_options *options, struct argp_state *state,
                        const char *value)
{
    if (!allfold_duration_read(value, strlen(value), &options->budget_s))
        allfold_tool_refuse(state, &options->is_wrong,
                            "--budget: expected a time like 90s, 5m or 2h, up to a week");
}

static void read_sizes(struct allfold_tune_options *options, struct argp_state *state,
                       const char *value)
{
    const size_t most = (size_t)1 << 30;
    char message[300];
    bool fits = allfold_size_list_read(value, &options->sizes, message, sizeof message);
    for (int i = 0; fits && i < options->sizes.count; i++) {
        fits = options->sizes.sizes[i] > 0 && options->sizes.sizes[i] <= most;
        snprintf(message, sizeof message, "--sizes: %zu is not from 1 to 1G",
                 options->sizes.sizes[i]);
    }
    if (!fits)
        allfold_tool_refuse(state, &options->is_wrong, message);
    else if (!allfold_tune_add_word(options, "sizes", value))
        allfold_tool_refuse(state, &options->is_wrong, "no memory");
}

static void read_peer(struct allfold_tune_options *options, struct argp_state *state,
                      const char *name)
{
    char message[200];
    int at = snprintf(message, sizeof message, "--export: '%.40s' is none of", name);
    options->peer = allfold_peer_find(name);
    for (int i = 0; allfold_peers[i] != NULL; i++)
        at += snprintf(message + at, sizeof message - (size_t)at, "%s %s", i == 0 ? "" : ",",
                       allfold_peers[i]->name);
    if (options->peer == NULL)
        allfold_tool_refuse(state, &options->is_wrong, message);
}

/* The names of collectives, with commas between them. */
static bool are_collectives(const char *list)
{
    char names[200];
    snprintf(names, sizeof names, "%s", list);
    char *rest = names;
    bool all = strlen(list) < sizeof names;
    for (char *name; (name = strsep(&rest, ",")) != NULL;)
        all &= allfold_collective_find(name) != ALLFOLD_COLLECTIVE_COUNT;
    return all;
}

/* Does it say what or how to measure, or what to do with tables? */
static bool is_measuring(const struct allfold_tune_options *options)
{
    return options->calibrates || options->merges || options->pools || options->resumes ||
           options->csv != NULL || options->collectives != NULL || options->sizes.count > 0 ||
           options->type != NULL || options->operation != NULL || options->start != NULL ||
           options->budget_s > 0;
}

/* What the options do not go together with; NULL where they do. */
static const char *find_wrong(const struct allfold_tune_options *options)
{
    if (!allfold_mpi_file_is_name(options->mpi))
        return "--mpi: " ALLFOLD_MPI_FILE_EXPECTED;
    if (options->merges && (options->file_count == 0 || options->output == NULL))
        return "--merge needs tables, and --output for what they become";
    if (options->pools && (options->file_count == 0 || options->output == NULL))
        return "--pool needs CSV files of tunings, and --output for the table that they become";
    if (options->pools && options->file_count > ALLFOLD_LAUNCHES)
        return "--pool takes 64 files at most";
    if (!options->merges && !options->pools && options->file_count > 0)
        return "files are for --merge and --pool alone";
    if (options->calibrates + options->merges + options->pools + options->resumes > 1)
        return "--calibrate, --merge, --pool and --resume go without each other";
    if ((options->merges || options->pools) && options->csv != NULL)
        return "--csv is for what is measured";
    if (!options->calibrates && options->network != NULL)
        return "--network is for --calibrate alone";
    if (!options->calibrates && options->groups != NULL)
        return "--groups is for --calibrate alone";
    if (options->calibrates && options->output != NULL)
        return "--calibrate makes no table; expected --network FILE instead of --output";
    if (options->peer != NULL && is_measuring(options))
        return "--export takes --table, --ppn, --commutative, --library and --output alone";
    if (options->peer == NULL && (options->table != NULL || options->ppn > 0 ||
                                  options->all_commute || options->library != NULL))
        return "--table, --ppn, --commutative and --library are for --export alone";
    if (options->library != NULL && !options->peer->needs_defaults)
        return "--library is for --export mpich alone";
    if (options->collectives != NULL && !are_collectives(options->collectives))
        return "--collective: expected names like allreduce,reduce; `allfold list` has them all";
    return NULL;
}

/* What is to be measured, for the part that measures. */
static bool add_words(struct allfold_tune_options *options)
{
    char budget[40];
    snprintf(budget, sizeof budget, "%.9g", options->budget_s);
    const char *const words[][2] = {
        {"budget", budget},
        {"calibrate", options->calibrates ? "1" : NULL},
        {"collective", options->collectives},
        {"type", options->type},
        {"operation", options->operation},
        {"start", options->start},
        {"known", options->resumes ? options->output : NULL},
        {"resume", options->resumes ? "1" : NULL},
    };
    bool fits = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        fits = fits &&
               (words[i][1] == NULL || allfold_tune_add_word(options, words[i][0], words[i][1]));
    return fits;
}

static void check(struct allfold_tune_options *options, struct argp_state *state)
{
    const char *wrong = find_wrong(options);
    if (wrong != NULL)
        allfold_tool_refuse(state, &options->is_wrong, wrong);
    if (options->is_wrong || options->peer != NULL)
        return;
    if (options->budget_s <= 0)
        options->budget_s = options->calibrates ? 30 : 300;
    if (options->sizes.count == 0)
        read_sizes(options, state, "8:4M");
    if (options->collectives == NULL)
        options->collectives = "allreduce,reduce,bcast";
    if (options->output == NULL && !options->calibrates)
        options->output = allfold_tune_preset_output;
    if (!add_words(options))
        allfold_tool_refuse(state, &options->is_wrong,
                            "words that are too long, or there is no memory");
}

/* Options that are a text or a switch. */
static bool take_plain(struct allfold_tune_options *options, int key, const char *argument)
{
    const struct {
        int key;
        const char **text;
        bool *is_set;
    } plain[] = {{KEY_CALIBRATE, NULL, &options->calibrates},
                 {KEY_MERGE, NULL, &options->merges},
                 {KEY_POOL, NULL, &options->pools},
                 {KEY_RESUME, NULL, &options->resumes},
                 {KEY_PROGRESS, NULL, &options->shows_progress},
                 {KEY_COLLECTIVE, &options->collectives, NULL},
                 {KEY_TYPE, &options->type, NULL},
                 {KEY_OPERATION, &options->operation, NULL},
                 {KEY_START, &options->start, NULL},
                 {KEY_OUTPUT, &options->output, NULL},
                 {KEY_CSV, &options->csv, NULL},
                 {KEY_NETWORK, &options->network, NULL},
                 {KEY_GROUPS, &options->groups, NULL},
                 {KEY_TABLE, &options->table, NULL},
                 {KEY_LIBRARY, &options->library, NULL},
                 {KEY_COMMUTATIVE, NULL, &options->all_commute},
                 {KEY_MPI, &options->mpi, NULL}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (plain[i].key != key)
            continue;
        if (plain[i].text != NULL)
            *plain[i].text = argument;
        else
            *plain[i].is_set = true;
        return true;
    }
    return false;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct allfold_tune_options *options = state->input;
    if (take_plain(options, key, argument))
        return 0;
    switch (key) {
    case KEY_SIZES:
        read_sizes(options, state, argument);
        return 0;
    case KEY_BUDGET:
        read_budget(options, state, argument);
        return 0;
    case KEY_SIMULATE: /* whole, it never comes here */
        argp_error(state, "--simulate has options of its own; expected the whole word");
        return 0;
    case KEY_EXPORT:
        read_peer(options, state, argument);
        return 0;
    case KEY_PPN:
        options->ppn = allfold_tool_number(state, "--ppn", argument, 1, ALLFOLD_TABLE_MOST_RANKS);
        return 0;
    case ARGP_KEY_ARGS:
        options->files = state->argv + state->next;
        options->file_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        check(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

bool allfold_tune_add_word(struct allfold_tune_options *options, const char *name,
                           const char *value)
{
    char *word = NULL;
    if (options->word_count + 1 >= ALLFOLD_TUNE_WORDS || strchr(value, '\n') != NULL ||
        asprintf(&word, "%s=%s", name, value) < 0)
        return false;
    options->words[options->word_count++] = word;
    return true;
}

bool allfold_tune_options_read(struct allfold_tune_options *options, int argc, char **argv,
                               bool silent)
{
    const struct argp argp = {
        option_list,
        parse,
        "[FILE...]",
        "Measures which algorithm is the fastest for which sizes, native among them, "
        "and writes a table for ALLFOLD_TABLE; or measures the machine for the simulator:\n"
        "    mpirun -n 8 allfold tune --budget 5m --output table.json\n"
        "    mpirun -n 8 allfold tune --calibrate --network mine\n"
        "docs/tune.md says what is measured and how.",
        NULL,
        NULL,
        NULL};
    *options = (struct allfold_tune_options){.word_count = 1};
    options->mpi = getenv("ALLFOLD_MPI");
    return argp_parse(&argp, argc, argv, silent ? ARGP_SILENT : 0, NULL, options) == 0 &&
           !options->is_wrong;
}

/* --- measuring -------------------------------------------------------------------------------- */

enum { FAILED = 1, WRONG_USAGE = 2 };

int allfold_tune_say(int status, const char *format, ...)
{
    va_list arguments;
    allfold_tune_clear_progress();
    fprintf(stderr, "allfold tune: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    return status;
}

FILE *allfold_tune_csv_open(const char *path, const char *head)
{
    FILE *csv = fopen(path, "w");
    if (csv == NULL)
        allfold_tune_say(FAILED, "%s: %s", path, strerror(errno));
    else
        fprintf(csv, "%s\n", head);
    return csv;
}

bool allfold_tune_csv_close(FILE *csv, const char *path)
{
    const bool failed = ferror(csv) != 0;
    if (fclose(csv) == 0 && !failed)
        return true;
    return allfold_tune_say(FAILED, "%s: cannot be written", path) == 0;
}

static bool is_shown; /* a line of progress is on stderr */

static void show_progress(double share)
{
    static time_t start;
    const time_t now = time(NULL);
    if (start == 0)
        start = now;
    fprintf(stderr, "\r\033[K%3.0f %%", 100 * share);
    if (share > 0.02)
        fprintf(stderr, "; about %.0f s more", difftime(now, start) / share * (1 - share));
    fflush(stderr);
    is_shown = true;
}

void allfold_tune_clear_progress(void)
{
    if (is_shown)
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
    is_shown = false;
}

bool allfold_tune_take_line(struct allfold_tune_job *job, const char *line)
{
    static const char progress[] = "progress\t";
    const char *end;
    double share;
    if (strncmp(line, progress, strlen(progress)) == 0 &&
        allfold_number_read(line + strlen(progress), &share, &end))
        show_progress(share);
    else if (sscanf(line, "mpi\t%255[^\n]", job->head.mpi) != 1 &&
             sscanf(line, "error\t%1023[^\n]", job->error) != 1 &&
             sscanf(line, "placement\t%19[^\n]", job->placement) != 1 &&
             sscanf(line, "job\t%d\t%d\t%d\t%d", &job->p, &job->nodes, &job->most, &job->least) !=
                 4)
        return false;
    return true;
}

static int measure(struct allfold_tune_options *options, const struct allfold_part *part)
{
    FILE *stream;
    int ended = -1;
    options->shows_progress |= allfold_launcher_shows();
    if (options->shows_progress)
        allfold_tune_add_word(options, "progress", "1");
    const pid_t child = allfold_part_start(part, options->words, &stream);
    int status = FAILED;
    if (stream != NULL)
        status = options->calibrates ? allfold_tune_calibrate(options, stream)
                                     : allfold_tune_table(options, stream);
    if (stream != NULL)
        fclose(stream);
    if (child > 0)
        waitpid(child, &ended, 0);
    if (status == 0 && (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0))
        status = allfold_tune_say(FAILED, "the measurement failed");
    return status;
}

static int work_on_files(const struct allfold_tune_options *options)
{
    return options->merges  ? allfold_tune_merge(options)
           : options->pools ? allfold_tune_pool(options)
                            : allfold_tune_export(options);
}

int allfold_tool_tune(int argc, char **argv)
{
    static struct allfold_tune_options options;
    if (allfold_tune_is_simulated(argc, argv))
        return allfold_tune_simulate(argc, argv);
    const struct allfold_launcher launcher = allfold_launcher_find();
    const bool is_silent = launcher.is_there && launcher.rank > 0;
    int status = is_silent ? 0 : WRONG_USAGE; /* a launcher takes what rank 0 says */
    if (!allfold_tune_options_read(&options, argc, argv, is_silent)) {
        /* it was said */
    } else if (options.merges || options.pools || options.peer != NULL) {
        status = is_silent ? 0 : work_on_files(&options);
    } else {
        static struct allfold_part part;
        if (allfold_part_enter("tune", options.mpi, &launcher, options.words, &part, &status))
            status = measure(&options, &part);
    }
    for (int i = 1; i < options.word_count; i++)
        free(options.words[i]);
    return status;
}
