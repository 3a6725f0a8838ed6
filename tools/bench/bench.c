/* `allfold bench`: measures collectives under mpirun. All ranks read the same options; rank 0 alone
 * speaks. The measuring is done by a program of ours that has MPI (src/programs/bench.c). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench_options.h"
#include "machine.h"
#include "part.h"
#include "tools.h"

enum { FAILED = 1, WRONG_USAGE = 2 };

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
            allfold_collective_name(report->plan->collective), text, bytes);
    if (share > 0.02)
        fprintf(stderr, "; about %.0f s more", spent_s / share * (1 - share));
    fflush(stderr);
}

static void clear_progress(const struct allfold_bench_options *options)
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

static void begin_report(struct allfold_bench_report *report,
                         const struct allfold_bench_options *options)
{
    struct utsname name;
    const time_t now = time(NULL);
    *report = (struct allfold_bench_report){.plan = &options->plan};
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
static bool open_forms(struct allfold_bench_options *options, char *message, size_t message_bytes)
{
    for (int i = 0; i < ALLFOLD_BENCH_FORMS; i++) {
        struct allfold_bench_form *form = &options->forms[i];
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

static bool write_forms(struct allfold_bench_options *options,
                        const struct allfold_bench_report *report)
{
    char message[PATH_MAX + 100];
    bool is_written = true;
    for (int i = 0; i < ALLFOLD_BENCH_FORMS; i++) {
        struct allfold_bench_form *form = &options->forms[i];
        if (!form->is_wanted)
            continue;
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
                 allfold_collective_name(report->plan->collective), algorithm->name,
                 row->outcome == ALLFOLD_PLAN_WRONG ? "gives wrong results for" : "cannot serve",
                 row->bytes, row->message);
        is_right = say(message);
    }
    return is_right;
}

static int finish(struct allfold_bench_options *options, struct allfold_bench_report *report,
                  bool is_read, int status)
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
    const bool is_written = write_forms(options, report);
    return check_rows(report) && is_written ? 0 : FAILED;
}

static int measure(struct allfold_bench_options *options, const char *path)
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
    const pid_t child = allfold_part_start(path, options->words, &stream);
    const bool is_read = stream != NULL && allfold_bench_read(&report, stream);
    if (stream != NULL)
        fclose(stream);
    if (child > 0)
        waitpid(child, &status, 0);
    status = finish(options, &report, is_read, status);
    allfold_bench_report_free(&report);
    return status;
}

static int draw_map(const struct allfold_bench_options *options)
{
    char message[PATH_MAX + 100];
    if (allfold_bench_map(options->files, options->file_count, options->plot, message,
                          sizeof message))
        return 0;
    say(message);
    return FAILED;
}

static int start(struct allfold_bench_options *options, const struct allfold_launcher *launcher)
{
    int status = 0;
    const char *path = allfold_part_enter("bench", options->mpi, launcher, options->words, &status);
    return path == NULL ? status : measure(options, path);
}

int allfold_tool_bench(int argc, char **argv)
{
    static struct allfold_bench_options options;
    const struct allfold_launcher launcher = allfold_launcher_find();
    const bool is_silent = launcher.is_there && launcher.rank > 0;
    int status = is_silent ? 0 : WRONG_USAGE; /* a launcher takes what rank 0 says */
    if (allfold_bench_options_read(&options, argc, argv, is_silent))
        status = !options.as_map ? start(&options, &launcher) : is_silent ? 0 : draw_map(&options);
    allfold_bench_options_free(&options);
    return status;
}
