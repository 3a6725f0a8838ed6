/* Reads and writes the file of proofs (see proofs.h). */
#include "proofs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { DIGEST_LENGTH = 16, SWEEP = DIGEST_LENGTH + 1 }; /* column of a line's sweep */

struct lines {
    char **all;
    size_t count;
};

static void free_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->all[i]);
    free(lines->all);
}

static bool add_line(struct lines *lines, char *line)
{
    char **all = realloc(lines->all, (lines->count + 1) * sizeof *all);
    if (line == NULL || all == NULL)
        return false;
    lines->all = all;
    all[lines->count++] = line;
    return true;
}

static char *line_of(const char *sweep, uint64_t digest)
{
    char *line;
    return asprintf(&line, "%016" PRIx64 " %s", digest, sweep) < 0 ? NULL : line;
}

/* The lines of the file that may be of sweeps other than `without` (NULL: of all). */
static bool read_lines(FILE *file, const char *without, struct lines *lines)
{
    char *line = NULL;
    size_t bytes = 0;
    bool fits = true;
    while (fits && getline(&line, &bytes, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strlen(line) > SWEEP && (without == NULL || strcmp(line + SWEEP, without) != 0))
            fits = add_line(lines, strdup(line));
    }
    free(line);
    return fits;
}

bool allfold_proof_is_known(const char *path, const char *sweep, uint64_t digest)
{
    struct lines lines = {0};
    bool is_known = false;
    char *wanted = line_of(sweep, digest);
    FILE *file = fopen(path, "r");
    if (file != NULL && wanted != NULL && flock(fileno(file), LOCK_SH) == 0 &&
        read_lines(file, NULL, &lines))
        for (size_t i = 0; i < lines.count; i++)
            is_known = is_known || strcmp(lines.all[i], wanted) == 0;
    if (file != NULL)
        fclose(file);
    free(wanted);
    free_lines(&lines);
    return is_known;
}

static int by_sweep(const void *a, const void *b)
{
    const char *const *const left = a, *const *const right = b;
    return strcmp(*left + SWEEP, *right + SWEEP);
}

int allfold_proof_record(const char *path, const char *sweep, uint64_t digest)
{
    struct lines lines = {0};
    FILE *file = fopen(path, "a+");
    if (file == NULL)
        return errno;
    int error = flock(fileno(file), LOCK_EX) == 0 ? 0 : errno;
    rewind(file);
    if (error == 0 &&
        (!read_lines(file, sweep, &lines) || !add_line(&lines, line_of(sweep, digest))))
        error = ENOMEM;
    if (error == 0 && ftruncate(fileno(file), 0) != 0)
        error = errno;
    if (error == 0) {
        qsort(lines.all, lines.count, sizeof *lines.all, by_sweep);
        for (size_t i = 0; i < lines.count; i++)
            fprintf(file, "%s\n", lines.all[i]);
        if (fflush(file) != 0 || ferror(file))
            error = errno;
    }
    fclose(file);
    free_lines(&lines);
    return error;
}
