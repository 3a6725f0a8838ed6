/* `allfold tune` and `allfold calibrate`: measure the machine, under mpirun. All ranks read the
 * same options; only rank 0 prints. A program with MPI makes the measurements
 * (src/programs/tune_ranks.c). */
#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "common.h"
#include "lab/measure/size_list.h"
#include "mpi_part.h"
#include "tools.h"
#include "util/number.h"
#include "util/quantity.h"

/* --- options ---------------------------------------------------------------------------------- */

static const struct allfold_taken tune_taken[] = {
    ALLFOLD_TAKES(simulate),
    ALLFOLD_TAKES_AS(collective, 0, "LIST of collectives"),
    ALLFOLD_TAKES(bytes),
    ALLFOLD_TAKES_REDUCTION,
    ALLFOLD_TAKES(budget),
    ALLFOLD_TAKES(resume),
    ALLFOLD_TAKES_AS(output, 0, "the table"),
    ALLFOLD_TAKES_AS(csv, ALLFOLD_ARGUMENT_REQUIRED, "all times, for allfold table pool"),
    ALLFOLD_TAKES_MPI,
};

static const struct allfold_command tune_command = {
    .text = "Measures which algorithm is the fastest for which sizes, native among them, and\n"
            "writes a table for ALLFOLD_TABLE:\n"
            "    mpirun -n 8 allfold tune --budget 5m --output table.json",
    .taken = tune_taken,
    .count = sizeof tune_taken / sizeof *tune_taken,
};

static const struct allfold_taken calibrate_taken[] = {
    ALLFOLD_TAKES_AS(bytes, 0, "bytes of messages: 8,64K or 8:1M"),
    ALLFOLD_TAKES(budget),
    ALLFOLD_TAKES_AS(output, 0, "the network; else to stdout"),
    ALLFOLD_TAKES(groups),
    ALLFOLD_TAKES_AS(csv, ALLFOLD_ARGUMENT_REQUIRED, "every message, reduction and copy"),
    ALLFOLD_TAKES_MPI,
};

static const struct allfold_command calibrate_command = {
    .text = "Measures messages, reductions and copies, and fits the simulator's constants:\n"
            "    mpirun -n 8 allfold calibrate --output mine\n"
            "    allfold simulate --network ./mine",
    .taken = calibrate_taken,
    .count = sizeof calibrate_taken / sizeof *calibrate_taken,
};

enum { WORDS = 20, FAILED = 1 };

/* A measurement. */
struct measuring {
    const struct allfold_options *given;
    bool calibrates;
    char *words[WORDS]; /* for the part that has MPI */
    int word_count;
};

static void add_word(struct measuring *measuring, const char *name, const char *value)
{
    char *word = NULL;
    if (value == NULL)
        return;
    if (measuring->word_count + 1 >= WORDS || strchr(value, '\n') != NULL ||
        asprintf(&word, "%s=%s", name, value) < 0)
        allfold_options_refuse(measuring->given, "words that are too long, or there is no memory");
    measuring->words[measuring->word_count++] = word;
}

static void check_sizes(const struct allfold_options *given)
{
    const size_t most = (size_t)1 << 30;
    struct allfold_size_list list;
    char message[300];
    if (!allfold_size_list_read(given->bytes, &list, message, sizeof message))
        allfold_options_refuse(given, "--bytes: %s", message);
    for (int i = 0; i < list.count; i++)
        if (list.sizes[i] == 0 || list.sizes[i] > most)
            allfold_options_refuse(given, "--bytes: %zu is not from 1 to 1G", list.sizes[i]);
}

static void check_collectives(const struct allfold_options *given)
{
    char name[40];
    for (const char *rest = given->collective;
         rest != NULL && allfold_options_next(&rest, name, sizeof name);)
        if (allfold_collective_find(name) == ALLFOLD_COLLECTIVE_COUNT)
            allfold_options_refuse(given,
                                   "--collective %s: expected names like allreduce,reduce; "
                                   "`allfold list` has them all",
                                   name);
}

static void check(const struct allfold_options *given)
{
    double seconds;
    check_sizes(given);
    check_collectives(given);
    if (!allfold_mpi_file_is_name(given->mpi))
        allfold_options_refuse(given, "--mpi %s: " ALLFOLD_MPI_FILE_EXPECTED, given->mpi);
    if (allfold_tune_is_same_file(given->csv, given->output) ||
        allfold_tune_is_same_file(given->csv, given->groups) ||
        allfold_tune_is_same_file(given->output, given->groups))
        allfold_options_refuse(given, "two files to write are the same; expected other names");
    if (!allfold_duration_read(given->budget, strlen(given->budget), &seconds))
        allfold_options_refuse(
            given, "--budget %s: expected a time like 90s, 5m or 2h, up to a week", given->budget);
}

/* What is to be measured, for the part that measures. */
static void add_words(struct measuring *measuring)
{
    const struct allfold_options *given = measuring->given;
    double seconds = 0;
    char budget[40];
    allfold_duration_read(given->budget, strlen(given->budget), &seconds);
    snprintf(budget, sizeof budget, "%.9g", seconds);
    measuring->word_count = 1;
    add_word(measuring, "bytes", given->bytes);
    add_word(measuring, "budget", budget);
    add_word(measuring, "calibrate", measuring->calibrates ? "1" : NULL);
    add_word(measuring, "collective", given->collective);
    add_word(measuring, "type", given->given[ALLFOLD_OPTION_type] ? given->type : NULL);
    add_word(measuring, "operation",
             given->given[ALLFOLD_OPTION_operation] ? given->operation : NULL);
    add_word(measuring, "start", given->start[0] != '\0' ? given->start : NULL);
    add_word(measuring, "known", given->resume ? given->output : NULL);
    add_word(measuring, "resume", given->resume ? "1" : NULL);
}

/* --- measuring -------------------------------------------------------------------------------- */

static int measure(struct measuring *measuring, const struct allfold_part *part)
{
    FILE *stream;
    int ended = -1;
    if (measuring->given->progress || allfold_launcher_shows())
        add_word(measuring, "progress", "1");
    const pid_t child = allfold_part_start(part, measuring->words, &stream);
    int status = FAILED;
    if (stream != NULL)
        status = (measuring->calibrates ? allfold_tune_calibrate
                                        : allfold_tune_table)(measuring->given, stream);
    if (stream != NULL)
        fclose(stream);
    if (child > 0)
        waitpid(child, &ended, 0);
    if (status == 0 && (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0))
        status = allfold_tune_say(FAILED, "the measurement failed");
    return status;
}

static int run(const struct allfold_command *command, int argc, char **argv,
               struct allfold_options *given)
{
    static struct allfold_part part;
    static struct measuring measuring;
    const struct allfold_launcher launcher = allfold_launcher_find();
    const bool calibrates = command == &calibrate_command;
    int status = 0;
    given->is_silent =
        launcher.is_there && launcher.rank > 0; /* the launcher shows the messages of rank 0 */
    given->mpi = getenv("ALLFOLD_MPI");
    allfold_tune_set_command(argv[0]);
    allfold_options_read(command, argc, argv, given);
    check(given);
    measuring = (struct measuring){.given = given, .calibrates = calibrates};
    add_words(&measuring);
    if (allfold_part_enter(calibrates ? "calibrate" : "tune", "tune", given->mpi, &launcher,
                           measuring.words, &part, &status))
        status = measure(&measuring, &part);
    for (int i = 1; i < measuring.word_count; i++)
        free(measuring.words[i]);
    return status;
}

int allfold_tool_tune(int argc, char **argv)
{
    static struct allfold_options given = {.collective = "allreduce,reduce,bcast",
                                           .bytes = "8:4M",
                                           .type = "double",
                                           .operation = "sum",
                                           .budget = "5m",
                                           .output = allfold_tune_default_output};
    if (allfold_tune_is_simulated(argc, argv))
        return allfold_tune_simulate(argc, argv);
    return run(&tune_command, argc, argv, &given);
}

int allfold_tool_calibrate(int argc, char **argv)
{
    static struct allfold_options given = {.bytes = "8:4M", .budget = "30s"};
    return run(&calibrate_command, argc, argv, &given);
}
