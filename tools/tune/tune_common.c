/* What `allfold tune`, `calibrate` and `table` share: messages, CSV files, and lines of the
 * measuring part. */
#include "tune/tune.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"
#include "util/number.h"

enum { FAILED = 1 };

const char allfold_tune_default_output[] = "allfold-table.json";

static const char *command_name = "allfold tune";

void allfold_tune_set_command(const char *name)
{
    command_name = name;
}

int allfold_tune_say(int status, const char *format, ...)
{
    va_list arguments;
    allfold_tool_clear_share();
    fprintf(stderr, "%s: ", command_name);
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

bool allfold_tune_take_line(struct allfold_tune_job *job, const char *line)
{
    static const char progress[] = "progress\t";
    const char *end;
    double share;
    if (strncmp(line, progress, strlen(progress)) == 0 &&
        allfold_number_read(line + strlen(progress), &share, &end))
        allfold_tool_show_share(share, "");
    else if (sscanf(line, "mpi\t%255[^\n]", job->head.mpi) != 1 &&
             sscanf(line, "error\t%1023[^\n]", job->error) != 1 &&
             sscanf(line, "placement\t%19[^\n]", job->placement) != 1 &&
             sscanf(line, "job\t%d\t%d\t%d\t%d", &job->p, &job->nodes, &job->most, &job->least) !=
                 4)
        return false;
    return true;
}

bool allfold_tune_is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return a != NULL && b != NULL &&
           (strcmp(a, b) == 0 ||
            (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
             of_a.st_ino == of_b.st_ino && S_ISREG(of_a.st_mode)));
}
