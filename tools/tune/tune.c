/* `allfold tune`: measures the machine, under mpirun. All ranks read the same options; rank 0 alone
 * speaks. The measuring is done by a program of ours that has MPI (src/programs/tune.c). */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "part.h"
#include "tools.h"
#include "tune/tune.h"
#include "util/number.h"

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

static int measure(struct allfold_tune_options *options, const char *path)
{
    FILE *stream;
    int ended = -1;
    options->shows_progress |= allfold_launcher_shows();
    if (options->shows_progress)
        allfold_tune_add_word(options, "progress", "1");
    const pid_t child = allfold_part_start(path, options->words, &stream);
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
    const struct allfold_launcher launcher = allfold_launcher_find();
    const bool is_silent = launcher.is_there && launcher.rank > 0;
    int status = is_silent ? 0 : WRONG_USAGE; /* a launcher takes what rank 0 says */
    if (!allfold_tune_options_read(&options, argc, argv, is_silent)) {
        /* it was said */
    } else if (options.merges || options.pools || options.peer != NULL) {
        status = is_silent ? 0 : work_on_files(&options);
    } else {
        const char *path =
            allfold_part_enter("tune", options.mpi, &launcher, options.words, &status);
        status = path == NULL ? status : measure(&options, path);
    }
    for (int i = 1; i < options.word_count; i++)
        free(options.words[i]);
    return status;
}
