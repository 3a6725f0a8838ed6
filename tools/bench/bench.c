/* `allfold bench`: measures collectives under mpirun. All ranks read the same options; rank 0 alone
 * speaks. The measuring is done by a program of ours that has MPI (src/programs/bench.c). */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench_guidelines.h"
#include "bench/bench_report.h"
#include "common.h"
#include "machine.h"
#include "part.h"
#include "tools.h"

enum { FAILED = 1, WRONG_USAGE = 2 };

enum { MOST_WORDS = 40, FORMS = 3 };

/* A form of the results that goes to a file, or to stdout instead of the table. */
struct form {
    void (*write)(const struct allfold_bench_report *report, FILE *file);
    bool is_wanted;
    const char *path; /* NULL: stdout */
    FILE *file;
};

struct options {
    bool is_wrong;
    const char *mpi, *plot;
    struct form forms[FORMS];
    bool as_map, is_quiet, shows_progress;
    char **files; /* of the map */
    int file_count;
    struct allfold_bench_plan plan;
    char *words[MOST_WORDS]; /* for the part that has MPI */
    int word_count;
};

/* --- options ---------------------------------------------------------------------------------- */

enum {
    KEY_OSU = 256,
    KEY_CSV,
    KEY_JSON,
    KEY_PLOT,
    KEY_MAP,
    KEY_MPI,
    KEY_COLD,
    KEY_WARM,
    KEY_IN_PLACE,
    KEY_PROGRESS,
    KEY_GUIDELINES,
    KEY_WORD
};

/* Options from KEY_WORD on are words of a plan. */
static const struct argp_option option_list[] = {
    {"collective", KEY_WORD + 0, "NAME", 0, "preset: allreduce", 1},
    {"algorithm", KEY_WORD + 1, "LIST", 0,
     "names as in rules, as ring or chain(segment=8K); native: the MPI library's; allfold: what it "
     "chooses; copy: each rank copies its vector; all; preset: allfold,native",
     1},
    {"sizes", KEY_WORD + 2, "LIST", 0,
     "bytes of a vector, or of a block: 8:1M (times 2 each), 8:1M:x10, 8,100,4096; preset: 8:1M",
     1},
    {"type", KEY_WORD + 3, "LIST", 0, "preset: double", 1},
    {"operation", KEY_WORD + 4, "LIST", 0, "preset: sum", 1},
    {"root", KEY_WORD + 5, "LIST", 0, "preset: 0", 1},
    {"precision", KEY_WORD + 6, "PERCENT", 0,
     "repeat until the median's interval is so narrow; preset: 5", 2},
    {"confidence", KEY_WORD + 7, "PERCENT", 0, "of that interval; preset: 95", 2},
    {"time", KEY_WORD + 8, "SECONDS", 0, "at most, for an algorithm and a size; preset: 1", 2},
    {"least", KEY_WORD + 9, "COUNT", 0, "repetitions at least; preset: 10", 2},
    {"most", KEY_WORD + 10, "COUNT", 0, "repetitions at most; preset: 1000", 2},
    {"warmup", KEY_WORD + 11, "COUNT", 0, "calls before; preset: 10", 2},
    {"cold", KEY_COLD, "BYTES", OPTION_ARG_OPTIONAL,
     "empty the caches before each call, by walking through so much memory; preset: the last "
     "cache's size",
     3},
    {"warm", KEY_WARM, NULL, 0,
     "leave inputs as they are from call to call, so that other ranks' caches hold them, too; "
     "without it they are written anew, as a program does",
     3},
    {"in-place", KEY_IN_PLACE, NULL, 0,
     "with MPI_IN_PLACE on the ranks that have an input and a result; inputs are written anew", 3},
    {"skew", KEY_WORD + 12, "US", 0, "ranks arrive up to so many microseconds late, by chance", 3},
    {"start", KEY_WORD + 13, "HOW", 0,
     "window: at a time that is told before; barrier: after one; loop: calls follow each other; "
     "auto: window where each rank has a processor, else barrier",
     3},
    {"clock", KEY_WORD + 14, "HOW", 0,
     "auto; measured: compare clocks by messages even where ranks have one in common", 3},
    {"memory", KEY_WORD + 16, "KIND", 0,
     "that vectors are in: malloc (preset), or mpi for that of MPI_Alloc_mem", 3},
    {"seed", KEY_WORD + 15, "NUMBER", 0, "of the order and the delays; preset: 1", 3},
    {"mpi", KEY_MPI, "FILE", 0,
     "the MPI library's file, or openmpi, mpich or abi, if it is not the one beside the launcher; "
     "ALLFOLD_MPI is the same",
     3},
    {"osu", KEY_OSU, "FILE", OPTION_ARG_OPTIONAL,
     "the table of the OSU micro-benchmarks; to stdout instead of the table where there is no FILE",
     4},
    {"csv", KEY_CSV, "FILE", OPTION_ARG_OPTIONAL,
     "the results as CSV, to stdout if there is no FILE", 4},
    {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
     "all samples as JSON, to stdout if there is no FILE", 4},
    {"plot", KEY_PLOT, "FILE", 0, "a picture by gnuplot, .svg or .png", 4},
    {"map", KEY_MAP, NULL, 0,
     "measure nothing: draw the fastest algorithm over ranks and sizes from CSV files, with --plot",
     4},
    {"guidelines", KEY_GUIDELINES, NULL, 0,
     "measure all collectives, and print which calls take longer than others that do the same, as "
     "an allreduce than a reduce and a broadcast; sizes are of all blocks together",
     1},
    {"progress", KEY_PROGRESS, NULL, 0, "say how far it is, even where stderr is no terminal", 4},
    {0},
};

static void take_word(struct options *options, struct argp_state *state, const char *name,
                      const char *value)
{
    char message[1024] = "no memory";
    char *word = NULL;
    if (options->word_count + 3 < MOST_WORDS && strchr(value, '\n') == NULL &&
        allfold_bench_plan_take(&options->plan, name, value, message, sizeof message) &&
        asprintf(&word, "%s=%s", name, value) > 0)
        options->words[options->word_count++] = word;
    else
        allfold_tool_refuse(state, &options->is_wrong, message);
}

/* The last cache's size, as hwloc sees it, where none is given. */
static void take_cold(struct options *options, struct argp_state *state, const char *value)
{
    struct allfold_machine machine;
    char text[40];
    size_t bytes = 32 << 20;
    if (value == NULL && allfold_machine_look(&machine) && machine.cache_count > 0)
        bytes = machine.caches[machine.cache_count - 1].bytes;
    snprintf(text, sizeof text, "%zu", bytes);
    take_word(options, state, "cold", value == NULL ? text : value);
}

static void take_form(struct options *options, int index, const char *path)
{
    options->forms[index].is_wanted = true;
    options->forms[index].path = path;
    options->is_quiet |= path == NULL;
}

static error_t parse_word(int key, char *argument, struct argp_state *state)
{
    for (const struct argp_option *option = option_list; option->name != NULL; option++)
        if (option->key == key) {
            take_word(state->input, state, option->name, argument);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

static void check(struct options *options, struct argp_state *state)
{
    char message[1024];
    if (!allfold_mpi_file_is_name(options->mpi))
        allfold_tool_refuse(state, &options->is_wrong, "--mpi: " ALLFOLD_MPI_FILE_EXPECTED);
    else if (options->plot != NULL && allfold_bench_terminal(options->plot) == NULL)
        allfold_tool_refuse(state, &options->is_wrong, "--plot: the name must end in .svg or .png");
    else if (options->as_map && (options->plot == NULL || options->file_count == 0))
        allfold_tool_refuse(state, &options->is_wrong,
                            "--map needs CSV files, and --plot for the picture");
    else if (!options->as_map && options->file_count > 0)
        allfold_tool_refuse(state, &options->is_wrong, "files are for --map alone");
    else if (options->plan.checks_guidelines &&
             (options->plot != NULL || options->forms[0].is_wanted))
        allfold_tool_refuse(state, &options->is_wrong,
                            "--guidelines: expected no --plot and no --osu");
    else if (!options->is_wrong && !allfold_bench_plan_end(&options->plan, message, sizeof message))
        allfold_tool_refuse(state, &options->is_wrong, message);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case KEY_OSU:
    case KEY_CSV:
    case KEY_JSON:
        take_form(options, key - KEY_OSU, argument);
        return 0;
    case KEY_PLOT:
        options->plot = argument;
        return 0;
    case KEY_MAP:
        options->as_map = true;
        return 0;
    case KEY_MPI:
        options->mpi = argument;
        return 0;
    case KEY_PROGRESS:
        options->shows_progress = true;
        return 0;
    case KEY_GUIDELINES:
        take_word(options, state, "guidelines", "1");
        options->is_quiet = true;
        return 0;
    case KEY_COLD:
        take_cold(options, state, argument);
        return 0;
    case KEY_WARM:
        take_word(options, state, "inputs", "kept");
        return 0;
    case KEY_IN_PLACE:
        take_word(options, state, "inputs", "in_place");
        return 0;
    case ARGP_KEY_ARGS:
        options->files = state->argv + state->next;
        options->file_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        check(options, state);
        return 0;
    default:
        return parse_word(key, argument, state);
    }
}

/* Reads them; with `silent`, as on other ranks than 0, says nothing. Returns false where they are
 * wrong, or ends the program. */
static bool read_options(struct options *options, int argc, char **argv, bool silent)
{
    const struct argp argp = {
        option_list,
        parse,
        "[CSV-FILE...]",
        "Measures a collective: algorithms, sizes, types, operations and roots, native "
        "beside ours:\n    mpirun -n 4 allfold bench --algorithm all,native --sizes 8:1M\n"
        "All results are checked. docs/bench.md says what is measured and how.",
        NULL,
        NULL,
        NULL};
    *options = (struct options){.word_count = 1};
    options->mpi = getenv("ALLFOLD_MPI");
    options->forms[KEY_OSU - KEY_OSU].write = allfold_bench_write_osu;
    options->forms[KEY_CSV - KEY_OSU].write = allfold_bench_write_csv;
    options->forms[KEY_JSON - KEY_OSU].write = allfold_bench_write_json;
    allfold_bench_plan_begin(&options->plan);
    return argp_parse(&argp, argc, argv, silent ? ARGP_SILENT : 0, NULL, options) == 0 &&
           !options->is_wrong;
}

static void free_options(struct options *options)
{
    for (int i = 1; i < options->word_count; i++)
        free(options->words[i]);
}

/* --- measuring -------------------------------------------------------------------------------- */

static void show_progress(const struct allfold_bench_report *report, double share, int series,
                          size_t bytes)
{
    static struct timespec start;
    struct timespec now;
    char text[120];
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (start.tv_sec == 0)
        start = now;
    const double spent_s = (double)(now.tv_sec - start.tv_sec);
    allfold_bench_series_text(report->plan, series, text, sizeof text);
    fprintf(stderr, "\r\033[K%3.0f %%  %s of %s, %zu bytes", 100 * share,
            allfold_collective_name(report->collective), text, bytes);
    if (share > 0.02)
        fprintf(stderr, "; about %.0f s more", spent_s / share * (1 - share));
    fflush(stderr);
}

static void clear_progress(const struct options *options)
{
    if (options->shows_progress)
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

static bool progress_is_shown;

static void show_size(const struct allfold_bench_report *report, int first)
{
    if (progress_is_shown)
        fprintf(stderr, "\r\033[K");
    allfold_bench_print_size(report, first);
}

static void begin_report(struct allfold_bench_report *report, const struct options *options)
{
    struct utsname name;
    const time_t now = time(NULL);
    *report = (struct allfold_bench_report){.plan = &options->plan,
                                            .collective = options->plan.collective};
    uname(&name);
    snprintf(report->host, sizeof report->host, "%s", name.nodename);
    snprintf(report->system, sizeof report->system, "%s %s %s", name.sysname, name.release,
             name.machine);
    allfold_machine_processor(report->processor, sizeof report->processor);
    strftime(report->date, sizeof report->date, "%Y-%m-%dT%H:%M:%S%z", localtime(&now));
    progress_is_shown = options->shows_progress;
    report->show_progress = show_progress;
    report->show_size = options->is_quiet ? NULL : show_size;
}

/* Files are opened before anything is measured. False with a message. */
static bool open_forms(struct options *options, char *message, size_t message_bytes)
{
    for (int i = 0; i < FORMS; i++) {
        struct form *form = &options->forms[i];
        if (!form->is_wanted)
            continue;
        form->file = form->path == NULL ? stdout : fopen(form->path, "w");
        if (form->file == NULL) {
            snprintf(message, message_bytes, "%s: %s", form->path, strerror(errno));
            return false;
        }
    }
    return true;
}

static bool say(const char *message)
{
    fprintf(stderr, "allfold bench: %s\n", message);
    return false;
}

static bool write_forms(struct options *options, const struct allfold_bench_report *report)
{
    char message[PATH_MAX + 100];
    bool is_written = true;
    for (int i = 0; i < FORMS; i++) {
        struct form *form = &options->forms[i];
        if (!form->is_wanted)
            continue;
        if (report->plan->checks_guidelines)
            (form->write == allfold_bench_write_csv
                 ? allfold_guidelines_write_csv
                 : allfold_guidelines_write_json)(report, form->file);
        else
            form->write(report, form->file);
        const bool failed = ferror(form->file) != 0;
        if ((form->file == stdout ? fflush(stdout) : fclose(form->file)) == 0 && !failed)
            continue;
        snprintf(message, sizeof message, "%s: cannot be written",
                 form->path == NULL ? "stdout" : form->path);
        is_written = say(message);
    }
    if (options->plot != NULL &&
        !allfold_bench_plot(report, options->plot, message, sizeof message))
        is_written = say(message);
    return is_written;
}

/* Says what was not measured; false where that is a failure: a wrong result, or an algorithm that
 * was asked for by its name. */
static bool check_rows(const struct allfold_bench_report *report)
{
    char message[1024];
    bool is_right = true;
    for (int i = 0; i < report->count; i++) {
        const struct allfold_bench_row *row = &report->rows[i];
        const struct allfold_bench_plan_algorithm *algorithm =
            &report->plan->algorithms[row->algorithm];
        if (row->outcome == ALLFOLD_PLAN_MEASURED ||
            (row->outcome == ALLFOLD_PLAN_REFUSED && !algorithm->is_named))
            continue;
        snprintf(message, sizeof message, "%s.%s %s %zu bytes: %s",
                 allfold_collective_name(row->collective), algorithm->name,
                 row->outcome == ALLFOLD_PLAN_WRONG ? "gives wrong results for" : "cannot serve",
                 row->bytes, row->message);
        is_right = say(message);
    }
    return is_right;
}

static bool goes_to_stdout(const struct options *options)
{
    bool goes = false;
    for (int i = 0; i < FORMS; i++)
        goes |= options->forms[i].is_wanted && options->forms[i].path == NULL;
    return goes;
}

static int finish(struct options *options, struct allfold_bench_report *report, bool is_read,
                  int status)
{
    clear_progress(options);
    if (report->error[0] != '\0') {
        say(report->error);
        return WRONG_USAGE;
    }
    if (!is_read || report->count == 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        say("the measurement failed");
        return FAILED;
    }
    if (!options->is_quiet)
        allfold_bench_print_foot(report);
    if (options->plan.checks_guidelines && !goes_to_stdout(options))
        allfold_guidelines_print(report);
    const bool is_written = write_forms(options, report);
    return check_rows(report) && is_written ? 0 : FAILED;
}

static int measure(struct options *options, const struct allfold_part *part)
{
    struct allfold_bench_report report;
    char message[PATH_MAX + 100];
    FILE *stream;
    int status = -1;
    options->shows_progress |= allfold_launcher_shows();
    if (options->shows_progress)
        options->words[options->word_count++] = strdup("progress=1");
    if (!open_forms(options, message, sizeof message) &&
        asprintf(&options->words[options->word_count], "refuse=%s", message) > 0)
        options->word_count++;
    begin_report(&report, options);
    report.mpi_file = part->mpi.path;
    const pid_t child = allfold_part_start(part, options->words, &stream);
    const bool is_read = stream != NULL && allfold_bench_read(&report, stream);
    if (stream != NULL)
        fclose(stream);
    if (child > 0)
        waitpid(child, &status, 0);
    status = finish(options, &report, is_read, status);
    allfold_bench_report_free(&report);
    return status;
}

static int draw_map(const struct options *options)
{
    char message[PATH_MAX + 100];
    if (allfold_bench_map(options->files, options->file_count, options->plot, message,
                          sizeof message))
        return 0;
    say(message);
    return FAILED;
}

static int start(struct options *options, const struct allfold_launcher *launcher)
{
    static struct allfold_part part;
    int status = 0;
    if (allfold_part_enter("bench", options->mpi, launcher, options->words, &part, &status))
        status = measure(options, &part);
    return status;
}

int allfold_tool_bench(int argc, char **argv)
{
    static struct options options;
    const struct allfold_launcher launcher = allfold_launcher_find();
    const bool is_silent = launcher.is_there && launcher.rank > 0;
    int status = is_silent ? 0 : WRONG_USAGE; /* a launcher takes what rank 0 says */
    if (read_options(&options, argc, argv, is_silent))
        status = !options.as_map ? start(&options, &launcher) : is_silent ? 0 : draw_map(&options);
    free_options(&options);
    return status;
}
