/* The options of `allfold tune` (see tune.h). */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "tune.h"

enum { KEY_CALIBRATE = 256, KEY_SIZES, KEY_BUDGET, KEY_NETWORK, KEY_MPI, KEY_PROGRESS };

static const struct argp_option option_list[] = {
    {"calibrate", KEY_CALIBRATE, NULL, 0,
     "measure messages, reductions and copies, and fit the models' constants to them", 1},
    {"sizes", KEY_SIZES, "LIST", 0, "bytes of a message; preset: 8:4M", 1},
    {"budget", KEY_BUDGET, "TIME", 0, "about how long it may take: 90, 90s, 5m, 2h; preset: 30s",
     1},
    {"network", KEY_NETWORK, "FILE", 0,
     "the network for `allfold simulate --network FILE`, instead of to stdout", 2},
    {"mpi", KEY_MPI, "MPI", 0,
     "openmpi or mpich: where the launcher serves several, as Slurm's; ALLFOLD_MPI is the same", 3},
    {"progress", KEY_PROGRESS, NULL, 0, "say how far it is, even where stderr is no terminal", 3},
    {0},
};

static void refuse(struct allfold_tune_options *options, struct argp_state *state,
                   const char *message)
{
    options->is_wrong = true;
    argp_error(state, "%s", message); /* comes back where it is silent */
}

/* Seconds, with s, m or h for seconds, minutes and hours; negative where it is no time. */
static double read_time(const char *text)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
    const double most_s = 7 * 86400;
    char *end;
    const double number = strtod(text, &end);
    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, end) == 0 && number > 0 && number * units[i].seconds <= most_s)
            return number * units[i].seconds;
    return -1;
}

static void read_budget(struct allfold_tune_options *options, struct argp_state *state,
                        const char *value)
{
    options->budget_s = read_time(value);
    if (options->budget_s < 0)
        refuse(options, state, "--budget: expected a time like 90s, 5m or 2h, up to a week");
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
        refuse(options, state, message);
    else if (!allfold_tune_add_word(options, "sizes", value))
        refuse(options, state, "no memory");
}

static void check(struct allfold_tune_options *options, struct argp_state *state)
{
    char budget[40];
    if (!options->calibrates)
        refuse(options, state, "nothing is asked for; --calibrate measures the machine");
    if (options->mpi != NULL && *options->mpi != '\0' && allfold_program_mpi(options->mpi) == NULL)
        refuse(options, state, "--mpi: expected openmpi or mpich");
    if (!options->is_wrong && options->sizes.count == 0)
        read_sizes(options, state, "8:4M");
    snprintf(budget, sizeof budget, "%.9g", options->budget_s);
    if (!allfold_tune_add_word(options, "budget", budget))
        refuse(options, state, "no memory");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct allfold_tune_options *options = state->input;
    switch (key) {
    case KEY_CALIBRATE:
        options->calibrates = true;
        return 0;
    case KEY_SIZES:
        read_sizes(options, state, argument);
        return 0;
    case KEY_BUDGET:
        read_budget(options, state, argument);
        return 0;
    case KEY_NETWORK:
        options->network = argument;
        return 0;
    case KEY_MPI:
        options->mpi = argument;
        return 0;
    case KEY_PROGRESS:
        options->shows_progress = true;
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
    const struct argp argp = {option_list,
                              parse,
                              NULL,
                              "Measures the machine for the models that choose and simulate:\n"
                              "    mpirun -n 8 allfold tune --calibrate --network mine\n"
                              "docs/tune.md says what is measured and how.",
                              NULL,
                              NULL,
                              NULL};
    *options = (struct allfold_tune_options){.word_count = 1, .budget_s = 30};
    options->mpi = getenv("ALLFOLD_MPI");
    return argp_parse(&argp, argc, argv, silent ? ARGP_SILENT : 0, NULL, options) == 0 &&
           !options->is_wrong;
}
