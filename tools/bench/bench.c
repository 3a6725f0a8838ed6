/* `allfold bench`: measures collectives under mpirun. All ranks read the same options; only rank 0
 * prints. A program with MPI makes the measurements (src/programs/bench_ranks.c). */
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
#include "options.h"
#include "mpi_part.h"
#include "tools.h"
#include "util/quantity.h"

enum { FAILED = 1, WRONG_USAGE = 2 };

enum { MOST_WORDS = 40, FORMS = 3 };

/* A form of the results that goes to a file, or to stdout instead of the table. */
struct form {
    void (*write)(const struct allfold_bench_report *report, FILE *file);
    const char *path; /* NULL: not wanted; "": stdout */
    FILE *file;
};

struct options {
    const struct allfold_options *given;
    struct form forms[FORMS];
    bool as_map, goes_to_stdout, shows_progress;
    struct allfold_bench_plan plan;
    char *words[MOST_WORDS]; /* for the part that has MPI */
    int word_count;
};

/* --- options ---------------------------------------------------------------------------------- */

static const struct allfold_taken taken[] = {
    ALLFOLD_TAKES(collective),
    ALLFOLD_TAKES_AS(algorithm, 0, "rules, all, allfold, native, copy"),
    ALLFOLD_TAKES_AS(bytes, 0, "of a vector or block"),
    ALLFOLD_TAKES_AS(type, 0, "LIST of types"),
    ALLFOLD_TAKES_AS(operation, 0, "LIST of operations [sum]"),
    ALLFOLD_TAKES_AS(root, ALLFOLD_HIDDEN, "LIST of roots"),
    ALLFOLD_TAKES(guidelines),
    ALLFOLD_TAKES(precision),
    ALLFOLD_TAKES(repetitions),
    ALLFOLD_TAKES_AS(budget, 0, "most time for an algorithm and size"),
    ALLFOLD_TAKES_HIDDEN(warmup),
    ALLFOLD_TAKES(buffers),
    ALLFOLD_TAKES_HIDDEN(skew),
    ALLFOLD_TAKES_HIDDEN(seed),
    ALLFOLD_TAKES_MPI,
    ALLFOLD_TAKES_AS(format, 0, "osu: as the OSU micro-benchmarks"),
    ALLFOLD_TAKES(csv),
    ALLFOLD_TAKES(json),
    ALLFOLD_TAKES_AS(plot, 0, "a picture; of CSV-FILES: a map of the fastest"),
};

static const struct allfold_command command = {
    .words = "[CSV-FILE...]",
    .most = INT_MAX,
    .text = "Measures a collective, and checks all results:\n"
            "    mpirun -n 4 allfold bench --algorithm all,native --bytes 8:1M",
    .taken = taken,
    .count = sizeof taken / sizeof *taken,
};

static void take_word(struct options *options, const char *name, const char *value)
{
    char message[1024] = "no memory";
    char *word = NULL;
    if (options->word_count + 3 < MOST_WORDS && strchr(value, '\n') == NULL &&
        allfold_bench_plan_take(&options->plan, name, value, message, sizeof message) &&
        asprintf(&word, "%s=%s", name, value) > 0)
        options->words[options->word_count++] = word;
    else
        allfold_options_refuse(options->given, "%s", message);
}

/* Takes a list, of which each part is "FIRST", "FIRST<between>SECOND" or "<between>SECOND". A range
 * of one number begins and ends with it. */
static void take_pairs(struct options *options, const char *list, const char *between,
                       const char *first, const char *second)
{
    char part[100];
    while (allfold_options_next(&list, part, sizeof part)) {
        char *at = strstr(part, between), *after = at == NULL ? NULL : at + strlen(between);
        if (at != NULL)
            *at = '\0';
        else if (strcmp(between, "..") == 0)
            after = part;
        if (*part != '\0')
            take_word(options, first, part);
        if (after != NULL && *after != '\0')
            take_word(options, second, after);
    }
}

/* Writes the size of the last-level cache as hwloc reports it, if none is given. */
static void write_cold(char *word, size_t word_bytes)
{
    struct allfold_machine machine;
    size_t bytes = 32 << 20;
    if (allfold_machine_look(&machine) && machine.cache_count > 0)
        bytes = machine.caches[machine.cache_count - 1].bytes;
    snprintf(word, word_bytes, "cold:%zu", bytes);
}

static void take_list(struct options *options, const char *name, const char *list)
{
    char word[100];
    while (allfold_options_next(&list, word, sizeof word)) {
        if (strcmp(word, "cold") == 0 || strcmp(word, "cold:") == 0)
            write_cold(word, sizeof word);
        take_word(options, name, word);
    }
}

static void take_budget(struct options *options, const char *value)
{
    char text[40];
    double seconds;
    if (!allfold_duration_read(value, strlen(value), &seconds))
        allfold_options_refuse(options->given, "--budget %s: expected a time like 500ms or 5s",
                               value);
    snprintf(text, sizeof text, "%.9g", seconds);
    take_word(options, "time", text);
}

/* Adds all arguments of the measuring part. */
static void take_words(struct options *options)
{
    const struct allfold_options *given = options->given;
    char warmup[20], seed[20];
    snprintf(warmup, sizeof warmup, "%d", given->warmup);
    snprintf(seed, sizeof seed, "%d", given->seed);
    const char *const plain[][2] = {
        {"collective", given->collective},
        {"algorithm", given->algorithm},
        {"bytes", given->bytes},
        {"type", given->type},
        {"operation", given->operation},
        {"root", given->root},
        {"skew", given->skew},
        {"guidelines", given->guidelines ? "1" : NULL},
        {"warmup", warmup},
        {"seed", seed},
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i][1] != NULL)
            take_word(options, plain[i][0], plain[i][1]);
    take_pairs(options, given->precision, ":", "precision", "confidence");
    take_pairs(options, given->repetitions, "..", "least", "most");
    if (given->budget != NULL)
        take_budget(options, given->budget);
    take_list(options, "buffers", given->buffers);
    take_list(options, "start", given->start);
}

static void take_forms(struct options *options)
{
    const struct allfold_options *given = options->given;
    const char *osu = strcmp(given->format, "osu") == 0 ? "" : NULL;
    options->forms[0] = (struct form){allfold_bench_write_osu, osu, NULL};
    options->forms[1] = (struct form){allfold_bench_write_csv, given->csv, NULL};
    options->forms[2] = (struct form){allfold_bench_write_json, given->json, NULL};
    for (int i = 0; i < FORMS; i++)
        options->goes_to_stdout |=
            options->forms[i].path != NULL && *options->forms[i].path == '\0';
}

static void check_repetitions(const struct options *options)
{
    const char *list = options->given->repetitions;
    char word[40];
    int fewest, most;
    while (allfold_options_next(&list, word, sizeof word))
        if (sscanf(word, "%d..%d", &fewest, &most) == 2 && fewest > most)
            allfold_options_refuse(options->given,
                                   "--repetitions %s: expected the fewest first, as in %d..%d",
                                   word, most, fewest);
}

static void check(struct options *options)
{
    char message[1024];
    const struct allfold_options *given = options->given;
    if (!allfold_mpi_file_is_name(given->mpi))
        allfold_options_refuse(given, "--mpi %s: " ALLFOLD_MPI_FILE_EXPECTED, given->mpi);
    if (strcmp(given->format, "table") != 0 && strcmp(given->format, "osu") != 0)
        allfold_options_refuse(given, "--format %s: expected table or osu", given->format);
    if (given->plot != NULL && allfold_bench_terminal(given->plot) == NULL)
        allfold_options_refuse(given, "--plot %s: expected a name that ends in .svg or .png",
                               given->plot);
    if (options->as_map && given->plot == NULL)
        allfold_options_refuse(given, "CSV files are for --plot, which makes a map of them");
    check_repetitions(options);
    if (given->guidelines && (given->plot != NULL || options->forms[0].path != NULL))
        allfold_options_refuse(given, "--guidelines: expected no --plot and no --format");
    if (!allfold_bench_plan_end(&options->plan, message, sizeof message))
        allfold_options_refuse(given, "%s", message);
}

/* Reads the options; prints nothing on ranks other than 0. Ends the program if they are wrong. */
static void read_options(struct options *options, struct allfold_options *given, int argc,
                         char **argv)
{
    allfold_options_read(&command, argc, argv, given);
    *options = (struct options){.given = given,
                                .as_map = given->word_count > 0,
                                .shows_progress = given->progress,
                                .word_count = 1};
    allfold_bench_plan_begin(&options->plan);
    take_words(options);
    take_forms(options);
    check(options);
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
    char text[120], what[200];
    allfold_bench_series_text(report->plan, series, text, sizeof text);
    snprintf(what, sizeof what, "  %s of %s, %zu bytes",
             allfold_collective_name(report->collective), text, bytes);
    allfold_tool_show_share(share, what);
}

static void show_size(const struct allfold_bench_report *report, int first)
{
    allfold_tool_clear_share();
    allfold_bench_print_size(report, first);
}

static bool is_quiet(const struct options *options)
{
    return options->goes_to_stdout || options->given->guidelines;
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
    report->show_progress = show_progress;
    report->show_size = is_quiet(options) ? NULL : show_size;
}

/* Opens the output files before anything is measured. Returns false with `message` if that
 * fails. */
static bool open_forms(struct options *options, char *message, size_t message_bytes)
{
    for (int i = 0; i < FORMS; i++) {
        struct form *form = &options->forms[i];
        if (form->path == NULL)
            continue;
        form->file = *form->path == '\0' ? stdout : fopen(form->path, "w");
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
        if (form->path == NULL)
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
                 *form->path == '\0' ? "stdout" : form->path);
        is_written = say(message);
    }
    if (options->given->plot != NULL &&
        !allfold_bench_plot(report, options->given->plot, message, sizeof message))
        is_written = say(message);
    return is_written;
}

/* Prints what was not measured. Returns false if that is a failure: a wrong result, or an algorithm
 * that the user asked for by its name. */
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

static int finish(struct options *options, struct allfold_bench_report *report, bool is_read,
                  int status)
{
    allfold_tool_clear_share();
    if (report->error[0] != '\0') {
        say(report->error);
        return WRONG_USAGE;
    }
    if (!is_read || report->count == 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        say("the measurement failed");
        return FAILED;
    }
    if (!is_quiet(options))
        allfold_bench_print_foot(report);
    if (options->plan.checks_guidelines && !options->goes_to_stdout)
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
    const struct allfold_options *given = options->given;
    if (allfold_bench_map(given->words, given->word_count, given->plot, message, sizeof message))
        return 0;
    say(message);
    return FAILED;
}

int allfold_tool_bench(int argc, char **argv)
{
    static struct options options;
    static struct allfold_options given = {.collective = "allreduce",
                                           .algorithm = "allfold,native",
                                           .bytes = "8:1M",
                                           .type = "double",
                                           .root = "0",
                                           .precision = "5:95",
                                           .repetitions = "10..1000",
                                           .budget = "1s",
                                           .warmup = 10,
                                           .seed = 1,
                                           .start = "auto",
                                           .format = "table"};
    const struct allfold_launcher launcher = allfold_launcher_find();
    given.is_silent = launcher.is_there && launcher.rank > 0;
    given.mpi = getenv("ALLFOLD_MPI");
    read_options(&options, &given, argc, argv);
    static struct allfold_part part;
    int status = 0;
    if (options.as_map)
        status = given.is_silent ? 0 : draw_map(&options);
    else if (allfold_part_enter("bench", "bench", given.mpi, &launcher, options.words, &part,
                                &status))
        status = measure(&options, &part);
    free_options(&options);
    return status;
}
